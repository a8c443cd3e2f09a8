/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_QUEUE_H
#define DVX_COPY_QUEUE_H

#include "device.h"

/* A queue pair with all that it needs, at either end. */
struct copy_queue {
	struct dvx_uar *uar;
	struct dvx_cq *cq;
	struct dvx_channel *channel; /* of the receiving end alone */
	struct dvx_qp *qp;
	struct dvx_qp_local side;
};

/* With blocks: a ring for so many requests, whose completions raise events. */
int copy_queue_make(struct copy_queue *q, struct copy_device *d, uint32_t flags, uint32_t blocks,
		    struct copy_fault *f);
void queue_free(struct copy_queue *q);

/* What a blob carries beside the connection: a pool. All 0 from the receiving end. */
struct queue_far {
	uint64_t addr, len;
	uint32_t key;
};

/* The GID that can talk to the peer's. */
int queue_face(struct copy_queue *q, struct copy_device *d, const uint8_t *blob,
	       struct copy_fault *f);
int queue_blob(struct copy_queue *q, const struct queue_far *mine, uint8_t *blob,
	       struct copy_fault *f);
int queue_connect(struct copy_queue *q, const uint8_t *blob, struct queue_far *far,
		  struct copy_fault *f);

#endif
