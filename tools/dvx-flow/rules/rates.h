/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rules with a rate that can stand in one table. A packet that is within a rule's rate goes on to
 * later rules, so another rule with a rate that could match it needs a table behind the first one's.
 * Rules in a row need one table if no packet matches two of them: a rate for each of 1,000 hosts.
 */
#ifndef DVX_FLOW_RATES_H
#define DVX_FLOW_RATES_H

#include "rule.h"

struct rates_run;

/* Returns what rates_take() needs for the rules of a set; NULL: no memory. */
struct rates_run *rates_new(const struct ruleset *set);
/*
 * Returns whether a rule has no packet in common with the rules with a rate right before it in its
 * table and direction, as far as their entries show it: all compare the same bits. Called for each
 * rule of the set, in order. Negative: no memory.
 */
int rates_take(struct rates_run *runs, const struct rule *r);
void rates_free(struct rates_run *runs, const struct ruleset *set);

#endif
