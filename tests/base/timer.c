/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/test.h"
#include "base/clock.h"

#define FIXTURE_timers(name) FIXTURE(name, void *no_state, setup, teardown)

#define N 500

struct probe {
	struct timer t; /* first: fire() finds the probe by it */
	unsigned int fired;
};

static struct timers ts;
static uint64_t last_at;
static struct timer *again;

static void note(struct timer *t)
{
	struct probe *p = (struct probe *)t;

	assert_true(t->at >= last_at);
	assert_int_equal(t->queued, 0);
	last_at = t->at;
	p->fired++;
}

static void set_again(struct timer *t)
{
	((struct probe *)t)->fired++;
	timer_set(&ts, t, 0);
	again = t;
}

static int setup(UNUSED void **state)
{
	memset(&ts, 0, sizeof(ts));
	last_at = 0;
	return 0;
}

static int teardown(UNUSED void **state)
{
	timers_free(&ts);
	return 0;
}

/* Timers set, moved and cancelled at random fire once each, in order, and only when due. */
TEST(timers, test_order)
{
	struct probe probe[N] = {0};
	unsigned int i, round, due, seed = 7;

	for (round = 0; round < 4 * N; round++) {
		i = (unsigned int)rand_r(&seed) % N;
		probe[i].t.fire = note;
		if (rand_r(&seed) % 4)
			assert_int_equal(
				timer_set(&ts, &probe[i].t, (uint64_t)rand_r(&seed) % 1000), 0);
		else
			timer_cancel(&ts, &probe[i].t);
	}
	for (i = 0, due = 0; i < N; i++)
		due += probe[i].t.queued && probe[i].t.at <= 500;
	assert_int_equal(timers_run(&ts, 500), due);
	for (i = 0; i < N; i++) {
		assert_false(probe[i].fired && probe[i].t.queued);
		if (probe[i].t.queued)
			assert_true(probe[i].t.at > 500);
	}
	timers_run(&ts, UINT64_MAX - 1);
	assert_int_equal(ts.n, 0);
	for (i = 0; i < N; i++)
		assert_true(probe[i].fired <= 1);
}

/* The next one is known, and none at all is too. */
TEST(timers, test_next)
{
	struct probe a = {.t.fire = note}, b = {.t.fire = note};

	assert_true(timers_next(&ts) == UINT64_MAX);
	timer_set(&ts, &a.t, 30);
	timer_set(&ts, &b.t, 20);
	assert_int_equal(timers_next(&ts), 20);
	timer_set(&ts, &b.t, 40);
	assert_int_equal(timers_next(&ts), 30);
	timer_cancel(&ts, &a.t);
	timer_cancel(&ts, &a.t);
	assert_int_equal(timers_next(&ts), 40);
	assert_int_equal(timers_run(&ts, 39), 0);
	assert_int_equal(timers_run(&ts, 40), 1);
}

/* A timer that sets itself for "now" again doesn't hold the loop up. */
TEST(timers, test_again)
{
	struct probe a = {.t.fire = set_again}, b = {.t.fire = note};

	timer_set(&ts, &a.t, 0);
	timer_set(&ts, &b.t, 5);
	assert_true(timers_run(&ts, 10) <= 2);
	timers_run(&ts, 10);
	timers_run(&ts, 10);
	assert_true(again == &a.t && a.t.queued);
	timer_cancel(&ts, &a.t);
	timers_run(&ts, 10);
	assert_int_equal(b.fired, 1);
}

/* The real clock moves, forward only. */
TEST(none, test_clock)
{
	uint64_t a = clock_monotonic.now(&clock_monotonic), b = a;

	while (b == a)
		b = clock_monotonic.now(&clock_monotonic);
	assert_true(b > a);
}
