/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_POST_TO_H
#define DVX_POST_TO_H

/*
 * Work requests with a destination in each WQE: address segments between the control segment and
 * the rest. The calls of ud.h, dc.h and xrc.h are made of these; they return the errors of post.h.
 */
#include <dvx/post.h>

DVX_BEGIN_DECLS

/* Address segments in WQE format. ds is a constant in all inlined calls. */
struct dvx_to {
	const void *seg;
	uint32_t ds;
	uint16_t stream; /* of a DC initiator, else 0 */
};

DVX_INLINE int dvx_post_gather_to(struct dvx_sq *sq, uint8_t opcode, uint32_t imm, struct dvx_to to,
				  const struct dvx_sge *sge, uint32_t n, uint64_t wr_id,
				  uint32_t flags)
{
	uint32_t ds = 1 + to.ds + n;
	struct dvx_sq_place p;

	if (DVX_UNLIKELY(flags & ~(uint32_t)DVX_POST_FLAGS))
		return -EBADR;
	if (DVX_UNLIKELY(n > DVX_MAX_DS || dvx_wqe_bad_length(sge, n) || !dvx_sq_fits(sq, ds)))
		return -EMSGSIZE;
	if (DVX_UNLIKELY(!dvx_sq_claim(sq, dvx_wqe_blocks(ds), &p)))
		return dvx_sq_refuse(sq);
	dvx_sq_ctrl(sq, &p, opcode, 0, ds, flags, imm);
	if (to.stream)
		prm_wqe_ctrl_seg_set_dci_stream_channel_id(p.wqe, to.stream);
	__builtin_memcpy(p.wqe + DVX_SEG, to.seg, (size_t)to.ds * DVX_SEG);
	dvx_wqe_gather(p.wqe + (size_t)(1 + to.ds) * DVX_SEG, sge, n);
	dvx_sq_commit(sq, &p, wr_id);
	return 0;
}

DVX_INLINE int dvx_post_inline_to(struct dvx_sq *sq, uint8_t opcode, uint32_t imm, struct dvx_to to,
				  const void *data, uint32_t len, uint64_t wr_id, uint32_t flags)
{
	uint32_t ds = 1 + to.ds + (len ? dvx_wqe_inline_ds(len) : 0);
	struct dvx_sq_place p;

	if (DVX_UNLIKELY(flags & ~(uint32_t)DVX_POST_FLAGS))
		return -EBADR;
	if (DVX_UNLIKELY(len > DVX_MAX_DS * DVX_SEG || !dvx_sq_fits(sq, ds)))
		return -EMSGSIZE;
	if (DVX_UNLIKELY(!dvx_sq_claim(sq, dvx_wqe_blocks(ds), &p)))
		return dvx_sq_refuse(sq);
	dvx_sq_ctrl(sq, &p, opcode, 0, ds, flags, imm);
	if (to.stream)
		prm_wqe_ctrl_seg_set_dci_stream_channel_id(p.wqe, to.stream);
	__builtin_memcpy(p.wqe + DVX_SEG, to.seg, (size_t)to.ds * DVX_SEG);
	if (len)
		dvx_wqe_inline(p.wqe + (size_t)(1 + to.ds) * DVX_SEG, data, len);
	dvx_sq_commit(sq, &p, wr_id);
	return 0;
}

DVX_END_DECLS

#endif
