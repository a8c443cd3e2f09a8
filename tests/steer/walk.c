/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves walks through entries of format 1: the way of a packet, its changes, and garbage. */
#include "tests/test.h"
#include "flow_rig.h"
#include <dvx/prm/object.h>
#include "chip/datapath.h"
#include "port/port.h"
#include "steer/ste/v1.h"

#define FIXTURE_walk(name) FIXTURE(name, void *no_state, setup, teardown)

#define ENTRIES	 4096u
#define END_HIT	 icm_addr(ICM_TIR, 7)
#define END_MISS icm_addr(ICM_END, ICM_DROP)

struct rig {
	struct fx *f;
	uint8_t *stes; /* ENTRIES of them, and as many bytes of rewrites */
	uint8_t *lists;
	uint8_t buffer[512];
	struct packet p;
	struct steer_walk w;
};
static struct rig r;

static uint64_t at(unsigned int index)
{
	return icm_addr(ICM_STE, 0) + 64ull * index;
}

static uint8_t *ste(unsigned int index)
{
	return r.stes + 64 * index;
}

static void take(uint64_t addr, unsigned int log_size)
{
	assert_int_equal(fx_sw_icm(r.f, FX_UID, addr, log_size), 0);
}

static int setup(void **state)
{
	if (fx_setup(state))
		return -1;
	memset(&r, 0, sizeof(r));
	r.f = *state;
	take(icm_addr(ICM_STE, 0), 18);
	take(icm_addr(ICM_MODIFY, 0), 12);
	r.stes = (uint8_t *)(uintptr_t)icm_bytes(r.f->v, icm_addr(ICM_STE, 0), 1u << 18);
	r.lists = (uint8_t *)(uintptr_t)icm_bytes(r.f->v, icm_addr(ICM_MODIFY, 0), 1u << 12);
	return 0;
}

static int teardown(void **state)
{
	fw_uid_reap(r.f->v, FX_UID);
	return fx_teardown(state);
}

/* IPv4 UDP 10.0.0.1:1000 -> 10.0.0.2:53, TTL 64, with good checksums */
static const uint8_t udp4[] = {0x02, 0xd7, 0,	 0,  0,	   1,	 0x02, 0x11, 0x22, 0x33, 0x44, 0x55,
			       0x08, 0x00, 0x45, 0,  0,	   32,	 0,    1,    0,	   0,	 64,   17,
			       0x66, 0xca, 10,	 0,  0,	   1,	 10,   0,    0,	   2,	 0x03, 0xe8,
			       0,    53,   0,	 12, 0x0b, 0x1f, 'd',  'v',  'x',  '!'};

static void packet(const void *bytes, uint32_t len)
{
	r.p = (struct packet){.data = r.buffer + STEER_HEADROOM,
			      .len = len,
			      .headroom = STEER_HEADROOM,
			      .tailroom = (uint32_t)sizeof(r.buffer) - STEER_HEADROOM - len,
			      .source_vhca = STEER_FROM_WIRE};
	memcpy(r.p.data, bytes, len);
	packet_parse_headers(&r.p);
}

static uint16_t sum(const uint8_t *p, size_t n, uint32_t s)
{
	for (size_t i = 0; i + 1 < n; i += 2)
		s += packet_load16(p + i);
	while (s >> 16)
		s = (s & 0xffff) + (s >> 16);
	return (uint16_t)s;
}

static uint64_t walk(uint64_t addr)
{
	r.w = (struct steer_walk){.version = &ste_v1,
				  .vhca = r.f->v,
				  .packet = &r.p,
				  .hops = STEER_HOPS,
				  .steps = STEER_STEPS};
	return ste_walk(&r.w, addr);
}

static void set_miss(uint8_t *s, uint64_t addr)
{
	prm_ste_match_bwc_v1_set_miss_address_39_32(s, (uint32_t)(addr >> 32));
	prm_ste_match_bwc_v1_set_miss_address_31_6(s, (uint32_t)addr >> 6);
}

