/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves the way of packets through firmware's tables, and their contents at the end. */
#include "tests/test.h"
#include "flow_rig.h"
#include <stdio.h>
#include "fw/cmd.h"
#include "obj/flow.h"
#include "obj/icm.h"
#include "prm/reflect.h"
#include "steer/params.h"

#define RX    PRM_FLOW_TABLE_TYPE_NIC_RX
#define TX    PRM_FLOW_TABLE_TYPE_NIC_TX
#define DROP  PRM_FLOW_ACTION_DROP
#define FWD   PRM_FLOW_ACTION_FWD_DEST
#define ALLOW PRM_FLOW_ACTION_ALLOW
#define COUNT PRM_FLOW_ACTION_COUNT

/* Without a root table, received packets are missed and others sent. */
TEST(fx, no_tables)
{
	assert_int_equal(rig_send(f, RX, 53).stats.ends[STEER_MISS], 1);
	assert_int_equal(rig_send(f, TX, 53).wire, 1);
	assert_false(steer_has_rx_root(f->v));
}

/* The lower index wins, among groups and among entries of one value. */
TEST(fx, order)
{
	uint32_t t = rig_table(f, (struct rig_table){RX, 0, 0, 0}), a = rig_tir(f), b = rig_tir(f);
	uint32_t late = rig_group(f, RX, t, 100, 199, 0), mid = rig_group(f, RX, t, 10, 19, 0xffff);
	uint32_t early = rig_group(f, RX, t, 0, 9, 0xff00);

	rig_root(f, RX, t);
	assert_true(steer_has_rx_root(f->v));
	assert_int_equal(rig_send(f, RX, 53).stats.ends[STEER_MISS], 1);
	RIG_ENTRY(f, RX, t, late, 150, 0, FWD, .tir = a, .tag = 150);
	assert_int_equal(rig_send(f, RX, 53).tag, 150);
	RIG_ENTRY(f, RX, t, mid, 15, 53, FWD, .tir = b, .tag = 15);
	assert_int_equal(rig_send(f, RX, 53).tag, 15);
	assert_int_equal(rig_send(f, RX, 53).tirn, b);
	assert_int_equal(rig_send(f, RX, 54).tag, 150);
	/* the same value again, below and above */
	RIG_ENTRY(f, RX, t, mid, 17, 53, FWD, .tir = b, .tag = 17);
	assert_int_equal(rig_send(f, RX, 53).tag, 15);
	RIG_ENTRY(f, RX, t, mid, 12, 53, FWD, .tir = b, .tag = 12);
	RIG_ENTRY(f, RX, t, mid, 16, 53, FWD, .tir = b, .tag = 16);
	assert_int_equal(rig_send(f, RX, 53).tag, 12);
	rig_delete(f, RX, t, 15);
	assert_int_equal(rig_send(f, RX, 53).tag, 12);
	rig_delete(f, RX, t, 12);
	assert_int_equal(rig_send(f, RX, 53).tag, 16);
	/* bits outside the mask are ignored */
	RIG_ENTRY(f, RX, t, early, 9, 0x00ff, DROP);
	assert_int_equal(rig_send(f, RX, 53).stats.ends[STEER_DROP], 1);
	assert_int_equal(rig_send(f, RX, 0x100).tag, 150);
	fw_uid_reap(f->v, FX_UID);
	assert_false(steer_has_rx_root(f->v));
}

/*
 * A miss leads to the next table, counters count each hit once, an entry without a tag keeps the
 * last tag.
 */
