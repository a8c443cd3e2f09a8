/* SPDX-License-Identifier: BSD-2-Clause */
/* Tunnels and MPLS: what their words imply for the other headers. */
#include "parse.h"

#define PROTO_UDP 17
#define PROTO_GRE 47

static const struct {
	const char *name;
	uint16_t port;
	enum rule_key vni;
} tunnels[TUNNELS] = {
	[TUNNEL_VXLAN] = {"vxlan", 4789, KEY_VXLAN_VNI},
	[TUNNEL_GPE] = {"vxlan-gpe", 4790, KEY_GPE_VNI},
	[TUNNEL_GENEVE] = {"geneve", 6081, KEY_GENEVE_VNI},
};

bool parse_only_outer(struct rule_parser *ps, const struct source_range *at, const char *name)
{
	if (parse_is_inner(ps))
		parse_mistake(ps, at, "%s is compared in the outer headers only", name);
	return !parse_is_inner(ps);
}

void parse_tunnel_word(struct rule_parser *ps, const struct source_range *at,
		       enum parse_tunnel tunnel)
{
	parse_target(ps, SCOPE_L4, true);
	if (parse_only_outer(ps, at, "a tunnel") && ps->tunnel && ps->tunnel != tunnel &&
	    !ps->group.active)
		parse_mistake(ps, at, "a packet is in one tunnel; the rule said %s before",
			      tunnels[ps->tunnel].name);
	ps->tunnel = tunnel;
	ps->group.names_tunnel = ps->group.active;
	parse_proto(ps, at, PROTO_UDP);
}

void parse_vni_list(struct rule_parser *ps, const struct source_range *at)
{
	parse_target(ps, SCOPE_L4, false);
	if (!ps->tunnel)
		parse_mistake(ps, at, "vni belongs behind vxlan, vxlan-gpe or geneve");
	else
		parse_field_list(ps, at, tunnels[ps->tunnel].vni);
}

void parse_oam(struct rule_parser *ps, const struct source_range *at, uint64_t value)
{
	parse_target(ps, SCOPE_L4, false);
	if (ps->tunnel != TUNNEL_GENEVE)
		parse_mistake(ps, at, "oam is a bit of Geneve's header; it belongs behind geneve");
	else
		parse_field(ps, at, KEY_GENEVE_OAM, value, 1);
}

void parse_gre_key_list(struct rule_parser *ps, const struct source_range *at)
{
	struct parse_aside keys;

	parse_target(ps, SCOPE_L4, false);
	if (!parse_only_outer(ps, at, "a GRE key"))
		return;
	keys = parse_aside(ps);
	parse_proto(ps, at, PROTO_GRE);
	parse_field(ps, at, KEY_GRE_HAS_KEY, 1, 1);
	parse_resume(ps, &keys);
	parse_field_list(ps, at, KEY_GRE_KEY);
}

void parse_mpls_word(struct rule_parser *ps, const struct source_range *at)
{
	parse_target(ps, SCOPE_MPLS, true);
	parse_ethertype(ps, at, TYPE_MPLS);
}

void parse_mpls_list(struct rule_parser *ps, const struct source_range *at, enum rule_key key)
{
	struct parse_aside parts = parse_aside(ps);

	parse_target(ps, SCOPE_MPLS, false);
	parse_ethertype(ps, at, TYPE_MPLS);
	parse_resume(ps, &parts);
	parse_field_list(ps, at, key);
}

uint8_t parse_type_version(uint64_t type)
{
	return type == 0x0800 ? 4 : type == 0x86dd ? 6 : 0;
}

bool parse_not_ip(struct rule_parser *ps, uint8_t version)
{
	const struct rule_field *type = rule_field_of(ps, KEY_ETHERTYPE);
	uint8_t says = parse_type_version(type->value);

	return type->mask && type->value != TYPE_MPLS && (version ? says != version : !says);
}

static bool parse_has_inner(const struct rule_parser *ps)
{
	bool found = ps->inner.ip;

	for (unsigned int k = 0; k < KEY_PER_LEVEL; k++)
		found |= ps->field[KEY_INNER(k)].mask;
	for (size_t i = 0; i < ps->excepts.n; i++)
		found |= ps->excepts.except[i].inner;
	return found;
}

/*
 * Checks the inner matches. The hardware compares 0 for headers that the packet lacks, so a packet
 * without a tunnel has an inner value of 0.
 */
void parse_settle_inner(struct rule_parser *ps, const struct source_range *at)
{
	bool proved = ps->inner.ip;

	for (unsigned int k = 0; k < KEY_PER_LEVEL; k++)
		proved |= ps->field[KEY_INNER(k)].value;
	if (!parse_has_inner(ps))
		parse_mistake(ps, at, "inner needs a match behind it: inner ipv4, ...");
	else if (!proved)
		parse_mistake(
			ps, at,
			"a packet without a tunnel matches this, too; name the IP version of the "
			"inner packet: inner ipv4, inner ipv6, ...");
}

void parse_settle_tunnel(struct rule_parser *ps, const struct source_range *at)
{
	const struct rule_ports *p = &ps->h->dport;
	uint16_t port = tunnels[ps->tunnel].port;

	if (!ps->tunnel)
		return;
	if (!p->n) {
		parse_range(ps, at, port, port);
		parse_port_list(ps, at, SIDE_DST);
	} else if (p->n > 1 || p->range[0].first != port || p->range[0].last != port) {
		parse_mistake(ps, at, "%s is UDP to port %u; the rule says another port",
			      tunnels[ps->tunnel].name, port);
	}
}
