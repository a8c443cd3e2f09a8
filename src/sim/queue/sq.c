/* SPDX-License-Identifier: BSD-2-Clause */
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <dvx/prm/cqe.h>
#include <dvx/prm/eqe.h>
#include <dvx/prm/wqe.h>
#include "priv.h"

#define DS	     16u
#define DS_PER_BLOCK (SQ_BLOCK / DS)
#define WQES_A_TURN  32u /* WQEs of one queue */

/* --- requests ------------------------------------------------------------------------------ */

/* Allocates a request with room for a few blocks; clears few enough bytes to be inlined. */
static struct send_wr *wr_new(struct queues *qs)
{
	struct send_wr *wr = qs->free_wr;

	if (wr) {
		qs->free_wr = wr->next;
		qs->nfree--;
	} else {
		wr = malloc(sizeof(*wr));
		if (!wr)
			return NULL;
		wr->wqe = wr->small;
	}
	memset(&wr->len, 0, offsetof(struct send_wr, small) - offsetof(struct send_wr, len));
	wr->next = NULL;
	return wr;
}

__attribute__((cold)) void wr_free_memory(struct queues *qs, struct send_wr *wr)
{
	if (wr->wqe != wr->small)
		free(wr->wqe);
	wr->wqe = wr->small;
	if (qs->nfree >= FREE_KEPT)
		free(wr);
	else
		wr_free(qs, wr);
}

/* --- the ring ------------------------------------------------------------------------------ */

static uint32_t ring_blocks(const struct sq *sq)
{
	return 1u << sq->log_size;
}

static uint16_t pending(const struct sq *sq)
{
	return (uint16_t)(sq->pi - sq->ci);
}

static int read_blocks(struct sq *sq, uint16_t index, unsigned int n, uint8_t *to)
{
	uint32_t at = index & (ring_blocks(sq) - 1);
	unsigned int straight = ring_blocks(sq) - at < n ? ring_blocks(sq) - at : n;
	uint64_t off = sq->offset + (uint64_t)at * SQ_BLOCK;
	int err = ring_read(host_of(&sq->q->o), &sq->q->ring, off, to, straight * SQ_BLOCK);

	if (err || straight == n)
		return err;
	return ring_read(host_of(&sq->q->o), &sq->q->ring, sq->offset, to + straight * SQ_BLOCK,
			 (n - straight) * SQ_BLOCK);
}

static void sq_cache_drop(struct queues *qs, struct sq_priv *d)
{
	queue_buffer_put(qs, d->cache);
	d->cache = NULL;
	d->cache_n = 0;
	d->blueflame = false;
}

static bool sq_cache_make(struct queues *qs, struct sq_priv *d)
{
	d->blueflame = false;
	d->cache_n = 0;
	if (!d->cache)
		d->cache = queue_buffer_get(qs);
	return d->cache;
}

/* Fetches this block, and as many behind it as fit. */
static const uint8_t *block_fetched(struct queues *qs, struct sq *sq, uint16_t index)
{
	struct sq_priv *d = sq->priv;
	unsigned int want = (uint16_t)(sq->pi - index);

	if (want > QUEUE_BUFFER / SQ_BLOCK)
		want = QUEUE_BUFFER / SQ_BLOCK;
	if (!sq_cache_make(qs, d) || read_blocks(sq, index, want, d->cache))
		return NULL;
	d->cache_at = index;
	d->cache_n = (uint8_t)want;
	return d->cache;
}

/*
 * Returns a posted block: its address in the ring, or in a copy if the device does not reach the
 * ring itself (ring is NULL). Returns NULL if it is unmapped or there is no memory.
 */
static inline const uint8_t *block_at(struct queues *qs, struct sq *sq, const uint8_t *ring,
				      uint16_t index)
{
	const struct sq_priv *d = sq->priv;
	uint16_t ahead;

	if (ring)
		return ring + sq->offset + (size_t)(index & (ring_blocks(sq) - 1)) * SQ_BLOCK;
	ahead = (uint16_t)(index - d->cache_at);
	return ahead < d->cache_n ? d->cache + ahead * SQ_BLOCK : block_fetched(qs, sq, index);
}

