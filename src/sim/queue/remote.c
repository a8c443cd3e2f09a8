/* SPDX-License-Identifier: BSD-2-Clause */
#include "priv.h"
#include "base/log.h"
#include "obj/mkey.h"

static int remote_segs(struct queue *q, uint32_t rkey, uint64_t va, uint64_t *len,
		       unsigned int rights, struct dma_seg *seg)
{
	if (q->transport->pinned & PINNED_RECEIVES)
		rights |= MKEY_PINNED;
	return mkey_part(q->o.vhca, rkey, q->pdn, q->o.id, va, len, rights, seg,
			 seg ? MKEY_SEGS : 0);
}

bool remote_check(struct queue *q, uint32_t rkey, uint64_t va, uint64_t len, bool write)
{
	return remote_segs(q, rkey, va, &len, write ? MKEY_RW : MKEY_RR, NULL) >= 0;
}

bool queue_page_fault(struct queue *q)
{
	struct device *dev = q->o.vhca->dev;
	const bool fault = dev->page_fault;

	dev->page_fault = false;
	return fault;
}

/* Returns the range of an access whose signatures are made and checked on the way. */
static struct sig_range remote_signed(const struct queue *q, uint32_t rkey, uint64_t va, size_t len)
{
	return (struct sig_range){.key = rkey, .pdn = q->pdn, .va = va, .len = len, .remote = true};
}

static bool remote_moved(const struct queue *q, int err)
{
	if (err)
		queue_unmapped(q, "memory behind a remote key");
	return !err;
}

/* Writes where plain memory is not all there is to do; false if n is an error. */
static bool remote_write_other(struct queue *q, int n, uint32_t rkey, uint64_t va, size_t len,
			       const uint8_t *bytes)
{
	const struct sig_range r = remote_signed(q, rkey, va, len);

	if (n == -MKEY_RELAXED)
		return hostile_write(q, rkey, va, len, bytes);
	return n == -MKEY_SIGNED && sig_scatter(q, &r, bytes);
}

bool remote_write(struct queue *q, uint32_t rkey, uint64_t va, size_t len, const void *from)
{
	const uint8_t *bytes = from;
	struct dma_seg seg[MKEY_SEGS];
	uint64_t part;
	int n;

	cq_before_reply(q);
	for (; len; len -= part, va += part, bytes += part) {
		part = len;
		n = remote_segs(q, rkey, va, &part, MKEY_RW, seg);
		if (n < 0)
			return remote_write_other(q, n, rkey, va, len, bytes);
		if (!remote_moved(q,
				  post_write_through(q, seg, (unsigned int)n, bytes, (size_t)part)))
			return false;
	}
	return true;
}

bool remote_read(struct queue *q, uint32_t rkey, uint64_t va, size_t len, void *to)
{
	struct dma_seg seg[MKEY_SEGS];
	uint8_t *bytes = to;
	uint64_t part;
	int n;

	post_flush(queues_of(&q->o));
	for (; len; len -= part, va += part, bytes += part) {
		part = len;
		n = remote_segs(q, rkey, va, &part, MKEY_RR, seg);
		if (n == -MKEY_SIGNED) {
			const struct sig_range r = remote_signed(q, rkey, va, len);

			return sig_gather(q, &r, bytes);
		}
		if (n < 0 ||
		    !remote_moved(q, dma_gather(host_of(&q->o), seg, (unsigned int)n, bytes)))
			return false;
	}
	return true;
}

bool remote_invalidate(struct queue *q, uint32_t rkey)
{
	return mkey_invalidate(q->o.vhca, rkey, q->pdn, q->o.id);
}

bool remote_atomic(struct queue *q, uint32_t rkey, uint64_t va, const struct dma_atomic *a,
		   uint64_t *old, bool *aligned)
{
	struct dma_seg seg[8];
	uint64_t part = a->size;
	int n = mkey_part(q->o.vhca, rkey, q->pdn, q->o.id, va, &part, MKEY_ATOMIC, seg, a->size);

	*aligned = n < 0 || q->o.vhca->dev->page_fault ||
		   (n == 1 && part == a->size && !(seg[0].addr % a->size));
	if (n < 0 || !*aligned || q->o.vhca->dev->page_fault)
		return false;
	cq_before_reply(q);
	post_flush(queues_of(&q->o));
	return remote_moved(q, dma_atomic(host_of(&q->o), seg[0].addr, a, old));
}
