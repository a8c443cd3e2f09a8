/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Holds back, for a hostile device (base/hostile.h): doorbells, so that WQEs and payload are fetched
 * late and queues overtake each other; completions, with the data of their receives; events.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <dvx/prm/cqe.h>
#include <dvx/prm/eqe.h>
#include "base/hostile.h"
#include "data_seg.h"
#include "obj/mkey.h"
#include "priv.h"

#define HELD	   64u
#define POISON	   0xd7
#define POISON_MOST 65536u
#define TAIL	   8u /* last bytes of a message that come first where order is relaxed */

static int hostile_set_timer(struct device *dev, struct timer *t, void (*fire)(struct timer *))
{
	const uint64_t ns = hostile_delay();

	t->fire = fire;
	return ns ? timer_set(&dev->timers, t, dev->clock->now(dev->clock) + ns) : -1;
}

/* --- doorbells ------------------------------------------------------------------------------- */

static struct held_doorbell {
	struct timer timer; /* first */
	struct device *dev;
	uint32_t uar, offset;
	uint64_t be_value;
} held_doorbells[HELD];

static void hostile_ring(struct timer *t)
{
	const struct held_doorbell *h = (const void *)t;

	doorbell_take(h->dev, h->uar, h->offset, h->be_value);
}

bool hostile_doorbell(struct device *dev, uint32_t uar, uint32_t offset, uint64_t be_value)
{
	struct held_doorbell *h = held_doorbells;

	while (h < held_doorbells + HELD && h->timer.queued)
		h++;
	if (h == held_doorbells + HELD || dev->profile->strict_doorbells ||
	    hostile_set_timer(dev, &h->timer, hostile_ring))
		return false;
	h->dev = dev;
	h->uar = uar;
	h->offset = offset;
	h->be_value = be_value;
	return true;
}

/* --- events ---------------------------------------------------------------------------------- */

static struct held_event {
	struct timer timer; /* first */
	struct vhca *v;
	uint32_t eqn;
	uint8_t eqe[PRM_EQE_BYTES];
} held_events[HELD];

static void hostile_report(struct timer *t)
{
	const struct held_event *h = (const void *)t;

	eq_report(h->v, h->eqn, h->eqe);
}

bool hostile_event(struct vhca *v, uint32_t eqn, const void *eqe)
{
	struct held_event *h = held_events;

	while (h < held_events + HELD && h->timer.queued)
		h++;
	if (h == held_events + HELD || hostile_set_timer(v->dev, &h->timer, hostile_report))
		return false;
	h->v = v;
	h->eqn = eqn;
	memcpy(h->eqe, eqe, sizeof(h->eqe));
	return true;
}

/* --- the data of receives -------------------------------------------------------------------- */

/* Data that is kept until its completion, while its place in memory is poisoned. */
struct held_data {
	TAILQ_ENTRY(held_data) link;
	const struct cq *cq;
	unsigned int n;
	struct dma_seg seg[MKEY_SEGS];
	uint8_t bytes[];
};
static TAILQ_HEAD(, held_data) held_data = TAILQ_HEAD_INITIALIZER(held_data);

/* Finds the memory of a receive's first `len` bytes. Returns the number of segments; 0: not known. */
static unsigned int hostile_receive_segs(const struct rq *rq, size_t len, struct dma_seg *seg)
{
	const uint32_t at = rq->priv->index & ((1u << rq->log_size) - 1), stride = 16u << rq->log_stride;
	uint8_t entry[DATA_SEG_DS];
	struct data_seg s;
	uint64_t part = len;
	int n;

	if (ring_read(host_of(&rq->q->o), &rq->q->ring, rq->offset + (uint64_t)at * stride, entry,
		      sizeof(entry)) ||
	    !data_seg_pointer(entry, entry + sizeof(entry), &s) || s.len < len)
		return 0;
	n = mkey_part(rq->q->o.vhca, s.lkey, rq->q->pdn, rq->q->o.id, s.addr, &part, MKEY_LW, seg,
		      MKEY_SEGS);
	return n > 0 && part == len ? (unsigned int)n : 0;
}

/* Keeps a receive's data, and poisons its place. Only receives of one piece in a ring of their own. */
static void hostile_poison(struct cq *cq, const struct rq *rq, size_t len)
{
	struct host *host = host_of(&cq->o);
	struct held_data *h;
	uint8_t *poison;

	if (!rq || rq->srq || rq->log_stride_bytes || !len || len > POISON_MOST)
		return;
	h = malloc(sizeof(*h) + 2 * len);
	if (!h)
		return;
	poison = memset(h->bytes + len, POISON, len);
	h->n = hostile_receive_segs(rq, len, h->seg);
	post_flush(queues_of(&cq->o));
	if (!h->n || dma_gather(host, h->seg, h->n, h->bytes) ||
	    dma_scatter(host, h->seg, h->n, poison)) {
		free(h);
		return;
	}
	h->cq = cq;
	cq->special |= CQ_HOLDS;
	TAILQ_INSERT_TAIL(&held_data, h, link);
}

