/* SPDX-License-Identifier: BSD-2-Clause */
#include <endian.h>
#include <stdlib.h>
#include <string.h>
#include <dvx/prm/cqe.h>
#include <dvx/prm/eqe.h>
#include <dvx/prm/wqe.h>
#include "priv.h"
#include "base/log.h"
#include "steer/steer.h"

#define DS 16u
#define DS_PER_BLOCK (SQ_BLOCK / DS)
#define SHARE SELF_BATCH /* WQEs of one QP in one go */
#define FREE_KEPT 4096u

/* What a send WQE may be; an opcode without a row is refused. */
struct op_row {
	bool known, imm, raddr, inline_ok;
	uint8_t kind, min_ds;
};

static const struct op_row ops[256] = {
	[PRM_WQE_OPCODE_NOP] = { true, .kind = SEND_LOCAL, .min_ds = 1 },
	[PRM_WQE_OPCODE_SEND] = { true, .kind = SEND_MESSAGE, .min_ds = 1, .inline_ok = true },
	[PRM_WQE_OPCODE_SEND_IMM] = { true, .kind = SEND_MESSAGE, .min_ds = 1, .imm = true,
				      .inline_ok = true },
	[PRM_WQE_OPCODE_RDMA_WRITE] = { true, .kind = SEND_WRITE, .min_ds = 2, .raddr = true,
					.inline_ok = true },
	[PRM_WQE_OPCODE_RDMA_WRITE_IMM] = { true, .kind = SEND_WRITE, .min_ds = 2, .raddr = true,
					    .imm = true, .inline_ok = true },
	[PRM_WQE_OPCODE_RDMA_READ] = { true, .kind = SEND_READ, .min_ds = 2, .raddr = true },
	[PRM_WQE_OPCODE_MMO] = { true, .kind = SEND_LOCAL, .min_ds = 4 },
};

/* Of raw packets. No large sends: cap.max_lso_cap is 0. */
static const struct op_row raw_ops[256] = {
	[PRM_WQE_OPCODE_NOP] = { true, .kind = SEND_LOCAL, .min_ds = 1 },
	[PRM_WQE_OPCODE_SEND] = { true, .kind = SEND_MESSAGE, .min_ds = 2 },
};

/* --- requests ------------------------------------------------------------------------------ */

static struct send_wr *wr_new(struct dp *dp, size_t wqe_bytes)
{
	struct send_wr *wr = dp->free_wr;

