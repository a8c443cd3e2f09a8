/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The flow API over libmlx5's mlx5dv_dr: the kernel's flow ioctls in the root, steering entries
 * that libmlx5 writes in other levels. All of the library's calls of mlx5dv_dr_* are here.
 */
#include <endian.h>
#include <infiniband/mlx5dv.h>
#include <dvx/prm/cap.h>
#include <dvx/prm/flow.h>
#include "dr.h"

static int dr_done(int ret, const char *what)
{
	return ret ? dvx_fail(dvx_errno_of(ret), "libmlx5 does not %s", what) : 0;
}

static int dr_errno(void)
{
	return errno ? errno : EIO;
}

/* ---- Domains ---- */

static int dr_domain_create(struct dvx_flow_domain *domain, uint32_t flags)
{
	static const enum mlx5dv_dr_domain_type types[FLOW_SIDES] = {
		[DVX_FLOW_RX] = MLX5DV_DR_DOMAIN_TYPE_NIC_RX,
		[DVX_FLOW_TX] = MLX5DV_DR_DOMAIN_TYPE_NIC_TX,
		[DVX_FLOW_FDB] = MLX5DV_DR_DOMAIN_TYPE_FDB,
	};
	int err = dvx_flow_fdb_check_domain(domain);

	if (err)
		return err;
	errno = 0;
	domain->impl = mlx5dv_dr_domain_create(domain->dev->ctx, types[domain->side]);
	if (!domain->impl)
		return dvx_flow_dr_domain_refused(domain, errno);
	/* Without flags this tells only whether libmlx5 knows the device's steering entries. */
	domain->levels =
		dvx_flow_dr_software_owned(domain) && !mlx5dv_dr_domain_sync(domain->impl, 0);
	mlx5dv_dr_domain_set_reclaim_device_memory(domain->impl, true);
	if (domain->levels && flags & DVX_FLOW_NO_DUPLICATES)
		mlx5dv_dr_domain_allow_duplicate_rules(domain->impl, false);
	return 0;
}

static int dr_domain_destroy(struct dvx_flow_domain *domain)
{
	return dr_done(mlx5dv_dr_domain_destroy(domain->impl), "destroy the steering domain");
}

static int dr_domain_sync(struct dvx_flow_domain *domain)
{
	int ret = mlx5dv_dr_domain_sync(domain->impl, MLX5DV_DR_DOMAIN_SYNC_FLAGS_SW |
							      MLX5DV_DR_DOMAIN_SYNC_FLAGS_HW);

	return ret ? dvx_fail(dvx_errno_of(ret), "dvx_flow_domain_sync: libmlx5 refuses") : 0;
}

/* libmlx5 takes steering memory in pieces of an eighth, at most 64 MiB (dr_domain.c,
 * dr_icm_pool.c). */
#define PIECES	      3u
#define LOG_PIECE_MAX 26u

static bool dr_another_piece(struct dvx_dev *dev)
{
	struct mlx5dv_alloc_dm_attr kind = {.type = MLX5DV_DM_TYPE_STEERING_SW_ICM};
	struct ibv_alloc_dm_attr attr = {0};
	struct ibv_dm *dm;
	const void *cap;
	uint32_t log;

	if (dvx_dev_cap_page(dev, PRM_HCA_CAP_TYPE_DEV_MEM, &cap))
		return true;
	log = prm_device_mem_cap_get_log_steering_sw_icm_size(cap);
	log = log < PIECES ? 0 : log - PIECES;
	attr.length = 1ul << (log > LOG_PIECE_MAX ? LOG_PIECE_MAX : log);
	dm = mlx5dv_alloc_dm(dev->ctx, &attr, &kind);
	if (dm)
		ibv_free_dm(dm);
	return dm != NULL;
}

static bool dr_domain_has_room(struct dvx_flow_domain *domain)
{
	if (dr_another_piece(domain->dev))
		return true;
	/* Returns empty pieces to the device. */
	mlx5dv_dr_domain_sync(domain->impl, MLX5DV_DR_DOMAIN_SYNC_FLAGS_MEM);
	return dr_another_piece(domain->dev);
}

/* libmlx5 returns mostly what fprintf() returned. */
static int dr_dump(const struct dvx_flow_domain *domain, const struct dvx_flow_table *table,
		   FILE *to, const char *call)
{
	int ret;

	errno = 0;
	ret = table ? mlx5dv_dump_dr_table(to, table->impl)
		    : mlx5dv_dump_dr_domain(to, domain->impl);
	if (ret == -1)
		return dvx_fail(dr_errno(), "%s: the dump can't be written", call);
	return ret ? dvx_fail(ret < 0 ? -ret : ret, "%s: libmlx5 refuses", call) : 0;
}

