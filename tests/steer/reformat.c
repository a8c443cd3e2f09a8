/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves tunnels in firmware's tables and in entries of software: the bytes of headers that are
 * added and removed, and that a packet or a header that does not fit is lost with a sentence.
 */
#include "tests/test.h"
#include <dvx/prm/object.h>
#include "fw/cmd.h"
#include "obj/flow.h"
#include "steer/ste/v0.h"
#include "walk_rig.h"

#define RX	 PRM_FLOW_TABLE_TYPE_NIC_RX
#define TX	 PRM_FLOW_TABLE_TYPE_NIC_TX
#define FWD	 PRM_FLOW_ACTION_FWD_DEST
#define ALLOW	 PRM_FLOW_ACTION_ALLOW
#define COUNT	 PRM_FLOW_ACTION_COUNT
#define REFORMAT PRM_FLOW_ACTION_PACKET_REFORMAT
#define DECAP	 PRM_FLOW_ACTION_DECAP
#define DATA_AT	 34u /* of reformat_data in the mailbox */

#define MACS	 0x02, 0xaa, 0, 0, 0, 2, 0x02, 0xaa, 0, 0, 0, 1
/* lengths, checksum and identification are the device's; TOS 0xb8, DF, TTL 61 are not */
#define IP4(proto) \
	0x08, 0x00, 0x45, 0xb8, 0, 0, 0, 0, 0x40, 0, 61, proto, 0, 0, 192, 0, 2, 1, 192, 0, 2, 2
#define UDP(port) 0x12, 0x34, (port) >> 8, (port)&0xff, 0, 0, 0, 0
#define VXLAN	  8, 0, 0, 0, 0, 0, 42, 0

static const uint8_t vxlan4[] = {MACS, IP4(17), UDP(4789), VXLAN};
static const uint8_t vxlan4_tagged[] = {MACS, 0x81, 0x00, 0x20, 0x05, IP4(17), UDP(4789), VXLAN};
static const uint8_t gre4[] = {MACS, IP4(47), 0, 0, 0x08, 0};
static const uint8_t nvgre4[] = {MACS, IP4(47), 0x20, 0, 0x65, 0x58, 0, 0, 5, 0};
static const uint8_t geneve6[] = {
	MACS, 0x86, 0xdd, 0x6b, 0x80,	   0, 0, 0,    0,    17, 61, 0x20, 0x01,
	0x0d, 0xb8, 0,	  0,	0,	   0, 0, 0,    0,    0,	 0,  0,	   0,
	1,    0x20, 0x01, 0x0d, 0xb8,	   0, 0, 0,    0,    0,	 0,  0,	   0,
	0,    0,    0,	  2,	UDP(6081), 0, 0, 0x65, 0x58, 0,	 0,  9,	   0};
static const uint8_t ethernet[] = {MACS, 0x08, 0x00};

/* --- contexts, tables, packets ---------------------------------------------------------------- */

static size_t fill_context(uint8_t in[FX_IN], uint32_t type, const uint8_t *header, uint32_t bytes)
{
	FX_FILL(in, ALLOC_PACKET_REFORMAT_CONTEXT, {"packet_reformat_context.reformat_type", type},
		{"packet_reformat_context.reformat_data_size", bytes});
	if (header)
		memcpy(in + DATA_AT, header, bytes);
	return (DATA_AT + bytes + 3) / 4 * 4;
}

static uint32_t context(uint32_t type, const uint8_t *header, uint32_t bytes)
{
	uint8_t in[FX_IN];
	size_t len = fill_context(in, type, header, bytes);

	assert_int_equal(FX_EXEC(r.f, ALLOC_PACKET_REFORMAT_CONTEXT, in, len), 0);
	return prm_alloc_packet_reformat_context_out_get_packet_reformat_id(r.f->out);
}

static uint32_t table(uint8_t type)
{
	uint32_t t = FX_MAKE(r.f, CREATE_FLOW_TABLE, {"table_type", type},
			     {"flow_table_context.level", 1}, {"flow_table_context.log_size", 10},
			     {"flow_table_context.reformat_en", 1},
			     {"flow_table_context.decap_en", type == RX});

	rig_root(r.f, type, t);
	return t;
}

static uint8_t set_entry(struct rig_entry e, uint32_t reformat)
{
	uint8_t in[RIG_FTE];
	size_t len = rig_fill_entry(&e, in);

	prm_flow_context_set_packet_reformat_id(prm_set_fte_in_at_flow_context(in), reformat);
	return FX_EXEC(r.f, SET_FLOW_TABLE_ENTRY, in, len);
}

