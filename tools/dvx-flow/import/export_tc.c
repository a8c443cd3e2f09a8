/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes entries as commands "tc filter add ... flower ... action ...". */
#include <arpa/inet.h>
#include <inttypes.h>
#include <string.h>

#include "entry.h"

/* A packet's tags, as tc names them: the filter's protocol is the first one's type. */
struct tc_tags {
	const char *type[2]; /* of each tag; NULL: no tag */
};

static const char tc_q[] = "802.1Q", tc_ad[] = "802.1ad";

/* Returns the kind of a tag: 802.1Q, 802.1ad or none (""); NULL: the entry does not compare it. */
static const char *tc_tag_kind(struct entry *e, unsigned int cvlan, unsigned int svlan)
{
	switch (entry_take_tag(e, cvlan, svlan)) {
	case 0x8100:
		return tc_q;
	case 0x88a8:
		return tc_ad;
	case 0:
		return "";
	default:
		return NULL;
	}
}

/* --- matches ---------------------------------------------------------------------------------- */

/* Returns the EtherType behind the tags; NULL: the entry does not compare it. */
static const char *tc_ethertype(struct entry *e, char *text, size_t size)
{
	uint64_t v;

	if (entry_has(e, MATCH_IP_VERSION, 4) || entry_has(e, MATCH_IP_VERSION, 6)) {
		entry_take(e, MATCH_IP_VERSION, &v);
		if (entry_has(e, KEY_ETHERTYPE, v == 4 ? 0x0800 : 0x86dd))
			e->mask[KEY_ETHERTYPE] = 0;
		return v == 4 ? "ip" : "ipv6";
	}
	if (!entry_take(e, KEY_ETHERTYPE, &v))
		return NULL;
	if (v == 0x8847)
		return "mpls_uc";
	snprintf(text, size, "0x%" PRIx64, v);
	return text;
}

static void tc_put_mac(struct entry *e, const char *word, unsigned int key)
{
	uint64_t v, m;

	if (!entry_take_masked(e, key, &v, &m))
		return;
	fprintf(e->out, " %s", word);
	for (int i = 40; i >= 0; i -= 8)
		fprintf(e->out, "%c%02x", i == 40 ? ' ' : ':', (unsigned int)(v >> i & 0xff));
	for (int i = 40; i >= 0 && m != match_key_max(key); i -= 8)
		fprintf(e->out, "%c%02x", i == 40 ? '/' : ':', (unsigned int)(m >> i & 0xff));
}

static void tc_put_address(struct entry *e, const char *word, unsigned int first, int family)
{
	char text[INET6_ADDRSTRLEN];
	struct entry_address a;
	uint64_t masks[4];

	for (unsigned int i = 0; i < 4; i++)
		masks[i] = e->mask[first + i];
	if (!entry_take_address(e, first, false, family, &a))
		return;
	if (a.bits < 0) {
		/* Puts the keys back. */
		for (unsigned int i = 0; i < 4; i++)
			e->mask[first + i] = masks[i];
		return;
	}
	inet_ntop(family, a.addr, text, sizeof(text));
	fprintf(e->out, " %s %s/%d", word, text, a.bits);
}

static const struct {
	unsigned int key;
	const char *word;
	unsigned int mask_base; /* in which tc reads a mask; 0: it takes none */
} tc_numbers[] = {
	{KEY_MPLS_LABEL, "mpls_label", 0},
	{KEY_MPLS_TC, "mpls_tc", 0},
	{KEY_MPLS_BOTTOM, "mpls_bos", 0},
	{KEY_MPLS_TTL, "mpls_ttl", 0},
	{KEY_TTL, "ip_ttl", 16},
	{MATCH_TCP_SPORT, "src_port", 10},
	{MATCH_TCP_DPORT, "dst_port", 10},
	{MATCH_UDP_SPORT, "src_port", 10},
	{MATCH_UDP_DPORT, "dst_port", 10},
	{KEY_ICMP_TYPE, "type", 10},
	{KEY_ICMP_CODE, "code", 10},
	{KEY_ICMP6_TYPE, "type", 10},
	{KEY_ICMP6_CODE, "code", 10},
};

