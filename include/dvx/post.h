/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_POST_H
#define DVX_POST_H

/*
 * Work requests of a queue pair. All return 0, -ENOSPC (the ring is full), -EMSGSIZE (the request
 * does not fit into the largest WQE, or a piece is empty or longer than 2 GiB) or -EBADR (an
 * unknown flag), in debug builds also -EUSERS (users.h). On errors nothing was posted, and
 * dvx_strerror() has a sentence. Nothing reaches the device before a dvx_sq_ring().
 *
 * `flags` are those of enum dvx_post_flags (wqe.h), `wr_id` is the cookie that a poll returns.
 * `imm` is a number; the peer reads the same number from its CQE.
 */
#include <dvx/sq.h>

DVX_BEGIN_DECLS

/*
 * The receiver of a request: the segments between its control segment and its data. `words` are
 * more segments of some opcodes, such as the operands of an atomic.
 */
struct dvx_to {
	const void *av;	 /* address vector of UD and DC (ud.h) */
	uint32_t av_ds;	 /* its segments; 0: none */
	uint32_t srqn;	 /* of XRC: the peer's SRQ */
	bool xrc;	 /* srqn is set */
	bool memory;	 /* raddr and rkey are set: READ, WRITE, atomics */
	uint16_t stream; /* of a DC initiator, else 0 */
	uint32_t rkey;
	uint64_t raddr;
	uint64_t words[2 * DVX_SEG / 8]; /* in WQE format */
	uint32_t ds;			 /* segments in `words`, 0 to 2 */
	uint8_t opmod;			 /* the opcode's modifier */
};

/* Addresses a connected queue's peer, or nobody. */
DVX_INLINE struct dvx_to dvx_to_peer(void)
{
	struct dvx_to to = PRM_NOTHING;

	return to;
}

/* Addresses memory of the receiver `to`. */
DVX_INLINE struct dvx_to dvx_to_memory(struct dvx_to to, uint64_t raddr, uint32_t rkey)
{
	to.memory = true;
	to.raddr = raddr;
	to.rkey = rkey;
	return to;
}

/* Returns how many segments dvx_post_head() writes, with the control segment. */
DVX_INLINE uint32_t dvx_to_ds(struct dvx_to to)
{
	return 1 + to.av_ds + to.xrc + to.memory + to.ds;
}

/* Begins a request of `ds` segments: returns 0 and its place, or the error of a post. */
DVX_INLINE int dvx_post_claim(struct dvx_sq *sq, uint32_t ds, uint32_t flags,
			      struct dvx_sq_place *p)
{
	if (DVX_UNLIKELY(flags & ~(uint32_t)DVX_POST_FLAGS))
		return -EBADR;
	if (DVX_UNLIKELY(!dvx_sq_fits(sq, ds)))
		return -EMSGSIZE;
	if (DVX_UNLIKELY(!dvx_sq_claim(sq, dvx_wqe_blocks(ds), p)))
		return dvx_sq_refuse(sq);
	return 0;
}

/* Writes the segments of a request before its data; returns the segment behind them. */
DVX_INLINE uint8_t *dvx_post_head(struct dvx_sq *sq, const struct dvx_sq_place *p, uint8_t opcode,
				  uint32_t imm, struct dvx_to to, uint32_t ds, uint32_t flags)
{
	struct prm_wqe_xrc_seg_args xrc = PRM_NOTHING;
	uint8_t *seg = p->wqe + DVX_SEG;
	uint32_t i;

	dvx_sq_ctrl(sq, p, opcode, to.opmod, ds, flags, imm);
	if (to.stream)
		prm_wqe_ctrl_seg_set_dci_stream_channel_id(p->wqe, to.stream);
	if (to.av_ds)
		__builtin_memcpy(seg, to.av, (size_t)to.av_ds * DVX_SEG);
	seg += (size_t)to.av_ds * DVX_SEG;
	if (to.xrc) {
		xrc.xrc_srqn = to.srqn;
		prm_wqe_xrc_seg_pack_args(seg, xrc);
		seg += DVX_SEG;
	}
	if (to.memory) {
		dvx_wqe_raddr(seg, to.raddr, to.rkey);
		seg += DVX_SEG;
	}
#pragma GCC unroll 4 /* memcpy() would store the words to memory first */
	for (i = 0; i < to.ds * DVX_SEG / sizeof(to.words[i]); i++)
		prm_put64(seg, i * sizeof(to.words[i]), to.words[i]);
	return seg + (size_t)to.ds * DVX_SEG;
}

