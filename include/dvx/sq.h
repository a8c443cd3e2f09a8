/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_SQ_H
#define DVX_SQ_H

/*
 * Send queue: post work requests, ring the doorbell, retire what completed.
 *
 *	if (dvx_post_write(sq, raddr, rkey, &sge, 1, cookie, DVX_SIGNALED) == -ENOSPC)
 *		poll first: the ring is full, nothing was written
 *	dvx_sq_ring(sq);
 *
 * A ring is an array of 64-byte blocks. `pi` counts the blocks posted and `ci` those retired; both
 * run freely, their difference is what is in use. A WQE lies in consecutive memory: one that would
 * cross the ring's end is preceded by NOPs up to there (doc/design/0002-rings.md).
 *
 * A signaled WQE's CQE names the WQE's first block (cqe.h dvx_cqe_wqe_index()); dvx_sq_retire()
 * turns that into the caller's cookie and frees all blocks up to and including that WQE.
 */
#include <errno.h>
#include <dvx/barrier.h>
#include <dvx/common.h>
#include <dvx/wqe.h>

DVX_BEGIN_DECLS

/* What the ring remembers of the WQE that begins at a block. */
struct dvx_sq_slot {
	uint64_t wr_id; /* the caller's cookie */
	uint32_t end;	/* pi after this WQE: where ci goes when it is done */
	uint32_t reserved;
};

/* The cookie of a NOP at the ring's end: only a flush after an error writes a CQE for it. */
#define DVX_WR_ID_PAD UINT64_MAX

struct dvx_sq {
	uint8_t *buf;
	struct dvx_sq_slot *slots; /* one per block */
	uint32_t *dbrec;	   /* big-endian send counter */
	uintptr_t reg;		   /* where the next doorbell goes */
	uint8_t *last;		   /* the last WQE built: what the doorbell shows to the device */
	uint32_t pi;
	uint32_t ci;
	uint32_t mask; /* blocks - 1 */
	uint32_t qpn;
	uint32_t slot_mask; /* the same in bytes of slots */
	uint32_t rung;	    /* pi at the last doorbell */
	/* second cache line */
	uint32_t bf_size;  /* bytes of a BlueFlame buffer, 0: none; reg alternates by it */
	uint32_t layout;   /* DVX_RING_LAYOUT */
	uint64_t mmo_addr; /* 64 bytes that the MMO engine may overwrite */
	uint32_t mmo_lkey; /* 0: a queue without MMO */
	uint32_t max_ds;   /* segments of one WQE */
	struct dvx_cq *cq; /* of this queue alone: dvx_sq_poll() */
	uint64_t reserved[4];
};

/*
 * A ring on plain memory, for tests and for queues that were created in another way. buf holds
 * `blocks` (a power of two) blocks, slots as many entries. The largest WQE is the device's limit,
 * or what still fits behind the longest padding.
 */
struct dvx_sq_memory {
	uint32_t size;
	uint32_t blocks;
	void *buf;
	struct dvx_sq_slot *slots;
	uint32_t *dbrec;
	void *reg;
	uint32_t bf_size;
	uint32_t qpn;
	uint32_t max_wqe_bytes; /* 0: 1024 */
	struct dvx_cq *cq;	/* a plain ring that no other queue completes in; NULL: no poll */
};
int dvx_sq_init_layout(struct dvx_sq *sq, const struct dvx_sq_memory *init, uint32_t layout);
DVX_INLINE int dvx_sq_init(struct dvx_sq *sq, const struct dvx_sq_memory *init)
{
	return dvx_sq_init_layout(sq, init, DVX_RING_LAYOUT);
}

DVX_INLINE uint32_t dvx_sq_blocks(const struct dvx_sq *sq)
{
	return sq->mask + 1;
}

/* Free blocks. */
DVX_INLINE uint32_t dvx_sq_free(const struct dvx_sq *sq)
{
	return sq->mask + 1 - (sq->pi - sq->ci);
}

/* --- for the calls below, and for work requests that they do not offer --- */

/* Takes `blocks` blocks at pi, and fills the slot for dvx_sq_retire(). */
DVX_INLINE uint8_t *dvx_sq_take(struct dvx_sq *sq, uint32_t blocks, uint64_t wr_id)
{
	uint32_t pi = sq->pi, at = pi & sq->mask;
	struct dvx_sq_slot *slot = &sq->slots[at];

	sq->last = sq->buf + (size_t)at * DVX_BLOCK;
	sq->pi = pi + blocks;
	slot->wr_id = wr_id;
	slot->end = pi + blocks;
	return sq->last;
}

