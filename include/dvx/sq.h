/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_SQ_H
#define DVX_SQ_H

/*
 * Send queue: its ring. post.h writes work requests into it, poll.h takes completions. This header
 * has the doorbells, batches, and the steps that posts and polls are made of.
 *
 *	if (dvx_post_write(sq, raddr, rkey, &sge, 1, cookie, DVX_SIGNALED) == -ENOSPC)
 *		poll first: the ring is full, nothing was written
 *	dvx_sq_ring(sq);
 *
 * A ring is an array of 64-byte blocks. `pi` counts the blocks posted and `ci` those retired; both
 * are free running, and their difference is the number of blocks in use. A WQE is contiguous: if
 * one would cross the ring's end, NOPs fill the blocks up to there, and the WQE begins at the
 * ring's start (doc/design/0002-rings.md).
 *
 * A signaled WQE's CQE names the WQE's first block (cqe.h dvx_cqe_wqe_index()); dvx_sq_retire()
 * turns that into the caller's cookie and frees all blocks up to and including that WQE.
 */
#include <dvx/barrier.h>
#include <dvx/common.h>
#include <dvx/users.h>
#include <dvx/wqe.h>

DVX_BEGIN_DECLS

/* The ring's record of the WQE that begins at a block. */
struct dvx_sq_slot {
	uint64_t wr_id; /* the caller's cookie */
	uint32_t end; /* pi after this WQE, and ci once it is retired; of padding: its own index */
	uint32_t reserved;
};

/*
 * The cookie of a padding NOP. Only a flush after an error writes a CQE for it; polls skip that
 * CQE. Posts may have the same cookie: polls recognise padding by its slot's `end`.
 */
#define DVX_WR_ID_PAD UINT64_MAX

struct dvx_sq {
	uint8_t *buf;
	struct dvx_sq_slot *slots; /* one per block */
	uint32_t *dbrec;	   /* big-endian send counter */
	uintptr_t reg;		   /* address of the next doorbell */
	uint64_t head;		   /* first 8 bytes of the last WQE: the doorbell's value */
	uint64_t qpn_be;	   /* first 8 bytes of a WQE with nothing but the QPN set */
	uint32_t pi;
	uint32_t ci;
	uint32_t mask;	    /* blocks - 1 */
	uint32_t slot_mask; /* mask in bytes of slots */
	/* second cache line */
	struct dvx_cq *cq; /* if no other queue completes in it: dvx_sq_poll() */
	uint32_t bf_size;  /* bytes of a BlueFlame buffer, 0: none; reg alternates by it */
	uint32_t peer_ds;  /* of an adopted queue: segments of a WQE that name its peer */
	uint64_t mmo_addr; /* 64 bytes that the MMO engine may overwrite */
	uint32_t mmo_lkey; /* 0: a queue without MMO */
	uint32_t max_ds;   /* segments of one WQE */
	uint32_t qpn;
	uint32_t begun;		     /* in a batch: pi when it began */
	struct dvx_users users;	     /* users.h */
	struct dvx_users *reg_users; /* of a BlueFlame register; NULL: all threads may write it */
	uint64_t null_lkey;	     /* of an adopted queue: the null mkey; 0: none */
};

/*
 * The memory of a ring that the program provides, for tests and for queues that were created in
 * another way. buf holds `blocks` (a power of two) blocks, slots as many entries. The largest WQE
 * is max_wqe_bytes, or less if the ring is too short for it and the longest padding.
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
	uint32_t reserved;
	struct dvx_cq *cq; /* a plain ring that no other queue completes in; NULL: no poll */
};
int dvx_sq_init(struct dvx_sq *sq, const struct dvx_sq_memory *init);

DVX_INLINE uint32_t dvx_sq_blocks(const struct dvx_sq *sq)
{
	return sq->mask + 1;
}

/*
 * Bit in ci while a template uses the ring (template.h). It makes the ring look full to all other
 * posts, since pi - ci is then greater than any ring.
 */
#define DVX_SQ_TAKEN 0x80000000u

