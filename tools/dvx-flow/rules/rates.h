/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rules with a rate that can stand in one table. A packet that is within a rule's rate goes on to
 * later rules, so another rule with a rate that could match it needs a table behind the first one's.
 * Rules in a row need one table if no packet matches two of them: a rate for each of 1,000 hosts.
 */
#ifndef DVX_FLOW_RATES_H
#define DVX_FLOW_RATES_H

#include "rule.h"

/*
 * Returns for each rule whether it has no packet in common with the rules with a rate right before it
 * in its table and direction, as far as their entries show it: all compare the same bits. NULL: no
 * memory. The caller frees the array.
 */
bool *rates_join(const struct ruleset *set);

#endif