/* One NOP per block up to the ring's end; the caller has checked for room. */
DVX_INLINE void dvx_sq_pad(struct dvx_sq *sq)
{
	uint32_t index = sq->pi;

	for (; index & sq->mask; index++)
		dvx_wqe_ctrl(dvx_sq_take(sq, 1, DVX_WR_ID_PAD), index, PRM_WQE_OPCODE_NOP, 0,
			     sq->qpn, 1, 0, 0);
}

/*
 * Claims `blocks` consecutive blocks, after padding where needed: *wqe is their address, *index the
 * wqe_index for the control segment. The caller writes the whole WQE before the doorbell. False: no
 * room, nothing changed.
 */
DVX_INLINE bool dvx_sq_claim(struct dvx_sq *sq, uint32_t blocks, uint64_t wr_id, uint8_t **wqe,
			     uint32_t *index)
{
	uint32_t at = sq->pi & sq->mask;
	uint32_t pad = 0;

	if (blocks > 1 && DVX_UNLIKELY(at + blocks > sq->mask + 1))
		pad = sq->mask + 1 - at;
	if (DVX_UNLIKELY(sq->pi - sq->ci + (pad + blocks - 1) > sq->mask))
		return false;
	if (DVX_UNLIKELY(pad))
		dvx_sq_pad(sq);
	*index = sq->pi;
	*wqe = dvx_sq_take(sq, blocks, wr_id);
	return true;
}

/* Whether a WQE of `ds` segments fits; four always do. */
DVX_INLINE bool dvx_sq_fits(const struct dvx_sq *sq, uint32_t ds)
{
	return ds <= DVX_BLOCK / DVX_SEG || (ds <= DVX_MAX_DS && ds <= sq->max_ds);
}

/* --- work requests ---
 *
 * All return 0, -ENOSPC (ring full), -EMSGSIZE (does not fit into the largest WQE, or a piece is
 * longer than 2 GiB) or -EBADR (an unknown flag); on failure nothing was posted. dvx_strerror() has
 * the sentence. Nothing reaches the device before a dvx_sq_ring(). imm is a number; the peer reads
 * the same number from its CQE.
 */

DVX_INLINE int dvx_post_gather(struct dvx_sq *sq, uint8_t opcode, uint32_t imm, bool remote,
			       uint64_t raddr, uint32_t rkey, const struct dvx_sge *sge, uint32_t n,
			       uint64_t wr_id, uint32_t flags)
{
	uint32_t ds = 1 + remote, index, i;
	uint8_t *wqe, *seg;

	if (DVX_UNLIKELY(flags & ~(uint32_t)DVX_POST_FLAGS))
		return -EBADR;
	for (i = 0; i < n; i++) {
		if (DVX_UNLIKELY(sge[i].length > DVX_MAX_SEGMENT))
			return -EMSGSIZE;
		ds += sge[i].length != 0; /* 0 would mean 2 GiB */
	}
	if (DVX_UNLIKELY(!dvx_sq_fits(sq, ds)))
		return -EMSGSIZE;
	if (DVX_UNLIKELY(!dvx_sq_claim(sq, dvx_wqe_blocks(ds), wr_id, &wqe, &index)))
		return -ENOSPC;
	dvx_wqe_ctrl(wqe, index, opcode, 0, sq->qpn, ds, flags, imm);
	seg = wqe + DVX_SEG;
	if (remote) {
		dvx_wqe_raddr(seg, raddr, rkey);
		seg += DVX_SEG;
	}
	for (i = 0; i < n; i++) {
		if (!sge[i].length)
			continue;
		dvx_wqe_data(seg, &sge[i]);
		seg += DVX_SEG;
	}
	return 0;
}

DVX_INLINE int dvx_post_inline(struct dvx_sq *sq, uint8_t opcode, uint32_t imm, bool remote,
			       uint64_t raddr, uint32_t rkey, const void *data, uint32_t len,
			       uint64_t wr_id, uint32_t flags)
{
	uint32_t ds = 1 + remote + (len ? dvx_wqe_inline_ds(len) : 0), index;
	uint8_t *wqe;

	if (DVX_UNLIKELY(flags & ~(uint32_t)DVX_POST_FLAGS))
		return -EBADR;
	if (DVX_UNLIKELY(len > DVX_MAX_DS * DVX_SEG || !dvx_sq_fits(sq, ds)))
		return -EMSGSIZE;
	if (DVX_UNLIKELY(!dvx_sq_claim(sq, dvx_wqe_blocks(ds), wr_id, &wqe, &index)))
		return -ENOSPC;
	dvx_wqe_ctrl(wqe, index, opcode, 0, sq->qpn, ds, flags, imm);
	if (remote)
		dvx_wqe_raddr(wqe + DVX_SEG, raddr, rkey);
	if (len)
		dvx_wqe_inline(wqe + DVX_SEG * (1 + remote), data, len);
	return 0;
}

