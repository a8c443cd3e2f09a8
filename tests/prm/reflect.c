/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves that the decoder finds fields by path, chooses variants, prints one line and never reads
 * past the bytes it was given. */
#include "tests/test.h"
#include <errno.h>
#include <dvx/prm/cap.h>
#include <dvx/prm/cmd.h>
#include <dvx/prm/cqe.h>
#include <dvx/prm/mkey.h>
#include <dvx/prm/wqe.h>
#include "src/prm/reflect.h"

static const char *line_of(const char *name, const void *p, size_t len)
{
	static char line[4096];
	size_t n = prm_print_line(line, sizeof(line), prm_find_struct(name), p, len);

	assert_int_equal(n, strlen(line));
	return line;
}

TEST(none, names)
{
	assert_string_equal(prm_opcode_name(0x200), "CREATE_MKEY");
	assert_string_equal(prm_opcode_name(0xffff), "?");
	assert_string_equal(prm_status_name(3), "BAD_PARAM");
	assert_string_equal(prm_syndrome_name(0x13), "REMOTE_ACCESS_ERR");
	assert_non_null(strstr(prm_syndrome_text(0x04), "local protection"));
	assert_string_equal(prm_syndrome_text(0x99), "");
	assert_string_equal(prm_wqe_opcode_name(PRM_WQE_OPCODE_MMO), "MMO");
	assert_string_equal(prm_cqe_opcode_name(13), "REQ_ERR");
	assert_string_equal(prm_event_name(0), "COMP");
	assert_int_equal(prm_status_errno(PRM_STATUS_OK), 0);
	assert_int_equal(prm_status_errno(PRM_STATUS_LIM), ENOMEM);
	assert_int_equal(prm_status_errno(0xee), EIO);
	assert_null(prm_find_struct("mk"));
	assert_null(prm_find_enum("no_such"));
}

/* A value that is an or of flags is told by all their names; what none covers stays a number. */
TEST(none, flags)
{
	uint64_t bit;
	const struct prm_field *cs = prm_find_field(prm_find_struct("wqe_eth_seg"), "cs_flags", &bit);
	const struct prm_field *fm = prm_find_field(prm_find_struct("wqe_ctrl_seg"), "fm_ce_se", &bit);
	const struct prm_field *op = prm_find_field(prm_find_struct("wqe_ctrl_seg"), "opcode", &bit);
	uint8_t seg[PRM_WQE_ETH_SEG_BYTES] = {0};
	char name[64], small[8];

	prm_value_name(name, sizeof(name), cs, 0xc0);
	assert_string_equal(name, "L3_CSUM|L4_CSUM");
	prm_value_name(name, sizeof(name), cs, 0x42);
	assert_string_equal(name, "L3_CSUM|0x2");
	prm_value_name(name, sizeof(name), cs, 0x02);
	assert_string_equal(name, "");
	prm_value_name(name, sizeof(name), cs, 0);
	assert_string_equal(name, "");
	prm_value_name(name, sizeof(name), fm, 0x6a); /* a flag of two bits is not told by its halves */
	assert_string_equal(name, "STRONG_ORDER|SOLICITED|CQ_UPDATE");
	prm_value_name(name, sizeof(name), op, 0x0b); /* no flags */
	assert_string_equal(name, "SEND_IMM");
	prm_value_name(name, sizeof(name), op, 0x1a);
	assert_string_equal(name, "");
	assert_int_equal(prm_value_name(small, sizeof(small), cs, 0xc0), 15);
	assert_string_equal(small, "L3_CSUM");
	prm_wqe_eth_seg_set_cs_flags(seg, 0xc0);
	assert_string_equal(line_of("wqe_eth_seg", seg, sizeof(seg)),
			    "wqe_eth_seg cs_flags=L3_CSUM|L4_CSUM(0xc0)");
}

