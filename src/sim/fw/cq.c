/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include "cmd.h"
#include "obj/device.h"
#include "queue/queue.h"
#include "obj/cq.h"
#include "obj/mkey.h"

#define ADAPTER_PAGE_SHIFT 12
#define OP_MOD_RESIZE	   1

/* Bits of modify_field_select and resize_field_select. */
enum { MODIFY_PERIOD = 1, MODIFY_COUNT = 2, MODIFY_OI = 4, MODIFY_PERIOD_MODE = 16 };
enum { RESIZE_SIZE = 1, RESIZE_PAGE_OFFSET = 2, RESIZE_PAGE_SIZE = 4, RESIZE_UMEM = 8 };

static int check_size(struct fw_cmd *c, const void *cqc)
{
	unsigned int max = c->vhca->dev->profile->log_max_cq_sz;

	if (prm_cqc_get_log_cq_size(cqc) > max)
		return fw_refuse(c, FW_SYN_SIZE, "cqc.log_cq_size %u is more than log_max_cq_sz %u",
				 prm_cqc_get_log_cq_size(cqc), max);
	return 0;
}

static int check_period_mode(struct fw_cmd *c, const void *cqc)
{
	if (prm_cqc_get_cq_period_mode(cqc) > PRM_CQC_PERIOD_MODE_CQE)
		return fw_refuse(c, FW_SYN_UNSUPPORTED,
				 "cqc.cq_period_mode %u is neither 0 (event) nor 1 (CQE)",
				 prm_cqc_get_cq_period_mode(cqc));
	return 0;
}

static int check_compression(struct fw_cmd *c, const void *cqc)
{
	uint32_t format = prm_cqc_get_mini_cqe_res_format(cqc);

	if (!prm_cqc_get_cqe_comp_en(cqc))
		return 0;
	if (format > PRM_CQC_MINI_CQE_RES_FORMAT_CSUM &&
	    format != PRM_CQC_MINI_CQE_RES_FORMAT_CSUM_STRIDX)
		return fw_refuse(c, FW_SYN_UNSUPPORTED,
				 "cqc.mini_cqe_res_format %u is none of 0 (hash), 1 (checksum), 3 "
				 "(checksum and stride)",
				 format);
	if (prm_cqc_get_cqe_compression_layout(cqc))
		return fw_refuse(c, FW_SYN_CAP_CLEAR,
				 "cqc.cqe_compression_layout %u: cap.enhanced_cqe_compression is "
				 "0, only layout 0 exists",
				 prm_cqc_get_cqe_compression_layout(cqc));
	return 0;
}

static int check_context(struct fw_cmd *c, const void *cqc)
{
	if (check_size(c, cqc))
		return -1;
	if (prm_cqc_get_cqe_sz(cqc) > PRM_CQC_CQE_SZ_128_PAD)
		return fw_refuse(c, FW_SYN_UNSUPPORTED,
				 "cqc.cqe_sz %u is none of 0 (64 bytes), 1 (128), 2 (128 padded)",
				 prm_cqc_get_cqe_sz(cqc));
	if (check_compression(c, cqc))
		return -1;
	if (prm_cqc_get_cc(cqc) && prm_cqc_get_cqe_comp_en(cqc)) /* [I] */
		return fw_refuse(c, FW_SYN_UNSUPPORTED,
				 "cqc.cc and cqc.cqe_comp_en: one entry can't hold a session");
	if (prm_cqc_get_apu_cq(cqc))
		return fw_refuse(c, FW_SYN_UNSUPPORTED,
				 "cqc.apu_cq is set: this device has no APU");
	return check_period_mode(c, cqc);
}

