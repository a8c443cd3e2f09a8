/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Matchers' masks. In a dump, a mask is the memory of libmlx5's structures
 * (providers/mlx5/mlx5dv_dr.h): little-endian words of bit fields, on the x86 or Arm machine that
 * printed it. Their order and packing changed with the versions: enum mask_layout.
 */
#include "tables.h"

#define WORDS 16

struct mask_row {
	uint8_t part, word, low, width;
	uint8_t field;
	uint8_t shift; /* where in the field it belongs */
};

enum { SPEC, INNER, MISC, MISC2, MISC3, MISC4, MISC5, PARTS };

/* Parts SPEC and INNER share their rows. */
static const struct mask_row rows[] = {
	{SPEC, 0, 0, 32, F_SMAC, 16},
	{SPEC, 1, 0, 16, F_SMAC, 0},
	{SPEC, 1, 16, 16, F_ETHERTYPE, 0},
	{SPEC, 2, 0, 32, F_DMAC, 16},
	{SPEC, 3, 0, 16, F_DMAC, 0},
	{SPEC, 3, 16, 3, F_VLAN_PCP, 0},
	{SPEC, 3, 19, 1, F_VLAN_DEI, 0},
	{SPEC, 3, 20, 12, F_VLAN_ID, 0},
	{SPEC, 4, 0, 8, F_PROTO, 0},
	{SPEC, 4, 8, 6, F_DSCP, 0},
	{SPEC, 4, 14, 2, F_ECN, 0},
	{SPEC, 4, 16, 1, F_VLAN_KIND, 0},
	{SPEC, 4, 17, 1, F_VLAN_KIND, 1},
	{SPEC, 4, 18, 1, F_FRAG, 0},
	{SPEC, 4, 19, 4, F_L3, 0},
	{SPEC, 4, 23, 9, F_TCP_FLAGS, 0},
	{SPEC, 5, 0, 16, F_SPORT, 0},
	{SPEC, 5, 16, 16, F_DPORT, 0},
	{SPEC, 6, 16, 4, F_IHL, 0},
	{SPEC, 6, 20, 1, F_L3_OK, 0},
	{SPEC, 6, 21, 1, F_L4_OK, 0},
	{SPEC, 6, 22, 1, F_IPV4_SUM_OK, 0},
	{SPEC, 6, 23, 1, F_L4_SUM_OK, 0},
	{SPEC, 6, 24, 8, F_TTL, 0},
	{SPEC, 7, 0, 16, F_SPORT, 0},
	{SPEC, 7, 16, 16, F_DPORT, 0},
	{SPEC, 8, 0, 32, F_SRC, 96},
	{SPEC, 9, 0, 32, F_SRC, 64},
	{SPEC, 10, 0, 32, F_SRC, 32},
	{SPEC, 11, 0, 32, F_SRC, 0},
	{SPEC, 12, 0, 32, F_DST, 96},
	{SPEC, 13, 0, 32, F_DST, 64},
	{SPEC, 14, 0, 32, F_DST, 32},
	{SPEC, 15, 0, 32, F_DST, 0},
	{MISC, 0, 8, 24, F_SQN, 0},
	{MISC, 1, 16, 16, F_SOURCE, 0},
	{MISC, 2, 0, 3, F_VLAN2_PCP, 0},
	{MISC, 2, 3, 1, F_VLAN2_DEI, 0},
	{MISC, 2, 4, 12, F_VLAN2_ID, 0},
	{MISC, 2, 16, 3, F_PER_LEVEL + F_VLAN2_PCP, 0},
	{MISC, 2, 19, 1, F_PER_LEVEL + F_VLAN2_DEI, 0},
	{MISC, 2, 20, 12, F_PER_LEVEL + F_VLAN2_ID, 0},
	{MISC, 3, 0, 1, F_VLAN2_KIND, 0},
	{MISC, 3, 1, 1, F_PER_LEVEL + F_VLAN2_KIND, 0},
	{MISC, 3, 2, 1, F_VLAN2_KIND, 1},
	{MISC, 3, 3, 1, F_PER_LEVEL + F_VLAN2_KIND, 1},
	{MISC, 0, 0, 1, F_GRE_SUM, 0},
	{MISC, 0, 2, 1, F_GRE_HAS_KEY, 0},
	{MISC, 0, 3, 1, F_GRE_SEQ, 0},
	{MISC, 3, 16, 16, F_GRE_PROTO, 0},
	{MISC, 4, 0, 24, F_GRE_KEY, 8},
	{MISC, 4, 24, 8, F_GRE_KEY, 0},
	{MISC, 5, 0, 24, F_VNI, 8},
	{MISC, 6, 0, 24, F_GENEVE_VNI, 0},
	{MISC, 6, 31, 1, F_GENEVE_OAM, 0},
	{MISC, 7, 12, 20, F_FLOWLABEL, 0},
	{MISC, 8, 12, 20, F_PER_LEVEL + F_FLOWLABEL, 0},
	{MISC, 9, 10, 6, F_GENEVE_OPTIONS, 0},
	{MISC, 9, 16, 16, F_GENEVE_PROTO, 0},
	{MISC2, 0, 0, 20, F_MPLS_LABEL, 0},
	{MISC2, 0, 20, 3, F_MPLS_TC, 0},
	{MISC2, 0, 23, 1, F_MPLS_BOTTOM, 0},
	{MISC2, 0, 24, 8, F_MPLS_TTL, 0},
	{MISC2, 1, 0, 20, F_PER_LEVEL + F_MPLS_LABEL, 0},
	{MISC2, 1, 20, 3, F_PER_LEVEL + F_MPLS_TC, 0},
	{MISC2, 1, 23, 1, F_PER_LEVEL + F_MPLS_BOTTOM, 0},
	{MISC2, 1, 24, 8, F_PER_LEVEL + F_MPLS_TTL, 0},
	{MISC2, 4, 0, 32, F_REG_C0 + 7, 0},
	{MISC2, 5, 0, 32, F_REG_C0 + 6, 0},
	{MISC2, 6, 0, 32, F_REG_C0 + 5, 0},
	{MISC2, 7, 0, 32, F_REG_C0 + 4, 0},
	{MISC2, 8, 0, 32, F_REG_C0 + 3, 0},
	{MISC2, 9, 0, 32, F_REG_C0 + 2, 0},
	{MISC2, 10, 0, 32, F_REG_C0 + 1, 0},
	{MISC2, 11, 0, 32, F_REG_C0, 0},
	{MISC2, 12, 0, 32, F_REG_A, 0},
	{MISC3, 0, 0, 32, F_PER_LEVEL + F_TCP_SEQ, 0},
	{MISC3, 1, 0, 32, F_TCP_SEQ, 0},
	{MISC3, 2, 0, 32, F_PER_LEVEL + F_TCP_ACK, 0},
	{MISC3, 3, 0, 32, F_TCP_ACK, 0},
	{MISC3, 4, 8, 24, F_GPE_VNI, 0},
	{MISC3, 5, 0, 8, F_GPE_NEXT, 0},
	{MISC3, 5, 8, 8, F_GPE_FLAGS, 0},
	{MISC3, 6, 0, 32, F_ICMP_DATA, 0},
	{MISC3, 7, 0, 32, F_ICMP_DATA, 0},
	{MISC3, 8, 0, 8, F_ICMP_TYPE, 0},
	{MISC3, 8, 8, 8, F_ICMP_CODE, 0},
	{MISC3, 8, 16, 8, F_ICMP_TYPE, 0},
	{MISC3, 8, 24, 8, F_ICMP_CODE, 0},
	{MISC3, 9, 0, 32, F_GENEVE_OPTION, 0},
	{MISC3, 10, 0, 32, F_GTPU_TEID, 0},
	{MISC5, 4, 0, 32, F_TUNNEL_0, 0},
	{MISC5, 5, 0, 32, F_TUNNEL_1, 0},
};