TEST(fx, chain)
{
	uint32_t last = rig_table(f, (struct rig_table){RX, 9, 0, 0}), tir = rig_tir(f);
	uint32_t mid = rig_table(f, (struct rig_table){RX, 5, last, 0});
	uint32_t first = rig_table(f, (struct rig_table){RX, 1, mid, 0});
	uint32_t g1 = rig_group(f, RX, first, 0, 9, 0xffff), c1 = rig_counter(f, 0);
	uint32_t g3 = rig_group(f, RX, last, 0, 9, 0), c3 = rig_counter(f, 0);
	uint64_t octets;
	struct rig_end e;

	rig_root(f, RX, first);
	RIG_ENTRY(f, RX, first, g1, 0, 1, FWD | COUNT, .to_table = last, .counter = c1, .tag = 7);
	RIG_ENTRY(f, RX, last, g3, 0, 0, FWD | COUNT, .tir = tir, .counter = c3);
	e = rig_send(f, RX, 1);
	assert_int_equal(e.tirs, 1);
	assert_int_equal(e.tag, 7);
	e = rig_send(f, RX, 2);
	assert_int_equal(e.tirs, 1);
	assert_int_equal(e.tag, 0);
	assert_int_equal(rig_counter_read(f, c1, false, &octets), 1);
	assert_int_equal(octets, 46);
	assert_int_equal(rig_counter_read(f, c3, false, &octets), 2);
	assert_int_equal(octets, 92);
	fw_uid_reap(f->v, FX_UID);
}

TEST(fx, sent)
{
	uint32_t t = rig_table(f, (struct rig_table){TX, 0, 0, 0});
	uint32_t g = rig_group(f, TX, t, 0, 9, 0xffff), c = rig_counter(f, 0);

	rig_root(f, TX, t);
	RIG_ENTRY(f, TX, t, g, 0, 1, DROP | COUNT, .counter = c);
	RIG_ENTRY(f, TX, t, g, 1, 2, ALLOW);
	assert_int_equal(rig_send(f, TX, 1).stats.ends[STEER_DROP], 1);
	assert_int_equal(rig_counter_read(f, c, false, NULL), 1);
	assert_int_equal(rig_send(f, TX, 2).wire, 1);
	assert_int_equal(rig_send(f, TX, 3).wire, 1);
	/* the other direction is not affected */
	assert_int_equal(rig_send(f, RX, 1).stats.ends[STEER_MISS], 1);
}

static uint32_t rewrite(struct fx *f, uint8_t type, uint32_t field, uint32_t bits, uint32_t data)
{
	uint8_t in[PRM_ALLOC_MODIFY_HEADER_CONTEXT_IN_BYTES + 8] = {0};
	uint8_t *a = in + PRM_ALLOC_MODIFY_HEADER_CONTEXT_IN_BYTES;

	prm_alloc_modify_header_context_in_set_table_type(in, type);
	prm_alloc_modify_header_context_in_set_num_of_actions(in, 1);
	prm_set_action_in_set_action_type(a, PRM_ACTION_TYPE_SET);
	prm_set_action_in_set_field(a, field);
	prm_set_action_in_set_length(a, bits % 32);
	prm_set_action_in_set_data(a, data);
	assert_int_equal(FX_EXEC(f, ALLOC_MODIFY_HEADER_CONTEXT, in, sizeof(in)), 0);
	return prm_alloc_modify_header_context_out_get_modify_header_id(f->out);
}

/*
 * Each destination gets the packet as it was at the fork; the next table gets the changed packet.
 */
TEST(fx, copies_and_rewrites)
{
	uint32_t end = rig_table(f, (struct rig_table){RX, 3, 0, 0}), tir = rig_tir(f);
	uint32_t left = rig_table(f, (struct rig_table){RX, 2, end, 0});
	uint32_t t = rig_table(f, (struct rig_table){RX, 1, 0, 0});
	uint32_t g = rig_group(f, RX, t, 0, 9, 0), gl = rig_group(f, RX, left, 0, 9, 0);
	uint32_t g53 = rig_group(f, RX, end, 0, 9, 0xffff), g0 = rig_group(f, RX, end, 10, 19, 0);
	uint32_t m = rewrite(f, RX, PRM_MODIFY_FIELD_OUT_UDP_DPORT, 16, 53);
	struct rig_end e;

	rig_root(f, RX, t);
	RIG_ENTRY(f, RX, t, g, 0, 0, FWD, .tir = tir, .to_table = left, .to_table2 = end);
	RIG_ENTRY(f, RX, left, gl, 0, 0, FWD | PRM_FLOW_ACTION_MOD_HDR, .to_table = end,
		  .modify = m);
	RIG_ENTRY(f, RX, end, g53, 0, 53, DROP);
	RIG_ENTRY(f, RX, end, g0, 10, 0, FWD, .tir = tir, .tag = 9);
	e = rig_send(f, RX, 1);
	/* the TIR at once, the rewritten copy dropped, the last one unchanged */
	assert_int_equal(e.tirs, 2);
	assert_int_equal(e.stats.ends[STEER_DROP], 1);
	assert_int_equal(e.tag, 9);
	assert_int_equal(e.bytes[RIG_DPORT_AT + 1], 1);
	/* alone, the rewrite stays */
	rig_root(f, RX, left);
	assert_int_equal(rig_send(f, RX, 1).stats.ends[STEER_DROP], 1);
	rig_delete(f, RX, end, 0);
	e = rig_send(f, RX, 1);
	assert_int_equal(e.bytes[RIG_DPORT_AT + 1], 53);
	fw_uid_reap(f->v, FX_UID);
}