static struct got {
	unsigned int ends[STEER_ENDS];
	struct packet p;
	uint8_t bytes[512];
} got;

static void keep(const struct packet *p)
{
	got.p = *p;
	got.p.data = got.bytes;
	memcpy(got.bytes, p->data, p->len < sizeof(got.bytes) ? p->len : sizeof(got.bytes));
}

static void to_tir(struct tir *t, const struct packet *p)
{
	(void)t;
	keep(p);
}

static void to_wire(struct vhca *v, const struct packet *p)
{
	(void)v;
	keep(p);
}

/* Sends or receives r.p; returns its only end. */
static enum steer_end run(uint8_t type)
{
	static const struct steer_ops ops = {.to_tir = to_tir, .to_wire = to_wire};
	struct steer_stats before = *steer_stats(r.f->v);
	enum steer_end end = 0;

	steer_set_ops(r.f->dev.steer, &ops);
	(type == TX ? steer_tx : steer_rx)(r.f->v, &r.p);
	while (steer_stats(r.f->v)->ends[end] == before.ends[end])
		end++;
	return end;
}

static void forget(void)
{
	fw_uid_reap(r.f->v, FX_UID);
	take(icm_addr(ICM_STE, 0), 18);
	take(icm_addr(ICM_MODIFY, 0), 12);
}

/* Makes the root's only entry of a direction, which takes all packets. */
static void root(uint8_t type, uint16_t action, uint32_t reformat, uint32_t counter)
{
	uint32_t t = table(type), g = rig_group(r.f, type, t, 0, 9, 0);
	struct rig_entry e = {.type = type,
			      .table = t,
			      .group = g,
			      .action = (uint16_t)(action | (type == TX ? ALLOW : FWD)),
			      .tir = type == TX ? 0 : rig_tir(r.f),
			      .counter = counter};

	assert_int_equal(set_entry(e, reformat), 0);
}

/* --- headers that are added ------------------------------------------------------------------- */

/* Asserts lengths and checksums that the device fills in, and that all else is the template's. */
static void assert_outer(const uint8_t *header, uint32_t bytes)
{
	const struct packet_headers *o = &got.p.outer;
	uint8_t want[128];

	memcpy(want, header, bytes);
	assert_true(o->l3_ok);
	assert_int_equal(o->l3_end, got.p.len);
	if (o->ip_version == 4) {
		memcpy(want + o->l3 + 2, got.bytes + o->l3 + 2, 4);
		memcpy(want + o->l3 + 10, got.bytes + o->l3 + 10, 2);
	} else {
		memcpy(want + o->l3 + 4, got.bytes + o->l3 + 4, 2);
	}
	if (o->l4_type == PACKET_UDP) {
		assert_int_equal(packet_load16(got.bytes + o->l4 + 4), got.p.len - o->l4);
		assert_true(o->sport >= 0xc000);
		memcpy(want + o->l4, got.bytes + o->l4, 2);
		memcpy(want + o->l4 + 4, got.bytes + o->l4 + 4, 2);
	}
	assert_memory_equal(got.bytes, want, bytes);
}

static const struct tunnel {
	const char *name;
	const uint8_t *header;
	uint8_t bytes, type;
	uint8_t skip; /* bytes of the inner packet that go: its Ethernet header */
} tunnels[] = {
#define L2_IN(header) #header, header, sizeof(header), PRM_REFORMAT_TYPE_L2_TO_L2_TUNNEL, 0
	{L2_IN(vxlan4)},
	{L2_IN(vxlan4_tagged)},
	{L2_IN(nvgre4)},
	{L2_IN(geneve6)},
	{"VXLAN's type", vxlan4, sizeof(vxlan4), PRM_REFORMAT_TYPE_L2_TO_VXLAN, 0},
	{"NVGRE's type", nvgre4, sizeof(nvgre4), PRM_REFORMAT_TYPE_L2_TO_NVGRE, 0},
	{"gre4", gre4, sizeof(gre4), PRM_REFORMAT_TYPE_L2_TO_L3_TUNNEL, 14},
};
#define TUNNELS (sizeof(tunnels) / sizeof(tunnels[0]))

/* Asserts that `got` is udp4 in this tunnel. */
static void assert_inside(const struct tunnel *t)
{
	print_message("%s\n", t->name);
	assert_int_equal(got.p.len, sizeof(udp4) + t->bytes - t->skip);
	assert_outer(t->header, t->bytes);
	assert_memory_equal(got.bytes + t->bytes, udp4 + t->skip, sizeof(udp4) - t->skip);
}

