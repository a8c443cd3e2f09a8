/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fields that rewrites name: a dword of the parsed headers by its number, and bits of it. The
 * numbers and what a dword holds are those of libmlx5's table of format 1.
 */
#include <string.h>
#include "ste1.h"
#include "obj/vhca.h"

#define DWORD_SHIFT 32u /* shifts count in 64 bits: the named dword is the high half */
#define DWORD_BITS  32u

/* Where a part of a dword lies: registers beside the packet, or bytes from a header on. */
enum place { REG_A, REG_B, REG_C, L2, ETHERTYPE, VLAN, IP, IPV4, IPV6, PORTS, TCP };

struct part {
	uint8_t low, bits; /* in the dword */
	uint8_t place;
	uint8_t at;    /* byte in the header; which register C */
	uint8_t shift; /* bits below it in its last byte */
};

#define PARTS 4u
static const struct dword {
	uint8_t number;
	struct part part[PARTS];
} dwords[] = {
	{0x00, {{0, 32, L2, 0, 0}}},
	{0x01, {{16, 16, L2, 4, 0}, {0, 16, ETHERTYPE, 0, 0}}},
	{0x02, {{0, 16, VLAN, 0, 0}}},
	{0x08, {{0, 32, L2, 6, 0}}},
	{0x09, {{16, 16, L2, 10, 0}, {0, 16, ETHERTYPE, 0, 0}}},
	/* traffic class, time to live or hop limit */
	{0x0e, {{16, 8, IPV4, 1, 0}, {8, 8, IPV4, 8, 0}, {16, 8, IPV6, 0, 4}, {8, 8, IPV6, 7, 0}}},
	{0x18, {{16, 16, PORTS, 0, 0}, {0, 16, PORTS, 2, 0}}},
	{0x19, {{16, 9, TCP, 12, 0}}},
	{0x40, {{0, 32, IPV4, 12, 0}}},
	{0x41, {{0, 32, IPV4, 16, 0}}},
	{0x44, {{0, 32, IPV6, 24, 0}}},
	{0x45, {{0, 32, IPV6, 28, 0}}},
	{0x46, {{0, 32, IPV6, 32, 0}}},
	{0x47, {{0, 32, IPV6, 36, 0}}},
	{0x4c, {{0, 32, IPV6, 8, 0}}},
	{0x4d, {{0, 32, IPV6, 12, 0}}},
	{0x4e, {{0, 32, IPV6, 16, 0}}},
	{0x4f, {{0, 32, IPV6, 20, 0}}},
	{0x5e, {{0, 32, TCP, 4, 0}}},
	{0x5f, {{0, 32, TCP, 8, 0}}},
	{0x7b, {{0, 32, REG_B, 0, 0}}},
	{0x7c, {{0, 32, REG_A, 0, 0}}},
	{0x8c, {{0, 32, REG_C, 4, 0}}},
	{0x8d, {{0, 32, REG_C, 5, 0}}},
	{0x8e, {{0, 32, REG_C, 2, 0}}},
	{0x8f, {{0, 32, REG_C, 3, 0}}},
	{0x90, {{0, 32, REG_C, 0, 0}}},
	{0x91, {{0, 32, REG_C, 1, 0}}},
};

static const struct dword *rewrite_find(const struct steer_walk *w, uint32_t number)
{
	for (size_t i = 0; i < sizeof(dwords) / sizeof(dwords[0]); i++)
		if (dwords[i].number == number)
			return &dwords[i];
	steer_lost(w, "a rewrite's dword 0x%02x of the headers is not implemented", number);
	return NULL;
}

static uint32_t mask_of(unsigned int bits)
{
	return bits < DWORD_BITS ? (1u << bits) - 1 : UINT32_MAX;
}

static uint32_t *register_of(struct packet *p, const struct part *part)
{
	switch (part->place) {
	case REG_A:
		return &p->reg_a;
	case REG_B:
		return &p->reg_b;
	case REG_C:
		return &p->reg_c[part->at];
	default:
		return NULL;
	}
}

