/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The engine on libdvx's rings. It posts each operation by the call of dvx/post.h and its kin; on
 * UD, DC and XRC by the building blocks of those calls.
 */
#include "rings.h"

#define IMM 1 /* the value of an immediate does not matter */

PERF_INLINE int ring_post_inline(struct ring_queue *q, enum perf_op op, uint32_t n, uint64_t cookie,
				 uint32_t flags)
{
	const void *data = (const void *)(uintptr_t)q->sge[0].addr;

	switch (op) {
	case PERF_SEND:
		return dvx_post_send_inline(q->sq, data, n, cookie, flags);
	case PERF_SEND_IMM:
		return dvx_post_send_imm_inline(q->sq, IMM, data, n, cookie, flags);
	case PERF_SEND_INVAL:
		return dvx_post_send_inval_inline(q->sq, keys_next(&q->keys), data, n, cookie,
						  flags);
	case PERF_WRITE:
		return dvx_post_write_inline(q->sq, q->raddr, q->rkey, data, n, cookie, flags);
	default:
		return dvx_post_write_imm_inline(q->sq, IMM, q->raddr, q->rkey, data, n, cookie,
						 flags);
	}
}

/* Same as perf_ops[op].inlines, as a constant expression. */
PERF_INLINE bool perf_ops_inline(enum perf_op op)
{
	return op == PERF_SEND || op == PERF_SEND_IMM || op == PERF_SEND_INVAL ||
	       op == PERF_WRITE || op == PERF_WRITE_IMM;
}

/* Returns the place for the old value that an atomic operation returns. */
PERF_INLINE uint64_t *ring_old(const struct ring_queue *q)
{
	return (uint64_t *)(uintptr_t)q->sge[0].addr;
}

PERF_INLINE int ring_post_one(struct ring_queue *q, enum perf_op op, uint64_t cookie,
			      uint32_t flags)
{
	/* sets the lowest bit if it is clear */
	const struct dvx_masked_cas masked = {0, 1, 1, 1};
	const struct dvx_sge *sge = q->sge;

	/*
	 * A program that posts a word inline knows its length. If the compiler does not know it,
	 * gcc 12 copies with "rep movs", which takes 40 ns from 8 bytes on.
	 */
	if (perf_ops_inline(op) && q->inline_bytes == 8)
		return ring_post_inline(q, op, 8, cookie, flags);
	if (perf_ops_inline(op) && q->inline_bytes)
		return ring_post_inline(q, op, q->inline_bytes, cookie, flags);
	switch (op) {
	case PERF_SEND:
		return dvx_post_send(q->sq, sge, q->sges, cookie, flags);
	case PERF_SEND_IMM:
		return dvx_post_send_imm(q->sq, IMM, sge, q->sges, cookie, flags);
	case PERF_SEND_INVAL:
		return dvx_post_send_inval(q->sq, keys_next(&q->keys), sge, q->sges, cookie, flags);
	case PERF_WRITE:
		return dvx_post_write(q->sq, q->raddr, q->rkey, sge, q->sges, cookie, flags);
	case PERF_WRITE_IMM:
		return dvx_post_write_imm(q->sq, IMM, q->raddr, q->rkey, sge, q->sges, cookie,
					  flags);
	case PERF_READ:
		return dvx_post_read(q->sq, q->raddr, q->rkey, sge, q->sges, cookie, flags);
	case PERF_FAA:
		return dvx_post_faa(q->sq, q->raddr, q->rkey, 1, ring_old(q), sge->lkey, cookie,
				    flags);
	case PERF_CAS:
		return dvx_post_cas(q->sq, q->raddr, q->rkey, 0, 1, ring_old(q), sge->lkey, cookie,
				    flags);
	case PERF_MASKED_FAA:
		return dvx_post_masked_faa(q->sq, q->raddr, q->rkey, 1, 0, ring_old(q), sge->lkey,
					   cookie, flags);
	case PERF_MASKED_CAS:
		return dvx_post_masked_cas(q->sq, q->raddr, q->rkey, &masked, ring_old(q),
					   sge->lkey, cookie, flags);
	case PERF_UMR:
		return dvx_post_umr_list(q->sq, q->list_key, DVX_REMOTE_READ, sge, q->sges, cookie,
					 flags);
	case PERF_NOP:
		return dvx_post_nop(q->sq, cookie, flags);
	default:
		return dvx_post_dma(q->sq, q->dma_to, sge->lkey, sge->addr, sge->lkey, q->bytes,
				    cookie, flags);
	}
}

/* Returns the address of a message, for transports where each message has one. */
PERF_INLINE struct dvx_to ring_to(const struct ring_queue *q, enum perf_transport_id transport,
				  enum perf_op op)
{
	bool send = op == PERF_SEND || op == PERF_SEND_IMM;

	if (transport == PERF_UD)
		return dvx_to_ah(&q->ah);
	if (transport == PERF_XRC)
		return send ? dvx_to_xrc(q->srqn) : dvx_to_xrc_at(q->srqn, q->raddr, q->rkey);
	return send ? dvx_to_dct(&q->ah, 0) : dvx_to_dct_at(&q->ah, 0, q->raddr, q->rkey);
}

