/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rewrites of packet fields, for firmware's tables and for STEs of any version. A dword has the
 * fields that libmlx5's table for modify actions puts there.
 */
#include "packet.h"
#include "rewrite.h"

#define DWORD_BITS 32u

/* Source of a part of a dword: a register, or the bytes of a header. */
enum header { REG_A, REG_B, REG_C, L2, ETHERTYPE, VLAN, IP, IPV4, IPV6, PORTS, TCP };

struct dword_part {
	uint8_t low, bits; /* in the dword */
	uint8_t header;
	uint8_t at;    /* byte in the header, or number of a register C */
	uint8_t shift; /* number of lower bits in its last byte */
};

#define PARTS 4u
static const struct dword {
	struct dword_part part[PARTS];
} dwords[REWRITE_DWORDS] = {
	[REWRITE_DMAC_47_16] = {{{0, 32, L2, 0, 0}}},
	[REWRITE_DMAC_15_0] = {{{16, 16, L2, 4, 0}, {0, 16, ETHERTYPE, 0, 0}}},
	[REWRITE_VLAN] = {{{0, 16, VLAN, 0, 0}}},
	[REWRITE_SMAC_47_16] = {{{0, 32, L2, 6, 0}}},
	[REWRITE_SMAC_15_0] = {{{16, 16, L2, 10, 0}, {0, 16, ETHERTYPE, 0, 0}}},
	[REWRITE_CLASS_TTL] = {{{16, 8, IPV4, 1, 0},
				{8, 8, IPV4, 8, 0},
				{16, 8, IPV6, 0, 4},
				{8, 8, IPV6, 7, 0}}},
	[REWRITE_PORTS] = {{{16, 16, PORTS, 0, 0}, {0, 16, PORTS, 2, 0}}},
	[REWRITE_TCP_FLAGS] = {{{16, 9, TCP, 12, 0}}},
	[REWRITE_IPV4_SRC] = {{{0, 32, IPV4, 12, 0}}},
	[REWRITE_IPV4_DST] = {{{0, 32, IPV4, 16, 0}}},
	[REWRITE_IPV6_SRC_127_96] = {{{0, 32, IPV6, 8, 0}}},
	[REWRITE_IPV6_SRC_95_64] = {{{0, 32, IPV6, 12, 0}}},
	[REWRITE_IPV6_SRC_63_32] = {{{0, 32, IPV6, 16, 0}}},
	[REWRITE_IPV6_SRC_31_0] = {{{0, 32, IPV6, 20, 0}}},
	[REWRITE_IPV6_DST_127_96] = {{{0, 32, IPV6, 24, 0}}},
	[REWRITE_IPV6_DST_95_64] = {{{0, 32, IPV6, 28, 0}}},
	[REWRITE_IPV6_DST_63_32] = {{{0, 32, IPV6, 32, 0}}},
	[REWRITE_IPV6_DST_31_0] = {{{0, 32, IPV6, 36, 0}}},
	[REWRITE_L3_0_HIGH] = {{{0, 32, IPV4, 16, 0}, {0, 32, IPV6, 24, 0}}},
	[REWRITE_L3_0_LOW] = {{{0, 32, IPV4, 12, 0}, {0, 32, IPV6, 28, 0}}},
	[REWRITE_TCP_SEQ] = {{{0, 32, TCP, 4, 0}}},
	[REWRITE_TCP_ACK] = {{{0, 32, TCP, 8, 0}}},
	[REWRITE_REG_A] = {{{0, 32, REG_A, 0, 0}}},
	[REWRITE_REG_B] = {{{0, 32, REG_B, 0, 0}}},
	[REWRITE_REG_C0] = {{{0, 32, REG_C, 0, 0}}},
	[REWRITE_REG_C1] = {{{0, 32, REG_C, 1, 0}}},
	[REWRITE_REG_C2] = {{{0, 32, REG_C, 2, 0}}},
	[REWRITE_REG_C3] = {{{0, 32, REG_C, 3, 0}}},
	[REWRITE_REG_C4] = {{{0, 32, REG_C, 4, 0}}},
	[REWRITE_REG_C5] = {{{0, 32, REG_C, 5, 0}}},
};

static uint32_t mask_of(unsigned int bits)
{
	return bits < DWORD_BITS ? (1u << bits) - 1 : UINT32_MAX;
}

