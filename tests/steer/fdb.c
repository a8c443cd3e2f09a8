/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves where packets between functions and the wire end when the FDB has a root: at vports, the
 * uplink, the manager or nowhere, by firmware's entries and by software's on both sides; and that
 * without a root the e-switch switches by address.
 */
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
		uint8_t bytes[60];
	} a[ARRIVALS];
	unsigned int n;
	struct wire wire;
	bool attached;
} net;

static struct arrival *arrival(const uint8_t *bytes, uint32_t len)
{
	struct arrival *a = &net.a[net.n++];

	assert_true(net.n <= ARRIVALS && len <= sizeof(a->bytes));
	*a = (struct arrival){.source_vport = UINT16_MAX};
	memcpy(a->bytes, bytes, len);
	return a;
}

static void to_kernel(struct vhca *v, const struct packet *p)
{
	struct arrival *a = arrival(p->data, p->len);

	a->at = v;
	a->source_vhca = p->source_vhca;
	a->source_vport = p->source_vport;
}

static void wire_send(struct wire *w, const struct frame *frame)
{
	(void)w;
	(void)arrival(frame->data, frame->len);
}

static bool wire_room(struct wire *w)
{
	(void)w;
	return true;
}

static bool wire_run(struct wire *w)
{
	(void)w;
	return false;
}

static void wire_close(struct wire *w)
{
	(void)w;
}

static void attach_wire(void)
{
	static const struct wire_ops ops = {
		.send = wire_send, .room = wire_room, .run = wire_run, .close = wire_close};

	net.wire = (struct wire){.ops = &ops};
	port_set_wire(r.f->dev.port, &net.wire);
}

static struct vhca *host(void)
{
	return &r.f->dev.vhca[BLUEFIELD2_HOST];
}

static struct vhca *dpu(void)
{
	return r.f->dpu;
}

static void run(void)
{
	while (datapath_run(&r.f->dev))
		;
}

/* Sends a packet through a function's tables; NULL: from the wire. */
static void send_from(struct vhca *v)
{
	net.n = 0;
	packet(udp4, sizeof(udp4));
	r.p.source_vhca = v ? v->id : STEER_FROM_WIRE;
	r.p.reg_a = r.p.reg_c[1] = 5;
	if (v)
		steer_tx(v, &r.p);
	else
		port_receive(r.f->dev.port, udp4, sizeof(udp4), false);
	run();
}

static void assert_arrives(struct vhca *from, const struct vhca *at)
{
	send_from(from);
	assert_int_equal(net.n, 1);
	assert_ptr_equal(net.a[0].at, at);
	assert_int_equal(net.a[0].source_vport, !at ? UINT16_MAX : from ? from->vport : 0);
	assert_int_equal(net.a[0].source_vhca, !at ? 0 : from ? from->id : STEER_FROM_WIRE);
	assert_memory_equal(net.a[0].bytes, udp4, sizeof(udp4));
}

static uint64_t ends(const struct vhca *source, enum steer_end end)
{
	return steer_fdb_stats(&r.f->dev, source)->ends[end];
}

/* Asserts that the packet arrives nowhere, and that its source has one more of these ends. */
static void assert_ends(struct vhca *from, enum steer_end end)
{
	uint64_t before = ends(from, end);

	send_from(from);
	assert_int_equal(net.n, 0);
	assert_int_equal(ends(from, end), before + 1);
}

/* --- fixture: the manager's commands, steering memory, and a wire ------------------------------ */

static int fdb_setup(void **state)
{
	static const struct steer_ops ops = {
		.to_wire = eswitch_transmit, .to_vport = eswitch_to_vport, .to_kernel = to_kernel};

	if (fx_setup(state))
		return -1;
	memset(&r, 0, sizeof(r));
	memset(&net, 0, sizeof(net));
	r.f = *state;
	r.f->v = r.f->dpu;
	take(icm_addr(ICM_STE, 0), 18);
	r.stes = (uint8_t *)(uintptr_t)icm_bytes(dpu(), icm_addr(ICM_STE, 0), 1u << 18);
	steer_set_ops(r.f->dev.steer, &ops);
	attach_wire();
	return 0;
}

static int fdb_teardown(void **state)
{
	port_set_wire(r.f->dev.port, NULL);
	r.f->v = host();
	return fx_teardown(state);
}

#define FIXTURE_fdb(name) FIXTURE(name, struct fx *f, fdb_setup, fdb_teardown)

