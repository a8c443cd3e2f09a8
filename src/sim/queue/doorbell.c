/* SPDX-License-Identifier: BSD-2-Clause */
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <dvx/prm/db.h>
#include <dvx/prm/wqe.h>
#include "priv.h"
#include "base/hostile.h"
#include "base/log.h"
#include "base/probe.h"
#include "base/prefetch.h"
#include "obj/mkey.h"
#include "obj/table.h"
#include "host/uar.h"

/*
 * The queues of a UAR share its register, and a burst of writes overwrites it. So its value is a
 * hint: the record of the queue it names is read now, the records of the UAR's other queues soon
 * after, a slice per turn. Records of other UARs are not read.
 */
#define SLICE 32u
#define MANY	      128u /* queues of a UAR */
#define SLICE_OF_MANY 8u
#define AHEAD_LEAST 4u
#define AHEAD_MOST 28u
#define SWEEP_AFTER   8u /* turns with a doorbell; a turn without one sweeps at once */
#define AHEAD_SEGS 2u
#define RCV_RECORD 0u
#define SND_RECORD 4u
#define ARM_RECORD 4u

static struct uar *uar_find(struct queues *qs, uint32_t uar)
{
	struct uar *u;

	for (u = qs->uar[uar % UAR_BUCKETS]; u; u = u->next)
		if (u->uar == uar)
			return u;
	return NULL;
}

static struct uar *uar_get(struct queues *qs, uint32_t uar)
{
	struct uar *u = uar_find(qs, uar);

	if (u)
		return u;
	u = calloc(1, sizeof(*u));
	if (!u)
		return NULL;
	u->uar = uar;
	u->next = qs->uar[uar % UAR_BUCKETS];
	qs->uar[uar % UAR_BUCKETS] = u;
	return u;
}

static void uar_free(struct queues *qs, struct uar *u)
{
	struct uar **at = &qs->uar[u->uar % UAR_BUCKETS];

	while (*at != u)
		at = &(*at)->next;
	*at = u->next;
	if (u->sweeping)
		TAILQ_REMOVE(&qs->sweep, u, sweep_link);
	free(u->sq);
	free(u->cq);
	free(u);
}

static void uar_drop_if_empty(struct queues *qs, struct uar *u)
{
	if (!u->nsq && !u->ncq)
		uar_free(qs, u);
}

void uar_free_all(struct queues *qs)
{
	for (unsigned int i = 0; i < UAR_BUCKETS; i++)
		while (qs->uar[i])
			uar_free(qs, qs->uar[i]);
}

/* Makes room for one more pointer. Returns 0 or -ENOMEM. */
static int doorbell_grow(void *array, unsigned int n, unsigned int *cap)
{
	void **old, *bigger;
	unsigned int want = *cap ? *cap * 2 : 8;

	if (n < *cap)
		return 0;
	memcpy(&old, array, sizeof(old));
	bigger = realloc(old, want * sizeof(void *));
	if (!bigger)
		return -ENOMEM;
	memcpy(array, &bigger, sizeof(bigger));
	*cap = want;
	return 0;
}

static void sweep_later(struct queues *qs, struct uar *u)
{
	if (u->sweeping)
		return;
	u->sweeping = true;
	TAILQ_INSERT_TAIL(&qs->sweep, u, sweep_link);
}

static void uar_sweep_sqs(struct queues *qs, struct uar *u)
{
	u->sq_left = u->nsq;
	sweep_later(qs, u);
}

static void uar_sweep_cqs(struct queues *qs, struct uar *u)
{
	u->cq_left = u->ncq;
	sweep_later(qs, u);
}

int uar_add_sq(struct sq *sq)
{
	struct queues *qs = queues_of(&sq->q->o);
	struct uar *u = uar_get(qs, sq->q->uar);

	if (!u)
		return -ENOMEM;
	if (doorbell_grow(&u->sq, u->nsq, &u->sq_cap)) {
		uar_drop_if_empty(qs, u);
		return -ENOMEM;
	}
	sq->priv->at_uar = u->nsq;
	u->sq[u->nsq++] = sq;
	return 0;
}

