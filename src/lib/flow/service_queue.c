/* SPDX-License-Identifier: BSD-2-Clause */
#include <sched.h>
#include <time.h>
#include "service_queue.h"

#define SERVICE_PATIENCE 10 /* seconds */

static int service_queue_fill(struct dvx_service_queue *q, uint32_t blocks, uint32_t flags)
{
	struct dvx_cq_attr cq = {.size = sizeof(cq), .entries = blocks};
	struct dvx_txq_attr tx = {.size = sizeof(tx), .flags = flags, .sq_blocks = blocks};
	int err = q->shares ? 0 : dvx_pd_alloc(q->dev, &q->pd);

	if (!err && !q->shares)
		err = dvx_uar_alloc(q->dev, DVX_UAR_ANY, &q->uar);
	cq.uar = q->uar;
	if (!err)
		err = dvx_cq_create(q->dev, &cq, &q->cq);
	tx.pd = q->pd;
	tx.cq = q->cq;
	tx.uar = q->uar;
	return err ? err : dvx_txq_create(q->dev, &tx, &q->txq);
}

static int service_queue_make(struct dvx_service_queue *q, uint32_t blocks, uint32_t flags)
{
	int err = service_queue_fill(q, blocks, flags);
	struct dvx_error why;

	if (!err)
		return 0;
	why = *dvx_last_error();
	dvx_service_queue_destroy(q);
	return dvx_restore(&why);
}

int dvx_service_queue_create(struct dvx_dev *dev, uint32_t blocks, uint32_t flags,
			     struct dvx_service_queue *q)
{
	*q = (struct dvx_service_queue){.dev = dev};
	return service_queue_make(q, blocks, flags);
}

int dvx_service_queue_share(const struct dvx_service_queue *owner, uint32_t blocks, uint32_t flags,
			    struct dvx_service_queue *q)
{
	*q = (struct dvx_service_queue){
		.dev = owner->dev, .pd = owner->pd, .uar = owner->uar, .shares = true};
	return service_queue_make(q, blocks, flags);
}

int dvx_service_queue_destroy(struct dvx_service_queue *q)
{
	int err = dvx_txq_destroy(q->txq);

	if (err)
		return err;
	q->txq = NULL;
	err = dvx_cq_destroy(q->cq);
	if (err)
		return err;
	q->cq = NULL;
	if (q->shares)
		return 0;
	err = dvx_uar_free(q->uar);
	if (err)
		return err;
	q->uar = NULL;
	err = dvx_pd_free(q->pd);
	if (!err)
		q->pd = NULL;
	return err;
}

int dvx_service_queue_wait(struct dvx_service_queue *q, const char *what, struct dvx_wc *wc)
{
	struct timespec now, begin = {0};
	int got;

	while (!(got = dvx_cq_poll(q->cq, wc))) {
		clock_gettime(CLOCK_MONOTONIC, &now);
		if (!begin.tv_sec)
			begin = now;
		if (now.tv_sec > begin.tv_sec + SERVICE_PATIENCE)
			return dvx_fail(ETIMEDOUT, "%s: %s has not answered for %d seconds", what,
					dvx_dev_name(q->dev), SERVICE_PATIENCE);
		sched_yield();
	}
	if (got > 0)
		return 0;
	return dvx_fail(EIO, "%s: %s", what,
			got == -EIO ? dvx_cqe_strerror(wc->syndrome) : strerror(-got));
}
