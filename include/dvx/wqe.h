/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_WQE_H
#define DVX_WQE_H

/*
 * The segments that work requests are made of (PRM, "Send Work Queue Element Format"). The calls
 * write them to any memory; sq.h and rq.h have the rings.
 */
#include <dvx/common.h>
#include <dvx/prm/wqe.h>

#define DVX_BLOCK  64u /* SQ rings count in blocks */
#define DVX_SEG	   16u /* WQEs count in segments ("ds") */
#define DVX_MAX_DS 63u /* ds has six bits */

/*
 * The `flags` of dvx_post_*(): bits of the WQE's fm_ce_se byte, shifted by 8, so that no flag of
 * verbs is valid here. Unknown flags fail with -EBADR.
 */
enum dvx_post_flags {
	DVX_SOLICITED = 0x0200,	   /* the peer's CQE counts for a solicited-only arm */
	DVX_SIGNALED = 0x0800,	   /* write a CQE */
	DVX_SMALL_FENCE = 0x2000,  /* wait for the initiator's earlier invalidations */
	DVX_STRONG_ORDER = 0x6000, /* start after all earlier requests, MMO copies too, are done */
	DVX_FENCE = 0x8000,	   /* wait for earlier reads and atomics */
};
#define DVX_POST_FLAGS (DVX_SOLICITED | DVX_SIGNALED | DVX_STRONG_ORDER | DVX_FENCE)

/* A piece of local memory. length: 1 byte to 2 GiB. */
struct dvx_sge {
	uint64_t addr;
	uint32_t length;
	uint32_t lkey;
};

/* The lkey that ends a receive WQE with room for more pieces. */
#define DVX_INVALID_LKEY 0x100u

#define DVX_MAX_SEGMENT	 0x80000000u /* 2 GiB; its byte count in a WQE is 0 */

/* Returns how many blocks `ds` segments take. */
DVX_INLINE uint32_t dvx_wqe_blocks(uint32_t ds)
{
	return (ds + 3) / 4;
}

/* Returns how many segments `len` bytes of inline data take, with their 4-byte header. */
DVX_INLINE uint32_t dvx_wqe_inline_ds(uint32_t len)
{
	return (len + 4 + DVX_SEG - 1) / DVX_SEG;
}

DVX_INLINE void dvx_wqe_ctrl(void *seg, uint32_t index, uint8_t opcode, uint8_t opmod, uint32_t qpn,
			     uint32_t ds, uint32_t flags, uint32_t imm)
{
	struct prm_wqe_ctrl_seg_args a = PRM_NOTHING;

	a.opmod = opmod;
	a.wqe_index = index & 0xffff;
	a.opcode = opcode;
	a.qpn = qpn;
	a.ds = ds;
	a.fm_ce_se = flags >> 8 & 0xff;
	a.imm = imm;
	prm_wqe_ctrl_seg_pack_args(seg, a);
}

DVX_INLINE void dvx_wqe_raddr(void *seg, uint64_t raddr, uint32_t rkey)
{
	struct prm_wqe_raddr_seg_args a = PRM_NOTHING;

	a.raddr = raddr;
	a.rkey = rkey;
	prm_wqe_raddr_seg_pack_args(seg, a);
}

DVX_INLINE void dvx_wqe_data(void *seg, const struct dvx_sge *sge)
{
	prm_wqe_data_seg_set_byte_count(seg, sge->length & (DVX_MAX_SEGMENT - 1));
	prm_wqe_data_seg_set_lkey(seg, sge->lkey);
	prm_wqe_data_seg_set_addr(seg, sge->addr);
}

/* Returns length and key of a piece, by one load. */
DVX_INLINE uint64_t dvx_sge_word(const struct dvx_sge *sge)
{
	return (uint64_t)sge->lkey << 32 | sge->length;
}

