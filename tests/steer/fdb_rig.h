/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_FDB_RIG_H
#define TESTS_FDB_RIG_H

/* A chip whose manager has tables of the FDB; packets of functions and the wire, and where they arrive. */
#include "tests/test.h"
#include "chip/datapath.h"
#include "eswitch/eswitch.h"
#include "fw/cmd.h"
#include "port/port.h"
#include "port/wire.h"
#include "walk_rig.h"

#define FDB	 PRM_FLOW_TABLE_TYPE_FDB
#define FWD	 PRM_FLOW_ACTION_FWD_DEST
#define DROP	 PRM_FLOW_ACTION_DROP
#define ANYWHERE 0x10000u /* no vport has this number */

/* --- packets and their arrivals --------------------------------------------------------------- */

#define ARRIVALS 8u
static struct {
	struct arrival {
		const struct vhca *at; /* NULL: the wire */
		uint16_t source_vhca, source_vport;
		uint32_t reg_c[3], len;
		uint8_t bytes[256];
	} a[ARRIVALS];
	unsigned int n;
	struct wire wire;
	bool attached;
} net;

static inline struct arrival *arrival(const uint8_t *bytes, uint32_t len)
{
	struct arrival *a = &net.a[net.n++];

	assert_true(net.n <= ARRIVALS && len <= sizeof(a->bytes));
	*a = (struct arrival){.source_vport = UINT16_MAX, .len = len};
	memcpy(a->bytes, bytes, len);
	return a;
}

static inline void to_kernel(struct vhca *v, const struct packet *p)
{
	struct arrival *a = arrival(p->data, p->len);

	a->at = v;
	a->source_vhca = p->source_vhca;
	a->source_vport = p->source_vport;
	memcpy(a->reg_c, p->reg_c, sizeof(a->reg_c));
}

static inline void wire_send(struct wire *w, const struct frame *frame)
{
	(void)w;
	(void)arrival(frame->data, frame->len);
}

static inline bool wire_room(struct wire *w)
{
	(void)w;
	return true;
}

static inline bool wire_run(struct wire *w)
{
	(void)w;
	return false;
}

static inline void wire_close(struct wire *w)
{
	(void)w;
}

static inline void attach_wire(void)
{
	static const struct wire_ops ops = {
		.send = wire_send, .room = wire_room, .run = wire_run, .close = wire_close};

	net.wire = (struct wire){.ops = &ops};
	port_set_wire(r.f->dev.port, &net.wire);
}

static inline struct vhca *host(void)
{
	return &r.f->dev.vhca[BLUEFIELD2_HOST];
}

static inline struct vhca *dpu(void)
{
	return r.f->dpu;
}

static inline void run(void)
{
	while (datapath_run(&r.f->dev))
		;
}

/* Sends a packet through a function's tables; NULL: from the wire. */
static inline void send_bytes(struct vhca *v, const uint8_t *bytes, uint32_t len)
{
	net.n = 0;
	packet(bytes, len);
	r.p.source_vhca = v ? v->id : STEER_FROM_WIRE;
	r.p.reg_a = r.p.reg_c[1] = 5;
	if (v)
		steer_tx(v, &r.p);
	else
		port_receive(r.f->dev.port, bytes, len, false);
	run();
}

static inline void send_from(struct vhca *v)
{
	send_bytes(v, udp4, sizeof(udp4));
}

static inline void assert_arrives(struct vhca *from, const struct vhca *at)
{
	send_from(from);
	assert_int_equal(net.n, 1);
	assert_ptr_equal(net.a[0].at, at);
	assert_int_equal(net.a[0].source_vport, !at ? UINT16_MAX : from ? from->vport : 0);
	assert_int_equal(net.a[0].source_vhca, !at ? 0 : from ? from->id : STEER_FROM_WIRE);
	assert_memory_equal(net.a[0].bytes, udp4, sizeof(udp4));
}

static inline uint64_t ends(const struct vhca *source, enum steer_end end)
{
	return steer_fdb_stats(&r.f->dev, source)->ends[end];
}

/* Asserts that the packet arrives nowhere, and that its source has one more of these ends. */
static inline void assert_ends(struct vhca *from, enum steer_end end)
{
	uint64_t before = ends(from, end);

	send_from(from);
	assert_int_equal(net.n, 0);
	assert_int_equal(ends(from, end), before + 1);
}

/* --- a tunnel ----------------------------------------------------------------------------------- */

#define TUNNEL_L3    14u
#define TUNNEL_L4    34u
#define TUNNEL_BYTES 50u

static const uint8_t vxlan[TUNNEL_BYTES] = {
	0x02, 0xd7, 0,	  0,	0, 1,  0x02, 0xaa, 0, 0,   0, 1, 0x08, 0,   0x45, 0, 0,
	0,    0,    0,	  64,	0, 61, 17,   0,	   0, 192, 0, 2, 1,    192, 0,	  2, 2,
	0x12, 0x34, 0x12, 0xb5, 0, 0,  0,    0,	   8, 0,   0, 0, 0,    0,   42,	  0};

/* Writes udp4 in the tunnel; returns the bytes. */
static inline uint32_t tunnel_udp4(uint8_t bytes[TUNNEL_BYTES + sizeof(udp4)])
{
	enum { n = TUNNEL_BYTES + sizeof(udp4) };

	memcpy(bytes, vxlan, TUNNEL_BYTES);
	memcpy(bytes + TUNNEL_BYTES, udp4, sizeof(udp4));
	prm_store16(bytes, TUNNEL_L3 + 2, n - TUNNEL_L3);
	prm_store16(bytes, TUNNEL_L4 + 4, n - TUNNEL_L4);
	return n;
}