/* --- firmware's entries ------------------------------------------------------------------------ */

static uint32_t table_at(struct fx *f, uint8_t level)
{
	return rig_table(f, (struct rig_table){.type = FDB, .level = level});
}

/* Makes a group of entries 0 to 9 that match the source port, or of 10 to 19, which match all. */
static uint32_t group_of(struct fx *f, uint32_t table, bool by_source)
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
	uint32_t modify, counter;
	uint32_t type[2], id[2], ndests;
};

static size_t fill_fdb_entry(const struct fdb_entry *e, uint8_t in[RIG_FTE])
{
	uint8_t *at = in + PRM_SET_FTE_IN_BYTES;

	memset(in, 0, RIG_FTE);
	FX_SET(in, SET_FLOW_TABLE_ENTRY, {"table_type", FDB}, {"table_id", e->table},
	       {"flow_index", e->index}, {"flow_context.group_id", e->group},
	       {"flow_context.action", e->action}, {"flow_context.modify_header_id", e->modify},
	       {"flow_context.destination_list_size", e->ndests},
	       {"flow_context.flow_counter_list_size", !!e->counter},
	       {"flow_context.match_value.misc_parameters.source_port", e->source & 0xffff});
	for (unsigned int i = 0; i < e->ndests; i++, at += 8) {
		prm_dest_format_struct_set_destination_type(at, e->type[i]);
		prm_dest_format_struct_set_destination_id(at, e->id[i]);
	}
	if (e->counter)
		prm_flow_counter_list_set_flow_counter_id(at, e->counter);
	return (size_t)(at - in) + (e->counter ? 8 : 0);
}

static void add_entry(struct fx *f, struct fdb_entry e)
{
	uint8_t in[RIG_FTE];
	size_t len = fill_fdb_entry(&e, in);

	assert_int_equal(FX_EXEC(f, SET_FLOW_TABLE_ENTRY, in, len), 0);
}

/* A root table with both groups. */
struct fdb_root {
	uint32_t table, by_source, all;
};

static struct fdb_root make_root(struct fx *f)
{
	struct fdb_root root = {.table = table_at(f, 0)};

	root.by_source = group_of(f, root.table, true);
	root.all = group_of(f, root.table, false);
	rig_root(f, FDB, root.table);
	return root;
}

/* Adds an entry for packets of this source to a vport. */
static void to_vport(struct fx *f, const struct fdb_root *root, uint16_t source, uint32_t vport)
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

/* Entries send to vports and the uplink. What has no entry goes to the manager, on both sides. */
TEST(fdb, vports)
{
	struct fdb_root root = make_root(f);

	assert_arrives(host(), dpu());
	assert_arrives(NULL, dpu());
	assert_arrives(dpu(), dpu());
	to_vport(f, &root, VPORT_UPLINK, VPORT_PF);
	to_vport(f, &root, VPORT_PF, VPORT_UPLINK);
	to_vport(f, &root, VPORT_ECPF, VPORT_PF);
	assert_arrives(NULL, host());
	assert_arrives(host(), NULL);
	assert_arrives(dpu(), host());
	assert_int_equal(ends(NULL, STEER_VPORT), 2);
	assert_int_equal(ends(host(), STEER_WIRE), 1);
	assert_int_equal(ends(dpu(), STEER_VPORT), 2);
	assert_int_equal(steer_stats(dpu())->ends[STEER_WIRE], 2);
}

/* Without a root, and again when it goes, the address decides; RX tables see the wire as source. */
TEST(fdb, by_address_without_root)
{
	struct fdb_root root;

	for (unsigned int i = 0; i < 2; i++) {
		send_from(dpu());
		assert_int_equal(net.n, 1);
		assert_ptr_equal(net.a[0].at, host()); /* udp4's address is the host's */
		root = make_root(f);
		assert_arrives(host(), dpu());
		if (i)
			assert_int_equal(FX(f, SET_FLOW_TABLE_ROOT, {"op_mod", 1},
					    {"table_type", FDB}, {"table_id", root.table}),
					 0);
		else
			fw_uid_reap(dpu(), FX_UID); /* the root goes with its table */
	}
	send_from(dpu());
	assert_ptr_equal(net.a[0].at, host());
}