static void set_hit(uint8_t *s, uint64_t addr, uint32_t n)
{
	uint64_t base = addr >> 5 | n;

	prm_ste_match_bwc_v1_set_next_table_base_39_32_size(s, (uint32_t)(base >> 27));
	prm_ste_match_bwc_v1_set_next_table_base_31_5_size(s, base & 0x7ffffff);
}

/* Writes an entry that sends any packet to `hit`; a test narrows it. */
static uint8_t *entry(unsigned int index, uint16_t lookup, uint64_t hit, uint64_t miss)
{
	uint8_t *s = ste(index);

	memset(s, 0, 64);
	prm_ste_match_bwc_v1_set_entry_format(s, lookup >> 8);
	prm_ste_match_bwc_v1_set_match_definer_ctx_idx(s, lookup & 0xff);
	prm_ste_match_bwc_v1_set_hash_definer_ctx_idx(s, 0x0f);
	set_hit(s, hit, 1);
	set_miss(s, miss);
	return s;
}

static uint8_t *mask_of(uint8_t *s)
{
	return s + 32;
}

static uint8_t *tag_of(uint8_t *s)
{
	return s + 48;
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

static void put_set(uint8_t *a, uint8_t id, uint8_t dword, unsigned int low, unsigned int bits,
		    uint32_t value)
{
	a[0] = id;
	prm_ste_double_action_set_v1_set_destination_dw_offset(a, dword);
	prm_ste_double_action_set_v1_set_destination_left_shifter(a, 32 + low);
	prm_ste_double_action_set_v1_set_destination_length(a, bits & 31);
	prm_ste_double_action_set_v1_set_inline_data(a, value);
}

/* Walks an entry with a list of n rewrites at the beginning of their memory. */
static uint64_t rewritten(unsigned int n)
{
	uint8_t *s = entry(0, 0x0f, END_HIT, END_MISS);

	prm_ste_match_bwc_v1_set_reparse(s, 1);
	s[24] = PRM_STE_ACTION_MODIFY_LIST;
	s[25] = (uint8_t)n;
	return walk(at(0));
}

/* Asserts that all sums are ones: the header's, and UDP's with its pseudo header. */
static void assert_sums(void)
{
	const uint8_t *ip = r.p.data + r.p.outer.l3;

	assert_int_equal(sum(ip, 20, 0), 0xffff);
	assert_int_equal(sum(ip + 20, 12, sum(ip + 12, 8, 17 + 12)), 0xffff);
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
	RIG_ENTRY(r.f, .type = rx, .table = first, .group = rig_group(r.f, rx, first, 0, 9, 0xffff),
		  .port = 1, .action = PRM_FLOW_ACTION_FWD_DEST, .to_table = sw);
	RIG_ENTRY(r.f, .type = rx, .table = last, .group = rig_group(r.f, rx, last, 0, 9, 0xffff),
		  .port = 53, .action = PRM_FLOW_ACTION_FWD_DEST, .tir = tir);
	prm_ste_match_bwc_v1_set_reparse(s, 1);
	s[24] = PRM_STE_ACTION_MODIFY_LIST;
	s[25] = 1;
	put_set(r.lists, PRM_STE_ACTION_SET, 0x18, 0, 16, 53);
	assert_int_equal(rig_send(r.f, rx, 1).tirs, 1);
	set_hit(s, icm_addr(ICM_TABLE, 0xffff), 1);
	assert_int_equal(rig_send(r.f, rx, 1).stats.ends[STEER_LOST], 1);
	assert_true(fx_logged(r.f, "flow table 0xffff does not exist"));
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
	assert_true(fx_logged(r.f, "anchor 0x02"));
}

/*
 * Asserts that the packet is lost with this sentence. The log is new each time, as it soon has only
 * some of the losses.
 */
static void assert_lost(const char *text)
{
	steer_free(r.f->dev.steer);
	r.f->dev.steer = steer_new(&r.f->dev);
	assert_int_equal(walk(at(0)), 0);
	assert_true(fx_logged(r.f, text));
}

/* Circles of hits and of misses, holes, and features that are not implemented: a sentence each. */
TEST(walk, lost)
{
	const struct {
		uint16_t lookup;
		uint64_t hit, miss;
		/* a tag bit that no packet has; action: the entry's end */
		uint8_t never, action[5];
		const char *text;
	} rows[] = {
		{0x0f, at(1), END_MISS, 0, {0}, "more than any packet may"},
		{0x0f, END_HIT, at(0), 0xdc, {0}, "lead in a circle"},
		{0x0f, at(ENTRIES), END_MISS, 0, {0}, "no steering memory is allocated"},
		{0x117, END_HIT, END_MISS, 0, {0}, "lookup type 0x0117"},
		{0x402, END_HIT, END_MISS, 0, {0}, "definer 2"},
		{0x0f, END_HIT, 0, 0xdc, {0}, "leads to 0x0"},
		{0x0f, END_HIT, END_MISS, 0, {PRM_STE_ACTION_ASO}, "action 0x12"},
		{0x0f, END_HIT, END_MISS, 0, {[4] = PRM_STE_ACTION_SET}, "in its last 4"},
		{0x0f,
		 END_HIT,
		 END_MISS,
		 0,
		 {PRM_STE_ACTION_MODIFY_LIST, 200, 0xff},
		 "list of 200 rewrites"},
	};

	packet(udp4, sizeof(udp4));
	entry(1, 0x0f, at(0), END_MISS);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint8_t *s = entry(0, rows[i].lookup, rows[i].hit, rows[i].miss);

		tag_of(s)[0] = rows[i].never;
		memcpy(s + 24, rows[i].action, sizeof(rows[i].action));
		assert_lost(rows[i].text);
	}
	set_hit(entry(0, 0x0f, 0, END_MISS), 0, 0);
	assert_lost("a table of 0 entries");
	r.lists[0] = PRM_STE_ACTION_MODIFY_LIST;
	(void)rewritten(1);
	assert_lost("names another");
	put_set(r.lists, PRM_STE_ACTION_SET, 0x33, 0, 32, 0);
	(void)rewritten(1);
	assert_lost("dword 0x33");
	put_set(r.lists, PRM_STE_ACTION_SET, 0x90, 8, 32, 0);
	(void)rewritten(1);
	assert_lost("not within a dword");
	assert_int_equal(walk(at(0) | 1ull << 50), 0);
}

