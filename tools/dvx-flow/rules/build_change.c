/* SPDX-License-Identifier: BSD-2-Clause */
/* Changes that a rule makes to its packets, and the matches that they need. */
#include <inttypes.h>
#include <string.h>
#include <dvx/flow.h>

#include "build.h"

static const struct change_row {
	const char *name;
	uint32_t max; /* of its value */
} changes[RULE_CHANGE_KINDS] = {
	[CHANGE_ETH_SRC] = {"set eth src", 0},
	[CHANGE_ETH_DST] = {"set eth dst", 0},
	[CHANGE_IP_SRC] = {"set ip src", 0},
	[CHANGE_IP_DST] = {"set ip dst", 0},
	[CHANGE_SPORT] = {"set src port", 0xffff},
	[CHANGE_DPORT] = {"set dst port", 0xffff},
	[CHANGE_TTL] = {"set ttl", 0xff},
	[CHANGE_DEC_TTL] = {"dec ttl", 0},
	[CHANGE_DSCP] = {"set dscp", 0x3f},
	[CHANGE_VLAN] = {"set vlan", 0xfff},
	[CHANGE_PUSH] = {"push vlan", 0xffff},
	[CHANGE_POP] = {"pop vlan", 0},
	[CHANGE_DECAP] = {"decap", 0},
	[CHANGE_ENCAP] = {"encap", 0},
};

static bool has_change(const struct rule_build *b, enum rule_change_kind kind)
{
	return b->changes >> kind & 1;
}

static bool change_is_mac(enum rule_change_kind kind)
{
	return kind == CHANGE_ETH_SRC || kind == CHANGE_ETH_DST;
}

void build_change(struct rule_build *b, const struct rule_node *n)
{
	enum rule_change_kind kind = (enum rule_change_kind)n->of;
	struct rule_change *c = &b->change[kind];

	if (b->rule.verdict == RULE_DROP)
		node_mistake(b, n, "a rule that drops its packets cannot change them");
	else if (has_change(b, kind))
		node_mistake(b, n, "a second \"%s\" in one rule", changes[kind].name);
	b->changes |= 1u << kind;
	b->change_at[kind] = n->at;
	*c = (struct rule_change){.kind = kind,
				  .at = build_location(b, &n->at),
				  .of = (uint8_t)n->second,
				  .value = (uint32_t)n->number};
	if (n->number > changes[kind].max)
		node_mistake(b, n, "\"%s\" takes 0 to %u, not %" PRIu64, changes[kind].name,
			     changes[kind].max, n->number);
	if (n->net)
		memcpy(c->addr, n->net->addr, sizeof(c->addr));
	for (unsigned int i = 0; i < 6 && change_is_mac(kind); i++)
		c->addr[i] = (uint8_t)(n->mac >> 8 * (5 - i));
}

void build_change_port(struct rule_build *b, const struct rule_node *n)
{
	struct rule_node port = *n;

	if (n->of == SIDE_EITHER)
		node_mistake(b, n, "which port? write `src port' or `dst port'");
	port.of = n->of == SIDE_SRC ? CHANGE_SPORT : CHANGE_DPORT;
	build_change(b, &port);
}

void build_push(struct rule_build *b, const struct rule_node *n)
{
	struct rule_node tag = *n;

	if (n->number > 0xfff)
		node_mistake(b, n, "a VLAN is 0 to 4095, not %" PRIu64, n->number);
	if (n->second > 7)
		node_mistake(b, n, "a priority (pcp) is 0 to 7, not %" PRIu64, n->second);
	tag.of = CHANGE_PUSH;
	tag.number = (n->second & 7) << 13 | (n->number & 0xfff);
	tag.second = 0;
	build_change(b, &tag);
}

/* --- matches that changes need ---------------------------------------------------------------- */

static void need_version(struct rule_build *b, enum rule_change_kind kind)
{
	const struct rule_change *c = &b->change[kind];
	uint8_t ip = b->rule.outer.ip;

	if (has_change(b, kind) && (c->of ? ip != c->of : ip != 4 && ip != 6))
		parse_mistake(b->ps, &b->change_at[kind],
			      "\"%s\" needs a rule for packets of %s: write `%s' among its matches",
			      changes[kind].name, c->of ? build_ip_name(c->of) : "one IP version",
			      c->of == 6 ? "ipv6" : "ipv4");
}