int sq_ahead(const struct sq *sq, struct dma_seg *seg, unsigned int max, unsigned int n,
	     unsigned int *count)
{
	uint32_t at = sq->ci & (ring_blocks(sq) - 1);

	if (sq->q->state != QP_RTS || pending(sq))
		return 0;
	*count = ring_blocks(sq) - at < n ? ring_blocks(sq) - at : n;
	return ring_segs(&sq->q->ring, sq->offset + (uint64_t)at * SQ_BLOCK, *count * SQ_BLOCK, seg,
			 max);
}

/* Takes fetched blocks. WQEs past the record's counter, which was read first, do not exist yet. */
void sq_fetched(struct sq *sq, const void *bytes, unsigned int count, uint16_t counter)
{
	struct sq_priv *d = sq->priv;
	uint16_t posted = (uint16_t)(counter - sq->ci);

	if (!posted || !sq_cache_make(queues_of(&sq->q->o), d))
		return;
	d->cache_at = sq->ci;
	d->cache_n = (uint8_t)(posted < count ? posted : count);
	memcpy(d->cache, bytes, d->cache_n * SQ_BLOCK);
}

/* Runs the bytes of a BlueFlame write, as a NIC does if it is idle and the WQE is the next one. */
static void sq_take_blueflame(struct sq *sq, const uint8_t *wqe, unsigned int blocks)
{
	struct sq_priv *d = sq->priv;

	if (!sq_cache_make(queues_of(&sq->q->o), d))
		return;
	d->cache_at = sq->ci;
	d->cache_n = (uint8_t)blocks;
	d->blueflame = true;
	memcpy(d->cache, wqe, blocks * SQ_BLOCK);
}

void sq_blueflame(struct sq *sq, const uint8_t *wqe, unsigned int blocks)
{
	const unsigned int bytes = prm_wqe_ctrl_seg_get_ds(wqe) * DS;
	const uint16_t index = (uint16_t)prm_wqe_ctrl_seg_get_wqe_index(wqe);
	uint8_t ring[QUEUE_BUFFER];

	if (blocks > ring_blocks(sq) || read_blocks(sq, index, blocks, ring) ||
	    !memcmp(ring, wqe, bytes < blocks * SQ_BLOCK ? bytes : blocks * SQ_BLOCK))
		return;
	obj_refuse(&sq->q->o,
		   "the BlueFlame register has other bytes than WQE %u in the ring: a NIC may send "
		   "either",
		   index);
	if (index == sq->ci && pending(sq))
		sq_take_blueflame(sq, wqe, blocks);
}

/* --- one WQE ------------------------------------------------------------------------------- */

/* Returns 0, or the reason why ds is wrong. A record is at most a ring ahead (sq_advance()). */
static inline uint8_t check_ds(const struct sq *sq, unsigned int ds, unsigned int n)
{
	if (ds && n <= WQE_MAX_BLOCKS && n <= pending(sq))
		return 0;
	return ds && n <= WQE_MAX_BLOCKS && n <= ring_blocks(sq) ? VENDOR_PAST_DB : VENDOR_DS;
}

/* Copies the blocks behind the first one, one by one. */
static bool wr_fill(struct queues *qs, struct sq *sq, struct send_wr *wr, const uint8_t *ring,
		    unsigned int n)
{
	uint16_t index = sq->ci;
	const uint8_t *block;

	if (n * SQ_BLOCK > sizeof(wr->small)) {
		wr->wqe = malloc(n * SQ_BLOCK);
		if (!wr->wqe)
			return false;
		memcpy(wr->wqe, wr->small, SQ_BLOCK);
	}
	for (uint8_t *to = wr->wqe + SQ_BLOCK; --n; to += SQ_BLOCK) {
		block = block_at(qs, sq, ring, ++index);
		if (!block)
			return false;
		memcpy(to, block, SQ_BLOCK);
	}
	return true;
}