static void tc_put_numbers(struct entry *e)
{
	for (size_t i = 0; i < sizeof(tc_numbers) / sizeof(tc_numbers[0]); i++) {
		uint64_t v, m = 0;

		if (!entry_take(e, tc_numbers[i].key, &v) &&
		    !(tc_numbers[i].mask_base && entry_take_masked(e, tc_numbers[i].key, &v, &m)))
			continue;
		fprintf(e->out, " %s %" PRIu64, tc_numbers[i].word, m ? v & m : v);
		if (m)
			fprintf(e->out, tc_numbers[i].mask_base == 16 ? "/0x%" PRIx64 : "/%" PRIu64,
				m);
	}
}

static const struct {
	uint64_t number;
	const char *name;
} tc_protos[] = {{1, "icmp"}, {6, "tcp"}, {17, "udp"}, {58, "icmpv6"}, {132, "sctp"}};

static void tc_put_ip(struct entry *e)
{
	uint64_t v, m, ecn, ecn_mask;
	size_t i = 0;

	if (entry_take(e, KEY_PROTO, &v)) {
		while (i < 5 && tc_protos[i].number != v)
			i++;
		if (i < 5)
			fprintf(e->out, " ip_proto %s", tc_protos[i].name);
		else
			fprintf(e->out, " ip_proto 0x%" PRIx64, v);
	}
	entry_take_masked(e, KEY_DSCP, &v, &m);
	entry_take_masked(e, KEY_ECN, &ecn, &ecn_mask);
	v = (v & m) << 2 | (ecn & ecn_mask);
	m = m << 2 | ecn_mask;
	if (m)
		fprintf(e->out, " ip_tos 0x%" PRIx64 "/0x%" PRIx64, v, m);
	if (entry_take(e, KEY_FRAGMENT, &v))
		fprintf(e->out, " ip_flags %s", v ? "frag" : "nofrag");
	if (entry_take_masked(e, KEY_TCP_FLAGS, &v, &m))
		fprintf(e->out, " tcp_flags 0x%" PRIx64 "/0x%" PRIx64, v & m, m);
}

static const struct {
	unsigned int key;
	const char *word;
} tc_tag_fields[] = {
	{KEY_VLAN_ID, "vlan_id"},
	{KEY_VLAN_PCP, "vlan_prio"},
	{KEY_VLAN2_ID, "cvlan_id"},
	{KEY_VLAN2_PCP, "cvlan_prio"},
};

/* Writes the fields of two tags, each with the type of what follows the tag. */
static void tc_put_tags(struct entry *e, const struct tc_tags *tags, const char *type)
{
	for (int tag = 0; tag < 2 && tags->type[tag]; tag++) {
		const char *next = tag == 0 && tags->type[1] ? tags->type[1] : type;

		for (int i = tag * 2; i < tag * 2 + 2; i++) {
			uint64_t v;

			if (entry_take(e, tc_tag_fields[i].key, &v))
				fprintf(e->out, " %s %" PRIu64, tc_tag_fields[i].word, v);
		}
		if (next)
			fprintf(e->out, " %s %s", tag ? "cvlan_ethtype" : "vlan_ethtype", next);
	}
}

/* --- actions ---------------------------------------------------------------------------------- */

static const char *tc_layer(const struct rule_change *c, uint8_t ip)
{
	if (c->kind == CHANGE_ETH_SRC || c->kind == CHANGE_ETH_DST)
		return "eth";
	if (c->kind == CHANGE_SPORT || c->kind == CHANGE_DPORT)
		return c->of == L4_TCP ? "tcp" : "udp";
	return (c->of ? c->of : ip) == 6 ? "ip6" : "ip";
}

static const struct tc_edit {
	enum rule_change_kind kind;
	const char *field, *field6;
} tc_edits[] = {
	{CHANGE_ETH_SRC, "src", NULL},	 {CHANGE_ETH_DST, "dst", NULL},
	{CHANGE_IP_SRC, "src", "src"},	 {CHANGE_IP_DST, "dst", "dst"},
	{CHANGE_SPORT, "sport", NULL},	 {CHANGE_DPORT, "dport", NULL},
	{CHANGE_TTL, "ttl", "hoplimit"}, {CHANGE_DEC_TTL, "ttl", "hoplimit"},
};