/* Returns IPv6 with as many extension headers as fit. */
static uint8_t *long_chain(void)
{
	uint8_t *bytes = calloc(1, STEER_HEADROOM + VHCA_FRAME_MAX), *p = bytes + STEER_HEADROOM;

	prm_store16(p, 12, 0x86dd);
	p[14] = 0x60;
	prm_store16(p, 18, VHCA_FRAME_MAX - 54);
	for (uint32_t at = 54; at + 8 <= VHCA_FRAME_MAX; at += 8)
		p[at] = 60; /* destination options, 8 bytes */
	p[20] = 60;
	r.p = (struct packet){.data = p, .len = VHCA_FRAME_MAX, .headroom = STEER_HEADROOM};
	packet_parse_headers(&r.p);
	assert_true(r.p.outer.end > VHCA_FRAME_MAX - 16);
	return bytes;
}

/* Actions cost steps as entries do, so a circle with many actions ends as early as any other. */
TEST(walk, bounded_work)
{
	uint8_t *s, *bytes;

	packet(udp4, sizeof(udp4));
	for (unsigned int i = 0; i < 200; i++)
		put_set(r.lists + 8ul * i, PRM_STE_ACTION_ADD, 0x90, 0, 32, 1);
	s = entry(0, 0x0f, at(0), END_MISS);
	s[24] = PRM_STE_ACTION_MODIFY_LIST;
	s[25] = 200;
	assert_lost("more work than any packet");
	assert_in_range(r.p.reg_c[0], 255, STEER_STEPS);
	/* each parses the headers again */
	bytes = long_chain();
	put_set(r.lists, PRM_STE_ACTION_SET, 0x0e, 8, 8, 63);
	put_set(r.lists + 8, PRM_STE_ACTION_ADD, 0x90, 0, 32, 1);
	prm_ste_match_bwc_v1_set_reparse(s, 1);
	s[25] = 2;
	assert_lost("more work than any packet");
	assert_in_range(r.p.reg_c[0], 255, STEER_STEPS / 100);
	free(bytes);
}

