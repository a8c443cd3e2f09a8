/* SPDX-License-Identifier: BSD-2-Clause */
/* The life of QPs, SQs and RQs: states, errors, and the flush in ERR. */
#include <errno.h>
#include <stdlib.h>
#include <dvx/prm/eqe.h>
#include "priv.h"

#define FLUSH_MOST  64u
#define POLL_FIRST  1000000ull /* ns */
#define POLL_LAST   100000000ull

static void queue_poll(struct timer *t)
{
	struct queue_priv *d = (struct queue_priv *)((char *)t - offsetof(struct queue_priv, poll));

	queue_flush_later(d->q);
}

static void queue_free_parts(struct queue *q)
{
	if (q->sq)
		sq_stop(q->sq);
	if (q->rq)
		rq_stop(q->rq);
	free(q->priv);
	q->priv = NULL;
}

int queue_start(struct queue *q)
{
	const struct transport *t = q->transport;
	int err = -ENOMEM;

	q->priv = calloc(1, sizeof(*q->priv));
	if (!q->priv)
		return err;
	q->priv->q = q;
	q->priv->poll.fire = queue_poll;
	if ((q->sq && sq_start(q->sq)) || (q->rq && rq_start(q->rq)))
		goto failed;
	err = t->start ? t->start(q) : 0;
	if (!err)
		return 0;
failed:
	queue_free_parts(q);
	return err;
}

static void queue_leave_flush(struct queue *q)
{
	struct queue_priv *d = q->priv;

	if (d->flushing)
		TAILQ_REMOVE(&queues_of(&q->o)->flush, d, flush_link);
	d->flushing = false;
	d->write_lost = d->injected = false;
	d->last_wqe = false;
	timer_cancel(&q->o.vhca->dev->timers, &d->poll);
	d->poll_after = 0;
}

void queue_psns(struct queue *q)
{
	if (q->transport->psns)
		q->transport->psns(q);
}

static struct send_wr *queue_abort(struct queue *q)
{
	queue_psns(q);
	return q->transport->abort ? q->transport->abort(q) : NULL;
}

/* Drops all of the connection and of the rings, without CQEs. */
static void queue_reset(struct queue *q)
{
	struct send_wr *wr, *next;

	for (wr = queue_abort(q); wr; wr = next) {
		next = wr->next;
		wr_free(queues_of(&q->o), wr);
	}
	queue_leave_flush(q);
	if (q->sq)
		sq_reset(q->sq);
	if (q->rq)
		rq_reset(q->rq);
}

void queue_stop(struct queue *q)
{
	if (!q->priv)
		return;
	/* Posted writes point to their queue. fw_exec() flushes them, fw_uid_reap() does not. */
	queues_settle_all(q->o.vhca->dev);
	queue_reset(q);
	if (q->transport->stop)
		q->transport->stop(q);
	queue_free_parts(q);
}

static void queue_flush_these(struct queue *q, struct send_wr *wr)
{
	struct send_wr *next;

	for (; wr; wr = next) {
		next = wr->next;
		sq_give_back(q->sq, wr);
	}
	queue_flush_later(q);
}

bool queue_is_orphan(const struct queue *q)
{
	return dma_is_orphan(host_of(&q->o), q->dbrec);
}

void queue_unmapped(const struct queue *q, const char *what)
{
	if (!queue_is_orphan(q))
		obj_refuse(&q->o, "%s is not mapped any more", what);
}

void queue_error(struct queue *q, uint8_t event)
{
	struct send_wr *list;

	if (q->state == QP_ERR || q->state == QP_RST)
		return;
	q->state = QP_ERR;
	list = queue_abort(q);
	if (event)
		eq_queue(q, event);
	queue_flush_these(q, list);
}

void queue_record_unmapped(struct queue *q)
{
	if (q->state == QP_ERR || q->state == QP_RST || queue_is_orphan(q))
		return;
	obj_refuse(&q->o, "its doorbell record can't be read");
	queue_error(q, PRM_EVENT_WQ_CATAS_ERROR);
}

void queue_sends_failed(struct queue *q)
{
	if (!q->transport->abort_sends || (q->state != QP_RTS && q->state != QP_SQD)) {
		queue_error(q, 0);
		return;
	}
	q->state = QP_SQER;
	queue_flush_these(q, q->transport->abort_sends(q));
}

