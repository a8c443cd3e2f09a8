/* SPDX-License-Identifier: BSD-2-Clause */
/* DevX objects on the program's umems, and keys over them and over device memory. */
#include "uverbs.h"

#include <dvx/prm/cmd.h>
#include <dvx/prm/cq.h>
#include <dvx/prm/eth.h>
#include <dvx/prm/flow.h>
#include <dvx/prm/misc.h>
#include <dvx/prm/mkey.h>
#include <dvx/prm/qp.h>
#include <dvx/prm/rq.h>

#define CQ_AT	0x10000u
#define ANY_UAR 64u

/* The number of what lives and is this file's; now and then any at all. */
static uint32_t some(enum obj_type type)
{
	uint32_t found = any(1u << 16), n = 0;
	const struct obj *o;

	for (uint32_t id = 0; any(64) && (o = obj_next(f->v, type, id)); id = o->id + 1)
		if (o->uid == f->f->uid && !any(++n))
			found = o->id;
	return found;
}

/* Where something lies in a umem: mostly well within it. */
static uint32_t place(uint32_t good)
{
	return any(16) ? good : any(FX_MEM);
}

void make_umem(void)
{
	struct request r;

	rq_init(&r, MLX5_IB_OBJECT_DEVX_UMEM, MLX5_IB_METHOD_DEVX_UMEM_REG);
	rq_handle(&r, MLX5_IB_ATTR_DEVX_UMEM_REG_HANDLE, 0);
	rq_value(&r, MLX5_IB_ATTR_DEVX_UMEM_REG_ADDR, (uintptr_t)f->mem + (any(4) ? 0 : any(8192)),
		 8);
	rq_value(&r, MLX5_IB_ATTR_DEVX_UMEM_REG_LEN, any(4) ? FX_MEM / 2 : any(FX_MEM), 8);
	rq_value(&r, MLX5_IB_ATTR_DEVX_UMEM_REG_ACCESS, !!any(8), 4);
	rq_out(&r, MLX5_IB_ATTR_DEVX_UMEM_REG_OUT_ID, 4);
	run_request(&r);
}

static void create(const void *in, size_t len)
{
	struct request r;

	rq_init(&r, MLX5_IB_OBJECT_DEVX_OBJ, MLX5_IB_METHOD_DEVX_OBJ_CREATE);
	rq_handle(&r, MLX5_IB_ATTR_DEVX_OBJ_CREATE_HANDLE, 0);
	rq_in(&r, MLX5_IB_ATTR_DEVX_OBJ_CREATE_CMD_IN, in, any(32) ? len : any((uint32_t)len + 64));
	rq_out(&r, MLX5_IB_ATTR_DEVX_OBJ_CREATE_CMD_OUT, 16);
	run_request(&r);
}

void make_devx_number(void)
{
	uint8_t in[16 + 64] = {0};

	prm_mbox_in_set_opcode(in, any(2) ? PRM_OPCODE_ALLOC_PD : PRM_OPCODE_ALLOC_TRANSPORT_DOMAIN);
	create(in, 16);
}

void make_devx_tis(void)
{
	uint8_t in[PRM_CREATE_TIS_IN_BYTES + 64] = {0};

	prm_create_tis_in_set_opcode(in, PRM_OPCODE_CREATE_TIS);
	prm_tisc_set_transport_domain(prm_create_tis_in_at_ctx(in), some(OBJ_TD));
	create(in, PRM_CREATE_TIS_IN_BYTES);
}

void make_devx_mkey(void)
{
	uint8_t in[PRM_CREATE_MKEY_IN_BYTES + 64] = {0};
	void *mkc = prm_create_mkey_in_at_memory_key_mkey_entry(in);

	prm_create_mkey_in_set_opcode(in, PRM_OPCODE_CREATE_MKEY);
	prm_create_mkey_in_set_mkey_umem_id(in, some(OBJ_UMEM));
	prm_create_mkey_in_set_mkey_umem_offset(in, place(DATA_AT));
	prm_mkc_set_access_mode_1_0(mkc, any(16) ? PRM_MKC_ACCESS_MODE_MTT : any(4));
	prm_mkc_set_access_mode_4_2(mkc, !any(16));
	prm_mkc_set_lr(mkc, 1);
	prm_mkc_set_lw(mkc, any(2));
	prm_mkc_set_qpn(mkc, 0xffffff);
	prm_mkc_set_pd(mkc, some(OBJ_PD));
	prm_mkc_set_start_addr(mkc, (uintptr_t)f->mem + DATA_AT);
	prm_mkc_set_len(mkc, place(4096));
	prm_mkc_set_log_page_size(mkc, any(16) ? 12 : any(64));
	create(in, PRM_CREATE_MKEY_IN_BYTES);
}