/* Each tunnel begins in the root table of sent packets, whose counter sees the inner packet. */
TEST(walk, begin_in_root)
{
	for (size_t i = 0; i < TUNNELS; i++) {
		const struct tunnel *t = &tunnels[i];
		uint32_t counter = rig_counter(r.f, 0);
		uint64_t octets;

		root(TX, REFORMAT | COUNT, context(t->type, t->header, t->bytes), counter);
		packet(udp4, sizeof(udp4));
		assert_int_equal(run(TX), STEER_WIRE);
		assert_inside(t);
		assert_int_equal(rig_counter_read(r.f, counter, false, &octets), 1);
		assert_int_equal(octets, sizeof(udp4));
		forget();
	}
}

/* Writes the insertion of a context into an entry, as libmlx5 does. */
static void put_insert(uint8_t *a, uint32_t id, uint32_t bytes, uint32_t attributes)
{
	a[0] = PRM_STE_ACTION_INSERT_POINTER;
	prm_ste_double_action_insert_with_ptr_v1_set_size(a, bytes / 2);
	prm_ste_double_action_insert_with_ptr_v1_set_attributes(a, attributes);
	prm_ste_double_action_insert_with_ptr_v1_set_pointer(a, id);
}

/* Walks an entry with the actions that begin a tunnel. */
static uint64_t begin(const struct tunnel *t, uint32_t id)
{
	/* a definer's format has room for three */
	uint8_t *s = entry(0, t->skip ? 0x40f : 0x0f, END_HIT, END_MISS), *a = s + 24;

	prm_ste_match_bwc_v1_set_reparse(s, 1);
	if (t->skip) {
		a = s + 20;
		a[0] = PRM_STE_ACTION_REMOVE_HEADER_TO_HEADER;
		prm_ste_single_action_remove_header_v1_set_end_anchor(a, PRM_STE_ANCHOR_IPV6_IPV4);
		a += 4;
	}
	put_insert(a, id, t->bytes, 1);
	return walk(at(0));
}

/* Proves that these tunnels begin in entries, too. */
TEST(walk, begin_in_entries)
{
	for (size_t i = 0; i < TUNNELS; i++) {
		const struct tunnel *t = &tunnels[i];
		uint32_t id = context(t->type, t->header, t->bytes);

		packet(udp4, sizeof(udp4));
		assert_int_equal(begin(t, id), END_HIT);
		keep(&r.p);
		assert_inside(t);
	}
}

/* Each tunnel begins in an entry of format 0. */
TEST(walk, begin_in_entries_v0)
{
	r.version = &ste_v0;
	r.domain = STEER_NIC_TX;
	for (size_t i = 0; i < TUNNELS; i++) {
		const struct tunnel *t = &tunnels[i];
		uint8_t *s = entry(0, 0, END_HIT, END_MISS);
		uint64_t base = END_HIT >> 5 | 1;

		memset(s, 0, 64);
		prm_ste_sx_transmit_set_entry_type(s, PRM_STE_ENTRY_TYPE_TX);
		prm_ste_sx_transmit_set_entry_sub_type(s, PRM_STE_LU_TYPE_ETHL3_IPV6_SRC_O);
		prm_ste_sx_transmit_set_next_table_base_39_32_size(s, (uint32_t)(base >> 27));
		prm_ste_sx_transmit_set_next_table_base_31_5_size(s, base & 0x7ffffff);
		prm_ste_sx_transmit_set_action_type(s, t->skip ? PRM_STE_TX_ACTION_ENCAP_L3
							       : PRM_STE_TX_ACTION_ENCAP);
		prm_ste_sx_transmit_set_action_description(s, t->bytes / 2u);
		prm_ste_sx_transmit_set_encap_pointer_vlan_data(
			s, context(t->type, t->header, t->bytes));
		packet(udp4, sizeof(udp4));
		assert_int_equal(walk(at(0)), END_HIT);
		keep(&r.p);
		assert_inside(t);
	}
}

static uint16_t source_port(const uint8_t *inner, uint32_t id)
{
	packet(inner, sizeof(udp4));
	assert_int_equal(begin(&tunnels[0], id), END_HIT);
	return r.p.outer.sport;
}

