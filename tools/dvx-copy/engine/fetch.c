/* SPDX-License-Identifier: BSD-2-Clause */
#include "device.h"

#include <stdlib.h>
#include <string.h>

/* The receiver's engine. */
struct copy_engine {
	struct copy_device *d;
	struct dvx_mkey *local, *alias;
	struct copy_queue queue;
	struct dvx_sq *sq;
	struct queue_pool remote; /* the source's pool */
	uint32_t max;
	enum way way;
	enum way_why why;
};

/* --- the way inside one chip: an alias of the memory key, and the MMO DMA engine --- */

static int import_fault(struct copy_fault *f, int err)
{
	if (err == -EXDEV)
		return copy_fail(f, COPY_DEVICE,
				 "the device refused the other end's ticket: do both use the same "
				 "chip? --via rc copies between two");
	return device_fault(f, "importing the other end's pool");
}

static int import(struct copy_engine *e, const uint8_t *ticket, size_t n, struct copy_fault *f)
{
	struct dvx_ticket plain;
	int err;

	if (dvx_ticket_decode(ticket, n, &plain))
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

static int dma_join(struct copy_engine *e, const uint8_t *ticket, size_t n, struct copy_fault *f)
{
	uint64_t max = dvx_dev_caps(e->d->dev)->dma_mmo_max;

	e->max = max && max < DVX_MAX_SEGMENT ? (uint32_t)max : DVX_MAX_SEGMENT;
	if (import(e, ticket, n, f))
		return -1;
	e->remote.addr = dvx_mkey_addr(e->alias);
	e->remote.key = dvx_mkey_key(e->alias);
	if (dvx_qp_connect_self(e->queue.qp, 0))
		return device_fault(f, "making the queue for DMA copies");
	return 0;
}

/*
 * Every piece is signaled: a piece is large beside a CQE, and no public document says that an MMO
 * copy's CQE also completes the copies before it.
 */
static int dma_post(struct copy_engine *e, uint32_t cookie, size_t off, uint32_t len)
{
	return dvx_post_dma(e->sq, dvx_mkey_addr(e->local) + off, dvx_mkey_key(e->local),
			    e->remote.addr + off, e->remote.key, len, cookie, DVX_SIGNALED);
}

/* --- the way between any two ends: RDMA READ over a connection of two queue pairs --- */

static int rc_join(struct copy_engine *e, const uint8_t *ticket, size_t n, struct copy_fault *f)
{
	if (n != DVX_QP_BLOB_BYTES)
		return copy_fail(f, COPY_PROTOCOL,
				 "the other end sent a ticket that can't be read");
	if (queue_connect(&e->queue, ticket, &e->remote, f))
		return -1;
	if (e->remote.len < dvx_mkey_len(e->local))
		return copy_fail(f, COPY_PROTOCOL,
				 "the other end's ticket is for less than its pool");
	e->max = DVX_MAX_SEGMENT;
	return 0;
}

static int rc_post(struct copy_engine *e, uint32_t cookie, size_t off, uint32_t len)
{
	const struct dvx_sge to = {.addr = dvx_mkey_addr(e->local) + off,
				   .length = len,
				   .lkey = dvx_mkey_key(e->local)};

	return dvx_post_read(e->sq, e->remote.addr + off, e->remote.key, &to, 1, cookie,
			     DVX_SIGNALED);
}

#define RING_BLOCKS 64u /* one block per copy */

int engine_offer(struct copy_engine **out, struct copy_device *d, struct ticket *offer,
		 struct copy_fault *f)
{
	struct copy_engine *e = calloc(1, sizeof(*e));
	const struct queue_pool none = {0};

	if (!e)
		return copy_no_memory(f);
	e->d = d;
	way_end_put(offer->bytes, &d->end);
	offer->n = WAY_END_BYTES;
	/* One queue serves both ways: the source chooses later, and then the queue is connected. */
	if (copy_queue_make(&e->queue, d, d->end.flags & WAY_MMO ? DVX_QP_MMO : 0, RING_BLOCKS, f))
		goto fail;
	if (d->end.flags & WAY_CONNECTS) {
		if (queue_blob(&e->queue, &none, offer->bytes + offer->n, f))
			goto fail;
		offer->n += DVX_QP_BLOB_BYTES;
	}
	*out = e;
	return 0;
fail:
	engine_free(e);
	return -1;
}

/* Takes the way that the ticket names, if this end offered it. */
static int engine_join(struct copy_engine *e, const struct ticket *t, struct copy_fault *f)
{
	const uint8_t flags = e->d->end.flags;

	if (t->n < 2)
		return copy_fail(f, COPY_PROTOCOL,
				 "the other end sent a ticket that can't be read");
	e->way = (enum way)t->bytes[0];
	e->why = (enum way_why)t->bytes[1];
	if (e->way == WAY_ALIAS && flags & WAY_MMO && !(flags & WAY_ONLY_RC))
		return dma_join(e, t->bytes + 2, t->n - 2, f);
	if (e->way == WAY_RC && flags & WAY_CONNECTS && !(flags & WAY_ONLY_DMA))
		return rc_join(e, t->bytes + 2, t->n - 2, f);
	return copy_fail(f, COPY_PROTOCOL, "the other end chose a way that this end can't go");
}

int engine_make(struct copy_engine *e, const struct pool *local, const struct ticket *t,
		struct copy_fault *f)
{
	if (device_register(e->d, local, DVX_LOCAL_WRITE, &e->local, f) || engine_join(e, t, f))
		return -1;
	e->sq = dvx_qp_sq(e->queue.qp);
	return 0;
}

const char *engine_rc_reason(const struct copy_engine *e)
{
	return e->way == WAY_RC ? way_reason(e->why) : NULL;
}

/* Destroys the queue first: nothing may write into the pool once the caller unmaps it. */
void engine_free(struct copy_engine *e)
{
	if (!e)
		return;
	queue_free(&e->queue);
	dvx_mkey_destroy(e->alias);
	dvx_mkey_destroy(e->local);
	free(e);
}

uint32_t engine_max(const struct copy_engine *e)
{
	return e->max;
}

int engine_post(struct copy_engine *e, uint32_t cookie, size_t off, uint32_t len,
		struct copy_fault *f)
{
	int err = e->way == WAY_RC ? rc_post(e, cookie, off, len) : dma_post(e, cookie, off, len);

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
	const void *cqe = dvx_cq_peek(e->queue.cq);
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
	dvx_cq_pop(e->queue.cq);
	return 1;
}

int engine_fd(const struct copy_engine *e)
{
	return dvx_channel_fd(e->queue.channel);
}

/* Consumes old events, so that the descriptor reports new ones only. */
int engine_arm(struct copy_engine *e, struct copy_fault *f)
{
	int err;

	while (!(err = dvx_channel_wait(e->queue.channel, 0, NULL, NULL)))
		;
	if (err != -ETIMEDOUT && err != -EINTR && err != -EAGAIN)
		return device_fault(f, "waiting for completions");
	dvx_cq_arm(e->queue.cq, false);
	return 0;
}
