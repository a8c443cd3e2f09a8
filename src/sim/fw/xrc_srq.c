/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * XRC shared receive queues: like RMPs, with an XRC domain, a CQ and an older layout of the
 * context.
 */
#include <inttypes.h>
#include <string.h>
#include <dvx/prm/wqe.h>
#include "cmd.h"
#include "queue/queue.h"
#include "obj/cq.h"
#include "obj/srq.h"

#define LOG_SEG		   4u /* log_rq_stride counts from 16 bytes */
#define LOG_LINKED	   5u /* a link and one data segment */
#define ADAPTER_PAGE_SHIFT 12
#define ARM_XRC_OP_MOD	   1 /* mlx5_ifc.h: MLX5_ARM_XRC_SRQ_IN_OP_MOD_XRC_SRQ */

static int xrc_srq_check(struct fw_cmd *c, const void *ctx)
{
	const struct fw_absent absent[] = {
		{prm_xrc_srqc_get_state(ctx), "xrc_srqc.state", "an SRQ begins in 0 (GOOD)"},
		{prm_xrc_srqc_get_wq_signature(ctx), "xrc_srqc.wq_signature",
		 "cap.wq_signature is 0"},
		{prm_xrc_srqc_get_rlky(ctx), "xrc_srqc.rlky", "the reserved lkey is the kernel's"},
		{prm_xrc_srqc_get_dbr_umem_valid(ctx), "xrc_srqc.dbr_umem_valid",
		 "where its umem's number stands is not public, and programs name no bus "
		 "addresses"},
		{prm_create_xrc_srq_in_get_xrc_srq_umem_valid(c->in), "xrc_srq_umem_valid",
		 "where its umem's number stands is not public, and programs name no bus "
		 "addresses"},
	};
	const unsigned int log_stride = prm_xrc_srqc_get_log_rq_stride(ctx) + LOG_SEG;

	if (FW_CHECK_ABSENT(c, absent))
		return -1;
	if (prm_xrc_srqc_get_log_xrc_srq_size(ctx) > VHCA_LOG_MAX_SRQ_SZ ||
	    log_stride < LOG_LINKED || log_stride > FW_LOG_MAX_WQE)
		return fw_refuse(c, FW_SYN_SIZE,
				 "xrc_srqc.log_xrc_srq_size %u is more than %u, or log_rq_stride "
				 "%u is not within %u..%u",
				 prm_xrc_srqc_get_log_xrc_srq_size(ctx), VHCA_LOG_MAX_SRQ_SZ,
				 log_stride - LOG_SEG, LOG_LINKED - LOG_SEG,
				 FW_LOG_MAX_WQE - LOG_SEG);
	if (prm_xrc_srqc_get_lwm(ctx) > 1u << prm_xrc_srqc_get_log_xrc_srq_size(ctx))
		return fw_refuse(c, FW_SYN_SIZE, "xrc_srqc.lwm %u is more than %u entries",
				 prm_xrc_srqc_get_lwm(ctx),
				 1u << prm_xrc_srqc_get_log_xrc_srq_size(ctx));
	return 0;
}

static int xrc_srq_take_memory(struct fw_cmd *c, const void *ctx, struct srq *s)
{
	const uint64_t record = (uint64_t)prm_xrc_srqc_get_db_record_addr_h(ctx) << 32 |
				(uint64_t)prm_xrc_srqc_get_db_record_addr_l(ctx) << 2;
	const struct fw_buffer b = {
		.page_offset = prm_xrc_srqc_get_page_offset(ctx),
		.log_page = prm_xrc_srqc_get_log_page_size(ctx) + ADAPTER_PAGE_SHIFT,
		.pas = (const uint8_t *)c->in + PRM_CREATE_XRC_SRQ_IN_BYTES,
		.pas_at = PRM_CREATE_XRC_SRQ_IN_BYTES,
	};
	uint64_t dbrec;

	if (fw_ring(c, &b, 1ull << (s->log_size + s->log_stride), &s->ring) ||
	    fw_dbrec(c, false, 0, record, &dbrec, &s->dbr_umem))
		return -1;
	s->dbrec = dbrec;
	return srq_start(s) ? fw_refuse(c, FW_SYN_MEMORY, "no memory for one more XRC SRQ") : 0;
}

