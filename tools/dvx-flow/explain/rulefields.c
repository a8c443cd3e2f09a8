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
	bool inner = f->key >= KEY_PER_LEVEL && f->key < 2 * KEY_PER_LEVEL;
	unsigned int key = inner ? f->key - KEY_PER_LEVEL : f->key;
	enum field field = (enum field)keys[key].field;

	field = inner ? F_INNER(field) : field;
	rulefields_put(p, field, p->value[field] | (u128)f->value << keys[key].low);
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

/* Sets a port; of a list the first one. */
static void rulefields_put_port(struct fields *p, enum field f, const struct rule_ports *ports)
{
	if (ports->n)
		rulefields_put(p, f, ports->range[0].first);
}

/* Sets the headers of one level, beside the keys that were put. `at`: the level's first field. */
static void put_headers(struct fields *p, const struct rule_headers *r, unsigned int at)
{
	enum field proto = (enum field)(at + F_PROTO), type = (enum field)(at + F_ETHERTYPE);
	uint8_t ip = r->ip;

	/* An EtherType of IP implies the version. */
	if (!ip && p->known[type])
		ip = p->value[type] == 0x0800 ? 4 : p->value[type] == 0x86dd ? 6 : 0;
	if (ip)
		rulefields_put(p, (enum field)(at + F_L3), ip == 6 ? 2 : 1);
	if (ip && !p->known[type]) /* MPLS, and IP behind it, has another one */
		rulefields_put(p, type, ip == 6 ? 0x86dd : 0x0800);
	rulefields_put_address(p, (enum field)(at + F_SRC), r->src.n ? &r->src : &r->host);
	rulefields_put_address(p, (enum field)(at + F_DST), &r->dst);
	if (r->l4 != L4_ANY)
		rulefields_put(p, proto, r->l4 == L4_UDP ? 17 : 6);
	if (p->known[proto])
		rulefields_put(p, (enum field)(at + F_L4),
			       p->value[proto] == 6    ? 1
			       : p->value[proto] == 17 ? 2
						       : 3);
	rulefields_put_port(p, (enum field)(at + F_SPORT), r->sport.n ? &r->sport : &r->port);
	rulefields_put_port(p, (enum field)(at + F_DPORT), &r->dport);
}

void fields_of_rule(struct fields *out, const struct rule *r)
{
	*out = (struct fields){.option = r->option};
	for (size_t i = 0; i < r->nfields; i++)
		put_key(out, &r->field[i]);
	put_headers(out, &r->outer, 0);
	if (r->inner)
		put_headers(out, r->inner, F_PER_LEVEL);
	/* The defaults: a whole packet without tags. */
	rulefields_put(out, F_FRAG, out->value[F_FRAG]);
	rulefields_put(out, F_VLAN_KIND, out->value[F_VLAN_KIND]);
}
