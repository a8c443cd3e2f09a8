/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules by the flow API, over software or hardware steering. An update is a deletion and a rule. */
#include <errno.h>
#include <stdlib.h>
#include "rules.h"
#include "stop.h"

static int flow_open(struct rules_bench *b)
{
	b->rules = calloc(b->args->count, sizeof(*b->rules));
	return b->rules ? 0 : -ENOMEM;
}

static int flow_insert(struct rules_bench *b, uint32_t i)
{
	struct dvx_flow_match match = {0};
	struct dvx_flow_rule_attr rule = {.size = sizeof(rule),
					  .matcher = b->matcher,
					  .match = &match,
					  .actions = &b->action[b->acts[i]],
					  .action_count = 1};
	int err = b->key->set(&match, i);

	return err ? err : dvx_flow_rule_create(&rule, &b->rules[i]);
}

static int flow_delete(struct rules_bench *b, uint32_t i)
{
	int err = dvx_flow_rule_destroy(b->rules[i]);

	if (!err)
		b->rules[i] = NULL;
	return err;
}

static int flow_one(struct rules_bench *b, enum rules_op op, uint32_t i)
{
	int err = op == RULES_INSERT ? 0 : flow_delete(b, i);

	if (err || op == RULES_DELETE)
		return err;
	b->acts[i] = op == RULES_UPDATE;
	return flow_insert(b, i);
}

static int flow_apply(struct rules_bench *b, enum rules_op op, uint32_t first, uint32_t n)
{
	int err = 0;

	for (uint32_t i = first; i < first + n && !err && !stop_asked(); i++)
		err = flow_one(b, op, i);
	return err ? err : dvx_flow_domain_sync(b->domain);
}

static int flow_close(struct rules_bench *b)
{
	int err = b->rules ? dvx_flow_rules_delete(b->rules, b->args->count) : 0;

	free(b->rules);
	return err;
}

const struct rules_engine rules_sws = {"sws",	  "software, flow.h", 0,
				       flow_open, flow_apply,	      flow_close};
const struct rules_engine rules_hws = {"hws",	  "hardware, flow.h", DVX_FLOW_HARDWARE,
				       flow_open, flow_apply,	      flow_close};
