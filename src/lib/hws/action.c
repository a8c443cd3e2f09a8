/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Actions: each has an action template (STC) or two, from the first rule on that needs them. A
 * template says what happens; a rule's entry has the operand.
 */
#include <infiniband/mlx5dv.h>
#include <dvx/prm/cap.h>
#include <dvx/prm/cmd.h>
#include <dvx/prm/flow.h>
#include <dvx/prm/ste1.h>
#include "lib/flow/dr.h"
#include "hws.h"

#define HWS_INSERT	  4u /* kinds of rewrites: insert_action_type, ... */
#define HWS_REMOVE_HEADER 5u
#define HWS_REMOVE_WORDS  7u
#define HWS_WORD	  2u /* bytes; sizes of headers count in these */
#define HWS_VLAN_WORDS	  2u
#define HWS_VLAN_AT	  6u /* words behind the beginning of the packet */
#define HWS_PATTERN_BYTES (PRM_CREATE_HEADER_MODIFY_PATTERN_IN_BYTES + 512u)
#define HWS_DWORD_WORDS	  2u
#define HWS_PARAM_AT	  32u /* bytes: stc.stc_param */
#define HWS_LIST_DATA_AT  4u  /* of a change in a list */
#define HWS_L2_MOST	  18u /* an Ethernet header with a VLAN tag */
#define HWS_L2_PAD	  2u  /* makes its length a multiple of a dword */
#define HWS_DECAP_MOST	  (2 + (HWS_L2_MOST + HWS_L2_PAD) / 4)

const struct hws_action_row dvx_hws_actions[ACTION_SAMPLE + 1] = {
	[ACTION_DECAP] = {.single = true, .makes = true},
	[ACTION_POP_VLAN] = {.single = true},
	[ACTION_MODIFY] = {.pair = true, .makes = true},
	[ACTION_PUSH_VLAN] = {.pair = true},
	[ACTION_ENCAP] = {.pair = true, .makes = true},
	[ACTION_TAG] = {.single = true},
	[ACTION_METER] = {.pair = true},
	[ACTION_TRACK] = {.pair = true},
	[ACTION_HIT] = {.pair = true},
	[ACTION_DROP] = {.hit = true},
	[ACTION_DEFAULT] = {.hit = true},
	[ACTION_TABLE] = {.hit = true},
	[ACTION_ROOT] = {.hit = true, .makes = true},
	[ACTION_VPORT] = {.hit = true},
	[ACTION_QUEUE] = {.hit = true},
	[ACTION_ARRAY] = {.hit = true, .makes = true},
	[ACTION_SAMPLE] = {.hit = true, .makes = true},
};

/* ---- Arguments and patterns ---- */

/* Makes a range of arguments, and writes the bytes into the first ones, unless that is done. */
static int hws_argument_make(struct dvx_flow_domain *domain, struct hws_made *own,
			     const uint8_t *data, uint32_t bytes)
{
	int err = 0;

	if (own->written)
		return 0;
	if (!own->argument.obj)
		err = dvx_hws_argument_create(domain, (bytes + DVX_ARG_BYTES - 1) / DVX_ARG_BYTES,
					      &own->argument);
	if (!err)
		err = dvx_hws_write_argument(domain, own->argument.id, data, bytes);
	own->written = !err;
	return err;
}

/* The pattern has the list without the values of SET and ADD, which the argument has. */
static int hws_pattern_make(struct dvx_flow_domain *domain, struct hws_made *own,
			    const uint8_t *list, uint32_t n)
{
	uint8_t in[HWS_PATTERN_BYTES] = {0};
	uint8_t *to = in + PRM_CREATE_HEADER_MODIFY_PATTERN_IN_BYTES;

	prm_header_modify_pattern_in_set_pattern_length(
		prm_create_header_modify_pattern_in_at_pattern(in), n);
	memcpy(to, list, (size_t)n * DVX_FLOW_REWRITE_BYTES);
	for (; n--; to += DVX_FLOW_REWRITE_BYTES)
		if (prm_set_action_in_get_action_type(to) != PRM_ACTION_TYPE_COPY)
			prm_set_action_in_set_data(to, 0);
	return dvx_hws_object_create(domain->dev, PRM_OBJ_TYPE_MODIFY_HDR_PATTERN, 0, in,
				     sizeof(in), &own->pattern);
}

