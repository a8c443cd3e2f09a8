/* SPDX-License-Identifier: BSD-2-Clause */
/* Names and notations of packet fields, for messages. */
#include <arpa/inet.h>
#include <stdarg.h>
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
} field_rows[F_COUNT] = {
#define FIELD(name, bits, notation, words) [F_##name] = {words, bits, notation},
#define LEVEL_FIELD			   FIELD
#include "fields.def"
};

struct sentence sentence_begin(char *buf, size_t size)
{
	if (size)
		buf[0] = 0;
	return (struct sentence){buf, size, 0};
}

void sentence_add(struct sentence *t, const char *fmt, ...)
{
	size_t left = t->at < t->size ? t->size - t->at : 0;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(left ? t->buf + t->at : NULL, left, fmt, ap);
	va_end(ap);
	t->at += n > 0 ? (size_t)n : 0;
}

static enum field fields_plain(enum field f)
{
	return f >= F_PER_LEVEL && f < F_VNI ? (enum field)(f - F_PER_LEVEL) : f;
}

void sentence_add_words(struct sentence *t, enum field f)
{
	sentence_add(t, "%s%s", fields_plain(f) != f ? "inner " : "", field_rows[fields_plain(f)].words);
}

static void sentence_add_address(struct sentence *t, u128 value, unsigned int l3)
{
	uint8_t bytes[16];
	char text[INET6_ADDRSTRLEN];
	int six = l3 == 2 || value >> 32;

	for (unsigned int i = 0; i < 16; i++)
		bytes[i] = (uint8_t)(value >> (120 - 8 * i));
	inet_ntop(six ? AF_INET6 : AF_INET, six ? bytes : bytes + 12, text, sizeof(text));
	sentence_add(t, "%s", text);
}

/* Returns a number's name, NULL: it has none. */
static const char *fields_name(enum notation style, unsigned int n)
{
	static const char *const bits[] = {"no", "yes", "yes", "yes"};
	static const char *const kinds[] = {"no tag", "0x88a8", "0x8100", "3"};
	static const char *const versions[] = {"none", "4", "6", "3"};
	static const char *const layer4[] = {"none", "tcp", "udp", "other"};

	switch (style) {
	case BIT:
		return bits[n & 3];
	case KIND:
		return kinds[n & 3];
	case VERSION:
		return versions[n & 3];
	case LAYER4:
		return layer4[n & 3];
	case PROTOCOL:
		return n == 1	 ? "icmp"
		       : n == 6	 ? "tcp"
		       : n == 17 ? "udp"
		       : n == 58 ? "icmp6"
				 : NULL;
	default:
		return NULL;
	}
}

void sentence_add_value(struct sentence *t, enum field f, u128 value, unsigned int l3)
{
	enum notation style = field_rows[fields_plain(f)].style;
	const char *name = fields_name(style, (unsigned int)value);

	if (name)
		sentence_add(t, "%s", name);
	else if (style == ADDRESS_NOTATION)
		sentence_add_address(t, value, l3);
	else if (style == MAC_NOTATION)
		for (int i = 5; i >= 0; i--)
			sentence_add(t, "%02x%s", (unsigned int)(value >> 8 * i) & 0xff,
				     i ? ":" : "");
	else
		sentence_add(t, style == HEX ? "0x%llx" : "%llu", (unsigned long long)value);
}

/* Returns the number of leading ones of a mask, or -1 if other bits are set. */
static int prefix(u128 mask, unsigned int width)
{
	unsigned int n = 0;

	while (n < width && mask >> (width - 1 - n) & 1)
		n++;
	return n == width || !(mask & (((u128)1 << (width - n)) - 1)) ? (int)n : -1;
}

void sentence_add_field(struct sentence *t, enum field f, u128 value, u128 mask, unsigned int l3)
{
	unsigned int width = field_rows[fields_plain(f)].width;
	enum notation style = field_rows[fields_plain(f)].style;
	int n;

	if (style == ADDRESS_NOTATION) {
		sentence_add(t, l3 == 2 || (value | mask) >> 32 ? "ipv6 " : "ipv4 ");
		width = l3 == 2 || mask >> 32 ? 128 : 32;
	}
	n = prefix(mask, width);
	sentence_add_words(t, f);
	sentence_add(t, " ");
	sentence_add_value(t, f, value, l3);
	if (n == (int)width)
		return;
	if (style == PORT && n > 0)
		sentence_add(t, "-%u", (unsigned int)(value | (~mask & 0xffff)));
	else if (style == ADDRESS_NOTATION && n >= 0)
		sentence_add(t, "/%d", n);
	else if (style == ADDRESS_NOTATION || style == MAC_NOTATION) {
		sentence_add(t, " mask ");
		sentence_add_value(t, f, mask, l3);
	} else {
		sentence_add(t, " mask 0x%llx", (unsigned long long)mask);
	}
}

/* --- packets --- */

static void fields_add_pair(struct sentence *t, const struct fields *p, enum field from,
			    enum field to)
{
	if (!p->known[from] && !p->known[to])
		return;
	for (int i = 0; i < 2; i++) {
		enum field f = i ? to : from;

		sentence_add(t, i ? " > " : " ");
		if (p->known[f])
			sentence_add_value(t, f, p->value[f], (unsigned int)p->value[F_L3]);
		else
			sentence_add(t, "?");
	}
}

static void fields_add_headers(struct sentence *t, const struct fields *p)
{
	static const char *const l4[] = {"", " tcp", " udp", ""};
	const char *ports = l4[p->value[F_L4] & 3];

	if (p->value[F_VLAN_KIND])
		sentence_add(t, "vlan %u ", (unsigned int)p->value[F_VLAN_ID]);
	if (p->value[F_VLAN2_KIND])
		sentence_add(t, "vlan %u ", (unsigned int)p->value[F_VLAN2_ID]);
	if (!p->value[F_L3]) {
		sentence_add(t, "ether");
		fields_add_pair(t, p, F_SMAC, F_DMAC);
		if (p->known[F_ETHERTYPE])
			sentence_add(t, " type 0x%04x", (unsigned int)p->value[F_ETHERTYPE]);
		return;
	}
	sentence_add(t, p->value[F_L3] == 2 ? "ipv6" : "ipv4");
	fields_add_pair(t, p, F_SRC, F_DST);
	sentence_add(t, "%s", ports);
	if (!ports[0] && p->known[F_PROTO])
		sentence_add(t, " proto %u", (unsigned int)p->value[F_PROTO]);
	fields_add_pair(t, p, F_SPORT, F_DPORT);
}

void fields_line(char *buf, size_t size, const struct fields *p)
{
	struct sentence t = sentence_begin(buf, size);
	struct fields in = {0};

	fields_add_headers(&t, p);
	if (!p->known[F_INNER(F_L3)])
		return;
	memcpy(in.value, p->value + F_PER_LEVEL, F_PER_LEVEL * sizeof(in.value[0]));
	memcpy(in.known, p->known + F_PER_LEVEL, F_PER_LEVEL * sizeof(in.known[0]));
	sentence_add(&t, ", inside ");
	fields_add_headers(&t, &in);
}
