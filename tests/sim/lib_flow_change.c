/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rules of libdvx that change packets: what arrives is compared byte by byte with a frame whose
 * checksums are computed anew. In the root and below, the same rules do the same.
 */
#include "tests/test.h"
#include "flow_stage.h"

#define PCP_TAG 0x6005 /* priority 3, VLAN 5 */

/* --- checksums of a frame ---------------------------------------------------------------------- */

static uint32_t add_words(const uint8_t *p, uint32_t n, uint32_t sum)
{
	for (uint32_t i = 0; i + 1 < n; i += 2)
		sum += prm_load16(p, i);
	return n & 1 ? sum + ((uint32_t)p[n - 1] << 8) : sum;
}

static uint16_t folded(uint32_t sum)
{
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)~sum;
}

/* Where IP begins. */
static uint32_t ip_at(const struct frame *f)
{
	uint32_t at = 12;

	while (prm_load16(f->bytes, at) == 0x8100 || prm_load16(f->bytes, at) == 0x88a8)
		at += 4;
	return at + 2;
}

/* The checksums that the frame's bytes need. UDP's 0 means none: it stays. */
static void sums(struct frame *f, bool with_udp)
{
	uint32_t ip = ip_at(f), version = f->bytes[ip] >> 4, l4 = ip + (version == 4 ? 20 : 40);
	uint8_t *p = f->bytes;
	uint32_t proto = p[version == 4 ? ip + 9 : ip + 6], len = f->len - l4;
	uint32_t at = l4 + (proto == 6 ? 16 : 6), sum;

	if (version == 4) {
		prm_store16(p, ip + 10, 0);
		prm_store16(p, ip + 10, folded(add_words(p + ip, 20, 0)));
	}
	if (proto == 17 && !with_udp)
		return;
	prm_store16(p, at, 0);
	sum = add_words(p + ip + (version == 4 ? 12 : 8), version == 4 ? 8 : 32, proto + len);
	sum = folded(add_words(p + l4, len, sum));
	prm_store16(p, at, (uint16_t)(proto == 17 && !sum ? 0xffff : sum));
}

/* --- rewrites ---------------------------------------------------------------------------------- */

struct patch {
	uint32_t at; /* from IP on; beyond BEFORE_IP: of the frame */
	uint32_t n, value;
};
#define BEFORE_IP 1000u
#define MAC(byte) (BEFORE_IP + (byte))

struct rewritten {
	const char *name;
	void (*list)(struct dvx_flow_rewrites *r);
	struct say say;
	bool no_sum; /* UDP without checksum */
	struct patch patch[10];
};

static void nat_tcp(struct dvx_flow_rewrites *r)
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

static void nat_udp(struct dvx_flow_rewrites *r)
{
	OK(dvx_flow_rewrite_ipv4(r, DVX_FLOW_DST, 0xc000020a));
	OK(dvx_flow_rewrite_port(r, DVX_FLOW_SRC, DVX_FLOW_UDP, 1));
	OK(dvx_flow_rewrite_port(r, DVX_FLOW_DST, DVX_FLOW_UDP, 53));
	OK(dvx_flow_rewrite_set(r, "outer_headers.ip_dscp", 46));
	OK(dvx_flow_rewrite_set(r, "ipv4_ttl", 7));
}

static void ipv6_udp(struct dvx_flow_rewrites *r)
{
	static const uint8_t to[16] = {0x20, 0x01, 0x0d, 0xb8, 1, 2,  3,  4,
				       5,    6,	   7,	 8,    9, 10, 11, 12};

	OK(dvx_flow_rewrite_ipv6(r, DVX_FLOW_DST, to));
	OK(dvx_flow_rewrite_set(r, "ipv6_hop_limit", 3));
	OK(dvx_flow_rewrite_port(r, DVX_FLOW_DST, DVX_FLOW_UDP, 5353));
	OK(dvx_flow_rewrite_set(r, "ip_dscp", 10));
}

static void ipv6_tcp(struct dvx_flow_rewrites *r)
{
	static const uint8_t to[16] = {0xfe, 0x80, [15] = 1};

	OK(dvx_flow_rewrite_ipv6(r, DVX_FLOW_SRC, to));
	OK(dvx_flow_rewrite_add(r, "ipv6_hop_limit", 0xff));
	OK(dvx_flow_rewrite_add(r, "outer_tcp_seq_num", 0x01020304));
	OK(dvx_flow_rewrite_set(r, "misc_parameters_3.outer_tcp_ack_num", 0xfffffff0));
}

static void tag(struct dvx_flow_rewrites *r)
{
	OK(dvx_flow_rewrite_set(r, "outer_headers.first_vid", 0xabc));
}