/* Every syndrome and every failing status says why it is seen and what to do. */
TEST(none, advice)
{
	const struct prm_enum *e = prm_find_enum("syndrome");

	for (size_t i = 0; i < e->count; i++) {
		assert_non_null(e->values[i].cause);
		assert_non_null(e->values[i].remedy);
	}
	e = prm_find_enum("status");
	for (size_t i = 0; i < e->count; i++)
		assert_true(!e->values[i].value == !e->values[i].cause);
	assert_string_equal(prm_find_struct("sqc")->family, "eth");
}

/* Objects and capability pages are found by number, and each table that is named exists. */
TEST(none, pages)
{
	const struct prm_enum *e = prm_find_enum("obj_type");

	assert_string_equal(prm_object(PRM_OBJ_TYPE_SAMPLER)->name, "sampler_obj");
	assert_null(prm_object(PRM_OBJ_TYPE_MKEY));
	for (size_t i = 0; i < e->count; i++)
		if (e->values[i].value < 0x100 && e->values[i].value != PRM_OBJ_TYPE_VIRTIO_NET_Q &&
		    e->values[i].value != PRM_OBJ_TYPE_VIRTIO_Q_COUNTERS &&
		    e->values[i].value != PRM_OBJ_TYPE_ASO_CT &&
		    e->values[i].value != PRM_OBJ_TYPE_ASO_FIRST_HIT)
			assert_non_null(prm_object((uint32_t)e->values[i].value));
	assert_string_equal(prm_capability(PRM_HCA_CAP_TYPE_GENERAL)->name, "cmd_hca_cap");
	assert_null(prm_capability(0x7f));
	e = prm_find_enum("hca_cap_type");
	for (size_t i = 0; i < e->count; i++)
		if (*e->values[i].text)
			assert_non_null(prm_capability((uint32_t)e->values[i].value));
}

/*
 * Where a walk over real steering entries found their parts (a second witness besides rdma-core's
 * layout): entries that libmlx5's dr_*.c wrote were followed with these byte positions.
 */
TEST(none, steering)
{
	static const struct {
		const char *type, *field;
		uint32_t byte, width;
	} want[] = {
		{"ste_general", "entry_type", 0, 4},
		{"ste_general", "entry_sub_type", 1, 8},
		{"ste_general", "byte_mask", 2, 16},
		{"ste_general", "next_lu_type", 6, 8},
		{"ste_general", "next_table_base_39_32_size", 7, 8},
		{"ste_general", "next_table_base_31_5_size", 8, 27},
		{"ste_rx_steering_mult", "counter_trigger_15_0", 22, 16},
		{"ste_rx_steering_mult", "counter_trigger_23_16", 26, 8},
		{"ste_rx_steering_mult", "miss_address_39_32", 27, 8},
		{"ste_rx_steering_mult", "miss_address_31_6", 28, 26},
		{"ste_match_bwc_v1", "entry_format", 0, 8},
		{"ste_match_bwc_v1", "counter_id", 1, 24},
		{"ste_match_bwc_v1", "match_definer_ctx_idx", 6, 8},
		{"ste_match_bwc_v1", "miss_address_39_32", 7, 8},
		{"ste_match_bwc_v1", "miss_address_31_6", 8, 26},
		{"ste_match_bwc_v1", "hash_definer_ctx_idx", 14, 8},
		{"ste_match_bwc_v1", "next_table_base_39_32_size", 15, 8},
		{"ste_match_bwc_v1", "next_table_base_31_5_size", 16, 27},
		{"ste_match_bwc_v1", "byte_mask", 20, 16},
		{"ste_match_bwc_v1", "action", 24, 64},
		{"ste_mask_and_match_v1", "action", 20, 96},
	};

	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		const struct prm_struct *s = prm_find_struct(want[i].type);
		const struct prm_field *f;
		uint64_t bit;

		assert_non_null(s);
		f = prm_find_field(s, want[i].field, &bit);
		if (!f || bit != want[i].byte * 8 ||
		    f->width * (f->count ? f->count : 1) != want[i].width)
			fail_msg("%s.%s", want[i].type, want[i].field);
	}
}

