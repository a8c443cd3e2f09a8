/* SPDX-License-Identifier: BSD-2-Clause */
/* Entries of firmware's flow tables: a value to compare under the group's mask, and actions. */
#include <stdlib.h>
#include <string.h>
#include <dvx/prm/ste1.h>
#include "cmd.h"
#include "flow_dest.h"
#include "obj/aso.h"
#include "obj/device.h"
#include "obj/flow.h"
#include "steer/parse.h"

#define OP_ADD	  0 /* SET_FLOW_TABLE_ENTRY.op_mod */
#define OP_MODIFY 1
/* SET_FLOW_TABLE_ENTRY.modify_enable_mask */
#define MODIFY_ACTION	(1u << 0)
#define MODIFY_TAG	(1u << 1)
#define MODIFY_DESTS	(1u << 2)
#define MODIFY_COUNTERS (1u << 3)
#define MODIFY_ALL	(MODIFY_ACTION | MODIFY_TAG | MODIFY_DESTS | MODIFY_COUNTERS)

#define ENDS		(PRM_FLOW_ACTION_ALLOW | PRM_FLOW_ACTION_DROP | PRM_FLOW_ACTION_FWD_DEST)
#define CHANGES		(PRM_FLOW_ACTION_COUNT | PRM_FLOW_ACTION_MOD_HDR)
#define TUNNELS		(PRM_FLOW_ACTION_PACKET_REFORMAT | PRM_FLOW_ACTION_DECAP)
#define VLANS                                                                                \
	(PRM_FLOW_ACTION_VLAN_POP | PRM_FLOW_ACTION_VLAN_POP_2 | PRM_FLOW_ACTION_VLAN_PUSH | \
	 PRM_FLOW_ACTION_VLAN_PUSH_2)

/* --- actions -------------------------------------------------------------------------------- */

/* Returns the actions that entries of a type of tables can have. */
static uint32_t fw_flow_entry_actions(const struct fw_cmd *c, uint32_t type)
{
	const uint32_t aso = fw_aso_exists(c->vhca->dev->profile) ? PRM_FLOW_ACTION_EXECUTE_ASO : 0;

	switch (type) {
	case PRM_FLOW_TABLE_TYPE_FDB:
		return ENDS | CHANGES | TUNNELS | VLANS | aso;
	case PRM_FLOW_TABLE_TYPE_NIC_RX:
	case PRM_FLOW_TABLE_TYPE_NIC_TX:
		return ENDS | CHANGES | TUNNELS | aso;
	default:
		return ENDS | CHANGES;
	}
}

static int fw_flow_entry_check_action(struct fw_cmd *c, uint32_t action, uint32_t type)
{
	uint32_t ends = action & ENDS;

	if (action & ~fw_flow_entry_actions(c, type))
		return fw_refuse(c, FW_SYN_CAP_CLEAR,
				 "action 0x%x: tables of type %u have the actions 0x%x only",
				 action, type, fw_flow_entry_actions(c, type));
	/* [I] An entry has exactly one action that ends the walk or leads to a table. */
	if (!ends || ends & (ends - 1))
		return fw_refuse(c, FW_SYN_FLOW_ACTION,
				 "action 0x%x: one of ALLOW, DROP and FWD_DEST is needed", action);
	if (ends == PRM_FLOW_ACTION_ALLOW &&
	    (type == PRM_FLOW_TABLE_TYPE_NIC_RX || type == PRM_FLOW_TABLE_TYPE_FDB))
		return fw_refuse(c, FW_SYN_FLOW_ACTION,
				 "action ALLOW: received and switched packets need a destination");
	return 0;
}

static uint32_t fw_flow_entry_aso(const void *ctx, size_t i)
{
	return prm_execute_aso_get_valid(prm_flow_context_cat_execute_aso(ctx, i));
}

static int fw_flow_entry_check_features(struct fw_cmd *c, const void *ctx, uint32_t type)
{
	const bool fdb = type == PRM_FLOW_TABLE_TYPE_FDB;
	const struct fw_absent features[] = {
		{fdb ? 0 : prm_flow_context_get_extended_destination(ctx), "extended_destination",
		 "each entry has one packet reformat, but in the FDB (multi_fdb_encap)"},
		{fdb ? prm_flow_context_get_flow_source(ctx) == 3
		     : prm_flow_context_get_flow_source(ctx),
		 "flow_source", "only packets in the FDB come from the uplink (1) or vports (2)"},
		{prm_flow_context_get_uplink_hairpin_en(ctx), "uplink_hairpin_en",
		 "fdb_uplink_hairpin is 0"},
		{type == PRM_FLOW_TABLE_TYPE_NIC_RX ? 0 : prm_flow_context_get_flow_tag(ctx),
		 "flow_tag", "packets that are sent or switched carry none"},
		/* [I] Linux, the one user of these, has one for a rule. */
		{fw_flow_entry_aso(ctx, 1), "execute_aso[1].valid", "an entry has one meter"},
		{fw_flow_entry_aso(ctx, 2), "execute_aso[2].valid", "an entry has one meter"},
		{fw_flow_entry_aso(ctx, 3), "execute_aso[3].valid", "an entry has one meter"},
	};

	return FW_CHECK_ABSENT(c, features);
}

