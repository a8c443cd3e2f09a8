/* SPDX-License-Identifier: BSD-2-Clause */
/* Expands a rule to entries that hardware can compare: no ranges, no lists, one IP version each. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "expand.h"
#include "shape.h"

int expand_emit(struct expansion *x, const struct alternative *a)
{
	if (++x->entries > RULE_ENTRIES_MAX)
		return -E2BIG;
	return x->each(x->arg, &a->shape, a->value);
}

void alternative_copy(struct alternative *to, const struct alternative *from)
{
	unsigned int n = from->shape.n;

	to->inner = from->inner;
	to->shape.n = from->shape.n;
	memcpy(to->shape.key, from->shape.key, n * sizeof(*to->shape.key));
	memcpy(to->shape.mask, from->shape.mask, n * sizeof(*to->shape.mask));
	memcpy(to->value, from->value, n * sizeof(*to->value));
}

/* Returns the key's index in the shape, or the one that it would have. */
static unsigned int alternative_at(const struct alternative *a, unsigned int key)
{
	unsigned int i = 0;

	while (i < a->shape.n && a->shape.key[i] < key)
		i++;
	return i;
}

uint64_t alternative_value(const struct alternative *a, unsigned int key)
{
	unsigned int i = alternative_at(a, key);

	return i < a->shape.n && a->shape.key[i] == key ? a->value[i] : 0;
}

static const struct rule_headers *expand_headers(const struct expansion *x,
						 const struct alternative *a)
{
	return a->inner ? x->rule->inner : &x->rule->outer;
}

unsigned int alternative_key(const struct alternative *a, unsigned int key)
{
	if (!a->inner)
		return key;
	return key < KEY_PER_LEVEL ? (unsigned int)KEY_INNER(key) : MATCH_INNER(key);
}

bool alternative_add(struct alternative *a, unsigned int key, uint64_t value, uint64_t mask)
{
	unsigned int i = alternative_at(a, key);

	if (i == a->shape.n || a->shape.key[i] != key) {
		shape_put(&a->shape, a->value, key, value, mask);
		return true;
	}
	if ((a->value[i] ^ value) & a->shape.mask[i] & mask)
		return false;
	a->value[i] |= value;
	a->shape.mask[i] |= mask;
	return true;
}

bool alternative_add_here(struct alternative *a, unsigned int key, uint64_t value, uint64_t mask)
{
	return alternative_add(a, alternative_key(a, key), value, mask);
}

/* --- alternatives, one after the other ------------------------------------------------------ */

unsigned int expand_port_key(uint64_t proto, int side)
{
	if (proto == L4_TCP)
		return side == SIDE_S ? MATCH_TCP_SPORT : MATCH_TCP_DPORT;
	return side == SIDE_S ? MATCH_UDP_SPORT : MATCH_UDP_DPORT;
}

static int with_headers(struct expansion *x, const struct alternative *a);

/* Ends a level. The inner headers follow when the outer ones are complete. */
static int level_end(struct expansion *x, const struct alternative *a)
{
	struct alternative b;

	if (a->inner || !x->rule->inner)
		return expand_excepts(x, a, 0);
	alternative_copy(&b, a);
	b.inner = true;
	return with_headers(x, &b);
}

static int with_ports(struct expansion *x, const struct alternative *a, int list);

static int with_side(struct expansion *x, const struct alternative *a, int list, int side)
{
	const struct cubes *ports = &x->list[a->inner][list];
	uint64_t proto = alternative_value(a, alternative_key(a, KEY_PROTO));
	unsigned int key = expand_port_key(proto, side);
	int ret = 0;

	for (size_t i = 0; i < ports->n && !ret; i++) {
		struct alternative b;

		alternative_copy(&b, a);
		if (alternative_add_here(&b, key, (uint64_t)ports->cube[i].value,
					 (uint64_t)ports->cube[i].mask))
			ret = with_ports(x, &b, list + 1);
	}
	return ret;
}

static int with_ports(struct expansion *x, const struct alternative *a, int list)
{
	int ret;

	while (list < LISTS && !x->list[a->inner][list].n)
		list++;
	if (list == LISTS)
		return level_end(x, a);
	ret = with_side(x, a, list, list == LIST_DPORT ? SIDE_D : SIDE_S);
	if (!ret && list == LIST_PORT)
		ret = with_side(x, a, list, SIDE_D);
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
		struct alternative b;

		if (l4 != L4_TCP_OR_UDP && l4 != tcp_udp[i])
			continue;
		alternative_copy(&b, a);
		if (alternative_add_here(&b, KEY_PROTO, tcp_udp[i], 0xff))
			ret = with_ports(x, &b, LIST_SPORT);
	}
	return ret;
}

bool alternative_add_net(struct alternative *a, unsigned int first_key, uint8_t version,
			 const struct cube *c)
{
	for (unsigned int i = version == 4 ? 3 : 0; i < 4; i++)
		if (!alternative_add_here(a, first_key + i, (uint32_t)(c->value >> 32 * (3 - i)),
					  (uint32_t)(c->mask >> 32 * (3 - i))))
			return false;
	return true;
}