/* ---- Tables ---- */

static int dr_table_create(struct dvx_flow_table *table)
{
	if (table->level && !table->domain->levels)
		return dvx_flow_dr_table_refused(table, EOPNOTSUPP);
	errno = 0;
	table->impl = mlx5dv_dr_table_create(table->domain->impl, table->level);
	return table->impl ? 0 : dvx_flow_dr_table_refused(table, dr_errno());
}

static int dr_table_destroy(struct dvx_flow_table *table)
{
	return dr_done(mlx5dv_dr_table_destroy(table->impl), "destroy the flow table");
}

/* ---- Matchers ---- */

#define MATCHER_KINDS 4u /* outer IPv4 or not so, times the same of inner */

/*
 * Below the root, libmlx5 needs the IP version with the mask. One matcher here is up to four of
 * libmlx5's, each made with its first rule.
 */
struct dr_matcher {
	struct mlx5dv_dr_matcher *of[MATCHER_KINDS];
	uint32_t bytes; /* of mask and value that libmlx5 is given */
};

/* Below the root, the ip_version of libmlx5's mask is not a mask but the version itself. */
static struct mlx5dv_dr_matcher *dr_matcher_try(const struct dvx_flow_matcher *matcher,
						const uint8_t *mask, unsigned int kind)
{
	const struct dr_matcher *own = matcher->impl;
	union dvx_flow_params params;
	uint8_t *to = (uint8_t *)params.p.match_buf;

	params.p.match_sz = own->bytes;
	memcpy(to, mask, MATCH_BYTES);
	for (enum dvx_flow_depth depth = DVX_FLOW_OUTER; depth <= DVX_FLOW_INNER; depth++)
		if (matcher->table->level && dvx_flow_ip_version(mask, depth))
			prm_fte_match_set_lyr_2_4_set_ip_version(to + depth * 2 * GROUP_BYTES,
								 kind >> depth & 1 ? 6 : 4);
	errno = 0;
	return mlx5dv_dr_matcher_create(matcher->table->impl, matcher->priority,
					dvx_flow_criteria(mask), &params.p);
}

static bool dr_accepts(const struct dvx_flow_trial *trial, const uint8_t *mask)
{
	struct mlx5dv_dr_matcher *dr = dr_matcher_try(trial->matcher, mask, trial->kind);

	if (dr)
		mlx5dv_dr_matcher_destroy(dr);
	return dr != NULL;
}

/* The layout is only a hint: without such a large piece of memory the device takes the rules. */
static int dr_matcher_make(const struct dvx_flow_matcher *matcher, unsigned int kind)
{
	struct dr_matcher *own = matcher->impl;
	struct mlx5dv_dr_matcher_layout layout = {
		.flags = MLX5DV_DR_MATCHER_LAYOUT_RESIZABLE | MLX5DV_DR_MATCHER_LAYOUT_NUM_RULE,
		.log_num_of_rules_hint = dvx_log2_up(matcher->expected_rules)};

	own->of[kind] = dr_matcher_try(matcher, matcher->mask, kind);
	if (!own->of[kind])
		return dvx_flow_dr_matcher_refused(
			&(struct dvx_flow_trial){dr_accepts, matcher, kind}, dr_errno());
	if (matcher->table->level && matcher->expected_rules)
		mlx5dv_dr_matcher_set_layout(own->of[kind], &layout);
	return 0;
}

static unsigned int dr_kind_of(const struct dvx_flow_matcher *matcher, const uint8_t *value)
{
	if (!matcher->table->level)
		return 0;
	return (unsigned int)dvx_flow_is_v6(matcher, value, DVX_FLOW_OUTER) |
	       (unsigned int)dvx_flow_is_v6(matcher, value, DVX_FLOW_INNER) << 1;
}

/*
 * Makes the first one now, so that a field that the device can't match is refused here, not later.
 */
static int dr_matcher_create(struct dvx_flow_matcher *matcher, const uint8_t *value)
{
	const struct dvx_flow_table *table = matcher->table;
	struct dr_matcher *own = calloc(1, sizeof(*own));
	int err = dvx_flow_fdb_check_mask(table->domain, matcher->mask);

	if (!own)
		return dvx_fail(ENOMEM, "no memory for a matcher");
	own->bytes = dvx_flow_criteria_bytes(dvx_flow_criteria(matcher->mask));
	matcher->impl = own;
	if (!err && table->level)
		err = dvx_flow_dr_check_mask(table->domain, matcher->mask);
	else if (!err)
		err = dvx_flow_check_caps(table->domain, matcher->mask, "dvx_flow_matcher_create");
	if (!err)
		err = dr_matcher_make(matcher, dr_kind_of(matcher, value));
	if (err)
		free(own);
	return err;
}