/* The low half of the source address, in the high half of the destination. */
static void copies(struct dvx_flow_rewrites *r)
{
	OK(dvx_flow_rewrite_copy(r, "dst_ipv4_dst_ipv6.ipv4_layout.ipv4", 16,
				 "src_ipv4_src_ipv6.ipv4_layout.ipv4", 0, 16));
	OK(dvx_flow_rewrite_copy(r, "udp_dport", 0, "udp_sport", 0, 16));
	OK(dvx_flow_rewrite_copy(r, "metadata_reg_c_1", 0, "dst_ipv4_dst_ipv6.ipv4_layout.ipv4", 0,
				 32));
	OK(dvx_flow_rewrite_copy(r, "src_ipv4_src_ipv6.ipv4_layout.ipv4", 0, "metadata_reg_c_1", 0,
				 32));
}

/* [MAC(0)]: the first address, [MAC(14)]: the first tag; then bytes of IP and behind it. */
static const struct rewritten rewrites[] = {
	{"NAT of TCP",
	 nat_tcp,
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
	 nat_udp,
	 {.proto = 17},
	 false,
	 {{1, 1, 46 << 2}, {8, 1, 7}, {16, 4, 0xc000020a}, {20, 4, 1u << 16 | 53}}},
	{"NAT of UDP without checksum",
	 nat_udp,
	 {.proto = 17},
	 true,
	 {{1, 1, 46 << 2}, {8, 1, 7}, {16, 4, 0xc000020a}, {20, 4, 1u << 16 | 53}}},
	{"behind a tag",
	 nat_udp,
	 {.proto = 17, .vlan = PCP_TAG},
	 false,
	 {{1, 1, 46 << 2}, {8, 1, 7}, {16, 4, 0xc000020a}, {20, 4, 1u << 16 | 53}}},
	{"UDP over IPv6",
	 ipv6_udp,
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
	 ipv6_tcp,
	 {.proto = 6, .version = 6},
	 false,
	 {{7, 1, 63},
	  {8, 4, 0xfe800000},
	  {12, 4, 0},
	  {16, 4, 0},
	  {20, 4, 1},
	  {44, 4, 0x01020304},
	  {48, 4, 0xfffffff0}}},
	{"a tag's number, not its priority", tag, {.vlan = PCP_TAG}, false, {{MAC(14), 2, 0x6abc}}},
	{"copies",
	 copies,
	 {.src = 0x0a01beef},
	 false,
	 {{12, 4, 0xbeef0002}, {16, 4, 0xbeef0002}, {22, 2, 1000}}},
};

/* The match that says what the rewrites need. */
static struct dvx_flow_match match_of(const struct say *s)
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
		uint32_t at = p->at >= BEFORE_IP ? p->at - BEFORE_IP : ip_at(f) + p->at;

		for (uint32_t i = 0; i < p->n; i++)
			f->bytes[at + i] = (uint8_t)(p->value >> 8 * (p->n - 1 - i));
	}
}

/* One rule with these actions; the frame; what the first queue gets. */
static void passes(struct stage *s, const struct dvx_flow_match *m,
		   struct dvx_flow_action *const *actions, uint32_t n, const struct frame *sent,
		   const struct frame *want)
{
	struct dvx_flow_matcher *mt = matcher(s->table, m, 0);
	struct dvx_flow_rule *r = rule(mt, m, actions, n);

	frame_send(s->f, sent);
	heard_frame(&s->a, want, 0);
	OK(dvx_flow_rule_destroy(r));
	OK(dvx_flow_matcher_destroy(mt));
}

/* Each field is rewritten, nothing else, and the checksums are right. */
TEST_LEVELS(rewritten)
{
	for (size_t i = 0; i < sizeof(rewrites) / sizeof(rewrites[0]); i++) {
		const struct rewritten *w = &rewrites[i];
		struct dvx_flow_match m = match_of(&w->say);
		struct dvx_flow_rewrites list = {0};
		struct dvx_flow_action *change;
		struct frame sent, want;

		print_message("%s\n", w->name);
		w->list(&list);
		OK(dvx_flow_action_create_modify(s->domain, &list, &change));
		frame_build(&sent, w->say);
		sums(&sent, !w->no_sum);
		want = sent;
		patch(&want, w);
		sums(&want, !w->no_sum);
		passes(s, &m, (struct dvx_flow_action *[]){s->to_a, change}, 2, &sent, &want);
		OK(dvx_flow_action_destroy(change));
	}
}