/* Tells whether the block behind the next one lies behind it in memory, too. */
static bool sq_adjoins(const struct sq *sq, const uint8_t *ring)
{
	const struct sq_priv *d = sq->priv;

	return ring ? (sq->ci & (ring_blocks(sq) - 1)) + 1 < ring_blocks(sq)
		    : (uint16_t)(sq->ci - d->cache_at) + 1u < d->cache_n;
}

/* Copies the blocks behind the first one; a second one alone mostly adjoins it. */
static inline bool wr_add_blocks(struct queues *qs, struct sq *sq, struct send_wr *wr,
				 const uint8_t *ring, const uint8_t *block, unsigned int n)
{
	if (n > 2 || !sq_adjoins(sq, ring))
		return wr_fill(qs, sq, wr, ring, n);
	memcpy(wr->small + SQ_BLOCK, block + SQ_BLOCK, SQ_BLOCK);
	return true;
}

/*
 * Returns the next WQE as a request, good or bad, or NULL if the ring can't be read or there is no
 * memory. The device uses the copy: a program may still change what it posted. It is inlined where
 * most WQEs are fetched, into a loop.
 */
static inline __attribute__((always_inline)) struct send_wr *next_wr(struct queues *qs,
								     struct sq *sq)
{
	const uint8_t *ring = sq->priv->blueflame ? NULL : ring_bytes(qs->host, &sq->q->ring);
	const uint8_t *block = block_at(qs, sq, ring, sq->ci);
	struct send_wr *wr = block ? wr_new(qs) : NULL;
	unsigned int ds, n;
	uint8_t bad;

	if (!wr)
		return NULL;
	memcpy(wr->small, block, SQ_BLOCK);
	ds = prm_wqe_ctrl_seg_get_ds(wr->small);
	n = (ds + DS_PER_BLOCK - 1) / DS_PER_BLOCK;
	bad = check_ds(sq, ds, n);
	if (bad)
		ds = n = 1;
	if (n > 1 && !wr_add_blocks(qs, sq, wr, ring, block, n)) {
		wr_free(qs, wr);
		return NULL;
	}
	wr->index = sq->ci;
	wr->ds = (uint8_t)ds;
	wr->blocks = (uint8_t)n;
	wr->opcode = (uint8_t)prm_wqe_ctrl_seg_get_opcode(wr->small);
	if (bad)
		wqe_refuse(sq->q, wr, bad,
			   bad == VENDOR_DS ? "ds is 0, or over the largest WQE or the ring"
					    : "ds reaches past the doorbell record");
	sq->ci = (uint16_t)(sq->ci + n);
	if (sq->priv->blueflame)
		sq_cache_drop(qs, sq->priv);
	return wr;
}

/* --- running ------------------------------------------------------------------------------- */

static void sq_ready(struct sq *sq)
{
	struct sq_priv *d = sq->priv;

	if (d->ready)
		return;
	d->ready = true;
	TAILQ_INSERT_TAIL(&queues_of(&sq->q->o)->ready, d, ready_link);
}

void sq_reschedule(struct sq *sq)
{
	if (sq->q->state == QP_RTS)
		sq_ready(sq);
}

void sq_more(struct sq *sq)
{
	if (sq && sq->q->state == QP_RTS && pending(sq))
		sq_ready(sq);
}

/*
 * Returns whether the record holds a new counter. In a queue that others start, libraries do not
 * write the record: it counts only if it changed and is ahead.
 */
static bool sq_record_is_new(struct sq *sq, uint16_t counter)
{
	bool news = counter != sq->rung && (int16_t)(counter - sq->pi) > 0;

	sq->rung = counter;
	return news;
}

