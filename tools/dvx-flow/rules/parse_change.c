/* SPDX-License-Identifier: BSD-2-Clause */
/* Changes that a rule makes to its packets, and the matches that they need. */
#include <inttypes.h>
#include <string.h>

#include "parse.h"

#define PROTO_ETHERNET 0x6558

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
	[CHANGE_VLAN] = {"set vlan", 0xfff},
	[CHANGE_PUSH] = {"push vlan", 0xffff},
	[CHANGE_POP] = {"pop vlan", 0},
	[CHANGE_DECAP] = {"decap", 0},
};

static struct rule_change *change_add(struct rule_parser *ps, const struct source_range *at,
				      enum rule_change_kind kind)
{
	struct rule_change *c = &ps->change[kind];

	if (ps->rule.verdict == RULE_DROP)
		parse_mistake(ps, at, "a rule that drops its packets cannot change them");
	else if (c->kind != RULE_CHANGE_KINDS)
		parse_mistake(ps, at, "a second \"%s\" in one rule", changes[kind].name);
	*c = (struct rule_change){.kind = kind, .at = parse_location(ps, at)};
	ps->change_at[kind] = *at;
	return c;
}

void parse_change(struct rule_parser *ps, const struct source_range *at, enum rule_change_kind kind,
		  uint64_t value)
{
	struct rule_change *c = change_add(ps, at, kind);

	if (value > changes[kind].max)
		parse_mistake(ps, at, "\"%s\" takes 0 to %u, not %" PRIu64, changes[kind].name,
			      changes[kind].max, value);
	c->value = (uint32_t)value;
}

void parse_change_port(struct rule_parser *ps, const struct source_range *at, enum rule_l4 l4,
		       int side, uint64_t port)
{
	if (side == SIDE_EITHER)
		parse_mistake(ps, at, "which port? write `src port' or `dst port'");
	parse_change(ps, at, side == SIDE_SRC ? CHANGE_SPORT : CHANGE_DPORT, port);
	ps->change[side == SIDE_SRC ? CHANGE_SPORT : CHANGE_DPORT].of = (uint8_t)l4;
}

void parse_change_address(struct rule_parser *ps, const struct source_range *at, uint8_t version,
			  int side, const struct address *a)
{
	struct rule_change *c =
		change_add(ps, at, side == SIDE_SRC ? CHANGE_IP_SRC : CHANGE_IP_DST);

	if (a->ip.family != version)
		parse_mistake(ps, at, "the address is not of %s", parse_ip_name(version));
	c->of = version;
	memcpy(c->addr, a->ip.addr, sizeof(c->addr));
}

void parse_change_mac(struct rule_parser *ps, const struct source_range *at, int side,
		      const struct address *a)
{
	struct rule_change *c =
		change_add(ps, at, side == SIDE_SRC ? CHANGE_ETH_SRC : CHANGE_ETH_DST);

	for (unsigned int i = 0; i < 6; i++)
		c->addr[i] = (uint8_t)(a->mac >> 8 * (5 - i));
}

void parse_encap(struct rule_parser *ps, const struct source_range *at)
{
	parse_mistake(ps, at,
		      "a rule cannot add headers of a tunnel: libdvx has no action for it yet "
		      "(reformat_l2_to_l2_tunnel); send the packets to a queue, or to the kernel's "
		      "tunnel device");
}

void parse_push_vlan(struct rule_parser *ps, const struct source_range *at, uint64_t id,
		     uint64_t pcp)
{
	if (id > 0xfff)
		parse_mistake(ps, at, "a VLAN is 0 to 4095, not %" PRIu64, id);
	if (pcp > 7)
		parse_mistake(ps, at, "a priority (pcp) is 0 to 7, not %" PRIu64, pcp);
	parse_change(ps, at, CHANGE_PUSH, (pcp & 7) << 13 | (id & 0xfff));
}

/* --- matches that changes need ---------------------------------------------------------------- */

static bool parse_changes_has(const struct rule_parser *ps, enum rule_change_kind kind)
{
	return ps->change[kind].kind == kind;
}

static void need_version(struct rule_parser *ps, enum rule_change_kind kind)
{
	const struct rule_change *c = &ps->change[kind];
	uint8_t ip = ps->rule.outer.ip;

	if (parse_changes_has(ps, kind) && (c->of ? ip != c->of : ip != 4 && ip != 6))
		parse_mistake(ps, &ps->change_at[kind],
			      "\"%s\" needs a rule for packets of %s: write `%s' among its matches",
			      changes[kind].name, c->of ? parse_ip_name(c->of) : "one IP version",
			      c->of == 6 ? "ipv6" : "ipv4");
}

/*
 * Returns whether a checksum would be left wrong. The device updates those of IPv4, TCP and UDP.
 * The sums of these protocols cover the addresses, too, and Linux's driver rewrites addresses of
 * TCP, UDP and ICMP only. Every IPv6 host sends ICMPv6.
 */
static bool sum_is_left(const struct rule_parser *ps, uint8_t version)
{
	const uint64_t dccp = 33, ah = 51, icmp6 = 58, ospf = 89, pim = 103, udplite = 136;
	const struct rule_field *proto = &ps->field[KEY_PROTO];
	uint64_t p = proto->value;

	if (ps->rule.outer.l4 != L4_ANY)
		return false;
	if (!proto->mask)
		return version == 6;
	return p == dccp || p == ah || p == udplite ||
	       (version == 6 && (p == icmp6 || p == ospf || p == pim));
}

