/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <dvx/prm/eqe.h>
#include "priv.h"
#include "base/log.h"

#define FLUSH_SHARE 64u
#define LOOK_FIRST 1000000ull  /* ns */
#define LOOK_LAST 100000000ull

static void qp_look(struct timer *t)
{
	struct qp_priv *d = (struct qp_priv *)((char *)t - offsetof(struct qp_priv, look));

	qp_flush_later(d->qp);
}

int queue_start(struct qp *qp)
{
	const struct transport *t = qp->transport;
	int err;

	qp->priv = calloc(1, sizeof(*qp->priv));
	if (!qp->priv)
		return -ENOMEM;
	qp->priv->qp = qp;
	qp->priv->look.fire = qp_look;
	qp->priv->flush_tail = &qp->priv->flush;
	err = t->start ? t->start(qp) : 0;
	if (!err && !qp->no_sq) {
		err = uar_add_qp(qp);
		if (err && t->stop)
			t->stop(qp);
	}
	if (!err)
		return 0;
	free(qp->priv);
	qp->priv = NULL;
	return err;
}

static void leave_flush(struct qp *qp)
{
	struct qp_priv *d = qp->priv;

	if (d->flushing)
		TAILQ_REMOVE(&queues_of(&qp->o)->flush, d, flush_link);
	d->flushing = false;
	d->doomed = false;
	timer_cancel(&qp->o.vhca->dev->timers, &d->look);
	d->look_after = 0;
}

static struct send_wr *queue_abort(struct qp *qp)
{
	return qp->transport->abort ? qp->transport->abort(qp) : NULL;
}

/* Nothing of the connection or of the rings is left, and no CQE tells. */
static void reset(struct qp *qp)
{
	struct send_wr *wr;

	while ((wr = qp->priv->flush)) {
		qp->priv->flush = wr->next;
		wr_free(queues_of(&qp->o), wr);
	}
	for (wr = queue_abort(qp); wr;) {
		struct send_wr *next = wr->next;

		wr_free(queues_of(&qp->o), wr);
		wr = next;
	}
	leave_flush(qp);
	sq_reset(qp);
	rq_reset(qp);
}

void queue_stop(struct qp *qp)
{
	if (!qp->priv)
		return;
	/* Posts name their queue. fw_exec() settles for what a command does, a reap is none. */
	queues_settle(qp->o.vhca->dev);
	reset(qp);
	if (!qp->no_sq)
		uar_del_qp(qp);
	if (qp->transport->stop)
		qp->transport->stop(qp);
	free(qp->priv);
	qp->priv = NULL;
}

void qp_flush_later(struct qp *qp)
{
	struct qp_priv *d = qp->priv;

	if (d->flushing)
		return;
	d->flushing = true;
	TAILQ_INSERT_TAIL(&queues_of(&qp->o)->flush, d, flush_link);
}

void qp_error(struct qp *qp, uint8_t event)
{
	struct qp_priv *d = qp->priv;
	struct send_wr *list;

	if (qp->state == QP_ERR || qp->state == QP_RST)
		return;
	qp->state = QP_ERR;
	list = queue_abort(qp);
	*d->flush_tail = list;
	for (; list; list = list->next)
		d->flush_tail = &list->next;
	if (event)
		eq_qp(qp, event);
	qp_flush_later(qp);
}

void qp_drained(struct qp *qp)
{
	if (qp->priv->drained)
		return;
	qp->priv->drained = true;
	eq_qp(qp, PRM_EVENT_SQ_DRAINED);
}

static void look_again(struct qp *qp, bool found)
{
	struct device *dev = qp->o.vhca->dev;
	struct qp_priv *d = qp->priv;

	if (qp->no_rq || qp->has_srq)
		return;
	if (found || !d->look_after)
		d->look_after = LOOK_FIRST;
	else if (d->look_after < LOOK_LAST)
		d->look_after *= 2;
	timer_set(&dev->timers, &d->look, dev->clock->now(dev->clock) + d->look_after);
}

static bool flush_one(struct qp *qp)
{
	unsigned int sq, rq;

	post_failed(qp);
	if (qp->state != QP_ERR || qp->flush_silent)
		return false;
	sq = sq_flush(qp, FLUSH_SHARE);
	rq = rq_flush(qp, FLUSH_SHARE);
	if (sq == FLUSH_SHARE || rq == FLUSH_SHARE)
		qp_flush_later(qp);
	else
		look_again(qp, rq > 0);
	return sq || rq;
}

bool qp_flush_run(struct queues *qs)
{
	struct qp_priv *last = TAILQ_LAST(&qs->flush, qp_priv_list), *d;
	bool end = false, did = false;

	while (!end && (d = TAILQ_FIRST(&qs->flush))) {
		end = d == last;
		TAILQ_REMOVE(&qs->flush, d, flush_link);
		d->flushing = false;
		did |= flush_one(d->qp);
	}
	return did;
}

void queue_set_state(struct qp *qp, uint8_t to)
{
	const struct transport *t = qp->transport;
	uint8_t from = qp->state;

	if (to == QP_ERR) {
		qp_error(qp, 0);
		qp->state = QP_ERR; /* from RST, too */
		qp_flush_later(qp);
		return;
	}
	if (to == QP_RST)
		reset(qp);
	qp->state = to;
	if (to == QP_RTR)
		t->rtr(qp);
	else if (to == QP_RTS && from == QP_RTR)
		t->rts(qp);
	if (to == QP_RTS || to == QP_SQD) {
		qp->priv->drained = false;
		if (t->resume)
			t->resume(qp);
		sq_more(qp);
	}
}
