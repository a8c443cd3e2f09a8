/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_FLOW_RULES_PARSE_H
#define TESTS_FLOW_RULES_PARSE_H

/* A rule that the parser takes, and its fields. */
#include "tests/test.h"
#include <stdio.h>
#include "rules/rule.h"

#define HOP	 "eth src 02:00:00:00:00:01 dst 02:00:00:00:00:02"
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static struct ruleset set;

static inline const struct rule *only(const char *text)
{
	int ret;

	ruleset_free(&set);
	ret = rules_parse(text, strlen(text), &set, NULL, NULL);
	if (ret || set.n != 1)
		print_message("%s: %d mistakes, %zu rules\n", text, ret, set.n);
	assert_int_equal(ret, 0);
	assert_int_equal(set.n, 1);
	return &set.rule[0];
}

static inline const struct rule_field *field(const struct rule *r, enum rule_key key)
{
	for (size_t i = 0; i < r->nfields; i++)
		if (r->field[i].key == key)
			return &r->field[i];
	return NULL;
}

static inline void has(const char *text, enum rule_key key, uint64_t value, uint64_t mask)
{
	const struct rule_field *f = field(only(text), key);

	if (!f)
		fail_msg("%s: no such field", text);
	assert_int_equal(f->value, value);
	assert_int_equal(f->mask, mask);
}

#endif
