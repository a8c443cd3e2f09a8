/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves when a CQ's events wait (moderation), that arming only widens, and that a CQ moves to a
 * ring of another size. */
#include "tests/test.h"
#include <errno.h>
#include "queue_rig.h"
#include "queue/queue.h"

#define MICROSECOND 1000u

static void moderate(struct rig_pair *p, uint16_t count, uint16_t period, bool from_cqe)
{
	p->ca.cq->max_count = count;
	p->ca.cq->period = period;
	p->ca.cq->period_from_cqe = from_cqe;
	cq_moderate(p->ca.cq);
}

/* An arm for solicited CQEs does not narrow one for any CQE; the other way round it widens. */
TEST(pair, arming_widens)
{
	rig_arm(&p->ca, 0, false);
	rig_arm(&p->ca, 0, true);
	rig_nops(p, 1);
	assert_int_equal(rig_events(p), 1);
	rig_drain(&p->ca);
	rig_arm(&p->ca, 1, true);
	rig_nops(p, 1);
	assert_int_equal(rig_events(p), 1);
	rig_arm(&p->ca, 1, false);
	assert_int_equal(rig_events(p), 2);
	rig_drain(&p->ca);
	rig_arm(&p->ca, 2, true);
	rig_nops(p, 1);
	assert_int_equal(rig_events(p), 2);
}

/* A count alone waits for ever; with a period, until its end, counted from the last event. */
TEST(pair, count_and_period)
{
	moderate(p, 3, 0, false);
	rig_arm(&p->ca, 0, false);
	rig_nops(p, 2);
	rig_pass(&p->rig, 1000000 * MICROSECOND);
	assert_int_equal(rig_events(p), 0);
	rig_nops(p, 1);
	assert_int_equal(rig_events(p), 1);
	rig_drain(&p->ca);
	moderate(p, 3, 50, false);
	rig_arm(&p->ca, 1, false);
	rig_nops(p, 1);
	assert_int_equal(rig_events(p), 2); /* the last event is long ago */
	rig_drain(&p->ca);
	rig_arm(&p->ca, 2, false);
	rig_nops(p, 1);
	rig_pass(&p->rig, 40 * MICROSECOND);
	assert_int_equal(rig_events(p), 2);
	rig_nops(p, 1);
	rig_pass(&p->rig, 20 * MICROSECOND);
	assert_int_equal(rig_events(p), 3);
	rig_drain(&p->ca);
	rig_arm(&p->ca, 3, false);
	rig_nops(p, 3);
	assert_int_equal(rig_events(p), 4);
}

/* A period from the last CQE restarts with each CQE; turning moderation off fires. */
TEST(pair, period_from_cqe)
{
	moderate(p, 0, 50, true);
	rig_arm(&p->ca, 0, false);
	for (unsigned int i = 0; i < 5; i++) {
		rig_nops(p, 1);
		rig_pass(&p->rig, 40 * MICROSECOND);
		assert_int_equal(rig_events(p), 0);
	}
	rig_pass(&p->rig, 20 * MICROSECOND);
	assert_int_equal(rig_events(p), 1);
	rig_drain(&p->ca);
	rig_arm(&p->ca, 1, false);
	rig_nops(p, 1);
	assert_int_equal(rig_events(p), 1);
	moderate(p, 0, 0, false);
	assert_int_equal(rig_events(p), 2);
}

/* Any number of CQEs may be polled before a wait: indexes have 24 bits. */
TEST(pair, many_polled)
{
	const uint32_t many = 0x900000;

	p->ca.cq->pi = p->ca.cq->ci = p->ca.ci = many;
	rig_arm(&p->ca, 0, true);
	rig_nops(p, 1);
	assert_int_equal(rig_events(p), 0);
	rig_arm(&p->ca, 0, false);
	assert_int_equal(rig_events(p), 1);
}