/* ---- Parameters, by kind ---- */

static bool hws_changes_type(const uint8_t *rewrite)
{
	return prm_set_action_in_get_field(rewrite) == PRM_MODIFY_FIELD_OUT_ETHERTYPE;
}

/* Makes the template that executes a list of n changes. The action may have arguments already. */
static int hws_fill_list(struct dvx_flow_action *a, struct hws_made *own, const uint8_t *list,
			 uint32_t n, void *stc)
{
	int err = own->pattern.obj ? 0 : hws_pattern_make(a->domain, own, list, n);

	if (!err && !a->object)
		err = hws_argument_make(a->domain, own, list, n * DVX_FLOW_REWRITE_BYTES);
	prm_stc_set_action_type(stc, PRM_STC_ACTION_ACC_MODIFY_LIST);
	prm_stc_set_header_modify_pattern_id(stc, own->pattern.id);
	prm_stc_set_header_modify_argument_id(stc, a->object ? a->object : own->argument.id);
	return err;
}

/* One rewrite is in the template; a list, or one with arguments, is a pattern. */
static int hws_fill_modify(struct dvx_flow_action *a, struct hws_made *own, void *stc)
{
	uint32_t n = (uint32_t)(a->bytes / DVX_FLOW_REWRITE_BYTES);
	uint8_t *rewrite = prm_stc_at_rewrite(stc);
	bool reparse = false;

	for (uint32_t i = 0; i < n; i++)
		reparse |= hws_changes_type(a->data + (size_t)i * DVX_FLOW_REWRITE_BYTES);
	if (reparse)
		prm_stc_set_reparse_mode(stc, PRM_STC_REPARSE_ALWAYS);
	if (n == 1 && !a->object) {
		uint32_t type = prm_set_action_in_get_action_type(a->data);

		prm_stc_set_action_type(stc, type == PRM_ACTION_TYPE_SET   ? PRM_STC_ACTION_SET
					     : type == PRM_ACTION_TYPE_ADD ? PRM_STC_ACTION_ADD
									   : PRM_STC_ACTION_COPY);
		memcpy(rewrite, a->data, DVX_FLOW_REWRITE_BYTES);
		if (type != PRM_ACTION_TYPE_COPY)
			prm_set_action_in_set_data(rewrite, 0);
		return 0;
	}
	return hws_fill_list(a, own, a->data, n, stc);
}

/* A tunnel's header goes before the packet, whose Ethernet header ENCAP_L3 removes first. */
static int hws_fill_encap(struct dvx_flow_action *a, struct hws_made *own, enum hws_slot slot,
			  void *stc)
{
	int err;

	prm_stc_set_reparse_mode(stc, PRM_STC_REPARSE_ALWAYS);
	if (slot != HWS_PAIR) {
		prm_stc_set_action_type(stc, PRM_STC_ACTION_HEADER_REMOVE);
		prm_stc_set_remove_action_type(stc, HWS_REMOVE_HEADER);
		prm_stc_set_remove_start_anchor(stc, PRM_STE_ANCHOR_START_OUTER);
		prm_stc_set_remove_end_anchor(stc, PRM_STE_ANCHOR_IPV6_IPV4);
		return 0;
	}
	prm_stc_set_action_type(stc, PRM_STC_ACTION_HEADER_INSERT);
	prm_stc_set_insert_action_type(stc, HWS_INSERT);
	prm_stc_set_encap(stc, 1);
	prm_stc_set_insert_anchor(stc, PRM_STE_ANCHOR_START_OUTER);
	prm_stc_set_insert_size(stc, (uint32_t)a->bytes / HWS_WORD);
	err = hws_argument_make(a->domain, own, a->data, (uint32_t)a->bytes);
	prm_stc_set_insert_argument(stc, own->argument.id);
	return err;
}

