/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Level 0: the kernel's flows, which lead to tables of hardware steering and to TIRs as objects of
 * DevX.
 */
#include "lib/flow/dr.h"
#include "hws.h"

#define HWS_ROOT_ACTIONS 3u /* a tag, a counter, a destination */

int dvx_hws_root_matcher_create(struct dvx_flow_matcher *matcher)
{
	static const enum mlx5dv_flow_table_type types[] = {
		[DVX_FLOW_RX] = MLX5DV_FLOW_TABLE_TYPE_NIC_RX,
		[DVX_FLOW_TX] = MLX5DV_FLOW_TABLE_TYPE_NIC_TX,
		[DVX_FLOW_FDB] = MLX5DV_FLOW_TABLE_TYPE_FDB};
	union dvx_flow_params params;
	struct mlx5dv_flow_matcher_attr attr = {.type = IBV_FLOW_ATTR_NORMAL,
						.priority = matcher->priority,
						.match_criteria_enable =
							dvx_flow_criteria(matcher->mask),
						.match_mask = &params.p,
						.comp_mask = MLX5DV_FLOW_MATCHER_MASK_FT_TYPE,
						.ft_type = types[matcher->table->domain->side]};
	int err = dvx_flow_check_caps(matcher->table->domain, matcher->mask,
				      "dvx_flow_matcher_create");

	if (err)
		return err;
	params.p.match_sz = dvx_flow_criteria_bytes(attr.match_criteria_enable);
	memcpy(params.p.match_buf, matcher->mask, MATCH_BYTES);
	errno = 0;
	matcher->impl = mlx5dv_create_flow_matcher(matcher->table->domain->dev->ctx, &attr);
	if (matcher->impl)
		return 0;
	if (matcher->table->domain->side == DVX_FLOW_FDB && errno)
		return dvx_flow_fdb_root_refused(matcher->table->domain->dev, errno);
	return dvx_fail(errno ? errno : EIO, "dvx_flow_matcher_create: the kernel refuses the mask "
					     "in level 0");
}

int dvx_hws_root_matcher_destroy(struct dvx_flow_matcher *matcher)
{
	int ret = mlx5dv_destroy_flow_matcher(matcher->impl);

	return ret ? dvx_fail(dvx_errno_of(ret), "libmlx5 does not destroy the matcher") : 0;
}

/* Returns false for an action that flows of verbs do not have, or not like this. */
static bool hws_root_action(const struct dvx_flow_action *a, struct mlx5dv_flow_action_attr *out)
{
	switch (a->kind) {
	case ACTION_TAG:
		out->type = MLX5DV_FLOW_ACTION_TAG;
		out->tag_value = a->number;
		return true;
	case ACTION_COUNT:
		out->type = MLX5DV_FLOW_ACTION_COUNTERS_DEVX;
		out->obj = a->obj->devx;
		return !a->number;
	case ACTION_DROP:
		out->type = MLX5DV_FLOW_ACTION_DROP;
		return true;
	case ACTION_DEFAULT:
		out->type = MLX5DV_FLOW_ACTION_DEFAULT_MISS;
		return true;
	case ACTION_TABLE:
		out->type = MLX5DV_FLOW_ACTION_DEST_DEVX;
		out->obj = ((const struct hws_table *)a->table->impl)->ft.obj->devx;
		return true;
	case ACTION_QUEUE:
		out->type = MLX5DV_FLOW_ACTION_DEST_DEVX;
		out->obj = a->obj->devx;
		return true;
	default:
		return false;
	}
}

/* A rule of sent packets without a destination lets them go on; the kernel has no default there. */
static int hws_root_actions(const struct dvx_flow_rule *rule, struct mlx5dv_flow_action_attr *out,
			    size_t *n)
{
	const bool tx = rule->matcher->table->domain->side == DVX_FLOW_TX;

	*n = 0;
	for (uint32_t i = 0; i < rule->action_count; i++) {
		const struct dvx_flow_action *a = rule->actions[i];

		if (tx && a->kind == ACTION_DEFAULT)
			continue;
		if (*n == HWS_ROOT_ACTIONS || !hws_root_action(a, &out[*n]))
			return dvx_fail(
				EOPNOTSUPP,
				"dvx_flow_rule_create: attr.actions has %s%s, which level 0 "
				"of a domain with DVX_FLOW_HARDWARE lacks: use a table",
				dvx_flow_kinds[a->kind].name,
				a->kind == ACTION_COUNT ? " in a bulk, not its first" : "");
		++*n;
	}
	return 0;
}

int dvx_hws_root_rule_insert(struct dvx_flow_rule *rule, const uint8_t *value)
{
	struct mlx5dv_flow_action_attr actions[HWS_ROOT_ACTIONS];
	union dvx_flow_params params;
	size_t n;
	int err = rule->matcher->table->domain->side == DVX_FLOW_FDB
			  ? dvx_flow_fdb_check_rule(rule, value)
			  : 0;

	if (!err)
		err = hws_root_actions(rule, actions, &n);
	if (err)
		return err;
	params.p.match_sz = dvx_flow_criteria_bytes(dvx_flow_criteria(rule->matcher->mask));
	memcpy(params.p.match_buf, value, MATCH_BYTES);
	errno = 0;
	rule->impl = mlx5dv_create_flow(rule->matcher->impl, &params.p, n, actions);
	return rule->impl
		       ? 0
		       : dvx_fail(errno ? errno : EIO,
				  "dvx_flow_rule_create: the kernel refuses the rule in level 0");
}

int dvx_hws_root_rule_remove(struct dvx_flow_rule *rule)
{
	int ret = ibv_destroy_flow(rule->impl);

	return ret ? dvx_fail(dvx_errno_of(ret), "libmlx5 does not delete the rule") : 0;
}