DVX_INLINE int dvx_post_send(struct dvx_sq *sq, const struct dvx_sge *sge, uint32_t n,
			     uint64_t wr_id, uint32_t flags)
{
	return dvx_post_gather(sq, PRM_WQE_OPCODE_SEND, 0, false, 0, 0, sge, n, wr_id, flags);
}

DVX_INLINE int dvx_post_send_imm(struct dvx_sq *sq, uint32_t imm, const struct dvx_sge *sge,
				 uint32_t n, uint64_t wr_id, uint32_t flags)
{
	return dvx_post_gather(sq, PRM_WQE_OPCODE_SEND_IMM, imm, false, 0, 0, sge, n, wr_id, flags);
}

DVX_INLINE int dvx_post_send_inline(struct dvx_sq *sq, const void *data, uint32_t len,
				    uint64_t wr_id, uint32_t flags)
{
	return dvx_post_inline(sq, PRM_WQE_OPCODE_SEND, 0, false, 0, 0, data, len, wr_id, flags);
}

DVX_INLINE int dvx_post_send_imm_inline(struct dvx_sq *sq, uint32_t imm, const void *data,
					uint32_t len, uint64_t wr_id, uint32_t flags)
{
	return dvx_post_inline(sq, PRM_WQE_OPCODE_SEND_IMM, imm, false, 0, 0, data, len, wr_id,
			       flags);
}

DVX_INLINE int dvx_post_write(struct dvx_sq *sq, uint64_t raddr, uint32_t rkey,
			      const struct dvx_sge *sge, uint32_t n, uint64_t wr_id, uint32_t flags)
{
	return dvx_post_gather(sq, PRM_WQE_OPCODE_RDMA_WRITE, 0, true, raddr, rkey, sge, n, wr_id,
			       flags);
}

DVX_INLINE int dvx_post_write_imm(struct dvx_sq *sq, uint32_t imm, uint64_t raddr, uint32_t rkey,
				  const struct dvx_sge *sge, uint32_t n, uint64_t wr_id,
				  uint32_t flags)
{
	return dvx_post_gather(sq, PRM_WQE_OPCODE_RDMA_WRITE_IMM, imm, true, raddr, rkey, sge, n,
			       wr_id, flags);
}

DVX_INLINE int dvx_post_write_inline(struct dvx_sq *sq, uint64_t raddr, uint32_t rkey,
				     const void *data, uint32_t len, uint64_t wr_id, uint32_t flags)
{
	return dvx_post_inline(sq, PRM_WQE_OPCODE_RDMA_WRITE, 0, true, raddr, rkey, data, len,
			       wr_id, flags);
}

DVX_INLINE int dvx_post_write_imm_inline(struct dvx_sq *sq, uint32_t imm, uint64_t raddr,
					 uint32_t rkey, const void *data, uint32_t len,
					 uint64_t wr_id, uint32_t flags)
{
	return dvx_post_inline(sq, PRM_WQE_OPCODE_RDMA_WRITE_IMM, imm, true, raddr, rkey, data, len,
			       wr_id, flags);
}

DVX_INLINE int dvx_post_read(struct dvx_sq *sq, uint64_t raddr, uint32_t rkey,
			     const struct dvx_sge *sge, uint32_t n, uint64_t wr_id, uint32_t flags)
{
	return dvx_post_gather(sq, PRM_WQE_OPCODE_RDMA_READ, 0, true, raddr, rkey, sge, n, wr_id,
			       flags);
}

DVX_INLINE int dvx_post_nop(struct dvx_sq *sq, uint64_t wr_id, uint32_t flags)
{
	return dvx_post_gather(sq, PRM_WQE_OPCODE_NOP, 0, false, 0, 0, NULL, 0, wr_id, flags);
}

