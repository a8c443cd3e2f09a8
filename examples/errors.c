/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The causes of each error completion: protection domains, keys and their rights, a queue's rights,
 * lengths, retries; and which side gets it, with which syndrome.
 *
 *	dvx-sim run -- ./errors
 *
 * Each case has a fresh pair of queues: an error ends a queue. recover.c brings one back.
 */
#include "example.h"

enum { BYTES = 4096 };

static _Alignas(4096) uint8_t memory[BYTES];

struct ends {
	struct example x;
	uint32_t key;	    /* all rights */
	uint32_t read_only; /* without DVX_LOCAL_WRITE */
	uint32_t foreign;   /* of another protection domain */
	struct dvx_cq *cq[2];
	struct dvx_qp *qp[2]; /* sender, receiver */
};

enum which {
	BAD_LKEY,
	OTHER_PD,
	SHORT_RECEIVE,
	PROTECTED_RECEIVE,
	BAD_RKEY,
	BEYOND,
	NO_RIGHT,
	NO_RECEIVE,
	NOBODY,
	BEHIND,
	CASES
};

static const struct {
	const char *what;
	int sender, receiver; /* number of completions on each side */
} cases[CASES] = {
	[BAD_LKEY] = {"SEND with an lkey that is none", 1, 0},
	[OTHER_PD] = {"SEND with an lkey of another protection domain", 1, 0},
	[SHORT_RECEIVE] = {"SEND to a receive that is too small", 1, 1},
	[PROTECTED_RECEIVE] = {"SEND to memory without DVX_LOCAL_WRITE", 1, 1},
	[BAD_RKEY] = {"WRITE with an rkey that is none", 1, 0},
	[BEYOND] = {"WRITE behind the end of the rkey's memory", 1, 0},
	[NO_RIGHT] = {"READ, and the peer's queue allows WRITE only", 1, 0},
	[NO_RECEIVE] = {"SEND without a receive, rnr_retry 0", 1, 0},
	[NOBODY] = {"SEND to nobody, retry_count 0", 1, 0},
	[BEHIND] = {"NOP behind a SEND that fails", 2, 0},
};

static void post_receive(struct ends *e, uint32_t len, uint32_t key)
{
	struct dvx_sge room = {(uintptr_t)memory + 1024, len, key};

	must(dvx_rq_post(dvx_qp_rq(e->qp[1]), &room, 1, 0), "receive");
	dvx_rq_ring(dvx_qp_rq(e->qp[1]));
}

static void post_send(struct ends *e, uint32_t key)
{
	struct dvx_sge piece = {(uintptr_t)memory, 64, key};

	must(dvx_post_send(dvx_qp_sq(e->qp[0]), &piece, 1, 0, DVX_SIGNALED), "send");
}

static void post_write(struct ends *e, uint32_t offset, uint32_t rkey)
{
	must(dvx_post_write_inline(dvx_qp_sq(e->qp[0]), (uintptr_t)memory + offset, rkey, "x", 1, 0,
				   DVX_SIGNALED),
	     "write");
}

static void post(struct ends *e, enum which which)
{
	struct dvx_sge room = {(uintptr_t)memory, 64, e->key};

	if (which == SHORT_RECEIVE)
		post_receive(e, 63, e->key);
	if (which == PROTECTED_RECEIVE)
		post_receive(e, 64, e->read_only);
	if (which == BAD_RKEY)
		post_write(e, 0, e->key + 1);
	else if (which == BEYOND)
		post_write(e, BYTES, e->key);
	else if (which == NO_RIGHT)
		must(dvx_post_read(dvx_qp_sq(e->qp[0]), (uintptr_t)memory + 1024, e->key, &room, 1,
				   0, DVX_SIGNALED),
		     "read");
	else
		post_send(e, which == BAD_LKEY ? 0xbad00 : which == OTHER_PD ? e->foreign : e->key);
	if (which == BEHIND)
		must(dvx_post_nop(dvx_qp_sq(e->qp[0]), 0, DVX_SIGNALED), "nop");
	dvx_sq_ring(dvx_qp_sq(e->qp[0]));
}

/* Makes a pair of queues. With `nobody`, the peer stays in RST, where it does not answer. */
static void make_pair(struct ends *e, bool nobody)
{
	struct dvx_qp_local local = example_local(&e->x, DVX_REMOTE_WRITE);

	local.rnr_retry = 0;
	if (nobody) {
		local.retry_count = 0;
		local.ack_timeout = 8; /* a millisecond, which is too short for a busy peer */
	}
	for (int i = 0; i < 2; i++) {
		e->cq[i] = example_cq(&e->x);
		e->qp[i] = example_qp(&e->x, e->cq[i], 16);
	}
	example_join(e->qp[0], &local, e->qp[1], &local);
	if (nobody)
		must(dvx_qp_to_rst(e->qp[1]), "RST");
}

static void tell(const char *who, struct dvx_cq *cq, int n)
{
	struct dvx_wc wc;

	while (n--) {
		example_next(cq, &wc);
		printf("\t%s: 0x%02x %s\n", who, wc.syndrome, dvx_cqe_strerror(wc.syndrome));
	}
}

int main(int argc, char **argv)
{
	struct example other;
	struct ends e;

	example_open(&e.x, argc > 1 ? argv[1] : NULL);
	other = e.x;
	must(dvx_pd_alloc(e.x.dev, &other.pd), "second pd");
	e.key = example_key(&e.x, memory, BYTES,
			    DVX_LOCAL_WRITE | DVX_REMOTE_WRITE | DVX_REMOTE_READ);
	e.read_only = example_key(&e.x, memory, BYTES, 0);
	e.foreign = example_key(&other, memory, BYTES, DVX_LOCAL_WRITE);
	for (enum which i = 0; i < CASES; i++) {
		make_pair(&e, i == NOBODY);
		printf("%s\n", cases[i].what);
		post(&e, i);
		tell("sender", e.cq[0], cases[i].sender);
		tell("receiver", e.cq[1], cases[i].receiver);
	}
	return 0; /* all objects end with the process */
}
