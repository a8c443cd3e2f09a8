/* SPDX-License-Identifier: BSD-2-Clause */
#include "values.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "rules/arena.h"
#include "rules/parse.h"
#include "rules/words.h"

/* --- rows -------------------------------------------------------------------------------------- */

const struct row *row_find(const struct row *rows, const char *text)
{
	for (; text && rows->names; rows++)
		if (names_index(rows->names, text, strlen(text)) >= 0)
			return rows;
	return NULL;
}

bool row_apply(struct draft *d, const struct row *row, const struct token *at)
{
	if (row->read)
		return row->read(d, row, at);
	return draft_match(d, at, row->what, row->value(d, row, at->text), false);
}

bool row_skip(struct draft *d, const struct row *row, const struct token *at)
{
	return true;
}

bool row_skip_value(struct draft *d, const struct row *row, const struct token *at)
{
	return row_skip(d, row, at);
}

bool row_take(struct draft *d, const struct row *rows, enum import_reason unknown)
{
	const struct token *name = tokens_next(d->line), *value;
	const struct row *row = row_find(rows, name->text);

	if (!row)
		return draft_leave(d, name, unknown);
	if (row->read == row_skip)
		return true;
	if (!row->read && !row->value)
		return draft_leave(d, name, row->what);
	value = tokens_next(d->line);
	return value->text ? row_apply(d, row, value) : draft_leave(d, value, REASON_ENDS);
}

/* --- lists ------------------------------------------------------------------------------------- */

struct value value_one(struct import *im, const void *item, size_t size)
{
	struct value v = {0};

	v.list.item = arena_get(im->out->memory, size);
	if (!v.list.item) {
		im->no_memory = true;
		return v;
	}
	memcpy(v.list.item, item, size);
	v.list.n = v.list.room = 1;
	return v;
}

struct value value_of(struct import *im, uint64_t number)
{
	return value_one(im, &(struct rule_value){number, UINT64_MAX}, sizeof(struct rule_value));
}

bool value_append(struct import *im, struct value *to, struct value more, size_t size)
{
	bool items = !more.bad && more.list.n;

	if (!items)
		*to = more;
	for (size_t i = 0; items && i < more.list.n; i++)
		im->no_memory |= !list_add_in(im->out->memory, &to->list,
					      (const char *)more.list.item + i * size, size);
	return items;
}

/* --- numbers ----------------------------------------------------------------------------------- */

bool number_parse(const char *text, int base, uint64_t most, uint64_t *v)
{
	char *end;

	/* A leading 0 is octal to tools that take any base; the author may not have meant that. */
	if (base == 0 && text[0] == '0' && isdigit((unsigned char)text[1]))
		return false;
	if (!isxdigit((unsigned char)*text))
		return false;
	*v = strtoull(text, &end, base);
	return end != text && !*end && *v <= most && strlen(text) < 20;
}

/* Splits TEXT[/MASK] into `head` and the mask. Returns the mask, "", or NULL if too long. */
static const char *value_split(const char *text, char *head, size_t size)
{
	size_t n = strcspn(text, "/");

	if (n >= size)
		return NULL;
	memcpy(head, text, n);
	head[n] = 0;
	return text[n] ? text + n + 1 : "";
}

bool number_parse_pair(const char *text, int base, unsigned int bits, uint64_t *v, uint64_t *mask)
{
	char head[32];
	const char *tail = value_split(text, head, sizeof(head));

	*mask = (1ull << bits) - 1;
	return tail && number_parse(head, base, *mask, v) &&
	       (!strchr(text, '/') || number_parse(tail, base, UINT64_MAX, mask));
}

struct value value_under_mask(struct import *im, uint64_t v, uint64_t mask, unsigned int bits)
{
	uint64_t most = (1ull << bits) - 1;
	struct rule_value one = {v & mask, mask & most};

	if (!one.mask)
		return VALUE_EVERY;
	return one.mask == most ? value_of(im, v) : value_one(im, &one, sizeof(one));
}

