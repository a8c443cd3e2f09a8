/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists of an entry's destinations and counters, in the ordinary and the extended format. */
#include <stdlib.h>
#include "cmd.h"
#include "flow_dest.h"
#include "obj/counter.h"
#include "obj/device.h"
#include "obj/flow.h"
#include "obj/tir.h"

#define MAX_DESTS    (1u << VHCA_LOG_MAX_FLOW_DESTS)
#define MAX_COUNTERS (1u << VHCA_LOG_MAX_ENTRY_COUNTERS)

_Static_assert(PRM_EXTENDED_DEST_FORMAT_BYTES == 2 * PRM_DEST_FORMAT_STRUCT_BYTES,
	       "an extended entry takes two places of a list");

/* Returns the bytes of an entry of the lists. */
static size_t fw_flow_dest_bytes(bool extended)
{
	return extended ? PRM_EXTENDED_DEST_FORMAT_BYTES : PRM_DEST_FORMAT_STRUCT_BYTES;
}

static const void *fw_flow_dest_at(const struct fw_cmd *c, bool extended, uint32_t i)
{
	return (const uint8_t *)c->in + PRM_SET_FTE_IN_BYTES + i * fw_flow_dest_bytes(extended);
}

int fw_flow_dest_check_lists(struct fw_cmd *c, const void *ctx, uint32_t action)
{
	uint32_t dests = prm_flow_context_get_destination_list_size(ctx);
	uint32_t counters = prm_flow_context_get_flow_counter_list_size(ctx);
	uint64_t places = prm_flow_context_get_extended_destination(ctx) ? 2 : 1;

	if (!dests != !(action & PRM_FLOW_ACTION_FWD_DEST) || dests > MAX_DESTS)
		return fw_refuse(c, FW_SYN_FLOW_ACTION,
				 "destination_list_size %u: action is 0x%x, and at most %u fit",
				 dests, action, MAX_DESTS);
	if (!counters != !(action & PRM_FLOW_ACTION_COUNT) || counters > MAX_COUNTERS)
		return fw_refuse(c, FW_SYN_FLOW_ACTION,
				 "flow_counter_list_size %u: action is 0x%x, and at most %u fit",
				 counters, action, MAX_COUNTERS);
	return fw_list_fits(c, PRM_SET_FTE_IN_BYTES, ((uint64_t)dests + counters) * places,
			    "destination");
}

/* --- kinds of destinations ---------------------------------------------------------------------- */

typedef int fw_flow_dest_fn(struct fw_cmd *, const struct flow_table *from, uint32_t id,
			    struct flow_dest *);

static int fw_flow_dest_find_table(struct fw_cmd *c, const struct flow_table *from, uint32_t id,
				   struct flow_dest *d)
{
	struct flow_table *t = fw_flow_target(c, from, id, "destination_id");

	if (!t || (!prm_set_fte_in_get_ignore_flow_level(c->in) &&
		   fw_flow_level(c, from, t, "destination_id")))
		return -1;
	d->obj = &t->o;
	return 0;
}

static int fw_flow_dest_find_tir(struct fw_cmd *c, const struct flow_table *from, uint32_t id,
				 struct flow_dest *d)
{
	if (from->type != PRM_FLOW_TABLE_TYPE_NIC_RX)
		return fw_refuse(
			c, FW_SYN_FLOW_ACTION,
			"destination_type TIR: table 0x%x is not for packets that are received",
			from->o.id);
	d->obj = fw_find(c, OBJ_TIR, id, "destination_id");
	return d->obj ? 0 : -1;
}

static int fw_flow_dest_check_fdb(struct fw_cmd *c, const struct flow_table *from, const char *type)
{
	if (from->type == PRM_FLOW_TABLE_TYPE_FDB)
		return 0;
	return fw_refuse(c, FW_SYN_FLOW_ACTION, "destination_type %s: table 0x%x is not of the FDB",
			 type, from->o.id);
}

