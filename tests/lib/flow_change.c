/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rules of libdvx that rewrite fields: the arriving packet is compared byte by byte with a frame
 * whose checksums are computed anew. In the root and below, the same rules do the same.
 */
#include "tests/test.h"
#include "lib_flow_change.h"

/* --- rewrites ---------------------------------------------------------------------------------- */

struct patch {
	uint32_t at; /* from IP on; beyond BEFORE_IP: from the frame's start */
	uint32_t n, value;
};
#define BEFORE_IP 1000u
#define MAC(byte) (BEFORE_IP + (byte))

struct rewritten {
	const char *name;
	void (*list)(struct dvx_flow_rewrites *r);
	struct frame_spec spec;
	bool no_sum; /* UDP without checksum */
	struct patch patch[10];
};

static void rewrite_nat_tcp(struct dvx_flow_rewrites *r)
{
	OK(dvx_flow_rewrite_mac(r, DVX_FLOW_DST, (const uint8_t *)"\x02\xaa\xbb\xcc\xdd\xee"));
	OK(dvx_flow_rewrite_mac(r, DVX_FLOW_SRC, (const uint8_t *)"\x02\x10\x20\x30\x40\x50"));
	OK(dvx_flow_rewrite_ipv4(r, DVX_FLOW_SRC, 0xc0000201));
	OK(dvx_flow_rewrite_ipv4(r, DVX_FLOW_DST, 0xc6336407));
	OK(dvx_flow_rewrite_port(r, DVX_FLOW_SRC, DVX_FLOW_TCP, 40000));
	OK(dvx_flow_rewrite_port(r, DVX_FLOW_DST, DVX_FLOW_TCP, 8080));
	OK(dvx_flow_rewrite_add(r, "outer_headers.ipv4_ttl", 0xff));
	OK(dvx_flow_rewrite_set(r, "tcp_flags", 0x112));
}

static void rewrite_nat_udp(struct dvx_flow_rewrites *r)
{
	OK(dvx_flow_rewrite_ipv4(r, DVX_FLOW_DST, 0xc000020a));
	OK(dvx_flow_rewrite_port(r, DVX_FLOW_SRC, DVX_FLOW_UDP, 1));
	OK(dvx_flow_rewrite_port(r, DVX_FLOW_DST, DVX_FLOW_UDP, 53));
	OK(dvx_flow_rewrite_set(r, "outer_headers.ip_dscp", 46));
	OK(dvx_flow_rewrite_set(r, "ipv4_ttl", 7));
}

static void rewrite_ipv6_udp(struct dvx_flow_rewrites *r)
{
	static const uint8_t to[16] = {0x20, 0x01, 0x0d, 0xb8, 1, 2,  3,  4,
				       5,    6,	   7,	 8,    9, 10, 11, 12};

	OK(dvx_flow_rewrite_ipv6(r, DVX_FLOW_DST, to));
	OK(dvx_flow_rewrite_set(r, "ipv6_hop_limit", 3));
	OK(dvx_flow_rewrite_port(r, DVX_FLOW_DST, DVX_FLOW_UDP, 5353));
	OK(dvx_flow_rewrite_set(r, "ip_dscp", 10));
}

static void rewrite_ipv6_tcp(struct dvx_flow_rewrites *r)
{
	static const uint8_t to[16] = {0xfe, 0x80, [15] = 1};

	OK(dvx_flow_rewrite_ipv6(r, DVX_FLOW_SRC, to));
	OK(dvx_flow_rewrite_add(r, "ipv6_hop_limit", 0xff));
	OK(dvx_flow_rewrite_add(r, "outer_tcp_seq_num", 0x01020304));
	OK(dvx_flow_rewrite_set(r, "misc_parameters_3.outer_tcp_ack_num", 0xfffffff0));
}

static void rewrite_tag(struct dvx_flow_rewrites *r)
{
	OK(dvx_flow_rewrite_set(r, "outer_headers.first_vid", 0xabc));
}

/* Copies the low half of the source address to the high half of the destination. */
static void rewrite_copies(struct dvx_flow_rewrites *r)
{
	OK(dvx_flow_rewrite_copy(r, "dst_ipv4_dst_ipv6.ipv4_layout.ipv4", 16,
				 "src_ipv4_src_ipv6.ipv4_layout.ipv4", 0, 16));
	OK(dvx_flow_rewrite_copy(r, "udp_dport", 0, "udp_sport", 0, 16));
	OK(dvx_flow_rewrite_copy(r, "metadata_reg_c_1", 0, "dst_ipv4_dst_ipv6.ipv4_layout.ipv4", 0,
				 32));
	OK(dvx_flow_rewrite_copy(r, "src_ipv4_src_ipv6.ipv4_layout.ipv4", 0, "metadata_reg_c_1", 0,
				 32));
}

