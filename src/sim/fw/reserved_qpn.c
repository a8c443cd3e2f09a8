/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * QP numbers that no queue pair gets. Software names an external connection by one of them (RDMA_CM
 * with queue pairs that it did not create). An object is a block of 2^VHCA_LOG_RESERVED_QPNS
 * numbers.
 */
#include "cmd.h"

#define FIRST 0x200000u /* above all QPs (profile.log_max_qp), below SQs (obj.c) */

static uint32_t fw_reserved_qpn_first(uint32_t id)
{
	return FIRST + (id << VHCA_LOG_RESERVED_QPNS);
}

int fw_create_reserved_qpn(struct fw_cmd *c)
{
	uint32_t log = prm_general_obj_in_cmd_hdr_get_log_obj_range(c->in);
	const struct obj *o;

	if (prm_general_obj_in_cmd_hdr_get_alias_object(c->in))
		return fw_refuse(c, FW_SYN_UNSUPPORTED,
				 "alias_object is set: numbers are no object of another function");
	/* [I] The granularity in the capabilities is the only size. */
	if (log != VHCA_LOG_RESERVED_QPNS)
		return fw_refuse(c, FW_SYN_SIZE,
				 "log_obj_range %u: cap_2.log_reserved_qpn_granularity is %u", log,
				 VHCA_LOG_RESERVED_QPNS);
	if (fw_nothing_after(c, PRM_GENERAL_OBJ_IN_CMD_HDR_BYTES))
		return -1;
	o = fw_new(c, OBJ_RESERVED_QPN, sizeof(*o));
	if (!o)
		return -1;
	prm_general_obj_out_cmd_hdr_set_obj_id(c->out, fw_reserved_qpn_first(o->id));
	return 0;
}

/* Finds the object by the number of its first QP. */
int fw_destroy_reserved_qpn(struct fw_cmd *c)
{
	uint32_t first = prm_general_obj_in_cmd_hdr_get_obj_id(c->in);
	uint32_t id = (first - FIRST) >> VHCA_LOG_RESERVED_QPNS;
	struct obj *o = obj_find_uid(c->vhca, OBJ_RESERVED_QPN, id, c->uid);

	if (!o || fw_reserved_qpn_first(id) != first)
		return fw_refuse(c, FW_SYN_NO_OBJECT,
				 "obj_id 0x%x is not the first of a block of this uid", first);
	obj_free(o);
	return 0;
}
