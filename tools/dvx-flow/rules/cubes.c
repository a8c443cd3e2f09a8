/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>

#include "arena.h"
#include "cubes.h"

static void cubes_add(struct cubes *c, cube_bits value, cube_bits mask)
{
	const struct cube more = {value, mask};

	if (!c->n) {
		c->one = more;
		c->n = 1;
		return;
	}
	if (c->n == CUBES_MAX)
		c->err = -E2BIG;
	else if (!c->err && !array_grow((void **)&c->cube, c->n, &c->room, sizeof(*c->cube)))
		c->err = -ENOMEM;
	if (c->err)
		return;
	c->cube[0] = c->n == 1 ? c->one : c->cube[0];
	c->cube[c->n++] = more;
}

/* Returns the lowest n bits set. */
static cube_bits ones(unsigned int n)
{
	return n < 128 ? ((cube_bits)1 << n) - 1 : ~(cube_bits)0;
}

/* Adds a prefix, followed by `low` free bits, as prefixes that end at the stride. */
static void cubes_add_prefix(struct cubes *c, cube_bits first, unsigned int low, unsigned int width,
			     unsigned int stride)
{
	unsigned int bits = width - low, more = (stride - bits % stride) % stride;

	/* No bit is compared: all values. */
	if (!bits) {
		cubes_add(c, 0, 0);
		return;
	}
	if (more > low)
		more = low;
	for (unsigned int i = 0; i < 1u << more; i++)
		cubes_add(c, first | (cube_bits)i << (low - more), ones(width) & ~ones(low - more));
}

static void cubes_cut(struct cubes *c, cube_bits first, cube_bits last, unsigned int width,
		      unsigned int stride)
{
	while (!c->err) {
		unsigned int low = 0; /* bits behind the prefix */

		while (low < width && !(first & ones(low + 1)) && (first | ones(low + 1)) <= last)
			low++;
		cubes_add_prefix(c, first, low, width, stride);
		if ((first | ones(low)) == last)
			return;
		first = (first | ones(low)) + 1;
	}
}

void cubes_add_range(struct cubes *c, cube_bits first, cube_bits last, unsigned int width)
{
	cube_bits differ = first ^ last;

	/* Most ranges are a value or a prefix. */
	if (!(differ & (differ + 1)) && !(first & differ))
		cubes_add(c, first, ones(width) & ~differ);
	else
		cubes_cut(c, first, last, width, 1);
}

/* --- lists ------------------------------------------------------------------------------------- */

static int cubes_order(const void *one, const void *other)
{
	const struct cube_span *a = one, *b = other;

	return (a->first > b->first) - (a->first < b->first);
}

struct spans {
	struct cube_span *span;
	size_t n;
};

static struct spans spans_new(struct cubes *c, size_t room)
{
	struct spans s = {room ? calloc(room, sizeof(*s.span)) : NULL, 0};

	if (room && !s.span)
		c->err = -ENOMEM;
	return s;
}

/* Sorts ranges, and joins those that touch. */
static void spans_join(struct spans *s)
{
	struct cube_span *r = s->span;
	size_t kept = 0;

	if (s->n < 2)
		return;
	qsort(r, s->n, sizeof(*r), cubes_order);
	for (size_t i = 1; i < s->n; i++)
		if (r[kept].last != ~(cube_bits)0 && r[i].first > r[kept].last + 1)
			r[++kept] = r[i];
		else if (r[i].last > r[kept].last)
			r[kept].last = r[i].last;
	s->n = kept + 1;
}

static cube_bits net_word(const struct rule_net *net, const uint8_t bytes[16])
{
	cube_bits v = 0;

	for (unsigned int i = 0; i < (net->family == 4 ? 4 : 16); i++)
		v = v << 8 | bytes[i];
	return v;
}

static struct cube_span net_span(const struct rule_net *net, unsigned int width)
{
	cube_bits first = net_word(net, net->addr);

	return (struct cube_span){first, net->bits == NET_RANGE ? net_word(net, net->end)
								: first | ones(width - net->bits)};
}

static unsigned int nets_width(const struct rule_nets *nets)
{
	return nets->n && nets->net->family == 4 ? 32 : 128;
}

/* Returns the ranges and prefixes of a list. */
static struct spans nets_spans(struct cubes *c, const struct rule_nets *nets)
{
	struct spans s = spans_new(c, nets->n);

	for (size_t i = 0; i < nets->n && s.span; i++)
		if (nets->net[i].bits != NET_MASK)
			s.span[s.n++] = net_span(&nets->net[i], nets_width(nets));
	spans_join(&s);
	return s;
}

void cubes_add_nets(struct cubes *c, const struct rule_nets *nets)
{
	struct cube_span one;
	struct spans s;

	/* Most lists have one element: nothing to sort. */
	if (nets->n == 1 && nets->net->bits != NET_MASK) {
		one = net_span(nets->net, nets_width(nets));
		cubes_add_range(c, one.first, one.last, nets_width(nets));
		return;
	}
	s = nets_spans(c, nets);
	for (size_t i = 0; i < nets->n; i++) {
		const struct rule_net *net = &nets->net[i];

		if (net->bits == NET_MASK)
			cubes_add(c, net_word(net, net->addr), net_word(net, net->end));
	}
	for (size_t i = 0; i < s.n; i++)
		cubes_add_range(c, s.span[i].first, s.span[i].last, nets_width(nets));
	free(s.span);
}