/* Returns how many blocks are free. */
DVX_INLINE uint32_t dvx_sq_free(const struct dvx_sq *sq)
{
	uint32_t used = sq->pi - sq->ci;

	return used > sq->mask ? 0 : sq->mask + 1 - used;
}

/* --- for post.h, and for work requests that it does not offer --- */

/* Lets another thread use the queue, and its register: for debug builds (users.h). */
DVX_INLINE void dvx_sq_leave(struct dvx_sq *sq)
{
	DVX_LEAVE(&sq->users);
	DVX_LEAVE(sq->reg_users);
}

/* Returns true if two threads use the ring or its register; only in debug builds (users.h). */
DVX_INLINE bool dvx_sq_has_second_user(struct dvx_sq *sq)
{
#ifdef DVX_DEBUG
	return dvx_users_foreign(&sq->users, DVX_USERS_SQ, sq->qpn) ||
	       (sq->reg_users && sq->reg_users->intruder &&
		dvx_users_foreign(sq->reg_users, DVX_USERS_REGISTER, sq->qpn));
#else
	(void)sq;
	return false;
#endif
}

/* Returns the error of a post for which dvx_sq_claim() found no place. */
DVX_INLINE int dvx_sq_refuse(struct dvx_sq *sq)
{
	return dvx_sq_has_second_user(sq) ? -EUSERS : -ENOSPC;
}

/* Returns the offset in bytes of block index's slot. The block's own offset is four times that. */
DVX_INLINE uint32_t dvx_sq_at(const struct dvx_sq *sq, uint32_t index)
{
	return index * (uint32_t)sizeof(struct dvx_sq_slot) & sq->slot_mask;
}

/* A place for a WQE, from dvx_sq_claim(): the caller writes the WQE, then commits it. */
struct dvx_sq_place {
	uint8_t *wqe;
	struct dvx_sq_slot *slot;
	uint32_t index; /* the wqe_index for the control segment */
	uint32_t end;
};

/* Returns the place of `blocks` blocks from block `index` on, without checking that it is free. */
DVX_INLINE struct dvx_sq_place dvx_sq_place_at(const struct dvx_sq *sq, uint32_t index,
					       uint32_t blocks)
{
	uint32_t at = dvx_sq_at(sq, index);
	struct dvx_sq_place p;

	p.wqe = sq->buf + (size_t)at * (DVX_BLOCK / sizeof(struct dvx_sq_slot));
	p.slot = (struct dvx_sq_slot *)((uint8_t *)sq->slots + at);
	p.index = index;
	p.end = index + blocks;
	return p;
}

/* Writes the control segment. The fields are packed apart, so that constant ones cost nothing. */
DVX_INLINE void dvx_sq_ctrl(const struct dvx_sq *sq, const struct dvx_sq_place *p, uint8_t opcode,
			    uint8_t opmod, uint32_t ds, uint32_t flags, uint32_t imm)
{
	struct prm_wqe_ctrl_seg_args a = PRM_NOTHING, index = PRM_NOTHING;
	uint64_t seg[2], by_index[2];

	a.opmod = opmod;
	a.opcode = opcode;
	a.ds = ds;
	a.fm_ce_se = flags >> 8 & 0xff;
	a.imm = imm;
	prm_wqe_ctrl_seg_pack_args(seg, a);
	index.wqe_index = p->index & 0xffff;
	prm_wqe_ctrl_seg_pack_args(by_index, index);
	seg[0] |= sq->qpn_be | by_index[0];
	prm_put64(p->wqe, 0, seg[0]);
	prm_put64(p->wqe, sizeof(seg[0]), seg[1]);
}

/* Posts the WQE that was written to p: the next doorbell announces it. */
DVX_INLINE void dvx_sq_commit(struct dvx_sq *sq, const struct dvx_sq_place *p, uint64_t wr_id)
{
	uint64_t head = prm_take64(p->wqe, 0);

	p->slot->wr_id = wr_id;
	p->slot->end = p->end;
	sq->head = head;
	sq->pi = p->end;
}

