/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One set of rules on the device: tables that nothing leads to yet, until root rules are attached.
 * An older generation stands beside it all the while, and a packet meets one of the two, never both
 * and never neither.
 */
#ifndef DVX_FLOW_GENERATION_H
#define DVX_FLOW_GENERATION_H

#include <stdio.h>
#include <dvx/flow.h>

#include "rules/compile.h"
#include "base_tables.h"

struct generation;

/* Called now and then with how many entries are in; nonzero: give up. */
typedef int (*built_fn)(void *arg, size_t done, size_t of);

/*
 * Takes the set (and empties *set) if it succeeds. `like`, if given, is a generation whose rules'
 * counters go on: rule i of the set is rule from[i] there. 0, or -1 with the fault.
 */
int generation_build(struct base_tables *g, struct ruleset *set, const struct generation *like,
		     const uint32_t *from, built_fn built, void *arg, struct generation **out,
		     struct flow_fault *f);
void generation_free(struct generation *gen);

/*
 * Leads packets to it, and away from `old` (NULL: there is none). Each direction changes at one
 * moment. If it fails all is as before.
 */
int generation_switch(struct generation *gen, struct generation *old, struct flow_fault *f);

const struct ruleset *generation_rules(const struct generation *gen);
/* The number that users know rule i by. */
uint32_t generation_id(const struct generation *gen, size_t i);
/* Of all rules; packets UINT64_MAX: the rule doesn't count. */
int generation_count(const struct generation *gen, struct dvx_flow_count *out,
		     struct flow_fault *f);
/* What the device was told, for explain: the dump, and which rule each entry of it belongs to. */
int generation_dump(const struct generation *gen, FILE *to, struct flow_fault *f);
typedef void (*entry_of_fn)(void *arg, uint64_t entry_id, size_t rule);
void generation_entries(const struct generation *gen, entry_of_fn tell, void *arg);

#endif