static void hws_fill_vlan(const struct dvx_flow_action *a, enum hws_slot slot, void *stc)
{
	prm_stc_set_reparse_mode(stc, PRM_STC_REPARSE_ALWAYS);
	if (a->kind == ACTION_PUSH_VLAN) {
		prm_stc_set_action_type(stc, PRM_STC_ACTION_HEADER_INSERT);
		prm_stc_set_insert_action_type(stc, HWS_INSERT);
		prm_stc_set_inline_data(stc, 1);
		prm_stc_set_insert_anchor(stc, PRM_STE_ANCHOR_START_OUTER);
		prm_stc_set_insert_offset(stc, HWS_VLAN_AT);
		prm_stc_set_insert_size(stc, HWS_VLAN_WORDS);
		return;
	}
	prm_stc_set_action_type(stc, PRM_STC_ACTION_REMOVE_WORDS);
	prm_stc_set_words_action_type(stc, HWS_REMOVE_WORDS);
	prm_stc_set_words_start_anchor(stc, PRM_STE_ANCHOR_1ST_VLAN);
	prm_stc_set_remove_size(stc, HWS_VLAN_WORDS << (slot == HWS_TWICE));
}

/* Removes the outer headers up to this one. */
static void hws_fill_removal(void *stc, uint32_t end)
{
	prm_stc_set_remove_action_type(stc, HWS_REMOVE_HEADER);
	prm_stc_set_decap(stc, 1);
	prm_stc_set_remove_start_anchor(stc, PRM_STE_ANCHOR_START_OUTER);
	prm_stc_set_remove_end_anchor(stc, end);
}

/* Appends the change of a template to a list, with the dword that it inserts. */
static void hws_list_add(uint8_t *list, uint32_t *n, const uint8_t *stc, const uint8_t *dword)
{
	uint8_t *to = list + (size_t)(*n)++ * DVX_FLOW_REWRITE_BYTES;

	memcpy(to, stc + HWS_PARAM_AT, DVX_FLOW_REWRITE_BYTES);
	if (dword)
		memcpy(to + HWS_LIST_DATA_AT, dword, sizeof(uint32_t));
}

/*
 * Ends a tunnel without an inner Ethernet header, as Linux and DPDK do: a list removes the outer
 * headers, inserts the new one by dwords from its end on, and removes the two bytes by which it is
 * longer. Returns how many changes there are.
 */
static uint32_t hws_decap_list(const struct dvx_flow_action *a, uint8_t *list)
{
	uint8_t stc[PRM_STC_BYTES] = {0}, header[HWS_L2_MOST + HWS_L2_PAD] = {0};
	uint32_t bytes = (uint32_t)a->bytes + HWS_L2_PAD, n = 0;

	memcpy(header + HWS_L2_PAD, a->data, a->bytes);
	hws_fill_removal(stc, PRM_STE_ANCHOR_INNER_IPV6_IPV4);
	hws_list_add(list, &n, stc, NULL);
	memset(stc, 0, sizeof(stc));
	prm_stc_set_insert_action_type(stc, HWS_INSERT);
	prm_stc_set_inline_data(stc, 1);
	prm_stc_set_insert_anchor(stc, PRM_STE_ANCHOR_START_OUTER);
	prm_stc_set_insert_size(stc, HWS_DWORD_WORDS);
	while (bytes) {
		bytes -= (uint32_t)sizeof(uint32_t);
		hws_list_add(list, &n, stc, header + bytes);
	}
	memset(stc, 0, sizeof(stc));
	prm_stc_set_words_action_type(stc, HWS_REMOVE_WORDS);
	prm_stc_set_words_start_anchor(stc, PRM_STE_ANCHOR_START_OUTER);
	prm_stc_set_remove_size(stc, HWS_L2_PAD / HWS_WORD);
	hws_list_add(list, &n, stc, NULL);
	return n;
}

