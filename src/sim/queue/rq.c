/* SPDX-License-Identifier: BSD-2-Clause */
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <dvx/prm/cqe.h>
#include <dvx/prm/eqe.h>
#include <dvx/prm/wqe.h>
#include "data_seg.h"
#include "priv.h"
#include "obj/mkey_bytes.h"

#define RCV_RECORD	  0u
#define CQE_GRH_IN_BUFFER 1u /* cqe64.g */
#define CQE_STRIDES_AT	  16u /* cqe64.byte_cnt of a striding queue: the strides' bit */
#define CQE_FILLER	  (1u << 31)
#define STRIDES_NONE	  (1ull << 40) /* [I] no entry has room: as a receive that is too small */

static uint32_t stride(const struct rq *rq)
{
	return 16u << rq->log_stride;
}

static bool is_striding(const struct rq *rq)
{
	return rq->log_stride_bytes;
}

static uint32_t rq_entries(const struct rq *rq)
{
	return 1u << rq->log_size;
}

static bool has_rq(const struct rq *rq)
{
	return rq && stride(rq) <= QUEUE_BUFFER;
}

static uint16_t posted(const struct rq *rq)
{
	return (uint16_t)(rq->pi - rq->ci);
}

bool rq_record(const struct obj *o, struct dma_place *place, bus_t dbrec, unsigned int log_size,
	       uint16_t ci, uint16_t *pi)
{
	uint32_t counter;

	if (dbrec_load(host_of(o), place, dbrec, RCV_RECORD, &counter))
		return false;
	*pi = (uint16_t)counter;
	if ((uint16_t)(*pi - ci) <= 1u << log_size)
		return true;
	/* [I] */
	obj_refuse(o,
		   "the doorbell record's receive counter 0x%04x is more than a ring ahead"
		   " of 0x%04x",
		   *pi, ci);
	*pi = (uint16_t)(ci + (1u << log_size));
	return true;
}

/*
 * Updates the end of the posted entries. In a managed queue only entries that a RECV_EN has reached
 * count, and [I] in ERR all entries of the record, which are flushed.
 */
static void rq_look(struct rq *rq)
{
	struct queue *q = rq->q;

	if (!rq_record(&q->o, &q->dbrec_place, q->dbrec, rq->log_size, rq->ci, &rq->pi))
		queue_record_unmapped(q);
	else if (rq->managed && q->state != QP_ERR && (int16_t)(rq->pi - rq->enabled) > 0)
		rq->pi = rq->enabled;
}

/* Reads the record when an entry is needed: receives have no doorbell register. */
static bool any_posted(struct rq *rq)
{
	if (!posted(rq))
		rq_look(rq);
	return posted(rq) > 0;
}

/* --- copies of entries: a program may still change what it posted ------------------------------ */

/* Returns room for a copy of an entry, or NULL without memory. */
static uint8_t *rq_entry_room(struct rq *rq, size_t bytes)
{
	struct rq_priv *d = rq->priv;

	if (bytes <= sizeof(d->small))
		return d->small;
	if (!d->cache)
		d->cache = queue_buffer_get(queues_of(&rq->q->o));
	return d->cache;
}

static void rq_cache_drop(struct rq *rq)
{
	struct rq_priv *d = rq->priv;

	queue_buffer_put(queues_of(&rq->q->o), d->cache);
	d->cache = NULL;
	d->n = 0;
}

/* Clears the current entry. */
static void rq_entry_clear(struct rq *rq)
{
	struct rq_priv *d = rq->priv;

	d->recv = NULL;
	if (d->cache && (uint16_t)(rq->ci - d->at) >= d->n)
		rq_cache_drop(rq);
}

/* Copies an entry. Sizes are powers of two, mostly small. */
static const uint8_t *rq_entry_copied(struct rq *rq, const uint8_t *ring, size_t size)
{
	const uint8_t *from = ring + rq->offset + (rq->ci & (rq_entries(rq) - 1)) * size;
	uint8_t *to = rq_entry_room(rq, size);

	if (size == ENTRY_SMALL)
		memcpy(to, from, ENTRY_SMALL);
	else
		for (size_t at = 0; to && at < size; at += DATA_SEG_DS)
			memcpy(to + at, from + at, DATA_SEG_DS);
	return to;
}

