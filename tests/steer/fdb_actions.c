/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves actions of firmware's entries in the FDB: tunnels and VLAN tags that begin and end, on
 * which side, for the packet or one destination of several; the side of an entry; the uplink as a
 * destination; samplers; registers that reach a vport.
 */
#include "fdb_rig.h"
#include <dvx/prm/object.h>

#define DATA_AT	 34u /* of reformat_data in the mailbox */
#define VPORT	 PRM_FLOW_DEST_TYPE_VPORT
#define TO_WIRE	 PRM_FLOW_DEST_TYPE_UPLINK
#define SAMPLER	 PRM_FLOW_DEST_TYPE_FLOW_SAMPLER
#define REFORMAT PRM_FLOW_ACTION_PACKET_REFORMAT
#define DECAP	 PRM_FLOW_ACTION_DECAP

static const uint8_t ethernet[] = {0x02, 0xd7, 0, 0, 0, 1, 0x02, 0xcc, 0, 0, 0, 1, 0x08, 0};

/* --- contexts and packets ---------------------------------------------------------------------- */

static uint32_t context(struct fx *f, uint32_t type, const uint8_t *header, uint32_t bytes)
{
	uint8_t in[FX_IN];

	FX_FILL(in, ALLOC_PACKET_REFORMAT_CONTEXT, {"packet_reformat_context.reformat_type", type},
		{"packet_reformat_context.reformat_data_size", bytes});
	memcpy(in + DATA_AT, header, bytes);
	assert_int_equal(
		FX_EXEC(f, ALLOC_PACKET_REFORMAT_CONTEXT, in, (DATA_AT + bytes + 3) / 4 * 4), 0);
	return prm_alloc_packet_reformat_context_out_get_packet_reformat_id(f->out);
}

/* Makes a context that removes the first bytes of the IP header. */
static uint32_t removal(struct fx *f)
{
	uint8_t in[FX_IN];

	FX_FILL(in, ALLOC_PACKET_REFORMAT_CONTEXT,
		{"packet_reformat_context.reformat_type", PRM_REFORMAT_TYPE_REMOVE_HDR},
		{"packet_reformat_context.reformat_param_0", PRM_REFORMAT_ANCHOR_IP_START},
		{"packet_reformat_context.reformat_data_size", 4});
	assert_int_equal(FX_EXEC(f, ALLOC_PACKET_REFORMAT_CONTEXT, in, (DATA_AT + 3) / 4 * 4), 0);
	return prm_alloc_packet_reformat_context_out_get_packet_reformat_id(f->out);
}

static uint32_t encap(struct fx *f)
{
	return context(f, PRM_REFORMAT_TYPE_L2_TO_VXLAN, vxlan, sizeof(vxlan));
}

/* Asserts that an arrival is udp4 in the tunnel. The device fills in lengths, port and id. */
static void assert_tunnelled(const struct arrival *a)
{
	assert_int_equal(a->len, TUNNEL_BYTES + sizeof(udp4));
	assert_memory_equal(a->bytes, vxlan, TUNNEL_L3 + 2);
	assert_int_equal(prm_load16(a->bytes, TUNNEL_L3 + 2), a->len - TUNNEL_L3);
	assert_int_equal(prm_load16(a->bytes, TUNNEL_L4 + 4), a->len - TUNNEL_L4);
	assert_memory_equal(a->bytes + TUNNEL_BYTES, udp4, sizeof(udp4));
}

static void assert_plain(const struct arrival *a, const struct vhca *at)
{
	assert_ptr_equal(a->at, at);
	assert_memory_equal(a->bytes, udp4, sizeof(udp4));
}

static void send_tunnelled(struct vhca *from)
{
	uint8_t bytes[TUNNEL_BYTES + sizeof(udp4)];

	send_bytes(from, bytes, tunnel_udp4(bytes));
}

/* Adds an entry for all packets. */
static void add_all(struct fx *f, const struct fdb_root *root, struct fdb_entry e)
{
	e.table = root->table;
	e.group = root->all;
	e.index = 10;
	add_entry(f, e);
}

static void delete_all(struct fx *f, const struct fdb_root *root)
{
	rig_delete(f, FDB, root->table, 10);
}

/* --- tunnels ----------------------------------------------------------------------------------- */

