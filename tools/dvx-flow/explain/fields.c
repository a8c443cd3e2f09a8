/* SPDX-License-Identifier: BSD-2-Clause */
/* Names and notations of packet fields, for messages. */
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include "fields.h"

enum notation {
	DECIMAL,
	HEX,
	MAC_NOTATION,
	ADDRESS_NOTATION,
	PORT,
	BIT,
	KIND,
	VERSION,
	LAYER4,
	PROTOCOL
};

static const struct {
	const char *words;
	uint8_t width;
	enum notation style;
} rows[F_COUNT] = {
#define FIELD(name, bits, notation, words) [F_##name] = {words, bits, notation},
#define LEVEL_FIELD			   FIELD
#include "fields.def"
};

static enum field fields_plain(enum field f)
{
	return f >= F_PER_LEVEL && f < F_VNI ? (enum field)(f - F_PER_LEVEL) : f;
}

static bool inner(enum field f)
{
	return fields_plain(f) != f;
}

unsigned int field_width(enum field f)
{
	return rows[fields_plain(f)].width;
}

u128 field_full(enum field f)
{
	unsigned int width = field_width(f);

	return width == 128 ? ~(u128)0 : ((u128)1 << width) - 1;
}

const char *field_words(enum field f, char *buf, size_t size)
{
	snprintf(buf, size, "%s%s", inner(f) ? "inner " : "", rows[fields_plain(f)].words);
	return buf;
}

static size_t field_format_address(char *buf, size_t size, u128 value, unsigned int l3)
{
	uint8_t bytes[16];
	char text[INET6_ADDRSTRLEN];
	int six = l3 == 2 || value >> 32;

	for (unsigned int i = 0; i < 16; i++)
		bytes[i] = (uint8_t)(value >> (120 - 8 * i));
	inet_ntop(six ? AF_INET6 : AF_INET, six ? bytes : bytes + 12, text, sizeof(text));
	return (size_t)snprintf(buf, size, "%s", text);
}

static size_t field_format_mac(char *buf, size_t size, uint64_t mac)
{
	return (size_t)snprintf(buf, size, "%02x:%02x:%02x:%02x:%02x:%02x",
				(unsigned int)(mac >> 40 & 0xff), (unsigned int)(mac >> 32 & 0xff),
				(unsigned int)(mac >> 24 & 0xff), (unsigned int)(mac >> 16 & 0xff),
				(unsigned int)(mac >> 8 & 0xff), (unsigned int)(mac & 0xff));
}

static const char *protocol(unsigned long long n)
{
	switch (n) {
	case 1:
		return "icmp";
	case 6:
		return "tcp";
	case 17:
		return "udp";
	case 58:
		return "icmp6";
	default:
		return NULL;
	}
}

size_t field_value(char *buf, size_t size, enum field f, u128 value, unsigned int l3)
{
	static const char *const kinds[] = {"no tag", "0x88a8", "0x8100", "3"};
	static const char *const versions[] = {"none", "4", "6", "3"};
	static const char *const layer4[] = {"none", "tcp", "udp", "other"};
	unsigned long long n = (unsigned long long)value;

	switch (rows[fields_plain(f)].style) {
	case MAC_NOTATION:
		return field_format_mac(buf, size, (uint64_t)value);
	case ADDRESS_NOTATION:
		return field_format_address(buf, size, value, l3);
	case HEX:
		return (size_t)snprintf(buf, size, "0x%llx", n);
	case BIT:
		return (size_t)snprintf(buf, size, "%s", n ? "yes" : "no");
	case KIND:
		return (size_t)snprintf(buf, size, "%s", kinds[n & 3]);
	case VERSION:
		return (size_t)snprintf(buf, size, "%s", versions[n & 3]);
	case LAYER4:
		return (size_t)snprintf(buf, size, "%s", layer4[n & 3]);
	case PROTOCOL:
		if (protocol(n))
			return (size_t)snprintf(buf, size, "%s", protocol(n));
		break;
	case DECIMAL:
	case PORT:
		break;
	}
	return (size_t)snprintf(buf, size, "%llu", n);
}

/* Returns the number of leading ones of a mask, or -1 if other bits are set. */
static int prefix(u128 mask, unsigned int width)
{
	unsigned int n = 0;

	while (n < width && mask >> (width - 1 - n) & 1)
		n++;
	return n == width || !(mask & (((u128)1 << (width - n)) - 1)) ? (int)n : -1;
}

