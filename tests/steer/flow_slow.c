/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>
#include "flow_slow.h"

/* Names only. explain's parser reads the packet; the code below interprets the rule. */
static const struct {
	uint8_t field, low;
} keys[RULE_KEYS] = {
#define KEY(key, path, bits, seen, low, noun)		     [KEY_##key] = {F_##seen, low},
#define LEVEL_KEY(key, before, after, bits, seen, low, noun) [KEY_##key] = {F_##seen, low},
#include "tools/dvx-flow/rules/keys.def"
};

/*
 * Returns whether a packet must have the field: those of Ethernet and IP. Other fields, and a tag's
 * kind, are 0 if it lacks them.
 */
static bool must_be_there(enum rule_key key)
{
	return key < KEY_TCP_FLAGS && key != KEY_CVLAN && key != KEY_SVLAN;
}

static bool meets_field(const struct rule_field *f, const struct fields *p)
{
	enum field field = (enum field)keys[f->key].field;
	uint64_t have;

	if (!p->known[field] && must_be_there(f->key))
		return false;
	have = (uint64_t)(p->value[field] >> keys[f->key].low);
	for (size_t i = 0; i < f->nmore; i++)
		if ((have & f->more[i].mask) == f->more[i].value)
			return true;
	return (have & f->mask) == f->value;
}

static unsigned int version(const struct fields *p)
{
	return p->value[F_L3] == 1 ? 4 : p->value[F_L3] == 2 ? 6 : 0;
}

static bool meets_ip(const struct rule_headers *r, const struct fields *p)
{
	return !r->ip || (r->ip == RULE_IP ? version(p) != 0 : version(p) == r->ip);
}

static u128 slow_number(const struct rule_net *want, const uint8_t *bytes)
{
	u128 v = 0;

	for (unsigned int i = 0; i < (want->family == 4 ? 4 : 16); i++)
		v = v << 8 | bytes[i];
	return v;
}

static bool meets_address(const struct rule_net *want, u128 have)
{
	unsigned int width = want->family == 4 ? 32 : 128;

	if (want->bits == NET_RANGE)
		return slow_number(want, want->addr) <= have &&
		       have <= slow_number(want, want->end);
	if (want->bits == NET_MASK)
		return (have & slow_number(want, want->end)) == slow_number(want, want->addr);
	for (unsigned int i = 0; i < want->bits; i++)
		if ((want->addr[i / 8] >> (7 - i % 8) & 1) != (have >> (width - 1 - i) & 1))
			return false;
	return true;
}

static bool meets_one(const struct rule_nets *nets, const struct fields *p, u128 have)
{
	for (size_t i = 0; i < nets->n; i++)
		if (version(p) == nets->net[i].family && meets_address(&nets->net[i], have))
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
		if (ports->range[i].wild
			    ? (port & (0xffff ^ ports->range[i].wild)) == ports->range[i].first
			    : ports->range[i].first <= port && port <= ports->range[i].last)
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

/* --- later fragments --- */

static bool of_l4(enum rule_key key)
{
	return key == KEY_TCP_FLAGS || (key >= KEY_ICMP_TYPE && key <= KEY_ICMP6_CODE);
}

/* Fields behind the IP header: one that the rule has, and one that is not 0 in the packet. */
struct l4_fields {
	bool any, seen;
};

static void l4_add(struct l4_fields *s, const struct fields *p, bool named, enum field field)
{
	s->any |= named;
	s->seen |= named && p->value[field];
}

/* Returns whether ports name a protocol, as 0 to 65535 do. */
static bool ports_are_named(const struct rule_ports *ports)
{
	return ports->n && (ports->range[0].first || ports->range[0].last != 0xffff);
}

static void l4_add_group(struct l4_fields *s, const struct rule_headers *h,
			 const struct rule_field *field, size_t n, bool inner,
			 const struct fields *p)
{
	l4_add(s, p, ports_are_named(&h->sport), F_SPORT);
	l4_add(s, p, ports_are_named(&h->dport), F_DPORT);
	for (size_t i = 0; i < n; i++) {
		bool in = field[i].key >= KEY_PER_LEVEL && field[i].key < 2 * KEY_PER_LEVEL;
		enum rule_key key =
			in ? (enum rule_key)(field[i].key - KEY_PER_LEVEL) : field[i].key;

		l4_add(s, p, in == inner && of_l4(key), (enum field)keys[key].field);
	}
}

/* Adds a group. A group's port is on both sides: its header exists if one of them is not 0. */
static void l4_add_except(struct l4_fields *s, const struct rule_except *e, const struct fields *p)
{
	l4_add_group(s, &e->headers, e->field, e->nfields, e->inner, p);
	l4_add(s, p, ports_are_named(&e->headers.port), F_SPORT);
	l4_add(s, p, ports_are_named(&e->headers.port), F_DPORT);
}

/*
 * Returns whether the packet has the header of the rule's fields. A field that a fragment lacks
 * compares as 0, so one that the rule names must have another value.
 */
static bool has_l4(const struct rule *r, const struct rule_headers *h, bool inner,
		   const struct fields *p)
{
	uint64_t sport = (uint64_t)p->value[F_SPORT], dport = (uint64_t)p->value[F_DPORT];
	struct l4_fields s = {0};

	if (!p->value[F_FRAG])
		return true;
	l4_add_group(&s, h, r->field, r->nfields, inner, p);
	for (size_t i = 0; i < r->nexcepts; i++)
		if (r->except[i].of_value && r->except[i].inner == inner)
			l4_add_except(&s, &r->except[i], p);
	if (ports_are_named(&h->port) && !s.seen)
		return (sport && in_ranges(&h->port, sport)) ||
		       (dport && in_ranges(&h->port, dport));
	return !s.any || s.seen;
}

/*
 * Returns whether the packet has the header that a group begins with; otherwise the group does not
 * hold.
 */
static bool except_has_l4(const struct rule_except *e, const struct fields *p)
{
	struct l4_fields s = {0};

	l4_add_except(&s, e, p);
	return e->of_value || !p->value[F_FRAG] || !s.any || s.seen;
}

/* Returns the inner packet, as if it were the whole. */
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
	return meets_headers(r->inner, p) && has_l4(r, r->inner, true, p);
}