/* Checks that the packets have IP, of any version. */
static void need_ip(struct rule_build *b, enum rule_change_kind kind)
{
	if (has_change(b, kind) && !b->rule.outer.ip)
		parse_mistake(b->ps, &b->change_at[kind],
			      "\"%s\" needs a rule for packets of IP: write `ipv4' or `ipv6' among "
			      "its matches",
			      changes[kind].name);
}

/*
 * Returns whether a checksum would be left wrong. The device updates those of IPv4, TCP and UDP.
 * The sums of these protocols cover the addresses, too, and Linux's driver rewrites addresses of
 * TCP, UDP and ICMP only. Every IPv6 host sends ICMPv6.
 */
static bool sum_is_left(const struct rule_build *b, uint8_t version)
{
	const uint64_t dccp = 33, ah = 51, icmp6 = 58, ospf = 89, pim = 103, udplite = 136;
	const struct rule_field *proto = build_field(&b->fields, KEY_PROTO);
	uint64_t p = proto->value;

	if (b->rule.outer.l4 != L4_ANY)
		return false;
	if (!proto->mask)
		return version == 6;
	return p == dccp || p == ah || p == udplite ||
	       (version == 6 && (p == icmp6 || p == ospf || p == pim));
}

static void need_sum(struct rule_build *b, enum rule_change_kind kind)
{
	const struct rule_change *c = &b->change[kind];

	if (has_change(b, kind) && sum_is_left(b, c->of))
		parse_mistake(
			b->ps, &b->change_at[kind],
			"\"%s\" would leave %s wrong, which covers the addresses: the device "
			"updates those of TCP and UDP; write `tcp' or `udp' among the matches",
			changes[kind].name,
			build_field(&b->fields, KEY_PROTO)->mask ? "this protocol's checksum"
								 : "ICMPv6's checksum");
}

static void need_l4(struct rule_build *b, enum rule_change_kind kind)
{
	const struct rule_change *c = &b->change[kind];

	if (has_change(b, kind) && b->rule.outer.l4 != (enum rule_l4)c->of)
		parse_mistake(b->ps, &b->change_at[kind],
			      "\"%s\" needs a rule for packets of %s: write `%s' among its matches",
			      changes[kind].name, c->of == L4_TCP ? "TCP" : "UDP",
			      c->of == L4_TCP ? "tcp" : "udp");
}

static void need_tag(struct rule_build *b, enum rule_change_kind kind)
{
	if (has_change(b, kind) && !build_field(&b->fields, KEY_CVLAN)->value &&
	    !build_field(&b->fields, KEY_SVLAN)->value)
		parse_mistake(b->ps, &b->change_at[kind],
			      "\"%s\" needs a rule for packets with a VLAN tag: write `vlan' among "
			      "its matches",
			      changes[kind].name);
}

static bool from_uplink(const struct rule_build *b)
{
	const struct rule_field *from = build_field(&b->fields, KEY_VPORT);

	return from->mask && !from->nmore && from->value == DVX_FLOW_UPLINK;
}

/* Refuses changes of an Ethernet header that a tunnel for IP does not carry. */
static void need_no_ethernet(struct rule_build *b)
{
	static const enum rule_change_kind kinds[] = {CHANGE_ETH_SRC, CHANGE_ETH_DST, CHANGE_VLAN,
						      CHANGE_PUSH, CHANGE_POP};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (b->encap.l3 && has_change(b, kinds[i]))
			parse_mistake(
				b->ps, &b->change_at[kinds[i]],
				"\"%s\" changes the Ethernet header, which goes: %s carries IP",
				changes[kinds[i]].name, tunnel_rows[b->encap.tunnel].name);
}

static void need_way_out(struct rule_build *b)
{
	const struct source_range *at = &b->change_at[CHANGE_ENCAP];

	if (!has_change(b, CHANGE_ENCAP))
		return;
	if (!rule_dirs[b->rule.dir].encap)
		parse_mistake(b->ps, at,
			      "tunnels begin at outgoing packets; this rule is for incoming ones");
	else
		build_settle_encap(b, at);
	need_no_ethernet(b);
}

