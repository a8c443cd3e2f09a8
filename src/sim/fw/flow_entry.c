/* SPDX-License-Identifier: BSD-2-Clause */
/* Entries of firmware's flow tables: a value to compare under the group's mask, and actions. */
#include <stdlib.h>
#include <string.h>
#include "cmd.h"
#include "obj/counter.h"
#include "obj/device.h"
#include "obj/flow.h"
#include "obj/tir.h"

#define OP_ADD	     0 /* SET_FLOW_TABLE_ENTRY.op_mod */
#define OP_MODIFY    1
#define ENTRY_BYTES  8u /* of the list of destinations and counters */
#define MAX_DESTS    (1u << VHCA_LOG_MAX_FLOW_DESTS)
#define MAX_COUNTERS (1u << VHCA_LOG_MAX_ENTRY_COUNTERS)
/* SET_FLOW_TABLE_ENTRY.modify_enable_mask */
#define MODIFY_ACTION	(1u << 0)
#define MODIFY_TAG	(1u << 1)
#define MODIFY_DESTS	(1u << 2)
#define MODIFY_COUNTERS (1u << 3)
#define MODIFY_ALL	(MODIFY_ACTION | MODIFY_TAG | MODIFY_DESTS | MODIFY_COUNTERS)

#define ENDS		(PRM_FLOW_ACTION_ALLOW | PRM_FLOW_ACTION_DROP | PRM_FLOW_ACTION_FWD_DEST)
#define SUPPORTED                                                                                 \
	(ENDS | PRM_FLOW_ACTION_COUNT | PRM_FLOW_ACTION_PACKET_REFORMAT | PRM_FLOW_ACTION_DECAP | \
	 PRM_FLOW_ACTION_MOD_HDR)

static const void *fw_flow_entry_list_at(const struct fw_cmd *c, uint32_t i)
{
	return (const uint8_t *)c->in + PRM_SET_FTE_IN_BYTES + (size_t)i * ENTRY_BYTES;
}

/* --- actions -------------------------------------------------------------------------------- */

static int fw_flow_entry_check_action(struct fw_cmd *c, uint32_t action, uint32_t type)
{
	uint32_t ends = action & ENDS;

	if (action & ~(uint32_t)SUPPORTED)
		return fw_refuse(c, FW_SYN_CAP_CLEAR,
				 "action 0x%x: only ALLOW, DROP, FWD_DEST, COUNT, PACKET_REFORMAT, "
				 "DECAP and MOD_HDR (0x%x) are implemented",
				 action, SUPPORTED);
	/* [I] An entry has exactly one action that ends the walk or leads to a table. */
	if (!ends || ends & (ends - 1))
		return fw_refuse(c, FW_SYN_FLOW_ACTION,
				 "action 0x%x: one of ALLOW, DROP and FWD_DEST is needed", action);
	if (ends == PRM_FLOW_ACTION_ALLOW && type != PRM_FLOW_TABLE_TYPE_NIC_TX)
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
	const struct fw_absent features[] = {
		{prm_flow_context_get_extended_destination(ctx), "extended_destination",
		 "each entry has one packet reformat"},
		{type == PRM_FLOW_TABLE_TYPE_NIC_RX ? 0 : prm_flow_context_get_flow_tag(ctx),
		 "flow_tag", "packets that are sent or switched carry none"},
		{fw_flow_entry_aso(ctx, 0), "execute_aso[0].valid", "there are no ASO objects"},
		{fw_flow_entry_aso(ctx, 1), "execute_aso[1].valid", "there are no ASO objects"},
		{fw_flow_entry_aso(ctx, 2), "execute_aso[2].valid", "there are no ASO objects"},
		{fw_flow_entry_aso(ctx, 3), "execute_aso[3].valid", "there are no ASO objects"},
	};

	return FW_CHECK_ABSENT(c, features);
}

/* --- lists ---------------------------------------------------------------------------------- */

static int fw_flow_entry_check_lists(struct fw_cmd *c, const void *ctx, uint32_t action)
{
	uint32_t dests = prm_flow_context_get_destination_list_size(ctx);
	uint32_t counters = prm_flow_context_get_flow_counter_list_size(ctx);

	if (!dests != !(action & PRM_FLOW_ACTION_FWD_DEST) || dests > MAX_DESTS)
		return fw_refuse(c, FW_SYN_FLOW_ACTION,
				 "destination_list_size %u: action is 0x%x, and at most %u fit",
				 dests, action, MAX_DESTS);
	if (!counters != !(action & PRM_FLOW_ACTION_COUNT) || counters > MAX_COUNTERS)
		return fw_refuse(c, FW_SYN_FLOW_ACTION,
				 "flow_counter_list_size %u: action is 0x%x, and at most %u fit",
				 counters, action, MAX_COUNTERS);
	return fw_list_fits(c, PRM_SET_FTE_IN_BYTES, (uint64_t)dests + counters, "destination");
}