/* Stops sends. Posted WQEs may be changed until the queue goes on: they are read again then. */
void queue_stop_sends(struct queue *q)
{
	if (q->state != QP_RTS || !q->transport->unsent)
		return;
	q->state = QP_SQD;
	q->priv->drained = false;
	sq_rewind(q->sq, q->transport->unsent(q));
}

void queue_drained(struct queue *q)
{
	if (q->priv->drained)
		return;
	q->priv->drained = true;
	cq_show(q->sq->cq); /* the program looks in its CQ for the reason */
	eq_queue(q, PRM_EVENT_SQ_DRAINED);
}

static void queue_poll_later(struct queue *q, bool found)
{
	struct device *dev = q->o.vhca->dev;
	struct queue_priv *d = q->priv;

	if (!q->rq || q->rq->srq)
		return;
	if (found || !d->poll_after)
		d->poll_after = POLL_FIRST;
	else if (d->poll_after < POLL_LAST)
		d->poll_after *= 2;
	timer_set(&dev->timers, &d->poll, dev->clock->now(dev->clock) + d->poll_after);
}

/*
 * Sends SRQ_LAST_WQE. A queue that fails returns the SRQ entry that it holds, which other queues
 * can use, and reports that it takes no more. A connection of a DC target only returns the entry.
 */
static void last_wqe(struct queue *q)
{
	if (!q->rq || !q->rq->srq || q->priv->last_wqe || q->o.type == OBJ_DCT)
		return;
	q->priv->last_wqe = true;
	cq_show(q->rq->cq);
	eq_queue(q, PRM_EVENT_SRQ_LAST_WQE);
}

/* Fails the queue of a write that found no memory; the peer has its acknowledgement already. */
static void queue_write_failed(struct queue *q)
{
	if (!q->priv->write_lost)
		return;
	q->priv->write_lost = false;
	queue_unmapped(q, "memory behind a key");
	queue_error(q, PRM_EVENT_WQ_ACCESS_ERROR);
}

static void queue_injected(struct queue *q)
{
	if (q->priv->injected)
		queue_error(q, 0);
	q->priv->injected = false;
}

static bool queue_flush(struct queue *q)
{
	unsigned int sq, rq;

	queue_write_failed(q);
	queue_injected(q);
	if (!queue_flushes(q) || q->flush_silent)
		return false;
	sq = q->sq ? sq_flush(q->sq, FLUSH_MOST) : 0;
	rq = q->rq && q->state == QP_ERR ? rq_flush(q->rq, FLUSH_MOST) : 0;
	if (q->state == QP_ERR)
		last_wqe(q);
	if (sq == FLUSH_MOST || rq == FLUSH_MOST)
		queue_flush_later(q);
	else if (q->state == QP_ERR)
		queue_poll_later(q, rq > 0);
	return sq || rq;
}

bool queue_flush_run(struct queues *qs)
{
	struct queue_priv *last = TAILQ_LAST(&qs->flush, queue_list), *d;
	bool end = false, did = false;

	while (!end && (d = TAILQ_FIRST(&qs->flush))) {
		end = d == last;
		TAILQ_REMOVE(&qs->flush, d, flush_link);
		d->flushing = false;
		did |= queue_flush(d->q);
	}
	return did;
}

/* SQER -> RTS: flushes all requests of before, which would be sent, or end behind newer ones. */
static void queue_end_flush(struct queue *q)
{
	while (sq_flush(q->sq, FLUSH_MOST) == FLUSH_MOST)
		;
}

void queue_set_state(struct queue *q, uint8_t to)
{
	const struct transport *t = q->transport;
	uint8_t from = q->state;

	if (to == QP_ERR) {
		queue_error(q, 0);
		q->state = QP_ERR; /* from RST as well */
		queue_flush_later(q);
		return;
	}
	if (to == QP_RST)
		queue_reset(q);
	else if (from == QP_SQER)
		queue_end_flush(q);
	q->state = to;
	if (to == QP_RTR && t->rtr)
		t->rtr(q);
	else if (to == QP_RTS && from == QP_RTR)
		t->rts(q);
	if (to == QP_RTS || to == QP_SQD) {
		q->priv->drained = false;
		if (t->resume)
			t->resume(q);
		cross_stop(q->sq); /* a WAIT is checked again later */
		sq_more(q->sq);
	}
}