struct value value_range(struct import *im, uint64_t first, uint64_t last, unsigned int bits)
{
	const uint64_t most = (1ull << bits) - 1;
	struct value list = {.bad = first > last || last > most};

	if (list.bad || (!first && last == most))
		return list;
	while (first <= last) {
		uint64_t low = first ? (first & -first) - 1 : most;

		while (first + low > last)
			low >>= 1;
		value_append(im, &list, value_under_mask(im, first, most & ~low, bits),
			     sizeof(struct rule_value));
		first += low + 1;
	}
	return list;
}

struct value value_ports_from(struct import *im, uint64_t first, uint64_t last)
{
	return value_one(im, &(struct rule_range){(uint16_t)first, (uint16_t)last, 0},
			 sizeof(struct rule_range));
}

struct value value_port_mask(struct import *im, uint64_t port, uint64_t mask)
{
	uint16_t wild = (uint16_t)~mask, first = (uint16_t)(port & mask);

	if (wild == 0xffff)
		return VALUE_EVERY;
	if (!(wild & (wild + 1)))
		return value_ports_from(im, first, first | wild);
	return value_one(im, &(struct rule_range){first, first, wild}, sizeof(struct rule_range));
}

struct value value_flags(struct import *im, uint64_t value, uint64_t mask)
{
	return value_under_mask(im, value & mask, mask, 9);
}

struct value value_masked(struct draft *d, const struct row *row, const char *text)
{
	uint64_t v, mask;

	return number_parse_pair(text, 0, row->bits, &v, &mask)
		       ? value_under_mask(d->im, v, mask, row->bits)
		       : VALUE_BAD;
}

struct value value_number(struct draft *d, const struct row *row, const char *text)
{
	uint64_t v;

	return number_parse(text, row->base, (1ull << row->bits) - 1, &v) ? value_of(d->im, v)
									  : VALUE_BAD;
}

struct value value_masked_port(struct draft *d, const struct row *row, const char *text)
{
	uint64_t v, mask;

	return number_parse_pair(text, 0, 16, &v, &mask) ? value_port_mask(d->im, v, mask)
							 : VALUE_BAD;
}

struct value value_dscp(struct draft *d, const struct row *row, const char *text)
{
	uint64_t v;

	return dscp_number(text, &v) ? value_of(d->im, v) : value_number(d, row, text);
}

struct value value_class(struct draft *d, const struct row *row, const char *text)
{
	uint64_t v;

	return number_parse(text, 0, 0xff, &v) && !(v & 3) ? value_of(d->im, v >> 2) : VALUE_BAD;
}

struct value value_proto(struct draft *d, const struct row *row, const char *text)
{
	uint64_t n;

	if (number_parse(text, row->base, 255, &n))
		return value_of(d->im, n);
	if (!strcmp(text, "ipv6-icmp"))
		return value_of(d->im, 58);
	return proto_number(text, &n) ? value_of(d->im, n) : VALUE_BAD;
}

/* Parses one end of a range: `none` if nothing is written. */
static bool port_end(const char *text, size_t n, uint64_t none, uint64_t *port)
{
	char name[40];

	*port = none;
	if (!n)
		return true;
	if (n >= sizeof(name))
		return false;
	memcpy(name, text, n);
	name[n] = 0;
	return number_parse(name, 10, 0xffff, port) ||
	       (!isdigit((unsigned char)*name) && service_number(name, port));
}

struct value value_ports(struct draft *d, const struct row *row, const char *text)
{
	const char *between = strchr(text, row->arg ? (int)row->arg : '-');
	uint64_t first, last;

	/* A service's name may have the separator. */
	if (*text && port_end(text, strlen(text), 0, &first))
		return value_ports_from(d->im, first, first);
	if (!between || !text[1] || !port_end(text, (size_t)(between - text), 0, &first) ||
	    !port_end(between + 1, strlen(between + 1), 0xffff, &last) || first > last)
		return VALUE_BAD;
	return first == 0 && last == 0xffff ? VALUE_EVERY : value_ports_from(d->im, first, last);
}

