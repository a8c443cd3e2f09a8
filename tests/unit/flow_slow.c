/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>
#include "flow_slow.h"

/* F_VLAN_KIND */
enum { KIND_S = 1, KIND_C = 2 };

static const struct {
	enum field field;
	bool zero_if_missing;
	uint8_t shift; /* of the field's bits in the packet's */
} keys[RULE_KEYS] = {
	[KEY_DMAC] = {F_DMAC, false, 0},
	[KEY_SMAC] = {F_SMAC, false, 0},
	[KEY_ETHERTYPE] = {F_ETHERTYPE, false, 0},
	[KEY_VLAN_ID] = {F_VLAN_ID, false, 0},
	[KEY_VLAN_DEI] = {F_VLAN_DEI, false, 0},
	[KEY_VLAN_PCP] = {F_VLAN_PCP, false, 0},
	[KEY_PROTO] = {F_PROTO, false, 0},
	[KEY_DSCP] = {F_DSCP, false, 0},
	[KEY_ECN] = {F_ECN, false, 0},
	[KEY_TTL] = {F_TTL, false, 0},
	[KEY_FRAGMENT] = {F_FRAG, false, 0},
	[KEY_FLOWLABEL] = {F_FLOWLABEL, false, 0},
	[KEY_TCP_FLAGS] = {F_TCP_FLAGS, true, 0},
	[KEY_ICMP_TYPE] = {F_ICMP_TYPE, true, 0},
	[KEY_ICMP_CODE] = {F_ICMP_CODE, true, 0},
	[KEY_ICMP6_TYPE] = {F_ICMP_TYPE, true, 0},
	[KEY_ICMP6_CODE] = {F_ICMP_CODE, true, 0},
	[KEY_REG_A] = {F_REG_A, true, 0},
	[KEY_REG_C0] = {F_REG_C0, true, 0},
	[KEY_REG_C1] = {F_REG_C0 + 1, true, 0},
	[KEY_REG_C2] = {F_REG_C0 + 2, true, 0},
	[KEY_REG_C3] = {F_REG_C0 + 3, true, 0},
	[KEY_REG_C4] = {F_REG_C0 + 4, true, 0},
	[KEY_REG_C5] = {F_REG_C0 + 5, true, 0},
	[KEY_REG_C6] = {F_REG_C0 + 6, true, 0},
	[KEY_REG_C7] = {F_REG_C7, true, 0},
	[KEY_VPORT] = {F_SOURCE, true, 0},
	[KEY_SQN] = {F_SQN, true, 0},
	[KEY_VXLAN_VNI] = {F_VNI, true, 8},
	[KEY_GPE_VNI] = {F_GPE_VNI, true, 0},
	[KEY_GENEVE_VNI] = {F_GENEVE_VNI, true, 0},
	[KEY_GENEVE_OAM] = {F_GENEVE_OAM, true, 0},
	[KEY_GRE_HAS_KEY] = {F_GRE_HAS_KEY, true, 0},
	[KEY_GRE_KEY] = {F_GRE_KEY, true, 0},
	[KEY_MPLS_LABEL] = {F_MPLS_LABEL, true, 0},
	[KEY_MPLS_TC] = {F_MPLS_TC, true, 0},
	[KEY_MPLS_BOTTOM] = {F_MPLS_BOTTOM, true, 0},
	[KEY_MPLS_TTL] = {F_MPLS_TTL, true, 0},
};

static bool meets_field(const struct rule_field *f, const struct fields *p)
{
	enum field field = keys[f->key].field;
	unsigned int kind = (unsigned int)p->value[F_VLAN_KIND];

	if (f->key == KEY_CVLAN)
		return ((kind == KIND_C) & f->mask) == f->value;
	if (f->key == KEY_SVLAN)
		return ((kind == KIND_S) & f->mask) == f->value;
	if (!p->known[field] && !keys[f->key].zero_if_missing)
		return false;
	return ((uint64_t)(p->value[field] >> keys[f->key].shift) & f->mask) == f->value;
}

static unsigned int version(const struct fields *p)
{
	return p->value[F_L3] == 1 ? 4 : p->value[F_L3] == 2 ? 6 : 0;
}

