/* SPDX-License-Identifier: BSD-2-Clause */
/* Turns send WQEs into requests: the control segment, and the segments of the transport's row. */
#include <endian.h>
#include <string.h>
#include <dvx/prm/cqe.h>
#include <dvx/prm/wqe.h>
#include "data_seg.h"
#include "priv.h"

#define DS 16u

/* A request that fails is not `one`, so that nothing is done with its data at once. */
static void wqe_fail(struct send_wr *wr, uint8_t syndrome, uint8_t vendor)
{
	wr->one = false;
	wr->error = syndrome;
	wr->vendor = vendor;
}

void wqe_refuse(const struct queue *q, struct send_wr *wr, uint8_t vendor, const char *why)
{
	obj_refuse(&q->o, "send WQE %u (opcode 0x%02x): %s", wr->index, wr->opcode, why);
	wqe_fail(wr, PRM_SYNDROME_LOCAL_QP_OP_ERR, vendor);
}

/* Returns the largest message. [I] A context with 0 has the chip's limit. */
static unsigned int log_max_msg(const struct queue *q)
{
	const struct qp *qp = qp_of(q);

	return qp->log_msg_max ? qp->log_msg_max : q->o.vhca->dev->profile->log_max_msg;
}

static __attribute__((noinline)) void wqe_look_at_length(const struct queue *q, struct send_wr *wr)
{
	if (wr->len <= 1ull << log_max_msg(q))
		return;
	obj_refuse(&q->o, "send WQE %u: a message of %llu bytes is over qpc.log_msg_max", wr->index,
		   (unsigned long long)wr->len);
	wqe_fail(wr, PRM_SYNDROME_LOCAL_LENGTH_ERR, 0);
}

/* Nearly all messages are of 1 to so many bytes, and their context has a limit. */
static inline void wqe_check_length(const struct queue *q, struct send_wr *wr)
{
	if ((wr->len - 1) >> qp_of(q)->log_msg_max)
		wqe_look_at_length(q, wr);
}

static __attribute__((noinline)) void wqe_parse_list(struct queue *q, struct send_wr *wr)
{
	const uint8_t *end, *p = wr_segs(wr, &end), *next;
	const uint8_t *const first = p;
	struct data_seg *s = &wr->data;

	for (; p < end; p = next) {
		next = data_seg_next(p, end, s);
		if (!next) {
			wqe_refuse(q, wr, VENDOR_SEGMENT,
				   "an inline segment's byte_count runs past ds");
			return;
		}
		wqe_probe(q, wr, data_seg_layout(s), p);
		if (s->inl && !(*q->transport->wqe)[wr->opcode].inline_ok) {
			wqe_refuse(q, wr, VENDOR_SEGMENT, "this opcode takes no inline segment");
			return;
		}
		wr->len += s->len;
		wr->one = p == first;
	}
	wqe_check_length(q, wr);
}

/* Most requests have one segment, which points to memory. */
static inline __attribute__((always_inline)) void parse_data(struct queue *q, struct send_wr *wr)
{
	const uint8_t *end, *p = wr_segs(wr, &end);

	if (end - p != DATA_SEG_DS || prm_wqe_inline_seg_get_is_inline(p) ||
	    probe_active(PROBE_WQE)) {
		wqe_parse_list(q, wr);
		return;
	}
	data_seg_pointer(p, end, &wr->data);
	wr->len = wr->data.len;
	wr->one = true;
	wqe_check_length(q, wr);
}

void wqe_parse_data(struct queue *q, struct send_wr *wr)
{
	parse_data(q, wr);
}

void wqe_parse_raddr(struct queue *q, struct send_wr *wr)
{
	const uint8_t *seg = wr->wqe + wr->raddr_at * DS;

	wqe_probe(q, wr, "wqe_raddr_seg", seg);
	wr->raddr = prm_wqe_raddr_seg_get_raddr(seg);
	wr->rkey = prm_wqe_raddr_seg_get_rkey(seg);
	parse_data(q, wr);
}

/* --- atomics -------------------------------------------------------------------------------- */

/* Returns the operands, which lie behind the remote address. */
static const uint8_t *atomic_operands_of(const struct send_wr *wr)
{
	return wr->wqe + (wr->raddr_at + 1u) * DS;
}

static bool atomic_is_masked(const struct send_wr *wr)
{
	return wr->opcode == PRM_WQE_OPCODE_ATOMIC_MASKED_CS ||
	       wr->opcode == PRM_WQE_OPCODE_ATOMIC_MASKED_FA;
}

static uint8_t atomic_size(const struct send_wr *wr)
{
	return atomic_is_masked(wr) && wr->opmod == PRM_EXT_ATOMIC_OPMOD_4 ? 4 : 8;
}

static const char *atomic_layout(const struct send_wr *wr)
{
	static const char *const name[2][2] = {
		{"atomic_masked_cswap64_seg", "atomic_masked_cswap32_seg"},
		{"atomic_masked_fadd64_seg", "atomic_masked_fadd32_seg"},
	};
	const bool masked = atomic_is_masked(wr),
		   add = wr->opcode == PRM_WQE_OPCODE_ATOMIC_MASKED_FA;

	return masked ? name[add][atomic_size(wr) == 4] : "wqe_atomic_seg";
}