/* Tunnels begin on both sides, and end where packets come from the wire. */
TEST(fdb, tunnels)
{
	struct fdb_root root = make_root(f);
	uint32_t l2 = context(f, PRM_REFORMAT_TYPE_L3_TUNNEL_TO_L2, ethernet, sizeof(ethernet));

	add_all(f, &root,
		(struct fdb_entry){.action = FWD | REFORMAT,
				   .reformat = encap(f),
				   .ndests = 1,
				   .type = {VPORT},
				   .id = {VPORT_UPLINK}});
	send_from(host());
	assert_null(net.a[0].at);
	assert_tunnelled(&net.a[0]);
	delete_all(f, &root);
	add_all(f, &root,
		(struct fdb_entry){.action = FWD | REFORMAT,
				   .reformat = encap(f),
				   .ndests = 1,
				   .type = {VPORT},
				   .id = {VPORT_PF}});
	send_from(NULL);
	assert_tunnelled(&net.a[0]);
	delete_all(f, &root);
	add_all(f, &root,
		(struct fdb_entry){
			.action = FWD | DECAP, .ndests = 1, .type = {VPORT}, .id = {VPORT_PF}});
	send_tunnelled(NULL);
	assert_plain(&net.a[0], host());
	send_tunnelled(host());
	assert_int_equal(net.n, 0);
	assert_true(test_logged(f->log, "its TX side has no actions that end tunnels"));
	assert_ends(NULL, STEER_LOST); /* no tunnel */
	delete_all(f, &root);
	add_all(f, &root,
		(struct fdb_entry){.action = FWD | REFORMAT,
				   .reformat = l2,
				   .side = PRM_FLOW_SOURCE_UPLINK,
				   .ndests = 1,
				   .type = {VPORT},
				   .id = {VPORT_PF}});
	send_tunnelled(NULL);
	assert_memory_equal(net.a[0].bytes, ethernet, sizeof(ethernet));
	assert_ptr_equal(net.a[0].at, host());
}

/* Makes the chip one of format 0. */
static void use_format_0(struct fx *f)
{
	f->profile.steering_format_version = 0;
	steer_free(f->dev.steer);
	f->dev.steer = steer_new(&f->dev);
	steer_set_ops(f->dev.steer, &fdb_ops);
}

/* Chips of format 0 begin tunnels on the TX side only. */
TEST(fdb, tunnels_of_format_0)
{
	struct fdb_root root = make_root(f);

	use_format_0(f);
	add_all(f, &root,
		(struct fdb_entry){.action = FWD | REFORMAT,
				   .reformat = encap(f),
				   .ndests = 1,
				   .type = {VPORT},
				   .id = {VPORT_PF}});
	send_from(dpu());
	assert_tunnelled(&net.a[0]);
	assert_ends(NULL, STEER_LOST);
	assert_true(test_logged(f->log, "its RX side has no actions that begin tunnels"));
}

/* A mirror sends the packet as it is to a vport, and through tunnels of two destinations. */
TEST(fdb, tunnels_of_destinations)
{
	struct fdb_root root = make_root(f);
	const struct fdb_entry e = {.action = FWD | PRM_FLOW_ACTION_COUNT,
				    .counter = rig_counter(f, 0),
				    .extended = true,
				    .ndests = 2,
				    .type = {VPORT, TO_WIRE},
				    .id = {VPORT_PF},
				    .begins = {0, encap(f)}};
	uint8_t in[FX_IN];
	size_t len;
	uint8_t *list = f->out + PRM_QUERY_FTE_OUT_BYTES;

	add_all(f, &root, e);
	send_from(dpu());
	assert_int_equal(net.n, 2);
	assert_null(net.a[0].at); /* a frame for the wire does not wait */
	assert_tunnelled(&net.a[0]);
	assert_plain(&net.a[1], host());
	assert_int_equal(rig_counter_read(f, e.counter, false, NULL), 1);
	len = FX_FILL(in, QUERY_FLOW_TABLE_ENTRY, {"table_type", FDB}, {"table_id", root.table},
		      {"flow_index", 10});
	assert_int_equal(fx_exec(f, f->v, PRM_OPCODE_QUERY_FLOW_TABLE_ENTRY, FX_UID, in, len,
				 PRM_QUERY_FTE_OUT_BYTES + 3 * 16),
			 0);
	assert_int_equal(prm_dest_format_struct_get_destination_type(list + 16), TO_WIRE);
	assert_int_equal(prm_extended_dest_format_get_packet_reformat_id(list + 16), e.begins[1]);
	assert_int_equal(prm_flow_counter_list_get_flow_counter_id(list + 32), e.counter);
}

