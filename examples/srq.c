/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A server whose queues share receives: one queue pair for each client, but one pool of receives
 * (SRQ) for all. So memory depends on the messages in flight, and not on the number of clients.
 *
 *	dvx-sim run -- ./srq
 */
#include "example.h"

enum { CLIENTS = 8, RECEIVES = 15, FEW = 4, ROOM = 64, SENT = 1000 };

static _Alignas(64) char room[RECEIVES][ROOM];

static void post(struct dvx_srq *srq, uint32_t key, uint64_t which)
{
	struct dvx_sge piece = {(uintptr_t)room[which], ROOM, key};

	must(dvx_srq_post(srq, &piece, 1, which), "receive");
}

/* Makes a queue pair of the server, which receives from the pool. */
static struct dvx_qp *shared_qp(struct example *x, struct dvx_cq *cq, struct dvx_srq *srq,
				uint32_t client)
{
	struct dvx_qp_attr attr = {.size = sizeof(attr),
				   .pd = x->pd,
				   .uar = x->uar,
				   .send_cq = cq,
				   .sq_blocks = 4,
				   .srq = srq,
				   .user_index = client}; /* completions carry it */
	struct dvx_qp *qp;

	must(dvx_qp_create(x->dev, &attr, &qp), "qp");
	return qp;
}

/* Sends, and waits until it is sent: after an error no message would come that others wait for. */
static void say(struct dvx_qp *client, struct dvx_cq *cq, const char *text)
{
	must(dvx_post_send_inline(dvx_qp_sq(client), text, (uint32_t)strlen(text) + 1, SENT,
				  DVX_SIGNALED),
	     "send");
	dvx_sq_ring(dvx_qp_sq(client));
	(void)example_wait(cq, SENT);
}

/* Takes n messages of any clients. Posts receives again when few are left. */
static void serve(struct dvx_cq *cq, struct dvx_srq *srq, uint32_t key, int n)
{
	static uint64_t used[RECEIVES];
	static int count;

	while (n--) {
		struct dvx_wc wc;

		must(example_next(cq, &wc) == 1 ? 0 : -EIO, "message");
		printf("client %u: \"%s\"\n", wc.user_index, room[wc.wr_id]);
		used[count++] = wc.wr_id;
	}
	if (RECEIVES - count > FEW)
		return;
	while (count)
		post(srq, key, used[--count]);
	dvx_srq_ring(srq);
}

/* Waits for the device's event that few receives are left, which can wake up a sleeping server. */
static void wait_for_limit(struct dvx_events *events, struct dvx_srq *srq)
{
	struct dvx_event e;

	must(dvx_events_wait(events, -1, &e), "event");
	printf("%s: fewer than %d receives are posted, %u can be\n", dvx_event_name(e.type), FEW,
	       dvx_srq_free(srq));
}

int main(int argc, char **argv)
{
	struct dvx_qp *client[CLIENTS];
	struct dvx_events *events;
	struct dvx_srq *srq;
	struct example x;
	char text[ROOM];

	example_open(&x, argc > 1 ? argv[1] : NULL);

	struct dvx_srq_attr attr = {.size = sizeof(attr), .pd = x.pd, .entries = RECEIVES};
	struct dvx_qp_local local = example_local(&x, 0);
	struct dvx_cq *cq = example_cq(&x), *clients_cq = example_cq(&x);
	uint32_t key = example_key(&x, room, sizeof(room), DVX_LOCAL_WRITE);

	must(dvx_srq_create(x.dev, &attr, &srq), "srq");
	for (uint64_t i = 0; i < RECEIVES; i++)
		post(srq, key, i);
	dvx_srq_ring(srq);
	must(dvx_events_open(x.dev, &events), "events");
	must(dvx_events_watch_srq(events, srq, NULL), "watch");
	must(dvx_srq_arm(srq, FEW), "limit");

	struct dvx_qp_attr ca = {.size = sizeof(ca),
				 .pd = x.pd,
				 .uar = x.uar,
				 .send_cq = clients_cq,
				 .sq_blocks = 8};

	for (uint32_t i = 0; i < CLIENTS; i++) {
		must(dvx_qp_create(x.dev, &ca, &client[i]), "qp");
		example_join(client[i], &local, shared_qp(&x, cq, srq, i), &local);
	}
	/* Client 3 sends many messages, the others few: they need no fixed shares. */
	for (int i = 0; i < CLIENTS; i++) {
		snprintf(text, sizeof(text), "hello from %d", i);
		say(client[i], clients_cq, text);
		serve(cq, srq, key, 1);
	}
	for (int i = 0; i < FEW; i++) {
		snprintf(text, sizeof(text), "more, %d", i);
		say(client[3], clients_cq, text);
	}
	wait_for_limit(events, srq);
	serve(cq, srq, key, FEW);
	printf("posted again, %u can be\n", dvx_srq_free(srq));
	return 0; /* all objects end with the process */
}
