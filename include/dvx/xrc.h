/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_XRC_H
#define DVX_XRC_H

/*
 * XRC: reliable like RC, but each message names the shared receive queue that it is for. So one
 * connection to a host serves all programs on it. The sender has an initiator (DVX_QP_XRC_INI), the
 * receiving host has a target, which has no rings.
 *
 * Domains, targets and XRC SRQs are made by verbs (ibv_open_xrcd(3), ibv_create_qp_ex(3),
 * ibv_create_srq_ex(3)), because several programs share them. libdvx drives the rings: the receiver
 * adopts the CQ, then the SRQ (dvx_srq_adopt_xrc(3)), the sender its initiator (dvx_qp_adopt(3)).
 *
 *	dvx_post_xrc_send_inline(sq, srqn, "hello", 6, cookie, DVX_SIGNALED);
 *	dvx_sq_ring(sq);
 */
#include <dvx/post_to.h>

DVX_BEGIN_DECLS

/* The address segments of a request: the peer's XRC SRQ, and the address and key of its memory. */
struct dvx_xrc_segs {
	uint64_t srq[DVX_SEG / 8];
	uint64_t raddr[DVX_SEG / 8];
};

DVX_INLINE struct dvx_to dvx_to_xrc(struct dvx_xrc_segs *segs, uint32_t srqn)
{
	struct prm_wqe_xrc_seg_args a = PRM_NOTHING;
	struct dvx_to to = {segs, 1, 0};

	a.xrc_srqn = srqn;
	prm_wqe_xrc_seg_pack_args(segs->srq, a);
	return to;
}

DVX_INLINE struct dvx_to dvx_to_xrc_at(struct dvx_xrc_segs *segs, uint32_t srqn, uint64_t raddr,
				       uint32_t rkey)
{
	struct dvx_to to = dvx_to_xrc(segs, srqn);

	dvx_wqe_raddr(segs->raddr, raddr, rkey);
	to.ds = 2;
	return to;
}

DVX_INLINE int dvx_post_xrc_send(struct dvx_sq *sq, uint32_t srqn, const struct dvx_sge *sge,
				 uint32_t n, uint64_t wr_id, uint32_t flags)
{
	struct dvx_xrc_segs segs;

	return dvx_post_gather_to(sq, PRM_WQE_OPCODE_SEND, 0, dvx_to_xrc(&segs, srqn), sge, n,
				  wr_id, flags);
}

DVX_INLINE int dvx_post_xrc_send_imm(struct dvx_sq *sq, uint32_t srqn, uint32_t imm,
				     const struct dvx_sge *sge, uint32_t n, uint64_t wr_id,
				     uint32_t flags)
{
	struct dvx_xrc_segs segs;

	return dvx_post_gather_to(sq, PRM_WQE_OPCODE_SEND_IMM, imm, dvx_to_xrc(&segs, srqn), sge, n,
				  wr_id, flags);
}

DVX_INLINE int dvx_post_xrc_send_inline(struct dvx_sq *sq, uint32_t srqn, const void *data,
					uint32_t len, uint64_t wr_id, uint32_t flags)
{
	struct dvx_xrc_segs segs;

	return dvx_post_inline_to(sq, PRM_WQE_OPCODE_SEND, 0, dvx_to_xrc(&segs, srqn), data, len,
				  wr_id, flags);
}

DVX_INLINE int dvx_post_xrc_write(struct dvx_sq *sq, uint32_t srqn, uint64_t raddr, uint32_t rkey,
				  const struct dvx_sge *sge, uint32_t n, uint64_t wr_id,
				  uint32_t flags)
{
	struct dvx_xrc_segs segs;

	return dvx_post_gather_to(sq, PRM_WQE_OPCODE_RDMA_WRITE, 0,
				  dvx_to_xrc_at(&segs, srqn, raddr, rkey), sge, n, wr_id, flags);
}

DVX_INLINE int dvx_post_xrc_read(struct dvx_sq *sq, uint32_t srqn, uint64_t raddr, uint32_t rkey,
				 const struct dvx_sge *sge, uint32_t n, uint64_t wr_id,
				 uint32_t flags)
{
	struct dvx_xrc_segs segs;

	return dvx_post_gather_to(sq, PRM_WQE_OPCODE_RDMA_READ, 0,
				  dvx_to_xrc_at(&segs, srqn, raddr, rkey), sge, n, wr_id, flags);
}

DVX_END_DECLS

#endif