/* --- sides, tags, registers --------------------------------------------------------------------- */

/* Modifies all of an entry. */
static void modify_entry(struct fx *f, struct fdb_entry e)
{
	uint8_t in[RIG_FTE];
	size_t len = fill_fdb_entry(&e, in);

	FX_SET(in, SET_FLOW_TABLE_ENTRY, {"op_mod", 1}, {"modify_enable_mask", 0xf});
	assert_int_equal(FX_EXEC(f, SET_FLOW_TABLE_ENTRY, in, len), 0);
}

/* An entry of one flow_source does not exist for packets of the other side; it may change sides. */
TEST(fdb, flow_source)
{
	struct fdb_root root = make_root(f);

	add_entry(f, (struct fdb_entry){.table = root.table,
					.group = root.all,
					.index = 11,
					.side = PRM_FLOW_SOURCE_LOCAL_VPORT,
					.action = FWD,
					.ndests = 1,
					.type = {TO_WIRE}});
	add_entry(f, (struct fdb_entry){.table = root.table,
					.group = root.all,
					.index = 12,
					.side = PRM_FLOW_SOURCE_UPLINK,
					.action = FWD,
					.ndests = 1,
					.type = {VPORT},
					.id = {VPORT_PF}});
	assert_arrives(host(), NULL);
	assert_arrives(NULL, host());
	rig_delete(f, FDB, root.table, 11);
	assert_arrives(host(), dpu());
	modify_entry(f, (struct fdb_entry){.table = root.table,
					   .group = root.all,
					   .index = 12,
					   .side = PRM_FLOW_SOURCE_LOCAL_VPORT,
					   .action = FWD,
					   .ndests = 1,
					   .type = {TO_WIRE}});
	assert_arrives(NULL, dpu());
	assert_arrives(host(), NULL);
	add_all(f, &root,
		(struct fdb_entry){.action = FWD, .ndests = 1, .type = {VPORT}, .id = {VPORT_PF}});
	assert_arrives(NULL, host());
	assert_arrives(dpu(), host());
	delete_all(f, &root);
	assert_arrives(NULL, dpu());
	assert_arrives(dpu(), NULL);
}

/* Copies that walk a vport's tables share the bounds of the packet, which one circle there uses up. */
TEST(fdb, copies_share_steps)
{
	struct fdb_root root = make_root(f);
	uint64_t before = f->dev.steer_work;

	tag_of(entry(0, 0x0f, END_HIT, at(0)))[0] = 0xdc; /* a circle of misses */
	rig_root(f, PRM_FLOW_TABLE_TYPE_NIC_RX, rig_table(f, (struct rig_table){.icm = at(0)}));
	add_all(f, &root,
		(struct fdb_entry){.action = FWD,
				   .ndests = 2,
				   .type = {VPORT, VPORT},
				   .id = {VPORT_ECPF, VPORT_ECPF}});
	send_from(NULL);
	assert_int_equal(steer_stats(dpu())->ends[STEER_LOST], 1);
	assert_int_equal(ends(NULL, STEER_LOST), 1);
	assert_int_equal(f->dev.steer_work - before, STEER_STEPS);
}

/* Up to two tags are added, the second one outside, and removed. */
TEST(fdb, vlan_tags)
{
	static const uint8_t tags[] = {0x88, 0xa8, 0, 9, 0x81, 0, 0, 5};
	struct fdb_root root = make_root(f);
	uint8_t tagged[sizeof(udp4) + sizeof(tags)];

	memcpy(tagged, udp4, 12);
	memcpy(tagged + 12, tags, sizeof(tags));
	memcpy(tagged + 12 + sizeof(tags), udp4 + 12, sizeof(udp4) - 12);
	add_all(f, &root,
		(struct fdb_entry){.action = FWD | PRM_FLOW_ACTION_VLAN_PUSH |
					     PRM_FLOW_ACTION_VLAN_PUSH_2,
				   .tag = {5, 9},
				   .ndests = 1,
				   .type = {VPORT},
				   .id = {VPORT_PF}});
	send_from(dpu());
	assert_memory_equal(net.a[0].bytes, tagged, sizeof(tagged));
	delete_all(f, &root);
	add_all(f, &root,
		(struct fdb_entry){.action = FWD | PRM_FLOW_ACTION_VLAN_POP |
					     PRM_FLOW_ACTION_VLAN_POP_2,
				   .ndests = 1,
				   .type = {VPORT},
				   .id = {VPORT_PF}});
	send_bytes(dpu(), tagged, sizeof(tagged));
	assert_plain(&net.a[0], host());
	assert_ends(dpu(), STEER_LOST); /* no tag */
}

