/* SPDX-License-Identifier: BSD-2-Clause */
#include "queue.h"
#include "base/bytes.h"

#include <string.h>

#define PAGE 4096u /* a pool's length travels in pages, so that 4 bytes suffice */

static int queue_events(struct copy_queue *q, struct copy_device *d, struct copy_fault *f)
{
	if (dvx_channel_open(d->dev, &q->channel) || dvx_channel_subscribe(q->channel, q->cq, NULL))
		return device_fault(f, "subscribing to completions");
	return 0;
}

int copy_queue_make(struct copy_queue *q, struct copy_device *d, uint32_t flags, uint32_t blocks,
		    struct copy_fault *f)
{
	struct dvx_cq_attr ca = {.size = sizeof(ca), .entries = blocks ? blocks : 1};
	struct dvx_qp_attr qa = {
		.size = sizeof(qa), .flags = flags, .pd = d->pd, .sq_blocks = blocks ? blocks : 1};

	if (dvx_uar_alloc(d->dev, DVX_UAR_ANY, &q->uar))
		return device_fault(f, "getting a doorbell page");
	ca.uar = qa.uar = q->uar;
	if (dvx_cq_create(d->dev, &ca, &q->cq))
		return device_fault(f, "making the completion queue");
	if (blocks && queue_events(q, d, f))
		return -1;
	qa.send_cq = q->cq;
	if (dvx_qp_create(d->dev, &qa, &q->qp))
		return device_fault(f, "making the queue for copies");
	if (d->end.flags & WAY_CONNECTS && dvx_qp_local_init(d->dev, DEVICE_PORT, &q->side))
		return device_fault(f, "choosing an address");
	return 0;
}

void queue_free(struct copy_queue *q)
{
	dvx_qp_destroy(q->qp);
	dvx_cq_destroy(q->cq);
	if (q->channel)
		dvx_channel_close(q->channel);
	if (q->uar)
		dvx_uar_free(q->uar);
}

static int queue_blob_fault(struct copy_fault *f)
{
	return copy_fail(f, COPY_PROTOCOL, "the other end sent a connection that can't be read");
}

int queue_pick_gid(struct copy_queue *q, struct copy_device *d, const uint8_t *blob,
		   struct copy_fault *f)
{
	struct dvx_qp_peer peer = {.size = sizeof(peer)};
	struct dvx_gid_choice choice;

	if (dvx_qp_blob_read(q->qp, blob, DVX_QP_BLOB_BYTES, &peer))
		return queue_blob_fault(f);
	if (dvx_gid_choose(d->dev, q->side.port, &peer, &choice))
		return device_fault(f, "choosing an address");
	q->side.gid_index = (uint8_t)choice.gid.index;
	q->side.access = DVX_REMOTE_READ;
	return 0;
}

int queue_blob(struct copy_queue *q, const struct queue_pool *mine, uint8_t *blob,
	       struct copy_fault *f)
{
	bytes_put(q->side.user, mine->addr, 8);
	bytes_put(q->side.user + 8, mine->key, 4);
	bytes_put(q->side.user + 12, mine->len / PAGE, 4);
	if (dvx_qp_blob_write(q->qp, &q->side, blob))
		return device_fault(f, "describing the connection");
	return 0;
}

int queue_connect(struct copy_queue *q, const uint8_t *blob, struct queue_pool *pool,
		  struct copy_fault *f)
{
	struct dvx_qp_peer peer = {.size = sizeof(peer)};

	if (dvx_qp_blob_read(q->qp, blob, DVX_QP_BLOB_BYTES, &peer))
		return queue_blob_fault(f);
	pool->addr = bytes_get(peer.user, 8);
	pool->key = (uint32_t)bytes_get(peer.user + 8, 4);
	pool->len = bytes_get(peer.user + 12, 4) * PAGE;
	if (dvx_qp_connect(q->qp, &q->side, &peer))
		return device_fault(f, "connecting the queues");
	return 0;
}
