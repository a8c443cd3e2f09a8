/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_PERF_FAR_H
#define DVX_PERF_FAR_H

#include <dvx/dvx.h>
#include "site.h"

struct perf_transport;
struct perf_xrc;

/* What an engine needs at the other end of its queues. */
struct far_wish {
	const struct perf_transport *transport;
	uint32_t lanes;	   /* queues */
	uint32_t sets;	   /* the queues of a set complete in one CQ: one for each thread */
	uint32_t receives; /* a queue's, which are posted again at once; 0: none */
	bool srq;	   /* those of a set are one pool */
	bool windows;	   /* one for each receive */
	uint32_t access;
	uint64_t memory; /* bytes that the peer may reach */
};
#define FAR_LANES     16384u
#define FAR_RECEIVES  32768u
#define FAR_KEYS      65536u /* windows of all queues */
#define FAR_SQ_BLOCKS 32768u /* dvx_qp_create(3): sq_blocks */
#define FAR_MEMORY    ((uint64_t)64 << 30)

/* The receives of a thread's queues. */
struct far_set {
	struct dvx_cq *cq;
	struct dvx_rq **rq;  /* by lane, which is the cookie of its receives */
	struct dvx_qp **qp;  /* of queues that bind windows; NULL: none does */
	struct dvx_srq *srq; /* or the pool; NULL: none */
	struct dvx_dct *dct; /* of DC, in place of queues */
	struct dvx_sge all;  /* where messages come to */
	uint64_t received;
};

/*
 * The far end of an engine's queues, always made of libdvx's: in this process, or in the server's.
 * It answers READs and takes WRITEs without any doing; messages that are received need far_take().
 */
struct far {
	struct far_wish wish;
	struct perf_ends ends;
	struct far_set *set;
	struct dvx_rq **rq;
	struct dvx_pd *pd;
	struct dvx_uar *uar;
	struct dvx_mem *mem;
	struct dvx_mkey *mkey;
	struct dvx_qp **qp;
	struct dvx_mkey **window; /* ends.lane_keys of each lane */
	struct perf_xrc *xrc;	  /* NULL: all is libdvx's own */
};

/* Numbers of each queue that the other end has to know: perf_ends.lane_keys. */
uint32_t far_lane_keys(const struct far_wish *);
/* All return 0, or an exit code after a sentence. */
int far_open(const struct perf_site *, const struct far_wish *, struct far **);
int far_connect(const struct perf_site *, struct far *, const struct perf_ends *near);
void far_close(struct far *);

static inline struct far_set *far_set_of(const struct far *f, uint32_t lane)
{
	return &f->set[lane / (f->wish.lanes / f->wish.sets)];
}

int far_failed(const struct dvx_wc *);

/* Leaves: the next measurement may have other threads. */
static inline void far_repost(struct far_set *s, uint64_t lane)
{
	if (s->srq) {
		dvx_srq_post(s->srq, &s->all, 1, lane); /* has room: one was freed */
		dvx_srq_ring(s->srq);
		dvx_srq_leave(s->srq);
		return;
	}
	dvx_rq_repost(s->rq[lane]);
	dvx_rq_ring(s->rq[lane]);
	dvx_rq_leave(s->rq[lane]);
}

/* The window that a message has invalidated is bound again, under the same key. */
static inline void far_rebind(struct far_set *s, uint64_t lane, uint32_t key)
{
	struct dvx_sq *sq = dvx_qp_sq(s->qp[lane]);

	dvx_post_bind(sq, key, key, DVX_REMOTE_READ, &s->all, s->all.addr, lane, DVX_SIGNALED);
	dvx_sq_ring(sq);
	dvx_sq_leave(sq);
}

/* That is done: its receive is posted again. */
static inline void far_rebound(struct far_set *s, uint64_t lane)
{
	dvx_rq_post(s->rq[lane], &s->all, 1, lane);
	dvx_rq_ring(s->rq[lane]);
	dvx_rq_leave(s->rq[lane]);
}

/*
 * Posts again what was received; the number of receives that are posted again, or negative after a
 * sentence. A message with a window counts when its window is bound: its receive waits until then.
 */
static inline int far_take(struct far_set *s)
{
	struct dvx_wc wc;
	int n = 0, rc;

	while ((rc = dvx_cq_poll(s->cq, &wc)) > 0) {
		if (!s->qp) {
			far_repost(s, wc.wr_id);
		} else if (wc.opcode == PRM_CQE_OPCODE_REQ) {
			far_rebound(s, wc.wr_id);
		} else {
			far_rebind(s, wc.wr_id, wc.imm);
			continue;
		}
		n++;
	}
	dvx_cq_leave(s->cq);
	s->received += (uint64_t)n;
	return rc ? far_failed(&wc) : n;
}

#endif
