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
				     3, -EINVAL, "attr.actions[1]", "two rewrites");
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

/* --- VLAN tags and tunnels ----------------------------------------------------------------------- */

#define CUSTOMER 0x8100
#define PROVIDER 0x88a8

/* The frame with one more tag behind its MAC addresses. */
static struct frame tagged(const struct frame *f, uint16_t ethertype, uint16_t tci)
{
	struct frame t = {.len = f->len + 4};

	memcpy(t.bytes, f->bytes, 12);
	prm_store16(t.bytes, 12, ethertype);
	prm_store16(t.bytes, 14, tci);
	memcpy(t.bytes + 16, f->bytes + 12, f->len - 12);
	return t;
}

/* Below the root the frame arrives so; in the root the action is refused by these words. */
static void passes_below(struct stage *s, const struct dvx_flow_match *m,
			 struct dvx_flow_action *const *actions, uint32_t n,
			 const struct frame *sent, const struct frame *want, const char *why)
{
	if (level)
		passes(s, m, actions, n, sent, want);
	else
		rule_refused(s, m, actions, n, -EOPNOTSUPP, why, "of another level");
}

/* A tag comes and goes, a second one too, and a rewrite reaches what is first then. */
TEST_LEVELS(tags)
{
	struct dvx_flow_match m = udp(4, 2000), one = m, two;
	struct dvx_flow_rewrites list = {0};
	struct dvx_flow_action *push, *outer, *pop, *rename;
	struct frame bare, single, both, third;

	OK(dvx_flow_match_set(&one, "outer_headers.cvlan_tag", 1, 1));
	two = udp(4, 2000);
	OK(dvx_flow_match_set(&two, "outer_headers.svlan_tag", 1, 1));
	OK(dvx_flow_match_set(&two, "misc_parameters.outer_second_cvlan_tag", 1, 1));
	OK(dvx_flow_action_create_push_vlan(s->domain, CUSTOMER, PCP_TAG, &push));
	OK(dvx_flow_action_create_push_vlan(s->domain, PROVIDER, 0x9, &outer));
	OK(dvx_flow_action_create_pop_vlan(s->domain, &pop));
	OK(dvx_flow_rewrite_set(&list, "first_vid", 0x77));
	OK(dvx_flow_action_create_modify(s->domain, &list, &rename));
	frame_build(&bare, (struct say){0});
	single = tagged(&bare, CUSTOMER, PCP_TAG);
	both = tagged(&single, PROVIDER, 0x9);
	passes_below(s, &m, (struct dvx_flow_action *[]){s->to_a, push}, 2, &bare, &single,
		     "attr.actions[1] is a VLAN push");
	passes_below(s, &m, (struct dvx_flow_action *[]){push, outer, s->to_a}, 3, &bare, &both,
		     "attr.actions[0] is a VLAN push");
	passes_below(s, &one, (struct dvx_flow_action *[]){pop, s->to_a}, 2, &single, &bare,
		     "attr.actions[0] is a VLAN pop");
	passes_below(s, &two, (struct dvx_flow_action *[]){pop, s->to_a}, 2, &both, &single,
		     "attr.actions[0] is a VLAN pop");
	passes_below(s, &two, (struct dvx_flow_action *[]){pop, pop, s->to_a}, 3, &both, &bare,
		     "attr.actions[0] is a VLAN pop");
	third = tagged(&bare, CUSTOMER, (PCP_TAG & 0xf000) | 0x77);
	passes_below(s, &two, (struct dvx_flow_action *[]){rename, pop, s->to_a}, 3, &both, &third,
		     "attr.actions[1] is a VLAN pop");
	OK(dvx_flow_action_destroy(rename));
	OK(dvx_flow_action_destroy(pop));
	OK(dvx_flow_action_destroy(outer));
	OK(dvx_flow_action_destroy(push));
}

