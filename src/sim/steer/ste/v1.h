/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_STEER_STE_V1_H
#define SIM_STEER_STE_V1_H

/*
 * Version 1, ConnectX-6 Dx and BlueField-2: 32 bytes of control, then a mask and a tag of 16 bytes
 * each (prm/ste1.prm). Versions 2 and 3 have the same layouts but for what v2.c and v3.c define.
 */
#include <dvx/prm/ste.h>
#include <dvx/prm/ste1.h>
#include "steer/move.h"
#include "walk.h"

#define V1_MASK_AT	32u /* or the tag of a match definer, up to the entry's end */
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
	if (obj_find(w->vhca, OBJ_MATCH_DEFINER, definer))
		return STE_COMPARES_WIDE;
	steer_lost(w, "the entry at 0x%" PRIx64 " matches by definer %u, which does not exist",
		   addr, definer);
	return STE_REFUSED;
}

STE_INLINE bool v1_agrees(const uint8_t *ste, const uint8_t *packet_tag, bool wide)
{
	bool agrees = wide ? !memcmp(packet_tag, ste + V1_MASK_AT, STE_TAG_LONGEST)
			   : ste_tag_agrees(packet_tag, ste + V1_MASK_AT, ste + V1_TAG_AT);

	return agrees != prm_ste_match_bwc_v1_get_match_polarity(ste);
}

/* Returns the miss address. [I] The GVMI above bit 47 of both addresses is ignored. */
STE_INLINE uint64_t v1_miss(const uint8_t *ste)
{
	return (uint64_t)prm_ste_match_bwc_v1_get_miss_address_39_32(ste) << 32 |
	       (uint64_t)prm_ste_match_bwc_v1_get_miss_address_31_6(ste) << 6;
}

STE_INLINE struct ste_next v1_next(const uint8_t *ste)
{
	struct ste_next next = ste_decode_next(
		(uint64_t)prm_ste_match_bwc_v1_get_next_table_base_39_32_size(ste) << 27 |
		prm_ste_match_bwc_v1_get_next_table_base_31_5_size(ste));

	if (next.entries == 1) /* an address, which most entries lead to */
		return next;
	next.hashed = !prm_ste_match_bwc_v1_get_hash_type(ste);
	next.wide = v1_is_definer(ste);
	next.lookup = (uint16_t)((next.wide ? PRM_STE_FORMAT_MATCH
					    : prm_ste_match_bwc_v1_get_next_entry_format(ste))
					 << 8 |
				 prm_ste_match_bwc_v1_get_hash_definer_ctx_idx(ste));
	next.byte_mask = (uint16_t)prm_ste_match_bwc_v1_get_byte_mask(ste);
	return next;
}

STE_INLINE uint32_t v1_counter(const uint8_t *ste)
{
	return prm_ste_match_bwc_v1_get_counter_id(ste);
}

STE_INLINE bool v1_reparse(const uint8_t *ste)
{
	return prm_ste_match_bwc_v1_get_reparse(ste);
}

/* Fills a zeroed tag with the packet's fields, in the layout of a lookup type. */
typedef void ste_tag_fn(const struct steer_walk *, uint8_t tag[STE_TAG_BYTES]);

/* Returns the tag function for entry_format << 8 | index; NULL: no such lookup type. */
ste_tag_fn *ste_v1_tag(uint16_t lookup);

/* Fills the tag of a match definer; false if there is none of this number. */
bool ste_v1_fill_wide(struct steer_walk *, uint32_t definer, uint8_t tag[STE_TAG_LONGEST]);

STE_INLINE bool v1_fill(struct steer_walk *w, uint16_t lookup, uint8_t *tag)
{
	ste_tag_fn *fill = ste_v1_tag(lookup);

	if (fill)
		fill(w, tag);
	return fill ||
	       (lookup >> 8 == PRM_STE_FORMAT_MATCH && ste_v1_fill_wide(w, lookup & 0xff, tag));
}

/* Executes an entry's actions in order. Returns false after steer_lost(). */
bool ste_v1_actions(struct steer_walk *, const uint8_t *action, unsigned int bytes,
		    unsigned int *changed);

/* Executes an ASO action. */
ste_action_fn ste_v1_aso;

/* Removal and insertion of headers, in the layout of versions 1 and 2. */
extern ste_action_fn *const ste_v1_moves[STE_MOVES];
#define STE_INLINE_DATA 4u /* in an action: a dword to insert */

STE_INLINE bool v1_act(struct steer_walk *w, const uint8_t *ste, unsigned int *changed)
{
	unsigned int at = v1_is_definer(ste) ? V1_MATCH_ACTION : V1_BWC_ACTION;

	return ste_v1_actions(w, ste + at, V1_MASK_AT - at, changed);
}

/* The functions that versions 1 and later share. */
#define V1_FUNCTIONS                                                                     \
	.entry_bytes = PRM_STE_BWC_V1_BYTES, .mask_at = V1_MASK_AT, .lookup = v1_lookup, \
	.decision = v1_decision, .fill = v1_fill, .agrees = v1_agrees, .miss = v1_miss,  \
	.next = v1_next, .counter = v1_counter, .reparse = v1_reparse, .act = v1_act

#endif
