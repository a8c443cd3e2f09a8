/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Expands a rule to the entries that hardware can compare: no ranges, no lists, one IP version
 * each.
 */
#include <errno.h>
#include <string.h>

#include "compile.h"

size_t range_prefixes(struct rule_range range, struct port_prefix out[RANGE_PREFIXES_MAX])
{
	uint32_t at = range.first;
	size_t n = 0;

	while (at <= range.last) {
		uint32_t size = at ? at & -at : 65536;

		while (size > range.last - at + 1u)
			size >>= 1;
		out[n++] = (struct port_prefix){(uint16_t)at, (uint16_t)(65536 - size)};
		at += size;
	}
	return n;
}

/* An entry that is being built. */
struct alternative {
	bool inner; /* the current level */
	uint64_t value[MATCH_KEYS], mask[MATCH_KEYS];
};

struct expansion {
	const struct rule *rule;
	entry_fn each;
	void *arg;
	size_t entries;
};

static int expand_emit(struct expansion *x, const struct alternative *a)
{
	uint64_t value[MATCH_KEYS];
	struct shape s = {0};

	if (++x->entries > RULE_ENTRIES_MAX)
		return -E2BIG;
	for (unsigned int k = 0; k < MATCH_KEYS; k++) {
		if (!a->mask[k])
			continue;
		s.key[s.n] = (uint8_t)k;
		s.mask[s.n] = a->mask[k];
		value[s.n++] = a->value[k];
	}
	return x->each(x->arg, &s, value);
}

static const struct rule_headers *expand_headers(const struct expansion *x,
						 const struct alternative *a)
{
	return a->inner ? x->rule->inner : &x->rule->outer;
}

/* A key of the current level. */
static unsigned int at_level(const struct alternative *a, unsigned int key)
{
	if (!a->inner)
		return key;
	return key < KEY_PER_LEVEL ? (unsigned int)KEY_INNER(key) : MATCH_INNER(key);
}

/* Adds a condition. False if no packet can meet both (src port 80, and any port 90 tried there). */
static bool both(struct alternative *a, unsigned int key, uint64_t value, uint64_t mask)
{
	key = at_level(a, key);
	if ((a->value[key] ^ value) & a->mask[key] & mask)
		return false;
	a->value[key] |= value;
	a->mask[key] |= mask;
	return true;
}

/* --- alternatives, one after the other ------------------------------------------------------ */

enum { SIDE_S, SIDE_D };

static unsigned int port_key(uint64_t proto, int side)
{
	if (proto == L4_TCP)
		return side == SIDE_S ? MATCH_TCP_SPORT : MATCH_TCP_DPORT;
	return side == SIDE_S ? MATCH_UDP_SPORT : MATCH_UDP_DPORT;
}

/* The lists in the order in which they multiply. `port` is tried on both sides. */
enum { LIST_SPORT, LIST_DPORT, LIST_PORT, LISTS };

static int with_headers(struct expansion *x, const struct alternative *a);

/* The inner headers follow when the outer ones are complete. */
static int level_end(struct expansion *x, const struct alternative *a)
{
	struct alternative b;

	if (a->inner || !x->rule->inner)
		return expand_emit(x, a);
	b = *a;
	b.inner = true;
	return with_headers(x, &b);
}

static int with_ports(struct expansion *x, const struct alternative *a, int list);

static int with_side(struct expansion *x, const struct alternative *a, int list, int side,
		     const struct rule_ports *ports)
{
	struct port_prefix prefix[RANGE_PREFIXES_MAX];
	unsigned int key = port_key(a->value[at_level(a, KEY_PROTO)], side);
	int ret = 0;

	for (size_t r = 0; r < ports->n && !ret; r++) {
		size_t n = range_prefixes(ports->range[r], prefix);

		for (size_t i = 0; i < n && !ret; i++) {
			struct alternative b = *a;

			if (both(&b, key, prefix[i].value, prefix[i].mask))
				ret = with_ports(x, &b, list + 1);
		}
	}
	return ret;
}

