/* SPDX-License-Identifier: BSD-2-Clause */
#include <endian.h>
#include <stdlib.h>
#include <string.h>
#include <dvx/prm/cqe.h>
#include <dvx/prm/eqe.h>
#include <dvx/prm/wqe.h>
#include "priv.h"
#include "base/log.h"

#define DS 16u
#define DS_PER_BLOCK (SQ_BLOCK / DS)
#define SHARE	     32u /* WQEs of one queue in a turn */
#define FREE_KEPT 4096u

/* --- requests ------------------------------------------------------------------------------ */

static struct send_wr *wr_new(struct queues *qs, size_t wqe_bytes)
{
	struct send_wr *wr = qs->free_wr;

	if (wr) {
		qs->free_wr = wr->next;
		qs->nfree--;
	} else {
		wr = malloc(sizeof(*wr));
		if (!wr)
			return NULL;
	}
	memset(wr, 0, offsetof(struct send_wr, small));
	wr->wqe = wqe_bytes <= sizeof(wr->small) ? wr->small : malloc(wqe_bytes);
	if (wr->wqe)
		return wr;
	free(wr);
	return NULL;
}

void wr_free(struct queues *qs, struct send_wr *wr)
{
	if (wr->wqe != wr->small)
		free(wr->wqe);
	if (qs->nfree >= FREE_KEPT) {
		free(wr);
		return;
	}
	wr->next = qs->free_wr;
	qs->free_wr = wr;
	qs->nfree++;
}

/* --- the ring ------------------------------------------------------------------------------ */

static uint32_t ring_blocks(const struct qp *qp)
{
	return 1u << qp->log_sq_size;
}

static uint16_t pending(const struct qp *qp)
{
	return (uint16_t)(qp->sq_pi - qp->sq_ci);
}

static int read_blocks(struct qp *qp, uint16_t index, unsigned int n, uint8_t *to)
{
	uint32_t at = index & (ring_blocks(qp) - 1);
	unsigned int straight = ring_blocks(qp) - at < n ? ring_blocks(qp) - at : n;
	uint64_t off = qp->sq_offset + (uint64_t)at * SQ_BLOCK;
	int err = ring_read(host_of(&qp->o), &qp->ring, off, to, straight * SQ_BLOCK);

	if (err || straight == n)
		return err;
	return ring_read(host_of(&qp->o), &qp->ring, qp->sq_offset, to + straight * SQ_BLOCK,
			 (n - straight) * SQ_BLOCK);
}

/* n blocks from sq_ci on, as one piece; more are fetched with them. NULL: the ring is gone. */
static const uint8_t *blocks(struct qp *qp, unsigned int n)
{
	struct qp_priv *d = qp->priv;
	uint16_t ahead = (uint16_t)(qp->sq_ci - d->cache_at);
	unsigned int want = pending(qp) < SQ_CACHE_BLOCKS ? pending(qp) : SQ_CACHE_BLOCKS;

	if (ahead + n <= d->cache_n)
		return d->cache + ahead * SQ_BLOCK;
	d->cache_n = 0;
	if (read_blocks(qp, qp->sq_ci, want, d->cache))
		return NULL;
	d->cache_at = qp->sq_ci;
	d->cache_n = (uint16_t)want;
	return d->cache;
}

int sq_ahead(const struct qp *qp, struct dma_seg *seg, unsigned int max, unsigned int n,
	     unsigned int *count)
{
	uint32_t at = qp->sq_ci & (ring_blocks(qp) - 1);

	if (qp->state != QP_RTS || pending(qp))
		return 0;
	*count = ring_blocks(qp) - at < n ? ring_blocks(qp) - at : n;
	return ring_segs(&qp->ring, qp->sq_offset + (uint64_t)at * SQ_BLOCK, *count * SQ_BLOCK, seg,
			 max);
}

/* Only what the record vouches for counts; it was read first. */
void sq_fetched(struct qp *qp, const void *bytes, unsigned int count, uint16_t counter)
{
	struct qp_priv *d = qp->priv;
	uint16_t posted = (uint16_t)(counter - qp->sq_ci);

	d->cache_at = qp->sq_ci;
	d->cache_n = (uint16_t)(posted < count ? posted : count);
	memcpy(d->cache, bytes, d->cache_n * SQ_BLOCK);
}

/* --- one WQE ------------------------------------------------------------------------------- */

/* 0, or why ds can't be right. */
static uint8_t check_ds(const struct qp *qp, unsigned int ds, unsigned int n)
{
	if (!ds || n > WQE_MAX_BLOCKS || n > ring_blocks(qp))
		return VENDOR_DS;
	return n > pending(qp) ? VENDOR_PAST_DB : 0;
}

/* The next WQE as a request, good or bad. NULL: the ring could not be read, or no memory. */
static struct send_wr *next_wr(struct qp *qp)
{
	const uint8_t *w = blocks(qp, 1);
	unsigned int ds, n;
	struct send_wr *wr;
	uint8_t bad;