/* Makes a context that sets registers c_0 to c_2 to 0x11 and more; returns its number. */
static uint32_t set_registers(struct fx *f)
{
	uint8_t in[PRM_ALLOC_MODIFY_HEADER_CONTEXT_IN_BYTES + 3 * 8] = {0};
	static const uint8_t fields[] = {PRM_MODIFY_FIELD_METADATA_REG_C_0,
					 PRM_MODIFY_FIELD_METADATA_REG_C_1,
					 PRM_MODIFY_FIELD_METADATA_REG_C_2};

	FX_SET(in, ALLOC_MODIFY_HEADER_CONTEXT, {"table_type", FDB}, {"num_of_actions", 3});
	for (unsigned int i = 0; i < 3; i++) {
		void *set = in + PRM_ALLOC_MODIFY_HEADER_CONTEXT_IN_BYTES + 8 * i;

		prm_set_action_in_set_action_type(set, PRM_ACTION_TYPE_SET);
		prm_set_action_in_set_field(set, fields[i]);
		prm_set_action_in_set_data(set, 0x11 + i);
	}
	assert_int_equal(FX_EXEC(f, ALLOC_MODIFY_HEADER_CONTEXT, in, sizeof(in)), 0);
	return prm_load32(f->out, 8);
}

/* Lets registers c_0 and c_1 reach the manager, as Linux's driver does. */
static void pass_registers(void)
{
	assert_int_equal(fx_cmd(r.f, dpu(), PRM_OPCODE_MODIFY_ESW_VPORT_CONTEXT, 0,
				FX_FIELDS({"field_select.fdb_to_vport_reg_c_id", 1},
					  {"esw_vport_context.fdb_to_vport_reg_c_id", 3})),
			 0);
}

/* Registers c_0 and c_1 reach the vports whose context has them, others none. */
TEST(fdb, registers)
{
	struct fdb_root root = make_root(f);

	add_all(f, &root,
		(struct fdb_entry){.action = FWD | PRM_FLOW_ACTION_MOD_HDR,
				   .modify = set_registers(f),
				   .ndests = 2,
				   .type = {VPORT, VPORT},
				   .id = {VPORT_PF, VPORT_ECPF}});
	pass_registers();
	assert_int_equal(FX(f, QUERY_ESW_VPORT_CONTEXT, {"other_vport", 0}), 0);
	FX_ASSERT_REPLY(f, QUERY_ESW_VPORT_CONTEXT, {"esw_vport_context.fdb_to_vport_reg_c_id", 3});
	send_from(NULL);
	assert_int_equal(net.n, 2);
	for (unsigned int i = 0; i < 2; i++) {
		const bool manager = net.a[i].at == dpu();

		assert_int_equal(net.a[i].reg_c[0], manager ? 0x11 : 0);
		assert_int_equal(net.a[i].reg_c[1], manager ? 0x12 : 0);
		assert_int_equal(net.a[i].reg_c[2], 0);
	}
}

