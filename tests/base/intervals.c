/* SPDX-License-Identifier: BSD-2-Clause */
/* A set of intervals says what a list of them would, and stays flat in whatever order they come. */
#include <stdio.h>
#include "tests/test.h"
#include "base/intervals.h"

#define N    300u
#define MANY 20000u

static struct interval list[N];
static bool in[N];
static struct intervals set;

/* --- a tree's own rules ----------------------------------------------------------------------- */

/* Its levels. */
static unsigned int tree_check(const struct interval *n)
{
	unsigned int left, right;
	uint64_t most;

	if (!n)
		return 0;
	assert_true(!n->left || n->left->up == n);
	assert_true(!n->right || n->right->up == n);
	left = tree_check(n->left);
	right = tree_check(n->right);
	assert_in_range(left + 1, right, right + 2);
	most = n->end;
	if (n->left) {
		assert_true(n->left->from <= n->from);
		most = n->left->most > most ? n->left->most : most;
	}
	if (n->right) {
		assert_true(n->right->from >= n->from);
		most = n->right->most > most ? n->right->most : most;
	}
	assert_int_equal(n->most, most);
	assert_int_equal(n->height, 1 + (left > right ? left : right));
	return n->height;
}

/* --- beside a list ---------------------------------------------------------------------------- */

static bool overlaps(const struct interval *i, uint64_t from, uint64_t end)
{
	return from < i->end && i->from < end;
}

/* Exactly those of the list, each once, by where they begin. */
static void compare(uint64_t from, uint64_t end)
{
	const struct interval *i = NULL;
	uint64_t last = 0;
	unsigned int said = 0, listed = 0;

	assert_true(!set.root || !set.root->up);
	while ((i = intervals_over(&set, from, end, i))) {
		assert_true(i >= list && i < list + N && in[i - list]);
		assert_true(overlaps(i, from, end));
		assert_true(i->from >= last);
		last = i->from;
		assert_true(++said <= N);
	}
	for (unsigned int k = 0; k < N; k++)
		listed += in[k] && overlaps(&list[k], from, end);
	assert_int_equal(said, listed);
}

static void turn_over(unsigned int i, uint64_t from, uint64_t end)
{
	if (in[i]) {
		intervals_remove(&set, &list[i]);
	} else {
		list[i].from = from;
		list[i].end = end;
		intervals_add(&set, &list[i]);
	}
	in[i] = !in[i];
}

static void empty(void)
{
	for (unsigned int i = 0; i < N; i++)
		if (in[i])
			turn_over(i, 0, 0);
	assert_null(set.root);
}

/* Many overlaps, equal ones, equal beginnings, empty ones; and hardly any. */
TEST(none, random_operations)
{
	unsigned int seed = 5;

	for (unsigned int spread = 10; spread <= 100000; spread *= 10) {
		for (unsigned int round = 0; round < 20 * N; round++) {
			unsigned int i = (unsigned int)rand_r(&seed) % N;
			uint64_t from = (unsigned int)rand_r(&seed) % spread;
			uint64_t ask = (unsigned int)rand_r(&seed) % spread;

			turn_over(i, from, from + (unsigned int)rand_r(&seed) % 12);
			compare(ask, ask + (unsigned int)rand_r(&seed) % 20);
			if (round % 50 == 0) {
				compare(0, UINT64_MAX);
				tree_check(set.root);
			}
		}
		empty();
	}
}

TEST(none, bounds)
{
	assert_null(intervals_over(&set, 0, UINT64_MAX, NULL));
	turn_over(0, 10, 20);
	turn_over(1, UINT64_MAX - 1, UINT64_MAX);
	compare(0, 10);
	compare(0, 11);
	compare(19, 20);
	compare(20, 30);
	compare(15, 15);
	compare(UINT64_MAX - 1, UINT64_MAX);
	compare(0, UINT64_MAX);
	empty();
}

/* --- orders that make a plain tree a list ----------------------------------------------------- */

/* n levels hold at least as many as a Fibonacci number tells: 1.45 log2(20,000) is 20. */
#define LEVELS 20u

static uint64_t ascending(uint32_t i)
{
	return i;
}

static uint64_t descending(uint32_t i)
{
	return MANY - i;
}

static uint64_t from_both_ends(uint32_t i)
{
	return i % 2 ? 2 * MANY - i : i;
}

static uint64_t all_equal(uint32_t i)
{
	(void)i;
	return 7;
}

static void stays_flat(uint64_t (*at)(uint32_t))
{
	struct interval *many = calloc(MANY, sizeof(*many));
	struct intervals is = {NULL};

	assert_non_null(many);
	for (uint32_t i = 0; i < MANY; i++) {
		many[i].from = 100 * at(i);
		many[i].end = many[i].from + 150; /* into the next one */
		intervals_add(&is, &many[i]);
	}
	assert_in_range(tree_check(is.root), 1, LEVELS);
	/* and while the lower half goes, the oldest first */
	for (uint32_t i = 0; i < MANY; i++) {
		intervals_remove(&is, &many[i]);
		assert_in_range(is.root ? is.root->height : 0, 0, LEVELS);
		if (i % 1000 == 0)
			tree_check(is.root);
	}
	assert_null(is.root);
	free(many);
}

TEST(none, adversarial_orders)
{
	stays_flat(ascending);
	stays_flat(descending);
	stays_flat(from_both_ends);
	stays_flat(all_equal);
}
