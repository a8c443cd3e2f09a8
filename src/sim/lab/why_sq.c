/* SPDX-License-Identifier: BSD-2-Clause */
#include <dvx/prm/wqe.h>
#include "transport/transport.h"
#include "why_priv.h"

#define SND_RECORD     4u
#define BLOCK	       64u
#define DS_PER_BLOCK   4u
#define WQE_MAX_BLOCKS 16u

/* A send queue as its doorbell record shows it, and the WQEs whose completion is due. */
struct why_sends {
	const struct why_sink *s;
	const struct queue *q;
	const struct sq *sq;
	uint16_t record; /* the record's counter; sq.pi if it can't be read */
	uint16_t posted; /* blocks from sq.done to the record's counter */
};

static uint32_t why_sq_blocks(const struct sq *sq)
{
	return 1u << sq->log_size;
}

static void why_sq_found(const struct why_sends *w, enum finding_kind kind, uint64_t a, uint64_t b)
{
	why_found(w->s, &w->q->o, kind, w->sq->done, {a, b});
}

/* --- WQEs that are done ----------------------------------------------------------------------- */

static bool why_read_ctrl(const struct why_sends *w, uint16_t index, uint8_t *ctrl)
{
	const uint64_t at = index & (why_sq_blocks(w->sq) - 1);

	return !ring_read(w->q->o.vhca->dev->host, &w->q->ring, w->sq->offset + at * BLOCK, ctrl,
			  PRM_WQE_CTRL_SEG_BYTES);
}

/* Returns whether a WQE begins in this block and ends before `end`. */
static bool why_is_wqe(const struct why_sends *w, const uint8_t *ctrl, uint16_t index, uint16_t end)
{
	const uint32_t ds = prm_wqe_ctrl_seg_get_ds(ctrl);

	return prm_wqe_ctrl_seg_get_wqe_index(ctrl) == index &&
	       prm_wqe_ctrl_seg_get_qpn(ctrl) == w->q->o.id &&
	       (ds + DS_PER_BLOCK - 1) / DS_PER_BLOCK == (uint16_t)(end - index);
}

/* Finds the WQE that ends before `end`, if its bytes are still in the ring. */
static bool why_wqe_before(const struct why_sends *w, uint16_t end, uint16_t *index, uint8_t *ctrl)
{
	const uint16_t since = (uint16_t)(w->record - end);

	for (uint16_t n = 1; n <= WQE_MAX_BLOCKS && since + n <= why_sq_blocks(w->sq); n++) {
		*index = (uint16_t)(end - n);
		if (!why_read_ctrl(w, *index, ctrl))
			return false;
		if (why_is_wqe(w, ctrl, *index, end))
			return true;
	}
	return false;
}

/*
 * Reports the WQEs behind the last signaled one. The ring still has them, so the device need not
 * count them while it works.
 */
static void why_unsignaled(const struct why_sends *w)
{
	uint16_t first = w->sq->done, last = 0, index;
	uint8_t ctrl[PRM_WQE_CTRL_SEG_BYTES];

	while (why_wqe_before(w, first, &index, ctrl) &&
	       prm_wqe_ctrl_seg_get_ce(ctrl) < PRM_WQE_CE_ALWAYS) {
		last = first == w->sq->done ? index : last;
		first = index;
	}
	if (first != w->sq->done)
		why_sq_found(w, FINDING_UNSIGNALED, first, last);
}

/* --- WQEs that are not done ------------------------------------------------------------------- */

static bool why_has_receives(const struct queue *peer)
{
	const struct rq *rq = peer->rq;
	const struct srq *srq = rq ? rq->srq : NULL;
	uint32_t word;

	if (!rq)
		return false;
	if (srq)
		return why_record(&srq->o, srq->dbrec, 0, &word) && (uint16_t)word != srq->ci;
	return why_record(&peer->o, peer->dbrec, 0, &word) && (uint16_t)word != rq->ci;
}

static enum finding_kind why_rnr_kind(const struct transport_wait *t)
{
	if (!t->here || !t->peer)
		return FINDING_RNR_FAR;
	if (why_has_receives(t->peer))
		return FINDING_RNR_TIMER;
	return t->peer->rq && t->peer->rq->srq ? FINDING_RNR_SRQ : FINDING_RNR;
}

static bool why_receives(const struct queue *q)
{
	return q->state == QP_RTR || q->state == QP_RTS || q->state == QP_SQD ||
	       q->state == QP_SQER;
}

/* The PSN tells one lap of the ring from the next. */
static uint64_t why_transport_at(const struct why_sends *w, const struct transport_wait *t)
{
	return (uint64_t)t->psn << 16 | w->sq->done;
}