/* The kernel alone changes a vport's context, and only what is implemented. */
TEST(fdb, registers_refuse)
{
	const uint16_t op = PRM_OPCODE_MODIFY_ESW_VPORT_CONTEXT;

	assert_int_equal(FX(f, MODIFY_ESW_VPORT_CONTEXT, {0}), BAD);
	assert_int_equal(f->syndrome, FW_SYN_PRIVILEGED);
	assert_int_equal(fx_cmd(f, dpu(), op, 0, FX_FIELDS({"field_select.vport_cvlan_strip", 1})),
			 BAD);
	assert_true(test_logged(f->log, "field_select"));
	assert_int_equal(fx_cmd(f, dpu(), op, 0,
				FX_FIELDS({"field_select.fdb_to_vport_reg_c_id", 1},
					  {"esw_vport_context.fdb_to_vport_reg_c_id", 4})),
			 BAD);
	assert_int_equal(
		fx_cmd(f, dpu(), op, 0, FX_FIELDS({"other_vport", 1}, {"vport_number", 7})), BAD);
	assert_int_equal(f->syndrome, FW_SYN_FUNCTION);
	assert_int_equal(fx_cmd(f, host(), op, 0, FX_FIELDS({0})), PRM_STATUS_BAD_OP);
}

/* --- samplers ----------------------------------------------------------------------------------- */

static uint32_t ending_table(struct fx *f, bool termination, uint32_t type, uint32_t id)
{
	uint32_t t = FX_MAKE(f, CREATE_FLOW_TABLE, {"table_type", FDB},
			     {"flow_table_context.level", 63}, {"flow_table_context.log_size", 5},
			     {"flow_table_context.termination_table", termination});

	add_entry(f, (struct fdb_entry){.table = t,
					.group = group_of(f, t, false),
					.index = 10,
					.action = FWD,
					.ndests = 1,
					.type = {type},
					.id = {id}});
	return t;
}

static size_t fill_sampler(uint8_t in[FX_IN], uint32_t ratio, uint32_t sample, uint32_t rest)
{
	void *s = in + PRM_GENERAL_OBJ_IN_CMD_HDR_BYTES;

	FX_FILL(in, CREATE_GENERAL_OBJECT, {"obj_type", PRM_OBJ_TYPE_SAMPLER});
	memset(s, 0, PRM_FLOW_SAMPLER_BYTES);
	prm_flow_sampler_set_table_type(s, FDB);
	prm_flow_sampler_set_level(s, 63);
	prm_flow_sampler_set_ignore_flow_level(s, 1);
	prm_flow_sampler_set_sample_ratio(s, ratio);
	prm_flow_sampler_set_sample_table_id(s, sample);
	prm_flow_sampler_set_default_table_id(s, rest);
	return PRM_GENERAL_OBJ_IN_CMD_HDR_BYTES + PRM_FLOW_SAMPLER_BYTES;
}

/* Asserts that a query returns the sampler as the mailbox has it. */
static void assert_sampler(struct fx *f, uint32_t id, const uint8_t *made, size_t len)
{
	uint8_t in[FX_IN];
	const size_t header = PRM_GENERAL_OBJ_IN_CMD_HDR_BYTES, addresses = 16;
	size_t query = FX_FILL(in, QUERY_GENERAL_OBJECT, {"obj_type", PRM_OBJ_TYPE_SAMPLER},
			       {"obj_id", id});

	assert_int_equal(fx_exec(f, f->v, PRM_OPCODE_QUERY_GENERAL_OBJECT, FX_UID, in, query, len),
			 0);
	assert_memory_equal(f->out + header, made + header, len - header - addresses);
}

/* One packet of four goes to the sample's vport as well, and all go to the next table. */
TEST(fdb, samples)
{
	const unsigned int packets = 4000;
	struct fdb_root root = make_root(f);
	uint32_t sample = ending_table(f, true, VPORT, VPORT_PF);
	uint32_t rest = ending_table(f, false, TO_WIRE, 0);
	unsigned int samples = 0;
	uint8_t in[FX_IN];
	size_t len = fill_sampler(in, 4, sample, rest);
	uint32_t sampler;

	assert_int_equal(FX_EXEC(f, CREATE_GENERAL_OBJECT, in, len), 0);
	sampler = prm_load32(f->out, 8);
	add_all(f, &root,
		(struct fdb_entry){.action = FWD, .ndests = 1, .type = {SAMPLER}, .id = {sampler}});
	assert_sampler(f, sampler, in, len);
	for (unsigned int i = 0; i < packets; i++) {
		send_from(dpu());
		assert_true(net.n && net.n <= 2);
		assert_plain(&net.a[0], NULL);
		if (net.n == 2)
			assert_plain(&net.a[1], host());
		samples += net.n - 1;
	}
	/* the choice has a fixed seed, so the number is always the same */
	assert_true(samples > packets / 4 * 9 / 10 && samples < packets / 4 * 11 / 10);
}