PERF_INLINE uint8_t ring_opcode(enum perf_op op)
{
	switch (op) {
	case PERF_SEND:
		return PRM_WQE_OPCODE_SEND;
	case PERF_SEND_IMM:
		return PRM_WQE_OPCODE_SEND_IMM;
	case PERF_WRITE:
		return PRM_WQE_OPCODE_RDMA_WRITE;
	case PERF_WRITE_IMM:
		return PRM_WQE_OPCODE_RDMA_WRITE_IMM;
	default:
		return PRM_WQE_OPCODE_RDMA_READ;
	}
}

PERF_INLINE int ring_post_to(const struct ring_queue *q, enum perf_transport_id transport,
			     enum perf_op op, uint64_t cookie, uint32_t flags)
{
	const void *data = (const void *)(uintptr_t)q->sge[0].addr;
	uint32_t imm = op == PERF_SEND_IMM || op == PERF_WRITE_IMM ? IMM : 0, n = q->inline_bytes;
	uint8_t opcode = ring_opcode(op);
	struct dvx_to to;

	if (op == PERF_NOP)
		return dvx_post_nop(q->sq, cookie, flags);
	to = ring_to(q, transport, op);
	if (perf_ops_inline(op) && n == 8) /* constant length, see above */
		return dvx_post_inline(q->sq, opcode, imm, to, data, 8, cookie, flags);
	if (perf_ops_inline(op) && n)
		return dvx_post_inline(q->sq, opcode, imm, to, data, n, cookie, flags);
	return dvx_post_gather(q->sq, opcode, imm, to, q->sge, q->sges, cookie, flags);
}

PERF_INLINE bool ring_post(void *queue, enum perf_op op, bool signaled, uint64_t cookie)
{
	int rc = ring_post_one(queue, op, cookie, signaled ? DVX_SIGNALED : 0);

	return rc ? ring_refused(rc) : true;
}

PERF_INLINE bool ring_post_ud(void *queue, enum perf_op op, bool signaled, uint64_t cookie)
{
	int rc = ring_post_to(queue, PERF_UD, op, cookie, signaled ? DVX_SIGNALED : 0);

	return rc ? ring_refused(rc) : true;
}

PERF_INLINE bool ring_post_dc(void *queue, enum perf_op op, bool signaled, uint64_t cookie)
{
	int rc = ring_post_to(queue, PERF_DC, op, cookie, signaled ? DVX_SIGNALED : 0);

	return rc ? ring_refused(rc) : true;
}

PERF_INLINE bool ring_post_xrc(void *queue, enum perf_op op, bool signaled, uint64_t cookie)
{
	int rc = ring_post_to(queue, PERF_XRC, op, cookie, signaled ? DVX_SIGNALED : 0);

	return rc ? ring_refused(rc) : true;
}

static int ring_latency_loop(struct perf_thread *t)
{
	if (t->p->transport->id == PERF_UD)
		LOOP_ADDRESSED(loop_latency, t, ring_begin, ring_post_ud, ring_ring, ring_poll);
	if (t->p->transport->id == PERF_DC)
		LOOP_ADDRESSED(loop_latency, t, ring_begin, ring_post_dc, ring_ring, ring_poll);
	if (t->p->transport->id == PERF_XRC)
		LOOP_ADDRESSED(loop_latency, t, ring_begin, ring_post_xrc, ring_ring, ring_poll);
	LOOP_SWITCH(loop_latency, t, ring_begin, ring_post, ring_ring, ring_poll);
}

static int ring_rate_loop(struct perf_thread *t)
{
	if (t->p->transport->id == PERF_UD)
		LOOP_ADDRESSED(loop_rate, t, ring_begin, ring_post_ud, ring_ring, ring_poll);
	if (t->p->transport->id == PERF_DC)
		LOOP_ADDRESSED(loop_rate, t, ring_begin, ring_post_dc, ring_ring, ring_poll);
	if (t->p->transport->id == PERF_XRC)
		LOOP_ADDRESSED(loop_rate, t, ring_begin, ring_post_xrc, ring_ring, ring_poll);
	LOOP_SWITCH(loop_rate, t, ring_begin, ring_post, ring_ring, ring_poll);
}

static int ring_latency(struct perf_thread *t)
{
	return ring_leave(t, ring_latency_loop(t));
}

static int ring_rate(struct perf_thread *t)
{
	return ring_leave(t, ring_rate_loop(t));
}

const struct perf_engine engine_dvx = {
	.word = "libdvx",
	.name = "libdvx",
	.ops = {PERF_ALL_OPS, PERF_ALL_OPS, PERF_ALL_OPS, PERF_ALL_OPS, PERF_ALL_OPS},
	.open = ring_open,
	.connect = ring_connect,
	.resize = ring_resize,
	.queue = ring_queue_of,
	.set = ring_set_of,
	.latency = ring_latency,
	.rate = ring_rate,
	.close = ring_close,
};