static int with_ports(struct expansion *x, const struct alternative *a, int list)
{
	const struct rule_headers *h = expand_headers(x, a);
	const struct rule_ports *lists[LISTS] = {&h->sport, &h->dport, &h->port};
	int ret;

	while (list < LISTS && !lists[list]->n)
		list++;
	if (list == LISTS)
		return level_end(x, a);
	ret = with_side(x, a, list, list == LIST_DPORT ? SIDE_D : SIDE_S, lists[list]);
	if (!ret && list == LIST_PORT)
		ret = with_side(x, a, list, SIDE_D, lists[list]);
	return ret;
}

static int with_l4(struct expansion *x, const struct alternative *a)
{
	static const uint64_t tcp_udp[] = {L4_TCP, L4_UDP};
	enum rule_l4 l4 = expand_headers(x, a)->l4;
	int ret = 0;

	if (l4 == L4_ANY)
		return level_end(x, a);
	for (size_t i = 0; i < 2 && !ret; i++) {
		struct alternative b = *a;

		if ((l4 == L4_TCP_OR_UDP || l4 == tcp_udp[i]) &&
		    both(&b, KEY_PROTO, tcp_udp[i], 0xff))
			ret = with_ports(x, &b, 0);
	}
	return ret;
}

static uint32_t expand_word_at(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static uint32_t word_mask(int bits)
{
	return bits <= 0 ? 0 : bits >= 32 ? UINT32_MAX : ~(UINT32_MAX >> bits);
}

static bool with_address(struct alternative *a, unsigned int first_key, const struct rule_prefix *p)
{
	if (p->family == 4)
		return both(a, first_key + 3, expand_word_at(p->addr), word_mask(p->bits));
	for (unsigned int i = 0; i < 4; i++)
		if (!both(a, first_key + i, expand_word_at(p->addr + 4 * i),
			  word_mask(p->bits - 32 * (int)i)))
			return false;
	return true;
}

typedef int (*next_fn)(struct expansion *x, const struct alternative *a);

static int with_each(struct expansion *x, const struct alternative *a, const struct rule_nets *nets,
		     unsigned int first_key, next_fn next)
{
	int ret = 0;

	for (size_t i = 0; i < nets->n && !ret; i++) {
		struct alternative b = *a;

		if (with_address(&b, first_key, &nets->prefix[i]))
			ret = next(x, &b);
	}
	return ret;
}

/* `host` is either address. */
static int with_host(struct expansion *x, const struct alternative *a)
{
	const struct rule_nets *host = &expand_headers(x, a)->host;
	int ret;

	if (!host->n)
		return with_l4(x, a);
	ret = with_each(x, a, host, MATCH_SRC_127_96, with_l4);
	return ret ? ret : with_each(x, a, host, MATCH_DST_127_96, with_l4);
}

static int with_dst(struct expansion *x, const struct alternative *a)
{
	const struct rule_nets *dst = &expand_headers(x, a)->dst;

	return dst->n ? with_each(x, a, dst, MATCH_DST_127_96, with_host) : with_host(x, a);
}

static int with_version(struct expansion *x, const struct alternative *a, uint64_t version)
{
	const struct rule_nets *src = &expand_headers(x, a)->src;
	struct alternative b = *a;

	both(&b, MATCH_IP_VERSION, version, 0xf);
	return src->n ? with_each(x, &b, src, MATCH_SRC_127_96, with_dst) : with_dst(x, &b);
}

static int with_headers(struct expansion *x, const struct alternative *a)
{
	uint8_t ip = expand_headers(x, a)->ip;
	int ret;

	if (!ip)
		return level_end(x, a);
	if (ip != RULE_IP)
		return with_version(x, a, ip);
	ret = with_version(x, a, 4);
	return ret ? ret : with_version(x, a, 6);
}

int rule_expand(const struct rule *r, entry_fn each, void *arg)
{
	struct expansion x = {.rule = r, .each = each, .arg = arg};
	struct alternative a = {0};

	for (size_t i = 0; i < r->nfields; i++) {
		a.value[r->field[i].key] = r->field[i].value;
		a.mask[r->field[i].key] = r->field[i].mask;
	}
	return with_headers(&x, &a);
}