/*
 * A sampler of format 0 loses register c_0 of packets that functions send, and no other one; those
 * of other formats keep all.
 */
static void assert_registers_sampled(struct fx *f, uint32_t c_0)
{
	struct fdb_root root = make_root(f);
	uint32_t modify = set_registers(f);
	uint8_t in[FX_IN];
	size_t len = fill_sampler(in, 1, ending_table(f, true, TO_WIRE, 0),
				  ending_table(f, false, VPORT, VPORT_ECPF));

	assert_int_equal(FX_EXEC(f, CREATE_GENERAL_OBJECT, in, len), 0);
	add_all(f, &root,
		(struct fdb_entry){.action = FWD | PRM_FLOW_ACTION_MOD_HDR,
				   .modify = modify,
				   .ndests = 1,
				   .type = {SAMPLER},
				   .id = {prm_load32(f->out, 8)}});
	pass_registers();
	send_from(host());
	assert_int_equal(net.n, 2);
	assert_null(net.a[0].at);
	assert_int_equal(net.a[1].reg_c[0], c_0);
	assert_int_equal(net.a[1].reg_c[1], 0x12);
}

TEST(fdb, registers_sampled)
{
	assert_registers_sampled(f, 0x11);
}

TEST(fdb, registers_sampled_by_format_0)
{
	use_format_0(f);
	assert_registers_sampled(f, 0);
}

/* Adds an entry for packets whose register c_0 is set_registers()'s. */
static void add_by_c_0(struct fx *f, struct fdb_entry e)
{
	uint8_t in[RIG_FTE];
	size_t len;

	e.group = FX_MAKE(f, CREATE_FLOW_GROUP, {"table_type", FDB}, {"table_id", e.table},
			  {"end_flow_index", 9}, {"match_criteria_enable", 8},
			  {"match_criteria.misc_parameters_2.metadata_reg_c_0", UINT32_MAX});
	len = fill_fdb_entry(&e, in);
	FX_SET(in, SET_FLOW_TABLE_ENTRY,
	       {"flow_context.match_value.misc_parameters.source_port", 0},
	       {"flow_context.match_value.misc_parameters_2.metadata_reg_c_0", 0x11});
	assert_int_equal(FX_EXEC(f, SET_FLOW_TABLE_ENTRY, in, len), 0);
}

/* Behind a sampler of format 0, tables compare the lost register, not what earlier tables saw. */
TEST(fdb, registers_compared_behind_sampler)
{
	struct fdb_root root = make_root(f);
	uint32_t next = table_at(f, 1), rest = ending_table(f, false, VPORT, VPORT_ECPF);
	uint8_t in[FX_IN];
	size_t len = fill_sampler(in, 1, ending_table(f, true, TO_WIRE, 0), rest);

	use_format_0(f);
	add_all(f, &root,
		(struct fdb_entry){.action = FWD | PRM_FLOW_ACTION_MOD_HDR,
				   .modify = set_registers(f),
				   .ndests = 1,
				   .type = {PRM_FLOW_DEST_TYPE_FLOW_TABLE},
				   .id = {next}});
	assert_int_equal(FX_EXEC(f, CREATE_GENERAL_OBJECT, in, len), 0);
	add_by_c_0(f, (struct fdb_entry){.table = next,
					 .action = FWD,
					 .ndests = 1,
					 .type = {SAMPLER},
					 .id = {prm_load32(f->out, 8)}});
	add_by_c_0(f, (struct fdb_entry){.table = rest, .action = DROP});
	send_from(host());
	assert_int_equal(net.n, 2);
	assert_null(net.a[0].at);
	assert_ptr_equal(net.a[1].at, dpu());
}