/* The source port tells the inner flow: time to live and payload do not count, addresses do. */
TEST(walk, source_ports)
{
	uint32_t id = context(PRM_REFORMAT_TYPE_L2_TO_L2_TUNNEL, vxlan4, sizeof(vxlan4));
	const struct tunnel l3 = {.bytes = sizeof(vxlan4), .skip = 14};
	uint8_t inner[sizeof(udp4)];
	uint16_t first = source_port(udp4, id);

	memcpy(inner, udp4, sizeof(inner));
	inner[22]--;
	inner[sizeof(inner) - 1] ^= 0xff;
	assert_int_equal(source_port(inner, id), first);
	inner[29]++;
	assert_int_not_equal(source_port(inner, id), first);
	memcpy(inner, udp4, sizeof(inner));
	inner[35]++;
	assert_int_not_equal(source_port(inner, id), first);
	/* a tunnel without the inner Ethernet header has the flow's port, too */
	packet(udp4, sizeof(udp4));
	assert_int_equal(begin(&l3, id), END_HIT);
	assert_int_equal(r.p.outer.sport, first);
}

/* An insertion that is no encapsulation leaves all bytes as they are given. */
TEST(walk, plain_insertion)
{
	uint32_t id = context(PRM_REFORMAT_TYPE_L2_TO_L2_TUNNEL, vxlan4, sizeof(vxlan4));
	uint8_t *s = entry(0, 0x0f, END_HIT, END_MISS);

	packet(udp4, sizeof(udp4));
	prm_ste_match_bwc_v1_set_reparse(s, 1);
	put_insert(s + 24, id, 16, 0);
	prm_ste_double_action_insert_with_ptr_v1_set_start_anchor(s + 24, PRM_STE_ANCHOR_IPV6_IPV4);
	assert_int_equal(walk(at(0)), END_HIT);
	assert_int_equal(r.p.len, sizeof(udp4) + 16);
	assert_memory_equal(r.p.data, udp4, 14);
	assert_memory_equal(r.p.data + 14, vxlan4, 16);
	assert_memory_equal(r.p.data + 30, udp4 + 14, sizeof(udp4) - 14);
}

/* Walks udp4, from its byte `skip`, behind a header, through entry 0 in the layout of format 3. */
static void walk_format_3(const uint8_t *header, uint32_t bytes, uint32_t skip)
{
	r.version = &ste_v3;
	memcpy(got.bytes, header, bytes);
	memcpy(got.bytes + bytes, udp4 + skip, sizeof(udp4) - skip);
	packet(got.bytes, bytes + (uint32_t)sizeof(udp4) - skip);
	prm_ste_match_bwc_v1_set_reparse(ste(0), 1);
	assert_int_equal(walk(at(0)), END_HIT);
}

/* Anchors and offsets of the actions that move headers are wider in format 3. */
TEST(walk, moves_of_format_3)
{
	static const uint8_t tagged[] = {MACS, 0x81, 0x00, 0x20, 0x05};
	const uint32_t id = context(PRM_REFORMAT_TYPE_L2_TO_L2_TUNNEL, vxlan4, sizeof(vxlan4));
	uint8_t *a = entry(0, 0x0f, END_HIT, END_MISS) + 24;

	a[0] = PRM_STE_ACTION_INSERT_INLINE;
	prm_ste_double_action_insert_with_inline_v3_set_start_offset(a, 6);
	memcpy(a + 4, tagged + 12, 4);
	walk_format_3(udp4, 0, 0);
	assert_memory_equal(r.p.data + 12, tagged + 12, 4);
	assert_memory_equal(r.p.data + 16, udp4 + 12, sizeof(udp4) - 12);

	a = entry(0, 0x0f, END_HIT, END_MISS) + 24;
	a[0] = PRM_STE_ACTION_REMOVE_BY_SIZE;
	prm_ste_single_action_remove_header_size_v3_set_start_anchor(a, PRM_STE_ANCHOR_1ST_VLAN);
	prm_ste_single_action_remove_header_size_v3_set_remove_size(a, 2);
	walk_format_3(tagged, sizeof(tagged), 12);
	assert_int_equal(r.p.len, sizeof(udp4));
	assert_memory_equal(r.p.data + 12, udp4 + 12, sizeof(udp4) - 12);

	a = entry(0, 0x0f, END_HIT, END_MISS) + 24;
	a[0] = PRM_STE_ACTION_REMOVE_HEADER_TO_HEADER;
	prm_ste_single_action_remove_header_v3_set_start_anchor(a, PRM_STE_ANCHOR_1ST_VLAN);
	prm_ste_single_action_remove_header_v3_set_end_anchor(a, PRM_STE_ANCHOR_IPV6_IPV4);
	walk_format_3(tagged, sizeof(tagged), 12);
	assert_memory_equal(r.p.data, tagged, 12);
	assert_memory_equal(r.p.data + 12, udp4 + 14, sizeof(udp4) - 14);

	a = entry(0, 0x0f, END_HIT, END_MISS) + 24;
	put_insert(a, id, 16, 0);
	prm_ste_double_action_insert_with_ptr_v3_set_start_anchor(a, PRM_STE_ANCHOR_IPV6_IPV4);
	prm_ste_double_action_insert_with_ptr_v3_set_start_offset(a, 10);
	walk_format_3(udp4, 0, 0);
	assert_memory_equal(r.p.data + 34, vxlan4, 16);
	assert_memory_equal(r.p.data + 50, udp4 + 34, sizeof(udp4) - 34);
}