static int fw_flow_entry_find_table(struct fw_cmd *c, const struct flow_table *from, uint32_t id,
				    struct flow_dest *d)
{
	struct flow_table *t = fw_flow_target(c, from->type, id, "destination_id");

	if (!t || (!prm_set_fte_in_get_ignore_flow_level(c->in) &&
		   fw_flow_level(c, from, t, "destination_id")))
		return -1;
	d->obj = &t->o;
	return 0;
}

static int fw_flow_entry_find_tir(struct fw_cmd *c, const struct flow_table *from, uint32_t id,
				  struct flow_dest *d)
{
	if (from->type != PRM_FLOW_TABLE_TYPE_NIC_RX)
		return fw_refuse(
			c, FW_SYN_FLOW_ACTION,
			"destination_type TIR: table 0x%x is not for packets that are received",
			from->o.id);
	d->kind = FLOW_TO_TIR;
	d->obj = fw_find(c, OBJ_TIR, id, "destination_id");
	return d->obj ? 0 : -1;
}

static int fw_flow_entry_find_vport(struct fw_cmd *c, const struct flow_table *from, uint32_t id,
				    struct flow_dest *d)
{
	if (from->type != PRM_FLOW_TABLE_TYPE_FDB)
		return fw_refuse(c, FW_SYN_FLOW_ACTION,
				 "destination_type VPORT: table 0x%x is not of the FDB",
				 from->o.id);
	if (id != VPORT_UPLINK && !device_vhca_by_vport(c->vhca->dev, id))
		return fw_refuse(c, FW_SYN_FUNCTION,
				 "destination_id 0x%x: no function has this vport", id);
	d->kind = FLOW_TO_VPORT;
	d->vport = (uint16_t)id;
	return 0;
}

static int fw_flow_entry_find_dest(struct fw_cmd *c, const struct flow_table *from,
				   const void *entry, struct flow_dest *d)
{
	uint32_t type = prm_dest_format_struct_get_destination_type(entry);
	uint32_t id = prm_dest_format_struct_get_destination_id(entry);

	if (prm_dest_format_struct_get_destination_eswitch_owner_vhca_id_valid(entry) ||
	    prm_dest_format_struct_get_packet_reformat(entry))
		return fw_refuse(c, FW_SYN_CAP_CLEAR,
				 "a destination names another e-switch or a packet reformat");
	if (type == PRM_FLOW_DEST_TYPE_FLOW_TABLE)
		return fw_flow_entry_find_table(c, from, id, d);
	if (type == PRM_FLOW_DEST_TYPE_TIR)
		return fw_flow_entry_find_tir(c, from, id, d);
	if (type == PRM_FLOW_DEST_TYPE_VPORT)
		return fw_flow_entry_find_vport(c, from, id, d);
	return fw_refuse(c, FW_SYN_UNSUPPORTED,
			 "destination_type %u: only VPORT (0), FLOW_TABLE (1) and TIR (2) are "
			 "implemented",
			 type);
}

static int fw_flow_entry_take_dests(struct fw_cmd *c, const struct flow_table *t, uint32_t n,
				    struct flow_actions *act)
{
	act->dests = n ? calloc(n, sizeof(*act->dests)) : NULL;
	if (n && !act->dests)
		return fw_refuse(c, FW_SYN_MEMORY, "no memory for %u destinations", n);
	for (uint32_t i = 0; i < n; i++) {
		if (fw_flow_entry_find_dest(c, t, fw_flow_entry_list_at(c, i), &act->dests[i]))
			return -1;
		if (act->dests[i].obj)
			obj_get(act->dests[i].obj);
		act->ndests++;
	}
	return 0;
}