/* Packets in a circle don't use up a turn of the loop: other work continues in the next turns. */
TEST(walk, short_turns)
{
	const uint64_t *lost = &steer_stats(r.f->v)->ends[STEER_LOST];
	unsigned int turns = 0;

	entry(0, 0x0f, at(0), END_MISS);
	rig_root(r.f, PRM_FLOW_TABLE_TYPE_NIC_RX, rig_table(r.f, (struct rig_table){.icm = at(0)}));
	for (unsigned int i = 0; i < 8; i++)
		assert_int_equal(port_inject(r.f->dev.port, udp4, sizeof(udp4)), 0);
	while (*lost < 8) {
		uint64_t before = *lost;

		assert_true(datapath_run(&r.f->dev));
		assert_int_equal(*lost, before + 1);
		turns++;
	}
	assert_int_equal(turns, 8);
	/* other packets are handled together */
	entry(0, 0x0f, END_MISS, END_MISS);
	for (unsigned int i = 0; i < 100; i++)
		assert_int_equal(port_inject(r.f->dev.port, udp4, sizeof(udp4)), 0);
	datapath_run(&r.f->dev);
	assert_int_equal(steer_stats(r.f->v)->ends[STEER_DROP], 100);
}

/*
 * Headers moved without the entry's reparse bit: their old places, which may be behind the packet's
 * end, are neither read nor written. (The test checks the bytes behind it, AddressSanitizer the
 * reads.)
 */
TEST(walk, moved_headers)
{
	uint8_t *bytes = malloc(STEER_HEADROOM + sizeof(udp4)), behind[200], *s;

	packet(udp4, sizeof(udp4));
	memcpy(behind, r.p.data + r.p.len, sizeof(behind));
	/* in one entry: 30 bytes are removed, then UDP's destination port is written */
	s = entry(0, 0x40f, END_HIT, END_MISS);
	s[20] = PRM_STE_ACTION_REMOVE_BY_SIZE;
	prm_ste_single_action_remove_header_size_v1_set_remove_size(s + 20, 15);
	put_set(s + 24, PRM_STE_ACTION_SET, 0x18, 0, 16, 0xbeef);
	(void)walk(at(0));
	assert_memory_equal(r.p.data + r.p.len, behind, sizeof(behind));
	packet(udp4, sizeof(udp4));
	assert_lost("reparse");
	prm_ste_match_bwc_v1_set_reparse(s, 1);
	packet(udp4, sizeof(udp4));
	assert_int_equal(walk(at(0)), END_HIT);
	assert_int_equal(r.p.len, sizeof(udp4) - 30);
	assert_memory_equal(r.p.data, udp4 + 30, sizeof(udp4) - 30);
	assert_memory_equal(r.p.data + r.p.len, behind, sizeof(behind));
	/* the next entry reads them */
	memset(s + 24, 0, 8);
	prm_ste_match_bwc_v1_set_reparse(s, 0);
	set_hit(s, at(1), 1);
	entry(1, 0x07, END_HIT, END_MISS);
	memcpy(bytes + STEER_HEADROOM, udp4, sizeof(udp4));
	r.p = (struct packet){
		.data = bytes + STEER_HEADROOM, .len = sizeof(udp4), .headroom = STEER_HEADROOM};
	packet_parse_headers(&r.p);
	assert_lost("reparse");
	free(bytes);
}