static int xrc_srq_take(struct fw_cmd *c, const void *ctx, struct srq *s)
{
	s->log_size = (uint8_t)prm_xrc_srqc_get_log_xrc_srq_size(ctx);
	s->log_stride = (uint8_t)(prm_xrc_srqc_get_log_rq_stride(ctx) + LOG_SEG);
	s->linked = !prm_xrc_srqc_get_basic_cyclic_rcv_wqe(ctx);
	s->head = s->linked ? PRM_WQE_SRQ_NEXT_SEG_BYTES : 0;
	s->lwm = (uint16_t)prm_xrc_srqc_get_lwm(ctx);
	s->pdn = prm_xrc_srqc_get_pd(ctx);
	s->user_index = prm_xrc_srqc_get_user_index_equal_xrc_srqn(ctx)
				? s->o.id
				: prm_xrc_srqc_get_user_index(ctx);
	memcpy(s->ctx, ctx, PRM_XRC_SRQC_BYTES);
	s->pd = fw_take(c, OBJ_PD, s->pdn, "xrc_srqc.pd");
	s->xrcd = s->pd ? fw_take(c, OBJ_XRCD, prm_xrc_srqc_get_xrcd(ctx), "xrc_srqc.xrcd") : NULL;
	s->cq = s->xrcd ? fw_take(c, OBJ_CQ, prm_xrc_srqc_get_cqn(ctx), "xrc_srqc.cqn") : NULL;
	return s->cq ? xrc_srq_take_memory(c, ctx, s) : -1;
}

int fw_create_xrc_srq(struct fw_cmd *c)
{
	const void *ctx = prm_create_xrc_srq_in_cat_xrc_srq_context_entry(c->in);
	struct srq *s = xrc_srq_check(c, ctx) ? NULL : fw_new(c, OBJ_SRQ, sizeof(*s));

	return s ? fw_made(c, &s->o, xrc_srq_take(c, ctx, s)) : -1;
}

/* Refuses an RMP, whose number is of the same kind. */
static int xrc_srq_check_kind(struct fw_cmd *c)
{
	const struct srq *s = c->obj;

	return s->xrcd ? 0 : fw_refuse(c, FW_SYN_NO_OBJECT, "xrc_srqn 0x%x is an RMP", s->o.id);
}

int fw_query_xrc_srq(struct fw_cmd *c)
{
	const struct srq *s = c->obj;
	void *ctx = prm_query_xrc_srq_out_at_xrc_srq_context_entry(c->out);

	if (xrc_srq_check_kind(c))
		return -1;
	memcpy(ctx, s->ctx, PRM_XRC_SRQC_BYTES);
	prm_xrc_srqc_set_state(ctx, s->failed ? PRM_SRQC_STATE_ERROR : PRM_SRQC_STATE_GOOD);
	prm_xrc_srqc_set_lwm(ctx, s->lwm);
	prm_xrc_srqc_set_wqe_cnt(ctx, (uint16_t)(s->pi - s->ci));
	return 0;
}

int fw_arm_xrc_srq(struct fw_cmd *c)
{
	struct srq *s = c->obj;
	const uint32_t lwm = prm_arm_xrc_srq_in_get_lwm(c->in);

	if (xrc_srq_check_kind(c))
		return -1;
	if (c->op_mod != ARM_XRC_OP_MOD)
		return fw_refuse(c, FW_SYN_OP_MOD, "op_mod is 0x%x, an XRC SRQ is armed by 1",
				 c->op_mod);
	if (lwm > 1u << s->log_size)
		return fw_refuse(c, FW_SYN_SIZE, "lwm %u is more than %u entries", lwm,
				 1u << s->log_size);
	srq_arm(s, (uint16_t)lwm);
	return 0;
}

int fw_destroy_xrc_srq(struct fw_cmd *c)
{
	return xrc_srq_check_kind(c) ? -1 : fw_destroy_object(c);
}