static int fw_flow_entry_take_counters(struct fw_cmd *c, uint32_t from, uint32_t n,
				       struct flow_actions *act)
{
	act->counters = n ? calloc(n, sizeof(*act->counters)) : NULL;
	if (n && !act->counters)
		return fw_refuse(c, FW_SYN_MEMORY, "no memory for a counter");
	for (uint32_t i = 0; i < n; i++) {
		uint32_t id = prm_flow_counter_list_get_flow_counter_id(
			fw_flow_entry_list_at(c, from + i));
		struct counter *counter = fw_flow_counter(c, id);

		if (!counter)
			return -1;
		counter->refs++;
		act->counters[act->ncounters++] = (struct flow_count){id, counter};
	}
	return 0;
}

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

/* Tunnels end at packets that arrive, and begin at packets that are sent. [I] */
static int fw_flow_entry_check_side(struct fw_cmd *c, const struct flow_table *t,
				    const struct flow_reformat *r)
{
	bool ends = fw_flow_entry_ends_tunnel(r);

	if (t->type != (ends ? PRM_FLOW_TABLE_TYPE_NIC_TX : PRM_FLOW_TABLE_TYPE_NIC_RX))
		return 0;
	return fw_refuse(c, FW_SYN_FLOW_ACTION,
			 "packet_reformat_id 0x%x (reformat_type %u) %s, and the packets of table "
			 "0x%x %s",
			 r->o.id, r->type, ends ? "ends a tunnel" : "begins a tunnel", t->o.id,
			 ends ? "are sent" : "arrive");
}

static int fw_flow_entry_take_reformat(struct fw_cmd *c, const struct flow_table *t,
				       const void *ctx, struct flow_actions *act)
{
	struct flow_reformat *r;

	if (act->action & PRM_FLOW_ACTION_DECAP && !t->decap_en)
		return fw_refuse(c, FW_SYN_FLOW_ACTION,
				 "action 0x%x: DECAP needs a table with decap_en", act->action);
	if (!(act->action & PRM_FLOW_ACTION_PACKET_REFORMAT))
		return 0;
	if (!t->reformat_en)
		return fw_refuse(c, FW_SYN_FLOW_ACTION,
				 "action 0x%x: PACKET_REFORMAT needs a table with reformat_en",
				 act->action);
	r = fw_find(c, OBJ_REFORMAT, prm_flow_context_get_packet_reformat_id(ctx),
		    "packet_reformat_id");
	if (!r || fw_flow_entry_check_side(c, t, r))
		return -1;
	if (act->action & PRM_FLOW_ACTION_DECAP && fw_flow_entry_ends_tunnel(r))
		return fw_refuse(c, FW_SYN_FLOW_ACTION,
				 "action 0x%x: DECAP and packet_reformat_id 0x%x both end a tunnel",
				 act->action, r->o.id);
	obj_get(&r->o);
	act->reformat = r;
	return 0;
}

/* Takes references to all objects that the actions name, or refuses and takes none. */
static int fw_flow_entry_take_act(struct fw_cmd *c, const struct flow_table *t,
				  struct flow_actions *act)
{
	const void *ctx = prm_set_fte_in_cat_flow_context(c->in);
	uint32_t dests = prm_flow_context_get_destination_list_size(ctx);

