/* SPDX-License-Identifier: BSD-2-Clause */
/* Which queue a rule that spreads its packets (to rss) sends one to. No code of the device is in it. */
#ifndef TESTS_FLOW_SLOW_SPREAD_H
#define TESTS_FLOW_SLOW_SPREAD_H

#include "explain/fields.h"
#include "rules/rule.h"

/* p: the packet as the rule's changes left it. */
unsigned int slow_spread(const struct rule_rss *r, const struct fields *p);

#endif
