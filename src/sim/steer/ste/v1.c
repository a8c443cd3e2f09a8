/* SPDX-License-Identifier: BSD-2-Clause */
#include "v1.h"

static const uint8_t v1_dwords[UINT8_MAX + 1] = {
	[0x00] = REWRITE_DMAC_47_16,
	[0x01] = REWRITE_DMAC_15_0,
	[0x02] = REWRITE_VLAN,
	[0x08] = REWRITE_SMAC_47_16,
	[0x09] = REWRITE_SMAC_15_0,
	[0x0e] = REWRITE_CLASS_TTL,
	[0x18] = REWRITE_PORTS,
	[0x19] = REWRITE_TCP_FLAGS,
	[0x40] = REWRITE_IPV4_SRC,
	[0x41] = REWRITE_IPV4_DST,
	[0x44] = REWRITE_IPV6_DST_127_96,
	[0x45] = REWRITE_IPV6_DST_95_64,
	[0x46] = REWRITE_IPV6_DST_63_32,
	[0x47] = REWRITE_IPV6_DST_31_0,
	[0x4c] = REWRITE_IPV6_SRC_127_96,
	[0x4d] = REWRITE_IPV6_SRC_95_64,
	[0x4e] = REWRITE_IPV6_SRC_63_32,
	[0x4f] = REWRITE_IPV6_SRC_31_0,
	[0x5e] = REWRITE_TCP_SEQ,
	[0x5f] = REWRITE_TCP_ACK,
	[0x7b] = REWRITE_REG_B,
	[0x7c] = REWRITE_REG_A,
	[0x8c] = REWRITE_REG_C4,
	[0x8d] = REWRITE_REG_C5,
	[0x8e] = REWRITE_REG_C2,
	[0x8f] = REWRITE_REG_C3,
	[0x90] = REWRITE_REG_C0,
	[0x91] = REWRITE_REG_C1,
};

static uint64_t v1_walk(struct steer_walk *w, uint64_t addr)
{
	return ste_walk_entries(&ste_v1, w, addr);
}

const struct ste_version ste_v1 = {
	.format = 1,
	.entry_bytes = PRM_STE_BWC_V1_BYTES,
	.lookup = v1_lookup,
	.decision = v1_decision,
	.tag = ste_v1_tag,
	.agrees = v1_agrees,
	.miss = v1_miss,
	.next = v1_next,
	.counter = v1_counter,
	.reparse = v1_reparse,
	.act = v1_act,
	.dwords = v1_dwords,
	.walk = v1_walk,
};