/*
 * Random entries that mostly lead to each other, and random packets: every walk ends, and other
 * memory is not touched (AddressSanitizer checks the packet's surroundings).
 */
TEST(walk, fuzz)
{
	static const uint16_t lookups[] = {0x03,  0x05, 0x0b,  0x02,  0x04,  0x07,  0x08,  0x0d,
					   0x09,  0x0a, 0x104, 0x107, 0x109, 0x10e, 0x10f, 0x113,
					   0x40f, 0x0e, 0x103, 0x10b, 0x10c, 0x10d, 0x111};
	enum { LOOKUPS = sizeof(lookups) / sizeof(lookups[0]) };
	static const uint8_t actions[] = {0, 5, 6, 7, 8, 9, 0xa, 0xc, 0xf, 0x12};
	uint64_t ends[16] = {0};

	srand(4);
	for (unsigned int round = 0; round < 20000; round++) {
		uint32_t len = 14 + (uint32_t)rand() % 200;
		uint8_t *bytes = malloc(STEER_HEADROOM + len);
		bool good = rand() & 1; /* headers that the parser knows */

		for (unsigned int i = 0; i < 16; i++) {
			uint8_t *s =
				entry((unsigned int)rand() % 64, lookups[rand() % LOOKUPS],
				      at((unsigned int)rand() % 64), at((unsigned int)rand() % 64));

			s[24] = actions[rand() % 10];
			s[25] = rand() & 1 ? 0 : (uint8_t)(rand() & 0x1f); /* mostly the start */
			s[27] = (uint8_t)(rand() & 0x3f);
			prm_ste_match_bwc_v1_set_reparse(s, rand() & 1);
			for (unsigned int j = 0; j < 6; j++)
				s[rand() % 64] = (uint8_t)rand();
			if (rand() & 1)
				set_hit(s, END_HIT, 1);
			r.lists[rand() % 4096] = actions[rand() % 10];
		}
		for (uint32_t i = 0; i < len; i++)
			bytes[STEER_HEADROOM + i] =
				(uint8_t)(good && i < sizeof(udp4) ? udp4[i] : rand());
		r.p = (struct packet){
			.data = bytes + STEER_HEADROOM, .len = len, .headroom = STEER_HEADROOM};
		packet_parse_headers(&r.p);
		ends[icm_kind(walk(at((unsigned int)rand() % 64)))]++;
		assert_true(r.p.data >= bytes &&
			    r.p.data + r.p.len == bytes + STEER_HEADROOM + len);
		free(bytes);
	}
	assert_true(ends[ICM_TIR] > 100 && ends[0] > 100);
}

/* --- a version of the test's own ----------------------------------------------------------------
 */

/* An entry of a version that only this test has, with other sizes, in host order. */
struct own_ste {
	uint8_t compares, lookup, next_lookup, log_entries;
	uint16_t port;
	uint16_t pad;
	uint64_t next, miss, tag_register;
};

enum { OWN_PORTS = 3, OWN_REGISTER = 77 };

static const struct own_ste *own(const uint8_t *ste)
{
	return (const struct own_ste *)(const void *)ste;
}

static uint16_t own_lookup(const uint8_t *ste)
{
	return own(ste)->lookup;
}

static enum ste_decision own_decision(const struct steer_walk *w, uint64_t addr, const uint8_t *ste)
{
	(void)w;
	(void)addr;
	return own(ste)->compares ? STE_COMPARES : STE_ALWAYS_HITS;
}

static void own_ports(const struct steer_walk *w, uint8_t *tag)
{
	memcpy(tag, &w->packet->outer.dport, 2);
}

static ste_tag_fn *own_tag(uint16_t lookup)
{
	return lookup == OWN_PORTS ? own_ports : NULL;
}

