/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include "cmd.h"
#include "queue/queue.h"
#include "obj/cq.h"
#include "obj/mkey.h"

#define ADAPTER_PAGE_SHIFT 12
#define MODIFY_OI	   4u /* modify_field_select */

static int check_context(struct fw_cmd *c, const void *cqc)
{
	unsigned int max = c->vhca->dev->profile->log_max_cq_sz;

	if (prm_cqc_get_log_cq_size(cqc) > max)
		return fw_refuse(c, PRM_STATUS_BAD_PARAM, FW_SYN_SIZE,
				 "cqc.log_cq_size %u is more than log_max_cq_sz %u",
				 prm_cqc_get_log_cq_size(cqc), max);
	if (prm_cqc_get_cqe_sz(cqc) > PRM_CQC_CQE_SZ_128)
		return fw_refuse(
			c, PRM_STATUS_BAD_PARAM, FW_SYN_UNSUPPORTED,
			"cqc.cqe_sz %u is not implemented, only 0 (64 bytes) and 1 (128) are",
			prm_cqc_get_cqe_sz(cqc));
	if (prm_cqc_get_cqe_comp_en(cqc))
		return fw_refuse(c, PRM_STATUS_BAD_PARAM, FW_SYN_UNSUPPORTED,
				 "cqc.cqe_comp_en is set: compressed CQEs are not implemented");
	if (prm_cqc_get_cc(cqc) || prm_cqc_get_apu_cq(cqc))
		return fw_refuse(c, PRM_STATUS_BAD_PARAM, FW_SYN_UNSUPPORTED,
				 "cqc.cc or cqc.apu_cq is set: neither is implemented");
	if (prm_cqc_get_cq_period(cqc) || prm_cqc_get_cq_max_count(cqc))
		return fw_refuse(
			c, PRM_STATUS_BAD_PARAM, FW_SYN_CAP_CLEAR,
			"cqc.cq_period or cq_max_count is set, but cap.cq_moderation is 0");
	return 0;
}

static int fw_cq_take_buffer(struct fw_cmd *c, const void *cqc, struct cq *cq)
{
	struct fw_buffer b = {
		.umem_valid = prm_create_cq_in_get_cq_umem_valid(c->in),
		.umem_id = prm_create_cq_in_get_cq_umem_id(c->in),
		.umem_offset = prm_create_cq_in_get_cq_umem_offset(c->in),
		.page_offset = prm_cqc_get_page_offset(cqc),
		.log_page = prm_cqc_get_log_page_size(cqc) + ADAPTER_PAGE_SHIFT,
		.pas = (const uint8_t *)c->in + PRM_CREATE_CQ_IN_BYTES,
		.pas_at = PRM_CREATE_CQ_IN_BYTES,
	};

	return fw_ring(c, &b, 1ull << (cq->log_size + cq->cqe_log), &cq->ring);
}

/* What the CQ refers to. On refusal, fw_cq_drop() lets go of what was taken. */
static int fw_cq_take(struct fw_cmd *c, const void *cqc, struct cq *cq)
{
	uint64_t dbrec;

	cq->log_size = (uint8_t)prm_cqc_get_log_cq_size(cqc);
	cq->cqe_log = prm_cqc_get_cqe_sz(cqc) == PRM_CQC_CQE_SZ_128 ? 7 : 6;
	cq->overrun_ignore = prm_cqc_get_oi(cqc);
	cq->eqn = prm_cqc_get_c_eqn_or_apu_element(cqc);
	cq->uar = prm_cqc_get_uar_page(cqc);
	cq->arm_state = PRM_CQC_ST_FIRED;
	cq->eq = fw_take_shared(c, OBJ_EQ, cq->eqn, "cqc.c_eqn");
	if (!cq->eq)
		return -1;
	cq->uar_obj = fw_take_shared(c, OBJ_UAR, cq->uar, "cqc.uar_page");
	if (!cq->uar_obj || fw_cq_take_buffer(c, cqc, cq) ||
	    fw_dbrec(c, prm_cqc_get_dbr_umem_valid(cqc), prm_cqc_get_dbr_umem_id(cqc),
		     prm_cqc_get_dbr_addr(cqc), &dbrec, &cq->dbr_umem))
		return -1;
	cq->dbrec = dbrec;
	memcpy(cq->cqc, cqc, sizeof(cq->cqc));
	return 0;
}

static void fw_do_cq_drop(struct cq *cq)
{
	ring_release(&cq->ring);
	obj_put(cq->dbr_umem);
	obj_put(cq->uar_obj);
	obj_put(cq->eq);
	obj_free(&cq->o);
}

int fw_create_cq(struct fw_cmd *c)
{
	const void *cqc = prm_create_cq_in_cat_cq_context(c->in);
	struct cq *cq;
	int err;

	if (check_context(c, cqc))
		return -1;
	cq = fw_new(c, OBJ_CQ, sizeof(*cq));
	if (!cq)
		return -1;
	if (fw_cq_take(c, cqc, cq)) {
		fw_do_cq_drop(cq);
		return -1;
	}
	err = cq_start(cq);
	if (err) {
		fw_do_cq_drop(cq);
		if (err == -ENOMEM)
			return fw_refuse(c, PRM_STATUS_NO_RES, FW_SYN_MEMORY,
					 "no memory for one more completion queue");
		return fw_refuse(c, PRM_STATUS_BAD_PARAM, FW_SYN_DMA,
				 "cqc.dbr_addr 0x%" PRIx64 " can't be written",
				 prm_cqc_get_dbr_addr(cqc));
	}
	prm_create_cq_out_set_cqn(c->out, cq->o.id);
	return 0;
}

void fw_cq_free(struct obj *o)
{
	struct cq *cq = (struct cq *)o;

	cq_stop(cq);
	fw_do_cq_drop(cq);
}

int fw_query_cq(struct fw_cmd *c)
{
	const struct cq *cq = fw_find(c, OBJ_CQ, prm_query_cq_in_get_cqn(c->in), "cqn");
	void *cqc = prm_query_cq_out_at_cq_context(c->out);

	if (!cq)
		return -1;
	memcpy(cqc, cq->cqc, sizeof(cq->cqc));
	prm_cqc_set_status(cqc, cq->status);
	prm_cqc_set_st(cqc, cq->arm_state);
	prm_cqc_set_oi(cqc, cq->overrun_ignore);
	prm_cqc_set_consumer_counter(cqc, cq->ci & 0xffffff);
	prm_cqc_set_producer_counter(cqc, cq->pi & 0xffffff);
	prm_cqc_set_last_notified_index(cqc, cq->notified_pi & 0xffffff);
	return 0;
}

int fw_modify_cq(struct fw_cmd *c)
{
	struct cq *cq = fw_find(c, OBJ_CQ, prm_modify_cq_in_get_cqn(c->in), "cqn");
	uint32_t select = prm_load32(prm_modify_cq_in_cat_modify_field_select(c->in), 0);

	if (!cq)
		return -1;
	if (c->op_mod)
		return fw_refuse(c, PRM_STATUS_BAD_PARAM, FW_SYN_CAP_CLEAR,
				 "op_mod is %u: resizing needs cap.cq_resize, which is 0",
				 c->op_mod);
	if (select & ~MODIFY_OI)
		return fw_refuse(c, PRM_STATUS_BAD_PARAM, FW_SYN_CAP_CLEAR,
				 "modify_field_select 0x%x: only oi (4) can be modified", select);
	if (select & MODIFY_OI)
		cq->overrun_ignore = prm_cqc_get_oi(prm_modify_cq_in_cat_cq_context(c->in));
	return 0;
}
