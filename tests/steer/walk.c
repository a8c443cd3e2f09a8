/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves what a walk through entries of format 1 compares and changes. */
#include "tests/test.h"
#include "steer/ste/definer.h"
#include "steer/rules/select.h"
#include "walk_rig.h"

#define L2_WORD	    2u	/* of the parsed headers (PRM definer_hl): kinds of layers 3 and 4, VLAN */
#define KIND_WORD   3u	/* of the parsed headers (PRM definer_hl): layer 4, in more kinds */
#define OKS_WORD    33u /* what is right */
#define RANDOM_WORD 119u

static uint16_t sum(const uint8_t *p, size_t n, uint32_t s)
{
	for (size_t i = 0; i + 1 < n; i += 2)
		s += packet_load16(p + i);
	while (s >> 16)
		s = (s & 0xffff) + (s >> 16);
	return (uint16_t)s;
}

/* Returns true if the packet matches this tag under this mask. */
static bool agrees(uint16_t lookup, const uint8_t *mask, const uint8_t *tag)
{
	uint8_t *s = entry(0, lookup, END_HIT, END_MISS);

	memcpy(mask_of(s), mask, 16);
	memcpy(tag_of(s), tag, 16);
	return walk(at(0)) == END_HIT;
}

/* Proves for each field by name (prm/ste1.prm) that its value matches and another one does not. */
static void fields(const char *layout, uint16_t lookup, const struct fx_field *field)
{
	const struct prm_struct *s = prm_find_struct(layout);

	for (; field->path; field++) {
		uint8_t mask[16] = {0}, tag[16] = {0}, other[16] = {0};
		uint64_t bit;
		unsigned int width = prm_find_field(s, field->path, &bit)->width;

		prm_bits_set(mask, bit, width, UINT32_MAX >> (32 - width));
		prm_bits_set(tag, bit, width, field->value);
		prm_bits_set(other, bit, width, field->value ^ 1);
		if (!agrees(lookup, mask, tag) || agrees(lookup, mask, other))
			print_message("%s.%s\n", layout, field->path);
		assert_true(agrees(lookup, mask, tag));
		assert_false(agrees(lookup, mask, other));
	}
}
#define FIELDS(layout, lookup, ...) fields(#layout, lookup, FX_FIELDS(__VA_ARGS__))

TEST(walk, fields_ipv4)
{
	packet(udp4, sizeof(udp4));
	FIELDS(ste_eth_l2_dst_v1, 0x03, {"dmac_47_16", 0x02d70000}, {"dmac_15_0", 1},
	       {"l3_type", 1}, {"l4_type", 2}, {"l3_ethertype", 0x800});
	FIELDS(ste_eth_l2_src_v1, 0x05, {"smac_47_16", 0x02112233}, {"smac_15_0", 0x4455});
	FIELDS(ste_eth_l2_src_dst_v1, 0x0b, {"smac_15_0", 0x4455}, {"dmac_47_16", 0x02d70000});
	FIELDS(ste_eth_l3_ipv4_5_tuple_v1, 0x07, {"source_address", 0x0a000001},
	       {"destination_address", 0x0a000002}, {"source_port", 1000}, {"destination_port", 53},
	       {"protocol", 17});
	FIELDS(ste_eth_l3_ipv4_misc_v1, 0x0d, {"time_to_live", 64}, {"ihl", 5},
	       {"identification", 1}, {"total_length", 32});
	FIELDS(ste_eth_l4_misc_v1, 0x113, {"length", 12});
	FIELDS(ste_src_gvmi_qp_v1, 0x104, {"source_gvmi", 0}, {"functional_lb", 0});
	/* none of IPv6, and none of inner headers */
	FIELDS(ste_eth_l4_v1, 0x09, {"dst_port", 0});
	FIELDS(ste_eth_l3_ipv4_5_tuple_v1, 0x08, {"destination_port", 0});
}

/* Returns this word of the parsed headers under the mask, as a definer of format 61 selects it. */
static uint32_t selected(uint8_t word, uint32_t of_it)
{
	const uint8_t dwords[SELECT_DWORDS] = {word}, octets[SELECT_OCTETS] = {0};
	uint8_t mask[SELECT_BYTES] = {0}, tag[SELECT_BYTES];
	struct select *s;

	prm_store32(mask, 4 * (SELECT_DWORDS - 1), of_it);
	assert_null(select_make(&s, dwords, octets, mask));
	r.w = (struct steer_walk){.vhca = r.f->v, .packet = &r.p};
	select_fill(s, &r.w, tag);
	free(s);
	return prm_load32(tag, 4 * (SELECT_DWORDS - 1));
}

