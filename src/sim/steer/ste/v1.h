/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_STEER_STE_V1_H
#define SIM_STEER_STE_V1_H

/*
 * Version 1, ConnectX-6 Dx and BlueField-2: 32 bytes of control, then a mask and a tag of 16 bytes
 * each (prm/ste1.prm). libmlx5's version 2 has the same layouts and other numbers of dwords in
 * rewrites: it uses these functions with a separate table of dwords.
 */
#include <dvx/prm/ste.h>
#include <dvx/prm/ste1.h>
#include "walk.h"

#define V1_MASK_AT	32u
#define V1_TAG_AT	48u
#define V1_BWC_ACTION	24u
#define V1_MATCH_ACTION 20u
#define V1_ALWAYS_HIT	0x0fu /* in place of a definer: an entry that has only actions */

_Static_assert(PRM_STE_ETH_L2_DST_V1_BYTES == STE_TAG_BYTES, "a layout has the size of a tag");

STE_INLINE bool v1_is_definer(const uint8_t *ste)
{
	return prm_ste_match_bwc_v1_get_entry_format(ste) == PRM_STE_FORMAT_MATCH;
}

STE_INLINE uint16_t v1_lookup(const uint8_t *ste)
{
	return (uint16_t)(prm_ste_match_bwc_v1_get_entry_format(ste) << 8 |
			  prm_ste_match_bwc_v1_get_match_definer_ctx_idx(ste));
}

STE_INLINE enum ste_decision v1_decision(const struct steer_walk *w, uint64_t addr,
					 const uint8_t *ste)
{
	uint32_t definer = prm_ste_match_bwc_v1_get_match_definer_ctx_idx(ste);

	if (!v1_is_definer(ste))
		return STE_COMPARES;
	if (definer == V1_ALWAYS_HIT)
		return STE_ALWAYS_HITS;
	steer_lost(w,
		   "the entry at 0x%" PRIx64 " matches by definer %u, and there are no"
		   " definers (match_definer_format_supported is 0)",
		   addr, definer);
	return STE_REFUSED;
}

/* Returns true if (packet & mask) == tag. A tag with a bit outside its mask never matches. */
STE_INLINE bool v1_agrees(const uint8_t *ste, const uint8_t *packet_tag)
{
	uint64_t p[2], m[2], t[2];
	bool agrees;

	memcpy(p, packet_tag, sizeof(p));
	memcpy(m, ste + V1_MASK_AT, sizeof(m));
	memcpy(t, ste + V1_TAG_AT, sizeof(t));
	agrees = !((p[0] & m[0]) ^ t[0]) && !((p[1] & m[1]) ^ t[1]);
	return agrees != prm_ste_match_bwc_v1_get_match_polarity(ste);
}

/* Returns the miss address. [I] The GVMI above bit 47 of both addresses is ignored. */
STE_INLINE uint64_t v1_miss(const uint8_t *ste)
{
	return (uint64_t)prm_ste_match_bwc_v1_get_miss_address_39_32(ste) << 32 |
	       (uint64_t)prm_ste_match_bwc_v1_get_miss_address_31_6(ste) << 6;
}

/*
 * Decodes the hit address. The next table's address and size are one number in units of 32 bytes:
 * its lowest set bit is the size in entries, the rest is the address.
 */
STE_INLINE struct ste_next v1_next(const uint8_t *ste)
{
	uint64_t base = (uint64_t)prm_ste_match_bwc_v1_get_next_table_base_39_32_size(ste) << 27 |
			prm_ste_match_bwc_v1_get_next_table_base_31_5_size(ste);
	uint64_t n = base & -base;

	return (struct ste_next){
		.addr = (base ^ n) << 5,
		.entries = n,
		.hashed = !v1_is_definer(ste) && !prm_ste_match_bwc_v1_get_hash_type(ste),
		.lookup = (uint16_t)(prm_ste_match_bwc_v1_get_next_entry_format(ste) << 8 |
				     prm_ste_match_bwc_v1_get_hash_definer_ctx_idx(ste)),
		.byte_mask = (uint16_t)prm_ste_match_bwc_v1_get_byte_mask(ste),
	};
}

STE_INLINE uint32_t v1_counter(const uint8_t *ste)
{
	return prm_ste_match_bwc_v1_get_counter_id(ste);
}

STE_INLINE bool v1_reparse(const uint8_t *ste)
{
	return prm_ste_match_bwc_v1_get_reparse(ste);
}

/* Returns the tag function for entry_format << 8 | index; NULL: no such lookup type. */
ste_tag_fn *ste_v1_tag(uint16_t lookup);

/* Executes an entry's actions in order. Returns false after steer_lost(). */
bool ste_v1_actions(struct steer_walk *, const uint8_t *action, unsigned int bytes,
		    unsigned int *changed);

STE_INLINE bool v1_act(struct steer_walk *w, const uint8_t *ste, unsigned int *changed)
{
	unsigned int at = v1_is_definer(ste) ? V1_MATCH_ACTION : V1_BWC_ACTION;

	return ste_v1_actions(w, ste + at, V1_MASK_AT - at, changed);
}

#endif
