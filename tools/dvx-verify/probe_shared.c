/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared receive queues. */
#include <dvx/prm/wqe.h>
#include "verify.h"

/* The entry's key is of the SRQ's PD; then of the QP's. */
void probe_scatter(struct bench *b)
{
	struct dvx_mkey_attr attr = {
		.size = sizeof(attr), .access = BENCH_ACCESS, .addr = b->buf, .len = 4096};
	struct bench_pair p = bench_pair_default(b);
	struct dvx_mkey *mkey;

	NEED(dvx_pd_alloc(b->dev, &attr.pd));
	NEED(dvx_mkey_create(b->dev, &attr, &mkey));
	p.srq = bench_srq(b, attr.pd);
	bench_pair_make(b, &p);
	bench_srq_post(p.srq, (struct dvx_sge){b->addr, 64, dvx_mkey_key(mkey)}, 1);
	bench_srq_post(p.srq, (struct dvx_sge){b->addr, 64, b->key}, 1);
	NEED(dvx_post_send_inline(p.sq, "x", 1, 1, 0));
	NEED(dvx_post_send_inline(p.sq, "x", 1, 2, 0));
	dvx_sq_ring(p.sq);
	bench_expect_done(p.cq[1], "a receive with a key of the SRQ's PD");
	bench_expect_error(p.cq[1], PRM_SYNDROME_LOCAL_PROT_ERR,
			   "a receive with a key of the QP's PD");
}

/* Expects an event of this type. */
static void shared_event(struct dvx_events *events, uint8_t type, const char *what)
{
	struct dvx_event e;

	EXPECT(!dvx_events_wait(events, 2000, &e), "%s: no event", what);
	EXPECT(e.type == type, "%s: event 0x%x, not 0x%x", what, e.type, type);
}

void probe_eq_srq(struct bench *b)
{
	struct bench_pair p = bench_pair_default(b);
	struct dvx_events *events;

	p.srq = bench_srq(b, b->pd);
	bench_pair_make(b, &p);
	NEED(dvx_events_open(b->dev, &events));
	NEED(dvx_events_watch_srq(events, p.srq, NULL));
	bench_srq_post(p.srq, (struct dvx_sge){b->addr, 64, b->key}, 4);
	NEED(dvx_srq_arm(p.srq, 4));
	NEED(dvx_post_send_inline(p.sq, "x", 1, 1, DVX_SIGNALED));
	dvx_sq_ring(p.sq);
	shared_event(events, PRM_EVENT_SRQ_RQ_LIMIT, "an SRQ below its limit");
}

void probe_srq_arm(struct bench *b)
{
	struct dvx_srq *srq = bench_srq(b, b->pd);
	struct dvx_events *events;

	NEED(dvx_events_open(b->dev, &events));
	NEED(dvx_events_watch_srq(events, srq, NULL));
	bench_srq_post(srq, (struct dvx_sge){b->addr, 64, b->key}, 2);
	NEED(dvx_srq_arm(srq, 4));
	shared_event(events, PRM_EVENT_SRQ_RQ_LIMIT, "a limit of 4 with 2 receives posted");
}

void probe_last_wqe(struct bench *b)
{
	struct bench_pair p = bench_pair_default(b);
	struct dvx_events *events;

	p.srq = bench_srq(b, b->pd);
	bench_pair_make(b, &p);
	NEED(dvx_events_open(b->dev, &events));
	NEED(dvx_events_watch_qp(events, p.qp[1], NULL));
	NEED(dvx_qp_to_err(p.qp[1]));
	shared_event(events, PRM_EVENT_SRQ_LAST_WQE, "an idle QP on an SRQ that comes to ERR");
}

/* The list leads out of the ring after its first entry. */
void probe_srq_list_leaves_ring(struct bench *b)
{
	struct bench_pair p = bench_pair_default(b), q = bench_pair_default(b);
	struct dvx_sge to = {b->addr, 64, b->key};
	struct dvx_srq *srq = bench_srq(b, b->pd);
	struct dvx_events *events;
	uint8_t *first;
	bool srq_failed = false;
	int queues_failed = 0;
	struct dvx_event e;

	p.srq = q.srq = srq;
	bench_pair_make(b, &p);
	bench_pair_make(b, &q);
	NEED(dvx_events_open(b->dev, &events));
	NEED(dvx_events_watch_srq(events, srq, NULL));
	NEED(dvx_events_watch_qp(events, p.qp[1], NULL));
	NEED(dvx_events_watch_qp(events, q.qp[1], NULL));
	first = dvx_srq_entry(srq, srq->head);
	for (int i = 0; i < 3; i++)
		NEED(dvx_srq_post(srq, &to, 1, 1));
	prm_wqe_srq_next_seg_set_next_wqe_index(first, 0x7fff);
	dvx_srq_ring(srq);
	for (int i = 0; i < 3; i++) {
		NEED(dvx_post_send_inline(i == 1 ? q.sq : p.sq, "x", 1, 1, 0));
		dvx_sq_ring(i == 1 ? q.sq : p.sq);
	}
	while ((!srq_failed || queues_failed < 2) && !dvx_events_wait(events, 2000, &e)) {
		EXPECT(e.type != PRM_EVENT_SRQ_CATAS_ERROR || !srq_failed,
		       "two SRQ_CATAS_ERROR of one SRQ");
		srq_failed |= e.type == PRM_EVENT_SRQ_CATAS_ERROR;
		queues_failed += e.type == PRM_EVENT_WQ_CATAS_ERROR;
	}
	EXPECT(srq_failed, "a list that leads out of its ring made no SRQ_CATAS_ERROR");
	EXPECT(queues_failed == 2, "%d of 2 QPs made WQ_CATAS_ERROR", queues_failed);
}