/*
 * [I] A second tag needs the first one, whose action's bit is three below, and each is of one of the
 * two kinds.
 */
static int fw_flow_entry_check_vlans(struct fw_cmd *c, const struct flow_actions *act)
{
	static const uint16_t push[FLOW_VLANS] = {PRM_FLOW_ACTION_VLAN_PUSH,
						  PRM_FLOW_ACTION_VLAN_PUSH_2};
	const uint32_t firsts = (uint32_t)(act->action & (PRM_FLOW_ACTION_VLAN_POP | push[0]));
	const uint32_t seconds = (uint32_t)(act->action & (PRM_FLOW_ACTION_VLAN_POP_2 | push[1]));

	if (seconds & ~(firsts << 3))
		return fw_refuse(c, FW_SYN_FLOW_ACTION,
				 "action 0x%x: a second VLAN tag is removed or added without a "
				 "first one",
				 act->action);
	for (unsigned int i = 0; i < FLOW_VLANS; i++) {
		uint32_t type = act->push[i] >> 16;

		if (act->action & push[i] && type != ETHERTYPE_CVLAN && type != ETHERTYPE_SVLAN)
			return fw_refuse(c, FW_SYN_FLOW_ACTION,
					 "push_vlan%s.ethtype 0x%x is no VLAN tag's", i ? "_2" : "",
					 type);
	}
	return 0;
}

/* --- contexts ------------------------------------------------------------------------------- */

static int fw_flow_entry_take_modify(struct fw_cmd *c, const struct flow_table *t, const void *ctx,
				     struct flow_actions *act)
{
	struct flow_modify *m;

	if (!(act->action & PRM_FLOW_ACTION_MOD_HDR))
		return 0;
	m = fw_find(c, OBJ_MODIFY_HEADER, prm_flow_context_get_modify_header_id(ctx),
		    "modify_header_id");
	if (!m)
		return -1;
	if (m->table_type != t->type)
		return fw_refuse(c, FW_SYN_TABLE_TYPE,
				 "modify_header_id 0x%x was made for tables of type %u", m->o.id,
				 m->table_type);
	obj_get(&m->o);
	act->modify = m;
	return 0;
}

static bool fw_flow_entry_ends_tunnel(const struct flow_reformat *r)
{
	return r->type == PRM_REFORMAT_TYPE_L3_TUNNEL_TO_L2;
}

static struct flow_reformat *fw_flow_entry_reformat(struct fw_cmd *c, const struct flow_table *t,
						    uint32_t id)
{
	if (t->reformat_en)
		return fw_find(c, OBJ_REFORMAT, id, "packet_reformat_id");
	fw_refuse(c, FW_SYN_FLOW_ACTION, "packet_reformat_id 0x%x: the table needs reformat_en",
		  id);
	return NULL;
}

/*
 * Tunnels end at packets that arrive, and begin at packets that are sent. [I] A table of the FDB has
 * both kinds of packets.
 */
static int fw_flow_entry_check_side(struct fw_cmd *c, const struct flow_table *t,
				    const struct flow_reformat *r)
{
	bool ends = fw_flow_entry_ends_tunnel(r);

	if (r->type > PRM_REFORMAT_TYPE_L2_TO_L3_TUNNEL) /* at packets of both kinds */
		return 0;
	if (t->type != (ends ? PRM_FLOW_TABLE_TYPE_NIC_TX : PRM_FLOW_TABLE_TYPE_NIC_RX))
		return 0;
	return fw_refuse(c, FW_SYN_FLOW_ACTION,
			 "packet_reformat_id 0x%x (reformat_type %u) %s, and the packets of table "
			 "0x%x %s",
			 r->o.id, r->type, ends ? "ends a tunnel" : "begins a tunnel", t->o.id,
			 ends ? "are sent" : "arrive");
}