/* What would lose packets, or what libmlx5 has no entry for. */
TEST_BELOW(bad_tags)
{
	struct dvx_flow_match m = udp(4, 1), one = m;
	struct dvx_flow_action *push, *pop, *none = NULL;

	OK(dvx_flow_match_set(&one, "outer_headers.cvlan_tag", 1, 1));
	OK(dvx_flow_action_create_push_vlan(s->domain, CUSTOMER, 1, &push));
	OK(dvx_flow_action_create_pop_vlan(s->domain, &pop));
	rule_refused(s, &m, (struct dvx_flow_action *[]){pop, s->to_a}, 2, -EINVAL,
		     "attr.actions[0] needs a VLAN tag", "outer_headers.cvlan_tag");
	rule_refused(s, &one, (struct dvx_flow_action *[]){pop, pop, s->to_a}, 3, -EINVAL,
		     "pops two VLAN tags", "misc_parameters.outer_second_cvlan_tag");
	rule_refused(s, &one, (struct dvx_flow_action *[]){pop, push, s->to_a}, 3, -EOPNOTSUPP,
		     "pops and pushes", "RX domains");
	rule_refused(s, &m, (struct dvx_flow_action *[]){push, push, push, s->to_a}, 4, -EINVAL,
		     "attr.actions[2]: three VLAN pushes", "");
	refused(dvx_flow_action_create_push_vlan(s->domain, 0x0800, 1, &none), -EINVAL,
		"ethertype 0x0800", "0x8100");
	OK(dvx_flow_action_destroy(pop));
	OK(dvx_flow_action_destroy(push));
}

/* What is sent: one tag for another, in one rule. */
TEST_BELOW(tags_sent)
{
	static const struct dvx_flow_match all;
	struct dvx_flow_domain_attr attr = {.size = sizeof(attr), .side = DVX_FLOW_TX};
	struct dvx_flow_match m = {0};
	struct dvx_flow_action *push, *pop, *pass, *go;
	struct dvx_flow_matcher *any = matcher(s->table, &all, 0), *mt, *link_matcher;
	struct dvx_flow_rule *rest = rule(any, &all, &s->to_a, 1), *r, *link;
	struct dvx_flow_table *table, *root;
	struct dvx_flow_domain *tx;
	struct frame bare, want;

	OK(dvx_flow_match_vlan(&m, DVX_FLOW_OUTER, 5, 0xfff));
	OK(dvx_flow_domain_create(s->f->r.dev, &attr, &tx));
	OK(dvx_flow_action_create_push_vlan(tx, PROVIDER, 0x123, &push));
	OK(dvx_flow_action_create_pop_vlan(tx, &pop));
	OK(dvx_flow_action_create_default(tx, &pass));
	OK(dvx_flow_table_create(tx, 1, &table));
	OK(dvx_flow_table_create(tx, 0, &root));
	OK(dvx_flow_action_create_table(tx, table, &go));
	mt = matcher(table, &m, 0);
	r = rule(mt, &m, (struct dvx_flow_action *[]){push, pass, pop}, 3);
	link_matcher = matcher(root, &all, 0);
	link = rule(link_matcher, &all, &go, 1);
	say(s->f, (struct say){.vlan = 5});
	frame_build(&bare, (struct say){0});
	want = tagged(&bare, PROVIDER, 0x123);
	heard_frame(&s->a, &want, 0);
	OK(dvx_flow_rule_destroy(link));
	OK(dvx_flow_matcher_destroy(link_matcher));
	OK(dvx_flow_rule_destroy(r));
	OK(dvx_flow_matcher_destroy(mt));
	OK(dvx_flow_action_destroy(go));
	OK(dvx_flow_table_destroy(root));
	OK(dvx_flow_table_destroy(table));
	OK(dvx_flow_action_destroy(pass));
	OK(dvx_flow_action_destroy(pop));
	OK(dvx_flow_action_destroy(push));
	OK(dvx_flow_domain_destroy(tx));
	OK(dvx_flow_rule_destroy(rest));
	OK(dvx_flow_matcher_destroy(any));
}

/* The frame inside a tunnel over IPv4: these bytes of headers behind it, and the protocol. */
static struct frame tunnelled(const uint8_t *inside, uint32_t len, uint8_t proto,
			      const char *headers, uint32_t bytes)
{
	struct frame f = {.len = 34 + bytes + len};
	struct say ip = {.src = 0x0a0000fe, .dst = 0x0a0000ff, .proto = proto, .version = 4};

	memcpy(f.bytes, "\x02\0\0\0\0\x22\x02\0\0\0\0\x11\x08\0", 14);
	put_ip(f.bytes + 14, &ip, bytes + len);
	memcpy(f.bytes + 34, headers, bytes);
	memcpy(f.bytes + 34 + bytes, inside, len);
	return f;
}

