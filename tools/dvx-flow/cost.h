/* SPDX-License-Identifier: BSD-2-Clause */
/* What rules cost, as JSON, which the daemon answers with, and as sentences made from it. */
#ifndef DVX_FLOW_COST_H
#define DVX_FLOW_COST_H

#include <jansson.h>

#include "rules/plan.h"

/* Adds "in", "out" and "most_expensive". */
void cost_json(json_t *to, const struct ruleset *set, const struct plan_cost *c);
/* "; in: 5 entries in 2 matchers, ..." for each direction that has rules, to stdout. */
void cost_print(const json_t *j);
/* Warns of rules that would be slow, and says what to write instead. */
void cost_warn(const char *name, const json_t *j);

#endif