/* Parses what is behind the data, up to the end: a mask or nothing. */
static bool option_parse_mask(const char *text, const char *before, const char *end, uint32_t *mask)
{
	size_t n = strlen(before);
	int used = 0;

	*mask = UINT32_MAX;
	if (!strncmp(text, before, n) && sscanf(text + n, "%10x%n", mask, &used) == 1)
		text += n + (size_t)used;
	return !strcmp(text, end);
}

bool option_parse(const char *text, unsigned int o[3], uint32_t *mask)
{
	int used = 0;

	if (sscanf(text, "%4x:%2x:%8x%n", &o[0], &o[1], &o[2], &used) == 3)
		return option_parse_mask(text + used, "/ffff:ff:", "", mask);
	return sscanf(text, "{class=%6x,type=%4x,len=4,%10x%n", &o[0], &o[1], &o[2], &used) == 3 &&
	       option_parse_mask(text + used, "/", "}", mask);
}

struct value value_option(struct draft *d, const struct row *row, const char *text)
{
	const uint64_t kind = 0xffffffull << 32;
	unsigned int o[3];
	uint32_t mask;

	if (!option_parse(text, o, &mask) || o[0] > UINT16_MAX || o[1] > UINT8_MAX)
		return VALUE_BAD;
	return value_under_mask(d->im, (uint64_t)o[0] << 40 | (uint64_t)o[1] << 32 | o[2],
				kind | mask, 56);
}

/* --- addresses --------------------------------------------------------------------------------- */

int value_mask_length(const uint8_t *mask, unsigned int bytes)
{
	unsigned int n = 0;

	while (n < bytes * 8 && mask[n / 8] >> (7 - n % 8) & 1)
		n++;
	for (unsigned int i = n; i < bytes * 8; i++)
		if (mask[i / 8] >> (7 - i % 8) & 1)
			return -1;
	return (int)n;
}

/* Parses a mask: so many leading bits, or an address. */
static bool net_parse_mask(const char *text, int family, unsigned int bytes, uint8_t mask[16])
{
	uint64_t bits;

	if (!number_parse(text, 10, bytes * 8, &bits))
		return inet_pton(family, text, mask) == 1;
	for (unsigned int i = 0; i < bytes; i++) {
		uint64_t here = bits > i * 8 ? bits - i * 8 : 0;

		mask[i] = (uint8_t)(here >= 8 ? 0xff : 0xff00 >> here);
	}
	return true;
}

struct value value_net(struct draft *d, const struct row *row, const char *text)
{
	unsigned int version = row->arg ? row->arg : d->family, bytes = version == 4 ? 4 : 16;
	struct rule_net net = {.family = (uint8_t)version, .bits = (uint8_t)(bytes * 8)};
	int family = version == 4 ? AF_INET : AF_INET6, length;
	char head[INET6_ADDRSTRLEN];
	const char *tail = value_split(text, head, sizeof(head));
	uint8_t mask[16] = {0};

	if (!version || !tail || inet_pton(family, head, net.addr) != 1 ||
	    (strchr(text, '/') && !net_parse_mask(tail, family, bytes, mask)))
		return VALUE_BAD;
	if (!strchr(text, '/'))
		return value_one(d->im, &net, sizeof(net));
	for (unsigned int i = 0; i < bytes; i++)
		net.addr[i] &= mask[i];
	length = value_mask_length(mask, bytes);
	net.bits = (uint8_t)(length < 0 ? NET_MASK : length);
	if (length < 0)
		memcpy(net.end, mask, bytes);
	return length ? value_one(d->im, &net, sizeof(net)) : VALUE_EVERY;
}

struct value value_address(struct draft *d, const struct row *row, const char *text)
{
	return value_net(d, &(struct row){.arg = strchr(text, ':') ? 6 : 4}, text);
}