/* Posts any request whose data are pieces of memory. */
DVX_INLINE int dvx_post_gather(struct dvx_sq *sq, uint8_t opcode, uint32_t imm, struct dvx_to to,
			       const struct dvx_sge *sge, uint32_t n, uint64_t wr_id,
			       uint32_t flags)
{
	uint32_t ds = dvx_to_ds(to) + n;
	struct dvx_sq_place p;
	int err;

	if (DVX_UNLIKELY(n > DVX_MAX_DS || dvx_wqe_bad_length(sge, n)))
		return -EMSGSIZE;
	err = dvx_post_claim(sq, ds, flags, &p);
	if (DVX_UNLIKELY(err))
		return err;
	dvx_wqe_gather(dvx_post_head(sq, &p, opcode, imm, to, ds, flags), sge, n);
	dvx_sq_commit(sq, &p, wr_id);
	return 0;
}

/* Posts any request whose data are copied into the WQE; the caller may reuse them at once. */
DVX_INLINE int dvx_post_inline(struct dvx_sq *sq, uint8_t opcode, uint32_t imm, struct dvx_to to,
			       const void *data, uint32_t len, uint64_t wr_id, uint32_t flags)
{
	uint32_t ds = dvx_to_ds(to) + (len ? dvx_wqe_inline_ds(len) : 0);
	struct dvx_sq_place p;
	int err;
	uint8_t *seg;

	if (DVX_UNLIKELY(len > DVX_MAX_DS * DVX_SEG))
		return -EMSGSIZE;
	err = dvx_post_claim(sq, ds, flags, &p);
	if (DVX_UNLIKELY(err))
		return err;
	seg = dvx_post_head(sq, &p, opcode, imm, to, ds, flags);
	if (len)
		dvx_wqe_inline(seg, data, len);
	dvx_sq_commit(sq, &p, wr_id);
	return 0;
}

/*
 * A post by its name, its opcode, its immediate value, its address and its parameters, behind which
 * come `sge, n, wr_id, flags` for pieces of memory, or `data, len, wr_id, flags` for inline data.
 */
#define DVX_POST_GATHER(name, opcode, imm, to, ...)                                             \
	DVX_INLINE int name(__VA_ARGS__, const struct dvx_sge *sge, uint32_t n, uint64_t wr_id, \
			    uint32_t flags)                                                     \
	{                                                                                       \
		return dvx_post_gather(sq, PRM_WQE_OPCODE_##opcode, imm, to, sge, n, wr_id,     \
				       flags);                                                  \
	}
#define DVX_POST_INLINE(name, opcode, imm, to, ...)                                            \
	DVX_INLINE int name(__VA_ARGS__, const void *data, uint32_t len, uint64_t wr_id,       \
			    uint32_t flags)                                                    \
	{                                                                                      \
		return dvx_post_inline(sq, PRM_WQE_OPCODE_##opcode, imm, to, data, len, wr_id, \
				       flags);                                                 \
	}

DVX_POST_GATHER(dvx_post_send, SEND, 0, dvx_to_peer(), struct dvx_sq *sq)
DVX_POST_INLINE(dvx_post_send_inline, SEND, 0, dvx_to_peer(), struct dvx_sq *sq)
DVX_POST_GATHER(dvx_post_send_imm, SEND_IMM, imm, dvx_to_peer(), struct dvx_sq *sq, uint32_t imm)
DVX_POST_INLINE(dvx_post_send_imm_inline, SEND_IMM, imm, dvx_to_peer(), struct dvx_sq *sq,
		uint32_t imm)