static int dr_matcher_destroy(struct dvx_flow_matcher *matcher)
{
	struct dr_matcher *own = matcher->impl;

	for (unsigned int kind = 0; kind < MATCHER_KINDS; kind++) {
		int ret = own->of[kind] ? mlx5dv_dr_matcher_destroy(own->of[kind]) : 0;

		if (ret)
			return dr_done(ret, "destroy the matcher");
		own->of[kind] = NULL;
	}
	free(own);
	return 0;
}

static uint64_t dr_matcher_id(const struct dvx_flow_matcher *matcher, uint8_t version)
{
	const struct dr_matcher *own = matcher->impl;

	for (unsigned int kind = 0; kind < MATCHER_KINDS; kind++)
		if (own->of[kind] && (!version || !matcher->table->level ||
				      !dvx_flow_ip_version(matcher->mask, DVX_FLOW_OUTER) ||
				      (kind & 1) == (version == 6)))
			return (uintptr_t)own->of[kind];
	return 0;
}

/* ---- Actions ---- */

static struct mlx5dv_dr_action *dr_make_array(const struct dvx_flow_action *action)
{
	uint32_t n;
	struct dvx_flow_action *const *members = dvx_flow_members(action, &n);
	struct mlx5dv_dr_action_dest_attr **list = calloc(n, sizeof(*list) + sizeof(**list));
	struct mlx5dv_dr_action_dest_attr *attr = (void *)&list[n];
	struct mlx5dv_dr_action *dr;

	if (!list)
		return NULL;
	for (uint32_t i = 0; i < n; i++) {
		attr[i].type = MLX5DV_DR_ACTION_DEST;
		attr[i].dest = members[i]->impl[0];
		list[i] = &attr[i];
	}
	dr = mlx5dv_dr_action_create_dest_array(action->domain->impl, n, list);
	free(list);
	return dr;
}

static struct mlx5dv_dr_action *dr_make_sample(const struct dvx_flow_action *action)
{
	uint32_t n;
	struct mlx5dv_dr_action *to = dvx_flow_members(action, &n)[0]->impl[0];
	struct mlx5dv_dr_flow_sampler_attr attr = {
		.sample_ratio = action->number,
		.default_next_table = action->table->impl,
		.num_sample_actions = n,
		.sample_actions = &to,
	};

	return mlx5dv_dr_action_create_flow_sampler(&attr);
}

static struct mlx5dv_dr_action *dr_make_root(struct dvx_flow_action *action)
{
	action->anchor_table = mlx5dv_dr_table_create(action->domain->impl, 0);
	if (!action->anchor_table)
		return NULL;
	errno = 0;
	return mlx5dv_dr_action_create_dest_root_table(action->anchor_table,
						       (uint16_t)action->number);
}

/*
 * libmlx5 (44 and newest, dr_ptrn_compare_pattern()) ends an L3 tunnel by the pattern of any earlier list of as many
 * rewrites, and a NIC with patterns (ConnectX-7) then loses the packets. These lists have 6 rewrites, or 7 with a VLAN
 * header: no other list gets as many. Its last rewrite is repeated, which changes nothing, as an addition of 0.
 */
static struct mlx5dv_dr_action *dr_make_modify(const struct dvx_flow_action *a, uint32_t flags)
{
	enum { DECAP = 6, DECAP_VLAN, MORE };
	size_t n = a->bytes / PRM_SET_ACTION_IN_BYTES;
	__be64 list[MORE];

	if (n != DECAP && n != DECAP_VLAN)
		return mlx5dv_dr_action_create_modify_header(a->domain->impl, flags, a->bytes,
							     (__be64 *)(void *)a->data);
	memcpy(list, a->data, a->bytes);
	for (; n < MORE; n++) {
		list[n] = list[n - 1];
		if (prm_set_action_in_get_action_type(&list[n]) == PRM_ACTION_TYPE_ADD)
			prm_add_action_in_set_data(&list[n], 0);
	}
	return mlx5dv_dr_action_create_modify_header(a->domain->impl, flags, sizeof(list), list);
}

static struct mlx5dv_dr_action *dr_make_change(struct dvx_flow_action *a, uint32_t flags)
{
	uint32_t tag;