/* A header's first byte; NULL: the packet has none. */
static uint8_t *header_of(struct packet *p, enum place place)
{
	struct packet_headers *h = &p->outer;
	bool is;

	switch (place) {
	case L2:
		return h->present ? p->data + h->l2 : NULL;
	case ETHERTYPE:
		return h->present ? p->data + h->l2 + 12 + 4 * h->vlans : NULL;
	case VLAN:
		return h->vlans ? p->data + h->l2 + 14 : NULL;
	case IPV4:
		return h->ip_version == 4 ? p->data + h->l3 : NULL;
	case IPV6:
		return h->ip_version == 6 ? p->data + h->l3 : NULL;
	case TCP:
	case PORTS:
		is = h->l4_type == PACKET_TCP || (place == PORTS && h->l4_type == PACKET_UDP);
		return is ? p->data + h->l4 : NULL;
	default:
		return NULL;
	}
}

/* The whole bytes that a part touches, as a number. */
static unsigned int part_bytes(const struct part *part)
{
	return (part->bits + part->shift + 7u) / 8;
}

static uint32_t rewrite_load(const uint8_t *at, unsigned int n)
{
	uint32_t v = 0;

	while (n--)
		v = v << 8 | *at++;
	return v;
}

static void rewrite_store(uint8_t *at, unsigned int n, uint32_t v)
{
	for (; n; v >>= 8)
		at[--n] = (uint8_t)v;
}

static uint32_t part_get(struct packet *p, const struct part *part)
{
	const uint32_t *reg = register_of(p, part);
	const uint8_t *header = reg ? NULL : header_of(p, part->place);

	if (reg)
		return *reg;
	if (!header)
		return 0;
	return rewrite_load(header + part->at, part_bytes(part)) >> part->shift &
	       mask_of(part->bits);
}

/* --- checksums ----------------------------------------------------------------------------- */

/* RFC 1624: what changed is taken out of the sum and put in again. */
static void mend_sum(uint8_t *sum, uint32_t before, uint32_t after)
{
	uint32_t s = (uint16_t)~packet_load16(sum);

	s += (uint16_t)~before + (uint32_t)(uint16_t) ~(before >> 16);
	s += (after & 0xffff) + (after >> 16);
	while (s >> 16)
		s = (s & 0xffff) + (s >> 16);
	rewrite_store(sum, 2, (uint16_t)~s);
}

static uint8_t *l4_sum(struct packet *p)
{
	uint8_t *l4 = p->data + p->outer.l4;

	if (p->outer.l4_type == PACKET_TCP)
		return l4 + 16;
	if (p->outer.l4_type == PACKET_UDP && packet_load16(l4 + 6)) /* 0: it has none */
		return l4 + 6;
	return NULL;
}

/* Addresses are in the pseudo header of TCP and UDP. */
static bool in_l4_sum(const struct part *part)
{
	return part->place == PORTS || part->place == TCP ||
	       (part->place == IPV4 && part->at >= 12) || (part->place == IPV6 && part->at >= 8);
}

/*
 * [I] The device mends the checksums of what it rewrites, as tc's pedit relies on. The dwords given
 * here lie at even offsets, and a field within 16 bits is given as those.
 */
static void mend(struct packet *p, const struct part *part, uint32_t before, uint32_t after)
{
	uint8_t *sum = in_l4_sum(part) ? l4_sum(p) : NULL;

	if (part->place == IPV4)
		mend_sum(p->data + p->outer.l3 + 10, before, after);
	if (sum)
		mend_sum(sum, before, after);
	/* UDP writes a sum of 0 as its other zero */
	if (sum && p->outer.l4_type == PACKET_UDP && !packet_load16(sum))
		rewrite_store(sum, 2, 0xffff);
}