static int hws_fill_decap(struct dvx_flow_action *a, struct hws_made *own, void *stc)
{
	uint8_t list[HWS_DECAP_MOST][DVX_FLOW_REWRITE_BYTES];

	prm_stc_set_reparse_mode(stc, PRM_STC_REPARSE_ALWAYS);
	if (a->bytes)
		return hws_fill_list(a, own, list[0], hws_decap_list(a, list[0]), stc);
	prm_stc_set_action_type(stc, PRM_STC_ACTION_HEADER_REMOVE);
	hws_fill_removal(stc, PRM_STE_ANCHOR_INNER_MAC);
	return 0;
}

static void hws_fill_aso(const struct dvx_flow_action *a, void *stc)
{
	static const uint8_t types[] = {[ACTION_METER] = PRM_STE_ASO_TYPE_POLICERS,
					[ACTION_HIT] = PRM_STE_ASO_TYPE_FIRST_HIT,
					[ACTION_TRACK] = PRM_STE_ASO_TYPE_CT};

	prm_stc_set_action_type(stc, PRM_STC_ACTION_ASO);
	prm_stc_set_aso_object_id(stc, a->object);
	prm_stc_set_return_reg_id(stc, a->reg_c);
	prm_stc_set_aso_type(stc, types[a->kind]);
}

static int hws_fill_root(struct dvx_flow_action *a, struct hws_made *own, void *stc)
{
	struct mlx5dv_steering_anchor_attr attr = {
		.ft_type = a->domain->side == DVX_FLOW_TX ? MLX5DV_FLOW_TABLE_TYPE_NIC_TX
							  : MLX5DV_FLOW_TABLE_TYPE_NIC_RX,
		.priority = (uint16_t)a->number};

	errno = 0;
	if (!own->anchor)
		own->anchor = mlx5dv_create_steering_anchor(a->domain->dev->ctx, &attr);
	if (!own->anchor)
		return dvx_flow_dr_no_anchor("dvx_flow_rule_create", errno ? errno : EIO);
	prm_stc_set_action_type(stc, PRM_STC_ACTION_JUMP_TO_FT);
	prm_stc_set_table_id(stc, own->anchor->id);
	return 0;
}

static int hws_fill_vport(const struct dvx_flow_action *a, uint32_t vport, void *stc)
{
	uint16_t vhca;
	int err;

	if (vport == DVX_FLOW_UPLINK) {
		prm_stc_set_action_type(stc, PRM_STC_ACTION_JUMP_TO_UPLINK);
		return 0;
	}
	err = dvx_hws_vport_vhca(hws_domain(a->domain), "dvx_flow_rule_create: attr.actions", vport,
				 &vhca);
	if (err)
		return err;
	prm_stc_set_action_type(stc, PRM_STC_ACTION_JUMP_TO_VPORT);
	prm_stc_set_vport_number(stc, vport);
	prm_stc_set_eswitch_owner_vhca_id(stc, vhca);
	prm_stc_set_eswitch_owner_vhca_id_valid(stc, 1);
	return 0;
}

/* Sets the action and its parameters in a template. */
static int hws_stc_fill(struct dvx_flow_action *a, struct hws_made *own, enum hws_slot slot,
			void *stc)
{
	int err;

	switch (a->kind) {
	case ACTION_DECAP:
		return hws_fill_decap(a, own, stc);
	case ACTION_POP_VLAN:
	case ACTION_PUSH_VLAN:
		hws_fill_vlan(a, slot, stc);
		return 0;
	case ACTION_MODIFY:
		return hws_fill_modify(a, own, stc);
	case ACTION_ENCAP:
		return hws_fill_encap(a, own, slot, stc);
	case ACTION_TAG:
		prm_stc_set_action_type(stc, PRM_STC_ACTION_TAG);
		return 0;
	case ACTION_METER:
	case ACTION_HIT:
	case ACTION_TRACK:
		hws_fill_aso(a, stc);
		return 0;
	case ACTION_COUNT:
		prm_stc_set_action_type(stc, PRM_STC_ACTION_COUNTER);
		prm_stc_set_flow_counter_id(stc, a->object);
		return 0;
	case ACTION_DROP:
		prm_stc_set_action_type(stc, PRM_STC_ACTION_DROP);
		return 0;
	case ACTION_VPORT:
		return hws_fill_vport(a, a->number, stc);
	case ACTION_DEFAULT:
		/* [I] As DPDK has it: ALLOW does not lead out of the FDB's tables. */
		if (a->domain->side == DVX_FLOW_FDB)
			return hws_fill_vport(a, dvx_hws_vport_manager(hws_domain(a->domain)), stc);
		prm_stc_set_action_type(stc, PRM_STC_ACTION_ALLOW);
		return 0;
	case ACTION_TABLE:
		prm_stc_set_action_type(stc, PRM_STC_ACTION_JUMP_TO_FT);
		prm_stc_set_table_id(stc, ((const struct hws_table *)a->table->impl)->ft.id);
		return 0;
	case ACTION_ROOT:
		return hws_fill_root(a, own, stc);
	case ACTION_ARRAY:
	case ACTION_SAMPLE:
		prm_stc_set_action_type(stc, PRM_STC_ACTION_JUMP_TO_FT);
		err = dvx_hws_forward(a, own);
		prm_stc_set_table_id(stc, own->forward.table.id);
		return err;
	default: /* ACTION_QUEUE */
		prm_stc_set_action_type(stc, PRM_STC_ACTION_JUMP_TO_TIR);
		prm_stc_set_tirn(stc, a->object);
		return 0;
	}
}

