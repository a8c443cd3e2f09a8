/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>
#include "direct_recv.h"
#include "transport.h"
#include "obj/mkey_bytes.h"
#include "obj/qp.h"
#include "obj/device.h"
#include "port/roce.h"
#include "queue/services.h"

const uint8_t *direct_from(struct queue *q, const struct send_wr *wr)
{
	const struct data_seg *s = &wr->data;

	return s->inl ? s->inl : mkey_bytes(q, MKEY_BY_REQUEST, s->lkey, s->addr, wr->len, MKEY_LR);
}

bool direct_receive(struct queue *q, struct rq *to, const struct send_wr *wr, const uint8_t *grh)
{
	uint8_t *at = rq_bytes(to, wr->len + (grh ? ROCE_GRH : 0));
	const uint8_t *from = at ? direct_from(q, wr) : NULL;

	if (!from)
		return false;
	post_flush(q->o.vhca->dev->queues);
	if (grh) {
		memcpy(at, grh, ROCE_GRH);
		at += ROCE_GRH;
	}
	dma_bytes_store(at, from, wr->len);
	return true;
}