/* Sets parts of fields: the bits around them stay, in a register too. */
static void rewrite_parts(struct dvx_flow_rewrites *r)
{
	OK(dvx_flow_rewrite_set_bits(r, "dst_ipv4_dst_ipv6.ipv4_layout.ipv4", 8, 16, 0xabcd));
	OK(dvx_flow_rewrite_set_bits(r, "udp_dport", 4, 8, 0xff));
	OK(dvx_flow_rewrite_set(r, "metadata_reg_c_2", 0x11223344));
	OK(dvx_flow_rewrite_set_bits(r, "metadata_reg_c_2", 8, 8, 0xee));
	OK(dvx_flow_rewrite_set_bits(r, "metadata_reg_c_2", 31, 1, 1));
	OK(dvx_flow_rewrite_copy(r, "src_ipv4_src_ipv6.ipv4_layout.ipv4", 0, "metadata_reg_c_2", 0,
				 32));
}

/* [MAC(0)]: the first address, [MAC(14)]: the first tag; then bytes of IP and behind it. */
static const struct rewritten rewrites[] = {
	{"NAT of TCP",
	 rewrite_nat_tcp,
	 {.proto = 6},
	 false,
	 {{MAC(0), 4, 0x02aabbcc},
	  {MAC(4), 4, 0xddee0210},
	  {MAC(8), 4, 0x20304050},
	  {8, 1, 63},
	  {12, 4, 0xc0000201},
	  {16, 4, 0xc6336407},
	  {20, 4, 40000u << 16 | 8080},
	  {32, 2, 0x5112}}},
	{"NAT of UDP",
	 rewrite_nat_udp,
	 {.proto = 17},
	 false,
	 {{1, 1, 46 << 2}, {8, 1, 7}, {16, 4, 0xc000020a}, {20, 4, 1u << 16 | 53}}},
	{"NAT of UDP without checksum",
	 rewrite_nat_udp,
	 {.proto = 17},
	 true,
	 {{1, 1, 46 << 2}, {8, 1, 7}, {16, 4, 0xc000020a}, {20, 4, 1u << 16 | 53}}},
	{"behind a tag",
	 rewrite_nat_udp,
	 {.proto = 17, .vlan = PCP_TAG},
	 false,
	 {{1, 1, 46 << 2}, {8, 1, 7}, {16, 4, 0xc000020a}, {20, 4, 1u << 16 | 53}}},
	{"UDP over IPv6",
	 rewrite_ipv6_udp,
	 {.proto = 17, .version = 6},
	 false,
	 {{0, 4, 0x62800000},
	  {7, 1, 3},
	  {24, 4, 0x20010db8},
	  {28, 4, 0x01020304},
	  {32, 4, 0x05060708},
	  {36, 4, 0x090a0b0c},
	  {42, 2, 5353}}},
	{"TCP over IPv6",
	 rewrite_ipv6_tcp,
	 {.proto = 6, .version = 6},
	 false,
	 {{7, 1, 63},
	  {8, 4, 0xfe800000},
	  {12, 4, 0},
	  {16, 4, 0},
	  {20, 4, 1},
	  {44, 4, 0x01020304},
	  {48, 4, 0xfffffff0}}},
	{"a tag's number, not its priority",
	 rewrite_tag,
	 {.vlan = PCP_TAG},
	 false,
	 {{MAC(14), 2, 0x6abc}}},
	{"copies",
	 rewrite_copies,
	 {.src = 0x0a01beef},
	 false,
	 {{12, 4, 0xbeef0002}, {16, 4, 0xbeef0002}, {22, 2, 1000}}},
	{"parts of fields",
	 rewrite_parts,
	 {.dst = 0x0a010203, .dport = 0x1234},
	 false,
	 {{12, 4, 0x9122ee44}, {16, 4, 0x0aabcd03}, {22, 2, 0x1ff4}}},
};

/* Returns the match that the rewrites need. */
static struct dvx_flow_match match_of(const struct frame_spec *s)
{
	struct dvx_flow_match m = {0};

	OK(dvx_flow_match_ip_version(&m, DVX_FLOW_OUTER, s->version ? s->version : 4));
	OK(dvx_flow_match_proto(&m, DVX_FLOW_OUTER, s->proto ? s->proto : 17));
	if (s->vlan)
		OK(dvx_flow_match_vlan(&m, DVX_FLOW_OUTER, 5, 0xfff));
	return m;
}

