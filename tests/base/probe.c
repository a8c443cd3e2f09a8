/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves that each subscriber of the probe gets the events of its kinds, and none once it left. */
#include "tests/test.h"
#include "base/probe.h"

static unsigned int probe_seen[2], probe_evaluated;
static struct probe probe_ends[2];

static void on_eqe(const struct probe_event *e)
{
	probe_seen[0]++;
	assert_int_equal(e->kind, PROBE_EQE);
	assert_int_equal(e->eqe.eqn, 7);
}

static void on_any(const struct probe_event *e)
{
	(void)e;
	probe_seen[1]++;
	probe_unsubscribe(&probe_ends[1]);
}

static uint32_t probe_eqn(void)
{
	probe_evaluated++;
	return 7;
}

static void expect(unsigned int first, unsigned int second, unsigned int evaluated)
{
	probe(PROBE_EQE, .eqe = {probe_eqn()});
	assert_int_equal(probe_seen[0], first);
	assert_int_equal(probe_seen[1], second);
	assert_int_equal(probe_evaluated, evaluated);
}

TEST(none, test_kinds)
{
	probe_ends[0] = (struct probe){.kinds = PROBE_EQE, .event = on_eqe};
	probe_ends[1] = (struct probe){.kinds = PROBE_EQE | PROBE_CQE, .event = on_any};
	expect(0, 0, 0);
	probe_subscribe(&probe_ends[0]);
	probe(PROBE_CQE, .cqe = {NULL, NULL});
	expect(1, 0, 1);
	probe_subscribe(&probe_ends[1]);
	expect(2, 1, 2); /* the second leaves in its event */
	assert_false(probe_active(PROBE_CQE));
	probe_subscribe(&probe_ends[1]);
	assert_true(probe_active(PROBE_CQE));
	probe(PROBE_CQE, .cqe = {NULL, NULL});
	expect(3, 2, 3);
	probe_unsubscribe(&probe_ends[0]);
	probe_unsubscribe(&probe_ends[0]);
	expect(3, 2, 3);
}
