/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>
#include "priv.h"

/*
 * Small writes to client memory are posted, as writes on PCIe are: they wait here, in order, and
 * one call moves many. They are flushed before anything that could show that they have not
 * happened: a CQE, a larger write, any read of messages' memory, a command. Writes that a peer
 * asked for are also flushed at the end of the turn: the peer may announce them in other ways. Data
 * of a READ is read only after its CQE, so those writes wait for a CQE, or for HOLD_NS.
 */
#define SMALL	       2048u
#define CALL_SEGS      60u /* segments that one call moves */
#define HOLD_NS	       10000u

_Static_assert(offsetof(struct queues, posted.n) == 0, "post_waiting() finds it there");

static void post_emptied(struct posted_writes *p)
{
	p->n = 0;
	p->bytes = 0;
	p->seen = false;
	p->since = 0;
}

static void post_flush_all(struct queues *qs)
{
	struct posted_writes *p = &qs->posted;
	const uint8_t *at = p->buf;
	unsigned int n = p->n;

	post_emptied(p);
	if (!dma_scatter(qs->dev->host, p->seg, n, p->buf))
		return;
	for (unsigned int i = 0; i < n; at += p->seg[i++].len)
		if (dma_write(qs->dev->host, p->seg[i].addr, at, p->seg[i].len))
			p->queue[i]->priv->write_lost = true;
	for (unsigned int i = 0; i < n; i++)
		if (p->queue[i]->priv->write_lost)
			queue_flush_later(p->queue[i]);
}

void post_flush(struct queues *qs)
{
	if (qs->posted.n)
		post_flush_all(qs);
}

/* Writes all in one call. If it fails, repeats it write by write to find the queues to fail. */
int post_flush_then(struct queues *qs, const struct dma_seg *seg, unsigned int n, unsigned int ordered,
		    const void *bytes, size_t len)
{
	struct posted_writes *p = &qs->posted;

	if (p->n && p->n + n <= CALL_SEGS && p->bytes + len <= sizeof(p->buf)) {
		memcpy(p->seg + p->n, seg, n * sizeof(*seg));
		memcpy(p->buf + p->bytes, bytes, len);
		if (!dma_scatter_ordered(qs->dev->host, p->seg, p->n + n, ordered, p->buf)) {
			post_emptied(p);
			return 0;
		}
	}
	post_flush(qs);
	return dma_scatter_ordered(qs->dev->host, seg, n, ordered, bytes);
}

void post_before(struct queues *qs, const struct dma_seg *seg)
{
	const struct posted_writes *p = &qs->posted;

	for (unsigned int i = 0; i < p->n; i++)
		if (p->seg[i].addr < seg->addr + seg->len &&
		    seg->addr < p->seg[i].addr + p->seg[i].len) {
			post_flush(qs);
			return;
		}
}

/* Returns whether a later write replaces this one: libmlx5 reads all back into one place. */
static bool post_overwrites(const struct posted_writes *p, const struct queue *q,
			    const struct dma_seg *seg)
{
	const struct dma_seg *last = p->n ? &p->seg[p->n - 1] : NULL;

	return last && p->queue[p->n - 1] == q && last->addr == seg->addr && last->len <= seg->len;
}

static void unpost(struct posted_writes *p)
{
	p->bytes -= p->seg[--p->n].len;
}

/* A page fault that fails is an error of the access and must end it before its message goes on. */
static bool post_may_wait(const struct host *h, const struct dma_seg *seg, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		if (!dma_may_wait(h, seg[i].addr))
			return false;
	return true;
}

int post_scatter(struct queue *q, const struct dma_seg *seg, unsigned int n, const void *from,
		 size_t len)
{
	struct queues *qs = queues_of(&q->o);
	struct posted_writes *p = &qs->posted;

	/* the device's own memory is not behind PCIe */
	if (n == 1 && dma_is_device(qs->dev->host, seg->addr))
		return dma_scatter(qs->dev->host, seg, n, from);
	if (len > SMALL || n > POSTED_MAX || !post_may_wait(qs->dev->host, seg, n) ||
	    (n == 1 && dma_is_direct(qs->dev->host, seg->addr, len))) {
		post_flush(qs);
		return dma_scatter(qs->dev->host, seg, n, from);
	}
	if (n == 1 && post_overwrites(p, q, seg))
		unpost(p);
	if (p->n + n > POSTED_MAX || p->bytes + len > sizeof(p->buf))
		post_flush(qs);
	for (unsigned int i = 0; i < n; i++) {
		p->queue[p->n] = q;
		p->seg[p->n++] = seg[i];
	}
	memcpy(p->buf + p->bytes, from, len);
	p->bytes += len;
	return 0;
}

int post_write_through(struct queue *q, const struct dma_seg *seg, unsigned int n, const void *from,
		       size_t len)
{
	int err = post_scatter(q, seg, n, from, len);

	queues_of(&q->o)->posted.seen |= queues_of(&q->o)->posted.n > 0;
	return err;
}

bool post_end_turn(struct queues *qs, uint64_t now)
{
	struct posted_writes *p = &qs->posted;

	if (!p->since)
		p->since = now;
	if (!p->seen && now - p->since < HOLD_NS)
		return false;
	post_flush(qs);
	return true;
}