TEST(fdb, samplers_refuse)
{
	uint32_t sample = ending_table(f, true, VPORT, VPORT_PF);
	uint32_t rest = ending_table(f, false, TO_WIRE, 0), low = table_at(f, 1);
	uint8_t in[FX_IN];
	size_t len = fill_sampler(in, 0, sample, rest);
	void *s = in + PRM_GENERAL_OBJ_IN_CMD_HDR_BYTES;

	FX_REFUSES(f, CREATE_GENERAL_OBJECT, in, len, BAD, FW_SYN_SIZE);
	FX_REFUSES(f, CREATE_GENERAL_OBJECT, in, len - 4, PRM_STATUS_BAD_INP_LEN, FW_SYN_IN_SHORT);
	fill_sampler(in, 1, rest, rest);
	FX_REFUSES(f, CREATE_GENERAL_OBJECT, in, len, BAD, FW_SYN_TABLE_TYPE);
	assert_true(test_logged(f->log, "needs termination_table"));
	fill_sampler(in, 1, sample, low);
	prm_flow_sampler_set_ignore_flow_level(s, 0);
	FX_REFUSES(f, CREATE_GENERAL_OBJECT, in, len, BAD, FW_SYN_FLOW_LEVEL);
	fill_sampler(in, 1, sample, 0x99);
	FX_REFUSES(f, CREATE_GENERAL_OBJECT, in, len, BAD_RES, FW_SYN_NO_OBJECT);
	fill_sampler(in, 1, sample, rest);
	prm_flow_sampler_set_table_type(s, PRM_FLOW_TABLE_TYPE_NIC_TX);
	FX_REFUSES(f, CREATE_GENERAL_OBJECT, in, len, BAD, FW_SYN_CAP_CLEAR);
	fill_sampler(in, 1, sample, rest);
	assert_int_equal(FX_EXEC(f, CREATE_GENERAL_OBJECT, in, len), 0);
	assert_int_equal(FX(f, DESTROY_FLOW_TABLE, {"table_type", FDB}, {"table_id", rest}),
			 PRM_STATUS_RES_BUSY);
}

/* --- refusals ----------------------------------------------------------------------------------- */

/* Entries whose actions contradict each other, the table or the side are refused, with the field. */
TEST(fdb, actions_refuse)
{
	struct fdb_root root = make_root(f);
	uint32_t end = ending_table(f, true, VPORT, VPORT_PF), next = table_at(f, 5);
	uint32_t l2 = context(f, PRM_REFORMAT_TYPE_L3_TUNNEL_TO_L2, ethernet, sizeof(ethernet));
	const struct {
		struct fdb_entry e;
		const char *text;
	} rows[] = {
		{{.action = FWD, .type = {TO_WIRE}, .id = {1}}, "destination_type UPLINK has none"},
		{{.action = FWD | DECAP, .side = 2, .type = {TO_WIRE}}, "flow_source 2"},
		{{.action = FWD, .side = 3, .type = {TO_WIRE}}, "flow_source"},
		{{.action = FWD, .extended = true, .type = {TO_WIRE}, .begins = {l2}},
		 "of a destination ends a tunnel"},
		{{.action = FWD, .extended = true, .type = {TO_WIRE}, .begins = {removal(f)}},
		 "of a destination removes a header"},
		{{.action = FWD, .type = {TO_WIRE}, .begins = {l2}}, "needs extended_destination"},
		{{.action = FWD | PRM_FLOW_ACTION_VLAN_POP_2, .type = {TO_WIRE}},
		 "second VLAN tag"},
		{{.action = FWD | PRM_FLOW_ACTION_VLAN_PUSH, .type = {TO_WIRE}},
		 "push_vlan.ethtype"},
		{{.action = FWD, .type = {SAMPLER}, .id = {1}}, "destination_id 0x1"},
	};
	uint8_t in[RIG_FTE];
	struct fdb_entry e;
	size_t len;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		e = rows[i].e;
		e.table = root.table;
		e.group = root.all;
		e.index = 10;
		e.ndests = 1;
		len = fill_fdb_entry(&e, in);
		assert_int_not_equal(FX_EXEC(f, SET_FLOW_TABLE_ENTRY, in, len), 0);
		if (!test_logged(f->log, rows[i].text))
			fail_msg("row %zu: no \"%s\"", i, rows[i].text);
	}
	e = (struct fdb_entry){.table = end,
			       .group = group_of(f, end, true),
			       .action = FWD,
			       .ndests = 1,
			       .type = {PRM_FLOW_DEST_TYPE_FLOW_TABLE},
			       .id = {next}};
	len = fill_fdb_entry(&e, in);
	FX_REFUSES(f, SET_FLOW_TABLE_ENTRY, in, len, BAD, FW_SYN_FLOW_ACTION);
	assert_true(test_logged(f->log, "termination_table"));
}
