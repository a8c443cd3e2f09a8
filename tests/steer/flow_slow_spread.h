/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the queue to which a rule sends a packet (to rss), without code of the device. */
#ifndef TESTS_FLOW_SLOW_SPREAD_H
#define TESTS_FLOW_SLOW_SPREAD_H

#include "explain/fields.h"
#include "rules/rule.h"

/* Returns the queue. p: the packet as the rule's changes left it. */
unsigned int slow_spread(const struct rule_rss *r, const struct fields *p);

#endif