/* Its last doorbell may have overwritten another queue's, and now names none: a sweep is needed. */
void uar_del_sq(struct sq *sq)
{
	struct queues *qs = queues_of(&sq->q->o);
	struct uar *u = uar_find(qs, sq->q->uar);
	struct sq *last = u->sq[--u->nsq];

	u->sq[sq->priv->at_uar] = last;
	last->priv->at_uar = sq->priv->at_uar;
	uar_sweep_sqs(qs, u);
	uar_drop_if_empty(qs, u);
}

int uar_add_cq(struct cq *cq)
{
	struct queues *qs = queues_of(&cq->o);
	struct uar *u = uar_get(qs, cq->uar);

	if (!u)
		return -ENOMEM;
	if (doorbell_grow(&u->cq, u->ncq, &u->cq_cap)) {
		uar_drop_if_empty(qs, u);
		return -ENOMEM;
	}
	cq->priv->at_uar = u->ncq;
	u->cq[u->ncq++] = cq;
	return 0;
}

void uar_del_cq(struct cq *cq)
{
	struct queues *qs = queues_of(&cq->o);
	struct uar *u = uar_find(qs, cq->uar);
	struct cq *last = u->cq[--u->ncq];

	u->cq[cq->priv->at_uar] = last;
	last->priv->at_uar = cq->priv->at_uar;
	uar_sweep_cqs(qs, u);
	uar_drop_if_empty(qs, u);
}

static void sq_expect(struct sq *sq, uint16_t posted)
{
	uint16_t more = posted > AHEAD_LEAST ? (uint16_t)(posted - AHEAD_LEAST) : 0;

	more = more < AHEAD_MOST - AHEAD_LEAST ? more : AHEAD_MOST - AHEAD_LEAST;
	sq->priv->ahead = more & 127u;
}

/* Reads the record and, in the same call, the blocks that it probably covers, as last time. */
static void sq_poll_ahead(struct sq *sq)
{
	struct dma_seg seg[1 + AHEAD_SEGS] = { { sq->q->dbrec + SND_RECORD, sizeof(uint32_t) } };
	uint8_t got[sizeof(uint32_t) + AHEAD_MOST * SQ_BLOCK];
	unsigned int blocks, ahead = AHEAD_LEAST + sq->priv->ahead;
	uint32_t be;
	int n = sq_ahead(sq, seg + 1, AHEAD_SEGS, ahead, &blocks);

	if (n > 0 && !dma_gather(host_of(&sq->q->o), seg, (unsigned int)n + 1, got)) {
		memcpy(&be, got, sizeof(be));
		sq_expect(sq, (uint16_t)(be32toh(be) - sq->ci));
		sq_fetched(sq, got + sizeof(be), blocks, (uint16_t)be32toh(be));
		sq_record(sq, (uint16_t)be32toh(be));
	} else if (!dma_read(host_of(&sq->q->o), sq->q->dbrec + SND_RECORD, &be, sizeof(be))) {
		sq_record(sq, (uint16_t)be32toh(be));
	} else {
		queue_record_unmapped(sq->q);
	}
}

/* Reads the record. A ring that the device reaches itself is read when its WQEs' turn comes. */
static void sq_poll_record(struct sq *sq)
{
	struct queue *q = sq->q;
	uint32_t counter;

	if (!ring_bytes(host_of(&q->o), &q->ring) && !sq->managed)
		sq_poll_ahead(sq);
	else if (!dbrec_load(host_of(&q->o), &q->dbrec_place, q->dbrec, SND_RECORD, &counter))
		sq_record(sq, (uint16_t)counter);
	else
		queue_record_unmapped(q);
}

/* Finds the QP or SQ with this number; the two share one number space. */
static inline struct queue *doorbell_queue(const struct vhca *v, uint32_t number)
{
	struct queue *q = obj_lookup(v, OBJ_QP, number);

	return q ? q : obj_find(v, OBJ_SQ, number);
}

/*
 * Prefetches the 30 or so lines that a message touches: among thousands of queues none is in a
 * cache. Loads are issued in few steps, before the first is waited for (doc/design/0024).
 */
