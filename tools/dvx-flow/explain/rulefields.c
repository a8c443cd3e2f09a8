/* SPDX-License-Identifier: BSD-2-Clause */
/* A packet that was written down in the rule language: what a rule wants, a packet says. */
#include <string.h>
#include "explain.h"

static const uint8_t keys[RULE_KEYS] = {
	[KEY_DMAC] = F_DMAC,
	[KEY_SMAC] = F_SMAC,
	[KEY_ETHERTYPE] = F_ETHERTYPE,
	[KEY_CVLAN] = F_VLAN_KIND,
	[KEY_SVLAN] = F_VLAN_KIND,
	[KEY_VLAN_ID] = F_VLAN_ID,
	[KEY_VLAN_DEI] = F_VLAN_DEI,
	[KEY_VLAN_PCP] = F_VLAN_PCP,
	[KEY_PROTO] = F_PROTO,
	[KEY_DSCP] = F_DSCP,
	[KEY_ECN] = F_ECN,
	[KEY_TTL] = F_TTL,
	[KEY_FRAGMENT] = F_FRAG,
	[KEY_FLOWLABEL] = F_FLOWLABEL,
	[KEY_TCP_FLAGS] = F_TCP_FLAGS,
	[KEY_ICMP_TYPE] = F_ICMP_TYPE,
	[KEY_ICMP_CODE] = F_ICMP_CODE,
	[KEY_ICMP6_TYPE] = F_ICMP_TYPE,
	[KEY_ICMP6_CODE] = F_ICMP_CODE,
	[KEY_REG_A] = F_REG_A,
	[KEY_REG_C0] = F_REG_C0,
	[KEY_REG_C1] = F_REG_C0 + 1,
	[KEY_REG_C2] = F_REG_C0 + 2,
	[KEY_REG_C3] = F_REG_C0 + 3,
	[KEY_REG_C4] = F_REG_C0 + 4,
	[KEY_REG_C5] = F_REG_C0 + 5,
	[KEY_REG_C6] = F_REG_C0 + 6,
	[KEY_REG_C7] = F_REG_C7,
	[KEY_VPORT] = F_SOURCE,
	[KEY_SQN] = F_SQN,
	[KEY_VXLAN_VNI] = F_VNI,
	[KEY_GPE_VNI] = F_GPE_VNI,
	[KEY_GENEVE_VNI] = F_GENEVE_VNI,
	[KEY_GENEVE_OAM] = F_GENEVE_OAM,
	[KEY_GRE_HAS_KEY] = F_GRE_HAS_KEY,
	[KEY_GRE_KEY] = F_GRE_KEY,
	[KEY_MPLS_LABEL] = F_MPLS_LABEL,
	[KEY_MPLS_TC] = F_MPLS_TC,
	[KEY_MPLS_BOTTOM] = F_MPLS_BOTTOM,
	[KEY_MPLS_TTL] = F_MPLS_TTL,
};

static void rulefields_put(struct fields *p, enum field f, u128 value)
{
	p->value[f] = value;
	p->known[f] = true;
}

static void put_key(struct fields *p, const struct rule_field *f)
{
	enum field field = (enum field)keys[f->key];

	if (f->key == KEY_VXLAN_VNI)
		rulefields_put(p, field, f->value << 8); /* and the byte behind it */
	else if (f->key != KEY_CVLAN && f->key != KEY_SVLAN)
		rulefields_put(p, field, f->value);
	else if (f->value || !p->known[field])
		rulefields_put(p, field, f->value ? (f->key == KEY_CVLAN ? 2 : 1) : 0);
}

/* Of a list the first one. */
static void put_address(struct fields *p, enum field f, const struct rule_nets *nets)
{
	const struct rule_prefix *a = nets->prefix;
	u128 v = 0;

	for (unsigned int i = 0; nets->n && i < (a->family == 4 ? 4 : 16); i++)
		v = v << 8 | a->addr[i];
	if (nets->n)
		rulefields_put(p, f, v);
}

static void put_l4(struct fields *p, const struct rule_headers *r)
{
	if (r->l4 != L4_ANY)
		rulefields_put(p, F_PROTO, r->l4 == L4_UDP ? 17 : 6);
	if (p->known[F_PROTO])
		rulefields_put(p, F_L4,
			       p->value[F_PROTO] == 6	 ? 1
			       : p->value[F_PROTO] == 17 ? 2
							 : 3);
	if (r->sport.n || r->port.n)
		rulefields_put(p, F_SPORT,
			       r->sport.n ? r->sport.range[0].first : r->port.range[0].first);
	if (r->dport.n)
		rulefields_put(p, F_DPORT, r->dport.range[0].first);
}

/* The headers of one level, beside the keys that were put. */
static void put_headers(struct fields *p, const struct rule_headers *r)
{
	if (r->ip) {
		rulefields_put(p, F_L3, r->ip == 6 ? 2 : 1);
		if (!p->known[F_ETHERTYPE]) /* MPLS, and IP behind it */
			rulefields_put(p, F_ETHERTYPE, r->ip == 6 ? 0x86dd : 0x0800);
	}
	put_address(p, F_SRC, r->src.n ? &r->src : &r->host);
	put_address(p, F_DST, &r->dst);
	put_l4(p, r);
}

static void put_inner_keys(struct fields *in, const struct rule *r)
{
	for (size_t i = 0; i < r->nfields; i++) {
		struct rule_field f = r->field[i];

		if (f.key < KEY_PER_LEVEL || f.key >= 2 * KEY_PER_LEVEL)
			continue;
		f.key = (enum rule_key)(f.key - KEY_PER_LEVEL);
		put_key(in, &f);
	}
}

static void put_inner(struct fields *out, const struct rule *r)
{
	struct fields in = {0};

	if (!r->inner)
		return;
	put_inner_keys(&in, r);
	put_headers(&in, r->inner);
	memcpy(out->value + F_PER_LEVEL, in.value, F_PER_LEVEL * sizeof(in.value[0]));
	memcpy(out->known + F_PER_LEVEL, in.known, F_PER_LEVEL * sizeof(in.known[0]));
}

void fields_of_rule(struct fields *out, const struct rule *r)
{
	memset(out, 0, sizeof(*out));
	for (size_t i = 0; i < r->nfields; i++)
		if (r->field[i].key < KEY_PER_LEVEL || r->field[i].key >= 2 * KEY_PER_LEVEL)
			put_key(out, &r->field[i]);
	put_headers(out, &r->outer);
	put_inner(out, r);
	/* What nobody says is the usual: a whole packet without tags. */
	rulefields_put(out, F_FRAG, out->value[F_FRAG]);
	rulefields_put(out, F_VLAN_KIND, out->value[F_VLAN_KIND]);
}
