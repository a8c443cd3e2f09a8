/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves where packets between functions and the wire end when the FDB has a root: at vports, the
 * uplink, the manager or nowhere, by firmware's entries and by software's on both sides; and that
 * without a root the e-switch switches by address.
 */
#include "fdb_rig.h"

/* --- firmware's entries ------------------------------------------------------------------------ */

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

	for (unsigned int i = 0; i < 3; i++) {
		send_from(dpu());
		assert_int_equal(net.n, 1);
		assert_ptr_equal(net.a[0].at, host()); /* udp4's address is the host's */
		root = make_root(f);
		assert_arrives(host(), dpu());
		if (i) /* with its number, or as Linux does, without */
			assert_int_equal(FX(f, SET_FLOW_TABLE_ROOT, {"op_mod", 1},
					    {"table_type", FDB},
					    {"table_id", i == 1 ? root.table : 0}),
					 0);
		else
			fw_uid_reap(dpu(), FX_UID); /* the root goes with its table */
	}
	send_from(dpu());
	assert_ptr_equal(net.a[0].at, host());
}

/* A reset is refused if it names a table that is not the root, or a root of another uid. */
TEST(fdb, resets_refuse)
{
	uint32_t other = table_at(f, 0);

	make_root(f);
	assert_int_equal(
		FX(f, SET_FLOW_TABLE_ROOT, {"op_mod", 1}, {"table_type", FDB}, {"table_id", other}),
		BAD);
	assert_int_equal(f->syndrome, FW_SYN_TABLE_TYPE);
	assert_true(test_logged(f->log, "is not the root"));
	assert_int_equal(fx_cmd(f, dpu(), PRM_OPCODE_SET_FLOW_TABLE_ROOT, FX_UID + 1,
				FX_FIELDS({"op_mod", 1}, {"table_type", FDB})),
			 BAD_RES);
	assert_arrives(host(), dpu());
	assert_int_equal(FX(f, SET_FLOW_TABLE_ROOT, {"op_mod", 1}, {"table_type", FDB}), 0);
	assert_int_equal(FX(f, SET_FLOW_TABLE_ROOT, {"op_mod", 1}, {"table_type", FDB}), 0);
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
		{FWD, PRM_FLOW_DEST_TYPE_VPORT, 9, FW_SYN_FUNCTION, "destination_id 0x9"},
		{FWD, PRM_FLOW_DEST_TYPE_VPORT, ANYWHERE, FW_SYN_FUNCTION, "no function"},
		{FWD, PRM_FLOW_DEST_TYPE_TABLE_TYPE, 0, FW_SYN_UNSUPPORTED, "destination_type 10"},
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
	assert_int_equal(FX(f, CREATE_FLOW_TABLE, {"table_type", 5}), BAD);
	assert_true(test_logged(f->log, "ACLs (2, 3) and FDB (4)"));
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

/* An entry of software ends tunnels of packets from the wire only. */
TEST(fdb, tunnels_end_on_rx)
{
	uint8_t tunnel[TUNNEL_BYTES + sizeof(udp4)];
	unsigned int bytes = tunnel_udp4(tunnel);
	uint8_t *s;

	sw_root(f, at(0), at(1));
	for (unsigned int i = 0; i < 2; i++) {
		s = entry(i, 0x0f, icm_vport(VPORT_PF, i), END_MISS);
		prm_ste_match_bwc_v1_set_reparse(s, 1);
		s[24] = PRM_STE_ACTION_REMOVE_HEADER_TO_HEADER;
		prm_ste_single_action_remove_header_v1_set_end_anchor(s + 24,
								      PRM_STE_ANCHOR_INNER_MAC);
		prm_ste_single_action_remove_header_v1_set_decap(s + 24, 1);
	}
	send_bytes(NULL, tunnel, bytes);
	assert_int_equal(net.n, 1);
	assert_ptr_equal(net.a[0].at, host());
	assert_memory_equal(net.a[0].bytes, udp4, sizeof(udp4));
	send_bytes(dpu(), tunnel, bytes);
	assert_int_equal(net.n, 0);
	assert_true(test_logged(f->log, "its TX side has no actions that end tunnels"));
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
