/* SPDX-License-Identifier: BSD-2-Clause */
#include "direct_recv.h"
#include "transport.h"
#include "obj/mkey.h"
#include "obj/qp.h"
#include "obj/vhca.h"
#include "queue/services.h"

bool direct_local(const struct queue *q, const struct send_wr *wr, unsigned int right,
		  struct dma_seg *seg)
{
	const struct data_seg *s = &wr->data;

	return s->inl || mkey_piece(q, s->lkey, s->addr, wr->len, right, seg);
}

bool direct_receive(struct queue *q, struct rq *to, const struct send_wr *wr, const void *before,
		    size_t n)
{
	struct host *h = q->o.vhca->dev->host;
	struct dma_seg local, entry, head;

	if (!rq_piece(to, n + wr->len, &entry) || !direct_local(q, wr, MKEY_LR, &local))
		return false;
	post_flush(q->o.vhca->dev->queues);
	head = (struct dma_seg){.addr = entry.addr, .len = n};
	entry.addr += n;
	entry.len = wr->len;
	if (n && dma_scatter(h, &head, 1, before))
		return false;
	return wr->data.inl ? !dma_scatter(h, &entry, 1, wr->data.inl)
			    : dma_copy_direct(h, entry.addr, local.addr, wr->len);
}
