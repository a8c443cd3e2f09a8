/* SPDX-License-Identifier: BSD-2-Clause */
#include "cmd.h"
#include "base/log.h"

/*
 * Referring objects first: flow tables refer to each other and to TIRs, TIRs to RQs, queues to CQs,
 * both to UARs, EQs and umems, all of them to PDs.
 */
static const struct {
	enum obj_type type;
	void (*end)(struct obj *);
	bool clears; /* the object stays and drops its references */
} order[] = {
	{OBJ_FLOW_TABLE, fw_flow_table_clear, true},
	{OBJ_FLOW_GROUP, fw_flow_group_free, false},
	{OBJ_FLOW_TABLE, fw_flow_table_free, false},
	{OBJ_MODIFY_HEADER, obj_free, false},
	{OBJ_TIR, fw_tir_free, false},
	{OBJ_RQT, fw_rqt_free, false},
	{OBJ_SQ, fw_queue_free, false},
	{OBJ_RQ, fw_queue_free, false},
	{OBJ_QP, fw_queue_free, false},
	{OBJ_CQ, fw_cq_free, false},
	{OBJ_TIS, fw_tis_free, false},
	{OBJ_MKEY, fw_mkey_free, false},
	{OBJ_UMEM, fw_umem_free, false},
	{OBJ_UAR, obj_free, false},
	{OBJ_SW_ICM, fw_sw_icm_free, false},
	{OBJ_EQ, obj_free, false},
	{OBJ_TD, obj_free, false},
	{OBJ_PD, obj_free, false},
};

void fw_uid_reap(struct vhca *v, uint16_t uid)
{
	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
		uint32_t from = 0;
		struct obj *o;

		while ((o = obj_next(v, order[i].type, from)) != NULL) {
			from = o->id + 1;
			if (o->uid != uid)
				continue;
			if (o->refs && !order[i].clears)
				sim_bug("%s 0x%x of dead uid %u is used by another uid",
					obj_type_name(order[i].type), o->id, uid);
			else
				order[i].end(o);
		}
	}
	fw_flow_counters_reap(v, uid);
}
