/* SPDX-License-Identifier: BSD-2-Clause */
/* The cost of rules: as JSON, which the daemon sends, and as sentences made from the JSON. */
#ifndef DVX_FLOW_COST_H
#define DVX_FLOW_COST_H

#include <jansson.h>

#include "daemon/base_tables.h"
#include "rules/plan.h"

/* Adds "in", "out", "switch" and "most_expensive". */
void cost_json(json_t *to, const struct ruleset *set, const struct plan_cost *c);
/* Adds to these the steering that base_tables_steering() names. */
void cost_json_steering(json_t *to, const struct base_tables *base);
/* Prints "; in: 5 entries in 2 matchers, ..." for each direction that has rules, to stdout. */
void cost_print(const json_t *j);
/* Warns of rules that would be slow, and suggests faster ones. */
void cost_warn(const char *name, const json_t *j);

#endif