/* The data segments receive the old value. [I] They may have more room than that. */
void wqe_parse_atomic(struct queue *q, struct send_wr *wr)
{
	wqe_parse_raddr(q, wr);
	if (wr->error)
		return;
	wqe_probe(q, wr, atomic_layout(wr), atomic_operands_of(wr));
	if (wr->len < atomic_size(wr)) {
		obj_refuse(&q->o,
			   "send WQE %u: its data segments have no room for the %u bytes "
			   "that an atomic brings",
			   wr->index, atomic_size(wr));
		wqe_fail(wr, PRM_SYNDROME_LOCAL_LENGTH_ERR, 0);
	}
	wr->len = atomic_size(wr);
}

void wqe_parse_masked_atomic(struct queue *q, struct send_wr *wr)
{
	const bool swap = wr->opcode == PRM_WQE_OPCODE_ATOMIC_MASKED_CS;

	if (wr->opmod != PRM_EXT_ATOMIC_OPMOD_4 && wr->opmod != PRM_EXT_ATOMIC_OPMOD_8) {
		wqe_refuse(q, wr, VENDOR_SEGMENT,
			   "an extended atomic's opmod is 8 (4 bytes) or 9 (8 bytes)");
		return;
	}
	/* The operands of an 8-byte compare and swap are two segments. */
	wr->data_at =
		(uint8_t)(wr->raddr_at + (swap && wr->opmod == PRM_EXT_ATOMIC_OPMOD_8 ? 3 : 2));
	if (wr->ds < wr->data_at)
		wqe_refuse(q, wr, VENDOR_DS, "ds is too small for the opcode");
	else
		wqe_parse_atomic(q, wr);
}

static void wr_masked_atomic(const struct send_wr *wr, struct dma_atomic *a)
{
	const uint8_t *p = atomic_operands_of(wr);
	const bool half = a->size == 4;

	if (a->add) {
		a->value = half ? prm_atomic_masked_fadd32_seg_get_add(p)
				: prm_atomic_masked_fadd64_seg_get_add(p);
		a->mask = half ? prm_atomic_masked_fadd32_seg_get_field_boundary(p)
			       : prm_atomic_masked_fadd64_seg_get_field_boundary(p);
		return;
	}
	a->value = half ? prm_atomic_masked_cswap32_seg_get_swap(p)
			: prm_atomic_masked_cswap64_seg_get_swap(p);
	a->mask = half ? prm_atomic_masked_cswap32_seg_get_swap_mask(p)
		       : prm_atomic_masked_cswap64_seg_get_swap_mask(p);
	a->compare = half ? prm_atomic_masked_cswap32_seg_get_compare(p)
			  : prm_atomic_masked_cswap64_seg_get_compare(p);
	a->compare_mask = half ? prm_atomic_masked_cswap32_seg_get_compare_mask(p)
			       : prm_atomic_masked_cswap64_seg_get_compare_mask(p);
}

void wr_atomic(const struct send_wr *wr, struct dma_atomic *a)
{
	const uint8_t *p = atomic_operands_of(wr);

	*a = (struct dma_atomic){.size = atomic_size(wr)};
	a->add = wr->opcode == PRM_WQE_OPCODE_ATOMIC_FA ||
		 wr->opcode == PRM_WQE_OPCODE_ATOMIC_MASKED_FA;
	if (atomic_is_masked(wr)) {
		wr_masked_atomic(wr, a);
		return;
	}
	a->value = prm_wqe_atomic_seg_get_swap_add(p);
	a->compare = prm_wqe_atomic_seg_get_compare(p);
	if (!a->add)
		a->mask = a->compare_mask = UINT64_MAX;
}

/*
 * Stores the old value. With atomic_req_8B_endianness_mode 1, 8 bytes are in the CPU's order; UCX
 * reads 4 bytes of an extended atomic, and all that a CQE carries, as big-endian in either mode.
 */
uint8_t wr_atomic_found(struct queue *q, struct send_wr *wr, uint64_t old)
{
	const uint32_t word = htobe32((uint32_t)old);

	if (wr->len == sizeof(word))
		return wr_scatter(q, wr, 0, sizeof(word), &word);
	if (wr_inlines(q, wr))
		old = htobe64(old);
	return wr_scatter(q, wr, 0, sizeof(old), &old);
}

/* --- all ------------------------------------------------------------------------------------- */

static void wqe_parse_ctrl(const struct queue *q, struct send_wr *wr, const struct wqe_row *row)
{
	const uint8_t *w = wr->wqe;
	const uint32_t fm = prm_wqe_ctrl_seg_get_fm(w), ce = prm_wqe_ctrl_seg_get_ce(w);
	const bool solicited = prm_wqe_ctrl_seg_get_se(w);

	wr->kind = row->kind;
	wr->data_at = row->data_at;
	wr->raddr_at = (uint8_t)(1 + row->head);
	wr->opmod = (uint8_t)prm_wqe_ctrl_seg_get_opmod(w);
	wr->signaled = ce >= PRM_WQE_CE_ALWAYS;
	wr->solicited = solicited;
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
