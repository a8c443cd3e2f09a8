/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <dvx/prm/cap.h>
#include "flow_priv.h"

/* Kinds are sorted: these come last. */
static bool is_destination(enum action_kind kind)
{
	return kind >= ACTION_DROP;
}

static int flow_rule_check_action(const struct dvx_flow_rule_attr *attr, uint32_t i)
{
	const struct dvx_flow_table *table = attr->matcher->table;
	const struct dvx_flow_action *action = attr->actions[i];

	if (!action || action->domain != table->domain)
		return dvx_fail(EINVAL,
				"dvx_flow_rule_create: attr.actions[%u] is not of the matcher's "
				"domain",
				i);
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

/* A class of actions, of which a rule may have `most`; all destinations are one class. */
static const struct action_class {
	uint8_t most;
	const char *says;
} classes[] = {
	[ACTION_DECAP] = {1, "two decapsulations"},
	[ACTION_POP_VLAN] = {2, "three VLAN pops"},
	[ACTION_MODIFY] = {1, "two rewrites, put both into one list"},
	[ACTION_PUSH_VLAN] = {2, "three VLAN pushes"},
	[ACTION_TAG] = {1, "two tags"},
	[ACTION_COUNT] = {1, "two counts"},
	[ACTION_DROP] = {1, "two destinations"},
};
#define RULE_ACTIONS 9u /* the sum of `most` */

static enum action_kind flow_rule_class(const struct dvx_flow_action *action)
{
	return is_destination(action->kind) ? ACTION_DROP : action->kind;
}

/* Behind those of its class and of earlier ones. */
static void flow_rule_put(struct dvx_flow_action *action, struct dvx_flow_action **out, uint32_t n)
{
	enum action_kind class = flow_rule_class(action);

	for (; n && flow_rule_class(out[n - 1]) > class; n--)
		out[n] = out[n - 1];
	out[n] = action;
}

static uint32_t flow_rule_count(struct dvx_flow_action *const *actions, uint32_t action_count,
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
	bool decap = flow_rule_count(attr->actions, attr->action_count, ACTION_DECAP);
	uint32_t pops = flow_rule_count(attr->actions, attr->action_count, ACTION_POP_VLAN);
	int err = 0;

	for (uint32_t i = 0; i < attr->action_count && !err; i++)
		if (attr->actions[i]->change)
			err = dvx_flow_change_check(attr, i, decap);
	if (!err && pops > 1)
		err = dvx_flow_change_check_pops(attr, decap);
	if (!err && pops && attr->matcher->table->domain->side == DVX_FLOW_RX &&
	    flow_rule_count(attr->actions, attr->action_count, ACTION_PUSH_VLAN))
		err = dvx_fail(EOPNOTSUPP,
			       "dvx_flow_rule_create: attr.actions pops and pushes a VLAN tag: in "
			       "RX domains libmlx5 does one of them; rewrite first_vid, or use two "
			       "tables");
	return err;
}

/* Sorts them in libmlx5's order. */
static int sort_actions(const struct dvx_flow_rule_attr *attr, struct dvx_flow_action **out,
			uint32_t *n)
{
	uint8_t have[ACTION_DROP + 1] = {0};
	bool changes = false;

	for (*n = 0; *n < attr->action_count; ++*n) {
		struct dvx_flow_action *action = attr->actions[*n];
		int err = flow_rule_check_action(attr, *n);

		if (err)
			return err;
		if (have[flow_rule_class(action)]++ == classes[flow_rule_class(action)].most)
			return dvx_fail(EINVAL, "dvx_flow_rule_create: attr.actions[%u]: %s", *n,
					classes[flow_rule_class(action)].says);
		changes |= action->change != NULL;
		flow_rule_put(action, out, *n);
	}
	if (!have[ACTION_DROP])
		return dvx_fail(EINVAL, "dvx_flow_rule_create: attr.actions has no destination");
	return changes ? flow_rule_check_changes(attr) : 0;
}

static int flow_rule_check(const struct dvx_flow_rule_attr *attr, struct dvx_flow_rule **out)
{
	if (!out)
		return dvx_fail(EINVAL, "dvx_flow_rule_create: out is NULL");
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

/* libmlx5 gives an errno: what a rule's actions are is all that can be told of them. */
static void flow_rule_name_actions(const struct dvx_flow_rule *rule, char *out, size_t size)
{
	static const char *const names[] = {
		[ACTION_DECAP] = "decap",
		[ACTION_POP_VLAN] = "pop_vlan",
		[ACTION_MODIFY] = "modify",
		[ACTION_PUSH_VLAN] = "push_vlan",
		[ACTION_TAG] = "tag",
		[ACTION_COUNT] = "count",
		[ACTION_DROP] = "drop",
		[ACTION_DEFAULT] = "default",
		[ACTION_TABLE] = "table",
		[ACTION_ROOT] = "root",
		[ACTION_QUEUE] = "queue or rss",
		[ACTION_ARRAY] = "array",
	};
	size_t used = 0;

	for (uint32_t i = 0; i < rule->action_count && used < size; i++)
		used += (size_t)snprintf(out + used, size - used, "%s%s", i ? ", " : "",
					 names[rule->actions[i]->kind]);
}

static int refused_below(const struct dvx_flow_rule *rule, const uint8_t *value, int err)
{
	const struct dvx_flow_domain *domain = rule->matcher->table->domain;
	int ret = dvx_flow_lacks_vport(rule, value, err);
	char actions[96];

	if (ret)
		return ret;
	if (err == ENOMEM)
		return dvx_fail(err,
				"dvx_flow_rule_create: libmlx5 has no memory left for the rule, of "
				"its own or of %s",
				dvx_dev_name(domain->dev));
	flow_rule_name_actions(rule, actions, sizeof(actions));
	return dvx_fail(err,
			"dvx_flow_rule_create: libmlx5 refuses the rule; in %s table its actions "
			"are: %s",
			domain->side == DVX_FLOW_TX ? "a TX" : "an RX", actions);
}

static int flow_rule_refused(const struct dvx_flow_rule *rule, const uint8_t *value, int err)
{
	const struct dvx_flow_domain *domain = rule->matcher->table->domain;
	const void *props = dvx_flow_props(domain);
	struct dvx_flow_field f;

	if (err == EEXIST)
		return dvx_fail(err,
				"dvx_flow_rule_create: match: the matcher already has this rule");
	if (rule->matcher->table->level)
		return refused_below(rule, value, err);
	if (props && flow_rule_count(rule->actions, rule->action_count, ACTION_TAG) &&
	    !prm_flow_table_prop_layout_get_flow_tag(props))
		return dvx_fail(EOPNOTSUPP, "dvx_flow_rule_create: %s lacks %s.flow_tag",
				dvx_dev_name(domain->dev), dvx_flow_props_name(domain));
	if (dvx_flow_field_without_cap(rule->matcher->mask, &f))
		return dvx_fail(err,
				"dvx_flow_rule_create: the kernel refuses the rule in the root; "
				"perhaps because of match.%s, which has no capability bit",
				f.path);
	return dvx_fail(err, "dvx_flow_rule_create: the kernel refuses the rule in the root");
}

/*
 * What libmlx5 gets. A rule without a destination lets the packet go on in two places, so that the
 * default action is left out: in the root's TX tables, and behind a change below the root, where
 * libmlx5 refuses it. Packets that are dropped need no change.
 */
static int flow_rule_actions(struct dvx_flow_rule *rule, struct mlx5dv_dr_action **out, uint32_t *n)
{
	const struct dvx_flow_table *table = rule->matcher->table;
	bool drops = rule->actions[rule->action_count - 1]->kind == ACTION_DROP;
	bool no_default = table->level ? rule->actions[0]->change != NULL
				       : table->domain->side == DVX_FLOW_TX;
	int err = 0;

	*n = 0;
	for (uint32_t i = 0; i < rule->action_count && !err; i++) {
		struct dvx_flow_action *action = rule->actions[i];

		if (action->change && !drops)
			err = dvx_flow_change_for(action, !table->level, &out[(*n)++]);
		else if (!action->change && !(no_default && action->kind == ACTION_DEFAULT))
			out[(*n)++] = action->dr;
	}
	return err;
}

static int flow_rule_insert(struct dvx_flow_rule *rule, const struct dvx_flow_match *match)
{
	struct dvx_flow_matcher *matcher = rule->matcher;
	struct mlx5dv_dr_action *actions[RULE_ACTIONS];
	struct mlx5dv_dr_matcher *dr;
	union dvx_flow_params params;
	uint32_t n;
	int err = dvx_flow_matcher_for(matcher, match->value, &dr);

	if (!err)
		err = flow_rule_actions(rule, actions, &n);
	if (err)
		return err;
	params.p.match_sz = matcher->bytes;
	memcpy(params.p.match_buf, match->value, matcher->bytes);
	errno = 0;
	rule->dr = mlx5dv_dr_rule_create(dr, &params.p, n, actions);
	return rule->dr ? 0 : flow_rule_refused(rule, match->value, errno ? errno : EIO);
}

static void flow_rule_hold(struct dvx_flow_rule *rule)
{
	uint32_t i;

	dvx_ref(&rule->matcher->refs);
	for (i = 0; i < rule->action_count; i++)
		dvx_ref(&rule->actions[i]->refs);
}

int dvx_flow_rule_create(const struct dvx_flow_rule_attr *user, struct dvx_flow_rule **out)
{
	struct dvx_flow_rule_attr attr;
	struct dvx_flow_rule *rule;
	int err = dvx_attr_copy(&attr, user, "dvx_flow_rule_create");

	if (!err)
		err = flow_rule_check(&attr, out);
	if (err)
		return err;
	rule = malloc(sizeof(*rule) + attr.action_count * sizeof(rule->actions[0]));
	if (!rule)
		return dvx_fail(ENOMEM, "no memory for a rule");
	rule->matcher = attr.matcher;
	err = sort_actions(&attr, rule->actions, &rule->action_count);
	if (!err)
		err = flow_rule_insert(rule, attr.match);
	if (err) {
		free(rule);
		return err;
	}
	flow_rule_hold(rule);
	*out = rule;
	return 0;
}

int dvx_flow_rule_destroy(struct dvx_flow_rule *rule)
{
	uint32_t i;
	int ret;

	if (!rule)
		return 0;
	ret = mlx5dv_dr_rule_destroy(rule->dr);
	if (ret)
		return dvx_fail(dvx_errno_of(ret), "libmlx5 does not delete the rule");
	for (i = 0; i < rule->action_count; i++)
		dvx_unref(&rule->actions[i]->refs);
	dvx_unref(&rule->matcher->refs);
	free(rule);
	return 0;
}

uint64_t dvx_flow_rule_id(const struct dvx_flow_rule *rule)
{
	return (uintptr_t)rule->dr;
}
