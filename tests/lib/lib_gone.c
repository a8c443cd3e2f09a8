/* SPDX-License-Identifier: BSD-2-Clause */
/* The program of gone.sh: it waits for events of a device that disappears. */
#include <stdio.h>
#include <dvx/dvx.h>

static int must(int err, const char *what)
{
	if (err)
		printf("%s: %d %s\n", what, err, dvx_strerror(err));
	return err;
}

/* Prints one line for each call: its name, result and sentence. */
static void print_call(const char *call, int err)
{
	printf("%s: %d: %s\n", call, err, dvx_strerror(err));
}

int main(void)
{
	static struct dvx_cq_attr attr = {.size = sizeof(attr), .entries = 16};
	/* Static, as the device cannot release them: the leak sanitizer would report them. */
	static struct dvx_channel *channel;
	static struct dvx_events *events;
	struct dvx_event event;
	static struct dvx_dev *dev;
	static struct dvx_cq *cq;
	struct dvx_pd *pd = NULL;

	if (must(dvx_dev_open(NULL, &dev), "open") ||
	    must(dvx_uar_alloc(dev, DVX_UAR_ANY, &attr.uar), "uar") ||
	    must(dvx_cq_create(dev, &attr, &cq), "cq") ||
	    must(dvx_channel_open(dev, &channel), "channel") ||
	    must(dvx_channel_subscribe(channel, cq, NULL), "subscribe") ||
	    must(dvx_events_open(dev, &events), "events"))
		return 1;
	dvx_cq_arm(cq, false);
	printf("waiting\n");
	fflush(stdout);
	print_call("dvx_channel_wait", dvx_channel_wait(channel, -1, NULL, NULL));
	print_call("dvx_events_wait", dvx_events_wait(events, -1, &event));
	print_call("dvx_pd_alloc", dvx_pd_alloc(dev, &pd));
	printf("a PD: %s\n", pd ? "half of one" : "none");
	printf("a CQE: %s\n", dvx_cq_peek(cq) ? "yes" : "none");
	print_call("dvx_cq_destroy", dvx_cq_destroy(cq));
	return 0;
}
