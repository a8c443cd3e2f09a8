/* SPDX-License-Identifier: BSD-2-Clause */
/* Values as they are written: addresses, prefixes, ranges of ports, lists. Reports of mistakes. */
#include <arpa/inet.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parse.h"
#include "words.h"

/* --- lists ----------------------------------------------------------------------------------- */

bool list_add_in(struct arena *memory, struct node_list *l, const void *item, size_t size)
{
	size_t more = l->room ? l->room * 2 : 1; /* most lists have one element */
	void *grown;

	if (l->n == l->room) {
		grown = arena_get(memory, more * size);
		if (!grown)
			return false;
		if (l->n)
			memcpy(grown, l->item, l->n * size);
		l->item = grown;
		l->room = more;
	}
	memcpy((char *)l->item + l->n++ * size, item, size);
	return true;
}

struct node_list list_add(struct rule_parser *ps, struct node_list l, const void *item, size_t size)
{
	ps->no_memory |= !list_add_in(ps->set->memory, &l, item, size);
	return l;
}

struct node_list list_value(struct rule_parser *ps, struct node_list l, uint64_t value,
			    uint64_t mask)
{
	return list_add(ps, l, &(struct rule_value){value, mask}, sizeof(struct rule_value));
}

struct node_list list_range(struct rule_parser *ps, struct node_list l, struct rule_range r)
{
	return r.first > r.last ? l : list_add(ps, l, &r, sizeof(r));
}

/* --- addresses ------------------------------------------------------------------------------- */

static unsigned int address_bits(const struct rule_net *p)
{
	return p->family == 4 ? 32 : 128;
}

static const char *net_text(const struct address *a, char text[INET6_ADDRSTRLEN])
{
	return inet_ntop(a->ip.family == 4 ? AF_INET : AF_INET6, a->ip.addr, text,
			 INET6_ADDRSTRLEN);
}

/* Clears the bits behind the prefix. Returns whether one was set. */
static bool parse_addr_cut(struct rule_net *p)
{
	uint8_t before[16];

	memcpy(before, p->addr, sizeof(before));
	for (unsigned int i = 0; i < address_bits(p) / 8; i++) {
		int keep = p->bits - (int)i * 8;

		if (keep < 8)
			p->addr[i] &= (uint8_t)(keep <= 0 ? 0 : 0xff00 >> keep);
	}
	return memcmp(before, p->addr, sizeof(before)) != 0;
}

void parse_prefix(struct rule_parser *ps, const struct source_range *at, struct address *a,
		  uint64_t bits)
{
	char meant[INET6_ADDRSTRLEN];

	if (bits > address_bits(&a->ip)) {
		parse_mistake(ps, at, "an IPv%u prefix has 0 to %u bits, not %" PRIu64,
			      a->ip.family, address_bits(&a->ip), bits);
		return;
	}
	a->ip.bits = (uint8_t)bits;
	if (parse_addr_cut(&a->ip))
		parse_mistake(ps, at,
			      "the address has bits behind its prefix; write %s/%" PRIu64
			      " if the network is meant",
			      net_text(a, meant), bits);
}

/* Returns the length of the prefix that this mask is, or NET_MASK. */
static uint8_t net_mask_bits(const struct rule_net *mask)
{
	unsigned int bits = 0, width = address_bits(mask);

	while (bits < width && mask->addr[bits / 8] & 0x80 >> bits % 8)
		bits++;
	for (unsigned int i = bits; i < width; i++)
		if (mask->addr[i / 8] & 0x80 >> i % 8)
			return NET_MASK;
	return (uint8_t)bits;
}

void parse_net_mask(struct rule_parser *ps, const struct source_range *at, struct address *a,
		    const struct address *mask)
{
	uint8_t outside = 0, any = 0;

	for (unsigned int i = 0; i < sizeof(a->ip.addr); i++) {
		outside |= (uint8_t)(a->ip.addr[i] & ~mask->ip.addr[i]);
		any |= mask->ip.addr[i];
	}
	if (!any)
		parse_mistake(ps, at, "a mask of 0 compares nothing");
	else if (outside)
		parse_mistake(ps, at, "the address has bits outside the mask");
	a->ip.bits = net_mask_bits(&mask->ip);
	if (a->ip.bits == NET_MASK)
		memcpy(a->ip.end, mask->ip.addr, sizeof(a->ip.end));
}

