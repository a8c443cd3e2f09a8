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
#include <dvx/post.h>

DVX_BEGIN_DECLS

/* Addresses the peer's XRC SRQ. */
DVX_INLINE struct dvx_to dvx_to_xrc(uint32_t srqn)
{
	struct dvx_to to = PRM_NOTHING;

	to.xrc = true;
	to.srqn = srqn;
	return to;
}

/* Addresses memory of the peer of an XRC SRQ. */
DVX_INLINE struct dvx_to dvx_to_xrc_at(uint32_t srqn, uint64_t raddr, uint32_t rkey)
{
	return dvx_to_memory(dvx_to_xrc(srqn), raddr, rkey);
}

DVX_POST_GATHER(dvx_post_xrc_send, SEND, 0, dvx_to_xrc(srqn), struct dvx_sq *sq, uint32_t srqn)
DVX_POST_INLINE(dvx_post_xrc_send_inline, SEND, 0, dvx_to_xrc(srqn), struct dvx_sq *sq,
		uint32_t srqn)
DVX_POST_GATHER(dvx_post_xrc_send_imm, SEND_IMM, imm, dvx_to_xrc(srqn), struct dvx_sq *sq,
		uint32_t srqn, uint32_t imm)
DVX_POST_GATHER(dvx_post_xrc_write, RDMA_WRITE, 0, dvx_to_xrc_at(srqn, raddr, rkey),
		struct dvx_sq *sq, uint32_t srqn, uint64_t raddr, uint32_t rkey)
DVX_POST_GATHER(dvx_post_xrc_read, RDMA_READ, 0, dvx_to_xrc_at(srqn, raddr, rkey),
		struct dvx_sq *sq, uint32_t srqn, uint64_t raddr, uint32_t rkey)

DVX_END_DECLS

#endif