struct flow_reformat *fw_flow_reformat_begin(struct fw_cmd *c, const struct flow_table *t,
					     uint32_t id)
{
	struct flow_reformat *r = fw_flow_entry_reformat(c, t, id);
	const bool removes = r && r->type == PRM_REFORMAT_TYPE_REMOVE_HDR;

	if (!r || !(removes || fw_flow_entry_ends_tunnel(r)))
		return r;
	fw_refuse(c, FW_SYN_FLOW_ACTION,
		  "packet_reformat_id 0x%x (reformat_type %u) of a destination %s", id, r->type,
		  removes ? "removes a header" : "ends a tunnel");
	return NULL;
}

/* Only packets from the wire have tunnels to end. */
static int fw_flow_entry_check_decap(struct fw_cmd *c, const struct flow_table *t,
				     const struct flow_actions *act)
{
	const bool l2 = act->action & PRM_FLOW_ACTION_DECAP;
	const bool l3 = act->reformat && fw_flow_entry_ends_tunnel(act->reformat);

	if (l2 && !t->decap_en)
		return fw_refuse(c, FW_SYN_FLOW_ACTION,
				 "action 0x%x: DECAP needs a table with decap_en", act->action);
	if (l2 && l3)
		return fw_refuse(c, FW_SYN_FLOW_ACTION,
				 "action 0x%x: DECAP and packet_reformat_id 0x%x both end a tunnel",
				 act->action, act->reformat->o.id);
	if ((!l2 && !l3) || act->source != PRM_FLOW_SOURCE_LOCAL_VPORT)
		return 0;
	return fw_refuse(c, FW_SYN_FLOW_ACTION,
			 "flow_source %u: only packets from the uplink (1) have a tunnel to end",
			 act->source);
}

static int fw_flow_entry_take_reformat(struct fw_cmd *c, const struct flow_table *t,
				       const void *ctx, struct flow_actions *act)
{
	struct flow_reformat *r;

	if (act->action & PRM_FLOW_ACTION_PACKET_REFORMAT) {
		r = fw_flow_entry_reformat(c, t, prm_flow_context_get_packet_reformat_id(ctx));
		if (!r || fw_flow_entry_check_side(c, t, r))
			return -1;
		obj_get(&r->o);
		act->reformat = r;
	}
	return fw_flow_entry_check_decap(c, t, act);
}

static int fw_flow_entry_take_aso(struct fw_cmd *c, const void *ctx, struct flow_actions *act)
{
	const void *aso = prm_flow_context_cat_execute_aso(ctx, 0);
	const void *meter =
		prm_exe_aso_ctrl_cat_exe_aso_ctrl_flow_meter(prm_execute_aso_cat_exe_aso_ctrl(aso));
	const uint32_t reg = prm_exe_aso_ctrl_flow_meter_get_return_reg_id(meter);
	const bool wanted = act->action & PRM_FLOW_ACTION_EXECUTE_ASO;

	if (wanted != prm_execute_aso_get_valid(aso))
		return fw_refuse(c, FW_SYN_FLOW_ACTION, "action 0x%x: execute_aso[0].valid is %u",
				 act->action, !wanted);
	if (!wanted)
		return 0;
	if (prm_exe_aso_ctrl_flow_meter_get_aso_type(meter) != PRM_STE_ASO_TYPE_POLICERS)
		return fw_refuse(c, FW_SYN_UNSUPPORTED, "aso_type %u: entries have meters (2) only",
				 prm_exe_aso_ctrl_flow_meter_get_aso_type(meter));
	if (!(1u << reg & VHCA_METER_REGISTERS))
		return fw_refuse(c, FW_SYN_INDEX, "return_reg_id %u: cap 2's return_reg_id is 0x%x",
				 reg, VHCA_METER_REGISTERS);
	act->aso =
		fw_find(c, OBJ_ASO_METER, prm_execute_aso_get_aso_object_id(aso), "aso_object_id");
	if (!act->aso)
		return -1;
	obj_get(act->aso);
	act->aso_reg_c = (uint8_t)reg;
	act->aso_line = (uint8_t)prm_exe_aso_ctrl_flow_meter_get_meter_id(meter);
	act->aso_color = (uint8_t)prm_exe_aso_ctrl_flow_meter_get_init_color(meter);
	return 0;
}

static void fw_flow_entry_put_aso(const struct flow_actions *act, void *ctx)
{
	void *aso = prm_flow_context_at_execute_aso(ctx, 0);
	void *meter =
		prm_exe_aso_ctrl_at_exe_aso_ctrl_flow_meter(prm_execute_aso_at_exe_aso_ctrl(aso));

	prm_execute_aso_set_valid(aso, 1);
	prm_execute_aso_set_aso_object_id(aso, act->aso->o.id);
	prm_exe_aso_ctrl_flow_meter_set_return_reg_id(meter, act->aso_reg_c);
	prm_exe_aso_ctrl_flow_meter_set_aso_type(meter, PRM_STE_ASO_TYPE_POLICERS);
	prm_exe_aso_ctrl_flow_meter_set_init_color(meter, act->aso_color);
	prm_exe_aso_ctrl_flow_meter_set_meter_id(meter, act->aso_line);
}