	if (!w)
		return NULL;
	ds = prm_wqe_ctrl_seg_get_ds(w);
	n = (ds + DS_PER_BLOCK - 1) / DS_PER_BLOCK;
	bad = check_ds(qp, ds, n);
	if (bad)
		ds = n = 1;
	if (!(w = blocks(qp, n)))
		return NULL;
	wr = wr_new(queues_of(&qp->o), ds * DS);
	if (!wr)
		return NULL;
	memcpy(wr->wqe, w, ds * DS);
	wr->index = qp->sq_ci;
	wr->ds = (uint8_t)ds;
	wr->blocks = (uint8_t)n;
	wr->opcode = (uint8_t)prm_wqe_ctrl_seg_get_opcode(wr->wqe);
	if (bad)
		wqe_refuse(qp, wr, bad,
			   bad == VENDOR_DS ? "ds is 0, or over the largest WQE or the ring"
					    : "ds reaches past the doorbell record");
	qp->sq_ci = (uint16_t)(qp->sq_ci + wr->blocks);
	return wr;
}

/* --- running ------------------------------------------------------------------------------- */

void sq_ready(struct qp *qp)
{
	struct qp_priv *d = qp->priv;

	if (d->ready)
		return;
	d->ready = true;
	TAILQ_INSERT_TAIL(&queues_of(&qp->o)->ready, d, ready_link);
}

void sq_more(struct qp *qp)
{
	if (qp->state == QP_RTS && pending(qp))
		sq_ready(qp);
}

/* [I] a counter more than a ring ahead is taken as a full ring; wqe_index tells stale WQEs. */
void sq_record(struct qp *qp, uint16_t counter)
{
	uint16_t ahead = (uint16_t)(counter - qp->sq_ci);

	if (qp->no_sq || counter == qp->sq_pi)
		return;
	if (qp->state != QP_RTS && qp->state != QP_SQD && qp->state != QP_ERR)
		return;
	if (ahead > ring_blocks(qp)) {
		sim_refuse("qp 0x%x: the doorbell record's send counter 0x%04x is more than a ring"
			   " ahead of 0x%04x", qp->o.id, counter, qp->sq_ci);
		counter = (uint16_t)(qp->sq_ci + ring_blocks(qp));
	}
	qp->sq_pi = counter;
	if (qp->state == QP_ERR)
		qp_flush_later(qp);
	else
		sq_more(qp);
}

static void ring_gone(struct qp *qp)
{
	sim_refuse("qp 0x%x: its send ring can't be read", qp->o.id);
	qp->sq_ci = qp->sq_pi;
	qp_error(qp, PRM_EVENT_WQ_CATAS_ERROR);
}

/* Its control segment alone, if ds is wrong. */
static void trace_ctrl(const struct qp *qp, const struct send_wr *wr)
{
	sim_trace("wqe", "wqe_ctrl_seg", wr->wqe, PRM_WQE_CTRL_SEG_BYTES, "qp 0x%x sq %u",
		  qp->o.id, wr->index);
}

/*
 * A bad WQE still takes its turn: those before it complete first, what comes after is flushed.
 * False: the ring can't be read.
 */
static bool fetch_some(struct qp *qp)
{
	const struct transport *t = qp->transport;
	struct send_wr *wr;
	bool bad;

	for (unsigned int i = 0; i < SHARE && pending(qp) && t->room(qp); i++) {
		wr = next_wr(qp);
		if (!wr)
			return false;
		if (sim_tracing)
			trace_ctrl(qp, wr);
		if (!wr->error)
			wqe_parse(qp, wr);
		bad = wr->error;
		t->post(qp, wr);
		if (bad || qp->state != QP_RTS)
			return true;
	}
	if (pending(qp) && (t->polls_room || t->room(qp)))
		sq_ready(qp);
	return true;
}

static void fetch(struct qp *qp)
{
	bool ok = fetch_some(qp);

	qp->transport->posted(qp);
	if (!ok)
		ring_gone(qp);
}

bool sq_run(struct queues *qs)
{
	struct qp_priv *last = TAILQ_LAST(&qs->ready, qp_priv_list), *d;
	bool end = false, did = false;

	while (!end && (d = TAILQ_FIRST(&qs->ready))) {
		end = d == last;
		TAILQ_REMOVE(&qs->ready, d, ready_link);
		d->ready = false;
		if (d->qp->state == QP_RTS)
			fetch(d->qp);
		did = true;
	}
	return did;
}

void sq_reset(struct qp *qp)
{
	struct qp_priv *d = qp->priv;
	struct send_wr *wr;

	while ((wr = d->flush)) {
		d->flush = wr->next;
		wr_free(queues_of(&qp->o), wr);
	}
	d->flush_tail = &d->flush;
	if (d->ready)
		TAILQ_REMOVE(&queues_of(&qp->o)->ready, d, ready_link);
	d->ready = false;
	d->cache_n = 0;
	qp->sq_pi = qp->sq_ci = qp->sq_done = 0;
}

