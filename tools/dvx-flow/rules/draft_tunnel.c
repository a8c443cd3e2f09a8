/* SPDX-License-Identifier: BSD-2-Clause */
/* Tunnels and MPLS: what their words imply of the headers around them. */
#include "draft.h"

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

bool draft_only_outer(struct draft *d, const struct place *at, const char *name)
{
	if (draft_inner(d))
		draft_mistake(d, at, "%s is compared in the outer headers only", name);
	return !draft_inner(d);
}

void draft_tunnel(struct draft *d, const struct place *at, enum draft_tunnel tunnel)
{
	if (draft_only_outer(d, at, "a tunnel") && d->tunnel && d->tunnel != tunnel)
		draft_mistake(d, at, "a packet is in one tunnel; the rule said %s before",
			      tunnels[d->tunnel].name);
	d->tunnel = tunnel;
	draft_proto(d, at, PROTO_UDP);
}

void draft_vni(struct draft *d, const struct place *at, uint64_t value, uint64_t mask)
{
	if (!d->tunnel)
		draft_mistake(d, at,
			      "the VNI of what? It belongs behind vxlan, vxlan-gpe or geneve");
	else
		draft_field(d, at, tunnels[d->tunnel].vni, value, mask);
}

void draft_oam(struct draft *d, const struct place *at, uint64_t value)
{
	if (d->tunnel != TUNNEL_GENEVE)
		draft_mistake(d, at, "oam is a bit of Geneve's header; it belongs behind geneve");
	else
		draft_field(d, at, KEY_GENEVE_OAM, value, 1);
}

void draft_gre_key(struct draft *d, const struct place *at, uint64_t value, uint64_t mask)
{
	if (!draft_only_outer(d, at, "a GRE key"))
		return;
	draft_proto(d, at, PROTO_GRE);
	draft_field(d, at, KEY_GRE_HAS_KEY, 1, 1);
	draft_field(d, at, KEY_GRE_KEY, value, mask);
}

void draft_mpls(struct draft *d, const struct place *at)
{
	draft_ethertype(d, at, TYPE_MPLS);
}

void draft_mpls_part(struct draft *d, const struct place *at, enum rule_key key, uint64_t value)
{
	draft_mpls(d, at);
	draft_field(d, at, key, value, UINT64_MAX);
}

bool draft_not_ip(struct draft *d)
{
	const struct rule_field *type = draft_said(d, KEY_ETHERTYPE);

	return type->mask && type->value != TYPE_MPLS;
}

bool draft_says_inner(const struct draft *d)
{
	bool said = d->inner.ip;

	for (unsigned int k = 0; k < KEY_PER_LEVEL; k++)
		said |= d->field[KEY_INNER(k)].mask;
	return said;
}

/* Hardware compares 0 for headers that are not there. */
void draft_settle_inner(struct draft *d, const struct place *at)
{
	bool proved = d->inner.ip;

	for (unsigned int k = 0; k < KEY_PER_LEVEL; k++)
		proved |= d->field[KEY_INNER(k)].value;
	if (d->asks_inner && !draft_says_inner(d))
		draft_mistake(d, at, "inner what? Say what the inner packet is: inner ipv4, ...");
	else if (!proved && draft_says_inner(d))
		draft_mistake(
			d, at,
			"a packet without a tunnel meets this, too; say what the inner packet "
			"is: inner ipv4, inner ipv6, ...");
}

void draft_settle_tunnel(struct draft *d, const struct place *at)
{
	const struct rule_ports *p = &d->h->dport;
	uint16_t port = tunnels[d->tunnel].port;

	if (!d->tunnel)
		return;
	if (!p->n) {
		draft_range(d, at, port, port);
		draft_port_list(d, at, SIDE_DST);
	} else if (p->n > 1 || p->range[0].first != port || p->range[0].last != port) {
		draft_mistake(d, at, "%s is UDP to port %u; the rule says another port",
			      tunnels[d->tunnel].name, port);
	}
}
