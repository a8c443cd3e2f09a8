/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_OBJ_RING_H
#define SIM_OBJ_RING_H

#include "host/mm.h"

struct umem;

/*
 * A queue's buffer in client memory: a umem and an offset (DevX) or a page list of its own
 * (kernel-made queues). Ring bytes are found by offset.
 */
struct ring {
	struct umem *umem; /* referenced; NULL with a page list */
	uint64_t offset;   /* of the ring's first byte in umem or pages */
	uint64_t len;
	uint8_t log_page;
	uint32_t npages;
	bus_t *pages;
	struct dma_place place; /* ring_bytes() */
};

/* Where the device itself reaches the ring's bytes; NULL: not all of them in one piece. */
uint8_t *ring_find(struct host *, struct ring *);
static inline uint8_t *ring_bytes(struct host *h, struct ring *r)
{
	return dma_place_is_true(h, &r->place) ? r->place.at : ring_find(h, r);
}

/* 0 or -EFAULT/-ERANGE. [off, off+len) must lie inside the ring: reads do not wrap. */
int ring_read(struct host *, const struct ring *, uint64_t off, void *, size_t len);
/* The same bytes as bus segments, to be fetched together with others: how many, or negative. */
int ring_segs(const struct ring *, uint64_t off, size_t len, struct dma_seg *, unsigned int max);
void ring_release(struct ring *);

#endif
