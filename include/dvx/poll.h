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
 * retired; 0: there is none; -EIO: as 1, but the work failed: *wc has the reason, the queue is in
 * error, and its other work completes as flushed (dvx_qp_to_rst(3) explains how to go on).
 * -EBADMSG: the next CQE reports a wrong signature (sig.h); it stays until dvx_cq_pop(). -EUSERS: a
 * debug build found two threads on the ring (users.h).
 *
 * Polls skip the flushed padding of a ring's end, and copy data that an adopted queue delivers
 * inside the CQE to the buffers.
 *
 * dvx_sq_poll() and dvx_rq_poll() are for a queue that has a CQ to itself, and cost least;
 * dvx_cq_poll() serves all queues of a CQ.
 */
#include <dvx/cq.h>
#include <dvx/rq.h>

DVX_BEGIN_DECLS

struct dvx_rx;

/*
 * A completion. dvx_cq_poll() sets all members, dvx_sq_poll() only wr_id, dvx_rq_poll() wr_id and
 * byte_count. With -EIO all polls set all members.
 */
struct dvx_wc {
	uint64_t wr_id;	     /* the cookie of the post */
	uint32_t byte_count; /* received, or read */
	uint32_t imm;	     /* immediate data that the peer posted with a *_imm call */
	uint32_t qpn;	     /* of the queue; SQN or RQN of a raw queue */
	uint32_t user_index;
	uint8_t opcode;	     /* enum prm_cqe_opcode: REQ of a send, RESP_* of a receive */
	uint8_t send_opcode; /* of a send: enum prm_wqe_opcode */
	uint8_t syndrome;    /* with -EIO: enum prm_syndrome; dvx_cqe_strerror() */
	uint8_t vendor;	     /* with -EIO: for the vendor's support */
	uint32_t src_qp;     /* of a received datagram (ud.h): the sender's QPN */
};

/* Reads all members but the cookie from a CQE without error. */
DVX_INLINE void dvx_wc_read(struct dvx_wc *wc, const void *cqe)
{
	wc->byte_count = dvx_cqe_byte_count(cqe);
	wc->imm = dvx_cqe_imm(cqe);
	wc->qpn = dvx_cqe_qpn(cqe);
	wc->user_index = dvx_cqe_user_index(cqe);
	wc->opcode = dvx_cqe_opcode(cqe);
	wc->send_opcode = dvx_cqe_send_opcode(cqe);
	wc->src_qp = dvx_cqe_src_qp(cqe);
	wc->syndrome = 0;
	wc->vendor = 0;
}

/*
 * The parts of the inline polls that stay in the library: errors, data in CQEs, compressed CQEs,
 * polls of the wrong kind. Programs do not call them (doc/design/0002). `out` and `n` are those of
 * dvx_rq_poll_many(), NULL and 0 for dvx_rq_poll().
 */
int dvx_sq_poll_rest(struct dvx_sq *sq, struct dvx_wc *wc);
int dvx_rq_poll_rest(struct dvx_rq *rq, struct dvx_rx *out, uint32_t n, struct dvx_wc *wc);
int dvx_cq_poll_rest(struct dvx_cq *cq, struct dvx_wc *wc);

/*
 * Returns the cookie of the send whose CQE has this state; frees its blocks and all before it.
 * wqe_counter is the word's upper half: shifted by 12 it is 16 times the index. The lower bits are
 * the signature's; the mask removes them.
 */
DVX_INLINE uint64_t dvx_sq_retire_state(struct dvx_sq *sq, uint32_t state)
{
	return dvx_sq_retire_slot(sq, prm_swap32(state) >> 12);
}

/* Polls the CQ of one send queue. -EINVAL: other queues complete in it, too: use dvx_cq_poll(). */
DVX_INLINE int dvx_sq_poll(struct dvx_sq *sq, struct dvx_wc *wc)
{
	struct dvx_cq *cq = sq->cq;
	const uint8_t *cqe = cq->next;
	uint32_t state = dvx_cq_state(cq, cqe);

	if (dvx_sq_has_second_user(sq))
		return -EUSERS;
	if (DVX_UNLIKELY(state & DVX_CQ_NOT_PLAIN_SEND))
		return state & DVX_CQ_OLD ? 0 : dvx_sq_poll_rest(sq, wc);
	dvx_barrier_owner_to_cqe();
	cqe += cq->stride; /* before the store to *wc, which saves an instruction */
	wc->wr_id = dvx_sq_retire_state(sq, state);
	dvx_cq_consume_to(cq, cqe);
	return 1;
}

/* Returns the slot of the send whose CQE has this state. */
DVX_INLINE const struct dvx_sq_slot *dvx_sq_slot_of(const struct dvx_sq *sq, uint32_t state)
{
	const uint8_t *slots = (const uint8_t *)sq->slots;

	return (const struct dvx_sq_slot *)(slots + (prm_swap32(state) >> 12 & sq->slot_mask));
}

