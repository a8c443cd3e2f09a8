/* SPDX-License-Identifier: BSD-2-Clause */
#include "backend.h"

static int flow_rule_check_action(const struct dvx_flow_rule_attr *attr, uint32_t i)
{
	const struct dvx_flow_table *table = attr->matcher->table;
	const struct dvx_flow_action *action = attr->actions[i];

	if (!action || action->domain != table->domain)
		return dvx_fail(EINVAL,
				"dvx_flow_rule_create: attr.actions[%u] is not of the matcher's "
				"domain",
				i);
	if (dvx_flow_kinds[action->kind].below_only && !table->level)
		return dvx_fail(EOPNOTSUPP,
				"dvx_flow_rule_create: attr.actions[%u] is %s, which the kernel's "
				"flow verbs do not have: use a table of another level than 0",
				i, dvx_flow_kinds[action->kind].noun);
	if (action->level && action->level <= table->level)
		return dvx_fail(
			EINVAL,
			"dvx_flow_rule_create: attr.actions[%u] leads to level %u, which is "
			"not above the rule's own, %u",
			i, action->level, table->level);
	if (action->kind == ACTION_ROOT && !table->level)
		return dvx_fail(EINVAL,
				"dvx_flow_rule_create: attr.actions[%u] leads back to the root, "
				"where the rule is",
				i);
	return 0;
}

#define ONE_ASO	    "two of meter, first-hit bit and tracked connection"
#define DESTINATION NULL, false, ACTION_DROP, 1, "two destinations"

const struct dvx_flow_kind dvx_flow_kinds[] = {
	[ACTION_DECAP] = {"decap", "a decapsulation", false, ACTION_DECAP, 1, "two decapsulations"},
	[ACTION_POP_VLAN] = {"pop_vlan", "a VLAN pop", true, ACTION_POP_VLAN, 2, "three VLAN pops"},
	[ACTION_MODIFY] = {"modify", "a rewrite", false, ACTION_MODIFY, 1,
			   "two rewrites, put both into one list"},
	[ACTION_PUSH_VLAN] = {"push_vlan", "a VLAN push", true, ACTION_PUSH_VLAN, 2,
			      "three VLAN pushes"},
	[ACTION_ENCAP] = {"encap", "an encapsulation", false, ACTION_ENCAP, 1,
			  "two encapsulations"},
	[ACTION_TAG] = {"tag", NULL, false, ACTION_TAG, 1, "two tags"},
	[ACTION_COUNT] = {"count", NULL, false, ACTION_COUNT, 1, "two counts"},
	/* libmlx5 keeps one of them for a rule, and writes it twice if there are two. */
	[ACTION_METER] = {"meter", "a meter", true, ACTION_METER, 1, ONE_ASO},
	[ACTION_HIT] = {"hit", "a first-hit bit", true, ACTION_METER, 1, ONE_ASO},
	[ACTION_TRACK] = {"track", "a tracked connection", true, ACTION_METER, 1, ONE_ASO},
	[ACTION_DROP] = {"drop", DESTINATION},
	[ACTION_DEFAULT] = {"default", DESTINATION},
	[ACTION_TABLE] = {"table", DESTINATION},
	[ACTION_ROOT] = {"root", DESTINATION},
	[ACTION_QUEUE] = {"queue or rss", DESTINATION},
	[ACTION_VPORT] = {"vport", DESTINATION},
	[ACTION_ARRAY] = {"array", DESTINATION},
	[ACTION_SAMPLE] = {"sample", "a sample", true, ACTION_DROP, 1, "two destinations"},
};

/* Behind those of its class and of earlier ones. */
static void flow_rule_put(struct dvx_flow_action *action, struct dvx_flow_action **out, uint32_t n)
{
	enum action_kind class = dvx_flow_kinds[action->kind].class;

	for (; n && dvx_flow_kinds[out[n - 1]->kind].class > class; n--)
		out[n] = out[n - 1];
	out[n] = action;
}

uint32_t dvx_flow_rule_count(struct dvx_flow_action *const *actions, uint32_t action_count,
			     enum action_kind kind)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < action_count; i++)
		n += actions[i]->kind == kind;
	return n;
}

/* Behind a decapsulation the inner headers are the packet's. */
static int flow_rule_check_changes(const struct dvx_flow_rule_attr *attr)
{
	const struct dvx_flow_domain *domain = attr->matcher->table->domain;
	bool decap = dvx_flow_rule_count(attr->actions, attr->action_count, ACTION_DECAP);
	uint32_t pops = dvx_flow_rule_count(attr->actions, attr->action_count, ACTION_POP_VLAN);
	int err = 0;

	for (uint32_t i = 0; i < attr->action_count && !err; i++)
		if (dvx_flow_is_change(attr->actions[i]->kind))
			err = dvx_flow_change_check(attr, i, decap);
	if (!err && pops > 1)
		err = dvx_flow_change_check_pops(attr, decap);
	if (!err && pops && domain->backend->pops_or_pushes && domain->side == DVX_FLOW_RX &&
	    dvx_flow_rule_count(attr->actions, attr->action_count, ACTION_PUSH_VLAN))
		err = dvx_fail(EOPNOTSUPP,
			       "dvx_flow_rule_create: attr.actions pops and pushes a VLAN tag: in "
			       "RX domains libmlx5 does one of them; rewrite first_vid, or use two "
			       "tables");
	return err;
}

