/* SPDX-License-Identifier: BSD-2-Clause */
#include <arpa/inet.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "rules/arena.h"
#include "rules/words.h"
#include "values.h"

bool value_number(const char *text, int base, uint64_t most, uint64_t *v)
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

/* --- addresses --------------------------------------------------------------------------------- */

/* Makes the mask of so many leading bits. */
static void net_bits(uint8_t mask[16], unsigned int bits)
{
	for (unsigned int i = 0; i < 16; i++) {
		unsigned int here = bits > i * 8 ? bits - i * 8 : 0;

		mask[i] = (uint8_t)(here >= 8 ? 0xff : 0xff00 >> here);
	}
}

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

const char *value_net(struct import *im, const char *text, int family)
{
	unsigned int bytes = family == AF_INET ? 4 : 16;
	char head[INET6_ADDRSTRLEN], masked[INET6_ADDRSTRLEN];
	const char *tail = value_split(text, head, sizeof(head));
	uint8_t addr[16] = {0}, mask[16];
	uint64_t bits = bytes * 8;
	int length;

	if (!tail || inet_pton(family, head, addr) != 1)
		return NULL;
	net_bits(mask, bytes * 8);
	if (value_number(tail, 10, bytes * 8, &bits))
		net_bits(mask, (unsigned int)bits);
	else if (strchr(text, '/') && inet_pton(family, tail, mask) != 1)
		return NULL;
	for (unsigned int i = 0; i < bytes; i++)
		addr[i] &= mask[i];
	length = value_mask_length(mask, bytes);
	inet_ntop(family, addr, head, sizeof(head));
	if (length == 0)
		return "";
	if (length == (int)bytes * 8)
		return import_format(im, "%s", head);
	if (length > 0)
		return import_format(im, "%s/%d", head, length);
	inet_ntop(family, mask, masked, sizeof(masked));
	return import_format(im, "%s/%s", head, masked);
}

const char *value_nets(struct import *im, const char *text, int family)
{
	const char *between = strchr(text, '-'), *first, *last;

	if (!between)
		return value_net(im, text, family);
	first = value_net(im, import_format(im, "%.*s", (int)(between - text), text), family);
	last = value_net(im, between + 1, family);
	return first && last && *first && *last ? import_format(im, "%s-%s", first, last) : NULL;
}

static bool mac_read(const char *text, uint64_t *mac)
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

#define MAC_FORMAT	 "%02x:%02x:%02x:%02x:%02x:%02x"
#define MAC_BYTE(mac, i) ((unsigned int)((mac) >> (40 - 8 * (i)) & 0xff))
#define MAC_BYTES(m)                                                                    \
	MAC_BYTE(m, 0), MAC_BYTE(m, 1), MAC_BYTE(m, 2), MAC_BYTE(m, 3), MAC_BYTE(m, 4), \
		MAC_BYTE(m, 5)

const char *value_mac(struct import *im, const char *text)
{
	const uint64_t all = (1ull << 48) - 1;
	char head[32];
	const char *tail = value_split(text, head, sizeof(head));
	uint64_t mac, mask = all, bits;

	if (!tail || !mac_read(head, &mac))
		return NULL;
	if (value_number(tail, 10, 48, &bits))
		mask = all & ~(bits == 48 ? 0 : all >> bits);
	else if (strchr(text, '/') && !mac_read(tail, &mask))
		return NULL;
	mac &= mask;
	if (!mask)
		return "";
	if (mask == all)
		return import_format(im, MAC_FORMAT, MAC_BYTES(mac));
	return import_format(im, MAC_FORMAT "/" MAC_FORMAT, MAC_BYTES(mac), MAC_BYTES(mask));
}

/* --- numbers ----------------------------------------------------------------------------------- */

bool value_pair(const char *text, int base, unsigned int bits, uint64_t *v, uint64_t *mask)
{
	char head[32];
	const char *tail = value_split(text, head, sizeof(head));

	*mask = (1ull << bits) - 1;
	return tail && value_number(head, base, *mask, v) &&
	       (!strchr(text, '/') || value_number(tail, base, UINT64_MAX, mask));
}