/* --- tunnels that end ------------------------------------------------------------------------- */

/* Each tunnel ends in the root table of received packets, whose counter sees the inner packet. */
TEST(walk, end_in_root)
{
	for (size_t i = 0; i < TUNNELS; i++) {
		const struct tunnel *t = &tunnels[i];
		uint32_t counter = rig_counter(r.f, 0), id = 0;
		uint64_t octets;

		packet(udp4, sizeof(udp4));
		assert_int_equal(begin(t, context(t->type, t->header, t->bytes)), END_HIT);
		if (t->skip)
			id = context(PRM_REFORMAT_TYPE_L3_TUNNEL_TO_L2, ethernet, sizeof(ethernet));
		root(RX, (id ? REFORMAT : DECAP) | COUNT, id, counter);
		assert_int_equal(run(RX), STEER_TIR);
		print_message("%s\n", t->name);
		assert_int_equal(got.p.len, sizeof(udp4));
		assert_memory_equal(got.bytes, id ? ethernet : udp4, 14);
		assert_memory_equal(got.bytes + 14, udp4 + 14, sizeof(udp4) - 14);
		rig_counter_read(r.f, counter, false, &octets);
		assert_int_equal(octets, sizeof(udp4));
		forget();
	}
}

/* Later tables compare the inner packet. */
TEST(walk, next_table_compares_inner)
{
	uint32_t next = rig_table(r.f, (struct rig_table){RX, 2, 0, 0}), t = table(RX);
	uint32_t g = rig_group(r.f, RX, t, 0, 9, 0xffff);
	uint32_t dns = rig_group(r.f, RX, next, 0, 9, 0xffff);
	struct rig_entry e = {RX, t, g, .port = 4789, .action = FWD | DECAP, .to_table = next};

	assert_int_equal(set_entry(e, 0), 0);
	RIG_ENTRY(r.f, RX, next, dns, 0, 53, FWD, .tir = rig_tir(r.f));
	packet(udp4, sizeof(udp4));
	begin(&tunnels[0], context(tunnels[0].type, vxlan4, sizeof(vxlan4)));
	assert_int_equal(run(RX), STEER_TIR);
}

/* --- what does not fit ------------------------------------------------------------------------ */

static void assert_root_loses(uint8_t type, const char *text)
{
	assert_int_equal(run(type), STEER_LOST);
	assert_true(test_logged(r.f->log, text));
}

/* Headers that are none, and whose lengths lie: the packet is lost with a sentence. */
TEST(walk, bad_headers)
{
	static const uint8_t no_ipv4[34] = {MACS, 0x08, 0x00, 0x65};
	static const uint8_t long_ipv4[34] = {MACS, 0x08, 0x00, 0x4f};
	static const uint8_t short_ipv4[34] = {MACS, 0x08, 0x00, 0x44};
	static const uint8_t no_udp[] = {MACS, IP4(17), 0, 0, 0, 0};
	static const uint8_t no_tag[] = {MACS, 0x81, 0x00};
	static const uint8_t cut_ipv6[24] = {MACS, 0x86, 0xdd, 0x60};
	static const struct {
		const uint8_t *header;
		uint32_t bytes;
	} rows[] = {
		{no_ipv4, sizeof(no_ipv4)}, {long_ipv4, sizeof(long_ipv4)},
		{no_udp, sizeof(no_udp)},   {short_ipv4, sizeof(short_ipv4)},
		{no_tag, sizeof(no_tag)},   {cut_ipv6, sizeof(cut_ipv6)},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		root(TX, REFORMAT,
		     context(PRM_REFORMAT_TYPE_L2_TO_L2_TUNNEL, rows[i].header, rows[i].bytes), 0);
		packet(udp4, sizeof(udp4));
		assert_root_loses(TX, "ends before the headers that it announces");
		forget();
	}
}