/* The parser has joined the ranges already. */
void cubes_add_ports(struct cubes *c, const struct rule_ports *ports)
{
	for (size_t i = 0; i < ports->n; i++) {
		const struct rule_range *r = &ports->range[i];

		if (r->wild)
			cubes_add(c, r->first, 0xffff & ~r->wild);
		else
			cubes_add_range(c, r->first, r->last, 16);
	}
}

/* --- complements ------------------------------------------------------------------------------- */

/* Adds the gaps between the spans, which are joined. */
static void cubes_add_gaps(struct cubes *c, const struct spans *s, unsigned int width,
			   unsigned int stride)
{
	cube_bits next = 0;

	for (size_t i = 0; i < s->n; i++) {
		if (s->span[i].first > next)
			cubes_cut(c, next, s->span[i].first - 1, width, stride);
		if (s->span[i].last == ones(width))
			return;
		next = s->span[i].last + 1;
	}
	cubes_cut(c, next, ones(width), width, stride);
}

static void cubes_meet(struct cubes *c, const struct cube *a, const struct cube *b)
{
	if (!((a->value ^ b->value) & a->mask & b->mask))
		cubes_add(c, a->value | b->value, a->mask | b->mask);
}

/* Returns the next `stride` bits, from the top, of a mask that are not in `done`. */
static cube_bits next_bits(cube_bits mask, cube_bits done, unsigned int stride)
{
	cube_bits group = 0, bit = (cube_bits)1 << 127;

	for (mask &= ~done; mask && stride; bit >>= 1)
		if (mask & bit) {
			group |= bit;
			mask &= ~bit;
			stride--;
		}
	return group;
}

/* Adds each value of the group's bits but the hole's, behind the bits that are done. */
static void cubes_add_others(struct cubes *c, const struct cube *hole, cube_bits done,
			     cube_bits group)
{
	cube_bits v = 0;

	do {
		if (v != (hole->value & group))
			cubes_add(c, (hole->value & done) | v, done | group);
		v = (v - group) & group; /* the next value of these bits */
	} while (v);
}

/* Keeps the values outside of one cube. */
static void cubes_without(struct cubes *c, const struct cube *hole, unsigned int stride)
{
	struct cubes others = {0}, old = *c;
	cube_bits done = 0, group;

	for (; (group = next_bits(hole->mask, done, stride)); done |= group)
		cubes_add_others(&others, hole, done, group);
	*c = (struct cubes){.err = old.err ? old.err : others.err};
	for (size_t i = 0; i < old.n; i++)
		for (size_t j = 0; j < others.n && !c->err; j++)
			cubes_meet(c, cubes_at(&old, i), cubes_at(&others, j));
	free(old.cube);
	free(others.cube);
}

void cubes_not_nets(struct cubes *c, const struct rule_nets *nets, unsigned int stride)
{
	struct spans s = nets_spans(c, nets);

	cubes_add_gaps(c, &s, nets_width(nets), stride);
	free(s.span);
	for (size_t i = 0; i < nets->n; i++) {
		const struct rule_net *net = &nets->net[i];
		struct cube hole = {net_word(net, net->addr), net_word(net, net->end)};

		if (net->bits == NET_MASK)
			cubes_without(c, &hole, stride);
	}
}

void cubes_not_ports(struct cubes *c, const struct rule_ports *ports, unsigned int stride)
{
	struct spans s = spans_new(c, ports->n);

	for (size_t i = 0; i < ports->n && s.span; i++)
		if (!ports->range[i].wild)
			s.span[s.n++] =
				(struct cube_span){ports->range[i].first, ports->range[i].last};
	cubes_add_gaps(c, &s, 16, stride);
	free(s.span);
	for (size_t i = 0; i < ports->n; i++) {
		const struct rule_range *r = &ports->range[i];
		struct cube hole = {r->first, 0xffff & ~r->wild};

		if (r->wild)
			cubes_without(c, &hole, stride);
	}
}

void cubes_not_values(struct cubes *c, const struct rule_value *v, size_t n, uint64_t all,
		      unsigned int stride)
{
	unsigned int width = all ? 64 - (unsigned int)__builtin_clzll(all) : 0;
	struct spans s = spans_new(c, n);

	for (size_t i = 0; i < n && s.span; i++)
		if (v[i].mask == all)
			s.span[s.n++] = (struct cube_span){v[i].value, v[i].value};
	spans_join(&s);
	cubes_add_gaps(c, &s, width, stride);
	free(s.span);
	for (size_t i = 0; i < n; i++) {
		struct cube hole = {v[i].value, v[i].mask};

		if (v[i].mask != all)
			cubes_without(c, &hole, stride);
	}
}