/* [I] A counter more than a ring ahead counts as a full ring; wqe_index detects stale WQEs. */
static void sq_advance(struct sq *sq, uint16_t counter)
{
	uint16_t ahead = (uint16_t)(counter - sq->ci);

	if (sq->q->state != QP_RTS && sq->q->state != QP_SQD && !queue_flushes(sq->q))
		return;
	if (ahead > ring_blocks(sq)) {
		obj_refuse(&sq->q->o,
			   "the doorbell record's send counter 0x%04x (or SEND_EN's index) is "
			   "more than a ring ahead of 0x%04x",
			   counter, sq->ci);
		counter = (uint16_t)(sq->ci + ring_blocks(sq));
	}
	sq->pi = counter;
	if (queue_flushes(sq->q))
		queue_flush_later(sq->q);
	else
		sq_more(sq);
}

void sq_record(struct sq *sq, uint16_t counter)
{
	if (counter != sq->pi && (!sq->managed || sq_record_is_new(sq, counter)))
		sq_advance(sq, counter);
}

/* [I] An index counts blocks, as a record does. An index reached before changes nothing. */
void sq_enable(struct sq *sq, uint16_t counter)
{
	if ((int16_t)(counter - sq->pi) > 0)
		sq_advance(sq, counter);
}

static void sq_ring_unmapped(struct sq *sq)
{
	queue_unmapped(sq->q, "its send ring");
	sq->ci = sq->pi;
	queue_error(sq->q, PRM_EVENT_WQ_CATAS_ERROR);
}

/*
 * Ends the fetch of a WQE. A bad WQE fails in its turn: earlier requests complete first, later ones
 * are flushed. A WAIT whose CQ does not exist yet stays in the ring.
 */
static void wr_fetch_done(struct sq *sq, struct send_wr *wr)
{
	if (wr->error == WQE_WAITS)
		sq_rewind(sq, wr);
	else
		sq->q->transport->post(sq->q, wr);
}

/* Parses a request while somebody observes. One that waits is fetched, and parsed, again. */
static __attribute__((noinline)) void wqe_parse_observed(const struct sq *sq, struct send_wr *wr)
{
	struct probe_event e; /* set field by field: a whole one would cost more than the rest */

	wqe_probe(sq->q, wr, "wqe_ctrl_seg", wr->wqe);
	if (!wr->error)
		wqe_parse(sq->q, wr);
	if (probe_active(PROBE_SEND) && !wr->error) {
		e.kind = PROBE_SEND;
		e.request.queue = sq->q;
		e.request.wr = wr;
		probe_emit(&e);
	}
}

/* Returns false if the ring can't be read. */
static bool fetch_some(struct queues *qs, struct sq *sq)
{
	struct queue *const q = sq->q;
	const struct transport *const t = q->transport;
	unsigned int left = t->room(q);
	struct send_wr *wr;
	bool local;

	if (left > WQES_A_TURN || (left && t->polls_room))
		left = WQES_A_TURN;
	for (; left && pending(sq); left--) {
		wr = next_wr(qs, sq);
		if (!wr)
			return false;
		if (probe_active(PROBE_WQE | PROBE_SEND))
			wqe_parse_observed(sq, wr);
		else if (!wr->error)
			wqe_parse(q, wr);
		if (wr->error) {
			wr_fetch_done(sq, wr);
			return true;
		}
		local = wr->kind == SEND_LOCAL;
		t->post(q, wr);
		if (q->state != QP_RTS)
			return true;
		/* One post may take more than one place: a raw packet may be held. */
		if (t->polls_room && !local && !t->room(q))
			break;
	}
	if (pending(sq) && !sq->held && (t->polls_room || t->room(q)))
		sq_ready(sq);
	return true;
}

static void fetch(struct queues *qs, struct sq *sq)
{
	bool ok = fetch_some(qs, sq);

	if (sq->q->transport->posted)
		sq->q->transport->posted(sq->q);
	if (!ok)
		sq_ring_unmapped(sq);
	if (sq->priv->cache && !pending(sq))
		sq_cache_drop(qs, sq->priv);
}

