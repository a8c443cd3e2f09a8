/* SPDX-License-Identifier: BSD-2-Clause */
/* Methods of the verbs room, and its commands that INVOKE_WRITE carries. */
#include <stddef.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include "priv.h"
#include "qp.h"
#include "uverbs/schema.h"

static const struct method_handler verbs_methods[] = {
	{UVERBS_OBJECT_DEVICE, UVERBS_METHOD_INVOKE_WRITE, uverbs_invoke_write, true},
	{UVERBS_OBJECT_DEVICE, UVERBS_METHOD_INFO_HANDLES, uverbs_info_handles, false},
	{UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_PORT, uverbs_query_port, false},
	{UVERBS_OBJECT_DEVICE, UVERBS_METHOD_GET_CONTEXT, uverbs_get_context, true},
	{UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_CONTEXT, uverbs_query_context, false},
	{UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_GID_TABLE, uverbs_query_gid_table, false},
	{UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_GID_ENTRY, uverbs_query_gid_entry, false},
	{UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_PORT_SPEED, uverbs_query_port_speed, false},
	{UVERBS_OBJECT_DEVICE, MLX5_IB_METHOD_QUERY_PORT, mlx5_query_port, false},
	{UVERBS_OBJECT_PD, UVERBS_METHOD_PD_DESTROY, uobj_destroy_named, false},
	{UVERBS_OBJECT_PD, MLX5_IB_METHOD_PD_QUERY, mlx5_pd_query, false},
	{UVERBS_OBJECT_CQ, UVERBS_METHOD_CQ_CREATE, uverbs_cq_create, false},
	{UVERBS_OBJECT_CQ, UVERBS_METHOD_CQ_DESTROY, uobj_destroy_named, false},
	{UVERBS_OBJECT_QP, UVERBS_METHOD_QP_CREATE, uverbs_qp_create, false},
	{UVERBS_OBJECT_QP, UVERBS_METHOD_QP_DESTROY, uobj_destroy_named, false},
	{UVERBS_OBJECT_SRQ, UVERBS_METHOD_SRQ_CREATE, uverbs_srq_create, false},
	{UVERBS_OBJECT_SRQ, UVERBS_METHOD_SRQ_DESTROY, uobj_destroy_named, false},
	{UVERBS_OBJECT_AH, UVERBS_METHOD_AH_DESTROY, uobj_destroy_named, false},
	{UVERBS_OBJECT_MR, UVERBS_METHOD_DM_MR_REG, uverbs_dm_mr_reg, false},
	{UVERBS_OBJECT_MR, UVERBS_METHOD_REG_DMABUF_MR, uverbs_dmabuf_mr_reg, false},
	{UVERBS_OBJECT_MR, UVERBS_METHOD_MR_DESTROY, uobj_destroy_named, false},
	{UVERBS_OBJECT_MW, UVERBS_METHOD_MW_DESTROY, uobj_destroy_named, false},
	{UVERBS_OBJECT_MR, UVERBS_METHOD_ADVISE_MR, uverbs_mr_advise, false},
	{UVERBS_OBJECT_MR, UVERBS_METHOD_QUERY_MR, uverbs_mr_query, false},
	{UVERBS_OBJECT_RWQ_IND_TBL, UVERBS_METHOD_RWQ_IND_TBL_DESTROY, uobj_destroy_named, false},
	{UVERBS_OBJECT_XRCD, UVERBS_METHOD_XRCD_DESTROY, uobj_destroy_named, false},
	{UVERBS_OBJECT_WQ, UVERBS_METHOD_WQ_CREATE, uverbs_wq_create, false},
	{UVERBS_OBJECT_WQ, UVERBS_METHOD_WQ_DESTROY, uobj_destroy_named, false},
	{UVERBS_OBJECT_DM, MLX5_IB_METHOD_DM_MAP_OP_ADDR, mlx5_dm_map_op, false},
	{UVERBS_OBJECT_DM, MLX5_IB_METHOD_DM_QUERY, mlx5_dm_query, false},
	{UVERBS_OBJECT_DM, UVERBS_METHOD_DM_ALLOC, uverbs_dm_alloc, false},
	{UVERBS_OBJECT_DM, UVERBS_METHOD_DM_FREE, uobj_destroy_named, false},
	{UVERBS_OBJECT_ASYNC_EVENT, UVERBS_METHOD_ASYNC_EVENT_ALLOC, uverbs_async_event_alloc,
	 false},
};

/* A command with these structures: CREATE_AH is {wcmd_create_ah, ib_uverbs_create_ah, ..._resp}. */
#define ROW(CMD, cmd, fn, reply, object)                                                     \
	{                                                                                    \
		IB_USER_VERBS_CMD_##CMD, #CMD, fn, sizeof(struct ib_uverbs_##cmd), reply, 0, \
			object                                                               \
	}