/* A copy of a field that the packet lacks changes nothing: here the port of TCP in a UDP packet. */
TEST(fx, copy_of_a_missing_field)
{
	uint32_t t = rig_table(f, (struct rig_table){RX, 1, 0, 0}), tir = rig_tir(f);
	uint32_t g = rig_group(f, RX, t, 0, 9, 0), m;
	uint8_t in[PRM_ALLOC_MODIFY_HEADER_CONTEXT_IN_BYTES + 8] = {0};
	uint8_t *a = in + PRM_ALLOC_MODIFY_HEADER_CONTEXT_IN_BYTES;
	struct rig_end e;

	prm_alloc_modify_header_context_in_set_table_type(in, RX);
	prm_alloc_modify_header_context_in_set_num_of_actions(in, 1);
	prm_copy_action_in_set_action_type(a, PRM_ACTION_TYPE_COPY);
	prm_copy_action_in_set_src_field(a, PRM_MODIFY_FIELD_OUT_TCP_SPORT);
	prm_copy_action_in_set_dst_field(a, PRM_MODIFY_FIELD_OUT_UDP_DPORT);
	prm_copy_action_in_set_length(a, 16);
	assert_int_equal(FX_EXEC(f, ALLOC_MODIFY_HEADER_CONTEXT, in, sizeof(in)), 0);
	m = prm_alloc_modify_header_context_out_get_modify_header_id(f->out);
	rig_root(f, RX, t);
	RIG_ENTRY(f, RX, t, g, 0, 0, FWD | PRM_FLOW_ACTION_MOD_HDR, .tir = tir, .modify = m);
	e = rig_send(f, RX, 1);
	assert_int_equal(e.tirs, 1);
	assert_int_equal(e.bytes[RIG_DPORT_AT], 0);
	assert_int_equal(e.bytes[RIG_DPORT_AT + 1], 1);
	fw_uid_reap(f->v, FX_UID);
}

/* A modification replaces an entry's actions; a wrong one changes nothing. */
TEST(fx, modified)
{
	uint32_t t = rig_table(f, (struct rig_table){RX, 1, 0, 0}), a = rig_tir(f), b = rig_tir(f);
	uint32_t g = rig_group(f, RX, t, 0, 9, 0);
	struct rig_entry e = {.type = RX, .table = t, .group = g, .action = FWD, .tir = a};
	uint8_t in[RIG_FTE];
	size_t len;

	rig_root(f, RX, t);
	rig_entry(f, e);
	e.tir = b;
	len = rig_fill_entry(&e, in);
	prm_set_fte_in_set_op_mod(in, 1);
	assert_int_equal(FX_EXEC(f, SET_FLOW_TABLE_ENTRY, in, len), BAD);
	assert_int_equal(rig_send(f, RX, 1).tirn, a);
	prm_set_fte_in_set_modify_enable_mask(in, 0xf);
	assert_int_equal(FX_EXEC(f, SET_FLOW_TABLE_ENTRY, in, len), 0);
	assert_int_equal(rig_send(f, RX, 1).tirn, b);
	assert_int_equal(((struct obj *)obj_find(f->v, OBJ_TIR, a))->refs, 0);
	fw_uid_reap(f->v, FX_UID);
}

