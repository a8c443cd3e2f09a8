/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves that a program that registers its memory for each message soon pays no copies for it. */
#include "tests/test.h"
#include "preload/move_budget.h"

#define SECOND 1000000000u
#define MIB    (1ull << 20)

/* Returns how many MiB move in a second of registrations that take no time. */
static unsigned int budget_moved(struct move_budget *b, uint64_t second, uint64_t mib)
{
	unsigned int n = 0;

	for (uint64_t i = 0; i < 1000; i++) {
		uint64_t now = second * SECOND + i * (SECOND / 1000);

		if (!move_budget_left(b, now))
			continue;
		move_budget_spend(b, now, mib * MIB);
		n += (unsigned int)mib;
	}
	return n;
}

TEST(none, test_each_message)
{
	struct move_budget b = {0};

	assert_in_range(budget_moved(&b, 5, 1), 64, 80);
	for (uint64_t s = 6; s < 9; s++)
		assert_in_range(budget_moved(&b, s, 1), 7, 9);
	assert_in_range(budget_moved(&b, 1000, 1), 64, 80); /* long after */
}

/* One that is larger than the budget moves once. */
TEST(none, test_large)
{
	struct move_budget b = {0};

	assert_true(move_budget_left(&b, SECOND));
	move_budget_spend(&b, SECOND, 128 * MIB);
	assert_false(move_budget_left(&b, 2 * (uint64_t)SECOND));
	assert_true(move_budget_left(&b, 30 * (uint64_t)SECOND));
}