/* With scqe_break_moderation_en an error, which counts as solicited, does not wait. */
TEST(pair, solicited_breaks)
{
	moderate(p, 100, 0, false);
	p->ca.cq->solicited_breaks = true;
	rig_arm(&p->ca, 0, false);
	rig_nops(p, 1);
	assert_int_equal(rig_events(p), 0);
	rig_post(p, 0x7e, 0, 0); /* no such opcode */
	rig_run(&p->a);
	assert_int_equal(rig_events(p), 1);
}

/* A CQ that is destroyed while its event waits takes the timer with it. */
TEST(pair, destroyed_while_it_waits)
{
	struct rig_cq c;

	rig_cq_open(&p->rig, &c, BLUEFIELD2_HOST, 4, false);
	c.cq->period = 50;
	c.cq->period_from_cqe = true;
	rig_arm(&c, 0, false);
	rig_cq_close(&c);
	rig_pass(&p->rig, 1000 * MICROSECOND);
	assert_int_equal(rig_events(p), 0);
}

static void resize(struct rig_pair *p, uint8_t *to, uint8_t log_size, int err)
{
	struct rig_cq *c = &p->ca;
	struct ring ring = c->cq->ring;

	ring.pages = malloc(sizeof(*ring.pages));
	assert_non_null(ring.pages);
	memcpy(ring.pages, c->cq->ring.pages, sizeof(*ring.pages));
	ring.offset += (uint64_t)(to - c->ring);
	ring.len = 64ull << log_size;
	assert_int_equal(cq_resize(c->cq, &ring, log_size), err);
	if (err)
		free(ring.pages);
	else
		c->ring = to;
}

/*
 * CQEs not polled stay in the old ring, RESIZE_CQ behind them; later CQEs are in the new ring from
 * the next index on, with the owner bit of its size.
 */
TEST(pair, new_ring)
{
	struct rig_cq *c = &p->ca, old;
	uint8_t *ring = aligned_alloc(4096, 2 * (64u << 8)), *first = c->ring;

	assert_non_null(ring);
	memset(ring, 0xff, 2 * (64u << 8));
	rig_nops(p, 5);
	assert_int_equal(rig_drain(c), 5);
	rig_nops(p, 3);
	old = *c;
	resize(p, ring, 8, 0);
	for (unsigned int i = 0; i < 3; i++)
		assert_int_equal(prm_cqe64_get_opcode(old.ring + (5 + i) * 64ul),
				 PRM_CQE_OPCODE_REQ);
	assert_int_equal(prm_cqe64_get_opcode(old.ring + 8 * 64), PRM_CQE_OPCODE_RESIZE_CQ);
	assert_int_equal(prm_cqe64_get_owner(old.ring + 8 * 64), 0);
	c->ci = 9;
	c->dbrec[0] = __builtin_bswap32(9);
	for (unsigned int i = 0; i < 100; i++) {
		rig_nops(p, 7);
		assert_int_equal(rig_drain(c), 7);
	}
	/* 7 + 1 CQEs do not fit into 4 entries; none do */
	rig_nops(p, 7);
	resize(p, ring + (64u << 8), 2, -ENOSPC);
	assert_int_equal(rig_drain(c), 7);
	resize(p, ring + (64u << 8), 2, 0);
	c->ci++;
	rig_nops(p, 3);
	assert_int_equal(rig_drain(c), 3);
	assert_int_equal(c->cq->status, CQ_OK);
	c->ring = first;
	free(ring);
}

/* With a consumer's record ahead, or an unmapped old ring, there is no new ring and no crash. */
TEST(pair, resize_refused)
{
	struct rig_cq *c = &p->ca;
	uint8_t *ring = aligned_alloc(4096, 64u << 8);
	bus_t page = c->cq->ring.pages[0];

	assert_non_null(ring);
	c->dbrec[0] = __builtin_bswap32(1);
	resize(p, ring, 8, -ENOSPC);
	assert_int_equal(c->cq->status, CQ_OK);
	c->dbrec[0] = 0;
	c->cq->ring.pages[0] += 1ull << 46;
	resize(p, ring, 8, -EIO);
	assert_int_equal(c->cq->status, CQ_ERROR);
	c->cq->ring.pages[0] = page;
	free(ring);
}
