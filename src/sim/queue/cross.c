/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Cross-channel requests. WAIT holds its queue until a CQ has had a given number of completions;
 * SEND_EN and RECV_EN let a managed queue run up to an index (doc/design/0044-cross-channel.md).
 */
#include <stdlib.h>
#include <dvx/prm/wqe.h>
#include "priv.h"

#define DS	    16u
#define INDEX_MASK  0xffffffu /* a CQ's index; a queue's has 16 bits */
#define INDEX_AHEAD 0x800000u

static const uint8_t *cross_seg(const struct send_wr *wr)
{
	return wr->wqe + DS;
}

static uint32_t cross_number(const struct send_wr *wr)
{
	return prm_wqe_qseg_get_qpn_cqn(cross_seg(wr));
}

/* --- WAIT ----------------------------------------------------------------------------------- */

static struct cq *cross_cq(const struct queue *q, const struct send_wr *wr)
{
	return obj_find_uid(q->o.vhca, OBJ_CQ, cross_number(wr), q->o.uid);
}

/* Returns whether the CQE of that index was written: CQEs still in the batch release no WAIT. */
static bool cross_reached(const struct cq *cq, uint32_t index)
{
	return ((cq->pi - cq->made - index) & INDEX_MASK) < INDEX_AHEAD;
}

/* Holds the queue: `ready` keeps others from starting it until cross_stop(). */
static void cross_hold(struct sq *sq, struct cq *cq, uint32_t index)
{
	struct cross_wait *w = sq->priv->wait;

	w->sq = sq;
	w->index = index;
	LIST_INSERT_HEAD(&cq->priv->waiters, w, link);
	sq->waits = sq->priv->ready = true;
}

/* [I] A WAIT needs no cd_master: DPDK's packet queues and UCC's queue pairs have none. */
static void cross_parse_wait(struct queue *q, struct send_wr *wr)
{
	const uint32_t index = prm_wqe_qseg_get_max_index(cross_seg(wr));
	struct cq *cq = cross_cq(q, wr);
	struct sq_priv *d = q->sq->priv;

	if (wr->opmod != PRM_WAIT_OPMOD_CQ_PI) {
		wqe_refuse(
			q, wr, VENDOR_OPCODE,
			"a WAIT's opmod is 0 (a CQ's index): memory and time are not waited for");
		return;
	}
	if (!cq) {
		wqe_refuse(q, wr, VENDOR_CROSS, "it waits for a CQ that is not there"); /* [I] */
		return;
	}
	if (cross_reached(cq, index))
		return;
	if (!d->wait)
		d->wait = calloc(1, sizeof(*d->wait));
	if (!d->wait) {
		wqe_refuse(q, wr, VENDOR_CROSS, "no memory to wait");
		return;
	}
	cross_hold(q->sq, cq, index);
	wr->error = WQE_WAITS;
}

void cross_stop(struct sq *sq)
{
	if (!sq || !sq->waits)
		return;
	LIST_REMOVE(sq->priv->wait, link);
	sq->waits = sq->priv->ready = false;
}

static void cross_release(struct cross_wait *w)
{
	cross_stop(w->sq);
	sq_more(w->sq);
}

void cross_wake(struct cq *cq)
{
	struct cross_wait *w, *next;

	for (w = LIST_FIRST(&cq->priv->waiters); w; w = next) {
		next = LIST_NEXT(w, link);
		if (cross_reached(cq, w->index))
			cross_release(w);
	}
}

void cross_cq_stop(struct cq *cq)
{
	while (!LIST_EMPTY(&cq->priv->waiters))
		cross_release(LIST_FIRST(&cq->priv->waiters));
}

/* --- SEND_EN, RECV_EN ----------------------------------------------------------------------- */

static struct queue *cross_target(const struct queue *q, const struct send_wr *wr)
{
	struct queue *to = obj_find_uid(q->o.vhca, OBJ_QP, cross_number(wr), q->o.uid);

	return to ? to : obj_find_uid(q->o.vhca, OBJ_SQ, cross_number(wr), q->o.uid);
}

/* [I] Each refusal here. */
int cross_step(struct queue *q, struct send_wr *wr)
{
	const uint16_t index = (uint16_t)prm_wqe_qseg_get_max_index(cross_seg(wr));
	const bool sends = wr->opcode == PRM_WQE_OPCODE_SEND_EN;
	struct queue *to = cross_target(q, wr);

	if (!q->sq->master)
		wqe_refuse(q, wr, VENDOR_CROSS, "cd_master is clear: it starts no other queues");
	else if (!to)
		wqe_refuse(q, wr, VENDOR_CROSS, "the queue that it starts is not there");
	else if (sends && (!to->sq || !to->sq->managed))
		wqe_refuse(q, wr, VENDOR_CROSS, "it starts sends of a queue without cd_slave_send");
	else if (!sends && (!to->rq || !to->rq->managed))
		wqe_refuse(q, wr, VENDOR_CROSS,
			   "it starts receives of a queue without cd_slave_receive");
	else if (sends)
		sq_enable(to->sq, index);
	else
		rq_enable(to->rq, index);
	return wr->error;
}

void cross_parse(struct queue *q, struct send_wr *wr)
{
	wqe_probe(q, wr, "wqe_qseg", cross_seg(wr));
	if (wr->opcode == PRM_WQE_OPCODE_WAIT)
		cross_parse_wait(q, wr);
}
