/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules and their tables from a valid text, and numbers that are the same in each run. */
#ifndef TESTS_RULES_RIG_H
#define TESTS_RULES_RIG_H

#include "tests/test.h"
#include "rules/compile.h"

static inline uint32_t below(uint32_t n)
{
	static uint32_t seed = 2463534242u;

	seed ^= seed << 13;
	seed ^= seed >> 17;
	seed ^= seed << 5;
	return seed % n;
}

static inline void parse(const char *text, struct ruleset *set)
{
	int ret = rules_parse(text, strlen(text), set, NULL, NULL);

	if (ret)
		print_message("%d mistakes in:\n%s\n", ret, text);
	assert_int_equal(ret, 0);
}

static inline void compile(const struct ruleset *set, struct program *p)
{
	size_t wrong;

	assert_int_equal(rules_compile(set, p, &wrong), 0);
}

#endif
