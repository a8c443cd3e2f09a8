/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes entries as commands "flow create PORT ... pattern ... actions ..." of DPDK's testpmd. */
#include <arpa/inet.h>
#include <inttypes.h>
#include <string.h>

#include "entry.h"

/* --- fields ------------------------------------------------------------------------------------ */

static void pmd_put_number(struct entry *e, unsigned int key, const char *field)
{
	uint64_t v, m;

	if (entry_take(e, key, &v))
		fprintf(e->out, " %s is %" PRIu64, field, v);
	else if (entry_take_masked(e, key, &v, &m))
		fprintf(e->out, " %s spec %" PRIu64 " %s mask %" PRIu64, field, v & m, field, m);
}

static void pmd_put_mac(FILE *out, uint64_t mac)
{
	for (int i = 40; i >= 0; i -= 8)
		fprintf(out, "%c%02x", i == 40 ? ' ' : ':', (unsigned int)(mac >> i & 0xff));
}

static void pmd_put_macs(struct entry *e, unsigned int key, const char *field)
{
	uint64_t v, m;

	if (entry_take(e, key, &v)) {
		fprintf(e->out, " %s is", field);
		pmd_put_mac(e->out, v);
	} else if (entry_take_masked(e, key, &v, &m)) {
		fprintf(e->out, " %s spec", field);
		pmd_put_mac(e->out, v & m);
		fprintf(e->out, " %s mask", field);
		pmd_put_mac(e->out, m);
	}
}

static void pmd_put_address(struct entry *e, unsigned int first, bool inner, int family,
			    const char *field)
{
	char text[INET6_ADDRSTRLEN];
	struct entry_address a;

	if (!entry_take_address(e, first, inner, family, &a))
		return;
	inet_ntop(family, a.addr, text, sizeof(text));
	if (a.bits == (family == AF_INET ? 32 : 128)) {
		fprintf(e->out, " %s is %s", field, text);
		return;
	}
	fprintf(e->out, " %s spec %s", field, text);
	inet_ntop(family, a.mask, text, sizeof(text));
	fprintf(e->out, " %s mask %s", field, text);
}

/* A row of numbers of an item. */
struct pmd_number {
	unsigned int key;
	const char *field;
};

static void pmd_put_row(struct entry *e, const struct pmd_number *row, bool inner)
{
	for (; row->field; row++)
		pmd_put_number(e, entry_key(row->key, inner), row->field);
}

/* --- items ------------------------------------------------------------------------------------- */

/* Returns whether the entry excludes a second tag, which testpmd cannot express. */
static bool pmd_second_is_absent(const struct entry *e, bool inner)
{
	return entry_has(e, entry_key(KEY_CVLAN2, inner), 0) &&
	       entry_has(e, entry_key(KEY_SVLAN2, inner), 0);
}

static void pmd_put_eth(struct entry *e, bool inner)
{
	static const struct pmd_number vlan[] = {
		{KEY_VLAN_ID, "vid"}, {KEY_VLAN_PCP, "pcp"}, {KEY_VLAN_DEI, "dei"}, {0}};
	static const struct pmd_number vlan2[] = {
		{KEY_VLAN2_ID, "vid"}, {KEY_VLAN2_PCP, "pcp"}, {KEY_VLAN2_DEI, "dei"}, {0}};
	int first = entry_take_tag(e, entry_key(KEY_CVLAN, inner), entry_key(KEY_SVLAN, inner));
	int second = pmd_second_is_absent(e, inner)
			     ? 0
			     : entry_take_tag(e, entry_key(KEY_CVLAN2, inner),
					      entry_key(KEY_SVLAN2, inner));
	uint64_t type;

	fputs("eth", e->out);
	pmd_put_macs(e, entry_key(KEY_SMAC, inner), "src");
	pmd_put_macs(e, entry_key(KEY_DMAC, inner), "dst");
	if (first == 0)
		fputs(" has_vlan is 0", e->out);
	if (first == 0x88a8)
		fputs(" type is 0x88a8", e->out);
	if (first <= 0 && !entry_has(e, entry_key(KEY_ETHERTYPE, inner), 0x8847) &&
	    entry_take(e, entry_key(KEY_ETHERTYPE, inner), &type))
		fprintf(e->out, " type is 0x%04" PRIx64, type);
	fputs(" / ", e->out);
	if (first <= 0)
		return;
	fputs("vlan", e->out);
	pmd_put_row(e, vlan, inner);
	if (second == 0x88a8)
		fputs(" inner_type is 0x88a8", e->out);
	if (second <= 0 && !entry_has(e, entry_key(KEY_ETHERTYPE, inner), 0x8847) &&
	    entry_take(e, entry_key(KEY_ETHERTYPE, inner), &type))
		fprintf(e->out, " inner_type is 0x%04" PRIx64, type);
	fputs(" / ", e->out);
	if (second <= 0)
		return;
	fputs("vlan", e->out);
	pmd_put_row(e, vlan2, inner);
	fputs(" / ", e->out);
}

