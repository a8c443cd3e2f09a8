/* SPDX-License-Identifier: BSD-2-Clause */
#include "flow_rig.h"

static struct rig_end end; /* end of the current packet */

uint32_t rig_table(struct fx *f, struct rig_table t)
{
	return FX_MAKE(f, CREATE_FLOW_TABLE, {"table_type", t.type},
		       {"flow_table_context.level", t.level}, {"flow_table_context.log_size", 10},
		       {"flow_table_context.sw_owner", !!t.icm},
		       {"flow_table_context.sw_owner_icm_root_0", t.icm},
		       {"flow_table_context.table_miss_action", !!t.miss},
		       {"flow_table_context.table_miss_id", t.miss});
}

void rig_root(struct fx *f, uint8_t type, uint32_t table)
{
	FX_MAKE(f, SET_FLOW_TABLE_ROOT, {"table_type", type}, {"table_id", table});
}

uint32_t rig_group(struct fx *f, uint8_t type, uint32_t table, uint32_t start, uint32_t end_index,
		   uint16_t bits)
{
	return FX_MAKE(f, CREATE_FLOW_GROUP, {"table_type", type}, {"table_id", table},
		       {"start_flow_index", start}, {"end_flow_index", end_index},
		       {"match_criteria_enable", !!bits},
		       {"match_criteria.outer_headers.udp_dport", bits},
		       {"match_criteria.outer_headers.ip_protocol", bits ? 0xff : 0});
}

static uint8_t *put_dest(uint8_t *at, uint32_t type, uint32_t id)
{
	if (!id)
		return at;
	prm_dest_format_struct_set_destination_type(at, type);
	prm_dest_format_struct_set_destination_id(at, id);
	return at + 8;
}

size_t rig_fill_entry(const struct rig_entry *e, uint8_t in[RIG_FTE])
{
	uint8_t *at = in + PRM_SET_FTE_IN_BYTES;
	void *ctx = prm_set_fte_in_at_flow_context(in);

	memset(in, 0, RIG_FTE);
	FX_SET(in, SET_FLOW_TABLE_ENTRY, {"table_type", e->type}, {"table_id", e->table},
	       {"flow_index", e->index}, {"flow_context.group_id", e->group},
	       {"flow_context.flow_tag", e->tag}, {"flow_context.action", e->action},
	       {"flow_context.modify_header_id", e->modify},
	       {"flow_context.match_value.outer_headers.udp_dport", e->port},
	       {"flow_context.match_value.outer_headers.ip_protocol", RIG_UDP});
	at = put_dest(at, PRM_FLOW_DEST_TYPE_TIR, e->tir);
	at = put_dest(at, PRM_FLOW_DEST_TYPE_FLOW_TABLE, e->to_table);
	at = put_dest(at, PRM_FLOW_DEST_TYPE_FLOW_TABLE, e->to_table2);
	prm_flow_context_set_destination_list_size(ctx,
						   (uint32_t)(at - in - PRM_SET_FTE_IN_BYTES) / 8);
	if (e->counter) {
		prm_flow_context_set_flow_counter_list_size(ctx, 1);
		prm_flow_counter_list_set_flow_counter_id(at, e->counter);
		at += 8;
	}
	return (size_t)(at - in);
}

void rig_entry(struct fx *f, struct rig_entry e)
{
	uint8_t in[RIG_FTE];
	size_t len = rig_fill_entry(&e, in);

	assert_int_equal(FX_EXEC(f, SET_FLOW_TABLE_ENTRY, in, len), 0);
}

void rig_delete(struct fx *f, uint8_t type, uint32_t table, uint32_t index)
{
	FX_MAKE(f, DELETE_FLOW_TABLE_ENTRY, {"table_type", type}, {"table_id", table},
		{"flow_index", index});
}

uint32_t rig_counter(struct fx *f, uint8_t bulk)
{
	assert_int_equal(FX(f, ALLOC_FLOW_COUNTER, {"flow_counter_bulk", bulk}), 0);
	return prm_alloc_flow_counter_out_get_flow_counter_id(f->out);
}

uint64_t rig_counter_read(struct fx *f, uint32_t counter, bool clear, uint64_t *octets)
{
	uint8_t in[FX_IN];
	size_t len =
		FX_FILL(in, QUERY_FLOW_COUNTER, {"flow_counter_id", counter}, {"clear", clear});
	const void *stats;

	assert_int_equal(fx_exec(f, f->v, PRM_OPCODE_QUERY_FLOW_COUNTER, FX_UID, in, len, 32), 0);
	stats = prm_query_flow_counter_out_cat_flow_statistics(f->out, 0);
	if (octets)
		*octets = prm_traffic_counter_get_octets(stats);
	return prm_traffic_counter_get_packets(stats);
}

uint32_t rig_tir(struct fx *f)
{
	struct tir *t = obj_new(f->v, OBJ_TIR, FX_UID, sizeof(*t));

	assert_non_null(t);
	return t->o.id;
}

void rig_tir_free(struct fx *f, uint32_t tirn)
{
	obj_free(obj_find(f->v, OBJ_TIR, tirn));
}

/* --- packets -------------------------------------------------------------------------------- */

static void keep(const struct packet *p)
{
	end.tag = p->flow_tag;
	end.reg_b = p->reg_b;
	memcpy(end.bytes, p->data, p->len < sizeof(end.bytes) ? p->len : sizeof(end.bytes));
}

static void to_tir(struct tir *t, const struct packet *p)
{
	end.tirs++;
	end.tirn = t->o.id;
	keep(p);
}

static void to_wire(struct vhca *v, const struct packet *p)
{
	(void)v;
	end.wire++;
	keep(p);
}

struct rig_end rig_send(struct fx *f, uint8_t type, uint16_t port)
{
	static const struct steer_ops ops = {.to_tir = to_tir, .to_wire = to_wire};
	static const uint8_t udp[46] =
		"\x02\xd7\x00\x00\x00\x01\x02\xd7\x00\x00\x00\x02\x08\x00"
		"\x45\x00\x00\x20\x00\x00\x00\x00\x40\x11\x66\xca\x0a\x00\x00\x01\x0a\x00\x00\x02"
		"\x30\x39\x00\x00\x00\x0c\x00\x00payl";
	uint8_t bytes[STEER_HEADROOM + sizeof(udp) + STEER_HEADROOM];
	struct packet p = {
		.data = bytes + STEER_HEADROOM,
		.len = sizeof(udp),
		.headroom = STEER_HEADROOM,
		.tailroom = STEER_HEADROOM,
		.source_vhca = type ? f->v->id : STEER_FROM_WIRE,
	};
	struct steer_stats before = *steer_stats(f->v);

	memset(&end, 0, sizeof(end));
	steer_set_ops(f->dev.steer, &ops);
	memcpy(p.data, udp, sizeof(udp));
	p.data[RIG_DPORT_AT] = (uint8_t)(port >> 8);
	p.data[RIG_DPORT_AT + 1] = (uint8_t)port;
	packet_parse_headers(&p);
	if (type)
		steer_tx(f->v, &p);
	else
		steer_rx(f->v, &p);
	for (unsigned int i = 0; i < STEER_ENDS; i++)
		end.stats.ends[i] = steer_stats(f->v)->ends[i] - before.ends[i];
	return end;
}