/* Sorts them in the order of their kinds. Inline, for the sake of dvx_flow_rule_create(). */
static inline __attribute__((always_inline)) int
sort_actions(const struct dvx_flow_rule_attr *attr, struct dvx_flow_action **out, uint32_t *n)
{
	uint8_t have[ACTION_DROP + 1] = {0};
	bool changes = false;

	for (*n = 0; *n < attr->action_count; ++*n) {
		struct dvx_flow_action *action = attr->actions[*n];
		const struct dvx_flow_kind *kind;
		int err = flow_rule_check_action(attr, *n);

		if (err)
			return err;
		kind = &dvx_flow_kinds[action->kind];
		if (have[kind->class]++ == kind->most)
			return dvx_fail(EINVAL, "dvx_flow_rule_create: attr.actions[%u]: %s", *n,
					kind->more);
		changes |= dvx_flow_is_change(action->kind);
		flow_rule_put(action, out, *n);
	}
	if (!have[ACTION_DROP])
		return dvx_fail(EINVAL, "dvx_flow_rule_create: attr.actions has no destination");
	return changes ? flow_rule_check_changes(attr) : 0;
}

static int flow_rule_check(const struct dvx_flow_rule_attr *attr)
{
	if (!attr->matcher)
		return dvx_fail(EINVAL, "dvx_flow_rule_create: attr.matcher is NULL");
	if (!attr->match)
		return dvx_fail(EINVAL, "dvx_flow_rule_create: attr.match is NULL");
	if (!attr->actions || !attr->action_count || attr->action_count > DVX_FLOW_MAX_ACTIONS)
		return dvx_fail(EINVAL,
				"dvx_flow_rule_create: attr.action_count is %u, not 1 to %u",
				attr->action_count, DVX_FLOW_MAX_ACTIONS);
	return dvx_flow_check_value(attr->matcher, attr->match, "dvx_flow_rule_create");
}

int dvx_flow_rule_check(const struct dvx_flow_rule_attr *attr, struct dvx_flow_action **out,
			uint32_t *n)
{
	int err = flow_rule_check(attr);

	return err ? err : sort_actions(attr, out, n);
}

static void flow_rule_hold(struct dvx_flow_rule *rule)
{
	uint32_t i;

	dvx_ref(&rule->matcher->refs);
	for (i = 0; i < rule->action_count; i++)
		dvx_ref(&rule->actions[i]->refs);
}

int dvx_flow_rule_new(const struct dvx_flow_rule_attr *user, bool more, struct dvx_flow_rule **out)
{
	struct dvx_flow_rule_attr attr;
	struct dvx_flow_rule *rule;
	int err = dvx_attr_copy(&attr, user, "dvx_flow_rule_create");

	if (!err && !out)
		err = dvx_fail(EINVAL, "dvx_flow_rule_create: out is NULL");
	if (!err)
		err = flow_rule_check(&attr);
	if (err)
		return err;
	rule = malloc(sizeof(*rule) + attr.action_count * sizeof(rule->actions[0]));
	if (!rule)
		return dvx_fail(ENOMEM, "no memory for a rule");
	rule->matcher = attr.matcher;
	err = sort_actions(&attr, rule->actions, &rule->action_count);
	if (!err)
		err = attr.matcher->table->domain->backend->rule_insert(rule, attr.match->value,
									more);
	if (err) {
		free(rule);
		return err;
	}
	flow_rule_hold(rule);
	*out = rule;
	return 0;
}

int dvx_flow_rule_create(const struct dvx_flow_rule_attr *user, struct dvx_flow_rule **out)
{
	return dvx_flow_rule_new(user, false, out);
}

int dvx_flow_rule_destroy(struct dvx_flow_rule *rule)
{
	uint32_t i;
	int err;

	if (!rule)
		return 0;
	err = rule->matcher->table->domain->backend->rule_remove(rule);
	if (err)
		return err;
	for (i = 0; i < rule->action_count; i++)
		dvx_unref(&rule->actions[i]->refs);
	dvx_unref(&rule->matcher->refs);
	free(rule);
	return 0;
}

uint64_t dvx_flow_rule_id(const struct dvx_flow_rule *rule)
{
	return (uintptr_t)rule->impl;
}
