/* SPDX-License-Identifier: BSD-2-Clause */
/* Destruction of objects: by command, or because the program that owned them has ended. */
#include "cmd.h"
#include "base/log.h"

/*
 * Types in the order of destruction: an object comes before those that it refers to. Flow tables
 * refer to each other and to TIRs, TIRs to RQs, groups to QPs, QPs and DCTs to SRQs, queues to CQs
 * and Q counters, both to UARs, EQs and umems, all of them to PDs. Rows without an opcode have a
 * separate handler for DESTROY.
 */
static const struct destroy_row {
	enum obj_type type;
	void (*end)(struct obj *);
	uint16_t opcode;
	uint32_t (*id)(const void *in);
	const char *field;
} order[] = {
	{OBJ_FLOW_TABLE, fw_flow_table_clear, 0, NULL, NULL},
	{OBJ_FLOW_GROUP, fw_flow_group_free, 0, NULL, NULL},
	{OBJ_FLOW_TABLE, fw_flow_table_free, 0, NULL, NULL},
	{OBJ_MODIFY_HEADER, obj_free, PRM_OPCODE_DEALLOC_MODIFY_HEADER_CONTEXT,
	 prm_dealloc_modify_header_context_in_get_modify_header_id, "modify_header_id"},
	{OBJ_TIR, fw_tir_free, PRM_OPCODE_DESTROY_TIR, prm_destroy_tir_in_get_tirn, "tirn"},
	{OBJ_RQT, fw_rqt_free, PRM_OPCODE_DESTROY_RQT, prm_destroy_rqt_in_get_rqtn, "rqtn"},
	{OBJ_SQ, fw_sq_free, PRM_OPCODE_DESTROY_SQ, prm_destroy_sq_in_get_sqn, "sqn"},
	{OBJ_RQ, fw_queue_free, PRM_OPCODE_DESTROY_RQ, prm_destroy_rq_in_get_rqn, "rqn"},
	{OBJ_QP, fw_mcg_leave, 0, NULL, NULL},
	{OBJ_QP, fw_queue_free, PRM_OPCODE_DESTROY_QP, prm_destroy_qp_in_get_qpn, "qpn"},
	{OBJ_DCT, fw_dct_free, 0, NULL, NULL},
	{OBJ_SRQ, fw_srq_free, 0, NULL, NULL},
	{OBJ_Q_COUNTER, obj_free, PRM_OPCODE_DEALLOC_Q_COUNTER,
	 prm_dealloc_q_counter_in_get_counter_set_id, "counter_set_id"},
	{OBJ_CQ, fw_cq_free, PRM_OPCODE_DESTROY_CQ, prm_destroy_cq_in_get_cqn, "cqn"},
	{OBJ_TIS, fw_tis_free, PRM_OPCODE_DESTROY_TIS, prm_destroy_tis_in_get_tisn, "tisn"},
	{OBJ_MKEY, fw_mkey_free, 0, NULL, NULL},
	{OBJ_PSV, fw_psv_free, PRM_OPCODE_DESTROY_PSV, prm_destroy_psv_in_get_psvn, "psvn"},
	{OBJ_DEK, fw_dek_free, 0, NULL, NULL},
	{OBJ_CRYPTO_LOGIN, obj_free, 0, NULL, NULL},
	{OBJ_UMEM, fw_umem_free, PRM_OPCODE_DESTROY_UMEM, prm_destroy_umem_in_get_umem_id,
	 "umem_id"},
	{OBJ_UAR, obj_free, PRM_OPCODE_DEALLOC_UAR, prm_dealloc_uar_in_get_uar, "uar"},
	{OBJ_SW_ICM, fw_sw_icm_free, PRM_OPCODE_DESTROY_GENERAL_OBJECT,
	 prm_general_obj_in_cmd_hdr_get_obj_id, "obj_id"},
	{OBJ_SCHED_ELEM, fw_sched_elem_clear, 0, NULL, NULL},
	{OBJ_SCHED_ELEM, fw_sched_elem_free, 0, NULL, NULL},
	{OBJ_RESERVED_QPN, obj_free, 0, NULL, NULL},
	{OBJ_AV_QP_MAPPING, obj_free, 0, NULL, NULL},
	{OBJ_EQ, obj_free, PRM_OPCODE_DESTROY_EQ, prm_destroy_eq_in_get_eq_number, "eq_number"},
	{OBJ_TD, obj_free, PRM_OPCODE_DEALLOC_TRANSPORT_DOMAIN,
	 prm_dealloc_transport_domain_in_get_transport_domain, "transport_domain"},
	{OBJ_XRCD, obj_free, PRM_OPCODE_DEALLOC_XRCD, prm_dealloc_xrcd_in_get_xrcd, "xrcd"},
	{OBJ_PD, obj_free, PRM_OPCODE_DEALLOC_PD, prm_dealloc_pd_in_get_pd, "pd"},
};
#define ROWS (sizeof(order) / sizeof(order[0]))

int fw_destroy_object(struct fw_cmd *c)
{
	const struct destroy_row *r = order;
	struct obj *o;

	while (r < order + ROWS - 1 && r->opcode != c->opcode)
		r++;
	o = fw_find(c, r->type, r->id(c->in), r->field);
	if (!o || fw_busy(c, o))
		return -1;
	r->end(o);
	return 0;
}

/* Returns true for a row that only drops references of objects that a later row frees. */
static bool fw_destroy_prepares(const struct destroy_row *r)
{
	return r->end == fw_flow_table_clear || r->end == fw_mcg_leave ||
	       r->end == fw_sched_elem_clear;
}

void fw_uid_reap(struct vhca *v, uint16_t uid)
{
	for (const struct destroy_row *r = order; r < order + ROWS; r++) {
		uint32_t from = 0;
		struct obj *o;

		while ((o = obj_next(v, r->type, from)) != NULL) {
			from = o->id + 1;
			if (o->uid != uid)
				continue;
			if (o->refs && !fw_destroy_prepares(r))
				sim_bug("%s 0x%x of dead uid %u is used by another uid",
					obj_type_name(r->type), o->id, uid);
			else
				r->end(o);
		}
	}
	fw_flow_counters_reap(v, uid);
	fw_pp_rates_reap(v, uid);
}
