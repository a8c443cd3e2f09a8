/* SPDX-License-Identifier: BSD-2-Clause */
/* Changes of a frame's bytes. Its fields are read again after each change. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "change.h"
#include "dvx/prm/ste1.h"

#define SHORTEST_FRAME 14u

/* Fields that entries compare besides the frame. A change of the frame leaves them alone. */
static const enum field kept[] = {F_REG_A,  F_REG_C0, F_REG_C1, F_REG_C2, F_REG_C3, F_REG_C4,
				  F_REG_C5, F_REG_C6, F_REG_C7, F_SOURCE, F_SQN,    F_LOOPED};

static void frame_parse(struct changing_packet *p)
{
	struct fields old = p->f;

	fields_of_frame_at(&p->f, &p->at, p->bytes, p->len);
	for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++) {
		p->f.value[kept[i]] = old.value[kept[i]];
		p->f.known[kept[i]] = old.known[kept[i]];
	}
}

/* --- checksums: each covers all its bytes, and is corrected by the change of their sum --- */

static uint32_t sum_of(const uint8_t *p, size_t len)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < len; i++)
		sum += i % 2 ? p[i] : (uint32_t)p[i] << 8;
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint32_t)sum;
}

struct covered {
	uint8_t *field; /* NULL: there is none */
	uint32_t sum;	/* of the bytes that it covers */
};

static struct covered covered_by_ipv4(const struct changing_packet *p)
{
	uint8_t *ip = p->bytes + p->at.l3;

	if (p->f.value[F_L3] != 1)
		return (struct covered){NULL, 0};
	return (struct covered){ip + 10, sum_of(ip, 10) + sum_of(ip + 12, 8)};
}

static struct covered covered_by_l4(const struct changing_packet *p)
{
	bool tcp = p->f.value[F_L4] == 1, six = p->f.value[F_L3] == 2;
	uint8_t *l4 = p->bytes + p->at.l4, *ip = p->bytes + p->at.l3;
	size_t at = tcp ? 16 : 6;

	if (!p->at.l4 || (!tcp && p->f.value[F_L4] != 2))
		return (struct covered){NULL, 0};
	if (!tcp && !l4[6] && !l4[7]) /* UDP without a checksum */
		return (struct covered){NULL, 0};
	return (struct covered){l4 + at,
				sum_of(ip + (six ? 8 : 12), six ? 32 : 8) + sum_of(l4, at) +
					sum_of(l4 + at + 2, p->at.end - p->at.l4 - at - 2)};
}

/* Corrects a checksum. In ones' complement a sum is 0xffff, not 0: some byte is not 0. */
static void correct(const struct covered *c, uint32_t now, bool udp)
{
	uint32_t sum;

	if (!c->field || now == c->sum)
		return;
	sum = (~((uint32_t)c->field[0] << 8 | c->field[1]) & 0xffff) + 0xffff - c->sum % 0xffff;
	sum = (sum + now) % 0xffff;
	sum = sum ? 0xffff - sum : 0;
	if (!sum && udp) /* 0 would mean none */
		sum = 0xffff;
	c->field[0] = (uint8_t)(sum >> 8);
	c->field[1] = (uint8_t)sum;
}

/* --- fields --- */

static uint8_t *frame_header(struct changing_packet *p, enum change_header header)
{
	switch (header) {
	case TYPE:
		return p->bytes + p->at.type;
	case TAG:
		return p->bytes + 14;
	case IPV4:
	case IPV6:
		return p->bytes + p->at.l3;
	case PORTS:
	case TCP:
		return p->bytes + p->at.l4;
	default:
		return p->bytes;
	}
}

int frame_store(struct changing_packet *p, const struct change_part *part, uint32_t value)
{
	uint8_t *at = frame_header(p, (enum change_header)part->header) + part->at;
	struct covered ip = covered_by_ipv4(p), l4 = covered_by_l4(p);
	uint32_t mask = change_mask(part->bits) << part->shift;
	uint32_t word = (frame_number(at, part->bytes) & ~mask) | (value << part->shift & mask);

	for (unsigned int i = part->bytes; i--; word >>= 8)
		at[i] = (uint8_t)word;
	correct(&ip, covered_by_ipv4(p).sum, false);
	correct(&l4, covered_by_l4(p).sum, p->f.value[F_L4] == 2);
	frame_parse(p);
	return 0;
}

/* --- headers --- */

static bool frame_anchor(const struct changing_packet *p, unsigned int anchor, size_t *at)
{
	switch (anchor) {
	case PRM_STE_ANCHOR_START_OUTER:
		*at = 0;
		return p->f.known[F_DMAC];
	case PRM_STE_ANCHOR_1ST_VLAN:
		*at = 12;
		return p->f.value[F_VLAN_KIND] != 0;
	case PRM_STE_ANCHOR_IPV6_IPV4:
		*at = p->at.l3;
		return p->at.l3;
	case PRM_STE_ANCHOR_INNER_MAC:
		*at = p->at.inner_l2;
		return p->at.inner_l2;
	case PRM_STE_ANCHOR_INNER_IPV6_IPV4:
		*at = p->at.inner_l3;
		return p->at.inner_l3;
	default:
		return false;
	}
}