/* Fields that lie elsewhere in layouts without reserved fields; bits count from the low end. */
static const struct {
	enum mask_layout only; /* MASK_NOW: both */
	struct mask_row row;
} packed[] = {
	{MASK_28, {SPEC, 6, 0, 8, F_TTL, 0}},
	{MASK_28, {SPEC, 6, 8, 16, F_DPORT, 0}},
	{MASK_36, {SPEC, 6, 0, 4, F_IHL, 0}},
	{MASK_36, {SPEC, 6, 4, 1, F_L3_OK, 0}},
	{MASK_36, {SPEC, 6, 5, 1, F_L4_OK, 0}},
	{MASK_36, {SPEC, 6, 6, 1, F_IPV4_SUM_OK, 0}},
	{MASK_36, {SPEC, 6, 7, 1, F_L4_SUM_OK, 0}},
	{MASK_36, {SPEC, 6, 8, 8, F_TTL, 0}},
	{MASK_36, {SPEC, 6, 16, 16, F_DPORT, 0}},
	{MASK_NOW, {SPEC, 7, 0, 16, F_SPORT, 0}},
	{MASK_NOW, {MISC, 0, 0, 24, F_SQN, 0}},
	{MASK_NOW, {MISC, 0, 28, 1, F_GRE_SEQ, 0}},
	{MASK_NOW, {MISC, 0, 29, 1, F_GRE_HAS_KEY, 0}},
	{MASK_NOW, {MISC, 0, 30, 1, F_GRE_SUM, 0}},
	{MASK_NOW, {MISC, 1, 0, 16, F_SOURCE, 0}},
	{MASK_NOW, {MISC, 1, 16, 12, F_PER_LEVEL + F_VLAN2_ID, 0}},
	{MASK_NOW, {MISC, 1, 28, 1, F_PER_LEVEL + F_VLAN2_DEI, 0}},
	{MASK_NOW, {MISC, 1, 29, 3, F_PER_LEVEL + F_VLAN2_PCP, 0}},
	{MASK_NOW, {MISC, 2, 0, 12, F_VLAN2_ID, 0}},
	{MASK_NOW, {MISC, 2, 12, 1, F_VLAN2_DEI, 0}},
	{MASK_NOW, {MISC, 2, 13, 3, F_VLAN2_PCP, 0}},
	{MASK_NOW, {MISC, 2, 16, 16, F_GRE_PROTO, 0}},
	{MASK_NOW, {MISC, 3, 0, 1, F_PER_LEVEL + F_VLAN2_KIND, 1}},
	{MASK_NOW, {MISC, 3, 1, 1, F_VLAN2_KIND, 1}},
	{MASK_NOW, {MISC, 3, 2, 1, F_PER_LEVEL + F_VLAN2_KIND, 0}},
	{MASK_NOW, {MISC, 3, 3, 1, F_VLAN2_KIND, 0}},
	{MASK_NOW, {MISC, 3, 4, 8, F_GRE_KEY, 0}},
	{MASK_NOW, {MISC, 4, 0, 24, F_GRE_KEY, 8}},
	{MASK_NOW, {MISC, 5, 0, 24, F_VNI, 8}},
	{MASK_NOW, {MISC, 5, 24, 1, F_GENEVE_OAM, 0}},
	{MASK_NOW, {MISC, 6, 0, 24, F_GENEVE_VNI, 0}},
	{MASK_NOW, {MISC, 7, 0, 20, F_FLOWLABEL, 0}},
	{MASK_NOW, {MISC, 8, 0, 20, F_PER_LEVEL + F_FLOWLABEL, 0}},
	{MASK_NOW, {MISC, 9, 0, 16, F_GENEVE_PROTO, 0}},
	{MASK_NOW, {MISC, 9, 16, 6, F_GENEVE_OPTIONS, 0}},
	{MASK_NOW, {MISC3, 4, 24, 8, F_GPE_FLAGS, 0}},
	{MASK_NOW, {MISC3, 5, 0, 8, F_GPE_NEXT, 0}},
};