static int fw_flow_dest_find_vport(struct fw_cmd *c, const struct flow_table *from, uint32_t id,
				   struct flow_dest *d)
{
	if (fw_flow_dest_check_fdb(c, from, "VPORT"))
		return -1;
	if (id != VPORT_UPLINK && !device_vhca_by_vport(c->vhca->dev, id))
		return fw_refuse(c, FW_SYN_FUNCTION,
				 "destination_id 0x%x: no function has this vport", id);
	d->vport = (uint16_t)id;
	return 0;
}

/* Linux's driver leaves the id of an uplink 0. */
static int fw_flow_dest_find_uplink(struct fw_cmd *c, const struct flow_table *from, uint32_t id,
				    struct flow_dest *d)
{
	if (fw_flow_dest_check_fdb(c, from, "UPLINK"))
		return -1;
	if (id)
		return fw_refuse(c, FW_SYN_RESERVED,
				 "destination_id 0x%x: a destination_type UPLINK has none", id);
	d->vport = VPORT_UPLINK;
	return 0;
}

static int fw_flow_dest_find_sampler(struct fw_cmd *c, const struct flow_table *from, uint32_t id,
				     struct flow_dest *d)
{
	struct flow_sampler *s = fw_find(c, OBJ_SAMPLER, id, "destination_id");
	const struct flow_table as_level = {.o.id = id, .level = s ? s->level : 0};

	if (!s)
		return -1;
	if (s->type != from->type)
		return fw_refuse(c, FW_SYN_TABLE_TYPE,
				 "destination_id 0x%x: the sampler was made for tables of type %u",
				 id, s->type);
	d->obj = &s->o;
	return prm_set_fte_in_get_ignore_flow_level(c->in)
		       ? 0
		       : fw_flow_level(c, from, &as_level, "destination_id");
}

static const struct fw_flow_dest_kind {
	fw_flow_dest_fn *find;
	uint8_t type; /* PRM flow_dest_type */
} kinds[FLOW_DEST_KINDS] = {
	[FLOW_TO_TABLE] = {fw_flow_dest_find_table, PRM_FLOW_DEST_TYPE_FLOW_TABLE},
	[FLOW_TO_TIR] = {fw_flow_dest_find_tir, PRM_FLOW_DEST_TYPE_TIR},
	[FLOW_TO_VPORT] = {fw_flow_dest_find_vport, PRM_FLOW_DEST_TYPE_VPORT},
	[FLOW_TO_UPLINK] = {fw_flow_dest_find_uplink, PRM_FLOW_DEST_TYPE_UPLINK},
	[FLOW_TO_SAMPLER] = {fw_flow_dest_find_sampler, PRM_FLOW_DEST_TYPE_FLOW_SAMPLER},
};

/* --- reading ------------------------------------------------------------------------------------ */

static int fw_flow_dest_check_kind(struct fw_cmd *c, const struct flow_table *from, uint32_t type,
				   enum flow_dest_kind kind)
{
	if (kind == FLOW_DEST_KINDS)
		return fw_refuse(c, FW_SYN_UNSUPPORTED,
				 "destination_type %u: only VPORT (0), FLOW_TABLE (1), TIR (2), "
				 "FLOW_SAMPLER (6) and UPLINK (8) are implemented",
				 type);
	if (from->termination && (kind == FLOW_TO_TABLE || kind == FLOW_TO_SAMPLER))
		return fw_refuse(
			c, FW_SYN_FLOW_ACTION,
			"destination_type %u: table 0x%x has termination_table, so packets "
			"end there",
			type, from->o.id);
	return 0;
}

static int fw_flow_dest_find(struct fw_cmd *c, const struct flow_table *from, const void *entry,
			     struct flow_dest *d)
{
	uint32_t type = prm_dest_format_struct_get_destination_type(entry);