void make_devx_cq(void)
{
	uint8_t in[PRM_CREATE_CQ_IN_BYTES + 64] = {0};
	void *cqc = prm_create_cq_in_at_cq_context(in);

	prm_create_cq_in_set_opcode(in, PRM_OPCODE_CREATE_CQ);
	prm_create_cq_in_set_cq_umem_id(in, some(OBJ_UMEM));
	prm_create_cq_in_set_cq_umem_offset(in, place(CQ_AT));
	prm_cqc_set_dbr_umem_id(cqc, any(2) ? prm_create_cq_in_get_cq_umem_id(in) : some(OBJ_UMEM));
	prm_cqc_set_dbr_addr(cqc, place(CQ_DB));
	prm_cqc_set_log_cq_size(cqc, any(16) ? 7 : any(32));
	prm_cqc_set_uar_page(cqc, any(4) ? fx_uar(f) : any(ANY_UAR));
	prm_cqc_set_c_eqn_or_apu_element(cqc, any(16) ? file_function(f->f)->eqn : any(4));
	create(in, PRM_CREATE_CQ_IN_BYTES);
}

static void fill_wq(void *wq, uint32_t at, uint32_t log_stride)
{
	prm_wq_set_pd(wq, some(OBJ_PD));
	prm_wq_set_uar_page(wq, any(4) ? fx_uar(f) : any(ANY_UAR));
	prm_wq_set_wq_type(wq, any(32) ? PRM_WQ_TYPE_CYCLIC : any(4));
	prm_wq_set_wq_umem_id(wq, some(OBJ_UMEM));
	prm_wq_set_wq_umem_offset(wq, place(at));
	prm_wq_set_dbr_umem_id(wq, some(OBJ_UMEM));
	prm_wq_set_dbr_addr(wq, place(QP_DB));
	prm_wq_set_log_wq_stride(wq, any(16) ? log_stride : any(16));
	prm_wq_set_log_wq_sz(wq, any(16) ? 6 : any(32));
}

void make_devx_queue(void)
{
	uint8_t in[PRM_CREATE_SQ_IN_BYTES + 64] = {0};
	bool sq = any(2);
	void *ctx = prm_create_sq_in_at_ctx(in);

	if (sq) {
		prm_create_sq_in_set_opcode(in, PRM_OPCODE_CREATE_SQ);
		prm_sqc_set_cqn(ctx, some(OBJ_CQ));
		prm_sqc_set_tis_lst_sz(ctx, 1);
		prm_sqc_set_tis_num_0(ctx, some(OBJ_TIS));
		fill_wq(prm_sqc_at_wq(ctx), SQ_AT, 6);
	} else {
		prm_create_rq_in_set_opcode(in, PRM_OPCODE_CREATE_RQ);
		prm_rqc_set_cqn(ctx, some(OBJ_CQ));
		fill_wq(prm_rqc_at_wq(ctx), QP_AT, 6);
	}
	create(in, PRM_CREATE_SQ_IN_BYTES);
}

void make_devx_qp(void)
{
	uint8_t in[PRM_CREATE_QP_IN_BYTES + 64] = {0};
	void *qpc = prm_create_qp_in_at_qpc(in);

	prm_create_qp_in_set_opcode(in, PRM_OPCODE_CREATE_QP);
	prm_create_qp_in_set_wq_umem_id(in, some(OBJ_UMEM));
	prm_create_qp_in_set_wq_umem_offset(in, place(QP_AT));
	prm_qpc_set_pd(qpc, some(OBJ_PD));
	prm_qpc_set_log_rq_size(qpc, any(16) ? 6 : any(16));
	prm_qpc_set_log_rq_stride(qpc, any(16) ? 2 : any(8));
	prm_qpc_set_log_sq_size(qpc, any(16) ? 6 : any(16));
	prm_qpc_set_no_sq(qpc, !any(8));
	prm_qpc_set_uar_page(qpc, any(4) ? fx_uar(f) : any(ANY_UAR));
	prm_qpc_set_cqn_snd(qpc, some(OBJ_CQ));
	prm_qpc_set_cqn_rcv(qpc, some(OBJ_CQ));
	prm_qpc_set_dbr_umem_id(qpc, some(OBJ_UMEM));
	prm_qpc_set_dbr_addr(qpc, place(QP_DB));
	create(in, PRM_CREATE_QP_IN_BYTES);
}

