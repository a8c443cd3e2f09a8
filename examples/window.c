/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A memory window: a part of registered memory that one peer may write, until it sends the message
 * that invalidates the window. Binding is a work request, so it is ordered with the queue's other
 * requests and needs no system call.
 *
 *	dvx-sim run -- ./window
 */
#include "example.h"

enum { BYTES = 4096, FROM = 1024, LENGTH = 64 };
enum { BOUND = 1, SENT_KEY, WRITTEN, SENT }; /* cookies */

static _Alignas(4096) char memory[BYTES];

/* Binds the window; returns its new key for the peer, which differs from the last one. */
static uint32_t owner_bind(struct dvx_qp *owner, struct dvx_cq *cq, struct dvx_mkey *window,
			   uint32_t key)
{
	struct dvx_sge part = {(uintptr_t)memory + FROM, LENGTH, key};
	uint32_t bound = dvx_key_next(dvx_mkey_key(window));

	must(dvx_post_bind(dvx_qp_sq(owner), dvx_mkey_key(window), bound, DVX_REMOTE_WRITE, &part,
			   part.addr, BOUND, DVX_SIGNALED),
	     "bind");
	dvx_sq_ring(dvx_qp_sq(owner));
	example_wait(cq, BOUND);
	printf("owner: window bound\n");
	return bound;
}

static void peer_write(struct dvx_qp *peer, struct dvx_cq *cq, uint64_t at, uint32_t rkey)
{
	struct dvx_wc wc;

	must(dvx_post_write_inline(dvx_qp_sq(peer), at, rkey, "by a window", 12, WRITTEN,
				   DVX_SIGNALED),
	     "write");
	dvx_sq_ring(dvx_qp_sq(peer));
	printf("peer: WRITE: %s\n",
	       example_next(cq, &wc) == 1 ? "done" : dvx_cqe_strerror(wc.syndrome));
}

int main(int argc, char **argv)
{
	struct dvx_mkey *window;
	struct dvx_qp *qp[2]; /* the owner's, its peer's */
	struct dvx_cq *cq[2];
	struct example x;

	example_open(&x, argc > 1 ? argv[1] : NULL);

	struct dvx_qp_local local = example_local(&x, DVX_REMOTE_WRITE);
	uint32_t key = example_key(&x, memory, BYTES, DVX_LOCAL_WRITE | DVX_REMOTE_WRITE), rkey;
	struct dvx_sge room = {(uintptr_t)memory, FROM, key};
	struct dvx_wc wc;

	for (int i = 0; i < 2; i++) {
		cq[i] = example_cq(&x);
		qp[i] = example_qp(&x, cq[i], 4);
	}
	example_join(qp[0], &local, qp[1], &local);
	must(dvx_mkey_create_window(x.dev, x.pd, &window), "window");
	must(dvx_rq_post(dvx_qp_rq(qp[0]), &room, 1, SENT_KEY), "receive");
	dvx_rq_ring(dvx_qp_rq(qp[0]));

	rkey = owner_bind(qp[0], cq[0], window, key);
	peer_write(qp[1], cq[1], (uintptr_t)memory + FROM, rkey);
	printf("owner: memory \"%s\"\n", memory + FROM);
	/* The message invalidates the window before the owner gets it. */
	must(dvx_post_send_inval_inline(dvx_qp_sq(qp[1]), rkey, "done", 5, SENT, DVX_SIGNALED),
	     "send");
	dvx_sq_ring(dvx_qp_sq(qp[1]));
	example_wait(cq[1], SENT);
	must(example_next(cq[0], &wc) == 1 ? 0 : -EIO, "message");
	printf("owner: \"%s\", which invalidated %s key\n", memory,
	       wc.imm == rkey ? "the window's" : "another");
	peer_write(qp[1], cq[1], (uintptr_t)memory + FROM, rkey);
	return 0;
}
