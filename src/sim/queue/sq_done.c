/* SPDX-License-Identifier: BSD-2-Clause */
/* Completions of a send queue's requests, good and bad. */
#include <dvx/prm/cqe.h>
#include <dvx/prm/eqe.h>
#include "priv.h"
#include "base/log.h"

#define RULE_FAILED (1u << 31) /* in byte_cnt */

static uint32_t sq_byte_count(const struct send_wr *wr)
{
	if (wr->rule_failed)
		return RULE_FAILED;
	return wr->kind >= SEND_READ ? (uint32_t)wr->len : 0;
}

/* Makes the CQE of a request that is done, and frees the request. */
static __attribute__((noinline)) void sq_done_cqe(struct sq *sq, struct send_wr *wr)
{
	uint8_t *cqe = cq_next(sq->cq);

	if (cqe) {
		prm_cqe64_set_user_index(cqe, sq->q->user_index);
		prm_cqe64_set_byte_cnt(cqe, sq_byte_count(wr));
		prm_cqe64_set_timestamp(cqe, queue_timestamp(sq->q));
		prm_cqe64_set_s_wqe_opcode(cqe, wr->opcode);
		prm_cqe64_set_qpn(cqe, sq->q->o.id);
		prm_cqe64_set_wqe_counter(cqe, wr->index);
		prm_cqe64_set_opcode(cqe, PRM_CQE_OPCODE_REQ);
		if (wr->inl)
			cqe_inline(cqe, wr->wqe, wr->inl, sq->inline_most);
		cq_filled(sq->cq, false);
	} else {
		error_count_no_cqe(sq->q, sq->cq);
		queue_error(sq->q, PRM_EVENT_WQ_CATAS_ERROR);
	}
	wr_free(queues_of(&sq->q->o), wr);
}

void sq_done(struct sq *sq, struct send_wr *wr)
{
	sq->done = (uint16_t)(wr->index + wr->blocks);
	if (wr->signaled || wr->rule_failed)
		sq_done_cqe(sq, wr);
	else
		wr_free(queues_of(&sq->q->o), wr);
}

void sq_error_cqe(struct sq *sq, const struct send_wr *wr, uint8_t syndrome, uint8_t vendor)
{
	static const uint8_t vendor_of[256] = {
		[PRM_SYNDROME_LOCAL_PROT_ERR] = PRM_VENDOR_SYNDROME_LOCAL_PROT,
		[PRM_SYNDROME_WR_FLUSH_ERR] = PRM_VENDOR_SYNDROME_FLUSHED,
		[PRM_SYNDROME_REMOTE_ACCESS_ERR] = PRM_VENDOR_SYNDROME_REMOTE_ACCESS,
		[PRM_SYNDROME_REMOTE_OP_ERR] = PRM_VENDOR_SYNDROME_REMOTE_OP,
		[PRM_SYNDROME_REMOTE_INVAL_REQ_ERR] = PRM_VENDOR_SYNDROME_REMOTE_INVAL_REQ,
		[PRM_SYNDROME_TRANSPORT_RETRY_EXC_ERR] = PRM_VENDOR_SYNDROME_RETRY_EXCEEDED,
	};
	uint8_t *cqe = cq_next(sq->cq);

	error_count_request(sq->q, syndrome);
	sq->done = (uint16_t)(wr->index + wr->blocks);
	if (!cqe)
		return;
	prm_err_cqe_set_srqn(cqe, sq->q->user_index);
	prm_err_cqe_set_vendor_err_synd(cqe, vendor ? vendor : vendor_of[syndrome]);
	prm_err_cqe_set_syndrome(cqe, syndrome);
	prm_err_cqe_set_s_wqe_opcode(cqe, wr->opcode);
	prm_err_cqe_set_qpn(cqe, sq->q->o.id);
	prm_err_cqe_set_wqe_counter(cqe, wr->index);
	prm_err_cqe_set_opcode(cqe, PRM_CQE_OPCODE_REQ_ERR);
	cq_filled(sq->cq, false);
}

/* Completes the request with an error, which makes a CQE with or without CQ_UPDATE. */
void sq_failed_alone(struct sq *sq, struct send_wr *wr, uint8_t syndrome, uint8_t vendor)
{
	sim_note("qp 0x%x: send WQE %u failed with syndrome 0x%02x", sq->q->o.id, wr->index,
		 syndrome);
	if (!sq->failed) {
		sq->failed = syndrome;
		sq->failed_wqe = wr->index;
	}
	sq_error_cqe(sq, wr, syndrome, vendor);
	wr_free(queues_of(&sq->q->o), wr);
}

void sq_failed(struct sq *sq, struct send_wr *wr, uint8_t syndrome, uint8_t vendor)
{
	sq_failed_alone(sq, wr, syndrome, vendor);
	queue_sends_failed(sq->q);
}