static void need_sum(struct rule_parser *ps, enum rule_change_kind kind)
{
	const struct rule_change *c = &ps->change[kind];

	if (parse_changes_has(ps, kind) && sum_is_left(ps, c->of))
		parse_mistake(
			ps, &ps->change_at[kind],
			"\"%s\" would leave %s wrong, which covers the addresses: the device "
			"updates those of TCP and UDP; write `tcp' or `udp' among the matches",
			changes[kind].name,
			ps->field[KEY_PROTO].mask ? "this protocol's checksum"
						  : "ICMPv6's checksum");
}

static void need_l4(struct rule_parser *ps, enum rule_change_kind kind)
{
	const struct rule_change *c = &ps->change[kind];

	if (parse_changes_has(ps, kind) && ps->rule.outer.l4 != (enum rule_l4)c->of)
		parse_mistake(ps, &ps->change_at[kind],
			      "\"%s\" needs a rule for packets of %s: write `%s' among its matches",
			      changes[kind].name, c->of == L4_TCP ? "TCP" : "UDP",
			      c->of == L4_TCP ? "tcp" : "udp");
}

static void need_tag(struct rule_parser *ps, enum rule_change_kind kind)
{
	if (parse_changes_has(ps, kind) && !ps->field[KEY_CVLAN].value &&
	    !ps->field[KEY_SVLAN].value)
		parse_mistake(ps, &ps->change_at[kind],
			      "\"%s\" needs a rule for packets with a VLAN tag: write `vlan' among "
			      "its matches",
			      changes[kind].name);
}

static void need_tunnel(struct rule_parser *ps)
{
	const struct source_range *at = &ps->change_at[CHANGE_DECAP];

	if (!parse_changes_has(ps, CHANGE_DECAP))
		return;
	if (ps->rule.dir == RULE_OUT)
		parse_mistake(ps, at,
			      "tunnels end at incoming packets; this rule is for outgoing ones");
	else if (ps->tunnel != TUNNEL_VXLAN && ps->tunnel != TUNNEL_GENEVE)
		parse_mistake(ps, at,
			      "\"decap\" needs a rule for packets of a tunnel: write `vxlan' or "
			      "`geneve' among its matches");
	/* Behind decap a packet begins with Ethernet; Geneve may have IP directly inside. */
	else if (ps->tunnel == TUNNEL_GENEVE)
		parse_field(ps, at, KEY_GENEVE_PROTO, PROTO_ETHERNET, 0xffff);
	for (int k = 0; k < CHANGE_DECAP; k++)
		if (parse_changes_has(ps, (enum rule_change_kind)k))
			parse_mistake(ps, &ps->change_at[k],
				      "\"decap\" and \"%s\" in one rule: the outer headers go, and "
				      "the inner ones cannot be named here",
				      changes[k].name);
}

/* Sets the IP version that the EtherType implies. */
static void settle_version(struct rule_parser *ps)
{
	for (int k = CHANGE_IP_SRC; k <= CHANGE_DEC_TTL; k++)
		if (parse_changes_has(ps, (enum rule_change_kind)k) && !ps->rule.outer.ip)
			ps->rule.outer.ip = parse_type_version(ps->field[KEY_ETHERTYPE].value);
}

void parse_settle_changes(struct rule_parser *ps)
{
	settle_version(ps);
	need_version(ps, CHANGE_IP_SRC);
	need_version(ps, CHANGE_IP_DST);
	need_sum(ps, CHANGE_IP_SRC);
	need_sum(ps, CHANGE_IP_DST);
	need_version(ps, CHANGE_TTL);
	need_version(ps, CHANGE_DEC_TTL);
	need_l4(ps, CHANGE_SPORT);
	need_l4(ps, CHANGE_DPORT);
	need_tag(ps, CHANGE_VLAN);
	need_tag(ps, CHANGE_POP);
	need_tunnel(ps);
	if (parse_changes_has(ps, CHANGE_POP) && parse_changes_has(ps, CHANGE_PUSH) &&
	    ps->rule.dir == RULE_IN)
		parse_mistake(
			ps, &ps->change_at[CHANGE_PUSH],
			"a rule for incoming packets pops a VLAN tag or pushes one: write `set "
			"vlan' instead of both");
	if (parse_changes_has(ps, CHANGE_TTL) && parse_changes_has(ps, CHANGE_DEC_TTL))
		parse_mistake(ps, &ps->change_at[CHANGE_DEC_TTL],
			      "\"set ttl\" and \"dec ttl\" in one rule");
}

bool parse_keep_changes(struct rule_parser *ps)
{
	struct rule_change *kept;
	size_t n = 0;

	for (int k = 0; k < RULE_CHANGE_KINDS; k++)
		n += parse_changes_has(ps, (enum rule_change_kind)k);
	ps->rule.nchanges = n;
	if (!n)
		return true;
	kept = arena_get(ps->set->memory, n * sizeof(*kept));
	ps->rule.change = kept;
	for (int k = 0; kept && k < RULE_CHANGE_KINDS; k++)
		if (parse_changes_has(ps, (enum rule_change_kind)k))
			*kept++ = ps->change[k];
	return ps->rule.change;
}

void parse_begin_changes(struct rule_parser *ps)
{
	for (int k = 0; k < RULE_CHANGE_KINDS; k++)
		ps->change[k].kind = RULE_CHANGE_KINDS;
}