TEST(none, commands)
{
	static const struct {
		uint32_t opcode;
		const char *in, *out;
	} want[] = {
		{PRM_OPCODE_CREATE_MKEY, "create_mkey_in", "create_mkey_out"},
		{PRM_OPCODE_2ERR_QP, "qp_2err_in", "qp_2err_out"},
		{PRM_OPCODE_SQD_RTS_QP, "sqd2rts_qp_in", "sqd2rts_qp_out"},
		{PRM_OPCODE_QUERY_GENERAL_OBJECT, "general_obj_in_cmd_hdr",
		 "general_obj_out_cmd_hdr"},
		{PRM_OPCODE_GET_DROPPED_PACKET_LOG, "mbox_in", "mbox_out"},
		{PRM_OPCODE_SET_FLOW_TABLE_ENTRY, "set_fte_in", "set_fte_out"},
		{0xffff, "mbox_in", "mbox_out"},
	};

	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		assert_string_equal(prm_command_in(want[i].opcode)->name, want[i].in);
		assert_string_equal(prm_command_out(want[i].opcode)->name, want[i].out);
	}
}

TEST(none, paths)
{
	const struct prm_struct *s = prm_find_struct("create_mkey_in");
	uint8_t in[PRM_CREATE_MKEY_IN_BYTES + 16] = {0};
	uint64_t v, bit;

	assert_int_equal(prm_field_set(s, in, sizeof(in), "memory_key_mkey_entry.pd", 0x123456), 0);
	assert_int_equal(prm_mkc_get_pd(prm_create_mkey_in_at_memory_key_mkey_entry(in)), 0x123456);
	assert_int_equal(prm_field_set(s, in, sizeof(in), "klm_pas_mtt[3]", 7), 0);
	assert_int_equal(prm_create_mkey_in_get_klm_pas_mtt(in, 3), 7);
	assert_int_equal(prm_field_set(s, in, sizeof(in), "klm_pas_mtt[4]", 7), -ERANGE);
	assert_int_equal(prm_field_get(s, in, 20, "memory_key_mkey_entry.pd", &v), -ERANGE);
	assert_int_equal(prm_field_set(s, in, sizeof(in), "pg_access", 2), -ERANGE);
	assert_int_equal(prm_field_get(s, in, sizeof(in), "memory_key_mkey_entry", &v), -EINVAL);
	assert_int_equal(prm_field_get(s, in, sizeof(in), "no_such", &v), -ENOENT);
	assert_int_equal(prm_field_get(s, in, sizeof(in), "opcode.x", &v), -ENOENT);
	assert_int_equal(prm_field_get(s, in, sizeof(in), "opcode[0]", &v), -ENOENT);
	assert_int_equal(prm_field_get(s, in, sizeof(in), "klm_pas_mtt[", &v), -ENOENT);
	assert_int_equal(prm_field_get(s, in, sizeof(in), "klm_pas_mtt[-1]", &v), -ENOENT);
	assert_int_equal(prm_field_get(s, in, sizeof(in), "", &v), -ENOENT);
	assert_null(prm_find_field(s, "klm_pas_mtt[99999999999]", &bit));
}