/* Drops are counted by source; packets from the wire don't go back; the uplink needs a wire. */
TEST(fdb, drops)
{
	struct fdb_root root = make_root(f);

	to_vport(f, &root, VPORT_UPLINK, VPORT_UPLINK);
	to_vport(f, &root, VPORT_PF, VPORT_UPLINK);
	add_entry(f, (struct fdb_entry){
			     .table = root.table, .group = root.all, .index = 10, .action = DROP});
	assert_ends(NULL, STEER_DROP);
	assert_ends(dpu(), STEER_DROP);
	assert_int_equal(ends(host(), STEER_DROP), 0);
	assert_int_equal(steer_stats(dpu())->ends[STEER_DROP], 0);
	port_set_wire(f->dev.port, NULL);
	send_from(host());
	assert_int_equal(net.n, 0);
	assert_int_equal(f->dev.drops.n[DROP_NO_WIRE], 1);
}

/* Tables lead to tables, rewrite, count, and copy to several vports and the wire. */
TEST(fdb, actions)
{
	struct fdb_root root = make_root(f);
	uint32_t next = table_at(f, 3), group = group_of(f, next, false), counter;
	uint8_t in[PRM_ALLOC_MODIFY_HEADER_CONTEXT_IN_BYTES + 8] = {0};
	void *set = in + PRM_ALLOC_MODIFY_HEADER_CONTEXT_IN_BYTES;
	uint32_t modify;

	FX_SET(in, ALLOC_MODIFY_HEADER_CONTEXT, {"table_type", FDB}, {"num_of_actions", 1});
	prm_set_action_in_set_action_type(set, PRM_ACTION_TYPE_SET);
	prm_set_action_in_set_field(set, PRM_MODIFY_FIELD_OUT_DMAC_15_0);
	prm_set_action_in_set_length(set, 16);
	prm_set_action_in_set_data(set, 0x1234);
	assert_int_equal(FX_EXEC(f, ALLOC_MODIFY_HEADER_CONTEXT, in, sizeof(in)), 0);
	modify = prm_load32(f->out, 8);
	counter = rig_counter(f, 0);
	add_entry(f, (struct fdb_entry){.table = root.table,
					.group = root.all,
					.index = 10,
					.action = FWD | PRM_FLOW_ACTION_COUNT,
					.counter = counter,
					.ndests = 1,
					.type = {PRM_FLOW_DEST_TYPE_FLOW_TABLE},
					.id = {next}});
	add_entry(f,
		  (struct fdb_entry){.table = next,
				     .group = group,
				     .index = 10,
				     .action = FWD | PRM_FLOW_ACTION_MOD_HDR,
				     .modify = modify,
				     .ndests = 2,
				     .type = {PRM_FLOW_DEST_TYPE_VPORT, PRM_FLOW_DEST_TYPE_VPORT},
				     .id = {VPORT_UPLINK, VPORT_ECPF}});
	send_from(host());
	assert_int_equal(net.n, 2);
	assert_null(net.a[0].at);
	assert_ptr_equal(net.a[1].at, dpu());
	for (unsigned int i = 0; i < 2; i++)
		assert_int_equal(prm_load16(net.a[i].bytes, 4), 0x1234);
	assert_int_equal(rig_counter_read(f, counter, false, NULL), 1);
}