/* Packets without such a tunnel, without IP, or with no room for a header, are lost. */
TEST(walk, bad_packets)
{
	static uint8_t jumbo[STEER_HEADROOM + VHCA_FRAME_MAX];
	static const uint8_t arp[42] = {MACS, 0x08, 0x06};
	uint32_t new_l2;

	root(RX, DECAP, 0, 0);
	packet(udp4, sizeof(udp4));
	assert_root_loses(RX, "without a tunnel of Ethernet packets");
	new_l2 = context(PRM_REFORMAT_TYPE_L3_TUNNEL_TO_L2, ethernet, sizeof(ethernet));
	root(RX, REFORMAT, new_l2, 0);
	packet(udp4, sizeof(udp4));
	assert_root_loses(RX, "without a tunnel of IP packets");
	root(TX, REFORMAT, context(PRM_REFORMAT_TYPE_L2_TO_L3_TUNNEL, gre4, sizeof(gre4)), 0);
	packet(arp, sizeof(arp));
	assert_root_loses(TX, "is not IP");
	root(TX, REFORMAT, context(PRM_REFORMAT_TYPE_L2_TO_L2_TUNNEL, vxlan4, sizeof(vxlan4)), 0);
	packet(udp4, sizeof(udp4));
	r.p.data = jumbo + STEER_HEADROOM;
	r.p.len = VHCA_FRAME_MAX - sizeof(vxlan4) + 1;
	packet_parse_headers(&r.p);
	assert_root_loses(TX, "an action inserts 50 bytes");
	r.p.len--;
	assert_int_equal(run(TX), STEER_WIRE);
	assert_int_equal(got.p.len, VHCA_FRAME_MAX);
}

/* Entries that name no context, more bytes than it has, or another kind of insertion. */
TEST(walk, bad_entries)
{
	uint32_t id = context(PRM_REFORMAT_TYPE_L2_TO_L2_TUNNEL, vxlan4, sizeof(vxlan4));
	const struct {
		uint32_t id, bytes, attributes, offset;
		const char *text;
	} rows[] = {
		{id + 1, 50, 1, 0, "of packet reformat 0x2, which has 0"},
		{id, 52, 1, 0, "inserts 52 bytes of packet reformat 0x1, which has 50"},
		{id, 50, 2, 0, "attributes 2"},
		{id, 50, 1, 7, "attributes 1 at 14"},
		{id, 20, 1, 0, "ends before the headers"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint8_t *s = entry(0, 0x0f, END_HIT, END_MISS);

		put_insert(s + 24, rows[i].id, rows[i].bytes, rows[i].attributes);
		prm_ste_double_action_insert_with_ptr_v1_set_start_offset(s + 24, rows[i].offset);
		prm_ste_match_bwc_v1_set_reparse(s, 1);
		packet(udp4, sizeof(udp4));
		assert_int_equal(walk(at(0)), 0);
		assert_true(test_logged(r.f->log, rows[i].text));
	}
}

/* --- bytes at a header ------------------------------------------------------------------------ */

static uint32_t moving(uint32_t type, uint32_t anchor, uint32_t offset, const uint8_t *bytes,
		       uint32_t n)
{
	uint8_t in[FX_IN];
	size_t len = fill_context(in, type, bytes, type == PRM_REFORMAT_TYPE_INSERT_HDR ? n : 0);
	void *ctx = prm_alloc_packet_reformat_context_in_at_packet_reformat_context(in);

	prm_packet_reformat_context_in_set_reformat_data_size(ctx, n);
	prm_packet_reformat_context_in_set_reformat_param_0(ctx, anchor);
	prm_packet_reformat_context_in_set_reformat_param_1(ctx, offset);
	assert_int_equal(FX_EXEC(r.f, ALLOC_PACKET_REFORMAT_CONTEXT, in, len), 0);
	return prm_alloc_packet_reformat_context_out_get_packet_reformat_id(r.f->out);
}

/*
 * INSERT_HDR and REMOVE_HDR count from three headers, in tables of both directions, and change no
 * length: a tag behind the MACs, which another entry removes, bytes behind IP, bytes behind UDP.
 */
TEST(walk, move_in_root)
{
	static const uint8_t tag[] = {0x88, 0xa8, 0x20, 0x05, 1, 2};
	static const struct {
		uint32_t type, anchor, offset, bytes, at;
	} rows[] = {
		{PRM_REFORMAT_TYPE_INSERT_HDR, PRM_REFORMAT_ANCHOR_MAC_START, 12, 4, 12},
		{PRM_REFORMAT_TYPE_INSERT_HDR, PRM_REFORMAT_ANCHOR_IP_START, 0, 2, 14},
		{PRM_REFORMAT_TYPE_INSERT_HDR, PRM_REFORMAT_ANCHOR_TCP_UDP_START, 8, 6, 42},
		{PRM_REFORMAT_TYPE_REMOVE_HDR, PRM_REFORMAT_ANCHOR_TCP_UDP_START, 8, 4, 42},
		{PRM_REFORMAT_TYPE_REMOVE_HDR, PRM_REFORMAT_ANCHOR_IP_START, 28, 2, 42},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint8_t type = i % 2 ? RX : TX;
		bool in = rows[i].type == PRM_REFORMAT_TYPE_INSERT_HDR;
		uint32_t at = rows[i].at, n = rows[i].bytes;
		uint32_t had = at + (in ? 0 : n), has = at + (in ? n : 0);

		root(type, REFORMAT, moving(rows[i].type, rows[i].anchor, rows[i].offset, tag, n),
		     0);
		packet(udp4, sizeof(udp4));
		assert_int_equal(run(type), type == TX ? STEER_WIRE : STEER_TIR);
		assert_int_equal(got.p.len, sizeof(udp4) + has - had);
		assert_memory_equal(got.bytes, udp4, at);
		assert_memory_equal(got.bytes + at, tag, has - at);
		assert_memory_equal(got.bytes + has, udp4 + had, sizeof(udp4) - had);
		forget();
	}
}

/* A packet without the header, or too short, is lost with a sentence. */
TEST(walk, moves_that_do_not_fit)
{
	static const struct {
		uint32_t anchor, offset, bytes;
		const char *why;
	} rows[] = {
		{PRM_REFORMAT_ANCHOR_TCP_UDP_START, 0, 2,
		 "anchor 0x9, which the packet does not have"},
		{PRM_REFORMAT_ANCHOR_MAC_START, 126, 126,
		 "removes 126 bytes at 126 of a packet of"},
	};
	uint8_t other[sizeof(udp4)];

	memcpy(other, udp4, sizeof(udp4));
	other[23] = 50;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		root(TX, REFORMAT,
		     moving(PRM_REFORMAT_TYPE_REMOVE_HDR, rows[i].anchor, rows[i].offset, NULL,
			    rows[i].bytes),
		     0);
		packet(other, sizeof(other));
		assert_int_equal(run(TX), STEER_LOST);
		assert_true(test_logged(r.f->log, rows[i].why));
		forget();
	}
}

