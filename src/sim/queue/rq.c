/* SPDX-License-Identifier: BSD-2-Clause */
#include <endian.h>
#include <string.h>
#include <dvx/prm/cqe.h>
#include <dvx/prm/eqe.h>
#include <dvx/prm/wqe.h>
#include "priv.h"
#include "base/log.h"

#define RCV_RECORD 0u

static uint32_t stride(const struct qp *qp)
{
	return 16u << qp->log_rq_stride;
}

static uint32_t sim_rq_entries(const struct qp *qp)
{
	return 1u << qp->log_rq_size;
}

static bool has_rq(const struct qp *qp)
{
	return !qp->no_rq && !qp->has_srq && stride(qp) <= RQ_CACHE_BYTES;
}

static uint16_t posted(const struct qp *qp)
{
	return (uint16_t)(qp->rq_pi - qp->rq_ci);
}

/* Nobody rings for receives: their record is read when an entry is needed. */
static bool any_posted(struct qp *qp)
{
	uint32_t be;

	if (posted(qp))
		return true;
	if (dma_read(host_of(&qp->o), qp->dbrec + RCV_RECORD, &be, sizeof(be)))
		return false;
	qp->rq_pi = (uint16_t)be32toh(be);
	if (posted(qp) > sim_rq_entries(qp)) { /* [I] */
		sim_refuse("qp 0x%x: the doorbell record's receive counter 0x%04x is more than a"
			   " ring ahead of 0x%04x", qp->o.id, qp->rq_pi, qp->rq_ci);
		qp->rq_pi = (uint16_t)(qp->rq_ci + sim_rq_entries(qp));
	}
	return posted(qp) > 0;
}

/* The entry at rq_ci, with as many behind it as fit. NULL: the ring is gone. */
static const uint8_t *rq_entry(struct qp *qp)
{
	struct qp_priv *d = qp->priv;
	uint16_t ahead = (uint16_t)(qp->rq_ci - d->rq_at);
	uint32_t at = qp->rq_ci & (sim_rq_entries(qp) - 1);
	uint32_t n = RQ_CACHE_BYTES / stride(qp);

	if (ahead < d->rq_n)
		return d->rq_cache + ahead * stride(qp);
	if (n > posted(qp))
		n = posted(qp);
	if (n > sim_rq_entries(qp) - at)
		n = sim_rq_entries(qp) - at;
	d->rq_n = 0;
	if (ring_read(host_of(&qp->o), &qp->ring, qp->rq_offset + (uint64_t)at * stride(qp),
		      d->rq_cache, n * stride(qp)))
		return NULL;
	d->rq_at = qp->rq_ci;
	d->rq_n = (uint16_t)n;
	return d->rq_cache;
}

static void trace_entry(const struct qp *qp, const uint8_t *p)
{
	const uint8_t *end = p + stride(qp), *next;
	struct data_seg s;

	for (; (next = data_seg_next(p, end, &s)) && !s.inl; p = next) {
		data_seg_trace(qp, &s, p, "rq", qp->rq_ci);
		if (s.lkey == LKEY_TERMINATE)
			return;
	}
}

bool rq_start(struct qp *qp)
{
	struct qp_priv *d = qp->priv;

	if (!has_rq(qp) || !any_posted(qp))
		return false;
	d->recv = rq_entry(qp);
	if (!d->recv) {
		sim_refuse("qp 0x%x: its receive ring can't be read", qp->o.id);
		qp->rq_ci = qp->rq_pi;
		qp_error(qp, PRM_EVENT_WQ_CATAS_ERROR);
		return false;
	}
	if (sim_tracing)
		trace_entry(qp, d->recv);
	d->recv_index = qp->rq_ci++;
	return true;
}

uint8_t rq_scatter(struct qp *qp, uint64_t off, size_t len, const void *from)
{
	const uint8_t *p = qp->priv->recv;

	return segs_scatter(qp, p, p + stride(qp), off, len, from, false);
}

uint8_t rq_scatter_posted(struct qp *qp, uint64_t off, size_t len, const void *from)
{
	const uint8_t *p = qp->priv->recv;

	return segs_scatter(qp, p, p + stride(qp), off, len, from, true);
}

uint16_t rq_index(const struct qp *qp)
{
	return qp->priv->recv_index;
}

static void rq_error_cqe(struct qp *qp, uint16_t index, uint8_t syndrome)
{
	uint8_t *cqe = cq_next(qp->rcq);

	if (!cqe)
		return;
	prm_err_cqe_set_srqn(cqe, qp->user_index);
	prm_err_cqe_set_vendor_err_synd(cqe, syndrome == PRM_SYNDROME_WR_FLUSH_ERR ?
						     PRM_VENDOR_SYNDROME_FLUSHED : 0);
	prm_err_cqe_set_syndrome(cqe, syndrome);
	prm_err_cqe_set_qpn(cqe, qp->o.id);
	prm_err_cqe_set_wqe_counter(cqe, index);
	prm_err_cqe_set_opcode(cqe, PRM_CQE_OPCODE_RESP_ERR);
	cq_filled(qp->rcq, false);
}

void *rq_end_cqe(struct qp *qp)
{
	uint8_t *cqe;

	qp->priv->recv = NULL;
	cqe = cq_next(qp->rcq);
	if (!cqe) {
		qp_error(qp, PRM_EVENT_WQ_CATAS_ERROR);
		return NULL;
	}
	prm_cqe64_set_user_index(cqe, qp->user_index);
	prm_cqe64_set_timestamp(cqe, qp->o.vhca->dev->clock->now(qp->o.vhca->dev->clock));
	prm_cqe64_set_wqe_counter(cqe, qp->priv->recv_index);
	return cqe;
}

void rq_end(struct qp *qp, const struct recv_done *done)
{
	uint8_t *cqe;

	if (done->syndrome) {
		qp->priv->recv = NULL;
		rq_error_cqe(qp, qp->priv->recv_index, done->syndrome);
		return;
	}
	if (qp->scq != qp->rcq)
		cq_before_reply(qp);
	cqe = rq_end_cqe(qp);
	if (!cqe)
		return;
	prm_cqe64_set_rqpn(cqe, qp->remote_qpn);
	prm_cqe64_set_immediate(cqe, be32toh(done->imm));
	prm_cqe64_set_byte_cnt(cqe, (uint32_t)done->len);
	prm_cqe64_set_flow_tag(cqe, qp->o.id);
	prm_cqe64_set_opcode(cqe, done->opcode);
	prm_cqe64_set_se(cqe, done->solicited);
	cq_filled(qp->rcq, done->solicited);
}

unsigned int rq_flush(struct qp *qp, unsigned int n)
{
	struct qp_priv *d = qp->priv;
	unsigned int done = 0;

	if (d->recv) {
		d->recv = NULL;
		rq_error_cqe(qp, d->recv_index, PRM_SYNDROME_WR_FLUSH_ERR);
		done++;
	}
	if (!has_rq(qp))
		return done;
	for (; done < n && any_posted(qp); done++)
		rq_error_cqe(qp, qp->rq_ci++, PRM_SYNDROME_WR_FLUSH_ERR);
	return done;
}

void rq_reset(struct qp *qp)
{
	qp->priv->recv = NULL;
	qp->priv->rq_n = 0;
	qp->rq_pi = qp->rq_ci = 0;
}
