/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One loop for completions and asynchronous events: an epoll over the CQ's channel and the device's
 * events. It posts one NOP, reports its completion, then each event, until one of the port.
 *
 *	dvx-sim up chip; dvx-sim exec chip -- ./events &
 *	dvx-sim link chip down
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <dvx/dvx.h>

static void must(int err, const char *what)
{
	if (!err)
		return;
	fprintf(stderr, "events: %s: %s\n", what, dvx_strerror(err));
	exit(1);
}

static void wait_for(int loop, int fd, void *what)
{
	struct epoll_event want = {.events = EPOLLIN, .data.ptr = what};

	if (epoll_ctl(loop, EPOLL_CTL_ADD, fd, &want)) {
		perror("events: epoll_ctl");
		exit(1);
	}
}

/* Takes all completions, and arms the CQ for the next one. */
static void completions(struct dvx_channel *channel)
{
	struct dvx_cq *cq;
	struct dvx_wc wc;
	int n;

	must(dvx_channel_wait(channel, 0, &cq, NULL), "channel");
	dvx_cq_arm(cq, false);
	while ((n = dvx_cq_poll(cq, &wc)))
		printf("work %llu: %s\n", (unsigned long long)wc.wr_id,
		       n < 0 ? dvx_cqe_strerror(wc.syndrome) : "done");
}

static bool event(struct dvx_events *events)
{
	struct dvx_event e;

	must(dvx_events_wait(events, 0, &e), "events");
	printf("%s of %u%s%s\n", dvx_event_name(e.type), e.number, e.cookie ? ", " : "",
	       e.cookie ? (const char *)e.cookie : "");
	return e.type != PRM_EVENT_PORT_CHANGE;
}

int main(int argc, char **argv)
{
	struct dvx_cq_attr cq_attr = {.size = sizeof(cq_attr), .entries = 16};
	struct dvx_qp_attr qp_attr = {.size = sizeof(qp_attr), .sq_blocks = 16};
	struct dvx_channel *channel;
	struct dvx_events *events;
	struct epoll_event ready;
	int loop = epoll_create1(EPOLL_CLOEXEC);
	struct dvx_dev *dev;
	struct dvx_qp *qp;

	must(dvx_dev_open(argc > 1 ? argv[1] : NULL, &dev), "open");
	must(dvx_pd_alloc(dev, &qp_attr.pd), "pd");
	must(dvx_uar_alloc(dev, DVX_UAR_ANY, &qp_attr.uar), "uar");
	cq_attr.uar = qp_attr.uar;
	must(dvx_cq_create(dev, &cq_attr, &qp_attr.send_cq), "cq");
	must(dvx_qp_create(dev, &qp_attr, &qp), "qp");

	must(dvx_channel_open(dev, &channel), "channel");
	must(dvx_channel_subscribe(channel, qp_attr.send_cq, NULL), "subscribe");
	must(dvx_events_open(dev, &events), "events");
	must(dvx_events_watch_cq(events, qp_attr.send_cq, "the only CQ"), "watch");
	must(dvx_events_watch_qp(events, qp, "the only queue"), "watch");
	wait_for(loop, dvx_channel_fd(channel), channel);
	wait_for(loop, dvx_events_fd(events), events);

	dvx_cq_arm(qp_attr.send_cq, false);
	must(dvx_qp_connect_self(qp, 0), "connect");
	must(dvx_post_nop(dvx_qp_sq(qp), 42, DVX_SIGNALED), "post");
	dvx_sq_ring(dvx_qp_sq(qp));
	do {
		fflush(stdout);
		if (epoll_wait(loop, &ready, 1, -1) < 1)
			continue;
		if (ready.data.ptr == channel)
			completions(channel);
	} while (ready.data.ptr == channel || event(events));

	must(dvx_qp_destroy(qp), "qp");
	must(dvx_cq_destroy(qp_attr.send_cq), "cq");
	must(dvx_channel_close(channel), "channel");
	must(dvx_events_close(events), "events");
	must(dvx_uar_free(qp_attr.uar), "uar");
	must(dvx_pd_free(qp_attr.pd), "pd");
	must(dvx_dev_close(dev), "close");
	return 0;
}