/*
 * Posts a NOP of one block as padding; the caller has checked for room. A slot whose `end` is its
 * own index marks padding.
 */
DVX_INLINE void dvx_sq_pad_block(struct dvx_sq *sq)
{
	struct dvx_sq_place p = dvx_sq_place_at(sq, sq->pi, 1);

	dvx_sq_ctrl(sq, &p, PRM_WQE_OPCODE_NOP, 0, 1, 0, 0);
	sq->head = prm_take64(p.wqe, 0);
	p.slot->wr_id = DVX_WR_ID_PAD;
	p.slot->end = p.index;
	sq->pi++;
}

/* Pads up to the ring's end. */
DVX_INLINE void dvx_sq_pad(struct dvx_sq *sq)
{
	while (sq->pi & sq->mask)
		dvx_sq_pad_block(sq);
}

/* Returns how many blocks of padding come before a WQE of `blocks` blocks. */
DVX_INLINE uint32_t dvx_sq_padding(const struct dvx_sq *sq, uint32_t blocks)
{
	uint32_t at = sq->pi & sq->mask;

	/* A WQE of 2^n blocks that begins at a multiple of 2^n never crosses the ring's end. */
	if (__builtin_constant_p(blocks) && !(blocks & (blocks - 1)) &&
	    DVX_LIKELY(!(sq->pi & (blocks - 1))))
		return 0;
	return DVX_UNLIKELY(at + blocks > sq->mask + 1) ? sq->mask + 1 - at : 0;
}

/*
 * Finds a place for `blocks` consecutive blocks, after padding if needed. The caller writes the
 * whole WQE there, and commits it. Returns false if there is no room: then nothing changed, and
 * dvx_sq_refuse() returns the error.
 */
DVX_INLINE bool dvx_sq_claim(struct dvx_sq *sq, uint32_t blocks, struct dvx_sq_place *p)
{
	uint32_t pad;

	if (dvx_sq_has_second_user(sq))
		return false;
	pad = dvx_sq_padding(sq, blocks);
	if (DVX_UNLIKELY(sq->pi - sq->ci + (pad + blocks - 1) > sq->mask))
		return false;
	if (DVX_UNLIKELY(pad))
		dvx_sq_pad(sq);
	*p = dvx_sq_place_at(sq, sq->pi, blocks);
	return true;
}

/* Tells whether a WQE of `ds` segments fits; four always do. */
DVX_INLINE bool dvx_sq_fits(const struct dvx_sq *sq, uint32_t ds)
{
	return ds <= DVX_BLOCK / DVX_SEG || (ds <= DVX_MAX_DS && ds <= sq->max_ds);
}

/* --- doorbells --- */

/*
 * Returns the half of the record with the index; the other half is always 0. Reads use the same
 * half as writes: a wider load would wait for the store instead of being forwarded from it.
 */
DVX_INLINE volatile uint16_t *dvx_sq_record_index(const struct dvx_sq *sq)
{
	return (volatile uint16_t *)sq->dbrec + 1;
}

/* Does all but the register write of a doorbell: writes the record, with its barriers. */
DVX_INLINE void dvx_sq_record(struct dvx_sq *sq)
{
	volatile uint16_t *record = dvx_sq_record_index(sq);
	uint32_t pi = sq->pi;

	(void)DVX_FOREIGN(&sq->users, DVX_USERS_SQ, sq->qpn);
	(void)DVX_FOREIGN(sq->reg_users, DVX_USERS_REGISTER, sq->qpn);
	dvx_barrier_wqe_to_record();
	*record = prm_swap16((uint16_t)pi);
	dvx_barrier_record_to_register();
}

/*
 * Announces all posts to the device: writes the record, then the 8-byte register, with the first 8
 * bytes of the last WQE (before the first post, the queue's number). Harmless if nothing is new.
 */
DVX_INLINE void dvx_sq_ring(struct dvx_sq *sq)
{
	uintptr_t reg = sq->reg;
	uint64_t head = sq->head;

	dvx_sq_record(sq);
	*(volatile uint64_t *)reg = head;
	dvx_barrier_register_flush();
}

