/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_POLL_H
#define DVX_POLL_H

/*
 * From completions to cookies.
 *
 *	while ((n = dvx_cq_poll(cq, &wc)) == 1)
 *		done(wc.wr_id);
 *	if (n < 0)
 *		failed(wc.wr_id, dvx_cqe_strerror(wc.syndrome));
 *
 * All polls return 1: one completion was consumed, its WQE and all unsignaled ones before it are
 * retired; 0: there is none; -EIO: the same as 1, but the work failed, and *wc says all about it:
 * the queue is in error, its other work follows as flushed (dvx_qp_to_rst(3) tells how to go on).
 * Padding of a ring's end that is flushed is not reported. Data that an adopted queue delivers
 * inside the CQE is copied to its buffers.
 *
 * dvx_sq_poll() and dvx_rq_poll() are for a queue that has a CQ to itself, and cost least;
 * dvx_cq_poll() serves all queues of a CQ.
 */
#include <dvx/cq.h>
#include <dvx/rq.h>

DVX_BEGIN_DECLS

/* A completion. dvx_sq_poll() sets wr_id only, dvx_rq_poll() byte_count too, -EIO everything. */
struct dvx_wc {
	uint64_t wr_id;	     /* the cookie of the post */
	uint32_t byte_count; /* received, read */
	uint32_t imm;	     /* what a *_imm call of the peer posted */
	uint32_t qpn;	     /* of the queue; SQN or RQN of a raw queue */
	uint32_t user_index;
	uint8_t opcode;	     /* enum prm_cqe_opcode: REQ of a send, RESP_* of a receive */
	uint8_t send_opcode; /* of a send: enum prm_wqe_opcode */
	uint8_t syndrome;    /* of -EIO: enum prm_syndrome; dvx_cqe_strerror() */
	uint8_t vendor;	     /* of -EIO: for the vendor's support */
	uint32_t reserved;
};

/* What a good CQE says, but for the cookie. */
DVX_INLINE void dvx_wc_read(struct dvx_wc *wc, const void *cqe)
{
	wc->byte_count = dvx_cqe_byte_count(cqe);
	wc->imm = dvx_cqe_imm(cqe);
	wc->qpn = dvx_cqe_qpn(cqe);
	wc->user_index = dvx_cqe_user_index(cqe);
	wc->opcode = dvx_cqe_opcode(cqe);
	wc->send_opcode = dvx_cqe_send_opcode(cqe);
	wc->syndrome = 0;
	wc->vendor = 0;
}

/* Completions that need more than a cookie, and polls that can't be right. For the calls below. */
int dvx_sq_poll_rest(struct dvx_sq *sq, struct dvx_wc *wc);
int dvx_rq_poll_rest(struct dvx_rq *rq, struct dvx_wc *wc);
int dvx_cq_poll_rest(struct dvx_cq *cq, struct dvx_wc *wc);

/*
 * dvx_cq_state() of a good send whose data, if any, is in its buffers: opcode REQ, plain format,
 * solicited or not.
 */
#define DVX_CQ_PLAIN_SENDS 2u
#define DVX_CQ_SENDS	   8u /* below: all good sends */
#define DVX_CQ_FORMAT	   6u /* the bits of the format, which is 0 for plain */

/* Also -EINVAL: other queues complete in the CQ too, then only dvx_cq_poll() can be right. */
DVX_INLINE int dvx_sq_poll(struct dvx_sq *sq, struct dvx_wc *wc)
{
	struct dvx_cq *cq = sq->cq;
	const uint8_t *cqe = cq->next;
	uint8_t state = dvx_cq_state(cq, cqe);

	if (DVX_UNLIKELY(state >= DVX_CQ_PLAIN_SENDS))
		return state >= DVX_CQ_EMPTY ? 0 : dvx_sq_poll_rest(sq, wc);
	dvx_barrier_owner_to_cqe();
	/* wqe_counter is the last word's upper half: shifted by 12, 16 times the index. */
	wc->wr_id = dvx_sq_retire_slot(sq, prm_load32(cqe, DVX_CQE_BYTES - 4) >> 12);
	dvx_cq_consume(cq, cqe);
	return 1;
}

/* The same for receives. */
DVX_INLINE int dvx_rq_poll(struct dvx_rq *rq, struct dvx_wc *wc)
{
	struct dvx_cq *cq = rq->cq;
	const uint8_t *cqe = cq->next;
	uint8_t state = dvx_cq_state(cq, cqe);

	if (DVX_UNLIKELY(state >= DVX_CQ_ERRORS || state & DVX_CQ_FORMAT))
		return state >= DVX_CQ_EMPTY ? 0 : dvx_rq_poll_rest(rq, wc);
	dvx_barrier_owner_to_cqe();
	wc->byte_count = dvx_cqe_byte_count(cqe);
	wc->wr_id = dvx_rq_retire(rq);
	dvx_cq_consume(cq, cqe);
	return 1;
}

/* The queue of that number that completes in the CQ; NULL: none, or its receives have no number. */
DVX_INLINE const struct dvx_cq_queue *dvx_cq_find(const struct dvx_cq *cq, uint32_t number)
{
	const struct dvx_cq_queue *queues = cq->queues;
	uint32_t at = number & cq->queue_mask;

	while (DVX_UNLIKELY(queues[at].number != number)) {
		if (!queues[at].room)
			return NULL;
		at = (at + 1) & cq->queue_mask;
	}
	return &queues[at];
}

/* -ENOENT: the next CQE is of a queue that libdvx does not drive; dvx_cq_pop() removes it. */
DVX_INLINE int dvx_cq_poll(struct dvx_cq *cq, struct dvx_wc *wc)
{
	const uint8_t *cqe = cq->next;
	uint8_t state = dvx_cq_state(cq, cqe);
	const struct dvx_cq_queue *q;

	if (DVX_UNLIKELY(state >= DVX_CQ_ERRORS || state & DVX_CQ_FORMAT))
		return state >= DVX_CQ_EMPTY ? 0 : dvx_cq_poll_rest(cq, wc);
	dvx_barrier_owner_to_cqe();
	q = dvx_cq_find(cq, dvx_cqe_qpn(cqe));
	if (DVX_UNLIKELY(!q))
		return dvx_cq_poll_rest(cq, wc);
	dvx_wc_read(wc, cqe);
	if (state < DVX_CQ_SENDS)
		wc->wr_id = dvx_sq_retire(q->sq, dvx_cqe_wqe_index(cqe));
	else
		wc->wr_id = dvx_rq_retire(q->rq);
	dvx_cq_consume(cq, cqe);
	return 1;
}

DVX_END_DECLS

#endif
