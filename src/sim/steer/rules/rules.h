/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_STEER_RULES_RULES_H
#define SIM_STEER_RULES_RULES_H

/* Hardware steering: rule tables (obj/rtc.h), beside the entries that software writes (ste/). */
#include <stdbool.h>
#include <stdint.h>

struct rtc;
struct rtc_rule;
struct steer_walk;

/*
 * Matches the packet in a rule table, and executes the rule. Returns the next address, that of the
 * table's miss if no rule matches, or 0 after steer_lost().
 */
uint64_t rules_walk(struct steer_walk *, const struct rtc *);

/* Executes a rule's actions. Returns where the packet goes on, as rules_walk() does. */
uint64_t rule_act(struct steer_walk *, const struct rtc *, const struct rtc_rule *);

/* Returns whether this PRM stc_action is implemented. */
bool rules_action_exists(uint32_t type);

#endif
