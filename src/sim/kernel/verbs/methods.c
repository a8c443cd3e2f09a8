/* SPDX-License-Identifier: BSD-2-Clause */
/* What verbs handles: methods by ioctl, and commands that INVOKE_WRITE carries. */
#include <stddef.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include "priv.h"
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
	{UVERBS_OBJECT_CQ, UVERBS_METHOD_CQ_DESTROY, uverbs_cq_destroy, false},
	{UVERBS_OBJECT_QP, UVERBS_METHOD_QP_CREATE, uverbs_qp_create, false},
	{UVERBS_OBJECT_QP, UVERBS_METHOD_QP_DESTROY, uverbs_qp_destroy, false},
	{UVERBS_OBJECT_SRQ, UVERBS_METHOD_SRQ_CREATE, uverbs_srq_create, false},
	{UVERBS_OBJECT_SRQ, UVERBS_METHOD_SRQ_DESTROY, uverbs_srq_destroy, false},
	{UVERBS_OBJECT_AH, UVERBS_METHOD_AH_DESTROY, uobj_destroy_named, false},
	{UVERBS_OBJECT_MR, UVERBS_METHOD_DM_MR_REG, uverbs_dm_mr_reg, false},
	{UVERBS_OBJECT_MR, UVERBS_METHOD_MR_DESTROY, uobj_destroy_named, false},
	{UVERBS_OBJECT_MW, UVERBS_METHOD_MW_DESTROY, uobj_destroy_named, false},
	{UVERBS_OBJECT_MR, UVERBS_METHOD_ADVISE_MR, uverbs_mr_advise, false},
	{UVERBS_OBJECT_MR, UVERBS_METHOD_QUERY_MR, uverbs_mr_query, false},
	{UVERBS_OBJECT_RWQ_IND_TBL, UVERBS_METHOD_RWQ_IND_TBL_DESTROY, uobj_destroy_named, false},
	{UVERBS_OBJECT_WQ, UVERBS_METHOD_WQ_CREATE, uverbs_wq_create, false},
	{UVERBS_OBJECT_WQ, UVERBS_METHOD_WQ_DESTROY, uverbs_wq_destroy, false},
	{UVERBS_OBJECT_DM, MLX5_IB_METHOD_DM_QUERY, mlx5_dm_query, false},
	{UVERBS_OBJECT_DM, UVERBS_METHOD_DM_ALLOC, uverbs_dm_alloc, false},
	{UVERBS_OBJECT_DM, UVERBS_METHOD_DM_FREE, uobj_destroy_named, false},
	{UVERBS_OBJECT_ASYNC_EVENT, UVERBS_METHOD_ASYNC_EVENT_ALLOC, uverbs_async_event_alloc,
	 false},
};

