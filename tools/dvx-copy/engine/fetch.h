/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_FETCH_H
#define DVX_COPY_FETCH_H

#include "queue.h"

/* Shared by fetch.c, which has what both ways need, and dma.c and rc.c, one for each. */
struct copy_engine {
	struct copy_device *d;
	struct dvx_mkey *local, *alias;
	struct copy_queue queue;
	struct dvx_sq *sq;
	struct queue_far far; /* the source's pool */
	uint32_t max;
	enum way way;
	enum way_why why;
};

/* The bytes of the ticket for this way, without its head. */
int dma_join(struct copy_engine *e, const uint8_t *ticket, size_t n, struct copy_fault *f);
int rc_join(struct copy_engine *e, const uint8_t *ticket, size_t n, struct copy_fault *f);

/* As dvx_post_dma(). */
int dma_post(struct copy_engine *e, uint32_t cookie, size_t off, uint32_t len);
int rc_post(struct copy_engine *e, uint32_t cookie, size_t off, uint32_t len);

#endif