/* Compares a group, which is a small rule of one level, outer or inner. */
static bool meets_group(const struct rule_except *e, const struct fields *p)
{
	for (size_t i = 0; i < e->nfields; i++) {
		struct rule_field f = e->field[i];

		if (e->inner && f.key < 2 * KEY_PER_LEVEL)
			f.key = (enum rule_key)(f.key - KEY_PER_LEVEL);
		if (!meets_field(&f, p))
			return false;
	}
	return meets_headers(&e->headers, p) && except_has_l4(e, p);
}

static bool excepted(const struct rule *r, const struct fields *p)
{
	struct fields in = inside(p);

	for (size_t i = 0; i < r->nexcepts; i++)
		if (meets_group(&r->except[i], r->except[i].inner ? &in : p))
			return true;
	return false;
}

static bool meets_native(const struct fields *p)
{
	return !p->value[F_VLAN_KIND] ||
	       (!p->value[F_VLAN_ID] && (!p->value[F_VLAN2_KIND] || !p->value[F_VLAN2_ID]));
}

bool slow_meets(const struct rule *r, const struct fields *p)
{
	struct fields in;

	for (size_t i = 0; i < r->nfields; i++)
		if ((r->field[i].key < KEY_PER_LEVEL || r->field[i].key >= 2 * KEY_PER_LEVEL) &&
		    !meets_field(&r->field[i], p))
			return false;
	if (!meets_headers(&r->outer, p) || !has_l4(r, &r->outer, false, p) ||
	    (r->native && !meets_native(p)))
		return false;
	if (excepted(r, p))
		return false;
	if (!r->inner)
		return true;
	in = inside(p);
	return meets_inner(r, &in);
}

void slow_walk(const struct ruleset *set, enum rule_dir dir, const struct fields *p,
	       struct slow_way *out)
{
	uint32_t table = 0;

	*out = (struct slow_way){0};
	for (size_t i = 0; i < set->n; i++) {
		const struct rule *r = &set->rule[i];

		if (r->dir != dir || r->table != table || !slow_meets(r, p))
			continue;
		if (r->verdict == RULE_GOTO) {
			table = r->go;
			i = SIZE_MAX; /* from the first rule again */
		} else if (!rule_goes_on(r)) {
			out->end = r;
			return;
		}
		if (out->n < SLOW_WAY_MAX)
			out->on[out->n++] = r;
	}
}

const struct rule *slow_match(const struct ruleset *set, enum rule_dir dir, const struct fields *p)
{
	struct slow_way way;

	slow_walk(set, dir, p, &way);
	return way.end;
}