	switch (a->kind) {
	case ACTION_DECAP:
		return mlx5dv_dr_action_create_packet_reformat(
			a->domain->impl, flags,
			a->bytes ? MLX5DV_FLOW_ACTION_PACKET_REFORMAT_TYPE_L3_TUNNEL_TO_L2
				 : MLX5DV_FLOW_ACTION_PACKET_REFORMAT_TYPE_L2_TUNNEL_TO_L2,
			a->bytes, a->bytes ? a->data : NULL);
	case ACTION_ENCAP:
		return mlx5dv_dr_action_create_packet_reformat(
			a->domain->impl, flags,
			a->number == ENCAP_L3
				? MLX5DV_FLOW_ACTION_PACKET_REFORMAT_TYPE_L2_TO_L3_TUNNEL
				: MLX5DV_FLOW_ACTION_PACKET_REFORMAT_TYPE_L2_TO_L2_TUNNEL,
			a->bytes, a->data);
	case ACTION_POP_VLAN:
		return mlx5dv_dr_action_create_pop_vlan();
	case ACTION_MODIFY:
		return dr_make_modify(a, flags);
	default: /* ACTION_PUSH_VLAN */
		memcpy(&tag, a->data, sizeof(tag));
		return mlx5dv_dr_action_create_push_vlan(a->domain->impl, htobe32(tag));
	}
}

static struct mlx5dv_dr_action *dr_make_aso(const struct dvx_flow_action *a, uint32_t flags)
{
	return mlx5dv_dr_action_create_aso(a->domain->impl, a->obj->devx, a->number, flags,
					   a->reg_c);
}

static struct mlx5dv_dr_action *dr_make_other(struct dvx_flow_action *a)
{
	switch (a->kind) {
	case ACTION_TAG:
		return mlx5dv_dr_action_create_tag(a->number);
	case ACTION_COUNT:
		return mlx5dv_dr_action_create_flow_counter(a->obj->devx, a->number);
	case ACTION_METER:
		return dr_make_aso(a, MLX5DV_DR_ACTION_FLAGS_ASO_FLOW_METER_GREEN);
	case ACTION_HIT:
		return dr_make_aso(a, MLX5DV_DR_ACTION_FLAGS_ASO_FIRST_HIT_SET);
	case ACTION_TRACK:
		return dr_make_aso(a, a->responder
					      ? MLX5DV_DR_ACTION_FLAGS_ASO_CT_DIRECTION_RESPONDER
					      : MLX5DV_DR_ACTION_FLAGS_ASO_CT_DIRECTION_INITIATOR);
	case ACTION_DROP:
		return mlx5dv_dr_action_create_drop();
	case ACTION_DEFAULT:
		return mlx5dv_dr_action_create_default_miss();
	case ACTION_TABLE:
		return mlx5dv_dr_action_create_dest_table(a->table->impl);
	case ACTION_ROOT:
		return dr_make_root(a);
	case ACTION_ARRAY:
		return dr_make_array(a);
	case ACTION_SAMPLE:
		return dr_make_sample(a);
	case ACTION_VPORT:
		return mlx5dv_dr_action_create_dest_vport(a->domain->impl, a->number);
	default: /* ACTION_QUEUE */
		return a->ibqp ? mlx5dv_dr_action_create_dest_ibv_qp(a->ibqp)
			       : mlx5dv_dr_action_create_dest_devx_tir(a->obj->devx);
	}
}

static int dr_action_destroy(struct dvx_flow_action *action)
{
	for (int root = 0; root < 2; root++) {
		int ret = action->impl[root] ? mlx5dv_dr_action_destroy(action->impl[root]) : 0;

		if (ret)
			return dr_done(ret, "destroy the action");
		action->impl[root] = NULL;
	}
	if (action->anchor_table)
		mlx5dv_dr_table_destroy(action->anchor_table);
	return 0;
}

/*
 * libmlx5 makes some changes for the root or for other levels: here they are one action, whose two
 * sides are made with the first rule that needs them.
 */
static int dr_action_create(struct dvx_flow_action *action, const char *call)
{
	int err;

	if (action->kind == ACTION_PUSH_VLAN || action->kind == ACTION_POP_VLAN)
		return dvx_flow_dr_check_vlan(action, call);
	if (action->kind == ACTION_ENCAP)
		return dvx_flow_dr_check_encap(action, call);
	if (dvx_flow_is_change(action->kind))
		return 0;
	errno = 0;
	action->impl[0] = dr_make_other(action);
	if (action->impl[0])
		return 0;
	err = dvx_flow_dr_action_refused(action, call, dr_errno());
	dr_action_destroy(action);
	return err;
}