static __attribute__((noinline)) void sq_prefetch(struct queue *q)
{
	const struct transport *t;
	const uint8_t *wqe;
	uint32_t rkey;

	prefetch(q, offsetof(struct queue, ctx));
	prefetch((const uint8_t *)q + offsetof(struct qp, sq), sizeof(struct sq));
	t = q->transport;
	if (!t->prefetch || !q->priv || !q->sq)
		return;
	wqe = ring_bytes(host_of(&q->o), &q->ring);
	if (!wqe)
		return;
	wqe += q->sq->offset + (q->sq->pi & ((1u << q->sq->log_size) - 1)) * SQ_BLOCK;
	__builtin_prefetch(wqe);
	__builtin_prefetch(q->dbrec_place.at);
	__builtin_prefetch(q->sq->priv);
	t->prefetch(q);
	rkey = prm_wqe_raddr_seg_get_rkey(wqe + PRM_WQE_CTRL_SEG_BYTES);
	mkey_prefetch_slot(q->o.vhca, rkey);
	t->prefetch_peer(q);
	mkey_prefetch(q->o.vhca, rkey);
}

/*
 * Returns whether, with strict doorbells, the trapped store is the only one since. A record that
 * moved means that the program went on and may have overwritten another queue's doorbell.
 */
static bool strict_one_doorbell(struct uar *u)
{
	uint32_t word;

	if (!u->trapped)
		return false;
	for (unsigned int i = 0; i < u->nsq; i++)
		if (!dbrec_load(host_of(&u->sq[i]->q->o), &u->sq[i]->q->dbrec_place,
				u->sq[i]->q->dbrec, SND_RECORD, &word) &&
		    (uint16_t)word != u->sq[i]->priv->trapped)
			return false;
	for (unsigned int i = 0; i < u->ncq; i++)
		if (!dbrec_load(host_of(&u->cq[i]->o), &u->cq[i]->dbrec_place, u->cq[i]->dbrec,
				ARM_RECORD, &word) &&
		    word != u->cq[i]->priv->trapped)
			return false;
	return true;
}

void queue_trapped(void *device, uint32_t uar)
{
	struct uar *u = uar_find(((struct device *)device)->queues, uar);
	uint32_t word;

	if (!u)
		return;
	u->trapped = true;
	for (unsigned int i = 0; i < u->nsq; i++)
		if (!dbrec_load(host_of(&u->sq[i]->q->o), &u->sq[i]->q->dbrec_place,
				u->sq[i]->q->dbrec, SND_RECORD, &word))
			u->sq[i]->priv->trapped = (uint16_t)word;
	for (unsigned int i = 0; i < u->ncq; i++)
		if (!dbrec_load(host_of(&u->cq[i]->o), &u->cq[i]->dbrec_place, u->cq[i]->dbrec,
				ARM_RECORD, &word))
			u->cq[i]->priv->trapped = word;
}

/* Handles a doorbell of a send queue. A wrong number starts nothing, as on a NIC. */
static void ring_sq(struct queues *qs, struct uar *u, uint64_t be_value)
{
	uint32_t qpn = prm_uar_sq_db_get_qpn(&be_value);
	struct queue *q = u->nsq ? doorbell_queue(u->sq[0]->q->o.vhca, qpn) : NULL;
	struct sq *sq;
	bool others;

	if (q && u->nsq > MANY)
		sq_prefetch(q);
	sq = q ? q->sq : NULL;
	if (!sq || sq->q->uar != u->uar || !sq->priv) {
		sim_note("doorbell on uar %u names qp 0x%x, which is none of that UAR's", u->uar, qpn);
		return;
	}
	others = u->nsq > 1 && !strict_one_doorbell(u);
	sq_poll_record(sq);
	if (others)
		uar_sweep_sqs(qs, u);
}

static void ring_cq(struct queues *qs, struct uar *u, uint64_t be_value)
{
	uint32_t cqn = prm_uar_cq_db_get_cqn(&be_value);
	struct cq *cq = u->ncq ? obj_find(u->cq[0]->o.vhca, OBJ_CQ, cqn) : NULL;
	uint32_t word;

	memcpy(&word, &be_value, sizeof(word));
	if (!cq || cq->uar != u->uar || !cq->priv) {
		sim_note("arm on uar %u names cq 0x%x, which is none of that UAR's", u->uar, cqn);
		return;
	}
	cq_arm_word(cq, be32toh(word));
	if (u->ncq > 1 && !strict_one_doorbell(u))
		uar_sweep_cqs(qs, u);
}

