/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The order in which work completes, unsignaled work, and how to sleep until something completes.
 *
 *	dvx-sim run -- ./completions
 */
#include "example.h"

enum { BIG = 1 << 20, SMALL = 8 };

static _Alignas(4096) uint8_t memory[2 * BIG];

static void post_write(struct dvx_qp *qp, uint32_t key, uint32_t len, uint64_t cookie,
		       uint32_t flags)
{
	struct dvx_sge piece = {(uintptr_t)memory, len, key};

	must(dvx_post_write(dvx_qp_sq(qp), (uintptr_t)memory + BIG, key, &piece, 1, cookie, flags),
	     "write");
}

static uint64_t next_cookie(struct dvx_cq *cq)
{
	struct dvx_wc wc;

	if (example_next(cq, &wc) < 0) {
		fprintf(stderr, "%s\n", dvx_cqe_strerror(wc.syndrome));
		exit(1);
	}
	return wc.wr_id;
}

/* One queue: work completes in the order of the posts. One doorbell announces all of it. */
static void one_queue(struct dvx_qp *qp, struct dvx_cq *cq, uint32_t key)
{
	post_write(qp, key, BIG, 1, DVX_SIGNALED);
	post_write(qp, key, SMALL, 2, DVX_SIGNALED);
	must(dvx_post_nop(dvx_qp_sq(qp), 3, DVX_SIGNALED), "nop");
	dvx_sq_ring(dvx_qp_sq(qp));
	printf("one queue, a megabyte first:");
	for (int i = 0; i < 3; i++)
		printf(" %d", (int)next_cookie(cq));
	printf("\n");
}

/* Two queues of one CQ: each completes in its own order; there is no order between them. */
static void two_queues(struct dvx_qp *a, struct dvx_qp *b, struct dvx_cq *cq, uint32_t key)
{
	uint64_t last[2] = {0, 100}, cookie;
	bool in_order = true;

	for (uint64_t i = 1; i <= 8; i++) {
		post_write(a, key, BIG, i, DVX_SIGNALED);
		post_write(b, key, SMALL, 100 + i, DVX_SIGNALED);
	}
	dvx_sq_ring(dvx_qp_sq(a));
	dvx_sq_ring(dvx_qp_sq(b));
	for (int i = 0; i < 16; i++) {
		cookie = next_cookie(cq);
		in_order &= cookie == ++last[cookie > 100];
	}
	printf("two queues: each is %s; what comes between is chance\n",
	       in_order ? "in order" : "NOT in order");
}

/* Work that is not signaled has no CQE: the next signaled work frees its blocks, too. */
static void unsignaled(struct dvx_qp *qp, struct dvx_cq *cq, uint32_t key)
{
	struct dvx_sq *sq = dvx_qp_sq(qp);

	for (uint64_t i = 1; i <= 15; i++)
		post_write(qp, key, SMALL, i, 0);
	post_write(qp, key, SMALL, 16, DVX_SIGNALED);
	dvx_sq_ring(sq);
	printf("16 posted, 1 signaled: %u of %u blocks free,", dvx_sq_free(sq), dvx_sq_blocks(sq));
	printf(" cookie %d completes,", (int)next_cookie(cq));
	printf(" %u free\n", dvx_sq_free(sq));
}

/*
 * An armed CQ raises one event at the next completion, but none for consumed ones: arm, then poll,
 * then wait.
 */
static void asleep(struct example *x, struct dvx_qp *qp, struct dvx_cq *cq, uint32_t key)
{
	struct dvx_channel *channel;
	struct dvx_wc wc;
	int n, woken = 0;

	must(dvx_channel_open(x->dev, &channel), "channel");
	must(dvx_channel_subscribe(channel, cq, NULL), "subscribe");
	dvx_cq_arm(cq, false);
	post_write(qp, key, BIG, 1, DVX_SIGNALED);
	dvx_sq_ring(dvx_qp_sq(qp));
	while (!(n = dvx_cq_poll(cq, &wc))) {
		must(dvx_channel_wait(channel, -1, NULL, NULL), "wait");
		woken++;
		dvx_cq_arm(cq, false);
	}
	printf("asleep: %s by %s\n", n == 1 ? "done" : "failed",
	       woken <= 1 ? "at most one event" : "several events");
}

int main(int argc, char **argv)
{
	struct dvx_qp *a, *b;
	struct dvx_cq *cq;
	struct example x;
	uint32_t key;

	example_open(&x, argc > 1 ? argv[1] : NULL);
	key = example_key(&x, memory, sizeof(memory), DVX_LOCAL_WRITE | DVX_REMOTE_WRITE);
	cq = example_cq(&x);
	a = example_qp(&x, cq, 0);
	b = example_qp(&x, cq, 0);
	must(dvx_qp_connect_self(a, DVX_REMOTE_WRITE), "connect");
	must(dvx_qp_connect_self(b, DVX_REMOTE_WRITE), "connect");
	one_queue(a, cq, key);
	two_queues(a, b, cq, key);
	unsignaled(a, cq, key);
	asleep(&x, a, cq, key);
	return 0; /* all objects end with the process */
}