static uint32_t *register_of(struct packet *p, const struct dword_part *part)
{
	switch (part->header) {
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

/* Returns the first byte of a header; NULL if the packet lacks it. */
static uint8_t *header_of(struct packet *p, enum header header)
{
	struct packet_headers *h = &p->outer;
	bool is;

	switch (header) {
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
		is = h->l4_type == PACKET_TCP || (header == PORTS && h->l4_type == PACKET_UDP);
		return is ? p->data + h->l4 : NULL;
	default:
		return NULL;
	}
}

/* Returns the number of bytes that a part touches. */
static unsigned int part_bytes(const struct dword_part *part)
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

static uint32_t part_get(struct packet *p, const struct dword_part *part)
{
	const uint32_t *reg = register_of(p, part);
	const uint8_t *header = reg ? NULL : header_of(p, part->header);

	if (reg)
		return *reg;
	if (!header)
		return 0;
	return rewrite_load(header + part->at, part_bytes(part)) >> part->shift &
	       mask_of(part->bits);
}

/* --- checksums ----------------------------------------------------------------------------- */

/* Updates a checksum: subtracts the old value and adds the new one (RFC 1624). */
static void rewrite_update_sum(uint8_t *sum, uint32_t before, uint32_t after)
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
	if (p->outer.l4_type == PACKET_UDP && packet_load16(l4 + 6)) /* 0: no checksum */
		return l4 + 6;
	return NULL;
}

/* Returns true for addresses, which the pseudo header of TCP and UDP contains. */
static bool in_l4_sum(const struct dword_part *part)
{
	return part->header == PORTS || part->header == TCP ||
	       (part->header == IPV4 && part->at >= 12) || (part->header == IPV6 && part->at >= 8);
}

/*
 * Updates the checksums that cover a rewritten field. [I] The device does so; tc's pedit relies on
 * it. The dwords above lie at even offsets, and a field of at most 16 bits is summed as those 16
 * bits.
 */
static void rewrite_update_sums(struct packet *p, const struct dword_part *part, uint32_t before,
				uint32_t after)
{
	uint8_t *sum = in_l4_sum(part) ? l4_sum(p) : NULL;

	if (part->header == IPV4)
		rewrite_update_sum(p->data + p->outer.l3 + 10, before, after);
	if (sum)
		rewrite_update_sum(sum, before, after);
	/* UDP writes 0xffff for a sum of 0, as 0 means no checksum */
	if (sum && p->outer.l4_type == PACKET_UDP && !packet_load16(sum))
		rewrite_store(sum, 2, 0xffff);
}

static void part_set(struct packet *p, const struct dword_part *part, uint32_t value,
		     unsigned int *changed)
{
	uint32_t *reg = register_of(p, part), mask = mask_of(part->bits) << part->shift;
	uint8_t *header = reg ? NULL : header_of(p, part->header), *at;
	unsigned int n = part_bytes(part);
	uint32_t before;

	if (reg) {
		*reg = value;
		*changed |= REWRITE_REGISTERS;
		return;
	}
	if (!header)
		return;
	/* A single byte is summed together with the other byte of its 16 bits */
	at = header + (n == 1 ? part->at & ~1u : part->at);
	before = rewrite_load(at, n == 1 ? 2 : n);
	rewrite_store(header + part->at, n,
		      (rewrite_load(header + part->at, n) & ~mask) | (value << part->shift & mask));
	rewrite_update_sums(p, part, before, rewrite_load(at, n == 1 ? 2 : n));
	*changed |= REWRITE_HEADERS;
}

/* --- the three rewrites -------------------------------------------------------------------- */

static uint32_t dword_get(struct packet *p, const struct dword *d)
{
	uint32_t v = 0;

	for (unsigned int i = 0; i < PARTS && d->part[i].bits; i++)
		v |= part_get(p, &d->part[i]) << d->part[i].low;
	return v;
}

/*
 * Writes bits of a dword. [I] Bits that belong to no part, or to a header that the packet lacks,
 * stay as they are.
 */
static void dword_set(struct packet *p, const struct dword *d, uint32_t value, uint32_t mask,
		      unsigned int *changed)
{
	for (unsigned int i = 0; i < PARTS && d->part[i].bits; i++) {
		const struct dword_part *part = &d->part[i];
		uint32_t m = mask >> part->low & mask_of(part->bits);

		if (m)
			part_set(p, part, (part_get(p, part) & ~m) | (value >> part->low & m),
				 changed);
	}
}

void rewrite_set(struct packet *p, struct rewrite_bits to, uint32_t value, unsigned int *changed)
{
	dword_set(p, &dwords[to.dword], value << to.low, mask_of(to.bits) << to.low, changed);
}

void rewrite_add(struct packet *p, struct rewrite_bits to, uint32_t value, unsigned int *changed)
{
	rewrite_set(p, to, (dword_get(p, &dwords[to.dword]) >> to.low) + value, changed);
}

void rewrite_copy(struct packet *p, struct rewrite_bits to, struct rewrite_bits from,
		  unsigned int *changed)
{
	rewrite_set(p, to, dword_get(p, &dwords[from.dword]) >> from.low, changed);
}