static void why_rnr(const struct why_sends *w, const struct transport_wait *t)
{
	const enum finding_kind kind = why_rnr_kind(t);
	const uint64_t peer = qp_of(w->q)->remote_qpn;
	const bool srq = kind == FINDING_RNR_SRQ;

	why_found(w->s, &w->q->o, kind, why_transport_at(w, t),
		  {t->opcode, t->wqe, t->times, srq ? t->peer->rq->srq->o.id : peer, peer});
}

static void why_answer(const struct why_sends *w, const struct transport_wait *t)
{
	const uint64_t peer = qp_of(w->q)->remote_qpn;
	enum finding_kind kind = t->timeout ? FINDING_ANSWER : FINDING_ANSWER_NEVER;

	if (t->here && !t->peer) {
		kind = FINDING_PEER_GONE;
	} else if (t->here && !why_receives(t->peer)) {
		why_found(w->s, &w->q->o, FINDING_PEER_STATE, why_transport_at(w, t),
			  {t->opcode, t->wqe, t->psn, peer, t->peer->state});
		return;
	}
	why_found(w->s, &w->q->o, kind, why_transport_at(w, t),
		  {t->opcode, t->wqe, t->psn, peer, t->used, t->retries});
}

/* Reports what the transport waits for. Returns false if it doesn't say. */
static bool why_transport(const struct why_sends *w)
{
	struct transport_wait t = {0};

	if (w->q->transport->waits)
		w->q->transport->waits(w->q, &t);
	if (t.why == TRANSPORT_RNR)
		why_rnr(w, &t);
	else if (t.why == TRANSPORT_ANSWER)
		why_answer(w, &t);
	return t.why != TRANSPORT_READY;
}

/* Reports a WAIT, which stays in the ring as long as it holds the queue. */
static void why_wait(const struct why_sends *w)
{
	uint8_t wqe[PRM_WQE_CTRL_SEG_BYTES + PRM_WQE_QSEG_BYTES];
	const uint64_t at = w->sq->ci & (why_sq_blocks(w->sq) - 1);
	const uint8_t *seg = wqe + PRM_WQE_CTRL_SEG_BYTES;
	const struct cq *cq;

	if (ring_read(w->q->o.vhca->dev->host, &w->q->ring, w->sq->offset + at * BLOCK, wqe,
		      sizeof(wqe)))
		return;
	cq = obj_find(w->q->o.vhca, OBJ_CQ, prm_wqe_qseg_get_qpn_cqn(seg));
	why_found(w->s, &w->q->o, FINDING_WAIT, w->sq->done,
		  {w->sq->ci, prm_wqe_qseg_get_max_index(seg), prm_wqe_qseg_get_qpn_cqn(seg),
		   cq ? cq->pi : 0});
}

static void why_sends_run(const struct why_sends *w)
{
	/* Behind what other queues have enabled, the record of a managed queue says nothing. */
	const int16_t unrung = (int16_t)(w->record - w->sq->pi);
	const uint16_t rung = (uint16_t)(w->sq->pi - w->sq->done);

	if (w->sq->waits)
		why_wait(w);
	else if (!why_transport(w) && rung)
		why_sq_found(w, FINDING_PENDING, w->sq->done, rung);
	if (unrung > 0)
		why_sq_found(w, w->sq->managed ? FINDING_MANAGED : FINDING_DOORBELL, w->sq->pi,
			     (uint64_t)unrung);
}

/* --- by the queue's state --------------------------------------------------------------------- */

static void why_sends_failed(const struct why_sends *w)
{
	if (w->sq->failed)
		why_found(w->s, &w->q->o, FINDING_FAILED, w->sq->done,
			  {w->q->state, w->sq->failed_wqe, w->sq->failed});
	else
		why_sq_found(w, FINDING_ERROR_STATE, w->q->state, 0);
}

static void why_sends_stopped(const struct why_sends *w)
{
	if (w->posted)
		why_found(w->s, &w->q->o, FINDING_SEND_STATE, w->sq->done,
			  {w->sq->done, w->posted, w->q->state});
}

void why_sq(const struct why_sink *s, const struct queue *q)
{
	struct why_sends w = {.s = s, .q = q, .sq = q->sq, .record = q->sq->pi};
	uint32_t word;

	if (why_record(&q->o, q->dbrec, SND_RECORD, &word))
		w.record = (uint16_t)word;
	w.posted = (uint16_t)(w.record - q->sq->done);
	if (q->state == QP_ERR || q->state == QP_SQER) {
		why_sends_failed(&w);
	} else if (q->state != QP_RTS) {
		why_sends_stopped(&w);
	} else {
		why_sends_run(&w);
		why_unsignaled(&w);
	}
}
