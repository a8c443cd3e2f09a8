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
	uint32_t more = l->room ? l->room * 2 : 1; /* most lists have one element */
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

static const char *net_text(const struct rule_net *p, char text[INET6_ADDRSTRLEN])
{
	return inet_ntop(p->family == 4 ? AF_INET : AF_INET6, p->addr, text, INET6_ADDRSTRLEN);
}

/* Returns a copy with other bits, since the token of a variable stands in several rules. */
static const struct rule_net *net_with(struct rule_parser *ps, const struct rule_net *address,
				       uint8_t bits, const uint8_t *end)
{
	struct rule_net *p = arena_get(ps->set->memory, sizeof(*p));

	if (!p) {
		ps->no_memory = true;
		return address;
	}
	*p = *address;
	p->bits = bits;
	if (end)
		memcpy(p->end, end, sizeof(p->end));
	return p;
}

/* Returns whether one of the bits behind the prefix is set. */
static bool net_has_more(const struct rule_net *p, unsigned int bits)
{
	for (unsigned int i = bits / 8; i < address_bits(p) / 8; i++)
		if (p->addr[i] & (i == bits / 8 ? 0xff >> bits % 8 : 0xff))
			return true;
	return false;
}

static void net_report_more(struct rule_parser *ps, const struct source_range *at,
			    const struct rule_net *address, unsigned int bits)
{
	struct rule_net p = *address;
	char meant[INET6_ADDRSTRLEN];

	for (unsigned int i = bits; i < address_bits(&p); i++)
		p.addr[i / 8] &= (uint8_t) ~(0x80 >> i % 8);
	parse_mistake(ps, at,
		      "the address has bits behind its prefix; write %s/%u if the network is meant",
		      net_text(&p, meant), bits);
}

const struct rule_net *parse_prefix(struct rule_parser *ps, const struct source_range *at,
				    const struct rule_net *address, uint64_t bits)
{
	if (bits > address_bits(address)) {
		parse_mistake(ps, at, "an IPv%u prefix has 0 to %u bits, not %" PRIu64,
			      address->family, address_bits(address), bits);
		return address;
	}
	if (net_has_more(address, (unsigned int)bits))
		net_report_more(ps, at, address, (unsigned int)bits);
	return net_with(ps, address, (uint8_t)bits, NULL);
}

/* Returns the length of the prefix that this mask is, or NET_MASK. */
static uint8_t net_mask_bits(const struct rule_net *mask)
{
	unsigned int bits = 0, width = address_bits(mask);

	while (bits < width && mask->addr[bits / 8] & 0x80 >> bits % 8)
		bits++;
	return net_has_more(mask, bits) ? NET_MASK : (uint8_t)bits;
}

const struct rule_net *parse_net_mask(struct rule_parser *ps, const struct source_range *at,
				      const struct rule_net *address, const struct rule_net *mask)
{
	uint8_t outside = 0, any = 0, bits = net_mask_bits(mask);

	for (unsigned int i = 0; i < sizeof(mask->addr); i++) {
		outside |= (uint8_t)(address->addr[i] & ~mask->addr[i]);
		any |= mask->addr[i];
	}
	if (!any)
		parse_mistake(ps, at, "a mask of 0 compares nothing");
	else if (outside)
		parse_mistake(ps, at, "the address has bits outside the mask");
	return net_with(ps, address, bits, bits == NET_MASK ? mask->addr : NULL);
}

const struct rule_net *parse_net_range(struct rule_parser *ps, const struct source_range *at,
				       const struct rule_net *address, const struct rule_net *end)
{
	char low[INET6_ADDRSTRLEN], high[INET6_ADDRSTRLEN];

	if (memcmp(address->addr, end->addr, sizeof(end->addr)) > 0)
		parse_mistake(ps, at, "a range goes upwards: %s-%s", net_text(end, low),
			      net_text(address, high));
	return net_with(ps, address, NET_RANGE, end->addr);
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

/* Returns at least 1, and 1 for a mistake of several lines. */
static uint32_t mistake_width(const struct rule_parser *ps, const struct source_range *at)
{
	const char *from = ps->text + at->first_byte, *to = ps->text + at->end_byte;
	uint32_t columns = memchr(from, '\n', (size_t)(to - from)) ? 1 : scan_columns(ps, from, to);

	return columns ? columns : 1;
}

void parse_mistake(struct rule_parser *ps, const struct source_range *at, const char *fmt, ...)
{
	struct mistake m = {.line = at->line, .column = at->column};
	va_list ap;

	ps->bad = true;
	if (ps->mistakes == MISTAKES_MAX)
		return;
	ps->mistakes++;
	va_start(ap, fmt);
	vsnprintf(m.text, sizeof(m.text), fmt, ap);
	va_end(ap);
	m.width = mistake_width(ps, at);
	find_line(ps, at->first_byte, &m);
	if (ps->report)
		ps->report(ps->report_arg, &m);
}