/* Wrong tables and entries are refused, each with its field. */
TEST(fdb, refusals)
{
	struct fdb_root root = make_root(f);
	const struct {
		uint32_t action, type, id;
		enum fw_syndrome why;
		const char *text;
	} rows[] = {
		{PRM_FLOW_ACTION_ALLOW, 0, 0, FW_SYN_FLOW_ACTION, "action ALLOW"},
		{FWD, PRM_FLOW_DEST_TYPE_TIR, 1, FW_SYN_FLOW_ACTION, "destination_type TIR"},
		{FWD, PRM_FLOW_DEST_TYPE_VPORT, 1, FW_SYN_FUNCTION, "destination_id 0x1"},
		{FWD, PRM_FLOW_DEST_TYPE_VPORT, ANYWHERE, FW_SYN_FUNCTION, "no function"},
		{FWD, PRM_FLOW_DEST_TYPE_UPLINK, 0, FW_SYN_UNSUPPORTED, "destination_type 8"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct fdb_entry e = {.table = root.table,
					    .group = root.all,
					    .index = 10,
					    .action = rows[i].action,
					    .ndests = rows[i].action == FWD,
					    .type = {rows[i].type},
					    .id = {rows[i].id}};
		uint8_t in[RIG_FTE];
		size_t len = fill_fdb_entry(&e, in);

		FX_REFUSES(f, SET_FLOW_TABLE_ENTRY, in, len, BAD, rows[i].why);
		assert_true(test_logged(f->log, rows[i].text));
	}
	assert_int_equal(FX(f, CREATE_FLOW_TABLE, {"table_type", FDB},
			    {"flow_table_context.sw_owner", 1},
			    {"flow_table_context.sw_owner_icm_root_0", at(0)}),
			 BAD);
	assert_true(test_logged(f->log, "sw_owner_icm_root_1 0x0"));
	assert_int_equal(FX(f, CREATE_FLOW_TABLE, {"table_type", 3}), BAD);
	assert_true(test_logged(f->log, "NIC_TX (1) and FDB (4)"));
	f->v = host();
	assert_int_equal(FX(f, CREATE_FLOW_TABLE, {"table_type", FDB}), BAD);
	f->v = dpu();
}

/* --- software's entries ------------------------------------------------------------------------ */

/* Makes a software table of two sides the root. */
static void sw_root(struct fx *f, uint64_t rx, uint64_t tx)
{
	struct fdb_root root = make_root(f);
	uint32_t sw = FX_MAKE(f, CREATE_FLOW_TABLE, {"table_type", FDB},
			      {"flow_table_context.level", 63}, {"flow_table_context.sw_owner", 1},
			      {"flow_table_context.sw_owner_icm_root_0", rx},
			      {"flow_table_context.sw_owner_icm_root_1", tx});

	assert_int_equal(FX(f, QUERY_FLOW_TABLE, {"table_type", FDB}, {"table_id", sw}), 0);
	FX_ASSERT_REPLY(f, QUERY_FLOW_TABLE, {"flow_table_context.sw_owner_icm_root_0", rx},
			{"flow_table_context.sw_owner_icm_root_1", tx});
	add_entry(f, (struct fdb_entry){.table = root.table,
					.group = root.all,
					.index = 10,
					.action = FWD,
					.ndests = 1,
					.type = {PRM_FLOW_DEST_TYPE_FLOW_TABLE},
					.id = {sw}});
}

/* Packets from the wire walk the RX side, those of functions the TX side; addresses have a side. */
TEST(fdb, sides)
{
	sw_root(f, at(0), at(1));
	entry(0, 0x0f, icm_vport(VPORT_PF, false), END_MISS);
	entry(1, 0x0f, icm_vport(VPORT_UPLINK, true), END_MISS);
	assert_arrives(NULL, host());
	assert_arrives(host(), NULL);
	entry(1, 0x0f, icm_vport(VPORT_ECPF, true), END_MISS);
	assert_arrives(host(), dpu());
	entry(0, 0x0f, icm_vport(VPORT_PF, true), END_MISS);
	entry(1, 0x0f, icm_vport(VPORT_PF, false), END_MISS);
	assert_ends(NULL, STEER_LOST);
	assert_ends(host(), STEER_LOST);
	assert_true(test_logged(f->log, "is no vport's of its side of the FDB"));
	entry(1, 0x0f, icm_vport(77, true), END_MISS);
	assert_ends(dpu(), STEER_LOST);
	entry(1, 0x0f, icm_addr(ICM_END, ICM_ALLOW), END_MISS);
	assert_ends(dpu(), STEER_LOST);
	entry(1, 0x0f, END_MISS, END_MISS);
	assert_ends(dpu(), STEER_DROP);
}

/* Lookup type 0x104 has the sender's vhca_id; the sender's registers don't enter the FDB. */
TEST(fdb, source_gvmi)
{
	uint8_t *s;

	sw_root(f, at(0), at(1));
	entry(0, 0x0f, icm_vport(VPORT_PF, false), END_MISS);
	s = entry(1, 0x104, icm_vport(VPORT_UPLINK, true), icm_vport(VPORT_ECPF, true));
	prm_ste_src_gvmi_qp_v1_set_source_gvmi(mask_of(s), 0xffff);
	prm_ste_src_gvmi_qp_v1_set_functional_lb(mask_of(s), 1);
	prm_ste_src_gvmi_qp_v1_set_source_gvmi(tag_of(s), host()->id);
	assert_arrives(host(), NULL);
	assert_arrives(dpu(), dpu());
	s = entry(1, 0x10f, icm_vport(VPORT_UPLINK, true), END_MISS);
	memset(mask_of(s), 0xff, 16);
	assert_arrives(host(), NULL);
}