static void patch(struct frame *f, const struct rewritten *w)
{
	for (const struct patch *p = w->patch; p->n; p++) {
		uint32_t at = p->at >= BEFORE_IP ? p->at - BEFORE_IP : frame_ip_at(f) + p->at;

		for (uint32_t i = 0; i < p->n; i++)
			f->bytes[at + i] = (uint8_t)(p->value >> 8 * (p->n - 1 - i));
	}
}

/* Each field is rewritten, nothing else, and the checksums are right. */
TEST(levels, rewritten)
{
	for (size_t i = 0; i < sizeof(rewrites) / sizeof(rewrites[0]); i++) {
		const struct rewritten *w = &rewrites[i];
		struct dvx_flow_match m = match_of(&w->spec);
		struct dvx_flow_rewrites list = {0}, copy;
		struct dvx_flow_action *change;
		struct frame sent, want;

		print_message("%s\n", w->name);
		w->list(&list);
		OK(dvx_flow_action_create_modify(s->domain, &list, &change));
		frame_build(&sent, w->spec);
		frame_sums(&sent, !w->no_sum);
		want = sent;
		patch(&want, w);
		frame_sums(&want, !w->no_sum);
		stage_passes(s, &m, (struct dvx_flow_action *[]){s->to_a, change}, 2, &sent, &want);
		memset(&copy, 0xff, sizeof(copy));
		OK(dvx_flow_action_rewrites(change, &copy));
		assert_memory_equal(&copy, &list, sizeof(list));
		OK(dvx_flow_action_destroy(change));
	}
}

/* A register that one table sets is matched in the next; a later table sees rewritten fields. */
TEST(levels, next_table)
{
	struct dvx_flow_match m = udp(4, 99), reg = udp(4, 100);
	struct dvx_flow_rewrites list = {0};
	struct dvx_flow_action *change, *go;
	struct dvx_flow_table *next;
	struct dvx_flow_matcher *first, *second;
	struct dvx_flow_rule *r1, *r2;
	struct frame f;

	OK(dvx_flow_rewrite_set(&list, "metadata_reg_c_0", 0x12345678));
	OK(dvx_flow_rewrite_port(&list, DVX_FLOW_DST, DVX_FLOW_UDP, 100));
	OK(dvx_flow_action_create_modify(s->domain, &list, &change));
	OK(dvx_flow_table_create(s->domain, 5, &next));
	OK(dvx_flow_action_create_table(s->domain, next, &go));
	OK(dvx_flow_match_set(&reg, "metadata_reg_c_0", 0x12345678, 0xffffffff));
	first = matcher(s->table, &m, 0);
	second = matcher(next, &reg, 0);
	r1 = rule(first, &m, (struct dvx_flow_action *[]){change, go}, 2);
	r2 = rule(second, &reg, &s->to_a, 1);
	frame_build(&f, (struct frame_spec){.dport = 99});
	frame_send(s->f, &f);
	frame_build(&f, (struct frame_spec){.dport = 100});
	inbox_gets_frame(&s->a, &f, 0);
	assert_int_equal(dvx_flow_action_destroy(change), -EBUSY);
	OK(dvx_flow_rule_destroy(r1));
	OK(dvx_flow_rule_destroy(r2));
	OK(dvx_flow_matcher_destroy(first));
	OK(dvx_flow_matcher_destroy(second));
	OK(dvx_flow_action_destroy(go));
	OK(dvx_flow_table_destroy(next));
	OK(dvx_flow_action_destroy(change));
}

/* Outgoing packets are rewritten, and let out; before a drop, a rewrite has no effect. */
TEST(levels, sent)
{
	struct dvx_flow_match m5 = udp(4, 5), m6 = udp(4, 6);
	struct dvx_flow_rewrites list = {0};
	struct dvx_flow_action *change;
	struct dvx_flow_matcher *mt;
	struct dvx_flow_rule *r5, *r6;
	struct stage_tx tx;

	stage_tx_open(&tx, s);
	OK(dvx_flow_rewrite_port(&list, DVX_FLOW_DST, DVX_FLOW_UDP, 55));
	OK(dvx_flow_action_create_modify(tx.s.domain, &list, &change));
	mt = matcher(tx.s.table, &m5, 0);
	r5 = rule(mt, &m5, (struct dvx_flow_action *[]){tx.pass, change}, 2);
	r6 = rule(mt, &m6, (struct dvx_flow_action *[]){change, tx.s.drop}, 2);
	spec_send(s->f, (struct frame_spec){.dport = 6});
	spec_send(s->f, (struct frame_spec){.dport = 5});
	inbox_gets(&s->a, (struct frame_spec){.dport = 55}, 0);
	inbox_is_empty(&s->a);
	OK(dvx_flow_rule_destroy(r6));
	OK(dvx_flow_rule_destroy(r5));
	OK(dvx_flow_matcher_destroy(mt));
	OK(dvx_flow_action_destroy(change));
	stage_tx_close(&tx);
}

