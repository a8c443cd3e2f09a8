/* SPDX-License-Identifier: BSD-2-Clause */
/* The slow path of polls: errors, data inside the CQE, packets, polls of the wrong kind. */
#include "priv.h"

static void poll_read_error(struct dvx_wc *wc, const void *cqe)
{
	struct dvx_cqe_failure why;

	dvx_cqe_error(cqe, &why);
	memset(wc, 0, sizeof(*wc));
	wc->qpn = why.qpn;
	wc->user_index = why.user_index;
	wc->opcode = dvx_cqe_opcode(cqe);
	wc->send_opcode = why.send_opcode;
	wc->syndrome = why.syndrome;
	wc->vendor = why.vendor;
}

/* Tells whether a CQE is of padding: dvx_sq_pad() marked its slot. */
static bool poll_is_pad(const struct dvx_sq *sq, const void *cqe)
{
	uint32_t index = dvx_cqe_wqe_index(cqe);

	return dvx_cqe_is_error(cqe) && (dvx_sq_place_at(sq, index, 1).slot->end & 0xffff) == index;
}

/* Retires the WQE of a CQE. Returns n; 0: it is padding. */
static int poll_retire_send(struct dvx_sq *sq, const void *cqe, struct dvx_wc *wc, int n)
{
	bool pad = poll_is_pad(sq, cqe);

	if (n == 1)
		dvx_cqe_unscatter(cqe, sq, NULL);
	wc->wr_id = dvx_sq_retire(sq, dvx_cqe_wqe_index(cqe));
	sq->ci += pad;
	return pad ? 0 : n;
}

static uint64_t poll_retire_receive(const struct dvx_cq_queue *q, const void *cqe, bool error)
{
	if (q->shared) {
		if (!error)
			dvx_cqe_unscatter_srq(cqe, q->srq);
		return dvx_srq_retire(q->srq, dvx_cqe_wqe_index(cqe));
	}
	if (!error)
		dvx_cqe_unscatter(cqe, NULL, q->rq);
	return dvx_rq_retire(q->rq);
}

/* Retires the WQE of the next CQE, whose queue is known, and consumes the CQE. 0: padding. */
static int poll_take(struct dvx_cq *cq, const void *cqe, const struct dvx_cq_queue *q,
		     struct dvx_wc *wc)
{
	bool error = dvx_cqe_is_error(cqe);
	int n = error ? -EIO : 1;

	if (error)
		poll_read_error(wc, cqe);
	else
		dvx_wc_read(wc, cqe);
	if (dvx_cqe_is_send(cqe))
		n = poll_retire_send(q->sq, cqe, wc, n);
	else
		wc->wr_id = poll_retire_receive(q, cqe, error);
	dvx_cq_consume_to(cq, cq->next + cq->stride);
	return n;
}

/*
 * Returns the CQE that the inline poll found. One that reports a wrong signature stays in the CQ:
 * it retires no WQE, and dvx_sig_error_read() needs it with its mkey.
 */
static int poll_next(const struct dvx_cq *cq, const void **cqe)
{
	*cqe = dvx_cq_peek(cq);
	return dvx_cqe_is_sig_error(*cqe)
		       ? dvx_fail(EBADMSG,
				  "the next CQE tells of a wrong signature of mkey 0x%x: "
				  "dvx_sig_error_read() of dvx_cq_peek(), then dvx_cq_pop()",
				  dvx_cqe_sig_key(*cqe))
		       : 0;
}

static int poll_not_alone(void)
{
	return dvx_fail(EINVAL, "this queue does not have a CQ to itself: use dvx_cq_poll()");
}

/* Does the work of dvx_sq_poll_rest() for a collapsed CQ. */
static int sq_poll_collapsed(struct dvx_sq *sq, struct dvx_wc *wc)
{
	struct dvx_cq *cq = sq->cq;
	uint8_t cqe[DVX_CQE_BYTES];
	uint32_t word = dvx_cq_copy_newest(cq, cqe);

	if (word == cq->newest || dvx_cqe_opcode(cqe) == PRM_CQE_OPCODE_INVALID)
		return 0; /* INVALID: the next CQE is being written */
	cq->newest = word;
	if (dvx_cqe_is_sig_error(cqe))
		return dvx_fail(EBADMSG,
				"CQ %u: a wrong signature of mkey 0x%x: dvx_sig_error_read() of "
				"dvx_cq_copy_newest(), while no newer CQE has come over it",
				cq->cqn, dvx_cqe_sig_key(cqe));
	if (dvx_cqe_is_error(cqe))
		poll_read_error(wc, cqe);
	else
		dvx_wc_read(wc, cqe);
	/* if the CQE is of padding, that of the WQE behind it comes next */
	return poll_retire_send(sq, cqe, wc, dvx_cqe_is_error(cqe) ? -EIO : 1);
}

static bool poll_is_collapsed(const struct dvx_cq *cq)
{
	return cq->priv && cq->priv->flags & DVX_CQ_COLLAPSED;
}

int dvx_sq_poll_rest(struct dvx_sq *sq, struct dvx_wc *wc)
{
	const struct dvx_cq_queue own = {.sq = sq};
	const void *cqe;
	int n;

	if (sq->cq == &dvx_cq_of_several)
		return poll_not_alone();
	if (poll_is_collapsed(sq->cq))
		return sq_poll_collapsed(sq, wc);
	n = poll_next(sq->cq, &cqe);
	if (n)
		return n;
	n = poll_take(sq->cq, cqe, &own, wc);
	return n ? n : dvx_sq_poll(sq, wc);
}

int dvx_rq_poll_one(struct dvx_rq *rq, struct dvx_wc *wc)
{
	const struct dvx_cq_queue own = {.rq = rq};
	const void *cqe;
	int err;

	if (rq->cq == &dvx_cq_of_several)
		return poll_not_alone();
	err = poll_next(rq->cq, &cqe);
	return err ? err : poll_take(rq->cq, cqe, &own, wc);
}

int dvx_cq_poll_rest(struct dvx_cq *cq, struct dvx_wc *wc)
{
	const void *cqe;
	const struct dvx_cq_queue *q;
	int n;

	if (poll_is_collapsed(cq)) {
		struct dvx_sq *sq = dvx_cq_only_sq(cq->priv);

		return sq ? sq_poll_collapsed(sq, wc) : 0;
	}
	n = poll_next(cq, &cqe);
	if (n)
		return n;
	q = cq->priv ? dvx_cq_queue_of(cq->priv, cqe) : NULL;
	if (!q)
		return dvx_fail(ENOENT,
				"CQ %u: a completion of queue 0x%x, which libdvx does not drive",
				cq->cqn, dvx_cqe_qpn(cqe));
	if (q->strided)
		return dvx_fail(EINVAL,
				"CQ %u: queue 0x%x has strides: use dvx_cq_peek() and "
				"dvx_rxq_take()",
				cq->cqn, q->number);
	n = poll_take(cq, cqe, q, wc);
	return n ? n : dvx_cq_poll(cq, wc);
}
