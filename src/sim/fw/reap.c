/* SPDX-License-Identifier: BSD-2-Clause */
#include "cmd.h"
#include "base/log.h"

/*
 * Who refers to others goes first: TIRs to RQs, queues to CQs, both to UARs, EQs and umems, all of
 * them to PDs.
 */
static const struct {
	enum obj_type type;
	void (*end)(struct obj *);
} order[] = {
	{OBJ_TIR, fw_tir_free},	  {OBJ_RQT, fw_rqt_free},   {OBJ_SQ, fw_raw_queue_free},
	{OBJ_RQ, fw_raw_queue_free},
	{OBJ_QP, fw_qp_free},	  {OBJ_CQ, fw_cq_free},	    {OBJ_TIS, fw_tis_free},
	{OBJ_MKEY, fw_mkey_free}, {OBJ_UMEM, fw_umem_free}, {OBJ_UAR, obj_free},
	{OBJ_SW_ICM, fw_sw_icm_free},
	{OBJ_EQ, obj_free},	  {OBJ_XRCD, obj_free},	    {OBJ_TD, obj_free},
	{OBJ_PD, obj_free},
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
			if (o->refs)
				sim_bug("%s 0x%x of dead uid %u is used by another uid",
					obj_type_name(order[i].type), o->id, uid);
			else
				order[i].end(o);
		}
	}
}
