/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_CROSS_H
#define DVX_CROSS_H

/*
 * Cross-channel: requests by which the device, without the processor, waits for completions and
 * starts requests that were prepared in other queues. A managed queue (DVX_QP_MANAGED_SEND,
 * DVX_QP_MANAGED_RECV, DVX_TXQ_MANAGED) is filled by posts like any other, but has no doorbells:
 * requests of a master queue (DVX_QP_MASTER, DVX_TXQ_MASTER) set how far it runs.
 *
 *	dvx_post_send_inline(prepared, "done", 5, cookie, DVX_SIGNALED);	not rung
 *	dvx_post_wait(master, recv_cq->cqn, dvx_cq_index(recv_cq) + 1, 0, 0);
 *	dvx_post_send_enable(master, qpn, prepared->pi, 0, 0);
 *	dvx_sq_ring(master);	the device answers the next message that arrives
 *
 * All calls return the same errors as those of post.h.
 */
#include <dvx/post.h>

DVX_BEGIN_DECLS

DVX_INLINE int dvx_post_cross(struct dvx_sq *sq, uint8_t opcode, uint32_t number, uint32_t index,
			      uint64_t wr_id, uint32_t flags)
{
	struct prm_wqe_qseg_args a = PRM_NOTHING;
	struct dvx_sq_place p;

	if (DVX_UNLIKELY(flags & ~(uint32_t)DVX_POST_FLAGS))
		return -EBADR;
	if (DVX_UNLIKELY(!dvx_sq_claim(sq, 1, &p)))
		return dvx_sq_refuse(sq);
	dvx_sq_ctrl(sq, &p, opcode, 0, 2, flags, 0);
	a.max_index = index;
	a.qpn_cqn = number & 0xffffff;
	prm_wqe_qseg_pack_args(p.wqe + DVX_SEG, a);
	dvx_sq_commit(sq, &p, wr_id);
	return 0;
}

/*
 * Makes the queue wait until the CQ has had `index` CQEs since its creation, modulo 2^24.
 * dvx_cq_index(cq) + n waits for n more than were consumed. Any queue may wait.
 */
DVX_INLINE int dvx_post_wait(struct dvx_sq *sq, uint32_t cqn, uint32_t index, uint64_t wr_id,
			     uint32_t flags)
{
	return dvx_post_cross(sq, PRM_WQE_OPCODE_WAIT, cqn, index & 0xffffff, wr_id, flags);
}

/*
 * Lets the managed queue `qpn` send all blocks before `index`, which is the pi of its dvx_sq after
 * the last post to be sent. An index that was reached before changes nothing.
 */
DVX_INLINE int dvx_post_send_enable(struct dvx_sq *sq, uint32_t qpn, uint32_t index, uint64_t wr_id,
				    uint32_t flags)
{
	return dvx_post_cross(sq, PRM_WQE_OPCODE_SEND_EN, qpn, index & 0xffff, wr_id, flags);
}

/*
 * Lets the managed queue `qpn` use all receives before `index`, the pi of its dvx_rq after the last
 * of them. They also need a dvx_rq_ring() before a message arrives for them.
 */
DVX_INLINE int dvx_post_recv_enable(struct dvx_sq *sq, uint32_t qpn, uint32_t index, uint64_t wr_id,
				    uint32_t flags)
{
	return dvx_post_cross(sq, PRM_WQE_OPCODE_RECV_EN, qpn, index & 0xffff, wr_id, flags);
}

DVX_END_DECLS

#endif