/* Fetches the entry, with as many behind it as fit. */
static const uint8_t *rq_entry_fetched(struct rq *rq)
{
	struct rq_priv *d = rq->priv;
	uint16_t ahead = (uint16_t)(rq->ci - d->at);
	uint32_t at = rq->ci & (rq_entries(rq) - 1);
	uint32_t n = QUEUE_BUFFER / stride(rq);

	if (ahead < d->n)
		return d->cache + ahead * stride(rq);
	if (n > posted(rq))
		n = posted(rq);
	if (n > rq_entries(rq) - at)
		n = rq_entries(rq) - at;
	d->n = 0;
	if (!rq_entry_room(rq, QUEUE_BUFFER) ||
	    ring_read(host_of(&rq->q->o), &rq->q->ring, rq->offset + (uint64_t)at * stride(rq),
		      d->cache, n * stride(rq)))
		return NULL;
	d->at = rq->ci;
	d->n = (uint16_t)n;
	return d->cache;
}

/* Returns the entry at rq_ci, or NULL if the ring is unmapped or there is no memory. */
static const uint8_t *rq_entry(struct rq *rq, size_t size)
{
	const uint8_t *ring = ring_bytes(host_of(&rq->q->o), &rq->q->ring);

	if (!ring)
		return rq_entry_fetched(rq);
	rq->priv->n = 0;
	return rq_entry_copied(rq, ring, size);
}

static void rq_probe(const struct rq *rq)
{
	const uint8_t *p = rq->priv->recv, *next;
	struct data_seg s;

	for (; (next = data_seg_pointer(p, rq->priv->end, &s)); p = next) {
		probe(PROBE_WQE, .wqe = {PROBE_RQ, &rq->q->o, rq->priv->index, "wqe_data_seg", p});
		if (s.lkey == LKEY_TERMINATE)
			return;
	}
}

/* Takes an entry of the SRQ. [I] A queue that needs an entry of a failed SRQ fails, too. */
static bool rq_begin_shared(struct rq *rq)
{
	struct rq_priv *d = rq->priv;
	uint8_t *copy = rq_entry_room(rq, 1u << rq->srq->log_stride);

	d->recv = copy ? srq_take(rq->srq, copy, &d->index) : NULL;
	if (d->recv)
		d->end = copy + (1u << rq->srq->log_stride);
	else
		rq_entry_clear(rq);
	if (!d->recv && rq->srq->failed)
		queue_error(rq->q, PRM_EVENT_WQ_CATAS_ERROR);
	return d->recv;
}

static bool rq_begin_own(struct rq *rq)
{
	struct rq_priv *d = rq->priv;
	size_t size;

	if (!has_rq(rq) || !any_posted(rq))
		return false;
	size = stride(rq);
	d->recv = rq_entry(rq, size);
	if (!d->recv) {
		queue_unmapped(rq->q, "its receive ring");
		rq->ci = rq->pi;
		queue_error(rq->q, PRM_EVENT_WQ_CATAS_ERROR);
		return false;
	}
	d->end = d->recv + size;
	if (is_striding(rq)) /* the size is an SRQ entry's, though the entries are not linked */
		d->recv += PRM_WQE_SRQ_NEXT_SEG_BYTES;
	d->stride = d->taken = 0;
	d->index = rq->ci++;
	return true;
}

bool rq_begin(struct rq *rq)
{
	/* A queue pair that was made without receives has no rq. */
	bool begun = rq && (rq->srq ? rq_begin_shared(rq) : rq_begin_own(rq));

	if (begun && probe_active(PROBE_WQE))
		rq_probe(rq);
	return begun;
}

/* --- strides ------------------------------------------------------------------------------- */

static uint32_t rq_strides_left(const struct rq *rq)
{
	return rq->priv->recv ? (1u << rq->log_strides) - rq->priv->stride : 0;
}

/* Ends the strides that the CQE reports; with its last stride the entry ends. */
static void rq_end_strides(struct rq *rq, void *cqe)
{
	struct rq_priv *d = rq->priv;

	prm_cqe64_set_wqe_id(cqe, d->index);
	prm_cqe64_set_wqe_counter(cqe, d->stride);
	prm_cqe64_set_byte_cnt(cqe, d->taken << CQE_STRIDES_AT);
	d->stride += d->taken;
	if (!rq_strides_left(rq))
		rq_entry_clear(rq);
}

