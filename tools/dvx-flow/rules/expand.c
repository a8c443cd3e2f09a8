/* SPDX-License-Identifier: BSD-2-Clause */
/* Expands a rule to entries that hardware can compare: no ranges, no lists, one IP version each. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "expand.h"
#include "shape.h"

static const struct rule_headers *expand_headers(const struct expansion *x,
						 const struct alternative *a)
{
	return a->inner ? x->rule->inner : &x->rule->outer;
}

/* --- alternatives, one after the other ------------------------------------------------------ */

static int with_headers(struct expansion *x, struct alternative *a);

/* Ends a level. The inner headers follow when the outer ones are complete. */
static int level_end(struct expansion *x, struct alternative *a)
{
	if (a->inner || !x->rule->inner)
		return expand_excepts(x, a, 0);
	a->inner = true;
	return with_headers(x, a);
}

static int with_ports(struct expansion *x, struct alternative *a, int list);

static int with_side(struct expansion *x, struct alternative *a, int list, int side, bool last)
{
	const struct cubes *ports = &x->list[a->inner][list];
	uint64_t proto = alternative_value(a, alternative_key(a, KEY_PROTO));
	unsigned int key = expand_port_key(proto, side);
	int ret = 0;

	for (size_t i = 0; i < ports->n && !ret; i++) {
		struct alternative room, *b = alternative_next(&room, a, last && i + 1 == ports->n);

		if (alternative_add_here(b, key, (uint64_t)cubes_at(ports, i)->value,
					 (uint64_t)cubes_at(ports, i)->mask))
			ret = with_ports(x, b, list + 1);
	}
	return ret;
}

static int with_ports(struct expansion *x, struct alternative *a, int list)
{
	int ret;

	while (list < LISTS && !x->list[a->inner][list].n)
		list++;
	if (list == LISTS)
		return level_end(x, a);
	ret = with_side(x, a, list, list == LIST_DPORT ? SIDE_D : SIDE_S, list != LIST_PORT);
	if (!ret && list == LIST_PORT)
		ret = with_side(x, a, list, SIDE_D, true);
	return ret;
}

static int with_l4(struct expansion *x, struct alternative *a)
{
	static const uint64_t tcp_udp[] = {L4_TCP, L4_UDP};
	enum rule_l4 l4 = expand_headers(x, a)->l4;
	int ret = 0;

	if (l4 == L4_ANY)
		return level_end(x, a);
	for (size_t i = 0; i < 2 && !ret; i++) {
		struct alternative room, *b;

		if (l4 != L4_TCP_OR_UDP && l4 != tcp_udp[i])
			continue;
		b = alternative_next(&room, a, l4 == tcp_udp[i] || i == 1);
		if (alternative_add_here(b, KEY_PROTO, tcp_udp[i], 0xff))
			ret = with_ports(x, b, LIST_SPORT);
	}
	return ret;
}

static int with_addresses(struct expansion *x, struct alternative *a, int list);

static int with_each(struct expansion *x, struct alternative *a, int list, unsigned int first_key,
		     bool last)
{
	const struct cubes *nets = &x->list[a->inner][list];
	uint8_t version = expand_headers(x, a)->ip;
	int ret = 0;

	for (size_t i = 0; i < nets->n && !ret; i++) {
		struct alternative room, *b = alternative_next(&room, a, last && i + 1 == nets->n);

		if (alternative_add_net(b, first_key, version, cubes_at(nets, i)))
			ret = with_addresses(x, b, list + 1);
	}
	return ret;
}

static int with_addresses(struct expansion *x, struct alternative *a, int list)
{
	int ret;

	while (list <= LIST_HOST && !x->list[a->inner][list].n)
		list++;
	if (list > LIST_HOST)
		return with_l4(x, a);
	ret = with_each(x, a, list, list == LIST_DST ? MATCH_DST_127_96 : MATCH_SRC_127_96,
			list != LIST_HOST);
	if (!ret && list == LIST_HOST)
		ret = with_each(x, a, list, MATCH_DST_127_96, true);
	return ret;
}

static int with_version(struct expansion *x, struct alternative *a, uint64_t version)
{
	alternative_add_here(a, MATCH_IP_VERSION, version, 0xf);
	return with_addresses(x, a, LIST_SRC);
}

static int with_headers(struct expansion *x, struct alternative *a)
{
	uint8_t ip = expand_headers(x, a)->ip;
	struct alternative b;
	int ret;

	if (!ip)
		return level_end(x, a);
	if (ip != RULE_IP)
		return with_version(x, a, ip);
	alternative_copy(&b, a);
	ret = with_version(x, &b, 4);
	return ret ? ret : with_version(x, a, 6);
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

static int with_fields(struct expansion *x, struct alternative *a, size_t i);

static int with_native(struct expansion *x, struct alternative *a)
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
static int with_fields(struct expansion *x, struct alternative *a, size_t i)
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

static void expansion_free(struct expansion *x)
{
	for (int level = 0; level <= (x->rule->inner != NULL); level++)
		for (int i = 0; i < LISTS; i++)
			if (x->list[level][i].cube)
				free(x->list[level][i].cube);
	excepts_free(x);
}

static int expand_with(const struct rule *r, unsigned int stride, entry_fn each, void *arg)
{
	struct expansion x;
	struct alternative a;
	int ret;

	/* Most rules have one level, and each has an expansion: the other level's lists are not cleared. */
	memset(&x, 0, r->inner ? sizeof(x) : offsetof(struct expansion, list[1]));
	x.rule = r;
	x.each = each;
	x.arg = arg;
	ret = expand_lists(x.list[0], &r->outer);
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
