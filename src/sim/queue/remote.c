/* SPDX-License-Identifier: BSD-2-Clause */
#include "priv.h"
#include "base/log.h"
#include "obj/mkey.h"

bool remote_check(struct queue *q, uint32_t rkey, uint64_t va, uint64_t len, bool write)
{
	return mkey_segs(q->o.vhca, rkey, q->pdn, va, len, write ? MKEY_RW : MKEY_RR, NULL,
			 0) >= 0;
}

static bool remote_moved(const struct queue *q, int err)
{
	if (err)
		sim_refuse("qp 0x%x: memory behind a remote key is not mapped any more", q->o.id);
	return !err;
}

bool remote_write(struct queue *q, uint32_t rkey, uint64_t va, size_t len, const void *from)
{
	struct dma_seg seg[MKEY_SEGS];
	int n = mkey_segs(q->o.vhca, rkey, q->pdn, va, len, MKEY_RW, seg, MKEY_SEGS);

	cq_before_reply(q);
	return n >= 0 && remote_moved(q, post_seen(q, seg, (unsigned int)n, from, len));
}

bool remote_read(struct queue *q, uint32_t rkey, uint64_t va, size_t len, void *to)
{
	struct dma_seg seg[MKEY_SEGS];
	int n = mkey_segs(q->o.vhca, rkey, q->pdn, va, len, MKEY_RR, seg, MKEY_SEGS);

	post_flush(queues_of(&q->o));
	return n >= 0 && remote_moved(q, dma_gather(host_of(&q->o), seg, (unsigned int)n, to));
}

bool remote_atomic(struct queue *q, uint32_t rkey, uint64_t va, const struct dma_atomic *a,
		   uint64_t *old, bool *aligned)
{
	struct dma_seg seg[2];
	int n = mkey_segs(q->o.vhca, rkey, q->pdn, va, a->size, MKEY_ATOMIC, seg, 2);

	*aligned = n < 0 || (n == 1 && !(seg[0].addr % a->size));
	if (n < 0 || !*aligned)
		return false;
	cq_before_reply(q);
	post_flush(queues_of(&q->o));
	return remote_moved(q, dma_atomic(host_of(&q->o), seg[0].addr, a, old));
}
