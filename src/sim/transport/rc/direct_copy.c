/* SPDX-License-Identifier: BSD-2-Clause */
/* Does a WRITE or READ from memory to memory for direct.c. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <dvx/prm/wqe.h>
#include "rc.h"
#include "obj/mkey.h"
#include "transport/atomic.h"
#include "transport/direct_recv.h"

#define SMALL 512u

/* The request's data, unless it is inline, and the peer's memory: one piece each. */
struct ends {
	struct dma_seg local, remote;
};

static bool find_ends(struct queue *q, struct queue *peer, const struct send_wr *wr, struct ends *e)
{
	const struct data_seg *s = &wr->data;
	bool write = wr->kind == SEND_WRITE;

	return wr->one &&
	       mkey_piece(peer, wr->rkey, wr->raddr, wr->len, write ? MKEY_RW : MKEY_RR,
			  &e->remote) &&
	       (s->inl ||
		mkey_piece(q, s->lkey, s->addr, wr->len, write ? MKEY_LR : MKEY_LW, &e->local));
}

/*
 * Copies bytes. seen: a program may poll the destination without a CQE. Data that a queue reads
 * into its own memory waits for the CQE.
 */
static bool direct_move_bytes(struct queue *q, const struct dma_seg *to, const struct dma_seg *from,
			      bool seen)
{
	uint8_t bytes[SMALL];

	post_before(q->o.vhca->dev->queues, from);
	if (to->len > SMALL) {
		if (seen) /* a program that polls it relies on earlier writes, too */
			post_flush(q->o.vhca->dev->queues);
		else
			post_before(q->o.vhca->dev->queues, to);
		return !dma_copy(q->o.vhca->dev->host, to->addr, from->addr, to->len);
	}
	return !dma_gather(q->o.vhca->dev->host, from, 1, bytes) &&
	       !(seen ? post_write_through : post_scatter)(q, to, 1, bytes, to->len);
}

/* --- small WRITEs become inline ones ---------------------------------------------------------- */

#define DS	    16u
#define HEAD_DS	    2u /* control and remote address */
#define INLINE_MOST 128u

#define BATCH	    32u
struct direct_batch {
	unsigned int n;
	struct send_wr *wr[BATCH];
	struct dma_seg seg[BATCH];
	uint8_t part[DIRECT_BYTES]; /* of a message on its way */
};

int direct_init(struct sched *s)
{
	if (!s->direct)
		s->direct = calloc(1, sizeof(*s->direct));
	return s->direct ? 0 : -ENOMEM;
}

uint8_t *direct_buffer(struct sched *s)
{
	return s->direct->part;
}

/*
 * Notes a WRITE for direct_gather(). Without a fence, its memory may be read before READs of
 * earlier requests have ended. But a UMR may remove its key.
 */
void direct_note(struct rc *rc, struct send_wr *wr)
{
	struct direct_batch *b = rc->sched->direct;
	const struct qp *qp = rc->qp;

	if (!qp->fl || qp->remote_qpn != qp->q.o.id || wr->kind != SEND_WRITE || wr->error ||
	    wr->fence || wr->strong || rc->req.locals || wr->ds != HEAD_DS + 1 || !wr->len ||
	    wr->len > INLINE_MOST || b->n == BATCH)
		return;
	b->wr[b->n++] = wr;
}

static void make_inline(struct send_wr *wr, const uint8_t *bytes)
{
	uint8_t *seg = wr->wqe + HEAD_DS * DS;

	memset(seg, 0, PRM_WQE_INLINE_SEG_BYTES);
	prm_wqe_inline_seg_set_is_inline(seg, 1);
	prm_wqe_inline_seg_set_byte_count(seg, (uint32_t)wr->len);
	memcpy(seg + PRM_WQE_INLINE_SEG_BYTES, bytes, wr->len);
	wr->data.inl = seg + PRM_WQE_INLINE_SEG_BYTES;
	wr->ds = (uint8_t)(HEAD_DS + (PRM_WQE_INLINE_SEG_BYTES + wr->len + DS - 1) / DS);
}

static bool worth_a_call(struct queue *q, const struct send_wr *wr, struct dma_seg *seg)
{
	const uint8_t *data = wr->wqe + HEAD_DS * DS;

	return !prm_wqe_inline_seg_get_is_inline(data) &&
	       mkey_piece(q, prm_wqe_data_seg_get_lkey(data), prm_wqe_data_seg_get_addr(data),
			  wr->len, MKEY_LR, seg) &&
	       !dma_is_direct(q->o.vhca->dev->host, seg->addr, seg->len);
}

/*
 * Fetches the data of noted WRITEs. Data that is not one piece stays as it is: the request itself
 * reports why. A queue's requests mostly use one region: if the first needs no call, none does.
 */
static __attribute__((noinline)) void direct_gather_noted(struct queue *q, struct direct_batch *b,
							  unsigned int noted)
{
	uint8_t bytes[BATCH * INLINE_MOST];
	const uint8_t *at = bytes;
	unsigned int n = 0;

	if (!worth_a_call(q, b->wr[0], &b->seg[0]))
		return;
	for (unsigned int i = 0; i < noted; i++)
		if (worth_a_call(q, b->wr[i], &b->seg[n]))
			b->wr[n++] = b->wr[i];
	for (unsigned int i = 0; i < n; i++)
		post_before(q->o.vhca->dev->queues, &b->seg[i]);
	if (!n || dma_gather(q->o.vhca->dev->host, b->seg, n, bytes))
		return;
	for (unsigned int i = 0; i < n; at += b->wr[i++]->len)
		make_inline(b->wr[i], at);
}

void direct_gather(struct queue *q)
{
	struct direct_batch *b = rc_of(q)->sched->direct;
	unsigned int noted = b->n;

	b->n = 0;
	if (noted > 1)
		direct_gather_noted(q, b, noted);
}

/* --- atomics ---------------------------------------------------------------------------------- */

bool direct_fetch(struct queue *peer, const struct send_wr *wr, uint64_t *old)
{
	struct dma_atomic a;
	struct dma_seg seg;

	wr_atomic(wr, &a);
	if (!atomic_allowed(qp_of(peer), a.size, wr->raddr) ||
	    !mkey_piece(peer, wr->rkey, wr->raddr, a.size, MKEY_ATOMIC, &seg) || seg.addr % a.size)
		return false;
	cq_before_reply(peer);
	post_flush(peer->o.vhca->dev->queues);
	return !dma_atomic(peer->o.vhca->dev->host, seg.addr, &a, old);
}

/* --- the whole request ------------------------------------------------------------------------ */

bool direct_read(struct queue *q, struct queue *peer, struct send_wr *wr, uint64_t off,
		 uint64_t len)
{
	struct ends e;

	if (!find_ends(q, peer, wr, &e))
		return false;
	e.local = (struct dma_seg){e.local.addr + off, len};
	e.remote = (struct dma_seg){e.remote.addr + off, len};
	return direct_move_bytes(q, &e.local, &e.remote, true);
}

bool direct_copy(struct queue *q, struct queue *peer, struct send_wr *wr)
{
	struct ends e;

	if (!find_ends(q, peer, wr, &e))
		return false;
	if (wr->kind == SEND_READ)
		return direct_move_bytes(q, &e.local, &e.remote, q != peer);
	cq_before_reply(peer);
	if (wr->data.inl)
		return !post_write_through(peer, &e.remote, 1, wr->data.inl, wr->len);
	return direct_move_bytes(peer, &e.remote, &e.local, true);
}