void hostile_restore(struct cq *cq)
{
	cq->special &= (uint8_t)~CQ_HOLDS;
	for (struct held_data *h = TAILQ_FIRST(&held_data), *next; h; h = next) {
		next = TAILQ_NEXT(h, link);
		if (h->cq != cq)
			continue;
		TAILQ_REMOVE(&held_data, h, link);
		dma_scatter(host_of(&cq->o), h->seg, h->n, h->bytes);
		free(h);
	}
}

/* --- completions ----------------------------------------------------------------------------- */

static struct cq_list late_cqs = TAILQ_HEAD_INITIALIZER(late_cqs);

void hostile_cq_show(struct cq *cq)
{
	struct cq_priv *d = cq->priv;

	if (!d->late)
		return;
	d->late = false;
	timer_cancel(&cq->o.vhca->dev->timers, &d->late_timer);
	TAILQ_REMOVE(&late_cqs, d, dirty_link);
	TAILQ_INSERT_TAIL(&queues_of(&cq->o)->dirty, d, dirty_link);
}

static void hostile_cq_over(struct timer *t)
{
	hostile_cq_show(((struct cq_priv *)((char *)t - offsetof(struct cq_priv, late_timer)))->cq);
}

/* Only unshared rings: shared ones are written where nothing asks (cq.c). */
void hostile_cq(struct cq *cq, const struct queue *q, uint8_t opcode, size_t len)
{
	struct cq_priv *d = cq->priv;

	if (cq->special & CQ_COMPRESSES || cq->collapsed || ring_bytes(host_of(&cq->o), &cq->ring))
		return;
	if (!d->late && !hostile_set_timer(cq->o.vhca->dev, &d->late_timer, hostile_cq_over)) {
		d->late = true;
		TAILQ_REMOVE(&queues_of(&cq->o)->dirty, d, dirty_link);
		TAILQ_INSERT_TAIL(&late_cqs, d, dirty_link);
	}
	/* Data behind others that are kept may be for the same place, so they are kept, too. */
	if (q && (d->late || cq->special & CQ_HOLDS) &&
	    (opcode == PRM_CQE_OPCODE_RESP_SEND || opcode == PRM_CQE_OPCODE_RESP_SEND_IMM))
		hostile_poison(cq, q->rq, len);
}

void hostile_settle(struct queues *qs)
{
	struct cq_priv *d;

	for (unsigned int i = 0; i < HELD; i++) {
		if (held_doorbells[i].timer.queued)
			hostile_ring(&held_doorbells[i].timer);
		timer_cancel(&qs->dev->timers, &held_doorbells[i].timer);
	}
	while ((d = TAILQ_FIRST(&late_cqs)))
		hostile_cq_show(d->cq);
	cq_flush_all(qs);
	for (unsigned int i = 0; i < HELD; i++) {
		if (held_events[i].timer.queued)
			hostile_report(&held_events[i].timer);
		timer_cancel(&qs->dev->timers, &held_events[i].timer);
	}
}

/* --- writes whose order is relaxed ------------------------------------------------------------ */

static bool hostile_write_part(struct queue *q, uint32_t rkey, uint64_t va, size_t len,
			       const uint8_t *from)
{
	struct dma_seg seg[MKEY_SEGS];
	uint64_t part;
	int n;

	for (; len; len -= part, va += part, from += part) {
		part = len;
		n = mkey_part(q->o.vhca, rkey, q->pdn, q->o.id, va, &part, MKEY_RW | MKEY_ANY_ORDER,
			      seg, MKEY_SEGS);
		if (n < 0 || dma_scatter(host_of(&q->o), seg, (unsigned int)n, from))
			return false;
	}
	return true;
}

bool hostile_write(struct queue *q, uint32_t rkey, uint64_t va, size_t len, const void *from)
{
	const size_t tail = len < TAIL ? len : TAIL;
	const uint8_t *bytes = from;

	post_flush(queues_of(&q->o));
	if (!hostile_write_part(q, rkey, va + len - tail, tail, bytes + len - tail))
		return false;
	hostile_pause();
	return hostile_write_part(q, rkey, va, len - tail, bytes);
}
