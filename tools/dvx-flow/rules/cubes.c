/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>

#include "arena.h"
#include "cubes.h"

void cubes_add(struct cubes *c, cube_bits value, cube_bits mask)
{
	if (c->n == CUBES_MAX)
		c->err = -E2BIG;
	else if (!c->err && !array_grow((void **)&c->cube, c->n, &c->room, sizeof(*c->cube)))
		c->err = -ENOMEM;
	if (!c->err)
		c->cube[c->n++] = (struct cube){value, mask};
}

/* The lowest n bits. */
static cube_bits ones(unsigned int n)
{
	return n < 128 ? ((cube_bits)1 << n) - 1 : ~(cube_bits)0;
}

void cubes_add_range(struct cubes *c, cube_bits first, cube_bits last, unsigned int width)
{
	for (;;) {
		unsigned int free = 0; /* bits behind the prefix */

		while (free < width && !(first & ones(free + 1)) &&
		       (first | ones(free + 1)) <= last)
			free++;
		cubes_add(c, first, ones(width) & ~ones(free));
		if ((first | ones(free)) == last)
			return;
		first = (first | ones(free)) + 1;
	}
}

/* --- lists ------------------------------------------------------------------------------------- */

struct span {
	cube_bits first, last;
};

static int cubes_order(const void *one, const void *other)
{
	const struct span *a = one, *b = other;

	return (a->first > b->first) - (a->first < b->first);
}

/* Sorts ranges, and joins those that touch. */
static size_t spans_join(struct span *s, size_t n)
{
	size_t kept = 0;

	if (n < 2)
		return n;
	qsort(s, n, sizeof(*s), cubes_order);
	for (size_t i = 1; i < n; i++)
		if (s[kept].last != ~(cube_bits)0 && s[i].first > s[kept].last + 1)
			s[++kept] = s[i];
		else if (s[i].last > s[kept].last)
			s[kept].last = s[i].last;
	return kept + 1;
}

static cube_bits net_word(const struct rule_net *net, const uint8_t bytes[16])
{
	cube_bits v = 0;

	for (unsigned int i = 0; i < (net->family == 4 ? 4 : 16); i++)
		v = v << 8 | bytes[i];
	return v;
}

static struct span net_span(const struct rule_net *net, unsigned int width)
{
	cube_bits first = net_word(net, net->addr);

	return (struct span){first, net->bits == NET_RANGE ? net_word(net, net->end)
							   : first | ones(width - net->bits)};
}

void cubes_add_nets(struct cubes *c, const struct rule_nets *nets)
{
	unsigned int width = nets->n && nets->net->family == 4 ? 32 : 128;
	struct span one, *s = nets->n > 1 ? calloc(nets->n, sizeof(*s)) : &one;
	size_t n = 0;

	if (!s) {
		c->err = -ENOMEM;
		return;
	}
	for (size_t i = 0; i < nets->n; i++) {
		const struct rule_net *net = &nets->net[i];

		if (net->bits == NET_MASK)
			cubes_add(c, net_word(net, net->addr), net_word(net, net->end));
		else
			s[n++] = net_span(net, width);
	}
	n = spans_join(s, n);
	for (size_t i = 0; i < n; i++)
		cubes_add_range(c, s[i].first, s[i].last, width);
	if (s != &one)
		free(s);
}

/* The parser joined them already. */
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