static int dr_change_make(struct dvx_flow_action *action, bool root)
{
	int err = root ? dvx_flow_dr_check_root(action) : 0;

	if (err)
		return err;
	errno = 0;
	action->impl[root] = dr_make_change(action, root ? MLX5DV_DR_ACTION_FLAGS_ROOT_LEVEL : 0);
	if (action->impl[root])
		return 0;
	return dvx_fail(dr_errno(), "dvx_flow_rule_create: %s refuses %s on %s",
			root ? "the kernel" : "libmlx5", dvx_flow_kinds[action->kind].noun,
			dvx_dev_name(action->domain->dev));
}

/* ---- Rules ---- */

/* Meters and connections of what is sent come before changes (libmlx5's dr_action.c). */
static bool dr_goes_first(const struct dvx_flow_rule *rule, const struct dvx_flow_action *action)
{
	return (action->kind == ACTION_METER || action->kind == ACTION_TRACK) &&
	       rule->matcher->table->domain->side == DVX_FLOW_TX;
}

static void dr_add_action(struct mlx5dv_dr_action *dr, bool first, struct mlx5dv_dr_action **out,
			  uint32_t *n)
{
	out[*n] = dr;
	if (first) {
		memmove(out + 1, out, *n * sizeof(struct mlx5dv_dr_action *));
		out[0] = dr;
	}
	++*n;
}

/*
 * A rule without a destination lets the packet go on in two places, so that the default action is
 * left out: in the root's TX tables, and behind a change below the root, where libmlx5 refuses it.
 * Packets that are dropped need no change.
 */
static int dr_rule_actions(const struct dvx_flow_rule *rule, struct mlx5dv_dr_action **out,
			   uint32_t *n)
{
	const struct dvx_flow_table *table = rule->matcher->table;
	bool drops = rule->actions[rule->action_count - 1]->kind == ACTION_DROP;
	bool no_default = table->level ? dvx_flow_is_change(rule->actions[0]->kind)
				       : table->domain->side == DVX_FLOW_TX;

	*n = 0;
	for (uint32_t i = 0; i < rule->action_count; i++) {
		struct dvx_flow_action *action = rule->actions[i];
		bool change = dvx_flow_is_change(action->kind), root = change && !table->level;
		int err;

		if (change ? drops : no_default && action->kind == ACTION_DEFAULT)
			continue;
		err = action->impl[root] ? 0 : dr_change_make(action, root);
		if (err)
			return err;
		dr_add_action(action->impl[root], dr_goes_first(rule, action), out, n);
	}
	return 0;
}

static int dr_rule_insert(struct dvx_flow_rule *rule, const uint8_t *value, bool more)
{
	const struct dvx_flow_matcher *matcher = rule->matcher;
	const struct dr_matcher *own = matcher->impl;
	unsigned int kind = dr_kind_of(matcher, value);
	struct mlx5dv_dr_action *actions[RULE_ACTIONS];
	union dvx_flow_params params;
	uint32_t n;
	const bool fdb = matcher->table->domain->side == DVX_FLOW_FDB;
	int err = fdb ? dvx_flow_fdb_check_rule(rule, value) : 0;

	(void)more;
	if (!err && !own->of[kind])
		err = dr_matcher_make(matcher, kind);
	if (!err)
		err = dr_rule_actions(rule, actions, &n);
	if (err)
		return err;
	params.p.match_sz = own->bytes;
	memcpy(params.p.match_buf, value, own->bytes);
	errno = 0;
	rule->impl = mlx5dv_dr_rule_create(own->of[kind], &params.p, n, actions);
	return rule->impl ? 0 : dvx_flow_dr_rule_refused(rule, value, dr_errno());
}

static int dr_rule_remove(struct dvx_flow_rule *rule)
{
	return dr_done(mlx5dv_dr_rule_destroy(rule->impl), "delete the rule");
}

const struct dvx_flow_backend dvx_flow_dr = {
	.pops_or_pushes = true,
	.domain_create = dr_domain_create,
	.domain_destroy = dr_domain_destroy,
	.domain_sync = dr_domain_sync,
	.domain_has_room = dr_domain_has_room,
	.dump = dr_dump,
	.table_create = dr_table_create,
	.table_destroy = dr_table_destroy,
	.matcher_create = dr_matcher_create,
	.matcher_destroy = dr_matcher_destroy,
	.matcher_id = dr_matcher_id,
	.action_create = dr_action_create,
	.action_destroy = dr_action_destroy,
	.rule_insert = dr_rule_insert,
	.rule_remove = dr_rule_remove,
};