/* Definers have which headers and checksums are good (DPDK's integrity), and the kind of layer 4 (ptype). */
TEST(walk, integrity)
{
	static const struct {
		uint8_t at, value; /* what is changed in a UDP packet */
		uint8_t oks, kind;
	} rows[] = {
		{0, 2, 0x33, 0x20},	/* nothing: layers 3 and 4, and both checksums */
		{43, '?', 0x23, 0x20},	/* its data: layer 4's checksum is wrong */
		{22, 63, 0x01, 0x20},	/* its TTL: IP's is wrong, so layer 4's is not looked at */
		{23, 1, 0x01, 0x30},	/* ICMP */
		{23, 0x84, 0x01, 0xf0}, /* SCTP */
		{12, 9, 0x00, 0x00},	/* no IP */
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		packet(udp4, sizeof(udp4));
		r.p.data[rows[i].at] = rows[i].value;
		packet_parse_headers(&r.p);
		assert_int_equal(selected(OKS_WORD, 0xff000000) >> 24, rows[i].oks);
		assert_int_equal(selected(KIND_WORD, 0xf0000000) >> 24, rows[i].kind);
	}
}

/* l4_type agrees with IP's protocol where layer 4 has no header: a definer's l4_type is a rule's ip_protocol. */
TEST(walk, l4_type_without_a_header)
{
	static const struct {
		uint8_t len, fragment, protocol, l4_type;
	} rows[] = {{38, 0, 17, 2}, {38, 0, 6, 1}, {38, 0, 1, 0},  /* half a header */
		    {44, 1, 17, 2}, {44, 1, 6, 1}, {44, 1, 1, 0}}; /* a later fragment */

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		packet(udp4, rows[i].len);
		r.p.data[21] = rows[i].fragment;
		r.p.data[23] = rows[i].protocol;
		packet_parse_headers(&r.p);
		assert_int_equal(r.p.outer.l4_type, PACKET_L4_NONE);
		FIELDS(ste_eth_l3_ipv4_5_tuple_v1, 0x07, {"protocol", rows[i].protocol});
		FIELDS(ste_eth_l2_dst_v1, 0x03, {"l4_type", rows[i].l4_type});
		assert_int_equal(selected(L2_WORD, 3u << 18) >> 18, rows[i].l4_type);
		assert_int_equal(selected(KIND_WORD, 0xf0000000) >> 28, rows[i].l4_type);
	}
}

/* A packet has random numbers: each bit of 16 is set for about a half of 1,024 packets. */
TEST(walk, random_numbers)
{
	unsigned int set[32] = {0};

	packet(udp4, sizeof(udp4));
	for (unsigned int i = 0; i < 1024; i++)
		for (uint32_t bit = 0, word = selected(RANDOM_WORD, UINT32_MAX); bit < 32; bit++)
			set[bit] += word >> bit & 1;
	for (unsigned int bit = 0; bit < 32; bit++)
		assert_in_range(set[bit], bit < 16 ? 0 : 400, bit < 16 ? 0 : 624);
}

TEST(walk, fields_of_two_tags)
{
	static const uint8_t tags[] = {0x81, 0x00, 0x00, 5, 0x81, 0x00, 0x70, 6};
	uint8_t two[sizeof(udp4) + sizeof(tags)];

	memcpy(mempcpy(mempcpy(two, udp4, 12), tags, sizeof(tags)), udp4 + 12, sizeof(udp4) - 12);
	packet(two, sizeof(two));
	FIELDS(ste_eth_l2_dst_v1, 0x03, {"first_vlan_id", 5}, {"first_cfi", 0},
	       {"first_priority", 0}, {"second_vlan_id", 6}, {"second_cfi", 1},
	       {"second_priority", 3});
}

TEST(walk, registers)
{
	packet(udp4, sizeof(udp4));
	r.p.reg_a = 0xa0a0a0a0;
	for (unsigned int i = 0; i < 8; i++)
		r.p.reg_c[i] = 0xc0000000 + i;
	FIELDS(ste_general_purpose, 0x10e, {"general_purpose_lookup_field", 0xa0a0a0a0});
	FIELDS(ste_register_0, 0x10f, {"register_0_h", 0xc0000000}, {"register_0_l", 0xc0000001},
	       {"register_1_h", 0xc0000002}, {"register_1_l", 0xc0000003});
	FIELDS(ste_register_1, 0x110, {"register_2_h", 0xc0000004}, {"register_2_l", 0xc0000005},
	       {"register_3_h", 0xc0000006}, {"register_3_l", 0xc0000007});
}