/* Tables of equal level behind software's entries: the walk ends, with one sentence. */
TEST(fx, circles)
{
	uint32_t sw = rig_table(f, (struct rig_table){RX, 63, 0, icm_addr(ICM_STE, 0)});
	uint32_t t = rig_table(f, (struct rig_table){RX, 63, 0, 0});
	uint32_t g = rig_group(f, RX, t, 0, 9, 0);
	struct rig_end e;

	rig_root(f, RX, t);
	RIG_ENTRY(f, RX, t, g, 0, 0, FWD, .to_table = sw, .to_table2 = sw);
	/* software's root leads back to the table */
	((struct flow_table *)obj_find(f->v, OBJ_FLOW_TABLE, sw))->icm_root =
		icm_addr(ICM_TABLE, t);
	e = rig_send(f, RX, 1);
	assert_int_equal(e.tirs, 0);
	assert_in_range(e.stats.ends[STEER_LOST], 1, 2000);
	assert_true(test_logged(f->log, "is lost"));
	/* and to an address that is no end */
	((struct flow_table *)obj_find(f->v, OBJ_FLOW_TABLE, sw))->icm_root =
		icm_addr(ICM_VPORT, 1);
	assert_int_equal(rig_send(f, RX, 1).stats.ends[STEER_LOST], 2);
}

/* A table of many groups costs each packet a lookup in all of them, up to a limit. */
TEST(fx, many_groups)
{
	uint32_t t = rig_table(f, (struct rig_table){RX, 0, 0, 0}), last;
	struct rig_end e;
	uint64_t before;

	rig_root(f, RX, t);
	for (uint32_t i = 0; i < 999; i++)
		RIG_ENTRY(f, RX, t, rig_group(f, RX, t, i, i, 0xffff), i, 7, DROP);
	last = rig_group(f, RX, t, 999, 999, 0);
	RIG_ENTRY(f, RX, t, last, 999, 0, DROP);
	before = f->dev.steer_work;
	assert_int_equal(rig_send(f, RX, 1).stats.ends[STEER_DROP], 1);
	assert_in_range(f->dev.steer_work - before, 1000, 2000);
	((struct flow_table *)obj_find(f->v, OBJ_FLOW_TABLE, t))->cost = UINT32_MAX;
	e = rig_send(f, RX, 1);
	assert_int_equal(e.stats.ends[STEER_LOST], 1);
	assert_true(test_logged(f->log, "more groups"));
	((struct flow_table *)obj_find(f->v, OBJ_FLOW_TABLE, t))->cost = 1000;
}

