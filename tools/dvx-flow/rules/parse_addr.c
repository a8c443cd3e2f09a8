/* SPDX-License-Identifier: BSD-2-Clause */
/* Addresses, prefixes and lists of ports of a rule. */
#include <arpa/inet.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "parse.h"
#include "words.h"

static unsigned int address_bits(const struct rule_net *p)
{
	return p->family == 4 ? 32 : 128;
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
		parse_mistake(ps, at, "an %s prefix has 0 to %u bits, not %" PRIu64,
			      parse_ip_name(a->ip.family), address_bits(&a->ip), bits);
		return;
	}
	a->ip.bits = (uint8_t)bits;
	if (!parse_addr_cut(&a->ip))
		return;
	inet_ntop(a->ip.family == 4 ? AF_INET : AF_INET6, a->ip.addr, meant, sizeof(meant));
	parse_mistake(ps, at,
		      "the address has bits behind its prefix; write %s/%" PRIu64
		      " if the network is meant",
		      meant, bits);
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

void parse_mac_mask(struct rule_parser *ps, const struct source_range *at, uint64_t mac,
		    uint64_t mask)
{
	if (mac & ~mask)
		parse_mistake(ps, at, "the MAC has bits outside the mask");
	parse_value(ps, mac, mask);
}

void *parse_one_more(struct rule_parser *ps, void *list, size_t n, size_t *room, size_t size)
{
	size_t more = *room ? *room * 2 : 1; /* most lists have one element */
	void *grown;

	if (n < *room)
		return list;
	grown = arena_get(ps->set->memory, more * size);
	if (!grown) {
		ps->no_memory = true;
		return NULL;
	}
	if (n)
		memcpy(grown, list, n * size);
	*room = more;
	return grown;
}

/* Adds an address to the list. All addresses of a rule have one version. */
void parse_net(struct rule_parser *ps, const struct source_range *at, const struct address *a)
{
	struct parse_nets *l = &ps->nets;
	struct rule_net *grown;

	if (!l->n)
		parse_target(ps, SCOPE_ONE, false);
	parse_ip(ps, at, a->ip.family);
	grown = parse_one_more(ps, l->net, l->n, &l->room, sizeof(*grown));
	if (!grown)
		return;
	l->net = grown;
	l->net[l->n++] = a->ip;
}

void parse_net_range(struct rule_parser *ps, const struct source_range *at, const struct address *a,
		     const struct address *end)
{
	struct address range = *a;
	char low[INET6_ADDRSTRLEN], high[INET6_ADDRSTRLEN];
	int family = a->ip.family == 4 ? AF_INET : AF_INET6;

	if (memcmp(a->ip.addr, end->ip.addr, sizeof(a->ip.addr)) > 0)
		parse_mistake(ps, at, "a range goes upwards: %s-%s",
			      inet_ntop(family, end->ip.addr, low, sizeof(low)),
			      inet_ntop(family, a->ip.addr, high, sizeof(high)));
	range.ip.bits = NET_RANGE;
	memcpy(range.ip.end, end->ip.addr, sizeof(range.ip.end));
	parse_net(ps, at, &range);
}

void parse_net_list(struct rule_parser *ps, const struct source_range *at, enum parse_side side)
{
	static const char *const names[] = {"source", "destination", "host"};
	bool negated = parse_begin_value(ps);
	struct rule_nets *p = side == SIDE_SRC	 ? &ps->h->src
			      : side == SIDE_DST ? &ps->h->dst
						 : &ps->h->host;

	if (negated && ps->nets.n)
		ps->h->ip = ps->nets.net->family;
	if (p->n)
		parse_mistake(ps, at,
			      "a second %s address in one rule; if it may be either, write a list: "
			      "10.0.0.0/8,192.168.0.0/16",
			      names[side]);
	*p = (struct rule_nets){ps->nets.net, ps->nets.n, parse_location(ps, at)};
	ps->nets = (struct parse_nets){0};
	if (negated)
		parse_group_end(ps);
}

/* --- ports ----------------------------------------------------------------------------------- */

uint64_t parse_service(struct rule_parser *ps, const struct source_range *at, const char *name)
{
	uint64_t port = 0;

	if (!service_number(name, &port))
		parse_mistake(ps, at, "no service is called \"%s\"; give its port's number", name);
	return port;
}

static void add_range(struct rule_parser *ps, uint64_t first, uint64_t last, uint64_t wild)
{
	struct parse_ports *l = &ps->ports;
	struct rule_range *grown = parse_one_more(ps, l->range, l->n, &l->room, sizeof(*grown));

	if (!grown)
		return;
	l->range = grown;
	l->range[l->n++] = (struct rule_range){(uint16_t)first, (uint16_t)last, (uint16_t)wild};
}

void parse_range(struct rule_parser *ps, const struct source_range *at, uint64_t first,
		 uint64_t last)
{
	uint64_t worse = first > 65535 ? first : last;

	if (worse > 65535)
		parse_mistake(ps, at, "a port is 0 to 65535, not %" PRIu64, worse);
	else if (first > last)
		parse_mistake(ps, at, "a range goes upwards: %" PRIu64 "-%" PRIu64, last, first);
	else
		add_range(ps, first, last, 0);
}

void parse_port_mask(struct rule_parser *ps, const struct source_range *at, uint64_t port,
		     uint64_t mask)
{
	uint64_t wild = 0xffff & ~mask;

	if (port > 65535 || mask > 65535)
		parse_mistake(ps, at, "a port and its mask are 0 to 0xffff");
	else if (!mask)
		parse_mistake(ps, at, "a mask of 0 compares nothing");
	else if (port & wild)
		parse_mistake(ps, at, "the port has bits outside the mask");
	else if (wild & (wild + 1))
		add_range(ps, port, port, wild);
	else
		add_range(ps, port, port | wild, 0);
}

static int by_first(const void *a, const void *b)
{
	const struct rule_range *x = a, *y = b;

	if (!x->wild != !y->wild)
		return x->wild ? 1 : -1;
	return (x->first > y->first) - (x->first < y->first);
}

/* Sorts ranges and joins adjacent ones: 80,81 becomes 80-81. */
static size_t merge(struct rule_range *r, size_t n)
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

static struct rule_ports *ports_of(struct rule_headers *h, enum parse_side side)
{
	return side == SIDE_SRC ? &h->sport : side == SIDE_DST ? &h->dport : &h->port;
}

void parse_port_list(struct rule_parser *ps, const struct source_range *at, enum parse_side side)
{
	bool negated = parse_begin_value(ps);
	struct rule_ports *p = ports_of(ps->h, side);

	if (p->n)
		parse_mistake(
			ps, at,
			"a second list of these ports in one rule; write them as one: 80,443");
	p->n = merge(ps->ports.range, ps->ports.n);
	p->range = ps->ports.range;
	p->at = parse_location(ps, at);
	ps->ports = (struct parse_ports){0};
	if (negated)
		parse_group_end(ps);
}