TEST(none, variants)
{
	uint8_t cqe[PRM_CQE64_BYTES] = {0};

	prm_cqe64_set_qpn(cqe, 0x123);
	prm_cqe64_set_s_wqe_opcode(cqe, PRM_WQE_OPCODE_MMO);
	prm_cqe64_set_opcode(cqe, PRM_CQE_OPCODE_REQ);
	assert_string_equal(line_of("cqe64", cqe, sizeof(cqe)),
			    "cqe64 s_wqe_opcode=MMO(0x2f) qpn=0x123");
	prm_cqe64_set_opcode(cqe, PRM_CQE_OPCODE_RESP_SEND_INV);
	prm_cqe64_set_inval_rkey(cqe, 0xabc);
	assert_string_equal(
		line_of("cqe64", cqe, sizeof(cqe)),
		"cqe64 inval_rkey=0xabc sop=0x2f flow_tag=0x123 opcode=RESP_SEND_INV(0x4)");
	prm_cqe64_set_cqe_format(cqe, PRM_CQE_FORMAT_INLINE_DATA32);
	cqe[31] = 0x5a;
	assert_non_null(strstr(line_of("cqe64", cqe, sizeof(cqe)), "005a inval_rkey"));
}

TEST(none, nested)
{
	uint8_t in[PRM_CREATE_MKEY_IN_BYTES] = {0};
	void *mkc = prm_create_mkey_in_at_memory_key_mkey_entry(in);

	prm_create_mkey_in_set_opcode(in, PRM_OPCODE_CREATE_MKEY);
	prm_mkc_set_access_mode_1_0(mkc, PRM_MKC_ACCESS_MODE_1_0_MTT);
	prm_mkc_set_qpn(mkc, 0xffffff);
	assert_string_equal(line_of("create_mkey_in", in, sizeof(in)),
			    "create_mkey_in opcode=CREATE_MKEY(0x200) memory_key_mkey_entry={"
			    " access_mode_1_0=MTT(0x1) qpn=0xffffff }");
}

/* Every structure, cut at every length: the bytes are exactly as long as said, so that ASan sees
 * one read too many; and a short buffer gets as much of the line as fits. */
TEST(none, bounds)
{
	for (size_t i = 0; i < prm_struct_count; i++) {
		const struct prm_struct *s = &prm_structs[i];
		size_t step = s->bytes > 512 ? 61 : 1;

		assert_ptr_equal(prm_find_struct(s->name), s);
		for (size_t len = 0; len <= s->bytes + 16; len += step) {
			uint8_t *p = malloc(len ? len : 1);
			char small[8];
			size_t n;

			assert_non_null(p);
			memset(p, 0xff, len);
			n = prm_print_line(NULL, 0, s, p, len);
			assert_true(n >= strlen(s->name));
			assert_int_equal(prm_print_line(small, sizeof(small), s, p, len), n);
			assert_int_equal(strlen(small), n < 7 ? n : 7);
			assert_memory_equal(small, s->name,
					    strlen(s->name) < 7 ? strlen(s->name) : 7);
			free(p);
		}
	}
}

TEST(none, cut)
{
	uint8_t cqe[20] = {0};

	assert_string_equal(line_of("cqe64", cqe, sizeof(cqe)), "cqe64 (cut at 20 of 64 bytes)");
}

static const char *cap_of(const char *path)
{
	const struct prm_field *f = prm_match_cap(path);

	return f ? f->name : "";
}

/* A match field's capability bit has the field's name, or the one that the table gives. */
TEST(none, match_caps)
{
	assert_string_equal(cap_of("outer_headers.dmac_15_0"), "outer_dmac");
	assert_string_equal(cap_of("inner_headers.ttl_hoplimit"), "inner_ipv4_ttl");
	assert_string_equal(cap_of("inner_headers.src_ipv4_src_ipv6.ipv4_layout.ipv4"),
			    "inner_sip");
	assert_string_equal(cap_of("misc_parameters.vxlan_vni"), "outer_vxlan_vni");
	assert_string_equal(cap_of("misc_parameters.inner_second_svlan_tag"), "inner_second_svlan");
	assert_string_equal(cap_of("misc_parameters.source_port"), "source_eswitch_port");
	assert_string_equal(cap_of("misc_parameters_2.outer_first_mpls.mpls_ttl"),
			    "outer_first_mpls");
	assert_string_equal(cap_of("outer_headers.cvlan_tag"), "");
	assert_string_equal(cap_of("misc_parameters_3.icmp_type"), "");
}