bool sq_run(struct queues *qs)
{
	struct sq_priv *last = TAILQ_LAST(&qs->ready, sq_list), *d;
	bool end = false, did = false;

	while (!end && (d = TAILQ_FIRST(&qs->ready))) {
		end = d == last;
		TAILQ_REMOVE(&qs->ready, d, ready_link);
		d->ready = false;
		if (d->sq->q->state == QP_RTS)
			fetch(qs, d->sq);
		did = true;
	}
	return did;
}

int sq_start(struct sq *sq)
{
	sq->priv = calloc(1, sizeof(*sq->priv));
	if (!sq->priv)
		return -ENOMEM;
	sq->priv->sq = sq;
	sq->priv->flush_tail = &sq->priv->flush;
	if (!uar_add_sq(sq))
		return 0;
	free(sq->priv);
	sq->priv = NULL;
	return -ENOMEM;
}

void sq_stop(struct sq *sq)
{
	if (sq->priv) {
		uar_del_sq(sq);
		sq_cache_drop(queues_of(&sq->q->o), sq->priv);
		free(sq->priv->wait);
	}
	free(sq->priv);
	sq->priv = NULL;
}

void sq_reset(struct sq *sq)
{
	struct sq_priv *d = sq->priv;
	struct send_wr *wr;

	while ((wr = d->flush)) {
		d->flush = wr->next;
		wr_free(queues_of(&sq->q->o), wr);
	}
	d->flush_tail = &d->flush;
	cross_stop(sq);
	if (d->ready)
		TAILQ_REMOVE(&queues_of(&sq->q->o)->ready, d, ready_link);
	d->ready = false;
	sq_cache_drop(queues_of(&sq->q->o), d);
	sq->pi = sq->ci = sq->done = sq->rung = 0;
	sq->failed = 0;
}

void sq_rewind(struct sq *sq, struct send_wr *list)
{
	struct send_wr *wr;

	if (list)
		sq->ci = list->index;
	sq_cache_drop(queues_of(&sq->q->o), sq->priv);
	while ((wr = list)) {
		list = wr->next;
		wr_free(queues_of(&sq->q->o), wr);
	}
}

void sq_give_back(struct sq *sq, struct send_wr *wr)
{
	struct sq_priv *d = sq->priv;

	wr->next = NULL;
	*d->flush_tail = wr;
	d->flush_tail = &wr->next;
}

/* Steps of local operations, by opcode; the others have nothing to do. */
static int (*const sq_steps[256])(struct queue *, struct send_wr *) = {
	[PRM_WQE_OPCODE_ACCESS_ASO] = aso_step,	 [PRM_WQE_OPCODE_FLOW_TBL_ACCESS] = rule_step,
	[PRM_WQE_OPCODE_MMO] = mmo_step,	 [PRM_WQE_OPCODE_UMR] = umr_step,
	[PRM_WQE_OPCODE_SET_PSV] = set_psv_step, [PRM_WQE_OPCODE_SEND_EN] = cross_step,
	[PRM_WQE_OPCODE_RECV_EN] = cross_step,
};

int sq_local(struct sq *sq, struct send_wr *wr)
{
	return sq_steps[wr->opcode] ? sq_steps[wr->opcode](sq->q, wr) : 0;
}

unsigned int sq_flush(struct sq *sq, unsigned int n)
{
	struct sq_priv *d = sq->priv;
	struct send_wr *wr;
	unsigned int done;

	for (done = 0; done < n && (d->flush || pending(sq)); done++) {
		wr = d->flush;
		if (wr) {
			d->flush = wr->next;
			if (!d->flush)
				d->flush_tail = &d->flush;
		} else if (!(wr = next_wr(queues_of(&sq->q->o), sq))) {
			sq->ci = sq->pi;
			break;
		}
		sq_error_cqe(sq, wr, PRM_SYNDROME_WR_FLUSH_ERR, 0);
		wr_free(queues_of(&sq->q->o), wr);
	}
	if (!pending(sq))
		sq_cache_drop(queues_of(&sq->q->o), d);
	return done;
}