/*
 * Entries that always hit (mask 0, tag 0), that always miss (a tag bit outside the mask), and with
 * actions only.
 */
TEST(walk, always)
{
	uint8_t none[16] = {0}, never[16] = {0xdc};
	uint8_t *s;

	packet(udp4, sizeof(udp4));
	assert_true(agrees(0x0f, none, none));
	assert_false(agrees(0x0f, none, never));
	s = entry(0, 0x40f, END_HIT, END_MISS);
	tag_of(s)[0] = 0xdc;
	assert_int_equal(walk(at(0)), END_HIT);
}

/* A bucket by hash, then a chain of misses to the entry that matches. */
TEST(walk, chain)
{
	uint8_t tag[16] = {0}, *s;
	uint32_t bucket;

	packet(udp4, sizeof(udp4));
	prm_ste_eth_l3_ipv4_5_tuple_v1_set_destination_port(tag, 53);
	bucket = ste_hash(tag, 0x0030, 256);
	s = entry(0, 0x0f, 0, END_MISS);
	set_hit(s, at(1024), 256);
	prm_ste_match_bwc_v1_set_byte_mask(s, 0x0030);
	prm_ste_match_bwc_v1_set_hash_definer_ctx_idx(s, 0x07);
	for (unsigned int i = 0; i < 3; i++) {
		s = entry(i ? 2000 + i : 1024 + bucket, 0x07, END_HIT, at(2001 + i));
		memset(mask_of(s) + 10, 0xff, 2);
		tag_of(s)[11] = (uint8_t)(51 + i);
	}
	assert_int_equal(walk(at(0)), END_HIT);
	assert_int_equal(r.w.hops, STEER_HOPS - 2);
	assert_int_equal(r.w.steps, STEER_STEPS - 4);
	tag_of(s)[11] = 99;
	set_miss(s, END_MISS);
	assert_int_equal(walk(at(0)), END_MISS);
}

/* Asserts that all sums are ones: the header's, and UDP's with its pseudo header. */
static void assert_sums(void)
{
	const uint8_t *ip = r.p.data + r.p.outer.l3;

	assert_int_equal(sum(ip, 20, 0), 0xffff);
	assert_int_equal(sum(ip + 20, 12, sum(ip + 12, 8, 17 + 12)), 0xffff);
}

/* A definer lays out and masks a tag of 32 bytes, by which entries compare and tables are hashed. */
TEST(walk, definers)
{
	struct match_definer *d = obj_new(r.f->v, OBJ_MATCH_DEFINER, FX_UID, sizeof(*d));
	uint8_t tag[STE_TAG_LONGEST] = {0}, *s;
	uint16_t lookup = (uint16_t)(0x400 | d->o.id);
	uint64_t base = at(16) >> 5 | 8;

	packet(udp4, sizeof(udp4));
	d->format = 22;
	prm_ste_def22_v1_set_outer_ip_src_addr(d->mask, 0xffffff00);
	prm_ste_def22_v1_set_outer_l4_dport(d->mask, 0xffff);
	prm_ste_def22_v1_set_outer_l3_type(d->mask, 3);
	assert_null(definer_make(d));
	prm_ste_def22_v1_set_outer_ip_src_addr(tag, 0x0a000000);
	prm_ste_def22_v1_set_outer_l4_dport(tag, 53);
	prm_ste_def22_v1_set_outer_l3_type(tag, 1);
	s = entry(0, lookup, END_HIT, END_MISS);
	memcpy(s + V1_MASK_AT, tag, sizeof(tag));
	assert_int_equal(walk(at(0)), END_HIT);
	prm_ste_def22_v1_set_outer_l4_dport(s + V1_MASK_AT, 54);
	assert_int_equal(walk(at(0)), END_MISS);
	/* a table of eight, and the entry where the hash has it */
	s = entry(0, 0x40f, 0, END_MISS);
	prm_ste_match_bwc_v1_set_next_table_base_39_32_size(s, (uint32_t)(base >> 27));
	prm_ste_match_bwc_v1_set_next_table_base_31_5_size(s, base & 0x7ffffff);
	prm_ste_match_bwc_v1_set_hash_definer_ctx_idx(s, d->o.id);
	s = entry(16 + ste_hash_wide(tag, 8), lookup, END_HIT, END_MISS);
	memcpy(s + V1_MASK_AT, tag, sizeof(tag));
	assert_int_equal(walk(at(0)), END_HIT);
	/* no packet has the number of a port */
	prm_ste_def22_v1_set_port(d->mask, 1);
	assert_string_equal(definer_make(d), "port");
}