/* [I] The filler has the RESP_SEND opcode, no length, and the rest of the entry's strides. */
static void rq_fill_up(struct rq *rq)
{
	uint8_t *cqe;

	rq->priv->taken = rq_strides_left(rq);
	cqe = rq_end_cqe(rq);
	if (!cqe)
		return;
	prm_cqe64_set_byte_cnt(cqe, prm_cqe64_get_byte_cnt(cqe) | CQE_FILLER);
	prm_cqe64_set_opcode(cqe, PRM_CQE_OPCODE_RESP_SEND);
	cq_filled(rq->cq, false);
}

bool rq_begin_strides(struct rq *rq, uint32_t len, uint64_t *off)
{
	const uint32_t size = 1u << rq->log_stride_bytes,
		       need = (rq->shift + len + size - 1) >> rq->log_stride_bytes;
	const bool fits = need <= 1u << rq->log_strides;

	*off = 0;
	if (!is_striding(rq))
		return rq_begin(rq);
	if (fits && rq->priv->recv && need > rq_strides_left(rq))
		rq_fill_up(rq);
	if (rq->q->state == QP_ERR || (!rq->priv->recv && !rq_begin(rq)))
		return false;
	rq->priv->taken = need;
	*off = fits ? ((uint64_t)rq->priv->stride << rq->log_stride_bytes) + rq->shift
		    : STRIDES_NONE;
	return true;
}

static uint8_t scatter(struct rq *rq, uint64_t off, size_t len, const void *from, enum segs_how how)
{
	uint32_t pdn = rq->srq ? rq->srq->pdn : rq->q->pdn;

	return segs_scatter(rq->q, pdn, rq->priv->recv, rq->priv->end, off, len, from, how);
}

uint8_t rq_scatter(struct rq *rq, uint64_t off, size_t len, const void *from)
{
	return scatter(rq, off, len, from, SEGS_RECV);
}

uint8_t rq_scatter_posted(struct rq *rq, uint64_t off, size_t len, const void *from)
{
	return scatter(rq, off, len, from, SEGS_RECV_POSTED);
}

uint8_t *rq_bytes(const struct rq *rq, size_t len)
{
	struct data_seg s;

	if ((rq->srq && rq->srq->pdn != rq->q->pdn) ||
	    !data_seg_pointer(rq->priv->recv, rq->priv->end, &s) || len > s.len)
		return NULL;
	return mkey_bytes(rq->q, MKEY_BY_RECEIVE, s.lkey, s.addr, len, MKEY_LW);
}

/* [I] Only the entry's length counts, not its keys: the program's library moves the data. */
uint8_t rq_scatter_inline(const struct rq *rq, size_t len)
{
	return segs_have_room(rq->priv->recv, rq->priv->end, len) ? 0
								  : PRM_SYNDROME_LOCAL_LENGTH_ERR;
}

uint16_t rq_index(const struct rq *rq)
{
	return rq->priv->index;
}

/* Returns the entry's user index: an XRC SRQ has one for all queue pairs of its domain. */
static uint32_t rq_user_index(const struct rq *rq)
{
	return rq->srq && rq->srq->xrcd ? rq->srq->user_index : rq->q->user_index;
}

/* Returns NULL if there is no room, or if the XRC SRQ has gone with its CQ. */
static uint8_t *rq_next_cqe(struct rq *rq)
{
	return rq->cq ? cq_next(rq->cq) : NULL;
}

static void rq_error_cqe(struct rq *rq, uint16_t index, uint8_t syndrome)
{
	uint8_t *cqe = rq_next_cqe(rq);

	error_count_receive(rq->q, syndrome);
	if (!cqe)
		return;
	prm_err_cqe_set_srqn(cqe, rq_user_index(rq));
	prm_err_cqe_set_vendor_err_synd(
		cqe, syndrome == PRM_SYNDROME_WR_FLUSH_ERR ? PRM_VENDOR_SYNDROME_FLUSHED : 0);
	prm_err_cqe_set_syndrome(cqe, syndrome);
	prm_err_cqe_set_qpn(cqe, rq->q->o.id);
	prm_err_cqe_set_wqe_counter(cqe, index);
	prm_err_cqe_set_opcode(cqe, PRM_CQE_OPCODE_RESP_ERR);
	cq_filled(rq->cq, false);
}