static bool own_agrees(const uint8_t *ste, const uint8_t *tag)
{
	return !memcmp(tag, &own(ste)->port, 2);
}

static uint64_t own_miss(const uint8_t *ste)
{
	return own(ste)->miss;
}

static struct ste_next own_next(const uint8_t *ste)
{
	return (struct ste_next){.addr = own(ste)->next,
				 .entries = 1ull << own(ste)->log_entries,
				 .hashed = true,
				 .lookup = own(ste)->next_lookup,
				 .byte_mask = 0xc000};
}

static uint32_t own_counter(const uint8_t *ste)
{
	(void)ste;
	return 0;
}

static bool own_reparse(const uint8_t *ste)
{
	(void)ste;
	return false;
}

static bool own_act(struct steer_walk *w, const uint8_t *ste, unsigned int *changed)
{
	rewrite_add(w->packet, (struct rewrite_bits){REWRITE_REG_A, 0, 32},
		    (uint32_t)own(ste)->tag_register, changed);
	return true;
}

static uint64_t own_walk(struct steer_walk *w, uint64_t addr);

static const struct ste_version own_version = {
	.format = 15,
	.entry_bytes = sizeof(struct own_ste),
	.lookup = own_lookup,
	.decision = own_decision,
	.tag = own_tag,
	.agrees = own_agrees,
	.miss = own_miss,
	.next = own_next,
	.counter = own_counter,
	.reparse = own_reparse,
	.act = own_act,
	.walk = own_walk,
};

static uint64_t own_walk(struct steer_walk *w, uint64_t addr)
{
	return ste_walk_entries(&own_version, w, addr);
}

static uint64_t own_at(uint32_t index)
{
	return icm_addr(ICM_STE, 0) + sizeof(struct own_ste) * (uint64_t)index;
}

static uint64_t walk_own(void)
{
	r.w = (struct steer_walk){.version = &own_version,
				  .vhca = r.f->v,
				  .packet = &r.p,
				  .hops = STEER_HOPS,
				  .steps = STEER_STEPS};
	return ste_walk(&r.w, own_at(0));
}

/*
 * The walk depends on no version: it follows a hash and a chain of entries in the test's own
 * layout.
 */
TEST(walk, other_version)
{
	struct own_ste *s = (struct own_ste *)(void *)r.stes;
	uint8_t tag[STE_TAG_BYTES] = {53};
	uint32_t slot = ste_hash(tag, 0xc000, 8);

	assert_ptr_equal(ste_version_find(1), &ste_v1);
	assert_null(ste_version_find(15));
	packet(udp4, sizeof(udp4));
	s[0] = (struct own_ste){
		.next = own_at(64), .log_entries = 3, .next_lookup = OWN_PORTS, .tag_register = 1};
	s[64 + slot] = (struct own_ste){.compares = 1,
					.lookup = OWN_PORTS,
					.port = 54,
					.next = END_MISS,
					.miss = own_at(9)};
	s[9] = (struct own_ste){.compares = 1,
				.lookup = OWN_PORTS,
				.port = 53,
				.next = END_HIT,
				.miss = END_MISS,
				.tag_register = 2};
	assert_int_equal(walk_own(), END_HIT);
	assert_int_equal(r.p.reg_a, 3);
	assert_int_equal(r.w.hops, STEER_HOPS - 2);
	assert_int_equal(r.w.steps, STEER_STEPS - 3);
	s[9].port = 55;
	assert_int_equal(walk_own(), END_MISS);
	s[9].lookup = OWN_REGISTER;
	assert_int_equal(walk_own(), 0);
	assert_true(fx_logged(r.f, "lookup type 0x004d"));
	s[9] = (struct own_ste){.next = own_at(0)};
	assert_int_equal(walk_own(), 0);
	assert_true(fx_logged(r.f, "more than any packet may"));
}