/* --- refusals ---------------------------------------------------------------------------------- */

/* The match must require the headers that are rewritten, in the root too. */
TEST(levels, unmatched)
{
	static const struct dvx_flow_match all;
	static const struct {
		const char *field, *needs;
	} rows[] = {
		{"outer_headers.ipv4_ttl", "outer_headers.ip_version 4"},
		{"outer_headers.ipv6_hop_limit", "outer_headers.ip_version 6"},
		{"outer_headers.ip_dscp", "outer_headers.ip_version 4 or 6"},
		{"outer_headers.tcp_sport", "outer_headers.ip_protocol 6"},
		{"outer_headers.udp_dport", "outer_headers.ip_protocol 17"},
		{"outer_headers.first_vid", "outer_headers.cvlan_tag"},
	};
	struct dvx_flow_match v6 = {0};

	OK(dvx_flow_match_ip_version(&v6, DVX_FLOW_OUTER, 6));
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct dvx_flow_rewrites list = {0};
		struct dvx_flow_action *change;

		OK(dvx_flow_rewrite_set(&list, rows[i].field, 1));
		OK(dvx_flow_action_create_modify(s->domain, &list, &change));
		stage_refuses(s, &all, (struct dvx_flow_action *[]){s->to_a, change}, 2, -EINVAL,
			      "attr.actions[1]", rows[i].needs);
		if (!i)
			stage_refuses(s, &v6, (struct dvx_flow_action *[]){change, s->to_a}, 2,
				      -EINVAL, "attr.actions[0] rewrites outer_headers.ipv4_ttl",
				      rows[i].needs);
		if (!i)
			stage_refuses(s, &all,
				      (struct dvx_flow_action *[]){change, change, s->to_a}, 3,
				      -EINVAL, "attr.actions[1]", "two rewrites");
		OK(dvx_flow_action_destroy(change));
	}
}

/* Lists with contradictions, or that are too long for the device, are refused with their number. */
TEST(below, bad_lists)
{
	struct dvx_flow_rewrites list = {0};
	struct dvx_flow_action *none = NULL;

	refused(dvx_flow_action_create_modify(s->domain, &list, &none), -EINVAL, "list.count is 0",
		"");
	OK(dvx_flow_rewrite_set(&list, "ipv4_ttl", 1));
	OK(dvx_flow_rewrite_set(&list, "ipv6_hop_limit", 1));
	refused(dvx_flow_action_create_modify(s->domain, &list, &none), -EINVAL,
		"list.action[1]: outer_headers.ipv6_hop_limit", "an earlier rewrite is of IPv4");
	list.count = 0;
	OK(dvx_flow_rewrite_set(&list, "udp_sport", 1));
	OK(dvx_flow_rewrite_copy(&list, "metadata_reg_c_0", 0, "tcp_sport", 0, 16));
	refused(dvx_flow_action_create_modify(s->domain, &list, &none), -EINVAL,
		"list.action[1]: outer_headers.tcp_sport", "an earlier rewrite is of protocol 17");
	list.count = 0;
	OK(dvx_flow_rewrite_set(&list, "metadata_reg_a", 1));
	refused(dvx_flow_action_create_modify(s->domain, &list, &none), -EOPNOTSUPP,
		"list.action[0]: misc_parameters_2.metadata_reg_a", "TX domains");
	list.count = 0;
	for (uint32_t i = 0; i < 17; i++)
		OK(dvx_flow_rewrite_set(&list, "metadata_reg_c_0", i));
	refused(dvx_flow_action_create_modify(s->domain, &list, &none), -EOPNOTSUPP,
		"list.count is 17", "max_modify_header_actions of mlx5_0 is 16");
	memset(list.action, 0xff, sizeof(list.action));
	list.count = 1;
	refused(dvx_flow_action_create_modify(s->domain, &list, &none), -EINVAL, "list.action[0]",
		"none of");
	refused(dvx_flow_action_rewrites(s->to_a, &list), -EINVAL, "action does not rewrite", "");
	assert_null(none);
}