static void pmd_put_mpls(struct entry *e, bool inner)
{
	static const struct pmd_number mpls[] = {{KEY_MPLS_LABEL, "label"},
						 {KEY_MPLS_TC, "tc"},
						 {KEY_MPLS_BOTTOM, "s"},
						 {KEY_MPLS_TTL, "ttl"},
						 {0}};
	uint64_t v;

	if (!entry_has(e, entry_key(KEY_ETHERTYPE, inner), 0x8847))
		return;
	entry_take(e, entry_key(KEY_ETHERTYPE, inner), &v);
	fputs("mpls", e->out);
	pmd_put_row(e, mpls, inner);
	fputs(" / ", e->out);
}

/* Writes the traffic class as one number. */
static void pmd_put_tos(struct entry *e, bool inner, const char *field)
{
	uint64_t v, m, ecn, ecn_mask;

	entry_take_masked(e, entry_key(KEY_DSCP, inner), &v, &m);
	entry_take_masked(e, entry_key(KEY_ECN, inner), &ecn, &ecn_mask);
	v = (v & m) << 2 | (ecn & ecn_mask);
	m = m << 2 | ecn_mask;
	if (m == 0xff)
		fprintf(e->out, " %s is %" PRIu64, field, v);
	else if (m)
		fprintf(e->out, " %s spec %" PRIu64 " %s mask %" PRIu64, field, v, field, m);
}

/* The protocols that are items. */
static const struct pmd_l4 {
	uint64_t proto;
	const char *name;
	struct pmd_number row[4];
} pmd_l4s[] = {
	{6,
	 "tcp",
	 {{MATCH_TCP_SPORT, "src"}, {MATCH_TCP_DPORT, "dst"}, {KEY_TCP_FLAGS, "flags"}, {0}}},
	{17, "udp", {{MATCH_UDP_SPORT, "src"}, {MATCH_UDP_DPORT, "dst"}, {0}}},
	{1, "icmp", {{0}}},
	{58, "icmp6", {{0}}},
	{132, "sctp", {{0}}},
	{50, "esp", {{0}}},
	{51, "ah", {{0}}},
	{47, "gre", {{0}}},
};

static const struct pmd_l4 *pmd_l4(const struct entry *e, bool inner)
{
	unsigned int key = entry_key(KEY_PROTO, inner);

	for (size_t i = 0; i < sizeof(pmd_l4s) / sizeof(pmd_l4s[0]); i++)
		if (entry_has(e, key, pmd_l4s[i].proto))
			return &pmd_l4s[i];
	return NULL;
}

static void pmd_put_ip(struct entry *e, bool inner)
{
	uint64_t version, proto;
	int family;

	if (!entry_take(e, entry_key(MATCH_IP_VERSION, inner), &version))
		return;
	family = version == 4 ? AF_INET : AF_INET6;
	fputs(version == 4 ? "ipv4" : "ipv6", e->out);
	pmd_put_address(e, MATCH_SRC_127_96, inner, family, "src");
	pmd_put_address(e, MATCH_DST_127_96, inner, family, "dst");
	pmd_put_tos(e, inner, version == 4 ? "tos" : "tc");
	pmd_put_number(e, entry_key(KEY_TTL, inner), version == 4 ? "ttl" : "hop");
	if (version == 6)
		pmd_put_number(e, entry_key(KEY_FLOWLABEL, inner), "flow");
	/* IPv6's is the next header, which may be an extension. */
	if (version == 4 && !pmd_l4(e, inner) && entry_take(e, entry_key(KEY_PROTO, inner), &proto))
		fprintf(e->out, " proto is %" PRIu64, proto);
	fputs(" / ", e->out);
}

