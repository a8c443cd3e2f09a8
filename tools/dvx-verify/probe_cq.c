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

/* ---- rings ---- */

void probe_resize_into_umem(struct bench *b)
{
	struct bench_pair p = bench_pair_default(b);
	int err;

	bench_pair_make(b, &p);
	err = dvx_cq_resize(p.cq[0], 512, NULL);
	EXPECT(!err, "MODIFY_CQ with another umem: %s", dvx_strerror(err));
	NEED(dvx_post_nop(p.sq, 1, DVX_SIGNALED));
	dvx_sq_ring(p.sq);
	bench_expect_done(p.cq[0], "a completion in the new ring");
}

/* Waits until the ring's last entry was written. */
static void cq_wait_full(const struct dvx_cq *cq)
{
	const volatile uint8_t *last =
		cq->first + (size_t)(cq->entries - 1) * cq->stride + DVX_CQE_BYTES - 1;

	for (int turn = 0; *last >> 4 == PRM_CQE_OPCODE_INVALID; turn++) {
		if (turn == 2000)
			conclude(VERDICT_OPEN, "a CQ was not filled");
		bench_pause();
	}
}

/* Nothing was polled. */
void probe_resize_full_cq(struct bench *b)
{
	struct bench_pair p = bench_pair_default(b);
	struct dvx_cq_attr attr = {
		.size = sizeof(attr), .entries = 16, .uar = b->uar, .flags = DVX_CQ_OVERCOMMIT};
	int err;

	NEED(dvx_cq_create(b->dev, &attr, &p.cq[0]));
	bench_pair_make(b, &p);
	for (uint32_t i = 0; i < p.cq[0]->entries; i++)
		NEED(dvx_post_nop(p.sq, i, DVX_SIGNALED));
	dvx_sq_ring(p.sq);
	cq_wait_full(p.cq[0]);
	err = dvx_cq_resize(p.cq[0], 64, NULL);
	EXPECT(err, "a full CQ was resized");
	if (!dvx_last_error()->status)
		conclude(VERDICT_OPEN, "the firmware was not asked: %s", dvx_strerror(err));
}

/* The only entry's owner bit, after each completion. */
void probe_collapsed_owner_bit(struct bench *b)
{
	struct bench_pair p = bench_pair_default(b);
	struct dvx_cq_attr attr = {
		.size = sizeof(attr), .entries = 16, .uar = b->uar, .flags = DVX_CQ_COLLAPSED};
	const uint8_t *owner;

	NEED(dvx_cq_create(b->dev, &attr, &p.cq[0]));
	p.receive_cq = bench_cq(b);
	bench_pair_make(b, &p);
	owner = p.cq[0]->first + DVX_CQE_BYTES - 1;
	for (uint32_t i = 0; i < 2 * p.cq[0]->entries + 1; i++) {
		NEED(dvx_post_nop(p.sq, i, DVX_SIGNALED));
		dvx_sq_ring(p.sq);
		for (int turn = 0; dvx_cqe_wqe_index(p.cq[0]->first) != (i & 0xffff); turn++) {
			if (turn == 2000)
				conclude(VERDICT_OPEN, "a NOP has not completed");
			bench_pause();
		}
		dvx_sq_retire(p.sq, i);
		bench_pause();
		EXPECT((*(const volatile uint8_t *)owner & 1) == (i / p.cq[0]->entries & 1),
		       "the owner bit is %u after completion %u of a CQ of %u", *owner & 1, i + 1,
		       p.cq[0]->entries);
	}
}
