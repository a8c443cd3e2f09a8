/* SPDX-License-Identifier: BSD-2-Clause */
#include <dvx/prm/eqe.h>
#include "priv.h"
#include "base/hostile.h"
#include "base/inject.h"
#include "base/log.h"
#include "base/probe.h"

#define ASYNC_EQN 0u

/* Returns whether an event meets a requested fault (base/inject.h), and so is not reported. */
static bool eq_is_lost(const void *eqe)
{
	const bool completion = prm_eqe_get_type(eqe) == PRM_EVENT_COMP;

	if (!inject_count(INJECT_INTERRUPT, completion ? prm_eqe_get_cqn(eqe) : INJECT_ANY))
		return false;
	sim_note("an event of type 0x%02x is lost by a requested fault", prm_eqe_get_type(eqe));
	return true;
}

/* Returns whether the event is lost, or a hostile device reports it later. */
static bool eq_is_held(struct vhca *v, uint32_t eqn, const void *eqe)
{
	return (probe_active(PROBE_INJECT_EQE) && eq_is_lost(eqe)) ||
	       (hostile() && hostile_event(v, eqn, eqe));
}

static void eq_post(struct vhca *v, uint32_t eqn, const void *eqe)
{
	probe(PROBE_EQE, .eqe = {eqn, eqe});
	if (probe_active(PROBE_INJECT_EQE | PROBE_HOSTILE) && eq_is_held(v, eqn, eqe))
		return;
	eq_report(v, eqn, eqe);
}

void eq_report(struct vhca *v, uint32_t eqn, const void *eqe)
{
	if (v->dev->front->event)
		v->dev->front->event(v->dev->front_ctx, v, eqn, eqe);
}

void eq_completion(struct cq *cq)
{
	uint8_t eqe[PRM_EQE_BYTES] = { 0 };

	prm_eqe_set_type(eqe, PRM_EVENT_COMP);
	prm_eqe_set_cqn(eqe, cq->o.id);
	eq_post(cq->o.vhca, cq->eqn, eqe);
}

void eq_cq_error(struct cq *cq, uint8_t syndrome)
{
	uint8_t eqe[PRM_EQE_BYTES] = { 0 };

	prm_eqe_set_type(eqe, PRM_EVENT_CQ_ERROR);
	prm_eqe_set_cq_err_cqn(eqe, cq->o.id);
	prm_eqe_set_cq_err_syndrome(eqe, syndrome);
	eq_post(cq->o.vhca, ASYNC_EQN, eqe);
}

/* [I] An RMP's queue type is an RQ's, as mlx5_ib matches subscriptions to RMPs. */
void eq_srq(struct srq *s, uint8_t type)
{
	uint8_t eqe[PRM_EQE_BYTES] = {0};

	prm_eqe_set_type(eqe, type);
	prm_eqe_set_qp_srq_type(eqe, PRM_EVENT_QUEUE_TYPE_RQ);
	prm_eqe_set_qp_srq_n(eqe, s->o.id);
	eq_post(s->o.vhca, ASYNC_EQN, eqe);
}

void eq_dct(struct vhca *v, uint32_t dctn, uint8_t type)
{
	uint8_t eqe[PRM_EQE_BYTES] = {0};

	prm_eqe_set_type(eqe, type);
	prm_eqe_set_dctn(eqe, dctn);
	eq_post(v, ASYNC_EQN, eqe);
}

static uint32_t eq_queue_type(const struct queue *q)
{
	if (q->o.type == OBJ_SQ)
		return PRM_EVENT_QUEUE_TYPE_SQ;
	if (q->o.type == OBJ_DCT)
		return PRM_EVENT_QUEUE_TYPE_DCT;
	return q->o.type == OBJ_RQ ? PRM_EVENT_QUEUE_TYPE_RQ : PRM_EVENT_QUEUE_TYPE_QP;
}

void eq_queue(struct queue *q, uint8_t type)
{
	uint8_t eqe[PRM_EQE_BYTES] = { 0 };

	prm_eqe_set_type(eqe, type);
	prm_eqe_set_qp_srq_type(eqe, eq_queue_type(q));
	prm_eqe_set_qp_srq_n(eqe, q->o.id);
	eq_post(q->o.vhca, ASYNC_EQN, eqe);
}
