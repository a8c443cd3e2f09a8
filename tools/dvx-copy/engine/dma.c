/* SPDX-License-Identifier: BSD-2-Clause */
#include "device.h"

#include <stdlib.h>
#include <string.h>

#define RING_BLOCKS 64u /* one block per copy */

struct copy_engine {
	struct copy_device *d;
	struct dvx_mkey *local, *alias;
	struct dvx_uar *uar;
	struct dvx_cq *cq;
	struct dvx_channel *channel;
	struct dvx_qp *qp;
	struct dvx_sq *sq;
	uint32_t max;
};

static int import_fault(struct copy_fault *f, int err)
{
	if (err == -EXDEV)
		return copy_fail(
			f, COPY_DEVICE,
			"the device refused the other end's ticket: do both use the same chip?");
	if (err == -EINVAL)
		return copy_fail(f, COPY_DEVICE,
				 "both ends use the same function of the device; run one of "
				 "them on the other function");
	return device_fault(f, "importing the other end's pool");
}

static int import(struct copy_engine *e, const struct ticket *t, struct copy_fault *f)
{
	struct dvx_ticket plain;
	int err;

	if (dvx_ticket_decode(t->bytes, t->n, &plain))
		return copy_fail(f, COPY_PROTOCOL,
				 "the other end sent a ticket that can't be read");
	if (plain.len < dvx_mkey_len(e->local)) {
		dvx_ticket_wipe(&plain);
		return copy_fail(f, COPY_PROTOCOL,
				 "the other end's ticket is for less than its pool");
	}
	err = dvx_mkey_import(e->d->dev, e->d->pd, &plain, &e->alias);
	dvx_ticket_wipe(&plain);
	return err ? import_fault(f, err) : 0;
}

static int engine_dma_make_queues(struct copy_engine *e, struct copy_fault *f)
{
	struct dvx_dev *dev = e->d->dev;
	struct dvx_cq_attr ca = {.size = sizeof(ca), .entries = RING_BLOCKS};
	struct dvx_qp_attr qa = {
		.size = sizeof(qa), .flags = DVX_QP_MMO, .pd = e->d->pd, .sq_blocks = RING_BLOCKS};

	if (dvx_uar_alloc(dev, DVX_UAR_ANY, &e->uar))
		return device_fault(f, "getting a doorbell page");
	ca.uar = qa.uar = e->uar;
	if (dvx_cq_create(dev, &ca, &e->cq))
		return device_fault(f, "making the completion queue");
	if (dvx_channel_open(dev, &e->channel) || dvx_channel_subscribe(e->channel, e->cq, NULL))
		return device_fault(f, "subscribing to completions");
	qa.send_cq = e->cq;
	if (dvx_qp_create(dev, &qa, &e->qp) || dvx_qp_connect_self(e->qp, 0))
		return device_fault(f, "making the queue for DMA copies");
	e->sq = dvx_qp_sq(e->qp);
	return 0;
}

static int check_caps(const struct copy_device *d, struct copy_fault *f)
{
	const struct dvx_caps *c = dvx_dev_caps(d->dev);

	if (!c->dma_mmo)
		return copy_fail(f, COPY_DEVICE,
				 "device %s has no DMA copy engine for this function",
				 device_name(d));
	if (!c->mkey_import)
		return copy_fail(f, COPY_DEVICE,
				 "device %s can't use memory keys of another function",
				 device_name(d));
	return 0;
}

int engine_make(struct copy_engine **out, struct copy_device *d, const struct pool *local,
		const struct ticket *t, struct copy_fault *f)
{
	struct copy_engine *e;
	uint64_t max = dvx_dev_caps(d->dev)->dma_mmo_max;

	if (check_caps(d, f))
		return -1;
	e = calloc(1, sizeof(*e));
	if (!e)
		return copy_fail(f, COPY_IO, "out of memory");
	e->d = d;
	e->max = max && max < DVX_MAX_SEGMENT ? (uint32_t)max : DVX_MAX_SEGMENT;
	if (device_register(d, local, DVX_LOCAL_WRITE, &e->local, f) || import(e, t, f) ||
	    engine_dma_make_queues(e, f)) {
		engine_free(e);
		return -1;
	}
	*out = e;
	return 0;
}

/* The queue goes first: nothing may write into the pool once the caller unmaps it. */
void engine_free(struct copy_engine *e)
{
	if (!e)
		return;
	dvx_qp_destroy(e->qp);
	dvx_cq_destroy(e->cq);
	if (e->channel)
		dvx_channel_close(e->channel);
	if (e->uar)
		dvx_uar_free(e->uar);
	dvx_mkey_destroy(e->alias);
	dvx_mkey_destroy(e->local);
	free(e);
}

uint32_t engine_max(const struct copy_engine *e)
{
	return e->max;
}

/*
 * Every piece is signaled: a piece is large beside a CQE, and no public document says that an MMO
 * copy's CQE also completes the copies before it.
 */
int engine_post(struct copy_engine *e, uint32_t cookie, size_t off, uint32_t len,
		struct copy_fault *f)
{
	int err = dvx_post_dma(e->sq, dvx_mkey_addr(e->local) + off, dvx_mkey_key(e->local),
			       dvx_mkey_addr(e->alias) + off, dvx_mkey_key(e->alias), len, cookie,
			       DVX_SIGNALED);

	if (err == -ENOSPC)
		return 0;
	if (err)
		return copy_fail(f, COPY_DEVICE, "posting a copy of %u bytes: %s", len,
				 strerror(-err));
	return 1;
}

void engine_ring(struct copy_engine *e)
{
	dvx_sq_ring(e->sq);
}

int engine_poll(struct copy_engine *e, uint32_t *cookie, struct copy_fault *f)
{
	const void *cqe = dvx_cq_peek(e->cq);
	struct dvx_cqe_failure why;

	if (!cqe)
		return 0;
	if (dvx_cqe_is_error(cqe)) {
		dvx_cqe_error(cqe, &why);
		return copy_fail(f, COPY_DEVICE,
				 "the device could not copy: %s (syndrome 0x%02x/0x%02x)",
				 dvx_cqe_strerror(why.syndrome), why.syndrome, why.vendor);
	}
	*cookie = (uint32_t)dvx_sq_retire(e->sq, dvx_cqe_wqe_index(cqe));
	dvx_cq_pop(e->cq);
	return 1;
}

int engine_fd(const struct copy_engine *e)
{
	return dvx_channel_fd(e->channel);
}

/* Consumes old events, so that the descriptor reports new ones only. */
int engine_arm(struct copy_engine *e, struct copy_fault *f)
{
	int err;

	while (!(err = dvx_channel_wait(e->channel, 0, NULL, NULL)))
		;
	if (err != -ETIMEDOUT && err != -EINTR && err != -EAGAIN)
		return device_fault(f, "waiting for completions");
	dvx_cq_arm(e->cq, false);
	return 0;
}