static void tc_put_value(struct entry *e, const struct rule_change *c)
{
	char text[INET6_ADDRSTRLEN];

	if (c->kind == CHANGE_ETH_SRC || c->kind == CHANGE_ETH_DST) {
		for (int i = 0; i < 6; i++)
			fprintf(e->out, "%c%02x", i ? ':' : ' ', c->addr[i]);
	} else if (c->kind == CHANGE_IP_SRC || c->kind == CHANGE_IP_DST) {
		fprintf(e->out, " %s",
			inet_ntop(c->of == 4 ? AF_INET : AF_INET6, c->addr, text, sizeof(text)));
	} else {
		fprintf(e->out, " %u", c->value);
	}
}

/* Writes `csum` with the protocols that have a checksum over the changed fields. */
static void tc_put_csum(struct entry *e, uint8_t ip, uint64_t proto, bool addresses, bool header,
			bool ports)
{
	const char *l4 = proto == 6 ? "tcp" : proto == 17 ? "udp" : NULL;
	const char *joint = "";

	if (proto == 58 && addresses && ip == 6)
		l4 = "icmp";
	fputs(" action csum", e->out);
	if (ip == 4 && (addresses || header)) {
		fputs(" ip4h", e->out);
		joint = " and";
	}
	if (!proto && addresses)
		fprintf(e->out, "%s tcp and udp%s", joint, ip == 6 ? " and icmp" : "");
	else if (l4 && (addresses || ports))
		fprintf(e->out, "%s %s", joint, l4);
	fputs(" pipe", e->out);
}

static void tc_put_edits(struct entry *e, uint8_t ip, uint64_t proto)
{
	bool begun = false, addresses = false, header = false, ports = false;

	for (size_t i = 0; i < sizeof(tc_edits) / sizeof(tc_edits[0]); i++) {
		const struct tc_edit *row = &tc_edits[i];
		const struct rule_change *c = entry_change(e, row->kind);
		const char *layer;

		if (!c)
			continue;
		layer = tc_layer(c, ip);
		fprintf(e->out, "%s munge %s %s %s", begun ? "" : " action pedit ex", layer,
			!strcmp(layer, "ip6") ? row->field6 : row->field,
			row->kind == CHANGE_DEC_TTL ? "dec" : "set");
		if (row->kind != CHANGE_DEC_TTL)
			tc_put_value(e, c);
		begun = true;
		addresses |= row->kind == CHANGE_IP_SRC || row->kind == CHANGE_IP_DST;
		header |= !strcmp(layer, "ip");
		ports |= row->kind == CHANGE_SPORT || row->kind == CHANGE_DPORT;
	}
	if (begun)
		fputs(" pipe", e->out);
	if ((addresses && (ip == 4 || !proto || proto == 6 || proto == 17 || proto == 58)) ||
	    header || ports)
		tc_put_csum(e, ip, proto, addresses, header, ports);
}

static void tc_put_actions(struct entry *e, uint8_t ip, uint64_t proto)
{
	const struct rule_change *c;

	if (e->rule->verdict == RULE_DROP) {
		fputs(" action drop\n", e->out);
		return;
	}
	if (entry_change(e, CHANGE_POP))
		fputs(" action vlan pop pipe", e->out);
	tc_put_edits(e, ip, proto);
	if ((c = entry_change(e, CHANGE_VLAN)))
		fprintf(e->out, " action vlan modify id %u pipe", c->value);
	if ((c = entry_change(e, CHANGE_PUSH)))
		fprintf(e->out, " action vlan push id %u priority %u pipe", c->value & 0xfff,
			c->value >> 13);
	fputs(" action pass\n", e->out);
}

/* --- all --------------------------------------------------------------------------------------- */

/* Returns whether tc can do all that the rule does. */
static bool tc_can(struct entry *e)
{
	const struct rule_change *c;

	if (e->rule->dir == RULE_OUT)
		return entry_refuse(
			e, e->rule->dir_at,
			"tc's egress filters see the kernel's packets, not those of this "
			"function's own queues");
	if (e->rule->verdict == RULE_SEND)
		return entry_refuse(e, e->rule->queue_at, "tc has no queues of dvx-flow's daemon");
	if ((c = entry_change(e, CHANGE_DECAP)))
		return entry_refuse(e, c->at, "tc ends a tunnel on the tunnel's own interface");
	if ((c = entry_change(e, CHANGE_VLAN)) && e->mask[KEY_SVLAN])
		return entry_refuse(e, c->at,
				    "tc's `vlan modify' would make the tag one of 802.1Q");
	return true;
}

