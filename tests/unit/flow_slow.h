/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What rules say, asked in the plainest way: one rule after the other, one field after the other.
 * Written from rule.h alone, so that the tests can hold compiler, library and device against it.
 */
#ifndef TESTS_FLOW_SLOW_H
#define TESTS_FLOW_SLOW_H

#include "explain/fields.h"
#include "rules/rule.h"

/*
 * Whether a packet meets a rule. Ports, TCP flags and ICMP types that a packet has not (a fragment
 * after the first, a header that is cut off) are 0, which is what hardware compares.
 */
bool slow_meets(const struct rule *r, const struct fields *p);

/* The first rule of that direction that the packet meets; NULL: the default way. */
const struct rule *slow_match(const struct ruleset *set, enum rule_dir dir, const struct fields *p);

#endif