#define REPLY(CMD, cmd)		  ROW(CMD, cmd, wcmd_##cmd, sizeof(struct ib_uverbs_##cmd##_resp), 0)
#define STATUS(CMD, cmd)	  ROW(CMD, cmd, wcmd_##cmd, 0, 0)
#define DESTROY(CMD, cmd, object) ROW(CMD, cmd, wcmd_destroy, 0, object)
#define DESTROY_QUEUE(CMD, cmd, object) \
	ROW(CMD, cmd, wcmd_destroy, sizeof(struct ib_uverbs_##cmd##_resp), object)
#define ABSENT(cmd, name)                   \
	{                                   \
		cmd, name, NULL, 0, 0, 0, 0 \
	}

static const struct write_command verbs_commands[] = {
	ROW(GET_CONTEXT, get_context, NULL, sizeof(struct ib_uverbs_get_context_resp), 0),
	REPLY(QUERY_DEVICE, query_device),
	{WCMD_EX(IB_USER_VERBS_EX_CMD_QUERY_DEVICE), "EX_QUERY_DEVICE", wcmd_query_device_ex,
	 sizeof(struct ib_uverbs_ex_query_device),
	 UPTO(ib_uverbs_ex_query_device_resp, response_length), 0, 0},
	REPLY(QUERY_PORT, query_port),
	REPLY(ALLOC_PD, alloc_pd),
	DESTROY(DEALLOC_PD, dealloc_pd, UVERBS_OBJECT_PD),
	REPLY(REG_MR, reg_mr),
	DESTROY(DEREG_MR, dereg_mr, UVERBS_OBJECT_MR),
	REPLY(CREATE_COMP_CHANNEL, create_comp_channel),
	DESTROY_QUEUE(DESTROY_CQ, destroy_cq, UVERBS_OBJECT_CQ),
	DESTROY_QUEUE(DESTROY_QP, destroy_qp, UVERBS_OBJECT_QP),
	REPLY(QUERY_QP, query_qp),
	STATUS(MODIFY_QP, modify_qp),
	{WCMD_EX(IB_USER_VERBS_EX_CMD_MODIFY_QP), "EX_MODIFY_QP", wcmd_modify_qp_ex,
	 sizeof(struct ib_uverbs_modify_qp), UPTO(ib_uverbs_ex_modify_qp_resp, response_length),
	 sizeof(struct ib_uverbs_ex_modify_qp), 0},
	STATUS(MODIFY_SRQ, modify_srq),
	REPLY(QUERY_SRQ, query_srq),
	DESTROY_QUEUE(DESTROY_SRQ, destroy_srq, UVERBS_OBJECT_SRQ),
	REPLY(CREATE_AH, create_ah),
	DESTROY(DESTROY_AH, destroy_ah, UVERBS_OBJECT_AH),
	REPLY(REREG_MR, rereg_mr),
	REPLY(ALLOC_MW, alloc_mw),
	DESTROY(DEALLOC_MW, dealloc_mw, UVERBS_OBJECT_MW),
	ABSENT(IB_USER_VERBS_CMD_CREATE_CQ, "CREATE_CQ"),
	ABSENT(WCMD_EX(IB_USER_VERBS_EX_CMD_CREATE_CQ), "EX_CREATE_CQ"),
	{WCMD_EX(IB_USER_VERBS_EX_CMD_MODIFY_CQ), "EX_MODIFY_CQ", wcmd_modify_cq_ex,
	 sizeof(struct ib_uverbs_ex_modify_cq), 0, 0, 0},
	REPLY(RESIZE_CQ, resize_cq),
	ABSENT(IB_USER_VERBS_CMD_CREATE_QP, "CREATE_QP"),
	ABSENT(WCMD_EX(IB_USER_VERBS_EX_CMD_CREATE_QP), "EX_CREATE_QP"),
	ROW(OPEN_QP, open_qp, wcmd_open_qp, sizeof(struct ib_uverbs_create_qp_resp), 0),
	STATUS(ATTACH_MCAST, attach_mcast),
	STATUS(DETACH_MCAST, detach_mcast),
	ABSENT(IB_USER_VERBS_CMD_CREATE_SRQ, "CREATE_SRQ"),
	ABSENT(IB_USER_VERBS_CMD_CREATE_XSRQ, "CREATE_XSRQ"),
	REPLY(OPEN_XRCD, open_xrcd),
	DESTROY(CLOSE_XRCD, close_xrcd, UVERBS_OBJECT_XRCD),
	ABSENT(WCMD_EX(IB_USER_VERBS_EX_CMD_CREATE_WQ), "EX_CREATE_WQ"),
	{WCMD_EX(IB_USER_VERBS_EX_CMD_MODIFY_WQ), "EX_MODIFY_WQ", wcmd_modify_wq,
	 UPTO(ib_uverbs_ex_modify_wq, curr_wq_state), 0, sizeof(struct ib_uverbs_ex_modify_wq), 0},
	{WCMD_EX(IB_USER_VERBS_EX_CMD_CREATE_RWQ_IND_TBL), "EX_CREATE_RWQ_IND_TBL",
	 wcmd_create_rwq_ind_table, sizeof(struct ib_uverbs_ex_create_rwq_ind_table),
	 UPTO(ib_uverbs_ex_create_rwq_ind_table_resp, ind_tbl_num), WCMD_TAIL, 0},
};

static const struct uobj_class *const verbs_classes[] = {
	&pd_class, &cq_class, &qp_class, &srq_class,	  &wq_class,   &mr_class,
	&mw_class, &ah_class, &dm_class, &wq_table_class, &xrcd_class, NULL};

static void verbs_stop(struct kernel *k)
{
	dm_stop(k);
	rates_stop(k);
}

const struct kernel_room verbs_room = {
	.classes = verbs_classes,
	.methods = verbs_methods,
	.nmethods = sizeof(verbs_methods) / sizeof(verbs_methods[0]),
	.commands = verbs_commands,
	.ncommands = sizeof(verbs_commands) / sizeof(verbs_commands[0]),
	.stop = verbs_stop,
	.file_closed = context_close,
	.event = verbs_port_event,
};