/* The inner frame arrives alone, rewritten by the same rule. */
TEST_LEVELS(decap_l2)
{
	struct dvx_flow_match m = udp(4, 4789);
	struct dvx_flow_rewrites list = {0};
	struct dvx_flow_action *decap, *nat;
	struct frame in, out, want;
	char headers[16] = "\x10\0\x12\xb5\0\0\0\0\x08\0\0\0\0\0\x2a";

	OK(dvx_flow_match_set(&m, "misc_parameters.vxlan_vni", 42, 0xffffff));
	OK(dvx_flow_match_ip_version(&m, DVX_FLOW_INNER, 4));
	OK(dvx_flow_match_proto(&m, DVX_FLOW_INNER, 6));
	OK(dvx_flow_rewrite_port(&list, DVX_FLOW_DST, DVX_FLOW_TCP, 80));
	OK(dvx_flow_action_create_modify(s->domain, &list, &nat));
	OK(dvx_flow_action_create_decap_l2(s->domain, &decap));
	frame_build(&in, (struct say){.proto = 6});
	sums(&in, true);
	headers[5] = (char)(16 + in.len);
	out = tunnelled(in.bytes, in.len, 17, headers, 16);
	passes_below(s, &m, (struct dvx_flow_action *[]){s->to_a, decap}, 2, &out, &in,
		     "a decapsulation in the root: mlx5_0 lacks "
		     "flow_table_properties_nic_receive.decap");
	want = in;
	prm_store16(want.bytes, 36, 80);
	sums(&want, true);
	passes_below(s, &m, (struct dvx_flow_action *[]){s->to_a, nat, decap}, 3, &out, &want,
		     "a decapsulation");
	OK(dvx_flow_action_destroy(decap));
	OK(dvx_flow_action_destroy(nat));
}

/* What has no Ethernet header gets the action's, with or without a tag. */
TEST_LEVELS(decap_l3)
{
	static const char gre[4] = {0, 0, 0x08, 0};
	static const char ether[] = "\x02\xaa\0\0\0\x01\x02\xbb\0\0\0\x02\x81\0\0\x07\x08\0";
	struct dvx_flow_match m = {0};
	struct dvx_flow_action *plain, *tag, *none = NULL;
	struct frame in, out, want;
	char header[14];

	OK(dvx_flow_match_ip_version(&m, DVX_FLOW_OUTER, 4));
	OK(dvx_flow_match_proto(&m, DVX_FLOW_OUTER, 47));
	memcpy(header, ether, 12);
	memcpy(header + 12, "\x08\0", 2);
	OK(dvx_flow_action_create_decap_l3(s->domain, header, 14, &plain));
	OK(dvx_flow_action_create_decap_l3(s->domain, ether, 18, &tag));
	frame_build(&in, (struct say){0});
	out = tunnelled(in.bytes + 14, in.len - 14, 47, gre, 4);
	want = in;
	memcpy(want.bytes, header, 14);
	passes_below(s, &m, (struct dvx_flow_action *[]){plain, s->to_a}, 2, &out, &want,
		     "lacks flow_table_properties_nic_receive.reformat_l3_tunnel_to_l2");
	want = tagged(&want, CUSTOMER, 7);
	passes_below(s, &m, (struct dvx_flow_action *[]){tag, s->to_a}, 2, &out, &want,
		     "a decapsulation");
	refused(dvx_flow_action_create_decap_l3(s->domain, header, 12, &none), -EINVAL,
		"bytes is 12", "14");
	OK(dvx_flow_action_destroy(tag));
	OK(dvx_flow_action_destroy(plain));
}

/* --- several destinations ---------------------------------------------------------------------- */