/*
 * Copies len bytes between two local mkeys by the device's DMA engine, without a packet; an alias
 * (mkey.h) is a local mkey too. The QP needs DVX_QP_MMO; it need not be connected. Copies are not
 * ordered among each other or against RDMA: DVX_STRONG_ORDER waits. 1 <= len <= 2 GiB and the
 * device's dma_mmo_max, which the device checks, not this call. -EBADRQC: a QP without MMO.
 */
DVX_INLINE int dvx_post_dma(struct dvx_sq *sq, uint64_t dst, uint32_t dst_lkey, uint64_t src,
			    uint32_t src_lkey, uint32_t len, uint64_t wr_id, uint32_t flags)
{
	struct dvx_sge from = {src, len, src_lkey}, to = {dst, len, dst_lkey};
	uint32_t index;
	uint8_t *wqe;

	if (DVX_UNLIKELY(!sq->mmo_lkey))
		return -EBADRQC;
	if (DVX_UNLIKELY(flags & ~(uint32_t)DVX_POST_FLAGS))
		return -EBADR;
	if (DVX_UNLIKELY(len - 1 >= DVX_MAX_SEGMENT))
		return -EMSGSIZE;
	if (DVX_UNLIKELY(!dvx_sq_claim(sq, 1, wr_id, &wqe, &index)))
		return -ENOSPC;
	dvx_wqe_ctrl(wqe, index, PRM_WQE_OPCODE_MMO, DVX_MMO_DMA, sq->qpn, 4, flags, 0);
	dvx_wqe_mmo_meta(wqe + DVX_SEG, sq->mmo_lkey, sq->mmo_addr);
	dvx_wqe_data(wqe + 2 * DVX_SEG, &from);
	dvx_wqe_data(wqe + 3 * DVX_SEG, &to);
	return 0;
}

/* --- doorbells --- */

/* Everything before the register write: the record tells the device how far the ring is filled. */
DVX_INLINE void dvx_sq_record(struct dvx_sq *sq)
{
	uint32_t pi = sq->pi;

	sq->rung = pi;
	dvx_barrier_wqe_to_record();
	*(volatile uint32_t *)sq->dbrec = prm_swap32(pi & 0xffff);
	dvx_barrier_record_to_register();
}

/*
 * Tells the device about everything posted: record, then the 8-byte register, which holds the head
 * of the last WQE. Harmless with nothing new, but not before the first post.
 */
DVX_INLINE void dvx_sq_ring(struct dvx_sq *sq)
{
	uintptr_t reg = sq->reg;
	uint64_t head;

	memcpy(&head, sq->last, sizeof(head));
	sq->reg = reg ^ sq->bf_size; /* the two buffers of a register take turns */
	dvx_sq_record(sq);
	*(volatile uint64_t *)reg = head;
	dvx_barrier_register_flush();
}

/*
 * The same, pushing the WQE itself through the BlueFlame register, which saves the device a read.
 * Falls back to dvx_sq_ring() if more than one WQE is new, if it is longer than the buffer, or if
 * the UAR is non-cached.
 */
DVX_INLINE void dvx_sq_ring_bf(struct dvx_sq *sq)
{
	uint32_t bytes = (sq->pi - sq->rung) * DVX_BLOCK;
	bool one = sq->last == sq->buf + (size_t)(sq->rung & sq->mask) * DVX_BLOCK;
	volatile uint64_t *to = (volatile uint64_t *)sq->reg;
	const uint8_t *from = sq->last;

	if (!one || bytes > sq->bf_size) {
		dvx_sq_ring(sq);
		return;
	}
	dvx_sq_record(sq);
	for (; bytes; bytes -= DVX_BLOCK, to += 8, from += DVX_BLOCK)
		dvx_register_block(to, from);
	dvx_barrier_register_flush();
	sq->reg ^= sq->bf_size;
}

/* --- completion --- */

/* `at` is the index times the size of a slot; bits beyond the ring are masked off. */
DVX_INLINE uint64_t dvx_sq_retire_slot(struct dvx_sq *sq, uint32_t at)
{
	const uint8_t *slots = (const uint8_t *)sq->slots;
	const struct dvx_sq_slot *slot = (const struct dvx_sq_slot *)(slots + (at & sq->slot_mask));

	sq->ci = slot->end;
	return slot->wr_id;
}

/* The cookie of the WQE that a CQE named; frees its blocks and all before it. */
DVX_INLINE uint64_t dvx_sq_retire(struct dvx_sq *sq, uint32_t wqe_index)
{
	return dvx_sq_retire_slot(sq, wqe_index * (uint32_t)sizeof(struct dvx_sq_slot));
}

DVX_END_DECLS

#endif