/* Each field that a mask may have is filled from a packet, at its place in the PRM. */
TEST(none, parameters)
{
	static const struct {
		const char *field;
		uint64_t value;
	} is[] = {
		{"outer_headers.dmac_47_16", 0x02d70000},
		{"outer_headers.smac_15_0", 0x0002},
		{"outer_headers.ethertype", 0x800},
		{"outer_headers.svlan_tag", 1},
		{"outer_headers.first_prio", 5},
		{"outer_headers.first_cfi", 1},
		{"outer_headers.first_vid", 0x123},
		{"outer_headers.ip_version", 4},
		{"outer_headers.ip_protocol", 6},
		{"outer_headers.ip_dscp", 0x2e},
		{"outer_headers.ip_ecn", 1},
		{"outer_headers.ttl_hoplimit", 64},
		{"outer_headers.tcp_flags", 0x112},
		{"outer_headers.tcp_sport", 1234},
		{"outer_headers.tcp_dport", 443},
		{"outer_headers.udp_dport", 0},
		{"outer_headers.src_ipv4_src_ipv6.ipv4_layout.ipv4", 0x0a000001},
		{"outer_headers.dst_ipv4_dst_ipv6.ipv4_layout.ipv4", 0x0a000002},
		{"misc_parameters.source_sqn", 0x400007},
		{"misc_parameters.source_port", 0xffff},
		{"misc_parameters.outer_second_cvlan_tag", 1},
		{"misc_parameters.outer_second_vid", 0x456},
		{"misc_parameters_2.metadata_reg_c_3", 0xc3},
		{"misc_parameters_2.metadata_reg_a", 0xa},
		{"misc_parameters_3.outer_tcp_seq_num", 0x01020304},
		{"misc_parameters_3.outer_tcp_ack_num", 0x05060708},
	};
	static uint8_t tcp[] =
		"\x02\xd7\x00\x00\x00\x01\x02\xd7\x00\x00\x00\x02\x88\xa8\xb1\x23\x81\x00\x04\x56"
		"\x08\x00\x45\xb9\x00\x28\x00\x00\x00\x00\x40\x06\x00\x00\x0a\x00\x00\x01\x0a\x00"
		"\x00\x02\x04\xd2\x01\xbb\x01\x02\x03\x04\x05\x06\x07\x08\x51\x12\xff\xff\x00\x00"
		"\x00\x00";
	const struct prm_struct *s = prm_find_struct("fte_match_param");
	uint8_t may[FLOW_PARAM_BYTES], mask[FLOW_PARAM_BYTES] = {0};
	struct match_params ps = {0};
	struct packet p = {.data = tcp,
			   .len = sizeof(tcp) - 1,
			   .source_vhca = STEER_FROM_WIRE,
			   .source_sqn = 0x400007,
			   .reg_a = 0xa,
			   .reg_c = {[3] = 0xc3}};

	packet_parse_headers(&p);
	params_fill(&ps, &p, 0x1f);
	params_supported(may);
	for (size_t i = 0; i < sizeof(is) / sizeof(is[0]); i++) {
		uint64_t value = 0, allowed = 0;

		assert_int_equal(prm_field_get(s, ps.words, sizeof(ps.words), is[i].field, &value),
				 0);
		assert_int_equal(prm_field_get(s, may, sizeof(may), is[i].field, &allowed), 0);
		if (value != is[i].value || !allowed)
			fail_msg("%s is 0x%llx, not 0x%llx", is[i].field, (unsigned long long)value,
				 (unsigned long long)is[i].value);
	}
	/* and no bit is set that no mask may have */
	for (size_t i = 0; i < FLOW_PARAM_BYTES; i++)
		assert_int_equal(((uint8_t *)ps.words)[i] & ~may[i], 0);
	assert_int_equal(prm_field_set(s, mask, sizeof(mask), "misc_parameters.bth_dst_qp", 1), 0);
	assert_string_equal(params_unsupported(mask, 2), "bth_dst_qp");
	assert_null(params_unsupported(mask, 1));
}

/* ICMP's fields are filled for the packet's IP version only. */
TEST(none, icmp_parameters)
{
	static const struct {
		const char *field;
		uint64_t value;
	} is[] = {
		{"icmp_type", 8},   {"icmp_code", 7},	      {"icmp_header_data", 0x12340005},
		{"icmpv6_type", 0}, {"outer_tcp_seq_num", 0},
	};
	static uint8_t echo[] =
		"\x02\xd7\x00\x00\x00\x01\x02\xd7\x00\x00\x00\x02\x08\x00\x45\x00\x00\x1c\x00\x00"
		"\x00\x00\x40\x01\x00\x00\x0a\x00\x00\x01\x0a\x00\x00\x02\x08\x07\x00\x00\x12\x34"
		"\x00\x05";
	const struct prm_struct *s = prm_find_struct("fte_match_set_misc3");
	struct packet p = {.data = echo, .len = sizeof(echo) - 1};
	struct match_params ps = {0};

	packet_parse_headers(&p);
	params_fill(&ps, &p, 0x10);
	for (size_t i = 0; i < sizeof(is) / sizeof(is[0]); i++) {
		uint64_t value = 1;

		assert_int_equal(prm_field_get(s, ps.words + 4 * FLOW_PART_BYTES / 8,
					       FLOW_PART_BYTES, is[i].field, &value),
				 0);
		assert_int_equal(value, is[i].value);
	}
}