/* Returns the last WQE posted. */
DVX_INLINE uint8_t *dvx_sq_last(const struct dvx_sq *sq)
{
	uint32_t blocks = dvx_wqe_blocks(prm_wqe_ctrl_seg_get_ds(&sq->head));

	return dvx_sq_place_at(sq, sq->pi - blocks, blocks).wqe;
}

/*
 * Announces the last post and writes the whole WQE to the BlueFlame register, which saves the
 * device a read. The two buffers of a register take turns. Falls back to dvx_sq_ring() if more than
 * one WQE is new, if it is longer than the buffer, or if the UAR is non-cached.
 */
DVX_INLINE void dvx_sq_ring_bf(struct dvx_sq *sq)
{
	uint32_t blocks = dvx_wqe_blocks(prm_wqe_ctrl_seg_get_ds(&sq->head));
	uint32_t fresh = (sq->pi - prm_swap16(*dvx_sq_record_index(sq))) & 0xffff;
	volatile uint64_t *to = (volatile uint64_t *)sq->reg;
	const uint8_t *from = dvx_sq_last(sq);

	if (fresh != blocks || blocks * DVX_BLOCK > sq->bf_size) {
		dvx_sq_ring(sq);
		return;
	}
	dvx_sq_record(sq);
	for (; blocks; blocks--, to += 8, from += DVX_BLOCK)
		dvx_register_block(to, from);
	dvx_barrier_register_flush();
	sq->reg ^= sq->bf_size;
}

/* --- batches ---
 *
 * A batch posts many work requests at the least cost for each: it is a copy of the ring, which the
 * compiler keeps in registers, and the calls of post.h post to it.
 *
 *	struct dvx_sq batch = dvx_sq_begin(sq);
 *
 *	while (more && !dvx_post_write(&batch, raddr, rkey, &sge, 1, cookie, flags))
 *		more = next();
 *	dvx_sq_end(sq, &batch);
 *	dvx_sq_ring(sq);
 *
 * Polls of `sq` may go on meanwhile; the next batch can use the room that they free. Do not post to
 * `sq` itself, which would write the same blocks: with DVX_DEBUG, posts and polls return -EUSERS
 * after that. Posts of a batch count only after dvx_sq_end().
 */
DVX_INLINE struct dvx_sq dvx_sq_begin(const struct dvx_sq *sq)
{
	struct dvx_sq batch = *sq;

	batch.begun = sq->pi;
	return batch;
}

DVX_INLINE void dvx_sq_end(struct dvx_sq *sq, const struct dvx_sq *batch)
{
#ifdef DVX_DEBUG
	if (sq->pi != batch->begun)
		sq->users.intruder = DVX_USERS_BATCH;
	((struct dvx_sq *)(uintptr_t)batch)->begun =
		batch->pi; /* a batch may be continued and ended again */
#endif
	sq->head = batch->head;
	sq->pi = batch->pi;
}

/* --- completion --- */

/* Retires the WQE of a slot. `at`: its index times the size of a slot, modulo the ring's. */
DVX_INLINE uint64_t dvx_sq_retire_slot(struct dvx_sq *sq, uint32_t at)
{
	const uint8_t *slots = (const uint8_t *)sq->slots;
	const struct dvx_sq_slot *slot = (const struct dvx_sq_slot *)(slots + (at & sq->slot_mask));

	(void)DVX_FOREIGN(&sq->users, DVX_USERS_SQ, sq->qpn);
	sq->ci = slot->end;
	return slot->wr_id;
}

/* Returns the cookie of the WQE that a CQE named; frees its blocks and all before it. */
DVX_INLINE uint64_t dvx_sq_retire(struct dvx_sq *sq, uint32_t wqe_index)
{
	return dvx_sq_retire_slot(sq, wqe_index * (uint32_t)sizeof(struct dvx_sq_slot));
}

DVX_END_DECLS

#endif