static int with_addresses(struct expansion *x, const struct alternative *a, int list);

static int with_each(struct expansion *x, const struct alternative *a, int list,
		     unsigned int first_key)
{
	const struct cubes *nets = &x->list[a->inner][list];
	uint8_t version = expand_headers(x, a)->ip;
	int ret = 0;

	for (size_t i = 0; i < nets->n && !ret; i++) {
		struct alternative b;

		alternative_copy(&b, a);
		if (alternative_add_net(&b, first_key, version, &nets->cube[i]))
			ret = with_addresses(x, &b, list + 1);
	}
	return ret;
}

static int with_addresses(struct expansion *x, const struct alternative *a, int list)
{
	int ret;

	while (list <= LIST_HOST && !x->list[a->inner][list].n)
		list++;
	if (list > LIST_HOST)
		return with_l4(x, a);
	ret = with_each(x, a, list, list == LIST_DST ? MATCH_DST_127_96 : MATCH_SRC_127_96);
	if (!ret && list == LIST_HOST)
		ret = with_each(x, a, list, MATCH_DST_127_96);
	return ret;
}

static int with_version(struct expansion *x, const struct alternative *a, uint64_t version)
{
	struct alternative b;

	alternative_copy(&b, a);
	alternative_add_here(&b, MATCH_IP_VERSION, version, 0xf);
	return with_addresses(x, &b, LIST_SRC);
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

/* --- later fragments --------------------------------------------------------------------------- */

/*
 * Returns whether the field is behind the IP header. A later fragment has no such field, and the
 * device compares 0: an entry of such fields needs one that is not 0, or a whole packet.
 */
bool key_is_of_l4(unsigned int key, bool inner)
{
	if (inner)
		return key == (unsigned int)KEY_INNER(KEY_TCP_FLAGS) ||
		       (key >= MATCH_INNER(MATCH_TCP_SPORT) && key <= MATCH_INNER(MATCH_UDP_DPORT));
	return key == KEY_TCP_FLAGS || (key >= KEY_ICMP_TYPE && key <= KEY_ICMP6_CODE) ||
	       (key >= MATCH_TCP_SPORT && key <= MATCH_UDP_DPORT);
}

static int fragments_of(struct expansion *x, const struct alternative *a, bool inner);

/* Makes an entry for each bit that a mask leaves open: this bit is set, those above are not. */
static int with_open_bits(struct expansion *x, const struct alternative *a, unsigned int i,
			  struct alternative *none)
{
	unsigned int key = a->shape.key[i];
	uint64_t open = match_key_max(key) & ~a->shape.mask[i];
	int ret = 0;

	for (; open && !ret; open &= ~(1ull << (63 - __builtin_clzll(open)))) {
		uint64_t bit = 1ull << (63 - __builtin_clzll(open));
		struct alternative b;

		alternative_copy(&b, none);
		alternative_add(&b, key, bit, bit);
		alternative_add(none, key, 0, bit);
		ret = b.inner ? expand_except(x, &b, x->of_value) : fragments_of(x, &b, true);
	}
	return ret;
}

/* Returns whether all such fields are compared with 0, and not of whole packets alone. */
static bool takes_later(const struct alternative *a, unsigned int frag, bool inner)
{
	bool any = false;

	for (unsigned int i = 0; i < a->shape.n; i++) {
		bool l4 = key_is_of_l4(a->shape.key[i], inner);

		if ((l4 && a->value[i]) || (a->shape.key[i] == frag && !a->value[i]))
			return false;
		any |= l4;
	}
	return any;
}

static int fragments_of(struct expansion *x, const struct alternative *a, bool inner)
{
	unsigned int frag = inner ? (unsigned int)KEY_INNER(KEY_FRAGMENT) : KEY_FRAGMENT;
	struct alternative none;
	int ret = 0;

	alternative_copy(&none, a);
	none.inner = inner;
	if (takes_later(a, frag, inner)) {
		for (unsigned int i = 0; i < a->shape.n && !ret; i++)
			if (key_is_of_l4(a->shape.key[i], inner))
				ret = with_open_bits(x, a, i, &none);
		if (ret || !alternative_add(&none, frag, 0, 1))
			return ret;
	}
	return inner ? expand_except(x, &none, x->of_value) : fragments_of(x, &none, true);
}

int expand_fragments(struct expansion *x, const struct alternative *a)
{
	return fragments_of(x, a, false);
}

/* --- a rule ------------------------------------------------------------------------------------ */

/* The kinds of the first tag and the second: none, or one with ID 0. */
static const struct {
	uint8_t kind[2]; /* 0, KEY_CVLAN or KEY_SVLAN */
} native_tags[] = {
	{{0, 0}},
	{{KEY_CVLAN, 0}},
	{{KEY_SVLAN, 0}},
	{{KEY_CVLAN, KEY_CVLAN}},
	{{KEY_CVLAN, KEY_SVLAN}},
	{{KEY_SVLAN, KEY_CVLAN}},
	{{KEY_SVLAN, KEY_SVLAN}},
};

static void alternative_add_tag(struct alternative *a, unsigned int kind, unsigned int shift)
{
	if (kind)
		alternative_add(a, kind + shift, 1, 1);
	else
		alternative_add(a, KEY_CVLAN + shift, 0, 1);
	if (kind)
		alternative_add(a, KEY_VLAN_ID + shift, 0, 0xfff);
	else
		alternative_add(a, KEY_SVLAN + shift, 0, 1);
}

static int with_fields(struct expansion *x, const struct alternative *a, size_t i);

static int with_native(struct expansion *x, const struct alternative *a)
{
	int ret = 0;

	if (!x->rule->native)
		return with_fields(x, a, 0);
	for (size_t i = 0; i < sizeof(native_tags) / sizeof(native_tags[0]) && !ret; i++) {
		struct alternative b;

		alternative_copy(&b, a);
		alternative_add_tag(&b, native_tags[i].kind[0], 0);
		if (native_tags[i].kind[0])
			alternative_add_tag(&b, native_tags[i].kind[1], KEY_CVLAN2 - KEY_CVLAN);
		ret = with_fields(x, &b, 0);
	}
	return ret;
}

/* Replaces the value of a key. */
static void alternative_set(struct alternative *a, unsigned int key, const struct rule_value *v)
{
	unsigned int i = alternative_at(a, key);

	a->value[i] = v->value;
	a->shape.mask[i] = v->mask;
}

/* Expands field i, which may have several values. Keys of fields are of their level already. */
static int with_fields(struct expansion *x, const struct alternative *a, size_t i)
{
	const struct rule *r = x->rule;
	int ret = 0;

	while (i < r->nfields && !r->field[i].nmore)
		i++;
	if (i == r->nfields)
		return with_headers(x, a);
	for (size_t v = 0; v <= r->field[i].nmore && !ret; v++) {
		struct alternative b;

		alternative_copy(&b, a);
		if (v)
			alternative_set(&b, r->field[i].key, &r->field[i].more[v - 1]);
		ret = with_fields(x, &b, i + 1);
	}
	return ret;
}

int expand_lists(struct cubes list[LISTS], const struct rule_headers *h)
{
	int err = 0;

	cubes_add_nets(&list[LIST_SRC], &h->src);
	cubes_add_nets(&list[LIST_DST], &h->dst);
	cubes_add_nets(&list[LIST_HOST], &h->host);
	cubes_add_ports(&list[LIST_SPORT], &h->sport);
	cubes_add_ports(&list[LIST_DPORT], &h->dport);
	cubes_add_ports(&list[LIST_PORT], &h->port);
	for (int i = 0; i < LISTS && !err; i++)
		err = list[i].err;
	return err;
}

static void expansion_free(struct expansion *x)
{
	for (int i = 0; i < 2 * LISTS; i++)
		free(x->list[i / LISTS][i % LISTS].cube);
	excepts_free(x);
}

static int expand_with(const struct rule *r, unsigned int stride, entry_fn each, void *arg)
{
	struct expansion x = {.rule = r, .each = each, .arg = arg};
	struct alternative a;
	int ret = expand_lists(x.list[0], &r->outer);

	if (!ret && r->inner)
		ret = expand_lists(x.list[1], r->inner);
	if (!ret)
		ret = excepts_make(&x, stride);
	a.inner = false;
	a.shape.n = 0;
	for (size_t i = 0; i < r->nfields; i++)
		alternative_add(&a, r->field[i].key, r->field[i].value, r->field[i].mask);
	if (!ret)
		ret = with_native(&x, &a);
	expansion_free(&x);
	return ret;
}

/*
 * A complement's masks end at every 4th bit, so that there are few of them: each is a matcher.
 * Rules of more entries than this take the fewest entries instead.
 */
#define FEW_MASKS     4u
#define FEW_MASKS_MAX 16384u

static int expand_count(void *arg, const struct shape *shape, const uint64_t *value)
{
	size_t *n = arg;

	(void)shape;
	(void)value;
	return ++*n > FEW_MASKS_MAX;
}

static int expand_stop(void *arg, const struct shape *shape, const uint64_t *value)
{
	(void)arg;
	(void)shape;
	(void)value;
	return 1;
}

bool rule_is_possible(const struct rule *r)
{
	return expand_with(r, 1, expand_stop, NULL) != 0;
}

int rule_expand(const struct rule *r, entry_fn each, void *arg)
{
	size_t n = 0;

	if (!r->nexcepts)
		return expand_with(r, 1, each, arg);
	if (expand_with(r, FEW_MASKS, expand_count, &n))
		return expand_with(r, 1, each, arg);
	return expand_with(r, FEW_MASKS, each, arg);
}
