/* SPDX-License-Identifier: BSD-2-Clause */
#include "v0.h"

static uint16_t v0_lookup(const uint8_t *ste)
{
	return (uint16_t)prm_ste_general_get_entry_sub_type(ste);
}

/* Checks the kind. [I] An entry of the other side loses the packet. */
static enum ste_decision v0_decision(const struct steer_walk *w, uint64_t addr, const uint8_t *ste)
{
	uint32_t kind = prm_ste_general_get_entry_type(ste);

	if (kind == PRM_STE_ENTRY_TYPE_MODIFY_PKT ||
	    kind == (w->tx ? PRM_STE_ENTRY_TYPE_TX : PRM_STE_ENTRY_TYPE_RX))
		return STE_COMPARES;
	steer_lost(w, "the entry at 0x%" PRIx64 " has entry_type %u, which is not of this side",
		   addr, kind);
	return STE_REFUSED;
}

static bool v0_agrees(const uint8_t *ste, const uint8_t *packet_tag, bool wide)
{
	(void)wide;
	return ste_tag_agrees(packet_tag, ste + V0_MASK_AT, ste + V0_TAG_AT) !=
	       prm_ste_rx_steering_mult_get_match_polarity(ste);
}

/* The kinds of control have miss address and counter in one place. */
static uint64_t v0_miss(const uint8_t *ste)
{
	return (uint64_t)prm_ste_rx_steering_mult_get_miss_address_39_32(ste) << 32 |
	       (uint64_t)prm_ste_rx_steering_mult_get_miss_address_31_6(ste) << 6;
}

static struct ste_next v0_next(const uint8_t *ste)
{
	struct ste_next next = ste_decode_next(
		(uint64_t)prm_ste_general_get_next_table_base_39_32_size(ste) << 27 |
		prm_ste_general_get_next_table_base_31_5_size(ste));

	next.hashed = true;
	next.lookup = (uint16_t)prm_ste_general_get_next_lu_type(ste);
	next.byte_mask = (uint16_t)prm_ste_general_get_byte_mask(ste);
	return next;
}

static uint32_t v0_counter(const uint8_t *ste)
{
	return prm_ste_rx_steering_mult_get_counter_trigger_23_16(ste) << 16 |
	       prm_ste_rx_steering_mult_get_counter_trigger_15_0(ste);
}

/* [I] The device parses by itself after each change: an entry has no bit for it. */
static bool v0_reparse(const uint8_t *ste)
{
	(void)ste;
	return true;
}

static uint64_t v0_walk(struct steer_walk *w, uint64_t addr)
{
	return ste_walk_entries(&ste_v0, w, addr);
}

const struct ste_version ste_v0 = {
	.format = 0,
	.entry_bytes = PRM_DR_HW_STE_FORMAT_BYTES,
	.mask_at = V0_MASK_AT,
	.lookup = v0_lookup,
	.decision = v0_decision,
	.fill = ste_v0_fill,
	.agrees = v0_agrees,
	.miss = v0_miss,
	.next = v0_next,
	.counter = v0_counter,
	.reparse = v0_reparse,
	.act = ste_v0_act,
	.walk = v0_walk,
};