/*
 * Polls up to `n` completions, with fewer instructions for each than dvx_sq_poll(): writes their
 * cookies, oldest first, and returns how many, perhaps fewer than there are. A failed completion
 * comes alone, as from dvx_sq_poll(): -EIO, and *wc has it.
 */
DVX_INLINE int dvx_sq_poll_many(struct dvx_sq *sq, uint64_t *wr_ids, uint32_t n, struct dvx_wc *wc)
{
	struct dvx_cq *cq = sq->cq;
	const struct dvx_sq ring = *sq;	   /* a copy stays in registers: `out` may alias *sq ... */
	const struct dvx_cq entries = *cq; /* ... and *cq */
	const uint8_t *cqe = cq->next, *stop = cq->stop, *even;
	const size_t stride = cq->stride;
	uint32_t state, second;
	uint64_t *out = wr_ids;
	int got;

	if (dvx_sq_has_second_user(sq))
		return -EUSERS;
	if ((size_t)(stop - cqe) > n * stride)
		stop = cqe + n * stride;
	/* a loop over pairs costs less per CQE */
	even = cqe + ((size_t)(stop - cqe) & ~stride);
	for (; cqe != even; cqe += 2 * stride, out += 2) {
		state = dvx_cq_state(&entries, cqe);
		second = dvx_cq_state(&entries, cqe + stride);
		if ((state | second) & DVX_CQ_NOT_PLAIN_SEND)
			break;
		out[0] = dvx_sq_slot_of(&ring, state)->wr_id;
		out[1] = dvx_sq_slot_of(&ring, second)->wr_id;
	}
	for (; cqe != stop; cqe += stride) {
		state = dvx_cq_state(&entries, cqe);
		if (state & DVX_CQ_NOT_PLAIN_SEND)
			break;
		*out++ = dvx_sq_slot_of(&ring, state)->wr_id;
	}
	if (DVX_LIKELY(out != wr_ids)) {
		dvx_barrier_owner_to_cqe();
		sq->ci = dvx_sq_slot_of(&ring, dvx_cq_state(&entries, cqe - stride))->end;
		dvx_cq_consume_to(cq, cqe);
		return (int)(out - wr_ids);
	}
	got = n ? dvx_sq_poll(sq, wc) : 0;
	if (got == 1)
		*wr_ids = wc->wr_id;
	return got;
}

/*
 * Copies the newest CQE of a collapsed CQ, all 64 bytes, and returns its last word. The device may
 * overwrite it with the next one at any moment, in one write. Two CQEs in a row differ in the last
 * word: if that is the same after the copy, no load of the copy saw the next CQE.
 */
DVX_INLINE uint32_t dvx_cq_copy_newest(const struct dvx_cq *cq, void *cqe)
{
	const volatile uint32_t *last =
		(const volatile uint32_t *)(cq->first + DVX_CQE_BYTES - sizeof(*last));
	uint32_t word;

	do {
		word = *last;
		dvx_barrier_owner_to_cqe();
		__builtin_memcpy(cqe, cq->first, DVX_CQE_BYTES);
		dvx_barrier_cqe_to_owner();
	} while (*last != word);
	return word;
}

/*
 * Polls a collapsed CQ (DVX_CQ_COLLAPSED): returns the newest completion, and retires all sends
 * before it without returning their cookies. After an error, the newest one is the last that was
 * flushed. dvx_sq_poll() does the same, slower. -EBADMSG comes once for each wrong signature, since
 * CQEs of such a CQ are not popped.
 */
DVX_INLINE int dvx_sq_poll_newest(struct dvx_sq *sq, struct dvx_wc *wc)
{
	struct dvx_cq *cq = sq->cq;
	uint32_t word = *(const volatile uint32_t *)(cq->first + DVX_CQE_BYTES - 4);

	if (dvx_sq_has_second_user(sq))
		return -EUSERS;
	if (word == cq->newest)
		return 0;
	if (DVX_UNLIKELY(word & (DVX_CQ_NOT_PLAIN_SEND & ~DVX_CQ_OLD)))
		return dvx_sq_poll_rest(sq, wc);
	dvx_barrier_owner_to_cqe();
	cq->newest = word;
	wc->wr_id = dvx_sq_retire_state(sq, word);
	return 1;
}

/* Polls the CQ of one receive queue; as dvx_sq_poll(). */
DVX_INLINE int dvx_rq_poll(struct dvx_rq *rq, struct dvx_wc *wc)
{
	struct dvx_cq *cq = rq->cq;
	const uint8_t *cqe = cq->next;
	uint32_t state = dvx_cq_state(cq, cqe);

	if (DVX_FOREIGN(&rq->users, DVX_USERS_RQ, rq->mask + 1))
		return -EUSERS;
	if (DVX_UNLIKELY(state & (DVX_CQ_OLD | DVX_CQ_FORMAT) ||
			 dvx_cq_last_byte(state) >= DVX_CQE_ERRORS))
		return state & DVX_CQ_OLD ? 0 : dvx_rq_poll_rest(rq, NULL, 0, wc);
	dvx_barrier_owner_to_cqe();
	wc->byte_count = dvx_cqe_byte_count(cqe);
	cqe += cq->stride;
	wc->wr_id = dvx_rq_retire(rq);
	dvx_cq_consume_to(cq, cqe);
	return 1;
}

