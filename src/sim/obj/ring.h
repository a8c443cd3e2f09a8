/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_OBJ_RING_H
#define SIM_OBJ_RING_H

#include "host/mem.h"

struct umem;

/*
 * A queue's buffer in client memory: a umem and an offset (DevX), or a separate page list (queues
 * of the kernel). Ring bytes are found by offset.
 */
struct ring {
	struct umem *umem; /* referenced; NULL with a page list */
	uint64_t offset;   /* of the ring's first byte, in umem or pages */
	uint64_t len;
	uint8_t log_page;
	uint32_t npages;
	bus_t *pages;
	struct dma_place place; /* cache of ring_bytes() */
};

/*
 * Returns the ring's bytes if the device can access them directly; NULL if they are not one piece.
 */
uint8_t *ring_find(struct host *, struct ring *);
static inline uint8_t *ring_bytes(struct host *h, struct ring *r)
{
	return dma_place_is_true(h, &r->place) ? r->place.at : ring_find(h, r);
}

/* Returns 0, -EFAULT or -ERANGE. [off, off+len) must lie inside the ring: reads do not wrap. */
int ring_read(struct host *, const struct ring *, uint64_t off, void *, size_t len);
/*
 * Returns a range as bus segments, to be fetched together with others: their number, or negative.
 */
int ring_segs(const struct ring *, uint64_t off, size_t len, struct dma_seg *, unsigned int max);
void ring_release(struct ring *);

#endif