/* Sends, and invalidates the peer's `rkey` on arrival; the peer's CQE has rkey in place of imm. */
DVX_POST_GATHER(dvx_post_send_inval, SEND_INVAL, rkey, dvx_to_peer(), struct dvx_sq *sq,
		uint32_t rkey)
DVX_POST_INLINE(dvx_post_send_inval_inline, SEND_INVAL, rkey, dvx_to_peer(), struct dvx_sq *sq,
		uint32_t rkey)
DVX_POST_GATHER(dvx_post_write, RDMA_WRITE, 0, dvx_to_memory(dvx_to_peer(), raddr, rkey),
		struct dvx_sq *sq, uint64_t raddr, uint32_t rkey)
DVX_POST_INLINE(dvx_post_write_inline, RDMA_WRITE, 0, dvx_to_memory(dvx_to_peer(), raddr, rkey),
		struct dvx_sq *sq, uint64_t raddr, uint32_t rkey)
DVX_POST_GATHER(dvx_post_write_imm, RDMA_WRITE_IMM, imm, dvx_to_memory(dvx_to_peer(), raddr, rkey),
		struct dvx_sq *sq, uint32_t imm, uint64_t raddr, uint32_t rkey)
DVX_POST_INLINE(dvx_post_write_imm_inline, RDMA_WRITE_IMM, imm,
		dvx_to_memory(dvx_to_peer(), raddr, rkey), struct dvx_sq *sq, uint32_t imm,
		uint64_t raddr, uint32_t rkey)
DVX_POST_GATHER(dvx_post_read, RDMA_READ, 0, dvx_to_memory(dvx_to_peer(), raddr, rkey),
		struct dvx_sq *sq, uint64_t raddr, uint32_t rkey)

DVX_INLINE int dvx_post_nop(struct dvx_sq *sq, uint64_t wr_id, uint32_t flags)
{
	return dvx_post_gather(sq, PRM_WQE_OPCODE_NOP, 0, dvx_to_peer(), NULL, 0, wr_id, flags);
}

/*
 * Copies len bytes between two local mkeys by the device's DMA engine, without a packet; an alias
 * (mkey.h) is a local mkey, too. The QP needs DVX_QP_MMO; it need not be connected. Copies may
 * finish in any order, also relative to RDMA: a request with DVX_STRONG_ORDER waits for them. len
 * is 1 to 2 GiB, and at most dvx_caps.dma_mmo_max, which only the device checks. -EBADRQC: a QP
 * without MMO.
 */
DVX_INLINE int dvx_post_dma(struct dvx_sq *sq, uint64_t dst, uint32_t dst_lkey, uint64_t src,
			    uint32_t src_lkey, uint32_t len, uint64_t wr_id, uint32_t flags)
{
	struct dvx_sge from = {src, len, src_lkey}, to = {dst, len, dst_lkey};
	struct dvx_sq_place p;
	int err;

	if (DVX_UNLIKELY(!sq->mmo_lkey))
		return -EBADRQC;
	if (DVX_UNLIKELY(len - 1 >= DVX_MAX_SEGMENT))
		return -EMSGSIZE;
	err = dvx_post_claim(sq, 4, flags, &p);
	if (DVX_UNLIKELY(err))
		return err;
	dvx_sq_ctrl(sq, &p, PRM_WQE_OPCODE_MMO, DVX_MMO_DMA, 4, flags, 0);
	dvx_wqe_mmo_meta(p.wqe + DVX_SEG, sq->mmo_lkey, sq->mmo_addr);
	dvx_wqe_data(p.wqe + 2 * DVX_SEG, &from);
	dvx_wqe_data(p.wqe + 3 * DVX_SEG, &to);
	dvx_sq_commit(sq, &p, wr_id);
	return 0;
}

DVX_END_DECLS

#endif
