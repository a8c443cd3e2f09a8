/* SPDX-License-Identifier: BSD-2-Clause */
/* Send WQEs become requests: their control segment, and the segments that transports' rows name. */
#include <string.h>
#include <dvx/prm/cqe.h>
#include <dvx/prm/wqe.h>
#include "priv.h"
#include "base/log.h"

#define DS 16u

void wqe_fail(struct send_wr *wr, uint8_t syndrome, uint8_t vendor)
{
	wr->error = syndrome;
	wr->vendor = vendor;
}

void wqe_refuse(const struct queue *q, struct send_wr *wr, uint8_t vendor, const char *why)
{
	sim_refuse("qp 0x%x: send WQE %u (opcode 0x%02x): %s", q->o.id, wr->index, wr->opcode,
		   why);
	wqe_fail(wr, PRM_SYNDROME_LOCAL_QP_OP_ERR, vendor);
}

/* [I] A context that says 0 leaves it at the most that the chip does. */
static unsigned int log_max_msg(const struct queue *q)
{
	const struct qp *qp = qp_of(q);

	return qp->log_msg_max ? qp->log_msg_max : q->o.vhca->dev->profile->log_max_msg;
}

void wqe_parse_data(struct queue *q, struct send_wr *wr)
{
	const bool inline_ok = (*q->transport->wqe)[wr->opcode].inline_ok;
	const uint8_t *end, *p = wr_segs(wr, &end), *next;
	const uint64_t most = 1ull << log_max_msg(q);
	struct data_seg s;

	for (; p < end; p = next) {
		next = data_seg_next(p, end, &s);
		if (!next) {
			wqe_refuse(q, wr, VENDOR_SEGMENT,
				   "an inline segment's byte_count runs past ds");
			return;
		}
		if (sim_tracing)
			data_seg_trace(q, &s, p, "sq", wr->index);
		if (s.inl && !inline_ok) {
			wqe_refuse(q, wr, VENDOR_SEGMENT, "this opcode takes no inline segment");
			return;
		}
		wr->len += s.len;
	}
	if (wr->len <= most)
		return;
	sim_refuse("qp 0x%x: send WQE %u: a message of %llu bytes is over qpc.log_msg_max",
		   q->o.id, wr->index, (unsigned long long)wr->len);
	wqe_fail(wr, PRM_SYNDROME_LOCAL_LENGTH_ERR, 0);
}

void wqe_parse_raddr(struct queue *q, struct send_wr *wr)
{
	const uint8_t *seg = wr->wqe + DS;

	if (sim_tracing)
		sim_trace("wqe", "wqe_raddr_seg", seg, PRM_WQE_RADDR_SEG_BYTES, "qp 0x%x sq %u",
			  q->o.id, wr->index);
	wr->raddr = prm_wqe_raddr_seg_get_raddr(seg);
	wr->rkey = prm_wqe_raddr_seg_get_rkey(seg);
	wqe_parse_data(q, wr);
}

static void wqe_parse_ctrl(const struct queue *q, struct send_wr *wr, const struct wqe_row *row)
{
	const uint8_t *w = wr->wqe;
	uint8_t fm = (uint8_t)prm_wqe_ctrl_seg_get_fm(w);

	wr->kind = row->kind;
	wr->data_at = row->data_at;
	wr->opmod = (uint8_t)prm_wqe_ctrl_seg_get_opmod(w);
	wr->signaled = prm_wqe_ctrl_seg_get_ce(w) >= PRM_WQE_CE_ALWAYS;
	wr->solicited = prm_wqe_ctrl_seg_get_se(w);
	wr->fence = fm == PRM_WQE_FM_FENCE || fm == PRM_WQE_FM_SMALL_AND_FENCE;
	wr->strong = fm == PRM_WQE_FM_STRONG_ORDERING;
	wr->has_imm = row->imm;
	memcpy(&wr->imm, w + PRM_WQE_CTRL_SEG_BYTES - sizeof(wr->imm), sizeof(wr->imm));
	if (!row->known)
		wqe_refuse(q, wr, VENDOR_OPCODE, "no such opcode, or its capability is clear");
	else if (wr->ds < row->min_ds)
		wqe_refuse(q, wr, VENDOR_DS, "ds is too small for the opcode");
	else if (prm_wqe_ctrl_seg_get_wqe_index(w) != wr->index)
		wqe_refuse(q, wr, VENDOR_INDEX, "wqe_index is not the slot's"); /* [I] */
	else if (prm_wqe_ctrl_seg_get_qpn(w) != q->o.id)
		wqe_refuse(q, wr, VENDOR_QPN, "qpn is not this queue's"); /* [I] */
}

void wqe_parse(struct queue *q, struct send_wr *wr)
{
	const struct wqe_row *row = &(*q->transport->wqe)[wr->opcode];

	wqe_parse_ctrl(q, wr, row);
	if (!wr->error && row->parse)
		row->parse(q, wr);
}