void parse_net_range(struct rule_parser *ps, const struct source_range *at, struct address *a,
		     const struct address *end)
{
	char low[INET6_ADDRSTRLEN], high[INET6_ADDRSTRLEN];

	if (memcmp(a->ip.addr, end->ip.addr, sizeof(a->ip.addr)) > 0)
		parse_mistake(ps, at, "a range goes upwards: %s-%s", net_text(end, low),
			      net_text(a, high));
	a->ip.bits = NET_RANGE;
	memcpy(a->ip.end, end->ip.addr, sizeof(a->ip.end));
}

/* --- ports and flags ------------------------------------------------------------------------- */

struct rule_range parse_range(struct rule_parser *ps, const struct source_range *at, uint64_t first,
			      uint64_t last)
{
	uint64_t worse = first > 65535 ? first : last;

	if (worse > 65535)
		parse_mistake(ps, at, "a port is 0 to 65535, not %" PRIu64, worse);
	else if (first > last)
		parse_mistake(ps, at, "a range goes upwards: %" PRIu64 "-%" PRIu64, last, first);
	else
		return (struct rule_range){(uint16_t)first, (uint16_t)last, 0};
	return (struct rule_range){1, 0, 0};
}

struct rule_range parse_port_mask(struct rule_parser *ps, const struct source_range *at,
				  uint64_t port, uint64_t mask)
{
	uint16_t wild = 0xffff & (uint16_t)~mask;

	if (port > 65535 || mask > 65535)
		parse_mistake(ps, at, "a port and its mask are 0 to 0xffff");
	else if (!mask)
		parse_mistake(ps, at, "a mask of 0 compares nothing");
	else if (port & wild)
		parse_mistake(ps, at, "the port has bits outside the mask");
	else if (wild & (wild + 1))
		return (struct rule_range){(uint16_t)port, (uint16_t)port, wild};
	else
		return (struct rule_range){(uint16_t)port, (uint16_t)(port | wild), 0};
	return (struct rule_range){1, 0, 0};
}

static int by_first(const void *a, const void *b)
{
	const struct rule_range *x = a, *y = b;

	if (!x->wild != !y->wild)
		return x->wild ? 1 : -1;
	return (x->first > y->first) - (x->first < y->first);
}

size_t ranges_merge(struct rule_range *r, size_t n)
{
	size_t kept = 0;

	if (!n)
		return 0;
	qsort(r, n, sizeof(*r), by_first);
	for (size_t i = 1; i < n; i++)
		if (r[i].wild || r[kept].wild || r[i].first > r[kept].last + 1)
			r[++kept] = r[i];
		else if (r[i].last > r[kept].last)
			r[kept].last = r[i].last;
	return kept + 1;
}

void parse_flag(struct rule_parser *ps, const struct source_range *at, const char *name, bool set,
		struct rule_value *flags)
{
	uint64_t bit;

	if (!flag_number(name, &bit)) {
		parse_mistake(ps, at,
			      "no TCP flag is called \"%s\"; there are fin, syn, rst, psh, ack, "
			      "urg, ece, cwr and ns",
			      name);
		return;
	}
	if (flags->mask & bit && !(flags->value & bit) == set)
		parse_mistake(ps, at, "the flag %s cannot be both set and clear", name);
	flags->mask |= bit;
	if (set)
		flags->value |= bit;
}

/* --- mistakes -------------------------------------------------------------------------------- */

static void find_line(const struct rule_parser *ps, size_t byte, struct mistake *m)
{
	size_t from = byte, to = byte;

	while (from && ps->text[from - 1] != '\n')
		from--;
	while (to < ps->len && ps->text[to] != '\n')
		to++;
	m->source = ps->text + from;
	m->source_len = to - from;
}

void parse_mistake(struct rule_parser *ps, const struct source_range *at, const char *fmt, ...)
{
	struct mistake m = {.line = at->first_line, .column = at->first_column, .width = 1};
	va_list ap;

	ps->bad = true;
	if (ps->mistakes == MISTAKES_MAX)
		return;
	ps->mistakes++;
	if (at->last_line == at->first_line && at->last_column > at->first_column)
		m.width = at->last_column - at->first_column;
	va_start(ap, fmt);
	vsnprintf(m.text, sizeof(m.text), fmt, ap);
	va_end(ap);
	find_line(ps, at->first_byte, &m);
	if (ps->report)
		ps->report(ps->report_arg, &m);
}
