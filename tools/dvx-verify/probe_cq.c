/* SPDX-License-Identifier: BSD-2-Clause */
/* Completion queues: when they raise events, and what happens when they are full. */
#include "verify.h"

/* A pair whose first CQ has an event channel. */
struct armed_pair {
	struct bench_pair p;
	struct dvx_channel *channel;
};

static void armed_make(struct bench *b, struct armed_pair *a)
{
	a->p = bench_pair_default(b);
	bench_pair_make(b, &a->p);
	NEED(dvx_channel_open(b->dev, &a->channel));
	NEED(dvx_channel_subscribe(a->channel, a->p.cq[0], NULL));
}

/* Arms, and waits until the device has taken the arm word: a doorbell behind it has had its effect. */
static void armed_arm(struct armed_pair *a, bool solicited_only)
{
	struct dvx_sq *other = dvx_qp_sq(a->p.qp[1]);

	dvx_cq_arm(a->p.cq[0], solicited_only);
	NEED(dvx_post_nop(other, 1, DVX_SIGNALED));
	dvx_sq_ring(other);
	bench_need_done(a->p.cq[1], "a NOP behind an arm word");
	dvx_sq_retire(other, other->pi - 1);
}

/* Makes n completions. */
static void armed_complete(struct armed_pair *a, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		NEED(dvx_post_nop(a->p.sq, i, DVX_SIGNALED));
		dvx_sq_ring(a->p.sq);
		bench_need_done(a->p.cq[0], "a NOP");
		dvx_sq_retire(a->p.sq, a->p.sq->pi - 1);
	}
}

/* Tells whether an event comes within a time. */
static bool armed_event(struct armed_pair *a, int ms)
{
	struct dvx_cq *cq;
	void *cookie;

	return !dvx_channel_wait(a->channel, ms, &cq, &cookie);
}

void probe_cq_arm_word(struct bench *b)
{
	struct armed_pair a;

	armed_make(b, &a);
	armed_arm(&a, false);
	NEED(dvx_post_nop(a.p.sq, 1, DVX_SIGNALED));
	dvx_sq_ring(a.p.sq);
	if (!armed_event(&a, 2000))
		conclude(VERDICT_OPEN, "no event came at all");
	a.p.cq[0]->arm_sn--; /* dvx_channel_wait() has counted the event */
	armed_arm(&a, false);
	NEED(dvx_post_nop(a.p.sq, 2, DVX_SIGNALED));
	dvx_sq_ring(a.p.sq);
	EXPECT(!armed_event(&a, 100), "an event came after the arm word was repeated");
	a.p.cq[0]->arm_sn++;
	armed_arm(&a, false);
	EXPECT(armed_event(&a, 2000), "no event came after the next arm word");
}

void probe_cq_arm_word_2(struct bench *b)
{
	struct armed_pair a;

	armed_make(b, &a);
	armed_arm(&a, false);
	a.p.cq[0]->arm_sn &= ~DVX_CQ_WAITS_FOR_ANY;
	armed_arm(&a, true);
	armed_complete(&a, 1);
	EXPECT(armed_event(&a, 2000), "no event for an unsolicited completion");
}

void probe_cq_is_moderated(struct bench *b)
{
	struct armed_pair a;

	armed_make(b, &a);
	NEED(dvx_cq_moderate(a.p.cq[0], 0, 4));
	dvx_cq_arm(a.p.cq[0], false);
	armed_complete(&a, 3);
	EXPECT(!armed_event(&a, 100), "an event came after 3 completions of 4");
	armed_complete(&a, 1);
	EXPECT(armed_event(&a, 2000), "no event came after 4 completions of 4");
}

/* One completion more than the ring has entries. */
void probe_sq_done_2(struct bench *b)
{
	struct bench_pair p = bench_pair_default(b);
	struct dvx_cq_attr attr = {
		.size = sizeof(attr), .entries = 16, .uar = b->uar, .flags = DVX_CQ_OVERCOMMIT};
	struct dvx_events *events;
	struct dvx_event e;
	bool cq_failed = false, queue_failed = false;

	NEED(dvx_cq_create(b->dev, &attr, &p.cq[0]));
	bench_pair_make(b, &p);
	NEED(dvx_events_open(b->dev, &events));
	NEED(dvx_events_watch_cq(events, p.cq[0], NULL));
	NEED(dvx_events_watch_qp(events, p.qp[0], NULL));
	for (uint32_t i = 0; i <= p.cq[0]->entries; i++)
		NEED(dvx_post_nop(p.sq, i, DVX_SIGNALED));
	dvx_sq_ring(p.sq);
	for (int i = 0; i < 2 && !dvx_events_wait(events, 2000, &e); i++) {
		cq_failed |= e.type == PRM_EVENT_CQ_ERROR;
		queue_failed |= e.type == PRM_EVENT_WQ_CATAS_ERROR;
	}
	EXPECT(cq_failed, "a full CQ made no CQ_ERROR");
	EXPECT(queue_failed, "a full CQ made no WQ_CATAS_ERROR of its QP");
}