static bool is_packed(enum mask_layout layout, const struct mask_row *r)
{
	return layout >= MASK_28 && (r->part == MISC || (r->part == MISC3 && r->word == 5) ||
				     (r->part == SPEC && (r->word == 6 || r->word == 7)));
}

static bool read_words(uint32_t *words, const char *hex, size_t len)
{
	uint8_t bytes[4 * WORDS];

	if (len % 8 || len > 2 * sizeof(bytes) || !dump_hex_bytes(hex, len, bytes))
		return false;
	for (size_t i = 0; i < len / 2; i++)
		words[i / 4] |= (uint32_t)bytes[i] << (8 * (i % 4));
	return true;
}

/* Moves a field's bits out of the words. */
static void dump_mask_add_row(struct match_mask *m, unsigned int part, const struct mask_row *r,
			      uint32_t *words, unsigned int low)
{
	uint32_t bits = (uint32_t)(0xffffffffull >> (32 - r->width)) << low;
	enum field f = (enum field)r->field;

	if (r->part != (part == INNER ? SPEC : part))
		return;
	m->mask[part == INNER ? F_INNER(f) : f] |= (u128)((words[r->word] & bits) >> low)
						   << r->shift;
	words[r->word] &= ~bits;
}

static void add_rows(struct match_mask *m, unsigned int part, uint32_t *words,
		     enum mask_layout layout)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct mask_row *r = &rows[i];

		if (!is_packed(layout, r))
			dump_mask_add_row(m, part, r, words,
					  layout == MASK_NOW ? r->low : 32u - r->low - r->width);
	}
	for (size_t i = 0; layout >= MASK_28 && i < sizeof(packed) / sizeof(packed[0]); i++)
		if (packed[i].only == MASK_NOW || packed[i].only == layout)
			dump_mask_add_row(m, part, &packed[i].row, words, packed[i].row.low);
	for (unsigned int i = 0; i < WORDS; i++)
		m->more = m->more || words[i];
}