const char *value_under_mask(struct import *im, uint64_t v, uint64_t mask, unsigned int bits)
{
	uint64_t most = (1ull << bits) - 1;

	mask &= most;
	if (!mask)
		return "";
	if (mask == most)
		return import_format(im, "%" PRIu64, v);
	return import_format(im, "0x%" PRIx64 "/0x%" PRIx64, v & mask, mask);
}

const char *value_masked(struct import *im, const char *text, int base, unsigned int bits)
{
	uint64_t v, mask;

	return value_pair(text, base, bits, &v, &mask) ? value_under_mask(im, v, mask, bits) : NULL;
}

const char *value_range(struct import *im, uint64_t first, uint64_t last, unsigned int bits)
{
	const uint64_t most = (1ull << bits) - 1;
	struct value_list l = {0};

	if (first > last || last > most)
		return NULL;
	if (!first && last == most)
		return "";
	while (first <= last) {
		uint64_t low = first ? (first & -first) - 1 : most;

		while (first + low > last)
			low >>= 1;
		value_list_add(im, &l, value_under_mask(im, first, most & ~low, bits));
		first += low + 1;
	}
	return value_list_end(im, &l);
}

void value_list_add(struct import *im, struct value_list *l, const char *item)
{
	size_t n = strlen(item);

	while (l->n + n + 1 >= l->room)
		if (!array_grow((void **)&l->text, l->room, &l->room, 1)) {
			im->no_memory = true;
			return;
		}
	if (l->n)
		l->text[l->n++] = ',';
	memcpy(l->text + l->n, item, n + 1);
	l->n += n;
}

const char *value_list_end(struct import *im, struct value_list *l)
{
	const char *text = l->n ? import_format(im, "%s", l->text) : NULL;

	free(l->text);
	*l = (struct value_list){0};
	return text;
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
	return value_number(name, 10, 0xffff, port) ||
	       (!isdigit((unsigned char)*name) && service_number(name, port));
}

const char *value_ports(struct import *im, const char *text, char separator)
{
	const char *between = strchr(text, separator);
	uint64_t first, last;

	/* A service's name may have the separator. */
	if (*text && port_end(text, strlen(text), 0, &first))
		return import_format(im, "%" PRIu64, first);
	if (!between || !text[1] || !port_end(text, (size_t)(between - text), 0, &first) ||
	    !port_end(between + 1, strlen(between + 1), 0xffff, &last) || first > last)
		return NULL;
	return first == 0 && last == 0xffff
		       ? ""
		       : import_format(im, "%" PRIu64 "-%" PRIu64, first, last);
}

const char *value_port_mask(struct import *im, uint64_t port, uint64_t mask)
{
	uint64_t low = ~mask & 0xffff;

	mask &= 0xffff;
	port &= mask;
	if (!mask)
		return "";
	if (low & (low + 1))
		return import_format(im, "0x%" PRIx64 "/0x%" PRIx64, port, mask);
	return low ? import_format(im, "%" PRIu64 "-%" PRIu64, port, port + low)
		   : import_format(im, "%" PRIu64, port);
}

static const struct {
	uint64_t number;
	const char *text;
} value_protos[] = {{1, "icmp"}, {6, "tcp"}, {17, "udp"}, {58, "icmp6"}};

const char *value_proto(struct import *im, const char *text, int base)
{
	uint64_t n;

	if (!value_number(text, base, 255, &n) && !strcmp(text, "ipv6-icmp"))
		n = 58;
	else if (!value_number(text, base, 255, &n) && !proto_number(text, &n))
		return NULL;
	for (size_t i = 0; i < sizeof(value_protos) / sizeof(value_protos[0]); i++)
		if (value_protos[i].number == n)
			return value_protos[i].text;
	return import_format(im, "proto %" PRIu64, n);
}

const char *value_flags(struct import *im, uint64_t value, uint64_t mask)
{
	mask &= 0x1ff;
	if (!mask)
		return "";
	return mask == 0x1ff ? import_format(im, "0x%" PRIx64, value & mask)
			     : import_format(im, "0x%" PRIx64 "/0x%" PRIx64, value & mask, mask);
}