/* --- fixture: the manager's commands, steering memory, and a wire ------------------------------ */

static const struct steer_ops fdb_ops = {
	.to_wire = eswitch_transmit, .to_vport = eswitch_to_vport, .to_kernel = to_kernel};

static inline int fdb_setup(void **state)
{
	if (fx_setup(state))
		return -1;
	memset(&r, 0, sizeof(r));
	memset(&net, 0, sizeof(net));
	r.f = *state;
	r.f->v = r.f->dpu;
	take(icm_addr(ICM_STE, 0), 18);
	r.stes = (uint8_t *)(uintptr_t)icm_bytes(dpu(), icm_addr(ICM_STE, 0), 1u << 18);
	steer_set_ops(r.f->dev.steer, &fdb_ops);
	attach_wire();
	return 0;
}

static inline int fdb_teardown(void **state)
{
	port_set_wire(r.f->dev.port, NULL);
	r.f->v = host();
	return fx_teardown(state);
}

#define FIXTURE_fdb(name) FIXTURE(name, struct fx *f, fdb_setup, fdb_teardown)

/* --- firmware's entries ------------------------------------------------------------------------ */

/* Makes a table whose entries may have all actions. */
static inline uint32_t table_at(struct fx *f, uint8_t level)
{
	return FX_MAKE(f, CREATE_FLOW_TABLE, {"table_type", FDB},
		       {"flow_table_context.level", level}, {"flow_table_context.log_size", 10},
		       {"flow_table_context.reformat_en", 1}, {"flow_table_context.decap_en", 1});
}

/* Makes a group of entries 0 to 9 that match the source port, or of 10 to 19, which match all. */
static inline uint32_t group_of(struct fx *f, uint32_t table, bool by_source)
{
	return FX_MAKE(f, CREATE_FLOW_GROUP, {"table_type", FDB}, {"table_id", table},
		       {"start_flow_index", by_source ? 0 : 10},
		       {"end_flow_index", by_source ? 9 : 19},
		       {"match_criteria_enable", by_source ? 2 : 0},
		       {"match_criteria.misc_parameters.source_port", by_source ? 0xffff : 0});
}

struct fdb_entry {
	uint32_t table, group, index;
	uint32_t source;
	uint32_t action;
	uint32_t modify, counter, reformat;
	uint32_t side;	 /* flow_source */
	uint32_t tag[2]; /* push_vlan, push_vlan_2: VLAN numbers */
	uint32_t type[2], id[2], ndests;
	bool extended;
	uint32_t begins[2]; /* reformats of destinations; 0: none */
};

static inline size_t fill_fdb_entry(const struct fdb_entry *e, uint8_t in[RIG_FTE])
{
	uint8_t *at = in + PRM_SET_FTE_IN_BYTES;
	const unsigned int step = e->extended ? 16 : 8;

	memset(in, 0, RIG_FTE);
	FX_SET(in, SET_FLOW_TABLE_ENTRY, {"table_type", FDB}, {"table_id", e->table},
	       {"flow_index", e->index}, {"flow_context.group_id", e->group},
	       {"flow_context.action", e->action}, {"flow_context.modify_header_id", e->modify},
	       {"flow_context.packet_reformat_id", e->reformat},
	       {"flow_context.flow_source", e->side},
	       {"flow_context.extended_destination", e->extended},
	       {"flow_context.push_vlan.ethtype", e->tag[0] ? 0x8100 : 0},
	       {"flow_context.push_vlan.vid", e->tag[0]},
	       {"flow_context.push_vlan_2.ethtype", e->tag[1] ? 0x88a8 : 0},
	       {"flow_context.push_vlan_2.vid", e->tag[1]},
	       {"flow_context.destination_list_size", e->ndests},
	       {"flow_context.flow_counter_list_size", !!e->counter},
	       {"flow_context.match_value.misc_parameters.source_port", e->source & 0xffff});
	for (unsigned int i = 0; i < e->ndests; i++, at += step) {
		prm_dest_format_struct_set_destination_type(at, e->type[i]);
		prm_dest_format_struct_set_destination_id(at, e->id[i]);
		prm_dest_format_struct_set_packet_reformat(at, !!e->begins[i]);
		if (e->extended)
			prm_extended_dest_format_set_packet_reformat_id(at, e->begins[i]);
	}
	if (e->counter)
		prm_flow_counter_list_set_flow_counter_id(at, e->counter);
	return (size_t)(at - in) + (e->counter ? step : 0);
}

static inline void add_entry(struct fx *f, struct fdb_entry e)
{
	uint8_t in[RIG_FTE];
	size_t len = fill_fdb_entry(&e, in);

	assert_int_equal(FX_EXEC(f, SET_FLOW_TABLE_ENTRY, in, len), 0);
}

/* A root table with both groups. */
struct fdb_root {
	uint32_t table, by_source, all;
};

static inline struct fdb_root make_root(struct fx *f)
{
	struct fdb_root root = {.table = table_at(f, 0)};

	root.by_source = group_of(f, root.table, true);
	root.all = group_of(f, root.table, false);
	rig_root(f, FDB, root.table);
	return root;
}

/* Adds an entry for packets of this source to a vport. */
static inline void to_vport(struct fx *f, const struct fdb_root *root, uint16_t source,
			    uint32_t vport)
{
	static uint32_t index;

	add_entry(f, (struct fdb_entry){.table = root->table,
					.group = root->by_source,
					.index = index++ % 10,
					.source = source,
					.action = FWD,
					.ndests = 1,
					.type = {PRM_FLOW_DEST_TYPE_VPORT},
					.id = {vport}});
}

#endif
