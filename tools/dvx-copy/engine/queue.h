/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_QUEUE_H
#define DVX_COPY_QUEUE_H

#include "device.h"

/* A queue pair with its doorbell page, CQ and channel, at either end. */
struct copy_queue {
	struct dvx_uar *uar;
	struct dvx_cq *cq;
	struct dvx_channel *channel; /* the receiver's only */
	struct dvx_qp *qp;
	struct dvx_qp_local side;
};

/*
 * Makes a queue. With blocks != 0 it has a ring for that many requests, and completions raise
 * events.
 */
int copy_queue_make(struct copy_queue *q, struct copy_device *d, uint32_t flags, uint32_t blocks,
		    struct copy_fault *f);
void queue_free(struct copy_queue *q);

/*
 * The pool that the source describes in its blob, beside the connection. The receiver sends zeros.
 */
struct queue_pool {
	uint64_t addr, len;
	uint32_t key;
};

/* Chooses the local GID that reaches the peer's. */
int queue_pick_gid(struct copy_queue *q, struct copy_device *d, const uint8_t *blob,
		   struct copy_fault *f);
int queue_blob(struct copy_queue *q, const struct queue_pool *mine, uint8_t *blob,
	       struct copy_fault *f);
int queue_connect(struct copy_queue *q, const uint8_t *blob, struct queue_pool *pool,
		  struct copy_fault *f);

#endif