static inline void doorbell_handle(struct device *dev, uint32_t uar, uint32_t offset,
				   uint64_t be_value)
{
	struct queues *qs = dev->queues;
	struct uar *u = uar_find(qs, uar);

	if (!u)
		return;
	qs->doorbell_rang = true;
	if (offset == UAR_CQ_ARM)
		ring_cq(qs, u, be_value);
	else if (offset >= UAR_BF && offset < UAR_BF + UAR_BF_COUNT * UAR_BF_SIZE)
		ring_sq(qs, u, be_value);
}

void doorbell_take(struct device *dev, uint32_t uar, uint32_t offset, uint64_t be_value)
{
	doorbell_handle(dev, uar, offset, be_value);
}

/* Passes a doorbell to the probe. A hostile device may handle it later. */
static __attribute__((noinline)) void doorbell_probe(struct device *dev, uint32_t uar,
						     uint32_t offset, uint64_t be_value)
{
	probe(PROBE_DOORBELL, .doorbell = {uar, offset, be_value});
	if (!hostile() || !hostile_doorbell(dev, uar, offset, be_value))
		doorbell_take(dev, uar, offset, be_value);
}

void queue_doorbell(void *device, uint32_t uar, uint32_t offset, uint64_t be_value)
{
	if (probe_active(PROBE_DOORBELL | PROBE_HOSTILE))
		doorbell_probe(device, uar, offset, be_value);
	else
		doorbell_handle(device, uar, offset, be_value);
}

void queue_blueflame(void *device, uint32_t uar, const uint8_t *bytes, size_t len)
{
	struct uar *u = uar_find(((struct device *)device)->queues, uar);
	const unsigned int ds = prm_wqe_ctrl_seg_get_ds(bytes);
	unsigned int blocks = (ds * 16 + SQ_BLOCK - 1) / SQ_BLOCK;
	struct queue *q =
		u && u->nsq ? doorbell_queue(u->sq[0]->q->o.vhca, prm_wqe_ctrl_seg_get_qpn(bytes))
			    : NULL;

	blocks = blocks < len / SQ_BLOCK ? blocks : (unsigned int)(len / SQ_BLOCK);
	if (blocks && q && q->sq && q->sq->priv && q->uar == uar)
		sq_blueflame(q->sq, bytes, blocks);
}

/* One word of a doorbell record that a sweep reads. */
struct dbrec_word {
	struct dma_place *place;
	bus_t dbrec, word;
};

/* Loads the records in place. Returns false if the device does not reach all of them itself. */
static bool records_load(struct host *host, const struct dbrec_word *r, unsigned int n, uint32_t *be)
{
	const uint8_t *bytes;

	for (unsigned int i = 0; i < n; i++) {
		bytes = dma_place(host, r[i].place, r[i].dbrec, DBREC_BYTES);
		if (!bytes)
			return false;
		dma_load(&be[i], bytes + (r[i].word - r[i].dbrec), sizeof(be[i]));
	}
	return true;
}

/* Reads records of one page as one piece: libraries pack them, and each piece costs a page walk. */
static bool doorbell_read_page(struct host *host, const struct dbrec_word *r, unsigned int n,
			       uint32_t *be)
{
	uint8_t page[UAR_PAGE];
	bus_t low = r[0].word, high = r[0].word;

	for (unsigned int i = 1; i < n; i++) {
		low = r[i].word < low ? r[i].word : low;
		high = r[i].word > high ? r[i].word : high;
	}
	if (low / UAR_PAGE != (high + sizeof(*be) - 1) / UAR_PAGE ||
	    dma_read(host, low, page, (size_t)(high - low) + sizeof(*be)))
		return false;
	for (unsigned int i = 0; i < n; i++)
		memcpy(&be[i], page + (r[i].word - low), sizeof(be[i]));
	return true;
}

