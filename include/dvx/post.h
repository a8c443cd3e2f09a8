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

/* Posts any request whose data are pieces of memory, with or without a remote address segment. */
DVX_INLINE int dvx_post_gather(struct dvx_sq *sq, uint8_t opcode, uint32_t imm, bool remote,
			       uint64_t raddr, uint32_t rkey, const struct dvx_sge *sge, uint32_t n,
			       uint64_t wr_id, uint32_t flags)
{
	uint32_t ds = 1 + remote + n;
	struct dvx_sq_place p;
	uint8_t *seg;

	if (DVX_UNLIKELY(flags & ~(uint32_t)DVX_POST_FLAGS))
		return -EBADR;
	if (DVX_UNLIKELY(n > DVX_MAX_DS || dvx_wqe_bad_length(sge, n) || !dvx_sq_fits(sq, ds)))
		return -EMSGSIZE;
	if (DVX_UNLIKELY(!dvx_sq_claim(sq, dvx_wqe_blocks(ds), &p)))
		return dvx_sq_refuse(sq);
	dvx_sq_ctrl(sq, &p, opcode, 0, ds, flags, imm);
	seg = p.wqe + DVX_SEG;
	if (remote) {
		dvx_wqe_raddr(seg, raddr, rkey);
		seg += DVX_SEG;
	}
	dvx_wqe_gather(seg, sge, n);
	dvx_sq_commit(sq, &p, wr_id);
	return 0;
}

/* Posts any request whose data are copied into the WQE; the caller may reuse them at once. */
DVX_INLINE int dvx_post_inline(struct dvx_sq *sq, uint8_t opcode, uint32_t imm, bool remote,
			       uint64_t raddr, uint32_t rkey, const void *data, uint32_t len,
			       uint64_t wr_id, uint32_t flags)
{
	uint32_t ds = 1 + remote + (len ? dvx_wqe_inline_ds(len) : 0);
	struct dvx_sq_place p;

	if (DVX_UNLIKELY(flags & ~(uint32_t)DVX_POST_FLAGS))
		return -EBADR;
	if (DVX_UNLIKELY(len > DVX_MAX_DS * DVX_SEG || !dvx_sq_fits(sq, ds)))
		return -EMSGSIZE;
	if (DVX_UNLIKELY(!dvx_sq_claim(sq, dvx_wqe_blocks(ds), &p)))
		return dvx_sq_refuse(sq);
	dvx_sq_ctrl(sq, &p, opcode, 0, ds, flags, imm);
	if (remote)
		dvx_wqe_raddr(p.wqe + DVX_SEG, raddr, rkey);
	if (len)
		dvx_wqe_inline(p.wqe + DVX_SEG * (1 + remote), data, len);
	dvx_sq_commit(sq, &p, wr_id);
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

/* Sends, and invalidates the peer's `rkey` on arrival; the peer's CQE has rkey in place of imm. */
DVX_INLINE int dvx_post_send_inval(struct dvx_sq *sq, uint32_t rkey, const struct dvx_sge *sge,
				   uint32_t n, uint64_t wr_id, uint32_t flags)
{
	return dvx_post_gather(sq, PRM_WQE_OPCODE_SEND_INVAL, rkey, false, 0, 0, sge, n, wr_id,
			       flags);
}

DVX_INLINE int dvx_post_send_inval_inline(struct dvx_sq *sq, uint32_t rkey, const void *data,
					  uint32_t len, uint64_t wr_id, uint32_t flags)
{
	return dvx_post_inline(sq, PRM_WQE_OPCODE_SEND_INVAL, rkey, false, 0, 0, data, len, wr_id,
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

	if (DVX_UNLIKELY(!sq->mmo_lkey))
		return -EBADRQC;
	if (DVX_UNLIKELY(flags & ~(uint32_t)DVX_POST_FLAGS))
		return -EBADR;
	if (DVX_UNLIKELY(len - 1 >= DVX_MAX_SEGMENT))
		return -EMSGSIZE;
	if (DVX_UNLIKELY(!dvx_sq_claim(sq, 1, &p)))
		return dvx_sq_refuse(sq);
	dvx_sq_ctrl(sq, &p, PRM_WQE_OPCODE_MMO, DVX_MMO_DMA, 4, flags, 0);
	dvx_wqe_mmo_meta(p.wqe + DVX_SEG, sq->mmo_lkey, sq->mmo_addr);
	dvx_wqe_data(p.wqe + 2 * DVX_SEG, &from);
	dvx_wqe_data(p.wqe + 3 * DVX_SEG, &to);
	dvx_sq_commit(sq, &p, wr_id);
	return 0;
}

DVX_END_DECLS

#endif
