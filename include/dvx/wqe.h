/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_WQE_H
#define DVX_WQE_H

/*
 * The segments that work requests are made of, written to any memory (PRM, "Send Work Queue Element
 * Format"). Rings and indexes are in sq.h and rq.h.
 */
#include <string.h>
#include <dvx/common.h>
#include <dvx/prm/wqe.h>

#define DVX_BLOCK  64u /* SQ rings count in blocks */
#define DVX_SEG	   16u /* WQEs count in segments ("ds") */
#define DVX_MAX_DS 63u /* ds has six bits */

/* Bits of a WQE's fm_ce_se byte; the `flags` of dvx_post_*(). */
enum dvx_post_flags {
	DVX_SOLICITED = 0x02,	 /* the peer's CQE counts for a solicited-only arm */
	DVX_SIGNALED = 0x08,	 /* write a CQE */
	DVX_SMALL_FENCE = 0x20,	 /* wait for the initiator's earlier invalidations */
	DVX_STRONG_ORDER = 0x60, /* start after everything before is done, MMO copies too */
	DVX_FENCE = 0x80,	 /* wait for earlier reads and atomics */
};

/* A piece of local memory. 1 <= length <= 2 GiB; pieces of length 0 are left out of the WQE. */
struct dvx_sge {
	uint64_t addr;
	uint32_t length;
	uint32_t lkey;
};

/* The lkey that ends a receive WQE with room for more pieces. */
#define DVX_INVALID_LKEY 0x100u

#define DVX_MAX_SEGMENT	 0x80000000u /* 2 GiB, which the WQE writes as 0 */

/* blocks that `ds` segments take */
DVX_INLINE uint32_t dvx_wqe_blocks(uint32_t ds)
{
	return (ds + 3) / 4;
}

/* segments that `len` bytes of inline data take, with their 4-byte header */
DVX_INLINE uint32_t dvx_wqe_inline_ds(uint32_t len)
{
	return (len + 4 + DVX_SEG - 1) / DVX_SEG;
}

DVX_INLINE void dvx_wqe_ctrl(void *seg, uint32_t index, uint8_t opcode, uint8_t opmod, uint32_t qpn,
			     uint32_t ds, uint32_t flags, uint32_t imm)
{
	prm_wqe_ctrl_seg_pack(seg, .opmod = opmod, .wqe_index = index & 0xffff, .opcode = opcode,
			      .qpn = qpn, .ds = ds, .fm_ce_se = flags & 0xff, .imm = imm);
}

DVX_INLINE void dvx_wqe_raddr(void *seg, uint64_t raddr, uint32_t rkey)
{
	prm_wqe_raddr_seg_pack(seg, .raddr = raddr, .rkey = rkey);
}

DVX_INLINE void dvx_wqe_data(void *seg, const struct dvx_sge *sge)
{
	prm_wqe_data_seg_pack(seg, .byte_count = sge->length & (DVX_MAX_SEGMENT - 1),
			      .lkey = sge->lkey, .addr = sge->addr);
}

/* Opcode modifiers of PRM_WQE_OPCODE_MMO. */
#define DVX_MMO_DMA 1

/* Where the engine may write its results; a copy has none, but libmlx5 always names a buffer. */
DVX_INLINE void dvx_wqe_mmo_meta(void *seg, uint32_t lkey, uint64_t addr)
{
	prm_mmo_metadata_seg_pack(seg, .local_key = lkey, .local_address = addr);
}

/* Header and bytes; the tail of the last segment stays as it was (the device does not read it). */
DVX_INLINE void dvx_wqe_inline(void *seg, const void *data, uint32_t len)
{
	prm_wqe_inline_seg_pack(seg, .is_inline = 1, .byte_count = len);
	memcpy((uint8_t *)seg + 4, data, len);
}

#endif
