/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include "ring.h"
#include "mkey.h"

/* Most segments of a read: a WQE of 16 blocks or a CQE crosses few pages, and no read is longer. */
#define RING_SEGS 8

static int segs(const struct ring *r, uint64_t off, size_t len, struct dma_seg *seg)
{
	if (off > r->len || len > r->len - off)
		return -ERANGE;
	if (r->umem)
		return umem_segs(r->umem, r->offset + off, len, seg, RING_SEGS);
	return pages_segs(r->pages, r->npages, r->log_page, r->offset + off, len, seg, RING_SEGS);
}

int ring_segs(const struct ring *r, uint64_t off, size_t len, struct dma_seg *seg, unsigned int max)
{
	struct dma_seg all[RING_SEGS];
	int n = segs(r, off, len, all);

	if (n > (int)max)
		return -E2BIG;
	for (int i = 0; i < n; i++)
		seg[i] = all[i];
	return n;
}

int ring_read(struct host *h, const struct ring *r, uint64_t off, void *to, size_t len)
{
	struct dma_seg seg[RING_SEGS];
	int n = segs(r, off, len, seg);

	if (n == 1)
		return dma_read(h, seg[0].addr, to, len);
	return n < 0 ? n : dma_gather(h, seg, (unsigned int)n, to);
}

/* Finds the ring's bytes. No client has address 0, so it stands for a ring without memory. */
uint8_t *ring_find(struct host *h, struct ring *r)
{
	struct dma_seg seg[RING_SEGS];
	int n = segs(r, 0, r->len, seg);

	return dma_place_find(h, &r->place, n == 1 ? seg[0].addr : 0, r->len);
}

void ring_release(struct ring *r)
{
	obj_put(r->umem);
	free(r->pages);
	*r = (struct ring){0};
}
