/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_PERF_RINGS_H
#define DVX_PERF_RINGS_H

/* Queues and memory made through DevX, for the engines on libdvx's rings. */
#include <dvx/dvx.h>
#include "loop.h"

struct ring_queue {
	/* used by the hot path */
	struct dvx_sq *sq;
	uint64_t raddr;
	uint32_t rkey;
	uint32_t inline_bytes; /* 0: not inline */
	uint32_t sges;
	bool blueflame;
	struct dvx_sge sge[PERF_SGES];
	uint64_t dma_to;
	uint32_t bytes;
	uint32_t list_key; /* the mkey that a UMR redefines */
	struct dvx_ah ah;  /* the address of messages that carry one */
	uint32_t srqn;	   /* the XRC SRQ that messages go to */
	struct dvx_template made;
	struct perf_keys keys;
	struct dvx_qp *qp;
	struct dvx_mkey *list;
};

/* The queues of a thread. */
struct ring_set {
	struct dvx_sq *only; /* the only queue; NULL: there are several */
	struct dvx_cq *cq;
	struct dvx_uar *uar;
};

int ring_open(const struct perf_params *, void **requester, struct perf_ends *);
int ring_connect(void *requester, const struct perf_ends *responder);
void ring_resize(void *requester);
void ring_close(void *requester);
void *ring_queue_of(void *requester, uint32_t lane);
void *ring_set_of(void *requester, uint32_t thread);
/*
 * Leaves the queues, because the next measurement may have other threads: for debug builds
 * (dvx_sq_leave(3)).
 */
int ring_leave(struct perf_thread *, int result);

/* Prints an error message and returns the failure. */
bool ring_refused(int rc);

static inline void ring_begin(void *queue)
{
	(void)queue;
}

PERF_INLINE bool ring_ring(void *queue)
{
	const struct ring_queue *q = queue;

	if (q->blueflame)
		dvx_sq_ring_bf(q->sq);
	else
		dvx_sq_ring(q->sq);
	return true;
}

PERF_INLINE int ring_poll(void *set, uint64_t *cookie)
{
	const struct ring_set *s = set;
	struct dvx_wc wc;
	int n = s->only ? dvx_sq_poll(s->only, &wc) : dvx_cq_poll(s->cq, &wc);

	if (n > 0)
		*cookie = wc.wr_id;
	return n < 0 ? site_failed("message", &wc) : n;
}

#endif