/* --- completions --------------------------------------------------------------------------- */

void sq_done(struct qp *qp, struct send_wr *wr)
{
	uint8_t *cqe;

	qp->sq_done = (uint16_t)(wr->index + wr->blocks);
	if (wr->signaled) {
		cqe = cq_next(qp->scq);
		if (cqe) {
			prm_cqe64_set_user_index(cqe, qp->user_index);
			prm_cqe64_set_byte_cnt(cqe, wr->kind == SEND_READ ? (uint32_t)wr->len : 0);
			prm_cqe64_set_timestamp(cqe, qp->o.vhca->dev->clock->now(
							     qp->o.vhca->dev->clock));
			prm_cqe64_set_s_wqe_opcode(cqe, wr->opcode);
			prm_cqe64_set_qpn(cqe, qp->o.id);
			prm_cqe64_set_wqe_counter(cqe, wr->index);
			prm_cqe64_set_opcode(cqe, PRM_CQE_OPCODE_REQ);
			cq_filled(qp->scq, false);
		} else {
			qp_error(qp, PRM_EVENT_WQ_CATAS_ERROR);
		}
	}
	wr_free(queues_of(&qp->o), wr);
}

static void sq_error_cqe(struct qp *qp, const struct send_wr *wr, uint8_t syndrome, uint8_t vendor)
{
	static const uint8_t vendor_of[256] = {
		[PRM_SYNDROME_LOCAL_PROT_ERR] = PRM_VENDOR_SYNDROME_LOCAL_PROT,
		[PRM_SYNDROME_WR_FLUSH_ERR] = PRM_VENDOR_SYNDROME_FLUSHED,
		[PRM_SYNDROME_REMOTE_ACCESS_ERR] = PRM_VENDOR_SYNDROME_REMOTE_ACCESS,
		[PRM_SYNDROME_REMOTE_OP_ERR] = PRM_VENDOR_SYNDROME_REMOTE_OP,
		[PRM_SYNDROME_REMOTE_INVAL_REQ_ERR] = PRM_VENDOR_SYNDROME_REMOTE_INVAL_REQ,
		[PRM_SYNDROME_TRANSPORT_RETRY_EXC_ERR] = PRM_VENDOR_SYNDROME_RETRY_EXCEEDED,
	};
	uint8_t *cqe = cq_next(qp->scq);

	qp->sq_done = (uint16_t)(wr->index + wr->blocks);
	if (!cqe)
		return;
	prm_err_cqe_set_srqn(cqe, qp->user_index);
	prm_err_cqe_set_vendor_err_synd(cqe, vendor ? vendor : vendor_of[syndrome]);
	prm_err_cqe_set_syndrome(cqe, syndrome);
	prm_err_cqe_set_s_wqe_opcode(cqe, wr->opcode);
	prm_err_cqe_set_qpn(cqe, qp->o.id);
	prm_err_cqe_set_wqe_counter(cqe, wr->index);
	prm_err_cqe_set_opcode(cqe, PRM_CQE_OPCODE_REQ_ERR);
	cq_filled(qp->scq, false);
}

/* With or without CQ_UPDATE: an error always makes a CQE. */
void sq_failed(struct qp *qp, struct send_wr *wr, uint8_t syndrome, uint8_t vendor)
{
	sim_note("qp 0x%x: send WQE %u failed with syndrome 0x%02x", qp->o.id, wr->index, syndrome);
	sq_error_cqe(qp, wr, syndrome, vendor);
	wr_free(queues_of(&qp->o), wr);
	qp_error(qp, 0);
}

void sq_give_back(struct qp *qp, struct send_wr *wr)
{
	struct qp_priv *d = qp->priv;

	wr->next = NULL;
	*d->flush_tail = wr;
	d->flush_tail = &wr->next;
}

int sq_local(struct qp *qp, struct send_wr *wr)
{
	return wr->opcode == PRM_WQE_OPCODE_MMO ? mmo_step(qp, wr) : 0;
}

unsigned int sq_flush(struct qp *qp, unsigned int n)
{
	struct qp_priv *d = qp->priv;
	struct send_wr *wr;
	unsigned int done;

	for (done = 0; done < n && (d->flush || pending(qp)); done++) {
		wr = d->flush;
		if (wr) {
			d->flush = wr->next;
			if (!d->flush)
				d->flush_tail = &d->flush;
		} else if (!(wr = next_wr(qp))) {
			qp->sq_ci = qp->sq_pi;
			break;
		}
		sq_error_cqe(qp, wr, PRM_SYNDROME_WR_FLUSH_ERR, 0);
		wr_free(queues_of(&qp->o), wr);
	}
	return done;
}