/* Returns the tunnel that the rule's packets are in. */
static enum node_tunnel tunnel_named(const struct rule_build *b)
{
	const struct rule_field *proto = build_field(&b->fields, KEY_PROTO);

	return !b->tunnel && proto->mask && proto->value == tunnel_rows[TUNNEL_GRE].protocol
		       ? TUNNEL_GRE
		       : b->tunnel;
}

static void need_tunnel(struct rule_build *b)
{
	const struct source_range *at = &b->change_at[CHANGE_DECAP];

	if (!has_change(b, CHANGE_DECAP))
		return;
	b->tunnel = tunnel_named(b);
	if (!rule_dirs[b->rule.dir].decap)
		parse_mistake(b->ps, at,
			      "tunnels end at incoming packets; this rule is for outgoing ones");
	else if (b->rule.dir == RULE_SWITCH && !from_uplink(b))
		parse_mistake(b->ps, at,
			      "the e-switch ends tunnels of packets from the wire: write `from "
			      "uplink' among the matches");
	else if (!b->tunnel)
		parse_mistake(b->ps, at,
			      "\"decap\" needs a rule for packets of a tunnel: write `vxlan', "
			      "`geneve', `gretap', ... among its matches");
	else
		build_settle_decap(b, at);
	for (int k = 0; k < RULE_CHANGE_KINDS; k++)
		if (k != CHANGE_DECAP && has_change(b, (enum rule_change_kind)k))
			parse_mistake(b->ps, &b->change_at[k],
				      "\"decap\" and \"%s\" in one rule: the outer headers go, and "
				      "the inner ones cannot be named here",
				      changes[k].name);
}

/* Sets the IP version that the EtherType implies. */
static void settle_version(struct rule_build *b)
{
	bool of_ip = has_change(b, CHANGE_ENCAP) && b->encap.l3;

	for (int k = CHANGE_IP_SRC; k <= CHANGE_DSCP; k++)
		of_ip |= has_change(b, (enum rule_change_kind)k);
	if (of_ip && !b->rule.outer.ip)
		b->rule.outer.ip =
			build_type_version(build_field(&b->fields, KEY_ETHERTYPE)->value);
}

void build_settle_changes(struct rule_build *b)
{
	settle_version(b);
	need_version(b, CHANGE_IP_SRC);
	need_version(b, CHANGE_IP_DST);
	need_sum(b, CHANGE_IP_SRC);
	need_sum(b, CHANGE_IP_DST);
	need_version(b, CHANGE_TTL);
	need_version(b, CHANGE_DEC_TTL);
	need_ip(b, CHANGE_DSCP);
	need_l4(b, CHANGE_SPORT);
	need_l4(b, CHANGE_DPORT);
	need_tag(b, CHANGE_VLAN);
	need_tag(b, CHANGE_POP);
	need_tunnel(b);
	need_way_out(b);
	if (has_change(b, CHANGE_POP) && has_change(b, CHANGE_PUSH) && b->rule.dir == RULE_IN)
		parse_mistake(
			b->ps, &b->change_at[CHANGE_PUSH],
			"a rule for incoming packets pops a VLAN tag or pushes one: write `set "
			"vlan' instead of both");
	if (has_change(b, CHANGE_TTL) && has_change(b, CHANGE_DEC_TTL))
		parse_mistake(b->ps, &b->change_at[CHANGE_DEC_TTL],
			      "\"set ttl\" and \"dec ttl\" in one rule");
}

bool build_keep_changes(struct rule_build *b)
{
	struct rule_change given[RULE_CHANGE_KINDS];
	uint32_t n = 0;

	for (int k = 0; k < RULE_CHANGE_KINDS; k++)
		if (has_change(b, (enum rule_change_kind)k))
			given[n++] = b->change[k];
	b->rule.nchanges = n;
	b->rule.change = n ? build_keep(b, given, n, sizeof(given[0])) : NULL;
	b->rule.encap =
		has_change(b, CHANGE_ENCAP) ? build_keep(b, &b->encap, 1, sizeof(b->encap)) : NULL;
	return (b->rule.change || !n) && (b->rule.encap || !has_change(b, CHANGE_ENCAP));
}
