/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_FETCH_H
#define DVX_COPY_FETCH_H

#include "queue.h"

/* The receiver's engine. fetch.c has what both ways need; dma.c and rc.c implement one each. */
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

/* Prepare a way with the ticket's bytes behind its head. */
int dma_join(struct copy_engine *e, const uint8_t *ticket, size_t n, struct copy_fault *f);
int rc_join(struct copy_engine *e, const uint8_t *ticket, size_t n, struct copy_fault *f);

/* Post one piece, with the result of dvx_post_dma(). */
int dma_post(struct copy_engine *e, uint32_t cookie, size_t off, uint32_t len);
int rc_post(struct copy_engine *e, uint32_t cookie, size_t off, uint32_t len);

#endif