TEST(walk, rewrites)
{
	packet(udp4, sizeof(udp4));
	assert_sums();
	put_set(r.lists, PRM_STE_ACTION_SET, 0x90, 0, 32, 0x12345678);
	put_set(r.lists + 8, PRM_STE_ACTION_ADD, 0x0e, 8, 8, 0xff); /* TTL - 1 */
	put_set(r.lists + 16, PRM_STE_ACTION_SET, 0x40, 0, 32, 0xc0a80101);
	put_set(r.lists + 24, PRM_STE_ACTION_SET, 0x18, 0, 16, 5353);
	put_set(r.lists + 32, PRM_STE_ACTION_SET, 0x01, 16, 16, 0xbeef); /* DMAC 15:0 */
	put_set(r.lists + 40, PRM_STE_ACTION_SET, 0x0e, 18, 6, 46);	 /* DSCP */
	assert_int_equal(rewritten(6), END_HIT);
	assert_int_equal(r.p.reg_c[0], 0x12345678);
	assert_int_equal(r.p.outer.ttl, 63);
	assert_int_equal(r.p.outer.dscp, 46);
	assert_int_equal(r.p.outer.ecn, 0);
	assert_int_equal(packet_load32(r.p.data + 26), 0xc0a80101);
	assert_int_equal(r.p.outer.dport, 5353);
	assert_int_equal(r.p.outer.sport, 1000);
	assert_int_equal(packet_load16(r.p.data + 4), 0xbeef);
	assert_int_equal(r.p.outer.ethertype, 0x800);
	assert_sums();
	/* copy: bits 15:8 of C0 to bits 31:24 of C5; a later entry of the walk sees it */
	put_set(r.lists, PRM_STE_ACTION_COPY, 0x8d, 24, 8, 0);
	prm_ste_double_action_copy_v1_set_source_dw_offset(r.lists, 0x90);
	prm_ste_double_action_copy_v1_set_source_right_shifter(r.lists, 32 + 8);
	assert_int_equal(rewritten(1), END_HIT);
	assert_int_equal(r.p.reg_c[5], 0x56000000);
	/* UDP has no flags of TCP */
	put_set(r.lists, PRM_STE_ACTION_SET, 0x19, 16, 9, 0x1ff);
	assert_int_equal(rewritten(1), END_HIT);
	assert_sums();
}

/* Registers C0 to C5 have other numbers in rewrites of format 2, all else has the same. */
TEST(walk, rewrites_of_formats)
{
	static const struct {
		const struct ste_version *version;
		uint8_t dwords[6]; /* of C0, C1, ... */
	} formats[] = {
		{&ste_v1, {0x90, 0x91, 0x8e, 0x8f, 0x8c, 0x8d}},
		{&ste_v2, {0x94, 0x95, 0x92, 0x93, 0x90, 0x91}},
		{&ste_v3, {0x94, 0x95, 0x92, 0x93, 0x90, 0x91}},
	};

	for (unsigned int f = 0; f < 3; f++) {
		r.version = formats[f].version;
		packet(udp4, sizeof(udp4));
		put_set(r.lists, PRM_STE_ACTION_SET, 0x40, 0, 32, 0xc0a80101);
		for (unsigned int i = 0; i < 6; i++)
			put_set(r.lists + 8 + 8ul * i, PRM_STE_ACTION_SET, formats[f].dwords[i], 0,
				32, i + 1);
		assert_int_equal(rewritten(7), END_HIT);
		for (unsigned int i = 0; i < 6; i++)
			assert_int_equal(r.p.reg_c[i], i + 1);
		assert_int_equal(packet_load32(r.p.data + 26), 0xc0a80101);
	}
	put_set(r.lists, PRM_STE_ACTION_SET, 0x8f, 0, 32, 1);
	assert_int_equal(rewritten(1), 0);
}

/* TCP's checksum covers an address that is rewritten. */
TEST(walk, rewrites_tcp)
{
	uint8_t tcp4[54] = {[46] = 0x50};
	const uint8_t *ip;
	uint32_t before;

	memcpy(tcp4, udp4, 34);
	tcp4[17] = 40;
	tcp4[23] = 6;
	packet(tcp4, sizeof(tcp4));
	ip = r.p.data + r.p.outer.l3;
	before = sum(ip + 20, 20, sum(ip + 12, 8, 6 + 20));
	put_set(r.lists, PRM_STE_ACTION_SET, 0x40, 0, 32, 0xc0a80101);
	assert_int_equal(rewritten(1), END_HIT);
	assert_int_equal(packet_load32(r.p.data + 26), 0xc0a80101);
	assert_int_equal(sum(ip + 20, 20, sum(ip + 12, 8, 6 + 20)), before);
}