/* Takes references to all objects that the actions name, or refuses and takes none. */
static int fw_flow_entry_take_act(struct fw_cmd *c, const struct flow_table *t,
				  struct flow_actions *act)
{
	const void *ctx = prm_set_fte_in_cat_flow_context(c->in);
	*act = (struct flow_actions){
		.action = (uint16_t)prm_flow_context_get_action(ctx),
		.source = (uint8_t)prm_flow_context_get_flow_source(ctx),
		.extended = prm_flow_context_get_extended_destination(ctx),
		.push = {prm_load32(prm_flow_context_cat_push_vlan(ctx), 0),
			 prm_load32(prm_flow_context_cat_push_vlan_2(ctx), 0)},
		.tag = prm_flow_context_get_flow_tag(ctx),
	};
	if (fw_flow_entry_check_action(c, act->action, t->type) ||
	    fw_flow_entry_check_features(c, ctx, t->type) || fw_flow_entry_check_vlans(c, act) ||
	    fw_flow_dest_check_lists(c, ctx, act->action))
		return -1;
	if (fw_flow_dest_take(c, t, prm_flow_context_get_destination_list_size(ctx), act) ||
	    fw_flow_dest_take_counters(c, prm_flow_context_get_flow_counter_list_size(ctx), act) ||
	    fw_flow_entry_take_modify(c, t, ctx, act) || fw_flow_entry_take_aso(c, ctx, act) ||
	    fw_flow_entry_take_reformat(c, t, ctx, act)) {
		flow_actions_put(act);
		return -1;
	}
	return 0;
}

/* --- commands ------------------------------------------------------------------------------- */

static int fw_flow_entry_add(struct fw_cmd *c, struct flow_table *t, uint32_t index)
{
	const void *ctx = prm_set_fte_in_cat_flow_context(c->in);
	struct flow_group *g = fw_flow_group(c, t, prm_flow_context_get_group_id(ctx));
	struct flow_entry *e;
	struct flow_actions act;

	if (!g)
		return -1;
	if (index < g->start || index > g->end)
		return fw_refuse(c, FW_SYN_INDEX, "flow_index %u: group 0x%x has entries %u to %u",
				 index, g->o.id, g->start, g->end);
	if (flow_entry_at(t, index))
		return fw_refuse(c, FW_SYN_INDEX, "flow_index %u: there is an entry already",
				 index);
	if (fw_flow_entry_take_act(c, t, &act))
		return -1;
	e = flow_entry_new(g, index, prm_flow_context_cat_match_value(ctx));
	if (!e) {
		flow_actions_put(&act);
		return fw_refuse(c, FW_SYN_MEMORY, "no memory for an entry");
	}
	e->act = act;
	flow_entry_show(e);
	return 0;
}

#define SWAP(a, b)                   \
	do {                         \
		__typeof__(a) t = a; \
		a = b;               \
		b = t;               \
	} while (0)

/* Swaps the parts that the mask does not name; a second call undoes the first. */
static void fw_flow_entry_swap(struct flow_actions *a, struct flow_actions *b, uint32_t mask)
{
	if (!(mask & MODIFY_ACTION)) {
		SWAP(a->action, b->action);
		SWAP(a->source, b->source);
		SWAP(a->push[0], b->push[0]);
		SWAP(a->push[1], b->push[1]);
		SWAP(a->modify, b->modify);
		SWAP(a->reformat, b->reformat);
		SWAP(a->aso, b->aso);
		SWAP(a->aso_reg_c, b->aso_reg_c);
		SWAP(a->aso_line, b->aso_line);
		SWAP(a->aso_color, b->aso_color);
	}
	if (!(mask & MODIFY_TAG))
		SWAP(a->tag, b->tag);
	if (!(mask & MODIFY_DESTS)) {
		SWAP(a->dests, b->dests);
		SWAP(a->ndests, b->ndests);
		SWAP(a->extended, b->extended);
	}
	if (!(mask & MODIFY_COUNTERS)) {
		SWAP(a->counters, b->counters);
		SWAP(a->ncounters, b->ncounters);
	}
}

static bool fw_flow_entry_agrees(const struct flow_actions *a)
{
	return !a->ndests == !(a->action & PRM_FLOW_ACTION_FWD_DEST) &&
	       !a->ncounters == !(a->action & PRM_FLOW_ACTION_COUNT);
}