static void pmd_put_l4(struct entry *e, bool inner)
{
	const struct pmd_l4 *l4 = pmd_l4(e, inner);
	uint64_t v;

	if (!l4)
		return;
	entry_take(e, entry_key(KEY_PROTO, inner), &v);
	fputs(l4->name, e->out);
	/* The item has 8 bits of flags; NS is the ninth. */
	if (!(e->mask[entry_key(KEY_TCP_FLAGS, inner)] & 0x100))
		pmd_put_row(e, l4->row, inner);
	if (l4->proto == 1 || l4->proto == 58) {
		pmd_put_number(e, l4->proto == 1 ? KEY_ICMP_TYPE : KEY_ICMP6_TYPE, "type");
		pmd_put_number(e, l4->proto == 1 ? KEY_ICMP_CODE : KEY_ICMP6_CODE, "code");
	}
	fputs(" / ", e->out);
}

static bool pmd_has_inner(const struct entry *e)
{
	for (unsigned int k = 0; k < KEY_PER_LEVEL; k++)
		if (e->mask[KEY_INNER(k)])
			return true;
	for (unsigned int k = MATCH_LEVEL_END; k < MATCH_KEYS; k++)
		if (e->mask[k])
			return true;
	return false;
}

static const struct {
	uint64_t port;
	const char *name;
	unsigned int vni;
} pmd_tunnels[] = {
	{4789, "vxlan", KEY_VXLAN_VNI},
	{4790, "vxlan-gpe", KEY_GPE_VNI},
	{6081, "geneve", KEY_GENEVE_VNI},
};

/* Writes the tunnel behind UDP's port, if the entry looks behind it. */
static void pmd_put_tunnel(struct entry *e, uint64_t port)
{
	bool decap = entry_change(e, CHANGE_DECAP);
	uint64_t v;

	for (size_t i = 0; i < 3; i++)
		if (port == pmd_tunnels[i].port &&
		    (e->mask[pmd_tunnels[i].vni] || pmd_has_inner(e) || decap)) {
			fputs(pmd_tunnels[i].name, e->out);
			pmd_put_number(e, pmd_tunnels[i].vni, "vni");
			fputs(" / ", e->out);
		}
	if (entry_has(e, KEY_GRE_HAS_KEY, 1) && e->mask[KEY_GRE_KEY]) {
		entry_take(e, KEY_GRE_HAS_KEY, &v);
		fputs("gre_key", e->out);
		pmd_put_number(e, KEY_GRE_KEY, "value");
		fputs(" / ", e->out);
	}
}

static void pmd_put_level(struct entry *e, bool inner)
{
	pmd_put_eth(e, inner);
	pmd_put_mpls(e, inner);
	pmd_put_ip(e, inner);
	pmd_put_l4(e, inner);
}

static void pmd_put_pattern(struct entry *e)
{
	uint64_t port = entry_has(e, MATCH_UDP_DPORT, e->value[MATCH_UDP_DPORT])
				? e->value[MATCH_UDP_DPORT]
				: 0;

	fputs(" pattern ", e->out);
	pmd_put_level(e, false);
	pmd_put_tunnel(e, port);
	if (pmd_has_inner(e))
		pmd_put_level(e, true);
	fputs("end", e->out);
}

/* --- actions ----------------------------------------------------------------------------------- */

static const struct {
	enum rule_change_kind kind;
	const char *name, *name6;
} pmd_edits[] = {
	{CHANGE_DECAP, "vxlan_decap", NULL},
	{CHANGE_POP, "of_pop_vlan", NULL},
	{CHANGE_ETH_SRC, "set_mac_src mac_addr", NULL},
	{CHANGE_ETH_DST, "set_mac_dst mac_addr", NULL},
	{CHANGE_IP_SRC, "set_ipv4_src ipv4_addr", "set_ipv6_src ipv6_addr"},
	{CHANGE_IP_DST, "set_ipv4_dst ipv4_addr", "set_ipv6_dst ipv6_addr"},
	{CHANGE_SPORT, "set_tp_src port", NULL},
	{CHANGE_DPORT, "set_tp_dst port", NULL},
	{CHANGE_TTL, "set_ttl ttl_value", NULL},
	{CHANGE_DEC_TTL, "dec_ttl", NULL},
	{CHANGE_VLAN, "of_set_vlan_vid vlan_vid", NULL},
	{CHANGE_PUSH, "of_push_vlan ethertype 0x8100 / of_set_vlan_vid vlan_vid", NULL},
};

