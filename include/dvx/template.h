/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_TEMPLATE_H
#define DVX_TEMPLATE_H

/*
 * Templates: fast posts of similar requests, on a send queue that does nothing else for a while.
 * The request is written once into every block of the ring; a post then stores only its index,
 * the address and the data.
 *
 *	dvx_template_write_inline(sq, rkey, sizeof(value), DVX_SIGNALED, &t);
 *	...
 *	dvx_template_post_inline(sq, &t, raddr, &value, sizeof(value), cookie);
 *	dvx_sq_ring(sq);
 *	...
 *	dvx_template_end(sq);			all its requests were polled
 *
 * Doorbells, polls and batches work as without a template. Other posts find the ring full
 * meanwhile: they return -ENOSPC, and dvx_sq_free() is 0. A reset of the queue ends the template.
 */
#include <dvx/post.h>

DVX_BEGIN_DECLS

struct dvx_template {
	uint64_t head;	/* first 8 bytes of the request, without its index */
	uint32_t limit; /* the ring has room for posts up to this pi, at least */
	uint32_t len;	/* bytes of inline data; 0: one piece of memory */
};

/*
 * Makes a template for RDMA_WRITE of `len` inline bytes, at most 28, so that a request is one
 * block. -EBUSY: the ring has requests that were not polled, or a template. -EMSGSIZE: a request of
 * this length is longer than a block. -EBADR: an unknown flag.
 */
int dvx_template_write_inline(struct dvx_sq *sq, uint32_t rkey, uint32_t len, uint32_t flags,
			      struct dvx_template *out);
/* Make templates for RDMA_WRITE and RDMA_READ of one piece of `len` bytes. Errors as above. */
int dvx_template_write(struct dvx_sq *sq, uint32_t rkey, uint32_t lkey, uint32_t len,
		       uint32_t flags, struct dvx_template *out);
int dvx_template_read(struct dvx_sq *sq, uint32_t rkey, uint32_t lkey, uint32_t len, uint32_t flags,
		      struct dvx_template *out);
/* Ends the template: the ring takes all requests again. -EBUSY: not all requests were polled. */
int dvx_template_end(struct dvx_sq *sq);

/* Tells whether the ring is full; reads ci only when the limit is reached. */
DVX_INLINE bool dvx_template_full(struct dvx_sq *sq, struct dvx_template *t)
{
	if (dvx_sq_has_second_user(sq))
		return true;
	if (DVX_LIKELY(sq->pi != t->limit))
		return false;
	t->limit = (sq->ci ^ DVX_SQ_TAKEN) + sq->mask + 1;
	return sq->pi == t->limit;
}

/* Returns the block of the next request, after completing its control segment. */
DVX_INLINE struct dvx_sq_place dvx_template_place(const struct dvx_sq *sq,
						  const struct dvx_template *t)
{
	struct dvx_sq_place p = dvx_sq_place_at(sq, sq->pi, 1);
	struct prm_wqe_ctrl_seg_args index = PRM_NOTHING;
	uint64_t seg[2];

	index.wqe_index = p.index & 0xffff;
	prm_wqe_ctrl_seg_pack_args(seg, index);
	seg[0] |= t->head;
	prm_put64(p.wqe, 0, seg[0]);
	return p;
}

/* Posts the request. The bit in `end` keeps DVX_SQ_TAKEN in ci when the request is retired. */
DVX_INLINE void dvx_template_commit(struct dvx_sq *sq, const struct dvx_sq_place *p, uint64_t wr_id)
{
	uint64_t head = prm_take64(p->wqe, 0);

	p->slot->wr_id = wr_id;
	p->slot->end = p->end ^ DVX_SQ_TAKEN;
	sq->head = head;
	sq->pi = p->end;
}

/*
 * Posts the template's request with these data. Returns 0, -ENOSPC (full) or -EMSGSIZE (the
 * template is for another length, or for memory).
 */
DVX_INLINE int dvx_template_post_inline(struct dvx_sq *sq, struct dvx_template *t, uint64_t raddr,
					const void *data, uint32_t len, uint64_t wr_id)
{
	struct dvx_sq_place p;

	if (DVX_UNLIKELY(!len || len != t->len))
		return -EMSGSIZE;
	if (DVX_UNLIKELY(dvx_template_full(sq, t)))
		return dvx_sq_refuse(sq);
	p = dvx_template_place(sq, t);
	prm_wqe_raddr_seg_set_raddr(p.wqe + DVX_SEG, raddr);
	dvx_wqe_copy(p.wqe + 2 * DVX_SEG + PRM_WQE_INLINE_SEG_BYTES, data, len);
	dvx_template_commit(sq, &p, wr_id);
	return 0;
}

/* Posts the template's request for memory at `addr`. -EMSGSIZE: the template is for inline data. */
DVX_INLINE int dvx_template_post(struct dvx_sq *sq, struct dvx_template *t, uint64_t raddr,
				 uint64_t addr, uint64_t wr_id)
{
	struct dvx_sq_place p;

	if (DVX_UNLIKELY(t->len))
		return -EMSGSIZE;
	if (DVX_UNLIKELY(dvx_template_full(sq, t)))
		return dvx_sq_refuse(sq);
	p = dvx_template_place(sq, t);
	prm_wqe_raddr_seg_set_raddr(p.wqe + DVX_SEG, raddr);
	prm_wqe_data_seg_set_addr(p.wqe + 2 * DVX_SEG, addr);
	dvx_template_commit(sq, &p, wr_id);
	return 0;
}

DVX_END_DECLS

#endif