/* Reads records by a call; one by one if it fails, so that an unmapped one hides no others. */
static __attribute__((noinline)) void records_call(struct host *host, const struct dbrec_word *r,
						   unsigned int n, uint32_t *be, bool *ok)
{
	struct dma_seg seg[SLICE];

	for (unsigned int i = 0; i < n; i++)
		seg[i] = (struct dma_seg){r[i].word, sizeof(*be)};
	if (doorbell_read_page(host, r, n, be) || !dma_gather(host, seg, n, be))
		return;
	for (unsigned int i = 0; i < n; i++)
		ok[i] = !dma_read(host, r[i].word, &be[i], sizeof(be[i]));
}

static void read_records(struct host *host, const struct dbrec_word *r, unsigned int n, uint32_t *be,
			 bool *ok)
{
	memset(ok, true, n);
	if (!records_load(host, r, n, be))
		records_call(host, r, n, be, ok);
}

/* Returns how many records this turn reads: few of many, as the next doorbell waits for them. */
static unsigned int sweep_slice(unsigned int *left, unsigned int of)
{
	unsigned int n = of > MANY ? SLICE_OF_MANY : SLICE;

	n = n < of ? n : of;
	n = n < *left ? n : *left;
	*left = n ? *left - n : 0;
	return n;
}

static void sweep_sqs(struct queues *qs, struct uar *u)
{
	unsigned int n = sweep_slice(&u->sq_left, u->nsq);
	struct dbrec_word record[SLICE];
	struct sq *sq[SLICE];
	uint32_t be[SLICE];
	bool ok[SLICE];

	for (unsigned int i = 0; i < n; i++) {
		struct queue *q;

		u->sq_at = (u->sq_at + 1) % u->nsq;
		sq[i] = u->sq[u->sq_at];
		q = sq[i]->q;
		record[i] = (struct dbrec_word){&q->dbrec_place, q->dbrec, q->dbrec + SND_RECORD};
	}
	if (n)
		read_records(qs->host, record, n, be, ok);
	for (unsigned int i = 0; i < n; i++)
		if (ok[i])
			sq_record(sq[i], (uint16_t)be32toh(be[i]));
		else
			queue_record_unmapped(sq[i]->q);
}

static void sweep_cqs(struct queues *qs, struct uar *u)
{
	unsigned int n = sweep_slice(&u->cq_left, u->ncq);
	struct dbrec_word record[SLICE];
	struct cq *cq[SLICE];
	uint32_t be[SLICE];
	bool ok[SLICE];

	for (unsigned int i = 0; i < n; i++) {
		u->cq_at = (u->cq_at + 1) % u->ncq;
		cq[i] = u->cq[u->cq_at];
		record[i] = (struct dbrec_word){&cq[i]->dbrec_place, cq[i]->dbrec,
					    cq[i]->dbrec + ARM_RECORD};
	}
	if (n)
		read_records(qs->host, record, n, be, ok);
	for (unsigned int i = 0; i < n; i++)
		if (ok[i])
			cq_arm_word(cq[i], be32toh(be[i]));
}

/*
 * Returns whether the sweep can wait. Most doorbells of a stream belong to one queue, whose record
 * was read. The other queues' records wait for a pause, or a few turns.
 */
static bool sweep_waits(struct queues *qs)
{
	if (!qs->doorbell_rang || ++qs->unswept >= SWEEP_AFTER)
		qs->unswept = 0;
	qs->doorbell_rang = false;
	return qs->unswept;
}

bool uar_sweep(struct queues *qs)
{
	struct uar *last, *u;
	bool end = false, did = false;

	if (sweep_waits(qs))
		return false;
	last = TAILQ_LAST(&qs->sweep, uar_list);
	while (!end && (u = TAILQ_FIRST(&qs->sweep))) {
		end = u == last;
		TAILQ_REMOVE(&qs->sweep, u, sweep_link);
		u->sweeping = false;
		if (u->sq_left)
			sweep_sqs(qs, u);
		if (u->cq_left)
			sweep_cqs(qs, u);
		if (u->sq_left || u->cq_left)
			sweep_later(qs, u);
		did = true;
	}
	return did;
}