	if (wr) {
		dp->free_wr = wr->next;
		dp->nfree--;
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

void wr_free(struct dp *dp, struct send_wr *wr)
{
	if (wr->wqe != wr->small)
		free(wr->wqe);
	if (dp->nfree >= FREE_KEPT) {
		free(wr);
		return;
	}
	wr->next = dp->free_wr;
	dp->free_wr = wr;
	dp->nfree++;
}

const uint8_t *wr_segs(const struct send_wr *wr, const uint8_t **end)
{
	*end = wr->wqe + wr->ds * DS;
	return wr->wqe + (ops[wr->opcode].raddr ? 2 : 1) * DS;
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
	struct dp_qp *d = qp->dp;
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
	struct dp_qp *d = qp->dp;
	uint16_t posted = (uint16_t)(counter - qp->sq_ci);

	d->cache_at = qp->sq_ci;
	d->cache_n = (uint16_t)(posted < count ? posted : count);
	memcpy(d->cache, bytes, d->cache_n * SQ_BLOCK);
}

/* --- one WQE ------------------------------------------------------------------------------- */

static void sq_fail(struct send_wr *wr, uint8_t syndrome, uint8_t vendor)
{
	wr->error = syndrome;
	wr->vendor = vendor;
}

static void sq_refuse(const struct qp *qp, struct send_wr *wr, uint8_t vendor, const char *why)
{
	sim_refuse("qp 0x%x: send WQE %u (opcode 0x%02x): %s", qp->o.id, wr->index, wr->opcode,
		   why);
	sq_fail(wr, PRM_SYNDROME_LOCAL_QP_OP_ERR, vendor);
}

static void trace_seg(const struct qp *qp, const struct send_wr *wr, const struct data_seg *s,
		      const uint8_t *p)
{
	sim_trace("wqe", s->inl ? "wqe_inline_seg" : "wqe_data_seg", p,
		  s->inl ? PRM_WQE_INLINE_SEG_BYTES : PRM_WQE_DATA_SEG_BYTES, "qp 0x%x sq %u",
		  qp->o.id, wr->index);
}

static void trace_mmo(const struct qp *qp, const struct send_wr *wr)
{
	sim_trace("wqe", "mmo_metadata_seg", wr->wqe + DS, PRM_MMO_METADATA_SEG_BYTES,
		  "qp 0x%x sq %u", qp->o.id, wr->index);
	for (unsigned int i = 2; i < 4; i++)
		sim_trace("wqe", "wqe_data_seg", wr->wqe + i * DS, PRM_WQE_DATA_SEG_BYTES,
			  "qp 0x%x sq %u", qp->o.id, wr->index);
}

static void trace_head(const struct qp *qp, const struct send_wr *wr)
{
	sim_trace("wqe", "wqe_ctrl_seg", wr->wqe, PRM_WQE_CTRL_SEG_BYTES, "qp 0x%x sq %u",
		  qp->o.id, wr->index);
	if (qp->raw)
		return;
	if (ops[wr->opcode].raddr && wr->ds >= 2)
		sim_trace("wqe", "wqe_raddr_seg", wr->wqe + DS, PRM_WQE_RADDR_SEG_BYTES,
			  "qp 0x%x sq %u", qp->o.id, wr->index);
	if (wr->opcode == PRM_WQE_OPCODE_MMO && wr->ds >= 4)
		trace_mmo(qp, wr);
}

/* [I] A context that says 0 leaves it at the most that the chip does. */
static unsigned int log_max_msg(const struct qp *qp)
{
	return qp->log_msg_max ? qp->log_msg_max : qp->o.vhca->dev->profile->log_max_msg;
}

static void parse_segments(const struct qp *qp, struct send_wr *wr)
{
	const uint8_t *end, *p = wr_segs(wr, &end), *next;
	const uint64_t most = 1ull << log_max_msg(qp);
	struct data_seg s;

	for (; p < end; p = next) {
		next = data_seg_next(p, end, &s);
		if (!next) {
			sq_refuse(qp, wr, VENDOR_SEGMENT,
				  "an inline segment's byte_count runs past ds");
			return;
		}
		if (sim_tracing)
			trace_seg(qp, wr, &s, p);
		if (s.inl && !ops[wr->opcode].inline_ok) {
			sq_refuse(qp, wr, VENDOR_SEGMENT, "this opcode takes no inline segment");
			return;
		}
		wr->len += s.len;
	}
	if (wr->len <= most)
		return;
	sim_refuse("qp 0x%x: send WQE %u: a message of %llu bytes is over qpc.log_msg_max",
		   qp->o.id, wr->index, (unsigned long long)wr->len);
	sq_fail(wr, PRM_SYNDROME_LOCAL_LENGTH_ERR, 0);
}

static void parse_ctrl(const struct qp *qp, struct send_wr *wr)
{
	const struct op_row *op = qp->raw ? &raw_ops[wr->opcode] : &ops[wr->opcode];
	const uint8_t *w = wr->wqe;
	uint8_t fm = (uint8_t)prm_wqe_ctrl_seg_get_fm(w);

	wr->kind = op->kind;
	wr->opmod = (uint8_t)prm_wqe_ctrl_seg_get_opmod(w);
	wr->signaled = prm_wqe_ctrl_seg_get_ce(w) >= PRM_WQE_CE_ALWAYS;
	wr->solicited = prm_wqe_ctrl_seg_get_se(w);
	wr->fence = fm == PRM_WQE_FM_FENCE || fm == PRM_WQE_FM_SMALL_AND_FENCE;
	wr->strong = fm == PRM_WQE_FM_STRONG_ORDERING;
	wr->has_imm = op->imm;
	memcpy(&wr->imm, w + PRM_WQE_CTRL_SEG_BYTES - sizeof(wr->imm), sizeof(wr->imm));
	if (!op->known)
		sq_refuse(qp, wr, VENDOR_OPCODE, "no such opcode, or its capability is clear");
	else if (wr->ds < op->min_ds)
		sq_refuse(qp, wr, VENDOR_DS, "ds is too small for the opcode");
	else if (prm_wqe_ctrl_seg_get_wqe_index(w) != wr->index)
		sq_refuse(qp, wr, VENDOR_INDEX, "wqe_index is not the slot's"); /* [I] */
	else if (prm_wqe_ctrl_seg_get_qpn(w) != qp->o.id)
		sq_refuse(qp, wr, VENDOR_QPN, "qpn is not this queue's"); /* [I] */
}

static void sq_parse(struct qp *qp, struct send_wr *wr)
{
	parse_ctrl(qp, wr);
	if (wr->error || qp->raw)
		return;
	if (ops[wr->opcode].raddr) {
		wr->raddr = prm_wqe_raddr_seg_get_raddr(wr->wqe + DS);
		wr->rkey = prm_wqe_raddr_seg_get_rkey(wr->wqe + DS);
	}
	if (wr->opcode == PRM_WQE_OPCODE_MMO)
		mmo_check(qp, wr);
	else if (wr->opcode != PRM_WQE_OPCODE_NOP)
		parse_segments(qp, wr);
}

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
	wr = wr_new(dp_of(&qp->o), ds * DS);
	if (!wr)
		return NULL;
	memcpy(wr->wqe, w, ds * DS);
	wr->index = qp->sq_ci;
	wr->ds = (uint8_t)ds;
	wr->blocks = (uint8_t)n;
	wr->opcode = (uint8_t)prm_wqe_ctrl_seg_get_opcode(wr->wqe);
	if (bad)
		sq_refuse(qp, wr, bad,
			  bad == VENDOR_DS ? "ds is 0, or over the largest WQE or the ring"
					   : "ds reaches past the doorbell record");
	qp->sq_ci = (uint16_t)(qp->sq_ci + wr->blocks);
	return wr;
}

/* --- running ------------------------------------------------------------------------------- */

void sq_ready(struct qp *qp)
{
	struct dp_qp *d = qp->dp;

	if (d->ready)
		return;
	d->ready = true;
	TAILQ_INSERT_TAIL(&dp_of(&qp->o)->ready, d, ready_link);
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

static bool room(const struct qp *qp)
{
	return qp->raw ? raw_room(qp) : net_room(qp) > 0;
}

/* A queue whose packets go long ways sends one in a turn; the others' are as many as ever. */
static bool waits(const struct qp *qp, unsigned int sent)
{
	return qp->raw && sent && qp->dp->slow;
}

/* A bad WQE still takes its turn: those before it complete first, what comes after is flushed. */
static void fetch_some(struct qp *qp, struct self_batch *batch)
{
	struct send_wr *wr;
	bool bad;

	for (unsigned int i = 0; i < SHARE && pending(qp) && room(qp) && !waits(qp, i); i++) {
		wr = next_wr(qp);
		if (!wr) {
			if (qp->raw)
				raw_flush(qp);
			ring_gone(qp);
			return;
		}
		if (sim_tracing)
			trace_head(qp, wr);
		if (!wr->error)
			sq_parse(qp, wr);
		bad = wr->error;
		self_note(batch, qp, wr);
		(qp->raw ? raw_send : net_post)(qp, wr);
		if (bad || qp->state != QP_RTS)
			return;
	}
	if (qp->raw)
		raw_flush(qp);
	/* The wire tells nobody when it has room again: a raw queue looks itself. */
	if (pending(qp) && (qp->raw || net_room(qp)))
		sq_ready(qp);
}

static void fetch(struct qp *qp)
{
	struct self_batch batch;

	batch.n = 0; /* the rest of it is large, and not looked at */
	fetch_some(qp, &batch);
	self_gather(&batch, qp);
}

bool sq_run(struct dp *dp)
{
	struct dp_qp *last = TAILQ_LAST(&dp->ready, dp_qp_list), *d;
	bool end = false, did = false;

	while (!end && (d = TAILQ_FIRST(&dp->ready))) {
		end = d == last;
		TAILQ_REMOVE(&dp->ready, d, ready_link);
		d->ready = false;
		if (d->qp->state == QP_RTS)
			fetch(d->qp);
		did = true;
	}
	return did;
}

void sq_reset(struct qp *qp)
{
	struct dp_qp *d = qp->dp;
	struct send_wr *wr;

	while ((wr = d->flush)) {
		d->flush = wr->next;
		wr_free(dp_of(&qp->o), wr);
	}
	d->flush_tail = &d->flush;
	if (d->ready)
		TAILQ_REMOVE(&dp_of(&qp->o)->ready, d, ready_link);
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
			prm_cqe64_set_timestamp(
				cqe, qp->o.vhca->dev->clock->now(qp->o.vhca->dev->clock));
			prm_cqe64_set_s_wqe_opcode(cqe, wr->opcode);
			prm_cqe64_set_qpn(cqe, qp->o.id);
			prm_cqe64_set_wqe_counter(cqe, wr->index);
			prm_cqe64_set_opcode(cqe, PRM_CQE_OPCODE_REQ);
			cq_filled(qp->scq, false);
		} else {
			qp_error(qp, PRM_EVENT_WQ_CATAS_ERROR);
		}
	}
	wr_free(dp_of(&qp->o), wr);
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
	wr_free(dp_of(&qp->o), wr);
	qp_error(qp, 0);
}

unsigned int sq_flush(struct qp *qp, unsigned int n)
{
	struct dp_qp *d = qp->dp;
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
		wr_free(dp_of(&qp->o), wr);
	}
	return done;
}