	if (prm_dest_format_struct_get_destination_eswitch_owner_vhca_id_valid(entry))
		return fw_refuse(c, FW_SYN_CAP_CLEAR,
				 "a destination names another e-switch: merged_eswitch is 0");
	for (d->kind = 0; d->kind < FLOW_DEST_KINDS && kinds[d->kind].type != type;)
		d->kind++;
	return fw_flow_dest_check_kind(c, from, type, d->kind) ||
			       kinds[d->kind].find(
				       c, from, prm_dest_format_struct_get_destination_id(entry), d)
		       ? -1
		       : 0;
}

/* Finds the tunnel that begins at this destination; 0 without one. */
static int fw_flow_dest_find_reformat(struct fw_cmd *c, const struct flow_table *from,
				      const void *entry, bool extended, struct flow_dest *d)
{
	uint32_t id;

	if (!prm_dest_format_struct_get_packet_reformat(entry))
		return 0;
	if (!extended)
		return fw_refuse(c, FW_SYN_FLOW_ACTION,
				 "packet_reformat of a destination needs extended_destination");
	id = prm_extended_dest_format_get_packet_reformat_id(entry);
	d->reformat = fw_flow_reformat_begin(c, from, id);
	return d->reformat ? 0 : -1;
}

int fw_flow_dest_take(struct fw_cmd *c, const struct flow_table *t, uint32_t n,
		      struct flow_actions *act)
{
	act->dests = n ? calloc(n, sizeof(*act->dests)) : NULL;
	if (n && !act->dests)
		return fw_refuse(c, FW_SYN_MEMORY, "no memory for %u destinations", n);
	for (uint32_t i = 0; i < n; i++) {
		const void *entry = fw_flow_dest_at(c, act->extended, i);
		struct flow_dest d = {0};

		if (fw_flow_dest_find(c, t, entry, &d) ||
		    fw_flow_dest_find_reformat(c, t, entry, act->extended, &d))
			return -1;
		if (d.obj)
			obj_get(d.obj);
		if (d.reformat)
			obj_get(&d.reformat->o);
		act->dests[act->ndests++] = d;
	}
	return 0;
}

int fw_flow_dest_take_counters(struct fw_cmd *c, uint32_t n, struct flow_actions *act)
{
	act->counters = n ? calloc(n, sizeof(*act->counters)) : NULL;
	if (n && !act->counters)
		return fw_refuse(c, FW_SYN_MEMORY, "no memory for a counter");
	for (uint32_t i = 0; i < n; i++) {
		uint32_t id = prm_flow_counter_list_get_flow_counter_id(
			fw_flow_dest_at(c, act->extended, act->ndests + i));
		struct counter *counter = fw_flow_counter(c, id);

		if (!counter)
			return -1;
		counter->refs++;
		act->counters[act->ncounters++] = (struct flow_count){id, counter};
	}
	return 0;
}

/* --- writing ------------------------------------------------------------------------------------ */

size_t fw_flow_dest_list_bytes(const struct flow_actions *act)
{
	return (act->ndests + act->ncounters) * fw_flow_dest_bytes(act->extended);
}

void fw_flow_dest_put(const struct flow_actions *act, uint8_t *to)
{
	const size_t step = fw_flow_dest_bytes(act->extended);

	for (uint32_t i = 0; i < act->ndests; i++, to += step) {
		const struct flow_dest *d = &act->dests[i];

		prm_dest_format_struct_set_destination_type(to, kinds[d->kind].type);
		prm_dest_format_struct_set_destination_id(to, d->obj ? d->obj->id
							      : d->kind == FLOW_TO_VPORT ? d->vport
											 : 0);
		if (!d->reformat)
			continue;
		prm_dest_format_struct_set_packet_reformat(to, 1);
		prm_extended_dest_format_set_packet_reformat_id(to, d->reformat->o.id);
	}
	for (uint32_t i = 0; i < act->ncounters; i++, to += step)
		prm_flow_counter_list_set_flow_counter_id(to, act->counters[i].id);
}