/* Whatever a handle stands for: its own kind of state change, or another's. */
void modify_devx(void)
{
	static const uint16_t opcodes[] = {
		PRM_OPCODE_MODIFY_SQ, PRM_OPCODE_MODIFY_RQ,	 PRM_OPCODE_MODIFY_CQ,
		PRM_OPCODE_2ERR_QP,   PRM_OPCODE_2RST_QP,	 PRM_OPCODE_RST2INIT_QP,
		PRM_OPCODE_MODIFY_TIR, PRM_OPCODE_MODIFY_FLOW_TABLE};
	static const uint16_t lengths[] = {
		PRM_MODIFY_SQ_IN_BYTES,	 PRM_MODIFY_RQ_IN_BYTES, PRM_MODIFY_CQ_IN_BYTES,
		PRM_QP_2ERR_IN_BYTES,	 PRM_QP_2RST_IN_BYTES,	 PRM_RST2INIT_QP_IN_BYTES,
		PRM_MODIFY_TIR_IN_BYTES, PRM_MODIFY_FLOW_TABLE_IN_BYTES};
	const struct devx_obj *o = (struct devx_obj *)pick(&devx_obj_class);
	uint8_t in[1024] = {0};
	unsigned int i = any(8);
	struct request r;

	if (!o)
		return;
	prm_mbox_in_set_opcode(in, opcodes[i]);
	prm_store32(in, 8, (uint32_t)o->obj_id & 0xffffff);
	if (i < 2) { /* rq_state and sq_state lie alike, and the contexts' states too */
		prm_modify_rq_in_set_rq_state(in, any(2) ? 0 : any(4));
		prm_rqc_set_state(prm_modify_rq_in_at_ctx(in), any(4));
	}
	rq_init(&r, MLX5_IB_OBJECT_DEVX_OBJ, MLX5_IB_METHOD_DEVX_OBJ_MODIFY);
	rq_handle(&r, MLX5_IB_ATTR_DEVX_OBJ_MODIFY_HANDLE,
		  any(8) ? o->u.id : handle(&devx_obj_class));
	rq_in(&r, MLX5_IB_ATTR_DEVX_OBJ_MODIFY_CMD_IN, in, lengths[i]);
	rq_out(&r, MLX5_IB_ATTR_DEVX_OBJ_MODIFY_CMD_OUT, 16);
	run_request(&r);
}

void make_dm_mr(void)
{
	struct request r;

	rq_init(&r, UVERBS_OBJECT_MR, UVERBS_METHOD_DM_MR_REG);
	rq_handle(&r, UVERBS_ATTR_REG_DM_MR_HANDLE, 0);
	rq_handle(&r, UVERBS_ATTR_REG_DM_MR_PD_HANDLE, handle(&pd_class));
	rq_handle(&r, UVERBS_ATTR_REG_DM_MR_DM_HANDLE, handle(&dm_class));
	rq_value(&r, UVERBS_ATTR_REG_DM_MR_OFFSET, any(2) ? 0 : any(1 << 13), 8);
	rq_value(&r, UVERBS_ATTR_REG_DM_MR_LENGTH, any(1 << 13), 8);
	rq_value(&r, UVERBS_ATTR_REG_DM_MR_ACCESS_FLAGS, IB_UVERBS_ACCESS_ZERO_BASED | any(2), 4);
	rq_out(&r, UVERBS_ATTR_REG_DM_MR_RESP_LKEY, 4);
	rq_out(&r, UVERBS_ATTR_REG_DM_MR_RESP_RKEY, 4);
	run_request(&r);
}