static void pmd_put_edit(struct entry *e, const struct rule_change *c)
{
	char text[INET6_ADDRSTRLEN];

	if (c->kind == CHANGE_ETH_SRC || c->kind == CHANGE_ETH_DST)
		for (int i = 0; i < 6; i++)
			fprintf(e->out, "%c%02x", i ? ':' : ' ', c->addr[i]);
	else if (c->kind == CHANGE_IP_SRC || c->kind == CHANGE_IP_DST)
		fprintf(e->out, " %s",
			inet_ntop(c->of == 4 ? AF_INET : AF_INET6, c->addr, text, sizeof(text)));
	else if (c->kind == CHANGE_PUSH)
		fprintf(e->out, " %u / of_set_vlan_pcp vlan_pcp %u", c->value & 0xfff,
			c->value >> 13);
	else if (c->kind != CHANGE_DECAP && c->kind != CHANGE_POP && c->kind != CHANGE_DEC_TTL)
		fprintf(e->out, " %u", c->value);
	fputs(" / ", e->out);
}

static const struct {
	unsigned int on; /* all of these */
	const char *type;
} pmd_types[] = {
	{HASH_IPV4, "ipv4"},
	{HASH_IPV6, "ipv6"},
	{HASH_IPV4 | HASH_TCP, "ipv4-tcp"},
	{HASH_IPV6 | HASH_TCP, "ipv6-tcp"},
	{HASH_IPV4 | HASH_UDP, "ipv4-udp"},
	{HASH_IPV6 | HASH_UDP, "ipv6-udp"},
};

static void pmd_put_rss(struct entry *e, const struct rule_rss *rss)
{
	fputs("rss types", e->out);
	for (size_t i = 0; i < sizeof(pmd_types) / sizeof(pmd_types[0]); i++)
		if ((rss->on & pmd_types[i].on) == pmd_types[i].on)
			fprintf(e->out, " %s", pmd_types[i].type);
	fputs(" end queues", e->out);
	for (uint32_t queue = rss->first; queue <= rss->last; queue++)
		fprintf(e->out, " %u", queue);
	fputs(" end / end\n", e->out);
}

static void pmd_put_actions(struct entry *e)
{
	const struct rule *r = e->rule;

	fputs(" actions ", e->out);
	for (size_t i = 0; i < sizeof(pmd_edits) / sizeof(pmd_edits[0]); i++) {
		const struct rule_change *c = entry_change(e, pmd_edits[i].kind);

		if (!c)
			continue;
		fputs(c->of == 6 && pmd_edits[i].name6 ? pmd_edits[i].name6 : pmd_edits[i].name,
		      e->out);
		pmd_put_edit(e, c);
	}
	if (r->count)
		fputs("count / ", e->out);
	if (r->has_tag)
		fprintf(e->out, "mark id %u / ", r->tag);
	if (r->rss)
		pmd_put_rss(e, r->rss);
	else if (r->verdict == RULE_SEND)
		fprintf(e->out, "queue index %u / end\n", r->queue);
	else
		fputs("drop / end\n", e->out);
}

/* Returns whether testpmd can do all that the rule does. */
static bool pmd_can(struct entry *e)
{
	const struct rule_change *c = entry_change(e, CHANGE_DECAP);

	if (e->rule->verdict == RULE_PASS)
		return entry_refuse(e, e->rule->at,
				    "testpmd has no action that leaves a packet to the kernel");
	if (e->rule->rss && e->rule->rss->has_key)
		return entry_refuse(e, e->rule->queue_at,
				    "keys of rss are not exported: leave `key' out");
	if (c && !entry_has(e, MATCH_UDP_DPORT, 4789))
		return entry_refuse(e, c->at, "testpmd ends VXLAN tunnels only");
	/* VXLAN carries Ethernet, and so does a tunnel whose entry compares a MAC. */
	if (pmd_has_inner(e) && !entry_has(e, MATCH_UDP_DPORT, 4789) &&
	    !e->mask[entry_key(KEY_SMAC, true)] && !e->mask[entry_key(KEY_DMAC, true)])
		return entry_refuse(e, e->rule->at,
				    "testpmd compares whether this tunnel carries Ethernet or IP, "
				    "this rule takes both");
	return true;
}

static bool pmd_write(struct export_state *state, struct entry *e)
{
	(void)state;
	if (!pmd_can(e))
		return false;
	fprintf(e->out, "flow create %s priority %zu %s", e->netdev ? e->netdev : "0", e->number,
		e->rule->dir == RULE_OUT ? "egress" : "ingress");
	pmd_put_pattern(e);
	pmd_put_actions(e);
	return entry_done(e, "testpmd");
}

const struct export_tool export_testpmd = {"testpmd", pmd_write};