/*
 * Replaces the parts of an entry that the mask names; the others stay. [I] The command has a whole
 * entry.
 */
static int fw_flow_entry_modify(struct fw_cmd *c, struct flow_table *t, uint32_t index)
{
	uint32_t mask = prm_set_fte_in_get_modify_enable_mask(c->in);
	struct flow_entry *e = flow_entry_at(t, index);
	struct flow_actions act;
	bool agrees;

	if (!e)
		return fw_refuse(c, FW_SYN_INDEX, "flow_index %u: there is no entry to modify",
				 index);
	if (!mask || mask & ~MODIFY_ALL)
		return fw_refuse(c, FW_SYN_UNSUPPORTED,
				 "modify_enable_mask 0x%x: bits within 0x%x are needed", mask,
				 MODIFY_ALL);
	if (fw_flow_entry_take_act(c, t, &act))
		return -1;
	flow_entry_hide(e);
	fw_flow_entry_swap(&e->act, &act, MODIFY_ALL & ~mask);
	agrees = fw_flow_entry_agrees(&e->act);
	if (!agrees)
		fw_flow_entry_swap(&e->act, &act, MODIFY_ALL & ~mask);
	flow_entry_show(e);
	flow_actions_put(&act);
	return agrees ? 0
		      : fw_refuse(c, FW_SYN_FLOW_ACTION,
				  "modify_enable_mask 0x%x: the parts that stay contradict the "
				  "action",
				  mask);
}

int fw_set_fte(struct fw_cmd *c)
{
	uint32_t index = prm_set_fte_in_get_flow_index(c->in);
	struct flow_table *t;

	if (c->op_mod > OP_MODIFY)
		return fw_refuse(c, FW_SYN_OP_MOD, "op_mod 0x%x: 0 adds an entry, 1 modifies it",
				 c->op_mod);
	t = fw_flow_named_table(c);
	if (!t)
		return -1;
	return c->op_mod == OP_ADD ? fw_flow_entry_add(c, t, index)
				   : fw_flow_entry_modify(c, t, index);
}

static struct flow_entry *fw_flow_entry_find(struct fw_cmd *c, uint32_t index)
{
	struct flow_table *t = fw_flow_named_table(c);
	struct flow_entry *e = t ? flow_entry_at(t, index) : NULL;

	if (t && !e)
		fw_refuse(c, FW_SYN_INDEX, "flow_index %u: table 0x%x has no entry there", index,
			  t->o.id);
	return e;
}

int fw_query_fte(struct fw_cmd *c)
{
	void *ctx = prm_query_fte_out_at_flow_context(c->out);
	const struct flow_entry *e = fw_flow_entry_find(c, prm_query_fte_in_get_flow_index(c->in));
	size_t lists;

	if (!e)
		return -1;
	lists = fw_flow_dest_list_bytes(&e->act);
	if (fw_reply_fits(c, PRM_QUERY_FTE_OUT_BYTES + lists))
		return -1;
	prm_flow_context_set_group_id(ctx, e->group->o.id);
	prm_flow_context_set_flow_tag(ctx, e->act.tag);
	prm_flow_context_set_action(ctx, e->act.action);
	prm_flow_context_set_flow_source(ctx, e->act.source);
	prm_flow_context_set_extended_destination(ctx, e->act.extended);
	prm_store32(prm_flow_context_at_push_vlan(ctx), 0, e->act.push[0]);
	prm_store32(prm_flow_context_at_push_vlan_2(ctx), 0, e->act.push[1]);
	prm_flow_context_set_destination_list_size(ctx, e->act.ndests);
	prm_flow_context_set_flow_counter_list_size(ctx, e->act.ncounters);
	if (e->act.modify)
		prm_flow_context_set_modify_header_id(ctx, e->act.modify->o.id);
	if (e->act.aso)
		fw_flow_entry_put_aso(&e->act, ctx);
	if (e->act.reformat)
		prm_flow_context_set_packet_reformat_id(ctx, e->act.reformat->o.id);
	memcpy(prm_flow_context_at_match_value(ctx), e->value, sizeof(e->value));
	fw_flow_dest_put(&e->act, (uint8_t *)c->out + PRM_QUERY_FTE_OUT_BYTES);
	return 0;
}

int fw_delete_fte(struct fw_cmd *c)
{
	struct flow_entry *e = fw_flow_entry_find(c, prm_delete_fte_in_get_flow_index(c->in));

	if (!e)
		return -1;
	flow_entry_free(e);
	return 0;
}