static int frame_remove(struct changing_packet *p, size_t from, size_t to, const char **why)
{
	if (to < from || to > p->len || p->len - (to - from) < SHORTEST_FRAME) {
		*why = "removes more bytes than the packet has";
		return -EINVAL;
	}
	memmove(p->bytes + from, p->bytes + to, p->len - to);
	p->len -= to - from;
	frame_parse(p);
	return 0;
}

/* Makes a gap of n bytes. Returns 0 or -ENOMEM. */
static int frame_open(struct changing_packet *p, size_t at, size_t n)
{
	if (p->room < p->len + n) {
		uint8_t *more = realloc(p->bytes, p->len + n + 64);

		if (!more)
			return -ENOMEM;
		p->bytes = more;
		p->room = p->len + n + 64;
	}
	memmove(p->bytes + at + n, p->bytes + at, p->len - at);
	p->len += n;
	return 0;
}

static int frame_insert(struct changing_packet *p, size_t at, uint32_t value, const char **why)
{
	if (at > p->len) {
		*why = "inserts bytes behind the packet's end";
		return -EINVAL;
	}
	if (frame_open(p, at, 4))
		return -ENOMEM;
	for (unsigned int i = 0; i < 4; i++)
		p->bytes[at + i] = (uint8_t)(value >> (24 - 8 * i));
	frame_parse(p);
	return 0;
}

int frame_resize(struct changing_packet *p, const struct packet_change *c, const char **why)
{
	size_t at, end = 0;

	if (!frame_anchor(p, c->anchor, &at) ||
	    (c->kind == PACKET_REMOVE_TO && !frame_anchor(p, c->end, &end))) {
		*why = "counts from a header that the packet does not have";
		return -EINVAL;
	}
	at += c->offset;
	if (c->kind == PACKET_INSERT)
		return frame_insert(p, at, c->value, why);
	return frame_remove(p, at, c->kind == PACKET_REMOVE ? at + c->bytes : end, why);
}

/* --- tunnels that begin ------------------------------------------------------------------------- */

#define ENCAP_L3      14u
#define ENCAP_TYPE_V4 0x0800
#define ENCAP_UDP     17

static void frame_store16(uint8_t *at, size_t value)
{
	at[0] = (uint8_t)(value >> 8);
	at[1] = (uint8_t)value;
}

/*
 * Fills in the lengths and IPv4's checksum, as the device does. UDP's source port stays 0. Returns
 * whether there is one.
 */
static bool encap_fill(uint8_t *frame, size_t len)
{
	bool v4 = frame_number(frame + ENCAP_L3 - 2, 2) == ENCAP_TYPE_V4;
	size_t l4 = ENCAP_L3 + (v4 ? 20 : 40);
	uint8_t *ip = frame + ENCAP_L3;
	bool udp = ip[v4 ? 9 : 6] == ENCAP_UDP;

	frame_store16(ip + (v4 ? 2 : 4), len - (v4 ? ENCAP_L3 : l4));
	if (udp)
		frame_store16(frame + l4 + 4, len - l4);
	if (v4)
		frame_store16(ip + 10, ~sum_of(ip, 20) & 0xffff);
	return udp;
}

int frame_encap(struct changing_packet *p, const struct packet_change *c)
{
	bool udp;

	if (frame_open(p, 0, c->bytes))
		return -ENOMEM;
	memcpy(p->bytes, c->header, c->bytes);
	udp = encap_fill(p->bytes, p->len);
	frame_parse(p);
	p->f.known[F_SPORT] &= !udp;
	return 0;
}

/* The packet's headers become the inner ones; the outer ones are read from the tunnel's header. */
int words_encap(struct changing_packet *p, const struct packet_change *c)
{
	enum { ANY_PAYLOAD = 64 };
	size_t len = c->bytes + ANY_PAYLOAD;
	uint8_t *frame = calloc(1, len);
	struct fields outer = {.option = p->f.option};
	bool udp;

	if (!frame)
		return -ENOMEM;
	memcpy(frame, c->header, c->bytes);
	udp = encap_fill(frame, len);
	fields_of_frame(&outer, frame, len);
	free(frame);
	for (int f = 0; f < F_PER_LEVEL; f++) {
		outer.value[F_PER_LEVEL + f] = p->f.value[f];
		outer.known[F_PER_LEVEL + f] = p->f.known[f];
	}
	outer.known[F_SPORT] &= !udp;
	for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++) {
		outer.value[kept[i]] = p->f.value[kept[i]];
		outer.known[kept[i]] = p->f.known[kept[i]];
	}
	p->f = outer;
	return 0;
}
