/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A matcher that compares one rule after the other, one field after the other. It is written from
 * rule.h alone, so that tests can compare the compiler, the library and the device with it.
 */
#ifndef TESTS_FLOW_SLOW_H
#define TESTS_FLOW_SLOW_H

#include "explain/fields.h"
#include "rules/rule.h"

/*
 * Returns whether a rule matches a packet. Ports, TCP flags and ICMP types that a packet lacks (a
 * fragment after the first, a header that is cut off) are 0, which is what hardware compares.
 */
bool slow_meets(const struct rule *r, const struct fields *p);

/* The rules that a packet meets: those that pass it on (mirrors, gotos), and the last. */
#define SLOW_WAY_MAX 64u
struct slow_way {
	const struct rule *on[SLOW_WAY_MAX], *end; /* end NULL: the default way */
	size_t n;
};
void slow_walk(const struct ruleset *set, enum rule_dir dir, const struct fields *p,
	       struct slow_way *out);

/* Returns the rule that decides; NULL: the default way. */
const struct rule *slow_match(const struct ruleset *set, enum rule_dir dir, const struct fields *p);

#endif