/* Tells whether a piece is empty, which would mean 2 GiB in the WQE, or longer than 2 GiB. */
DVX_INLINE bool dvx_wqe_bad_length(const struct dvx_sge *sge, uint32_t n)
{
	uint32_t bad = 0, i;

#pragma GCC unroll 4
	for (i = 0; i < n; i++)
		bad |= sge[i].length - 1;
	return bad >= DVX_MAX_SEGMENT;
}

/*
 * Writes a data segment as dvx_wqe_data(), for a piece in memory: length and key are copied by one
 * load and one store, since only their byte order differs from the WQE's. `longest` is the greatest
 * possible length: below DVX_MAX_SEGMENT no bit needs to be masked off.
 */
DVX_INLINE void dvx_wqe_data_from(uint8_t *seg, const struct dvx_sge *sge, uint32_t longest)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	uint64_t w = prm_swap64(dvx_sge_word(sge));

	w = w >> 32 | w << 32;
	if (longest == DVX_MAX_SEGMENT)
		w &= ~(uint64_t)0x80;
	prm_put64(seg, 0, w);
	prm_wqe_data_seg_set_addr(seg, sge->addr);
#else
	(void)longest;
	dvx_wqe_data(seg, sge);
#endif
}

/* Writes n data segments. A single piece is in registers, where dvx_wqe_data() is faster. */
DVX_INLINE void dvx_wqe_gather(uint8_t *seg, const struct dvx_sge *sge, uint32_t n)
{
	uint32_t i;

	if (__builtin_constant_p(n) && n == 1) {
		dvx_wqe_data(seg, sge);
		return;
	}
#pragma GCC unroll 4
	for (i = 0; i < n; i++)
		dvx_wqe_data_from(seg + (size_t)i * DVX_SEG, &sge[i], DVX_MAX_SEGMENT);
}

/* Opcode modifiers of PRM_WQE_OPCODE_MMO. */
#define DVX_MMO_DMA 1

/*
 * Writes the segment that names the buffer for the engine's results. A copy has no results, but
 * libmlx5 always names a buffer.
 */
DVX_INLINE void dvx_wqe_mmo_meta(void *seg, uint32_t lkey, uint64_t addr)
{
	struct prm_mmo_metadata_seg_args a = PRM_NOTHING;

	a.local_key = lkey;
	a.local_address = addr;
	prm_mmo_metadata_seg_pack_args(seg, a);
}

/*
 * Copies data into a WQE. For a variable length, the compiler would make a call or `rep movs` of
 * this loop, which takes a hundred cycles to start: the empty asm prevents that.
 */
DVX_INLINE void dvx_wqe_copy(uint8_t *to, const void *data, uint32_t len)
{
	const uint8_t *from = (const uint8_t *)data;

	if (__builtin_constant_p(len)) {
		if (len)
			__builtin_memcpy(to, from, len);
		return;
	}
	for (; len >= 16; len -= 16, from += 16, to += 16) {
		__builtin_memcpy(to, from, 16);
#ifndef DVX_GPU /* GPU compilers do neither */
		__asm__("" : "+r"(to));
#endif
	}
	if (len & 8) {
		__builtin_memcpy(to, from, 8);
		from += 8;
		to += 8;
	}
	if (len & 4) {
		__builtin_memcpy(to, from, 4);
		from += 4;
		to += 4;
	}
	if (len & 2) {
		__builtin_memcpy(to, from, 2);
		from += 2;
		to += 2;
	}
	if (len & 1)
		*to = *from;
}

/*
 * Writes inline data, with their header. The rest of the last segment stays as it was: the device
 * does not read it.
 */
DVX_INLINE void dvx_wqe_inline(void *seg, const void *data, uint32_t len)
{
	struct prm_wqe_inline_seg_args a = PRM_NOTHING;

	a.is_inline = 1;
	a.byte_count = len;
	prm_wqe_inline_seg_pack_args(seg, a);
	dvx_wqe_copy((uint8_t *)__builtin_assume_aligned((uint8_t *)seg + 4, 4), data, len);
}

#endif
