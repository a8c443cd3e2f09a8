/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_PERF_RESPONDER_H
#define DVX_PERF_RESPONDER_H

#include <dvx/dvx.h>
#include "site.h"

struct perf_transport;
struct perf_xrc;

/* A request for the peer's side of an engine's queues. */
struct responder_request {
	const struct perf_transport *transport;
	uint32_t lanes;	   /* queues */
	uint32_t sets;	   /* sets of queues, one per thread; the queues of a set share a CQ */
	uint32_t receives; /* receives of a queue, which are reposted at once; 0: none */
	bool srq;	   /* the queues of a set share their receives */
	bool windows;	   /* there is a window for each receive */
	uint32_t access;
	uint64_t memory; /* bytes that the peer may reach */
};
#define RESPONDER_LANES	    16384u
#define RESPONDER_RECEIVES  32768u
#define RESPONDER_KEYS	    65536u /* all windows of all queues */
#define RESPONDER_SQ_BLOCKS 32768u /* dvx_qp_create(3): sq_blocks */
#define RESPONDER_MEMORY    ((uint64_t)64 << 30)

/* The receives of one thread's queues. */
struct responder_set {
	struct dvx_cq *cq;
	struct dvx_rq **rq;  /* by lane; the lane is the cookie of its receives */
	struct dvx_qp **qp;  /* queues that bind windows; NULL: there are none */
	struct dvx_srq *srq; /* the shared receives; NULL: there are none */
	struct dvx_dct *dct; /* the DC target, instead of queues */
	struct dvx_sge all;  /* the buffer of all messages */
	uint64_t received;
};

/*
 * The peer's side of an engine's queues, on libdvx's rings for every engine, in this process or in
 * the server. The device answers READs and WRITEs by itself; received messages need
 * responder_take().
 */
struct responder {
	struct responder_request request;
	struct perf_ends ends;
	struct responder_set *set;
	struct dvx_rq **rq;
	struct dvx_pd *pd;
	struct dvx_uar *uar;
	struct dvx_mem *mem;
	struct dvx_mkey *mkey;
	struct dvx_qp **qp;
	struct dvx_mkey **window; /* ends.lane_keys for each lane */
	struct perf_xrc *xrc;	  /* NULL: libdvx made all queues */
};

/* Returns how many keys each queue has for the other end: perf_ends.lane_keys. */
uint32_t responder_lane_keys(const struct responder_request *);
/* These return 0, or an exit code after an error message. */
int responder_open(const struct perf_site *, const struct responder_request *, struct responder **);
int responder_connect(const struct perf_site *, struct responder *,
		      const struct perf_ends *requester);
void responder_close(struct responder *);

static inline struct responder_set *responder_set_of(const struct responder *f, uint32_t lane)
{
	return &f->set[lane / (f->request.lanes / f->request.sets)];
}

/* Posts a receive again. Leaves the queue, because the next measurement may have other threads. */
static inline void responder_repost(struct responder_set *s, uint64_t lane)
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

/* Binds the window that a message has invalidated again, under the same key. */
static inline void responder_rebind(struct responder_set *s, uint64_t lane, uint32_t key)
{
	struct dvx_sq *sq = dvx_qp_sq(s->qp[lane]);

	dvx_post_bind(sq, key, key, DVX_REMOTE_READ, &s->all, s->all.addr, lane, DVX_SIGNALED);
	dvx_sq_ring(sq);
	dvx_sq_leave(sq);
}

/* The bind is done: posts the window's receive again. */
static inline void responder_rebound(struct responder_set *s, uint64_t lane)
{
	dvx_rq_post(s->rq[lane], &s->all, 1, lane);
	dvx_rq_ring(s->rq[lane]);
	dvx_rq_leave(s->rq[lane]);
}

/*
 * Posts received messages' receives again. Returns their number, or a negative number after an
 * error message. A message that invalidated a window counts when the window is bound again: its
 * receive waits until then.
 */
static inline int responder_take(struct responder_set *s)
{
	struct dvx_wc wc;
	int n = 0, rc;

	while ((rc = dvx_cq_poll(s->cq, &wc)) > 0) {
		if (!s->qp) {
			responder_repost(s, wc.wr_id);
		} else if (wc.opcode == PRM_CQE_OPCODE_REQ) {
			responder_rebound(s, wc.wr_id);
		} else {
			responder_rebind(s, wc.wr_id, wc.imm);
			continue;
		}
		n++;
	}
	dvx_cq_leave(s->cq);
	s->received += (uint64_t)n;
	return rc ? site_failed("receive", &wc) : n;
}

#endif