/* A register that one table sets is matched in the next; a later table sees rewritten fields. */
TEST_LEVELS(next_table)
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
	frame_build(&f, (struct say){.dport = 99});
	frame_send(s->f, &f);
	frame_build(&f, (struct say){.dport = 100});
	heard_frame(&s->a, &f, 0);
	assert_int_equal(dvx_flow_action_destroy(change), -EBUSY);
	OK(dvx_flow_rule_destroy(r1));
	OK(dvx_flow_rule_destroy(r2));
	OK(dvx_flow_matcher_destroy(first));
	OK(dvx_flow_matcher_destroy(second));
	OK(dvx_flow_action_destroy(go));
	OK(dvx_flow_table_destroy(next));
	OK(dvx_flow_action_destroy(change));
}

/* What is sent is rewritten, and let out; before a drop, a rewrite does no harm. */
TEST_LEVELS(sent)
{
	static const struct dvx_flow_match all;
	struct dvx_flow_domain_attr attr = {.size = sizeof(attr), .side = DVX_FLOW_TX};
	struct dvx_flow_match m5 = udp(4, 5), m6 = udp(4, 6);
	struct dvx_flow_rewrites list = {0};
	struct dvx_flow_action *change, *pass, *drop, *go = NULL;
	struct dvx_flow_matcher *any = matcher(s->table, &all, 0), *mt, *link_matcher = NULL;
	struct dvx_flow_rule *rest = rule(any, &all, &s->to_a, 1), *r5, *r6, *link = NULL;
	struct dvx_flow_table *table, *root = NULL;
	struct dvx_flow_domain *tx;

	OK(dvx_flow_rewrite_port(&list, DVX_FLOW_DST, DVX_FLOW_UDP, 55));
	OK(dvx_flow_domain_create(s->f->r.dev, &attr, &tx));
	OK(dvx_flow_action_create_modify(tx, &list, &change));
	OK(dvx_flow_action_create_default(tx, &pass));
	OK(dvx_flow_action_create_drop(tx, &drop));
	OK(dvx_flow_table_create(tx, level, &table));
	mt = matcher(table, &m5, 0);
	r5 = rule(mt, &m5, (struct dvx_flow_action *[]){pass, change}, 2);
	r6 = rule(mt, &m6, (struct dvx_flow_action *[]){change, drop}, 2);
	if (level) {
		OK(dvx_flow_table_create(tx, 0, &root));
		OK(dvx_flow_action_create_table(tx, table, &go));
		link_matcher = matcher(root, &all, 0);
		link = rule(link_matcher, &all, &go, 1);
	}
	say(s->f, (struct say){.dport = 6});
	say(s->f, (struct say){.dport = 5});
	heard(&s->a, (struct say){.dport = 55}, 0);
	silent(&s->a);
	OK(dvx_flow_rule_destroy(link));
	OK(dvx_flow_matcher_destroy(link_matcher));
	OK(dvx_flow_action_destroy(go));
	OK(dvx_flow_table_destroy(root));
	OK(dvx_flow_rule_destroy(r6));
	OK(dvx_flow_rule_destroy(r5));
	OK(dvx_flow_matcher_destroy(mt));
	OK(dvx_flow_table_destroy(table));
	OK(dvx_flow_action_destroy(drop));
	OK(dvx_flow_action_destroy(pass));
	OK(dvx_flow_action_destroy(change));
	OK(dvx_flow_domain_destroy(tx));
	OK(dvx_flow_rule_destroy(rest));
	OK(dvx_flow_matcher_destroy(any));
}

/* --- refusals ---------------------------------------------------------------------------------- */

static void rule_refused(struct stage *s, const struct dvx_flow_match *m,
			 struct dvx_flow_action *const *actions, uint32_t n, int err,
			 const char *field, const char *why)
{
	struct dvx_flow_matcher *mt = matcher(s->table, m, 0);
	struct dvx_flow_rule_attr attr = rule_attr(mt, m, actions, n);
	struct dvx_flow_rule *none = NULL;

	refused(dvx_flow_rule_create(&attr, &none), err, field, why);
	assert_null(none);
	OK(dvx_flow_matcher_destroy(mt));
}

/* The match must say that the packet has what is rewritten, in the root too. */
TEST_LEVELS(unmatched)
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
		rule_refused(s, &all, (struct dvx_flow_action *[]){s->to_a, change}, 2, -EINVAL,
			     "attr.actions[1]", rows[i].needs);
		if (!i)
			rule_refused(s, &v6, (struct dvx_flow_action *[]){change, s->to_a}, 2,
				     -EINVAL, "attr.actions[0] rewrites outer_headers.ipv4_ttl",
				     rows[i].needs);
		if (!i)
			rule_refused(s, &all, (struct dvx_flow_action *[]){change, change, s->to_a},
				     3, -EINVAL, "attr.actions[0]", "outer_headers.ip_version 4");
		OK(dvx_flow_action_destroy(change));
	}
}

/* What contradicts itself, and what the device has no room for, is refused with its number. */
TEST_BELOW(bad_lists)
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
	assert_null(none);
}