/* Both queues get the packet, one of them by a further table. */
TEST_LEVELS(mirror)
{
	static const struct dvx_flow_match all;
	struct dvx_flow_match m = udp(4, 53);
	struct dvx_flow_action *both, *far, *go, *none = NULL, *tag5;
	struct dvx_flow_matcher *mt = matcher(s->table, &m, 0), *behind;
	struct dvx_flow_rule *r, *b;
	struct dvx_flow_table *next;

	OK(dvx_flow_table_create(s->domain, 5, &next));
	OK(dvx_flow_action_create_table(s->domain, next, &go));
	OK(dvx_flow_action_create_tag(s->domain, 5, &tag5));
	behind = matcher(next, &all, 0);
	b = rule(behind, &all, (struct dvx_flow_action *[]){s->to_b, tag5}, 2);
	OK(dvx_flow_action_create_array(s->domain, (struct dvx_flow_action *[]){s->to_a, s->to_b},
					2, &both));
	OK(dvx_flow_action_create_array(s->domain, (struct dvx_flow_action *[]){s->to_a, go}, 2,
					&far));
	r = rule(mt, &m, &both, 1);
	say(s->f, (struct say){.dport = 53});
	heard(&s->a, (struct say){.dport = 53}, 0);
	heard(&s->b, (struct say){.dport = 53}, 0);
	assert_int_equal(dvx_flow_action_destroy(s->to_b), -EBUSY);
	assert_int_equal(dvx_flow_action_destroy(both), -EBUSY);
	OK(dvx_flow_rule_destroy(r));
	r = rule(mt, &m, &far, 1);
	say(s->f, (struct say){.dport = 53});
	heard(&s->a, (struct say){.dport = 53}, 0);
	heard(&s->b, (struct say){.dport = 53}, 5);
	silent(&s->a);
	OK(dvx_flow_rule_destroy(r));
	refused(dvx_flow_action_create_array(s->domain, &s->to_a, 1, &none), -EINVAL, "n is 1", "");
	refused(dvx_flow_action_create_array(
			s->domain, (struct dvx_flow_action *[]){s->to_a, s->drop}, 2, &none),
		-EOPNOTSUPP, "members[1]", "queue, rss, qp and table");
	OK(dvx_flow_action_destroy(far));
	OK(dvx_flow_action_destroy(both));
	OK(dvx_flow_rule_destroy(b));
	OK(dvx_flow_matcher_destroy(behind));
	OK(dvx_flow_action_destroy(tag5));
	OK(dvx_flow_action_destroy(go));
	OK(dvx_flow_table_destroy(next));
	OK(dvx_flow_matcher_destroy(mt));
}

/* --- libmlx5 as the witness --------------------------------------------------------------------- */

/* The types of records of rules' actions in libmlx5's dump, in their order. */
static void dumped(struct dvx_flow_domain *domain, const char *want)
{
	char *text = NULL, got[200] = "";
	size_t size;
	FILE *to = open_memstream(&text, &size);

	OK(dvx_flow_domain_dump(domain, to));
	assert_int_equal(fclose(to), 0);
	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (!strncmp(line, "34", 2))
			sprintf(got + strlen(got), "%.4s ", line);
	}
	free(text);
	assert_string_equal(got, want);
}

/* libmlx5 has the actions that the rule has, in the order that it wants. */
TEST_BELOW(witness)
{
	struct dvx_flow_match m = udp(4, 4789);
	struct dvx_flow_rewrites list = {0};
	struct dvx_flow_action *a[6] = {s->to_a};
	struct dvx_flow_matcher *mt;
	struct dvx_flow_rule *r;

	OK(dvx_flow_match_vlan(&m, DVX_FLOW_INNER, 1, 0xfff));
	OK(dvx_flow_rewrite_set(&list, "first_vid", 1));
	OK(dvx_flow_action_create_modify(s->domain, &list, &a[1]));
	OK(dvx_flow_action_create_decap_l2(s->domain, &a[2]));
	OK(dvx_flow_action_create_tag(s->domain, 1, &a[3]));
	OK(dvx_flow_action_create_push_vlan(s->domain, PROVIDER, 1, &a[4]));
	mt = matcher(s->table, &m, 0);
	r = rule(mt, &m, a, 5);
	/* decap L2, rewrite, push, tag, TIR */
	dumped(s->domain, "3409 3402 3412 3407 3411 ");
	OK(dvx_flow_rule_destroy(r));
	OK(dvx_flow_matcher_destroy(mt));
	for (unsigned int i = 1; i < 5; i++)
		OK(dvx_flow_action_destroy(a[i]));
}