	*act = (struct flow_actions){
		.action = (uint16_t)prm_flow_context_get_action(ctx),
		.tag = prm_flow_context_get_flow_tag(ctx),
	};
	if (fw_flow_entry_check_action(c, act->action, t->type) ||
	    fw_flow_entry_check_features(c, ctx, t->type) ||
	    fw_flow_entry_check_lists(c, ctx, act->action))
		return -1;
	if (fw_flow_entry_take_dests(c, t, dests, act) ||
	    fw_flow_entry_take_counters(c, dests, prm_flow_context_get_flow_counter_list_size(ctx),
					act) ||
	    fw_flow_entry_take_modify(c, t, ctx, act) ||
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
		SWAP(a->modify, b->modify);
		SWAP(a->reformat, b->reformat);
	}
	if (!(mask & MODIFY_TAG))
		SWAP(a->tag, b->tag);
	if (!(mask & MODIFY_DESTS)) {
		SWAP(a->dests, b->dests);
		SWAP(a->ndests, b->ndests);
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

	if (!e)
		return fw_refuse(c, FW_SYN_INDEX, "flow_index %u: there is no entry to modify",
				 index);
	if (!mask || mask & ~MODIFY_ALL)
		return fw_refuse(c, FW_SYN_UNSUPPORTED,
				 "modify_enable_mask 0x%x: bits within 0x%x are needed", mask,
				 MODIFY_ALL);
	if (fw_flow_entry_take_act(c, t, &act))
		return -1;
	fw_flow_entry_swap(&e->act, &act, MODIFY_ALL & ~mask);
	if (fw_flow_entry_agrees(&e->act)) {
		flow_actions_put(&act);
		return 0;
	}
	fw_flow_entry_swap(&e->act, &act, MODIFY_ALL & ~mask);
	flow_actions_put(&act);
	return fw_refuse(c, FW_SYN_FLOW_ACTION,
			 "modify_enable_mask 0x%x: the parts that stay contradict the action",
			 mask);
}

int fw_set_fte(struct fw_cmd *c)
{
	uint32_t index = prm_set_fte_in_get_flow_index(c->in);
	struct flow_table *t;

	if (c->op_mod > OP_MODIFY)
		return fw_refuse(c, FW_SYN_OP_MOD, "op_mod 0x%x: 0 adds an entry, 1 modifies it",
				 c->op_mod);
	if (fw_flow_own_vport(c))
		return -1;
	t = fw_flow_named_table(c);
	if (!t)
		return -1;
	return c->op_mod == OP_ADD ? fw_flow_entry_add(c, t, index)
				   : fw_flow_entry_modify(c, t, index);
}

static struct flow_entry *fw_flow_entry_find_entry(struct fw_cmd *c, uint32_t type, uint32_t table,
						   uint32_t index)
{
	struct flow_table *t = fw_flow_table(c, type, table, "table_id");
	struct flow_entry *e = t ? flow_entry_at(t, index) : NULL;

	if (t && !e)
		fw_refuse(c, FW_SYN_INDEX, "flow_index %u: table 0x%x has no entry there", index,
			  table);
	return e;
}

static void fw_flow_entry_put_lists(const struct flow_actions *act, uint8_t *to)
{
	static const uint8_t types[] = {
		[FLOW_TO_TABLE] = PRM_FLOW_DEST_TYPE_FLOW_TABLE,
		[FLOW_TO_TIR] = PRM_FLOW_DEST_TYPE_TIR,
		[FLOW_TO_VPORT] = PRM_FLOW_DEST_TYPE_VPORT,
	};

	for (uint32_t i = 0; i < act->ndests; i++, to += ENTRY_BYTES) {
		const struct flow_dest *d = &act->dests[i];

		prm_dest_format_struct_set_destination_type(to, types[d->kind]);
		prm_dest_format_struct_set_destination_id(to, d->obj ? d->obj->id : d->vport);
	}
	for (uint32_t i = 0; i < act->ncounters; i++, to += ENTRY_BYTES)
		prm_flow_counter_list_set_flow_counter_id(to, act->counters[i].id);
}

int fw_query_fte(struct fw_cmd *c)
{
	void *ctx = prm_query_fte_out_at_flow_context(c->out);
	const struct flow_entry *e = fw_flow_entry_find_entry(
		c, prm_query_fte_in_get_table_type(c->in), prm_query_fte_in_get_table_id(c->in),
		prm_query_fte_in_get_flow_index(c->in));
	size_t lists;

	if (!e)
		return -1;
	lists = (size_t)(e->act.ndests + e->act.ncounters) * ENTRY_BYTES;
	if (fw_reply_fits(c, PRM_QUERY_FTE_OUT_BYTES + lists))
		return -1;
	prm_flow_context_set_group_id(ctx, e->group->o.id);
	prm_flow_context_set_flow_tag(ctx, e->act.tag);
	prm_flow_context_set_action(ctx, e->act.action);
	prm_flow_context_set_destination_list_size(ctx, e->act.ndests);
	prm_flow_context_set_flow_counter_list_size(ctx, e->act.ncounters);
	if (e->act.modify)
		prm_flow_context_set_modify_header_id(ctx, e->act.modify->o.id);
	if (e->act.reformat)
		prm_flow_context_set_packet_reformat_id(ctx, e->act.reformat->o.id);
	memcpy(prm_flow_context_at_match_value(ctx), e->value, sizeof(e->value));
	fw_flow_entry_put_lists(&e->act, (uint8_t *)c->out + PRM_QUERY_FTE_OUT_BYTES);
	return 0;
}

int fw_delete_fte(struct fw_cmd *c)
{
	struct flow_entry *e = fw_flow_entry_find_entry(c, prm_delete_fte_in_get_table_type(c->in),
							prm_delete_fte_in_get_table_id(c->in),
							prm_delete_fte_in_get_flow_index(c->in));

	if (!e || fw_flow_own_vport(c))
		return -1;
	flow_entry_free(e);
	return 0;
}
