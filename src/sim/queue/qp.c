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
	struct dp_qp *d = (struct dp_qp *)((char *)t - offsetof(struct dp_qp, look));

	qp_flush_later(d->qp);
}

int dp_qp_start(struct qp *qp)
{
	int err;

	qp->dp = calloc(1, sizeof(*qp->dp));
	if (!qp->dp)
		return -ENOMEM;
	qp->dp->qp = qp;
	qp->dp->look.fire = qp_look;
	qp->dp->flush_tail = &qp->dp->flush;
	err = qp->raw ? 0 : net_qp_start(qp);
	if (!err && !qp->no_sq) {
		err = uar_add_qp(qp);
		if (err)
			net_qp_stop(qp);
	}
	if (!err)
		return 0;
	free(qp->dp);
	qp->dp = NULL;
	return err;
}

static void leave_flush(struct qp *qp)
{
	struct dp_qp *d = qp->dp;

	if (d->flushing)
		TAILQ_REMOVE(&dp_of(&qp->o)->flush, d, flush_link);
	d->flushing = false;
	d->doomed = false;
	timer_cancel(&qp->o.vhca->dev->timers, &d->look);
	d->look_after = 0;
}

/* A queue of raw packets has no connection, and no request waits: each is done when fetched. */
static struct send_wr *abort_net(struct qp *qp)
{
	return qp->raw ? NULL : net_qp_abort(qp);
}

/* Nothing of the connection or of the rings is left; no CQE tells. */
static void reset(struct qp *qp)
{
	struct send_wr *wr;

	while ((wr = qp->dp->flush)) {
		qp->dp->flush = wr->next;
		wr_free(dp_of(&qp->o), wr);
	}
	for (wr = abort_net(qp); wr;) {
		struct send_wr *next = wr->next;

		wr_free(dp_of(&qp->o), wr);
		wr = next;
	}
	leave_flush(qp);
	sq_reset(qp);
	rq_reset(qp);
}

void dp_qp_stop(struct qp *qp)
{
	if (!qp->dp)
		return;
	/* Posts name their queue. fw_exec() settles for what a command does, a reap is none. */
	dp_settle(qp->o.vhca->dev);
	reset(qp);
	if (!qp->no_sq)
		uar_del_qp(qp);
	net_qp_stop(qp);
	free(qp->dp);
	qp->dp = NULL;
}

void qp_flush_later(struct qp *qp)
{
	struct dp_qp *d = qp->dp;

	if (d->flushing)
		return;
	d->flushing = true;
	TAILQ_INSERT_TAIL(&dp_of(&qp->o)->flush, d, flush_link);
}

void qp_error(struct qp *qp, uint8_t event)
{
	struct dp_qp *d = qp->dp;
	struct send_wr *list;

	if (qp->state == QP_ERR || qp->state == QP_RST)
		return;
	qp->state = QP_ERR;
	list = abort_net(qp);
	*d->flush_tail = list;
	for (; list; list = list->next)
		d->flush_tail = &list->next;
	if (event)
		eq_qp(qp, event);
	qp_flush_later(qp);
}

void qp_drained(struct qp *qp)
{
	if (qp->dp->drained)
		return;
	qp->dp->drained = true;
	eq_qp(qp, PRM_EVENT_SQ_DRAINED);
}

static void look_again(struct qp *qp, bool found)
{
	struct device *dev = qp->o.vhca->dev;
	struct dp_qp *d = qp->dp;

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

bool qp_flush_run(struct dp *dp)
{
	struct dp_qp *last = TAILQ_LAST(&dp->flush, dp_qp_list), *d;
	bool end = false, did = false;

	while (!end && (d = TAILQ_FIRST(&dp->flush))) {
		end = d == last;
		TAILQ_REMOVE(&dp->flush, d, flush_link);
		d->flushing = false;
		did |= flush_one(d->qp);
	}
	return did;
}

void dp_qp_state(struct qp *qp, uint8_t to)
{
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
		net_qp_rtr(qp);
	else if (to == QP_RTS && from == QP_RTR) /* never a raw queue */
		net_qp_rts(qp);
	if (to == QP_RTS || to == QP_SQD) {
		qp->dp->drained = false;
		if (!qp->raw)
			net_qp_resume(qp);
		sq_more(qp);
	}
}
