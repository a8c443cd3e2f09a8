/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves that a chip spins for its wire where that pays, and otherwise leaves its CPU to others. */
#include "tests/test.h"
#include "chip/wire_wait.h"

#define US    1000u
#define TURNS 20u

static struct wire_wait w;
static uint64_t now, sent;

static void wire_turn(bool rang, bool came, unsigned int n)
{
	wire_wait_turn(&w, now, rang, came, sent += n);
}

/* Counts the answers that are waited for asleep; each comes after answer_ns. */
static unsigned int sleeps(uint64_t answer_ns, bool rings)
{
	unsigned int n = 0;

	w = (struct wire_wait){.sent = sent};
	for (unsigned int i = 0; i < TURNS; i++) {
		uint64_t end = now + answer_ns, ns;

		wire_turn(true, false, 1);
		while (now < end && !(ns = wire_wait_ns(&w, now)))
			now += US;
		ns = now < end ? ns : 0;
		n += ns && ns != WIRE_WAIT_NONE;
		now = end;
		wire_turn(ns && rings, true, 0);
	}
	return n;
}

/* Answers come while it spins: it never sleeps. */
TEST(none, test_spins)
{
	assert_int_equal(sleeps(20 * US, false), 0);
}

/* Answers come later: after a few spins the chip gives up its CPU at once. */
TEST(none, test_gives_cpu)
{
	assert_true(sleeps(100 * US, false) >= TURNS / 2);
	wire_turn(true, false, 1);
	assert_true(wire_wait_ns(&w, now) > 4000 * US);
}

/* A program that rings while the chip sleeps would wait for the wire: the chip seldom sleeps. */
TEST(none, test_doorbells)
{
	unsigned int n = sleeps(100 * US, true);

	assert_true(n && n <= 4);
}

/* Without packets the wire does not keep the chip awake. */
TEST(none, test_quiet)
{
	w = (struct wire_wait){.sent = sent};
	wire_turn(true, false, 0);
	assert_true(wire_wait_ns(&w, now) == WIRE_WAIT_NONE);
	wire_turn(false, true, 0);
	assert_true(wire_wait_ns(&w, now) == 0);
	now += 1000 * US;
	assert_true(wire_wait_ns(&w, now) == WIRE_WAIT_NONE);
}