static int fw_cq_take_buffer(struct fw_cmd *c, const void *cqc, struct cq *cq)
{
	struct fw_buffer b = {
		.write = true,
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

static void cq_take_moderation(struct cq *cq, const void *cqc, uint32_t select)
{
	if (select & MODIFY_PERIOD)
		cq->period = (uint16_t)prm_cqc_get_cq_period(cqc);
	if (select & MODIFY_COUNT)
		cq->max_count = (uint16_t)prm_cqc_get_cq_max_count(cqc);
	if (select & MODIFY_PERIOD_MODE)
		cq->period_from_cqe = prm_cqc_get_cq_period_mode(cqc) == PRM_CQC_PERIOD_MODE_CQE;
}

/* Takes references to the objects that the CQ names. On refusal, fw_cq_free() releases those taken. */
static int fw_cq_take(struct fw_cmd *c, const void *cqc, struct cq *cq)
{
	uint64_t dbrec;

	cq->log_size = (uint8_t)prm_cqc_get_log_cq_size(cqc);
	cq->cqe_log = prm_cqc_get_cqe_sz(cqc) == PRM_CQC_CQE_SZ_64 ? 6 : 7;
	cq->overrun_ignore = prm_cqc_get_oi(cqc);
	cq->collapsed = prm_cqc_get_cc(cqc);
	cq->special = prm_cqc_get_cqe_comp_en(cqc) ? CQ_COMPRESSES : 0;
	cq->mini_format = (uint8_t)prm_cqc_get_mini_cqe_res_format(cqc);
	cq->solicited_breaks = prm_cqc_get_scqe_break_moderation_en(cqc);
	cq_take_moderation(cq, cqc, UINT32_MAX);
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

void fw_cq_free(struct obj *o)
{
	struct cq *cq = (struct cq *)o;

	cq_stop(cq);
	ring_release(&cq->ring);
	obj_put(cq->dbr_umem);
	obj_put(cq->uar_obj);
	obj_put(cq->eq);
	obj_free(o);
}

static int fw_cq_start(struct fw_cmd *c, struct cq *cq)
{
	int err = cq_start(cq);

	if (err == -ENOMEM)
		return fw_refuse(c, FW_SYN_MEMORY, "no memory for one more completion queue");
	return err ? fw_refuse(c, FW_SYN_DMA, "cqc.dbr_addr 0x%" PRIx64 " can't be written",
			       prm_cqc_get_dbr_addr(cq->cqc))
		   : 0;
}

int fw_create_cq(struct fw_cmd *c)
{
	const void *cqc = prm_create_cq_in_cat_cq_context(c->in);
	struct cq *cq = check_context(c, cqc) ? NULL : fw_new(c, OBJ_CQ, sizeof(*cq));

	return cq ? fw_made(c, &cq->o, fw_cq_take(c, cqc, cq) || fw_cq_start(c, cq)) : -1;
}

int fw_query_cq(struct fw_cmd *c)
{
	const struct cq *cq = c->obj;
	void *cqc = prm_query_cq_out_at_cq_context(c->out);

	memcpy(cqc, cq->cqc, sizeof(cq->cqc));
	prm_cqc_set_status(cqc, cq->status);
	prm_cqc_set_st(cqc, cq->arm_state);
	prm_cqc_set_oi(cqc, cq->overrun_ignore);
	prm_cqc_set_cq_period(cqc, cq->period);
	prm_cqc_set_cq_max_count(cqc, cq->max_count);
	prm_cqc_set_cq_period_mode(cqc, cq->period_from_cqe);
	prm_cqc_set_consumer_counter(cqc, cq->ci & 0xffffff);
	prm_cqc_set_producer_counter(cqc, (uint32_t)cq->pi & 0xffffff);
	prm_cqc_set_last_notified_index(cqc, (uint32_t)cq->notified_pi & 0xffffff);
	return 0;
}

static int modify_fields(struct fw_cmd *c, struct cq *cq, uint32_t select)
{
	const void *cqc = prm_modify_cq_in_cat_cq_context(c->in);
	const uint32_t known = MODIFY_PERIOD | MODIFY_COUNT | MODIFY_OI | MODIFY_PERIOD_MODE;

	if (select & ~known)
		return fw_refuse(c, FW_SYN_CAP_CLEAR,
				 "modify_field_select 0x%x: only cq_period (1), cq_max_count (2), "
				 "oi (4) and cq_period_mode (16) can be modified",
				 select);
	if (select & MODIFY_PERIOD_MODE && check_period_mode(c, cqc))
		return -1;
	if (select & MODIFY_OI)
		cq->overrun_ignore = prm_cqc_get_oi(cqc);
	cq_take_moderation(cq, cqc, select);
	cq_moderate(cq);
	return 0;
}

/* Sets up a ring for the new size. Fields that are not selected keep their old values. */
static int resize_buffer(struct fw_cmd *c, const struct cq *cq, uint32_t select, uint8_t log_size,
			 struct ring *ring)
{
	const void *cqc = prm_modify_cq_in_cat_cq_context(c->in);
	const void *offset = select & RESIZE_PAGE_OFFSET ? cqc : cq->cqc;
	const void *page = select & RESIZE_PAGE_SIZE ? cqc : cq->cqc;
	struct fw_buffer b = {
		.write = true,
		.umem_valid = prm_modify_cq_in_get_cq_umem_valid(c->in),
		.umem_id = prm_modify_cq_in_get_cq_umem_id(c->in),
		.umem_offset = prm_modify_cq_in_get_cq_umem_offset(c->in),
		.page_offset = prm_cqc_get_page_offset(offset),
		.log_page = prm_cqc_get_log_page_size(page) + ADAPTER_PAGE_SHIFT,
		.pas = (const uint8_t *)c->in + PRM_MODIFY_CQ_IN_BYTES,
		.pas_at = PRM_MODIFY_CQ_IN_BYTES,
	};

	return fw_ring(c, &b, 1ull << (log_size + cq->cqe_log), ring);
}

static int check_resize(struct fw_cmd *c, const struct cq *cq, uint32_t select)
{
	const void *cqc = prm_modify_cq_in_cat_cq_context(c->in);

	if (select & ~(uint32_t)(RESIZE_SIZE | RESIZE_PAGE_OFFSET | RESIZE_PAGE_SIZE | RESIZE_UMEM))
		return fw_refuse(c, FW_SYN_UNSUPPORTED, "resize_field_select 0x%x has unknown bits",
				 select);
	if (cq->collapsed) /* [I] */
		return fw_refuse(c, FW_SYN_UNSUPPORTED,
				 "cqn 0x%x is collapsed (cqc.cc): resizing has no use", cq->o.id);
	if (prm_cqc_get_cqe_sz(cqc) != prm_cqc_get_cqe_sz(cq->cqc)) /* [I] */
		return fw_refuse(c, FW_SYN_UNSUPPORTED,
				 "cqc.cqe_sz %u is not the CQ's, %u: resizing does not change it",
				 prm_cqc_get_cqe_sz(cqc), prm_cqc_get_cqe_sz(cq->cqc));
	return check_size(c, cqc);
}

static void keep_resized(struct cq *cq, const void *cqc, uint32_t select)
{
	prm_cqc_set_log_cq_size(cq->cqc, cq->log_size);
	if (select & RESIZE_PAGE_OFFSET)
		prm_cqc_set_page_offset(cq->cqc, prm_cqc_get_page_offset(cqc));
	if (select & RESIZE_PAGE_SIZE)
		prm_cqc_set_log_page_size(cq->cqc, prm_cqc_get_log_page_size(cqc));
}

static int resize(struct fw_cmd *c, struct cq *cq, uint32_t select)
{
	const void *cqc = prm_modify_cq_in_cat_cq_context(c->in);
	uint8_t log_size =
		select & RESIZE_SIZE ? (uint8_t)prm_cqc_get_log_cq_size(cqc) : cq->log_size;
	struct ring ring;
	int err;

	if (check_resize(c, cq, select) || resize_buffer(c, cq, select, log_size, &ring))
		return -1;
	err = cq_resize(cq, &ring, log_size);
	if (err) {
		ring_release(&ring);
		return fw_refuse(c, FW_SYN_CQ_STATE, "cqn 0x%x %s", cq->o.id,
				 err == -ENOSPC ? "holds more CQEs than fit beside RESIZE_CQ"
						: "has failed");
	}
	keep_resized(cq, cqc, select);
	return 0;
}

int fw_modify_cq(struct fw_cmd *c)
{
	struct cq *cq = c->obj;
	uint32_t select = prm_load32(prm_modify_cq_in_cat_modify_field_select(c->in), 0);

	if (c->op_mod > OP_MOD_RESIZE)
		return fw_refuse(c, FW_SYN_UNSUPPORTED,
				 "op_mod %u is neither 0 (modify) nor 1 (resize)", c->op_mod);
	if (c->op_mod == OP_MOD_RESIZE)
		return resize(c, cq, select);
	return fw_nothing_after(c, PRM_MODIFY_CQ_IN_BYTES) ? -1 : modify_fields(c, cq, select);
}
