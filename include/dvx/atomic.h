/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_ATOMIC_H
#define DVX_ATOMIC_H

/*
 * Atomic operations on a peer's memory, which must be aligned to their size (PRM, "Atomic
 * Operations"). The device writes the previous value to `old`, local memory of that size, in this
 * machine's byte order. The peer's queue and its mkey must grant DVX_REMOTE_ATOMIC. Operations
 * through one device are atomic against each other; dvx-info(1) shows whether they are against
 * processors, too (atomic_req_8B_endianness_mode, PCIe atomics).
 *
 *	dvx_post_faa(sq, counter, rkey, 1, &old, lkey, cookie, DVX_SIGNALED);
 *
 * All calls return the same errors as those of post.h.
 */
#include <dvx/post.h>

DVX_BEGIN_DECLS

/* Posts an atomic. `to` has the address, and the operands in its last segments. */
DVX_INLINE int dvx_post_atomic(struct dvx_sq *sq, uint8_t opcode, struct dvx_to to, void *old,
			       uint32_t bytes, uint32_t lkey, uint64_t wr_id, uint32_t flags)
{
	struct dvx_sge piece = {(uintptr_t)old, bytes, lkey};

	return dvx_post_gather(sq, opcode, 0, to, &piece, 1, wr_id, flags);
}

/* Adds the operands of an atomic of 8 bytes. */
DVX_INLINE struct dvx_to dvx_to_operands(struct dvx_to to, uint64_t swap_add, uint64_t compare)
{
	struct prm_wqe_atomic_seg_args a = PRM_NOTHING;

	a.swap_add = swap_add;
	a.compare = compare;
	prm_wqe_atomic_seg_pack_args(to.words, a);
	to.ds = 1;
	return to;
}

/* Compares 8 bytes with `compare`; if they are equal, replaces them by `swap`. */
DVX_INLINE int dvx_post_cas(struct dvx_sq *sq, uint64_t raddr, uint32_t rkey, uint64_t compare,
			    uint64_t swap, uint64_t *old, uint32_t lkey, uint64_t wr_id,
			    uint32_t flags)
{
	struct dvx_to to =
		dvx_to_operands(dvx_to_memory(dvx_to_peer(), raddr, rkey), swap, compare);

	return dvx_post_atomic(sq, PRM_WQE_OPCODE_ATOMIC_CS, to, old, sizeof(*old), lkey, wr_id,
			       flags);
}

/* Fetches 8 bytes and adds `add` to them. */
DVX_INLINE int dvx_post_faa(struct dvx_sq *sq, uint64_t raddr, uint32_t rkey, uint64_t add,
			    uint64_t *old, uint32_t lkey, uint64_t wr_id, uint32_t flags)
{
	struct dvx_to to = dvx_to_operands(dvx_to_memory(dvx_to_peer(), raddr, rkey), add, 0);

	return dvx_post_atomic(sq, PRM_WQE_OPCODE_ATOMIC_FA, to, old, sizeof(*old), lkey, wr_id,
			       flags);
}

/*
 * Extended atomics, for a device with max_atomic_ext (dvx-info(1)). The compare and swap compares
 * the bits of compare_mask and replaces those of swap_mask; with masks of all ones it is the plain
 * one. The addition loses the carry out of each bit that is set in `boundary`, so that one word can
 * hold several counters; 0: one counter.
 */
struct dvx_masked_cas {
	uint64_t compare, compare_mask;
	uint64_t swap, swap_mask;
};

DVX_INLINE int dvx_post_masked_cas(struct dvx_sq *sq, uint64_t raddr, uint32_t rkey,
				   const struct dvx_masked_cas *op, uint64_t *old, uint32_t lkey,
				   uint64_t wr_id, uint32_t flags)
{
	struct prm_atomic_masked_cswap64_seg_args a = PRM_NOTHING;
	struct dvx_to to = dvx_to_memory(dvx_to_peer(), raddr, rkey);

	a.compare = op->compare;
	a.compare_mask = op->compare_mask;
	a.swap = op->swap;
	a.swap_mask = op->swap_mask;
	prm_atomic_masked_cswap64_seg_pack_args(to.words, a);
	to.ds = 2;
	to.opmod = PRM_EXT_ATOMIC_OPMOD_8;
	return dvx_post_atomic(sq, PRM_WQE_OPCODE_ATOMIC_MASKED_CS, to, old, sizeof(*old), lkey,
			       wr_id, flags);
}

DVX_INLINE int dvx_post_masked_faa(struct dvx_sq *sq, uint64_t raddr, uint32_t rkey, uint64_t add,
				   uint64_t boundary, uint64_t *old, uint32_t lkey, uint64_t wr_id,
				   uint32_t flags)
{
	struct prm_atomic_masked_fadd64_seg_args a = PRM_NOTHING;
	struct dvx_to to = dvx_to_memory(dvx_to_peer(), raddr, rkey);

	a.add = add;
	a.field_boundary = boundary;
	prm_atomic_masked_fadd64_seg_pack_args(to.words, a);
	to.ds = 1;
	to.opmod = PRM_EXT_ATOMIC_OPMOD_8;
	return dvx_post_atomic(sq, PRM_WQE_OPCODE_ATOMIC_MASKED_FA, to, old, sizeof(*old), lkey,
			       wr_id, flags);
}

/*
 * Variants for 4 bytes, which ignore the upper halves of *op. The device writes *old big-endian
 * (doc/hardware-to-verify.md).
 */
DVX_INLINE int dvx_post_masked_cas32(struct dvx_sq *sq, uint64_t raddr, uint32_t rkey,
				     const struct dvx_masked_cas *op, uint32_t *old, uint32_t lkey,
				     uint64_t wr_id, uint32_t flags)
{
	struct prm_atomic_masked_cswap32_seg_args a = PRM_NOTHING;
	struct dvx_to to = dvx_to_memory(dvx_to_peer(), raddr, rkey);

	a.compare = (uint32_t)op->compare;
	a.compare_mask = (uint32_t)op->compare_mask;
	a.swap = (uint32_t)op->swap;
	a.swap_mask = (uint32_t)op->swap_mask;
	prm_atomic_masked_cswap32_seg_pack_args(to.words, a);
	to.ds = 1;
	to.opmod = PRM_EXT_ATOMIC_OPMOD_4;
	return dvx_post_atomic(sq, PRM_WQE_OPCODE_ATOMIC_MASKED_CS, to, old, sizeof(*old), lkey,
			       wr_id, flags);
}

DVX_INLINE int dvx_post_masked_faa32(struct dvx_sq *sq, uint64_t raddr, uint32_t rkey, uint32_t add,
				     uint32_t boundary, uint32_t *old, uint32_t lkey,
				     uint64_t wr_id, uint32_t flags)
{
	struct prm_atomic_masked_fadd32_seg_args a = PRM_NOTHING;
	struct dvx_to to = dvx_to_memory(dvx_to_peer(), raddr, rkey);

	a.add = add;
	a.field_boundary = boundary;
	prm_atomic_masked_fadd32_seg_pack_args(to.words, a);
	to.ds = 1;
	to.opmod = PRM_EXT_ATOMIC_OPMOD_4;
	return dvx_post_atomic(sq, PRM_WQE_OPCODE_ATOMIC_MASKED_FA, to, old, sizeof(*old), lkey,
			       wr_id, flags);
}

DVX_END_DECLS

#endif