/* --- commands --------------------------------------------------------------------------------- */

#define CTX "packet_reformat_context."

TEST(walk, contexts_refuse)
{
	uint8_t in[FX_IN];
	size_t len = fill_context(in, PRM_REFORMAT_TYPE_L2_TO_L2_TUNNEL, vxlan4, sizeof(vxlan4));
	const struct fx_spoil spoils[] = {
		{CTX "reformat_type", 5, BAD, FW_SYN_CAP_CLEAR},
		{CTX "reformat_type", PRM_REFORMAT_TYPE_INSERT_HDR, BAD, FW_SYN_RESERVED},
		{CTX "reformat_type", PRM_REFORMAT_TYPE_L3_TUNNEL_TO_L2, BAD, FW_SYN_SIZE},
		{CTX "reformat_param_0 " CTX "reformat_param_1", 1, BAD, FW_SYN_CAP_CLEAR},
		{CTX "reformat_data_size", 0, BAD, FW_SYN_SIZE},
		{CTX "reformat_data_size", 12, BAD, FW_SYN_SIZE},
		{CTX "reformat_data_size", 49, BAD, FW_SYN_SIZE},
		{CTX "reformat_data_size", 128, BAD, FW_SYN_SIZE},
		{CTX "reformat_data_size", 126, PRM_STATUS_BAD_INP_LEN, FW_SYN_IN_SHORT},
		{CTX "reformat_data_size", 40, PRM_STATUS_BAD_INP_LEN, FW_SYN_IN_LONG},
	};

	FX_SPOILS(r.f, PRM_OPCODE_ALLOC_PACKET_REFORMAT_CONTEXT, in, len, spoils);
}

