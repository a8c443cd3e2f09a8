/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>
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
	const uint8_t *from = wr->data.inl;
	struct dma_seg local, entry;
	uint8_t *at;

	if (!rq_piece(to, n + wr->len, &entry) || !direct_local(q, wr, MKEY_LR, &local))
		return false;
	at = dma_bytes(h, entry.addr, entry.len);
	if (!from)
		from = dma_bytes(h, local.addr, wr->len);
	if (!at || !from)
		return false;
	post_flush(q->o.vhca->dev->queues);
	if (n)
		memcpy(at, before, n);
	dma_bytes_store(at + n, from, wr->len);
	return true;
}