static const struct write_command verbs_commands[] = {
	{IB_USER_VERBS_CMD_GET_CONTEXT, "GET_CONTEXT", NULL, sizeof(struct ib_uverbs_get_context),
	 sizeof(struct ib_uverbs_get_context_resp), 0},
	{IB_USER_VERBS_CMD_QUERY_DEVICE, "QUERY_DEVICE", wcmd_query_device,
	 sizeof(struct ib_uverbs_query_device), sizeof(struct ib_uverbs_query_device_resp), 0},
	{WCMD_EX(IB_USER_VERBS_EX_CMD_QUERY_DEVICE), "EX_QUERY_DEVICE", wcmd_query_device_ex,
	 sizeof(struct ib_uverbs_ex_query_device),
	 UPTO(ib_uverbs_ex_query_device_resp, response_length), 0},
	{IB_USER_VERBS_CMD_QUERY_PORT, "QUERY_PORT", wcmd_query_port,
	 sizeof(struct ib_uverbs_query_port), sizeof(struct ib_uverbs_query_port_resp), 0},
	{IB_USER_VERBS_CMD_ALLOC_PD, "ALLOC_PD", wcmd_alloc_pd, sizeof(struct ib_uverbs_alloc_pd),
	 sizeof(struct ib_uverbs_alloc_pd_resp), 0},
	{IB_USER_VERBS_CMD_DEALLOC_PD, "DEALLOC_PD", wcmd_dealloc_pd,
	 sizeof(struct ib_uverbs_dealloc_pd), 0, 0},
	{IB_USER_VERBS_CMD_REG_MR, "REG_MR", wcmd_reg_mr, sizeof(struct ib_uverbs_reg_mr),
	 sizeof(struct ib_uverbs_reg_mr_resp), 0},
	{IB_USER_VERBS_CMD_DEREG_MR, "DEREG_MR", wcmd_dereg_mr, sizeof(struct ib_uverbs_dereg_mr),
	 0, 0},
	{IB_USER_VERBS_CMD_CREATE_COMP_CHANNEL, "CREATE_COMP_CHANNEL", wcmd_create_comp_channel,
	 sizeof(struct ib_uverbs_create_comp_channel),
	 sizeof(struct ib_uverbs_create_comp_channel_resp), 0},
	{IB_USER_VERBS_CMD_DESTROY_CQ, "DESTROY_CQ", wcmd_destroy_cq,
	 sizeof(struct ib_uverbs_destroy_cq), sizeof(struct ib_uverbs_destroy_cq_resp), 0},
	{IB_USER_VERBS_CMD_DESTROY_QP, "DESTROY_QP", wcmd_destroy_qp,
	 sizeof(struct ib_uverbs_destroy_qp), sizeof(struct ib_uverbs_destroy_qp_resp), 0},
	{IB_USER_VERBS_CMD_QUERY_QP, "QUERY_QP", wcmd_query_qp, sizeof(struct ib_uverbs_query_qp),
	 sizeof(struct ib_uverbs_query_qp_resp), 0},
	{IB_USER_VERBS_CMD_MODIFY_QP, "MODIFY_QP", wcmd_modify_qp,
	 sizeof(struct ib_uverbs_modify_qp), 0, 0},
	{WCMD_EX(IB_USER_VERBS_EX_CMD_MODIFY_QP), "EX_MODIFY_QP", wcmd_modify_qp_ex,
	 sizeof(struct ib_uverbs_modify_qp), UPTO(ib_uverbs_ex_modify_qp_resp, response_length),
	 sizeof(struct ib_uverbs_ex_modify_qp)},
	{IB_USER_VERBS_CMD_MODIFY_SRQ, "MODIFY_SRQ", wcmd_modify_srq,
	 sizeof(struct ib_uverbs_modify_srq), 0, 0},
	{IB_USER_VERBS_CMD_QUERY_SRQ, "QUERY_SRQ", wcmd_query_srq,
	 sizeof(struct ib_uverbs_query_srq), sizeof(struct ib_uverbs_query_srq_resp), 0},
	{IB_USER_VERBS_CMD_DESTROY_SRQ, "DESTROY_SRQ", wcmd_destroy_srq,
	 sizeof(struct ib_uverbs_destroy_srq), sizeof(struct ib_uverbs_destroy_srq_resp), 0},
	{IB_USER_VERBS_CMD_CREATE_AH, "CREATE_AH", wcmd_create_ah,
	 sizeof(struct ib_uverbs_create_ah), sizeof(struct ib_uverbs_create_ah_resp), 0},
	{IB_USER_VERBS_CMD_DESTROY_AH, "DESTROY_AH", wcmd_destroy_ah,
	 sizeof(struct ib_uverbs_destroy_ah), 0, 0},
	{IB_USER_VERBS_CMD_REREG_MR, "REREG_MR", wcmd_rereg_mr, sizeof(struct ib_uverbs_rereg_mr),
	 sizeof(struct ib_uverbs_rereg_mr_resp), 0},
	{IB_USER_VERBS_CMD_ALLOC_MW, "ALLOC_MW", wcmd_alloc_mw, sizeof(struct ib_uverbs_alloc_mw),
	 sizeof(struct ib_uverbs_alloc_mw_resp), 0},
	{IB_USER_VERBS_CMD_DEALLOC_MW, "DEALLOC_MW", wcmd_dealloc_mw,
	 sizeof(struct ib_uverbs_dealloc_mw), 0, 0},
	{IB_USER_VERBS_CMD_CREATE_CQ, "CREATE_CQ", NULL, 0, 0, 0},
	{WCMD_EX(IB_USER_VERBS_EX_CMD_CREATE_CQ), "EX_CREATE_CQ", NULL, 0, 0, 0},
	{WCMD_EX(IB_USER_VERBS_EX_CMD_MODIFY_CQ), "EX_MODIFY_CQ", wcmd_modify_cq_ex,
	 sizeof(struct ib_uverbs_ex_modify_cq), 0, 0},
	{IB_USER_VERBS_CMD_RESIZE_CQ, "RESIZE_CQ", wcmd_resize_cq,
	 sizeof(struct ib_uverbs_resize_cq), sizeof(struct ib_uverbs_resize_cq_resp), 0},
	{IB_USER_VERBS_CMD_CREATE_QP, "CREATE_QP", NULL, 0, 0, 0},
	{WCMD_EX(IB_USER_VERBS_EX_CMD_CREATE_QP), "EX_CREATE_QP", NULL, 0, 0, 0},
	{IB_USER_VERBS_CMD_OPEN_QP, "OPEN_QP", NULL, 0, 0, 0},
	{IB_USER_VERBS_CMD_ATTACH_MCAST, "ATTACH_MCAST", wcmd_attach_mcast,
	 sizeof(struct ib_uverbs_attach_mcast), 0, 0},
	{IB_USER_VERBS_CMD_DETACH_MCAST, "DETACH_MCAST", wcmd_detach_mcast,
	 sizeof(struct ib_uverbs_detach_mcast), 0, 0},
	{IB_USER_VERBS_CMD_CREATE_SRQ, "CREATE_SRQ", NULL, 0, 0, 0},
	{IB_USER_VERBS_CMD_CREATE_XSRQ, "CREATE_XSRQ", NULL, 0, 0, 0},
	{IB_USER_VERBS_CMD_OPEN_XRCD, "OPEN_XRCD", NULL, 0, 0, 0},
	{WCMD_EX(IB_USER_VERBS_EX_CMD_CREATE_WQ), "EX_CREATE_WQ", NULL, 0, 0, 0},
	{WCMD_EX(IB_USER_VERBS_EX_CMD_MODIFY_WQ), "EX_MODIFY_WQ", wcmd_modify_wq,
	 UPTO(ib_uverbs_ex_modify_wq, curr_wq_state), 0, sizeof(struct ib_uverbs_ex_modify_wq)},
	{WCMD_EX(IB_USER_VERBS_EX_CMD_CREATE_RWQ_IND_TBL), "EX_CREATE_RWQ_IND_TBL",
	 wcmd_create_rwq_ind_table, sizeof(struct ib_uverbs_ex_create_rwq_ind_table),
	 UPTO(ib_uverbs_ex_create_rwq_ind_table_resp, ind_tbl_num), WCMD_TAIL},
};

static const struct uobj_class *const verbs_classes[] = {
	&pd_class, &mr_class, &mw_class, &ah_class, &dm_class, &wq_table_class, NULL};

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