int dvx_hws_action_stc(struct dvx_flow_action *action, enum hws_slot slot)
{
	struct hws_action *own = hws_action(action);
	uint8_t stc[PRM_STC_BYTES] = {0};
	int err;

	if (own->stc[slot])
		return own->stc[slot];
	err = hws_stc_fill(action, own->made, slot, stc);
	if (!err)
		err = dvx_hws_stc_get(hws_domain(action->domain), slot, stc, 0, &own->stc[slot]);
	return err ? err : own->stc[slot];
}

/* ---- Actions ---- */

static int hws_action_check(const struct dvx_flow_action *a, const char *call)
{
	if (a->kind == ACTION_QUEUE && !a->obj)
		return dvx_fail(EOPNOTSUPP,
				"%s: hardware steering leads to a dvx_rxq or dvx_rss, "
				"not to a QP of verbs",
				call);
	if (a->kind != ACTION_COUNT && !dvx_hws_actions[a->kind].hit &&
	    !dvx_hws_actions[a->kind].single && !dvx_hws_actions[a->kind].pair)
		return dvx_fail(EOPNOTSUPP, "%s: hardware steering by libdvx has no %s", call,
				dvx_flow_kinds[a->kind].name);
	return 0;
}

int dvx_hws_action_create(struct dvx_flow_action *action, const char *call)
{
	int err = hws_action_check(action, call);
	struct hws_action *own = hws_action(action);
	uint16_t vhca;

	if (!err && action->kind == ACTION_VPORT && action->number != DVX_FLOW_UPLINK)
		err = dvx_hws_vport_vhca(hws_domain(action->domain), call, action->number, &vhca);
	if (err)
		return err;
	if (dvx_hws_actions[action->kind].makes) {
		own->made = calloc(1, sizeof(*own->made));
		if (!own->made)
			return dvx_fail(ENOMEM, "no memory for an action");
	}
	action->impl[0] = own; /* its ID in a dump */
	return 0;
}

/* Destroys the objects of an action. */
static int hws_made_destroy(struct hws_made *made)
{
	int err = dvx_hws_object_destroy(&made->pattern);

	if (!err)
		err = dvx_hws_object_destroy(&made->argument);
	if (!err)
		err = dvx_hws_forward_destroy(made);
	if (err)
		return err;
	if (made->anchor && mlx5dv_destroy_steering_anchor(made->anchor))
		return dvx_fail(EIO, "libmlx5 does not destroy the way to the root");
	free(made);
	return 0;
}

int dvx_hws_action_destroy(struct dvx_flow_action *action)
{
	struct hws_action *own = hws_action(action);
	int err = 0;

	for (uint32_t i = 0; i < HWS_SLOTS && !err; i++)
		err = dvx_hws_stc_put(hws_domain(action->domain), &own->stc[i]);
	if (!err && own->made)
		err = hws_made_destroy(own->made);
	return err;
}