/* A received packet, or message, of dvx_rq_poll_many(). */
struct dvx_rx {
	uint64_t wr_id;
	uint32_t byte_count;
	/* The RSS hash. If the CQ's compressed CQEs have checksums (enum dvx_cq_mini): the checksum
	 * in the upper half; the lower half is the stride, or undefined. */
	uint32_t info;
};

/* Returns dvx_rx.info; `hash`: the CQ's compressed CQEs keep the hash. */
DVX_INLINE uint32_t dvx_rx_info(bool hash, const void *cqe)
{
	return hash ? dvx_cqe_rss_hash(cqe)
		    : (uint32_t)dvx_cqe_checksum(cqe) << 16 | dvx_cqe_wqe_index(cqe);
}

/*
 * Polls up to `n` receives, oldest first, with fewer instructions for each than dvx_rq_poll();
 * fewest if the CQ is compressed and n has room for a session. Returns as dvx_sq_poll_many().
 */
DVX_INLINE int dvx_rq_poll_many(struct dvx_rq *rq, struct dvx_rx *out, uint32_t n,
				struct dvx_wc *wc)
{
	struct dvx_cq *cq = rq->cq;
	const uint8_t *cqe = cq->next, *stop = cq->stop;
	const uint64_t *wr_ids = rq->wr_ids;
	const bool hash = cq->mini == DVX_CQ_MINI_HASH;
	uint32_t mask = rq->mask, limit = rq->limit, phase = cq->phase, state = DVX_CQ_OLD;
	size_t stride = cq->stride;
	struct dvx_rx *to = out;

	if (DVX_FOREIGN(&rq->users, DVX_USERS_RQ, rq->mask + 1))
		return -EUSERS;
	if ((size_t)(stop - cqe) > n * stride)
		stop = cqe + n * stride;
	for (; cqe != stop; cqe += stride, to++) {
		state = *(const volatile uint32_t *)(cqe + DVX_CQE_BYTES - 4) ^ phase;
		if (state & (DVX_CQ_OLD | DVX_CQ_FORMAT) ||
		    dvx_cq_last_byte(state) >= DVX_CQE_ERRORS)
			break;
		dvx_barrier_owner_to_cqe();
		to->byte_count = dvx_cqe_byte_count(cqe);
		to->info = dvx_rx_info(hash, cqe);
		to->wr_id = wr_ids[limit++ & mask];
	}
	if (DVX_LIKELY(to != out)) {
		rq->limit = limit;
		dvx_cq_consume_to(cq, cqe);
		return (int)(to - out);
	}
	return state & DVX_CQ_OLD ? 0 : dvx_rq_poll_rest(rq, out, n, wc);
}

/* Finds the CQ's queue with this number. NULL: none, or its receive CQEs have no number. */
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

/* Polls all queues of the CQ. -ENOENT: the CQE's queue is not libdvx's; dvx_cq_pop() skips it. */
DVX_INLINE int dvx_cq_poll(struct dvx_cq *cq, struct dvx_wc *wc)
{
	const uint8_t *cqe = cq->next;
	uint32_t state = dvx_cq_state(cq, cqe);
	const struct dvx_cq_queue *q;

	if (DVX_FOREIGN(&cq->users, DVX_USERS_CQ, cq->cqn))
		return -EUSERS;
	if (DVX_UNLIKELY(state & (DVX_CQ_OLD | DVX_CQ_FORMAT) ||
			 dvx_cq_last_byte(state) >= DVX_CQE_ERRORS))
		return state & DVX_CQ_OLD ? 0 : dvx_cq_poll_rest(cq, wc);
	dvx_barrier_owner_to_cqe();
	q = dvx_cq_find(cq, dvx_cqe_qpn(cqe));
	if (DVX_UNLIKELY(!q))
		return dvx_cq_poll_rest(cq, wc);
	dvx_wc_read(wc, cqe);
	if (wc->opcode == PRM_CQE_OPCODE_REQ)
		wc->wr_id = dvx_sq_retire_state(q->sq, state);
	else if (q->shared)
		wc->wr_id = dvx_srq_retire(q->srq, dvx_cqe_wqe_index(cqe));
	else
		wc->wr_id = dvx_rq_retire(q->rq);
	dvx_cq_consume_to(cq, cqe + cq->stride);
	return 1;
}

DVX_END_DECLS

#endif