struct value value_nets(struct draft *d, const struct row *row, const char *text)
{
	const char *between = strchr(text, '-');
	struct value first, last;
	struct rule_net *net;
	const struct rule_net *end;

	if (!between)
		return value_net(d, row, text);
	first = value_net(d, row, import_format(d->im, "%.*s", (int)(between - text), text));
	last = value_net(d, row, between + 1);
	net = first.list.item;
	end = last.list.item;
	if (!net || !end || !net_is_host(net) || !net_is_host(end))
		return VALUE_BAD;
	net->bits = NET_RANGE;
	memcpy(net->end, end->addr, sizeof(net->end));
	return first;
}

bool mac_parse(const char *text, uint64_t *mac)
{
	*mac = 0;
	for (int i = 0; i < 6; i++) {
		char *end;
		unsigned long byte = strtoul(text, &end, 16);

		if (!isxdigit((unsigned char)*text) || end - text > 2 || *end != (i < 5 ? ':' : 0))
			return false;
		*mac = *mac << 8 | byte;
		text = end + 1;
	}
	return true;
}

struct value value_mac(struct draft *d, const struct row *row, const char *text)
{
	const uint64_t all = (1ull << 48) - 1;
	char head[32];
	const char *tail = value_split(text, head, sizeof(head));
	uint64_t mac, mask = all, bits;

	if (!tail || !mac_parse(head, &mac))
		return VALUE_BAD;
	if (number_parse(tail, 10, 48, &bits))
		mask = all & ~(bits == 48 ? 0 : all >> bits);
	else if (strchr(text, '/') && !mac_parse(tail, &mask))
		return VALUE_BAD;
	return value_under_mask(d->im, mac, mask, 48);
}

/* --- changes and what is written --------------------------------------------------------------- */

bool change_fill(struct rule_change *c, unsigned int kind, unsigned int of, struct value v)
{
	const struct draft_part part = {v.list.item, (uint32_t)v.list.n, false};
	const struct rule_net *net = v.list.item;
	int64_t number;

	*c = (struct rule_change){.kind = kind, .of = (uint8_t)of};
	if (v.bad || v.list.n != 1)
		return false;
	if (kind == CHANGE_IP_SRC || kind == CHANGE_IP_DST) {
		memcpy(c->addr, net->addr, sizeof(c->addr));
		return net_is_host(net);
	}
	number = part_number(&part);
	c->value = (uint32_t)number;
	if (kind == CHANGE_ETH_SRC || kind == CHANGE_ETH_DST)
		for (int i = 0; i < 6; i++)
			c->addr[i] = (uint8_t)(number >> (40 - 8 * i));
	return number >= 0;
}

void mac_print(FILE *f, uint64_t mac)
{
	for (int i = 40; i >= 0; i -= 8)
		fprintf(f, "%s%02x", i == 40 ? "" : ":", (unsigned int)(mac >> i & 0xff));
}

void address_print(FILE *f, int version, const uint8_t *addr)
{
	char text[INET6_ADDRSTRLEN];

	fputs(inet_ntop(version == 4 ? AF_INET : AF_INET6, addr, text, sizeof(text)), f);
}

void change_print(FILE *f, const struct rule_change *c)
{
	if (c->kind == CHANGE_ETH_SRC || c->kind == CHANGE_ETH_DST)
		for (int i = 0; i < 6; i++)
			fprintf(f, "%s%02x", i ? ":" : "", c->addr[i]);
	else if (c->kind == CHANGE_IP_SRC || c->kind == CHANGE_IP_DST)
		address_print(f, c->of, c->addr);
	else if (c->kind != CHANGE_DECAP && c->kind != CHANGE_POP && c->kind != CHANGE_DEC_TTL)
		fprintf(f, "%u", c->kind == CHANGE_PUSH ? c->value & 0xfff : c->value);
}