/* Firmware's tables behind an entry match the packet as the entry left it. */
TEST(walk, tables_after_rewrites)
{
	const uint8_t rx = PRM_FLOW_TABLE_TYPE_NIC_RX;
	uint32_t first = rig_table(r.f, (struct rig_table){rx, 1, 0, 0}), tir = rig_tir(r.f);
	uint32_t sw = rig_table(r.f, (struct rig_table){rx, 2, 0, at(0)});
	uint32_t last = rig_table(r.f, (struct rig_table){rx, 3, 0, 0});
	uint8_t *s = entry(0, 0x0f, icm_addr(ICM_TABLE, last), END_MISS);

	rig_root(r.f, rx, first);
	RIG_ENTRY(r.f, rx, first, rig_group(r.f, rx, first, 0, 9, 0xffff), 0, 1,
		  PRM_FLOW_ACTION_FWD_DEST, .to_table = sw);
	RIG_ENTRY(r.f, rx, last, rig_group(r.f, rx, last, 0, 9, 0xffff), 0, 53,
		  PRM_FLOW_ACTION_FWD_DEST, .tir = tir);
	prm_ste_match_bwc_v1_set_reparse(s, 1);
	s[24] = PRM_STE_ACTION_MODIFY_LIST;
	s[25] = 1;
	put_set(r.lists, PRM_STE_ACTION_SET, 0x18, 0, 16, 53);
	assert_int_equal(rig_send(r.f, rx, 1).tirs, 1);
	set_hit(s, icm_addr(ICM_TABLE, 0xffff), 1);
	assert_int_equal(rig_send(r.f, rx, 1).stats.ends[STEER_LOST], 1);
	assert_true(test_logged(r.f->log, "flow table 0xffff does not exist"));
}

TEST(walk, vlans)
{
	const uint8_t tag[] = {0x81, 0x00, 0x60, 0x2a};
	uint8_t *s;

	packet(udp4, sizeof(udp4));
	s = entry(0, 0x0f, at(1), END_MISS);
	prm_ste_match_bwc_v1_set_reparse(s, 1);
	s[24] = PRM_STE_ACTION_INSERT_INLINE;
	prm_ste_double_action_insert_with_inline_v1_set_start_offset(s + 24, 6);
	memcpy(s + 28, tag, 4);
	s = entry(1, 0x03, END_HIT, END_MISS);
	prm_ste_eth_l2_dst_v1_set_first_vlan_qualifier(mask_of(s), 3);
	prm_ste_eth_l2_dst_v1_set_first_vlan_id(mask_of(s), 0xfff);
	prm_ste_eth_l2_dst_v1_set_first_priority(mask_of(s), 7);
	prm_ste_eth_l2_dst_v1_set_first_vlan_qualifier(tag_of(s), 2);
	prm_ste_eth_l2_dst_v1_set_first_vlan_id(tag_of(s), 42);
	prm_ste_eth_l2_dst_v1_set_first_priority(tag_of(s), 3);
	assert_int_equal(walk(at(0)), END_HIT);
	assert_int_equal(r.p.len, sizeof(udp4) + 4);
	assert_memory_equal(r.p.data, udp4, 12);
	assert_memory_equal(r.p.data + 12, tag, 4);
	assert_memory_equal(r.p.data + 16, udp4 + 12, sizeof(udp4) - 12);
	s = entry(0, 0x0f, END_HIT, END_MISS);
	prm_ste_match_bwc_v1_set_reparse(s, 1);
	s[24] = PRM_STE_ACTION_REMOVE_BY_SIZE;
	prm_ste_single_action_remove_header_size_v1_set_start_anchor(s + 24, 2);
	prm_ste_single_action_remove_header_size_v1_set_remove_size(s + 24, 2);
	assert_int_equal(walk(at(0)), END_HIT);
	assert_int_equal(r.p.len, sizeof(udp4));
	assert_memory_equal(r.p.data, udp4, sizeof(udp4));
	/* none is left to remove */
	assert_int_equal(walk(at(0)), 0);
	assert_true(test_logged(r.f->log, "anchor 0x02"));
}