static void part_set(struct packet *p, const struct part *part, uint32_t value,
		     unsigned int *changed)
{
	uint32_t *reg = register_of(p, part), mask = mask_of(part->bits) << part->shift;
	uint8_t *header = reg ? NULL : header_of(p, part->place), *at;
	unsigned int n = part_bytes(part);
	uint32_t before;

	if (reg) {
		*reg = value;
		*changed |= STE_REGISTERS;
		return;
	}
	if (!header)
		return;
	/* a single byte is summed with its neighbour */
	at = header + (n == 1 ? part->at & ~1u : part->at);
	before = rewrite_load(at, n == 1 ? 2 : n);
	rewrite_store(header + part->at, n,
		      (rewrite_load(header + part->at, n) & ~mask) | (value << part->shift & mask));
	mend(p, part, before, rewrite_load(at, n == 1 ? 2 : n));
	*changed |= STE_HEADERS;
}

/* --- the three rewrites -------------------------------------------------------------------- */

static uint32_t dword_get(struct packet *p, const struct dword *d)
{
	uint32_t v = 0;

	for (unsigned int i = 0; i < PARTS && d->part[i].bits; i++)
		v |= part_get(p, &d->part[i]) << d->part[i].low;
	return v;
}

/* [I] Bits that no part has, and those of a header that the packet lacks, stay as they are. */
static void dword_set(struct packet *p, const struct dword *d, uint32_t value, uint32_t mask,
		      unsigned int *changed)
{
	for (unsigned int i = 0; i < PARTS && d->part[i].bits; i++) {
		const struct part *part = &d->part[i];
		uint32_t m = mask >> part->low & mask_of(part->bits);

		if (m)
			part_set(p, part, (part_get(p, part) & ~m) | (value >> part->low & m),
				 changed);
	}
}

/* False: the bits are not within the dword. length 0 is 32. */
static bool range(const struct steer_walk *w, unsigned int shifter, unsigned int length,
		  unsigned int *low, uint32_t *mask)
{
	unsigned int bits = length ? length : DWORD_BITS;

	*low = shifter - DWORD_SHIFT;
	if (shifter < DWORD_SHIFT || bits > DWORD_BITS || *low + bits > DWORD_BITS)
		return steer_lost(w, "a rewrite's shifter %u and length %u are not within a dword",
				  shifter, length);
	*mask = mask_of(bits) << *low;
	return true;
}

static bool rewrite_copy(const struct steer_walk *w, const uint8_t *a, const struct dword *to,
			 unsigned int *changed)
{
	unsigned int length = prm_ste_double_action_copy_v1_get_destination_length(a), low,
		     from_low;
	const struct dword *from =
		rewrite_find(w, prm_ste_double_action_copy_v1_get_source_dw_offset(a));
	uint32_t mask, from_mask;

	if (!from ||
	    !range(w, prm_ste_double_action_copy_v1_get_destination_left_shifter(a), length, &low,
		   &mask) ||
	    !range(w, prm_ste_double_action_copy_v1_get_source_right_shifter(a), length, &from_low,
		   &from_mask))
		return false;
	dword_set(w->packet, to, dword_get(w->packet, from) >> from_low << low, mask, changed);
	return true;
}

bool ste_rewrite(const struct steer_walk *w, const uint8_t *a, unsigned int *changed)
{
	const struct dword *d =
		rewrite_find(w, prm_ste_double_action_set_v1_get_destination_dw_offset(a));
	uint32_t mask, value = prm_ste_double_action_set_v1_get_inline_data(a);
	unsigned int low;

	if (!d)
		return false;
	if (a[0] == PRM_STE_ACTION_COPY)
		return rewrite_copy(w, a, d, changed);
	if (!range(w, prm_ste_double_action_set_v1_get_destination_left_shifter(a),
		   prm_ste_double_action_set_v1_get_destination_length(a), &low, &mask))
		return false;
	if (a[0] == PRM_STE_ACTION_ADD)
		value += dword_get(w->packet, d) >> low;
	dword_set(w->packet, d, value << low, mask, changed);
	return true;
}