/* Sets the filter's preference: each rule has its own, and each protocol of the rule. */
static bool tc_priority(struct export_state *state, struct entry *e, const char *protocol)
{
	if (state->priority && state->rule == e->number && !strcmp(state->protocol, protocol))
		return true;
	state->rule = e->number;
	snprintf(state->protocol, sizeof(state->protocol), "%s", protocol);
	if (++state->priority <= 65535)
		return true;
	return entry_refuse(e, e->rule->at, "tc has 65535 preferences, and these rules need more");
}

static bool tc_filter_write(struct export_state *state, struct entry *e, const struct tc_tags *tags,
			    const char *type)
{
	const char *protocol = tags->type[0] ? tags->type[0] : type ? type : "all";
	uint8_t ip = type && !strcmp(type, "ip") ? 4 : type && !strcmp(type, "ipv6") ? 6 : 0;
	int family = ip == 6 ? AF_INET6 : AF_INET;
	uint64_t proto = e->mask[KEY_PROTO] ? e->value[KEY_PROTO] : 0;

	if (!tc_priority(state, e, protocol))
		return false;
	fprintf(e->out, "tc filter add dev %s ingress protocol %s prio %u flower",
		e->netdev ? e->netdev : "eth0", protocol, state->priority);
	tc_put_tags(e, tags, type);
	tc_put_mac(e, "src_mac", KEY_SMAC);
	tc_put_mac(e, "dst_mac", KEY_DMAC);
	if (ip) {
		tc_put_ip(e);
		tc_put_address(e, "src_ip", MATCH_SRC_127_96, family);
		tc_put_address(e, "dst_ip", MATCH_DST_127_96, family);
	}
	tc_put_numbers(e);
	tc_put_actions(e, ip, proto);
	return entry_done(e, "tc");
}

static bool tc_write_copy(struct export_state *state, struct entry *e, const struct tc_tags *tags,
			  const char *type)
{
	struct entry copy = *e;

	if (tc_filter_write(state, &copy, tags, type))
		return true;
	e->at = copy.at;
	memcpy(e->why, copy.why, sizeof(e->why));
	return false;
}

/*
 * Writes a filter for tagged packets. tc's type behind a tag may be a second tag, unless the rule
 * excludes one.
 */
static bool tc_write_second(struct export_state *state, struct entry *e, struct tc_tags *tags,
			    const char *second, const char *type)
{
	static const char *const seconds[] = {NULL, tc_q, tc_ad};
	bool each = tags->type[0] && type && !second;

	for (size_t i = 0; i < (each ? 3u : 1u); i++) {
		tags->type[1] = each ? seconds[i] : second && *second ? second : NULL;
		if (!tc_write_copy(state, e, tags, type))
			return false;
	}
	return true;
}

static bool tc_write(struct export_state *state, struct entry *e)
{
	static const char *const firsts[] = {NULL, tc_q, tc_ad};
	struct tc_tags tags = {{NULL, NULL}};
	const char *first, *second, *type;
	char text[16];
	bool each;

	if (!tc_can(e))
		return false;
	first = tc_tag_kind(e, KEY_CVLAN, KEY_SVLAN);
	second = tc_tag_kind(e, KEY_CVLAN2, KEY_SVLAN2);
	type = tc_ethertype(e, text, sizeof(text));
	if (first && !*first && !type)
		return entry_refuse(
			e, rule_location(e->rule, KEY_CVLAN),
			"tc cannot say `untagged' without a protocol: add one, such as ipv4");
	if (second && !*second && !type)
		return entry_refuse(e, rule_location(e->rule, KEY_CVLAN2),
				    "tc cannot say that there is no second tag without a protocol: "
				    "add one, such as ipv4");
	each = !first && type;
	/* tc's protocol is the tag's: untagged packets, and those of either tag. */
	for (size_t i = 0; i < (each ? 3u : 1u); i++) {
		tags.type[0] = each ? firsts[i] : first && *first ? first : NULL;
		if (!tc_write_second(state, e, &tags, second, type))
			return false;
	}
	return true;
}

const struct export_tool export_tc = {"tc", tc_write};