static bool meets_ip(const struct rule_headers *r, const struct fields *p)
{
	return !r->ip || (r->ip == RULE_IP ? version(p) != 0 : version(p) == r->ip);
}

static bool meets_address(const struct rule_prefix *want, u128 have)
{
	unsigned int width = want->family == 4 ? 32 : 128;

	for (unsigned int i = 0; i < want->bits; i++)
		if ((want->addr[i / 8] >> (7 - i % 8) & 1) != (have >> (width - 1 - i) & 1))
			return false;
	return true;
}

static bool meets_one(const struct rule_nets *nets, const struct fields *p, u128 have)
{
	for (size_t i = 0; i < nets->n; i++)
		if (version(p) == nets->prefix[i].family && meets_address(&nets->prefix[i], have))
			return true;
	return false;
}

static bool meets_addresses(const struct rule_headers *r, const struct fields *p)
{
	u128 src = p->value[F_SRC], dst = p->value[F_DST];

	return (!r->src.n || meets_one(&r->src, p, src)) &&
	       (!r->dst.n || meets_one(&r->dst, p, dst)) &&
	       (!r->host.n || meets_one(&r->host, p, src) || meets_one(&r->host, p, dst));
}

static bool meets_l4(const struct rule_headers *r, const struct fields *p)
{
	unsigned int proto = (unsigned int)p->value[F_PROTO];

	if (r->l4 == L4_ANY)
		return true;
	if (!p->known[F_PROTO])
		return false;
	return r->l4 == L4_TCP_OR_UDP ? proto == 6 || proto == 17 : proto == (unsigned int)r->l4;
}

static bool in_ranges(const struct rule_ports *ports, uint64_t port)
{
	for (size_t i = 0; i < ports->n; i++)
		if (ports->range[i].first <= port && port <= ports->range[i].last)
			return true;
	return false;
}

static bool meets_ports(const struct rule_headers *r, const struct fields *p)
{
	uint64_t sport = (uint64_t)p->value[F_SPORT], dport = (uint64_t)p->value[F_DPORT];

	if (r->sport.n && !in_ranges(&r->sport, sport))
		return false;
	if (r->dport.n && !in_ranges(&r->dport, dport))
		return false;
	return !r->port.n || in_ranges(&r->port, sport) || in_ranges(&r->port, dport);
}

static bool meets_headers(const struct rule_headers *r, const struct fields *p)
{
	return meets_ip(r, p) && meets_addresses(r, p) && meets_l4(r, p) && meets_ports(r, p);
}

/* The inner packet, as if it were the whole. */
static struct fields inside(const struct fields *p)
{
	struct fields in = *p;

	memcpy(in.value, p->value + F_PER_LEVEL, F_PER_LEVEL * sizeof(in.value[0]));
	memcpy(in.known, p->known + F_PER_LEVEL, F_PER_LEVEL * sizeof(in.known[0]));
	return in;
}

static bool meets_inner(const struct rule *r, const struct fields *p)
{
	for (size_t i = 0; i < r->nfields; i++) {
		struct rule_field f = r->field[i];

		if (f.key < KEY_PER_LEVEL || f.key >= 2 * KEY_PER_LEVEL)
			continue;
		f.key = (enum rule_key)(f.key - KEY_PER_LEVEL);
		if (!meets_field(&f, p))
			return false;
	}
	return meets_headers(r->inner, p);
}

bool slow_meets(const struct rule *r, const struct fields *p)
{
	struct fields in;

	for (size_t i = 0; i < r->nfields; i++)
		if ((r->field[i].key < KEY_PER_LEVEL || r->field[i].key >= 2 * KEY_PER_LEVEL) &&
		    !meets_field(&r->field[i], p))
			return false;
	if (!meets_headers(&r->outer, p))
		return false;
	if (!r->inner)
		return true;
	in = inside(p);
	return meets_inner(r, &in);
}

const struct rule *slow_match(const struct ruleset *set, enum rule_dir dir, const struct fields *p)
{
	for (size_t i = 0; i < set->n; i++)
		if (set->rule[i].dir == dir && slow_meets(&set->rule[i], p))
			return &set->rule[i];
	return NULL;
}
