/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_ENGINE_DEVICE_H
#define DVX_COPY_ENGINE_DEVICE_H

#include <dvx/dvx.h>

#include "engine.h"
#include "way.h"

/* The device, for the files of engine/, the only ones that use libdvx. */
struct copy_device {
	struct dvx_dev *dev;
	struct dvx_pd *pd;
	struct dvx_channel *watch; /* a server's, for the loss of the device; without a CQ */
	struct way_end end;	   /* what this end can do */
};

#define DEVICE_PORT 1 /* the port of connections */

/* Fails with "<doing what>: <libdvx's error>". */
int device_fault(struct copy_fault *f, const char *what);

/* Registers a pool. The message names the limit of locked memory if that is the reason. */
int device_register(struct copy_device *d, const struct pool *p, uint32_t access,
		    struct dvx_mkey **out, struct copy_fault *f);

/* --- queue.c --- */

/* A queue pair with its doorbell page, CQ and channel, at either end. */
struct copy_queue {
	struct dvx_uar *uar;
	struct dvx_cq *cq;
	struct dvx_channel *channel; /* the receiver's only */
	struct dvx_qp *qp;
	struct dvx_qp_local side;
};

/* Makes a queue. blocks: its ring has so many, and completions raise events; or 0. */
int copy_queue_make(struct copy_queue *q, struct copy_device *d, uint32_t flags, uint32_t blocks,
		    struct copy_fault *f);
void queue_free(struct copy_queue *q);

/* The pool that the source's blob describes, beside the connection. A receiver's has zeros. */
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