TEST(walk, moves_refuse)
{
	uint8_t in[FX_IN];
	size_t len = fill_context(in, PRM_REFORMAT_TYPE_INSERT_HDR, vxlan4, 4);
	const struct fx_spoil spoils[] = {
		{CTX "reformat_param_0", 0, BAD, FW_SYN_RESERVED},
		{CTX "reformat_param_0", 2, BAD, FW_SYN_RESERVED},
		{CTX "reformat_param_1", 3, BAD, FW_SYN_SIZE},
		{CTX "reformat_param_1", 128, BAD, FW_SYN_SIZE},
		{CTX "reformat_data_size", 0, BAD, FW_SYN_SIZE},
		{CTX "reformat_data_size", 3, BAD, FW_SYN_SIZE},
		{CTX "reformat_data_size", 128, BAD, FW_SYN_SIZE},
		{CTX "reformat_data_size", 8, PRM_STATUS_BAD_INP_LEN, FW_SYN_IN_SHORT},
		{CTX "reformat_type", PRM_REFORMAT_TYPE_REMOVE_HDR, PRM_STATUS_BAD_INP_LEN,
		 FW_SYN_IN_LONG},
	};
	const struct profile *now = r.f->dev.profile;
	struct profile old = *now;

	prm_packet_reformat_context_in_set_reformat_param_0(
		prm_alloc_packet_reformat_context_in_at_packet_reformat_context(in),
		PRM_REFORMAT_ANCHOR_IP_START);
	FX_SPOILS(r.f, PRM_OPCODE_ALLOC_PACKET_REFORMAT_CONTEXT, in, len, spoils);
	old.steering_format_version = 0;
	r.f->dev.profile = &old;
	assert_int_equal(FX_EXEC(r.f, ALLOC_PACKET_REFORMAT_CONTEXT, in, len), BAD);
	assert_int_equal(r.f->syndrome, FW_SYN_CAP_CLEAR);
	r.f->dev.profile = now;
}

/* Entries refuse a context of the other side, tables without the flag, and keep the context. */
TEST(walk, entries_refuse)
{
	uint32_t rx = table(RX), tx = table(TX),
		 plain = rig_table(r.f, (struct rig_table){RX, 1, 0, 0});
	uint32_t rx_group = rig_group(r.f, RX, rx, 0, 9, 0),
		 tx_group = rig_group(r.f, TX, tx, 0, 9, 0);
	uint32_t no = rig_group(r.f, RX, plain, 0, 9, 0), tir = rig_tir(r.f);
	uint32_t begins = context(PRM_REFORMAT_TYPE_L2_TO_L2_TUNNEL, vxlan4, sizeof(vxlan4));
	uint32_t ends = context(PRM_REFORMAT_TYPE_L3_TUNNEL_TO_L2, ethernet, sizeof(ethernet));
	const struct {
		struct rig_entry e;
		uint32_t id;
		uint8_t status;
		enum fw_syndrome why;
	} rows[] = {
		{{RX, rx, rx_group, .action = FWD | REFORMAT, .tir = tir}, 99, GONE},
		{{RX, rx, rx_group, .action = FWD | REFORMAT, .tir = tir},
		 begins,
		 BAD,
		 FW_SYN_FLOW_ACTION},
		{{RX, rx, rx_group, .action = FWD | REFORMAT | DECAP, .tir = tir},
		 ends,
		 BAD,
		 FW_SYN_FLOW_ACTION},
		{{RX, plain, no, .action = FWD | REFORMAT, .tir = tir},
		 ends,
		 BAD,
		 FW_SYN_FLOW_ACTION},
		{{RX, plain, no, .action = FWD | DECAP, .tir = tir}, 0, BAD, FW_SYN_FLOW_ACTION},
		{{TX, tx, tx_group, .action = ALLOW | REFORMAT}, ends, BAD, FW_SYN_FLOW_ACTION},
		{{TX, tx, tx_group, .action = ALLOW | DECAP}, 0, BAD, FW_SYN_FLOW_ACTION},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(set_entry(rows[i].e, rows[i].id), rows[i].status);
		assert_int_equal(r.f->syndrome, rows[i].why);
	}
	assert_int_equal(set_entry(rows[5].e, begins), 0);
	assert_int_equal(FX(r.f, QUERY_FLOW_TABLE_ENTRY, {"table_type", TX}, {"table_id", tx}), 0);
	FX_ASSERT_REPLY(r.f, QUERY_FLOW_TABLE_ENTRY, {"flow_context.packet_reformat_id", begins});
	assert_int_equal(FX(r.f, DEALLOC_PACKET_REFORMAT_CONTEXT, {"packet_reformat_id", begins}),
			 BUSY);
	rig_delete(r.f, TX, tx, 0);
	assert_int_equal(FX(r.f, DEALLOC_PACKET_REFORMAT_CONTEXT, {"packet_reformat_id", begins}),
			 0);
	assert_int_equal(FX(r.f, DEALLOC_PACKET_REFORMAT_CONTEXT, {"packet_reformat_id", begins}),
			 BAD_RES);
}
