/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes a packet of a rule: it has the fields that the rule would match. */
#include <string.h>
#include "explain.h"

/* The field that a key is about, and the lowest of its bits there. */
static const struct {
	uint8_t field, low;
} keys[RULE_KEYS] = {
#define KEY(key, path, bits, seen, low, noun)		     [KEY_##key] = {F_##seen, low},
#define LEVEL_KEY(key, before, after, bits, seen, low, noun) [KEY_##key] = {F_##seen, low},
#include "rules/keys.def"
};

static void rulefields_put(struct fields *p, enum field f, u128 value)
{
	p->value[f] = value;
	p->known[f] = true;
}

/* Sets a key. Two keys may be about one field: the kind of a VLAN tag is a bit for each. */
static void put_key(struct fields *p, const struct rule_field *f)
{
	enum field field = (enum field)keys[f->key].field;

	rulefields_put(p, field, p->value[field] | (u128)f->value << keys[f->key].low);
}

/* Sets an address; of a list the first one. */
static void rulefields_put_address(struct fields *p, enum field f, const struct rule_nets *nets)
{
	const struct rule_net *a = nets->net;
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

/* Returns the IP version; an EtherType of IP implies it. */
static uint8_t version_of(const struct fields *p)
{
	if (!p->known[F_ETHERTYPE])
		return 0;
	return p->value[F_ETHERTYPE] == 0x0800 ? 4 : p->value[F_ETHERTYPE] == 0x86dd ? 6 : 0;
}

/* Sets the headers of one level, beside the keys that were put. */
static void put_headers(struct fields *p, const struct rule_headers *r)
{
	uint8_t ip = r->ip ? r->ip : version_of(p);

	if (ip) {
		rulefields_put(p, F_L3, ip == 6 ? 2 : 1);
		if (!p->known[F_ETHERTYPE]) /* MPLS, and IP behind it */
			rulefields_put(p, F_ETHERTYPE, ip == 6 ? 0x86dd : 0x0800);
	}
	rulefields_put_address(p, F_SRC, r->src.n ? &r->src : &r->host);
	rulefields_put_address(p, F_DST, &r->dst);
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
	/* The defaults: a whole packet without tags. */
	rulefields_put(out, F_FRAG, out->value[F_FRAG]);
	rulefields_put(out, F_VLAN_KIND, out->value[F_VLAN_KIND]);
}