/* Converts versions and kinds: an entry has numbers of two bits; a matcher has 4, 6 or flags. */
static void dump_mask_finish(struct match_mask *m, enum field l3, enum field kind)
{
	if (m->mask[l3] > 3)
		m->l3 = m->mask[l3] == 6 ? 2 : 1;
	m->mask[l3] = m->mask[l3] ? 3 : 0;
	m->mask[kind] = m->mask[kind] ? 3 : 0;
}

bool dump_mask_part(struct match_mask *m, unsigned int part, const char *hex, size_t len,
		    enum mask_layout layout)
{
	uint32_t words[WORDS] = {0};

	if (part >= PARTS)
		return true;
	if (!read_words(words, hex, len))
		return false;
	add_rows(m, part, words, layout);
	if (part == SPEC)
		dump_mask_finish(m, F_L3, F_VLAN_KIND);
	if (part == INNER)
		dump_mask_finish(m, F_INNER(F_L3), F_INNER(F_VLAN_KIND));
	if (part == MISC) {
		m->mask[F_VLAN2_KIND] = m->mask[F_VLAN2_KIND] ? 3 : 0;
		m->mask[F_INNER(F_VLAN2_KIND)] = m->mask[F_INNER(F_VLAN2_KIND)] ? 3 : 0;
		m->mask[F_SQN] = m->mask[F_SQN] ? 0xffffff : 0;
		m->mask[F_SOURCE] = m->mask[F_SOURCE] ? 0xffff : 0;
	}
	m->known = true;
	return true;
}