void *rq_end_cqe(struct rq *rq)
{
	uint8_t *cqe;

	if (!is_striding(rq))
		rq_entry_clear(rq);
	cqe = rq_next_cqe(rq);
	if (!cqe) {
		error_count_no_cqe(rq->q, rq->cq);
		queue_error(rq->q, PRM_EVENT_WQ_CATAS_ERROR);
		return NULL;
	}
	prm_cqe64_set_user_index(cqe, rq_user_index(rq));
	prm_cqe64_set_timestamp(cqe, queue_timestamp(rq->q));
	prm_cqe64_set_wqe_counter(cqe, rq->priv->index);
	if (is_striding(rq))
		rq_end_strides(rq, cqe);
	return cqe;
}

/*
 * Fills in a datagram's fields. On Ethernet sl is the kind of the headers, as mlx5_ib reads it. [I]
 * l3_hdr_type repeats it, and checksums are marked as right: IPv4's was checked, UDP's is 0.
 */
static void rq_fill_datagram(void *cqe, const struct recv_done *done)
{
	prm_cqe64_set_g(cqe, CQE_GRH_IN_BUFFER);
	prm_cqe64_set_sl(cqe, done->network);
	prm_cqe64_set_l3_hdr_type(cqe, done->network);
	prm_cqe64_set_vlan(cqe, done->tagged);
	prm_cqe64_set_vlan_info(cqe, done->tci);
	prm_cqe64_set_l2_ok(cqe, 1);
	prm_cqe64_set_l3_ok(cqe, 1);
	prm_cqe64_set_l4_ok(cqe, 1);
}

void rq_end(struct rq *rq, const struct recv_done *done)
{
	uint8_t *cqe;

	if (done->syndrome) {
		rq_entry_clear(rq);
		rq_error_cqe(rq, rq->priv->index, done->syndrome);
		return;
	}
	if (rq->q->sq && rq->q->sq->cq != rq->cq)
		cq_before_reply(rq->q);
	cqe = rq_end_cqe(rq);
	if (!cqe)
		return;
	prm_cqe64_set_rqpn(cqe, done->rqpn);
	if (done->datagram)
		rq_fill_datagram(cqe, done);
	prm_cqe64_set_immediate(cqe, be32toh(done->imm));
	prm_cqe64_set_byte_cnt(cqe, (uint32_t)done->len);
	prm_cqe64_set_flow_tag(cqe, rq->q->o.id);
	prm_cqe64_set_opcode(cqe, done->opcode);
	prm_cqe64_set_se(cqe, done->solicited);
	if (done->inl)
		cqe_inline(cqe, done->inl, done->len, rq->inline_most);
	cq_filled(rq->cq, done->solicited);
}

unsigned int rq_flush(struct rq *rq, unsigned int n)
{
	struct rq_priv *d = rq->priv;
	unsigned int done = 0;

	if (d->recv) {
		d->recv = NULL;
		rq_error_cqe(rq, d->index, PRM_SYNDROME_WR_FLUSH_ERR);
		done++;
	}
	rq_cache_drop(rq);
	if (rq->srq || !rq->cq || !has_rq(rq)) /* an XRC target has neither */
		return done;
	for (; done < n && any_posted(rq); done++)
		rq_error_cqe(rq, rq->ci++, PRM_SYNDROME_WR_FLUSH_ERR);
	return done;
}

void rq_serve(struct rq *rq, struct srq *srq)
{
	rq->srq = srq;
	rq->cq = srq ? srq->cq : NULL;
	if (srq)
		rq->q->pdn = srq->pdn;
	else
		rq_entry_clear(rq);
}

/* [I] An index reached before changes nothing; entries beyond the record are not posted yet. */
void rq_enable(struct rq *rq, uint16_t counter)
{
	if ((int16_t)(counter - rq->enabled) > 0)
		rq->enabled = counter;
}

void rq_reset(struct rq *rq)
{
	rq->priv->recv = NULL;
	rq_cache_drop(rq);
	rq->pi = rq->ci = rq->enabled = 0;
}

int rq_start(struct rq *rq)
{
	rq->priv = calloc(1, sizeof(*rq->priv));
	return rq->priv ? 0 : -ENOMEM;
}

void rq_stop(struct rq *rq)
{
	if (rq->priv)
		rq_cache_drop(rq);
	free(rq->priv);
	rq->priv = NULL;
}