static size_t field_format_mask(char *buf, size_t size, enum field f, u128 mask, unsigned int l3)
{
	unsigned int width = field_width(f);
	char text[64];

	if (rows[fields_plain(f)].style == ADDRESS_NOTATION) {
		int n;

		width = l3 == 2 || mask >> 32 ? 128 : 32;
		n = prefix(mask, width);
		if (n == (int)width)
			return 0;
		if (n >= 0)
			return (size_t)snprintf(buf, size, "/%d", n);
	}
	if (mask == field_full(f))
		return 0;
	if (rows[fields_plain(f)].style == ADDRESS_NOTATION ||
	    rows[fields_plain(f)].style == MAC_NOTATION)
		field_value(text, sizeof(text), f, mask, l3);
	else
		snprintf(text, sizeof(text), "0x%llx", (unsigned long long)mask);
	return (size_t)snprintf(buf, size, " mask %s", text);
}

size_t field_format(char *buf, size_t size, enum field f, u128 value, u128 mask, unsigned int l3)
{
	char words[64], number[64], bits[80] = "";
	const char *version = "";

	field_words(f, words, sizeof(words));
	if (rows[fields_plain(f)].style == PORT && mask != field_full(f) && prefix(mask, 16) > 0)
		return (size_t)snprintf(buf, size, "%s %u-%u", words, (unsigned int)value,
					(unsigned int)(value | (~mask & 0xffff)));
	field_value(number, sizeof(number), f, value, l3);
	field_format_mask(bits, sizeof(bits), f, mask, l3);
	if (rows[fields_plain(f)].style == ADDRESS_NOTATION)
		version = l3 == 2 || (value | mask) >> 32 ? "ipv6 " : "ipv4 ";
	return (size_t)snprintf(buf, size, "%s%s %s%s", version, words, number, bits);
}

static size_t fields_add(char *buf, size_t size, size_t at, const char *text)
{
	size_t len = strlen(text);

	if (at + len < size)
		memcpy(buf + at, text, len + 1);
	return at + len;
}

static size_t fields_add_pair(char *buf, size_t size, size_t at, const struct fields *p,
			      enum field from, enum field to)
{
	unsigned int l3 = (unsigned int)p->value[F_L3];
	char text[64];

	if (!p->known[from] && !p->known[to])
		return at;
	field_value(text, sizeof(text), from, p->value[from], l3);
	at = fields_add(buf, size, at, " ");
	at = fields_add(buf, size, at, p->known[from] ? text : "?");
	field_value(text, sizeof(text), to, p->value[to], l3);
	at = fields_add(buf, size, at, " > ");
	return fields_add(buf, size, at, p->known[to] ? text : "?");
}

static size_t headers_line(char *buf, size_t size, const struct fields *p)
{
	static const char *const l4[] = {"", " tcp", " udp", ""};
	size_t at = 0;
	char text[64];

	buf[0] = 0;
	if (p->value[F_VLAN_KIND]) {
		snprintf(text, sizeof(text), "vlan %u ", (unsigned int)p->value[F_VLAN_ID]);
		at = fields_add(buf, size, at, text);
	}
	if (p->value[F_VLAN2_KIND]) {
		snprintf(text, sizeof(text), "vlan %u ", (unsigned int)p->value[F_VLAN2_ID]);
		at = fields_add(buf, size, at, text);
	}
	if (!p->value[F_L3]) {
		at = fields_add(buf, size, at, "ether");
		at = fields_add_pair(buf, size, at, p, F_SMAC, F_DMAC);
		snprintf(text, sizeof(text), " type 0x%04x", (unsigned int)p->value[F_ETHERTYPE]);
		return p->known[F_ETHERTYPE] ? fields_add(buf, size, at, text) : at;
	}
	at = fields_add(buf, size, at, p->value[F_L3] == 2 ? "ipv6" : "ipv4");
	at = fields_add_pair(buf, size, at, p, F_SRC, F_DST);
	at = fields_add(buf, size, at, l4[p->value[F_L4] & 3]);
	if (!l4[p->value[F_L4] & 3][0] && p->known[F_PROTO]) {
		snprintf(text, sizeof(text), " proto %u", (unsigned int)p->value[F_PROTO]);
		at = fields_add(buf, size, at, text);
	}
	return fields_add_pair(buf, size, at, p, F_SPORT, F_DPORT);
}

size_t fields_line(char *buf, size_t size, const struct fields *p)
{
	size_t at = headers_line(buf, size, p);
	struct fields in = {0};

	if (!p->known[F_INNER(F_L3)] || at >= size)
		return at;
	memcpy(in.value, p->value + F_PER_LEVEL, F_PER_LEVEL * sizeof(in.value[0]));
	memcpy(in.known, p->known + F_PER_LEVEL, F_PER_LEVEL * sizeof(in.known[0]));
	at = fields_add(buf, size, at, ", inside ");
	return at < size ? at + headers_line(buf + at, size - at, &in) : at;
}
