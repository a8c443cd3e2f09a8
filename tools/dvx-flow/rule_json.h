/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules as JSON: in the daemon's answers, and what draw reads. */
#ifndef DVX_FLOW_RULE_JSON_H
#define DVX_FLOW_RULE_JSON_H

#include <jansson.h>

#include "rules/rule.h"

/* Adds the rule's line, direction, action and text, and where they apply its name, tag and goal. */
void rule_json(json_t *to, const struct ruleset *set, const struct rule *r);

#endif
