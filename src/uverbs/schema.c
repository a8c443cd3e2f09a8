/* SPDX-License-Identifier: BSD-2-Clause */
/* The uverbs ABI, row by row. Names are those of the kernel's uapi headers. */
#include <stddef.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/mlx5-abi.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include <rdma/mlx5_user_ioctl_verbs.h>
#include "schema.h"

#define A(id) id, #id
#define MUST  true
#define MAY   false
#define U32   4, 4, TAIL_EXACT
#define U64   8, 8, TAIL_EXACT
/* An enum or a set of flags: 4 or 8 bytes, the value in data either way. */
#define CONST	   1, 8, TAIL_EXACT
#define BYTES(min) (min), 0xffff, TAIL_ANY
/* PRM fte_match_param, as much as the program knows of it. */
#define MATCH_PARAM 1, 512, TAIL_EXACT
#define STRUCT(t)   sizeof(struct t), sizeof(struct t), TAIL_ZERO
#define STRUCT_TO(t, last) \
	offsetof(struct t, last) + sizeof(((struct t *)0)->last), sizeof(struct t), TAIL_ZERO
#define HANDLE	0, 0, TAIL_EXACT
#define UHW_IN	A(UVERBS_ATTR_UHW_IN), ATTR_IN, MAY, BYTES(0)
#define UHW_OUT A(UVERBS_ATTR_UHW_OUT), ATTR_OUT, MAY, BYTES(0)

/* --- device ------------------------------------------------------------------------------ */

static const struct attr_spec invoke_write_attrs[] = {
	{A(UVERBS_ATTR_CORE_IN), ATTR_IN, MAY, BYTES(4)},
	{A(UVERBS_ATTR_CORE_OUT), ATTR_OUT, MAY, BYTES(0)},
	{A(UVERBS_ATTR_WRITE_CMD), ATTR_IN, MUST, CONST},
	{UHW_IN},
	{UHW_OUT},
};

static const struct attr_spec info_handles_attrs[] = {
	{A(UVERBS_ATTR_INFO_OBJECT_ID), ATTR_IN, MUST, CONST},
	{A(UVERBS_ATTR_INFO_TOTAL_HANDLES), ATTR_OUT, MAY, U32},
	{A(UVERBS_ATTR_INFO_HANDLES_LIST), ATTR_OUT, MAY, BYTES(4)},
};

static const struct attr_spec query_port_attrs[] = {
	{A(UVERBS_ATTR_QUERY_PORT_PORT_NUM), ATTR_IN, MUST, CONST},
	{A(UVERBS_ATTR_QUERY_PORT_RESP), ATTR_OUT, MUST,
	 STRUCT_TO(ib_uverbs_query_port_resp_ex, reserved)},
};

static const struct attr_spec query_port_speed_attrs[] = {
	{A(UVERBS_ATTR_QUERY_PORT_SPEED_PORT_NUM), ATTR_IN, MUST, CONST},
	{A(UVERBS_ATTR_QUERY_PORT_SPEED_RESP), ATTR_OUT, MUST, U64},
};

static const struct attr_spec get_context_attrs[] = {
	{A(UVERBS_ATTR_GET_CONTEXT_NUM_COMP_VECTORS), ATTR_OUT, MAY, U32},
	{A(UVERBS_ATTR_GET_CONTEXT_CORE_SUPPORT), ATTR_OUT, MAY, U64},
	{UHW_IN},
	{UHW_OUT},
};

static const struct attr_spec query_context_attrs[] = {
	{A(UVERBS_ATTR_QUERY_CONTEXT_NUM_COMP_VECTORS), ATTR_OUT, MAY, U32},
	{A(UVERBS_ATTR_QUERY_CONTEXT_CORE_SUPPORT), ATTR_OUT, MAY, U64},
	{A(MLX5_IB_ATTR_QUERY_CONTEXT_RESP_UCTX), ATTR_OUT, MUST,
	 STRUCT_TO(mlx5_ib_alloc_ucontext_resp, dump_fill_mkey)},
};

static const struct attr_spec query_gid_table_attrs[] = {
	{A(UVERBS_ATTR_QUERY_GID_TABLE_ENTRY_SIZE), ATTR_IN, MUST, CONST},
	{A(UVERBS_ATTR_QUERY_GID_TABLE_FLAGS), ATTR_IN, MAY, CONST},
	{A(UVERBS_ATTR_QUERY_GID_TABLE_RESP_ENTRIES), ATTR_OUT, MUST, BYTES(0)},
	{A(UVERBS_ATTR_QUERY_GID_TABLE_RESP_NUM_ENTRIES), ATTR_OUT, MUST, U64},
};

static const struct attr_spec query_gid_entry_attrs[] = {
	{A(UVERBS_ATTR_QUERY_GID_ENTRY_PORT), ATTR_IN, MUST, CONST},
	{A(UVERBS_ATTR_QUERY_GID_ENTRY_GID_INDEX), ATTR_IN, MUST, CONST},
	{A(UVERBS_ATTR_QUERY_GID_ENTRY_FLAGS), ATTR_IN, MAY, CONST},
	{A(UVERBS_ATTR_QUERY_GID_ENTRY_RESP_ENTRY), ATTR_OUT, MUST,
	 STRUCT_TO(ib_uverbs_gid_entry, netdev_ifindex)},
};

static const struct attr_spec mlx5_query_port_attrs[] = {
	{A(MLX5_IB_ATTR_QUERY_PORT_PORT_NUM), ATTR_IN, MUST, U32},
	{A(MLX5_IB_ATTR_QUERY_PORT), ATTR_OUT, MUST, STRUCT_TO(mlx5_ib_uapi_query_port, reg_c0)},
};

/* --- the verbs' own objects ---------------------------------------------------------------- */

static const struct attr_spec pd_destroy_attrs[] = {
	{A(UVERBS_ATTR_DESTROY_PD_HANDLE), ATTR_IDR, MUST, HANDLE},
};

static const struct attr_spec pd_query_attrs[] = {
	{A(MLX5_IB_ATTR_QUERY_PD_HANDLE), ATTR_IDR, MUST, HANDLE},
	{A(MLX5_IB_ATTR_QUERY_PD_RESP_PDN), ATTR_OUT, MUST, U32},
};

static const struct attr_spec ah_destroy_attrs[] = {
	{A(UVERBS_ATTR_DESTROY_AH_HANDLE), ATTR_IDR, MUST, HANDLE},
};

static const struct attr_spec mw_destroy_attrs[] = {
	{A(UVERBS_ATTR_DESTROY_MW_HANDLE), ATTR_IDR, MUST, HANDLE},
};

static const struct attr_spec mr_destroy_attrs[] = {
	{A(UVERBS_ATTR_DESTROY_MR_HANDLE), ATTR_IDR, MUST, HANDLE},
};

static const struct attr_spec dm_alloc_attrs[] = {
	{A(UVERBS_ATTR_ALLOC_DM_HANDLE), ATTR_IDR, MUST, HANDLE},
	{A(UVERBS_ATTR_ALLOC_DM_LENGTH), ATTR_IN, MUST, U64},
	{A(UVERBS_ATTR_ALLOC_DM_ALIGNMENT), ATTR_IN, MUST, U32},
	{A(MLX5_IB_ATTR_ALLOC_DM_RESP_START_OFFSET), ATTR_OUT, MUST, U64},
	{A(MLX5_IB_ATTR_ALLOC_DM_RESP_PAGE_INDEX), ATTR_OUT, MAY, BYTES(2)},
	{A(MLX5_IB_ATTR_ALLOC_DM_REQ_TYPE), ATTR_IN, MAY, CONST},
};

static const struct attr_spec dm_query_attrs[] = {
	{A(MLX5_IB_ATTR_QUERY_DM_REQ_HANDLE), ATTR_IDR, MUST, HANDLE},
	{A(MLX5_IB_ATTR_QUERY_DM_RESP_START_OFFSET), ATTR_OUT, MUST, U64},
	{A(MLX5_IB_ATTR_QUERY_DM_RESP_PAGE_INDEX), ATTR_OUT, MUST, BYTES(2)},
	{A(MLX5_IB_ATTR_QUERY_DM_RESP_LENGTH), ATTR_OUT, MUST, U64},
};

static const struct attr_spec dm_free_attrs[] = {
	{A(UVERBS_ATTR_FREE_DM_HANDLE), ATTR_IDR, MUST, HANDLE},
};

static const struct attr_spec dm_mr_reg_attrs[] = {
	{A(UVERBS_ATTR_REG_DM_MR_HANDLE), ATTR_IDR, MUST, HANDLE},
	{A(UVERBS_ATTR_REG_DM_MR_OFFSET), ATTR_IN, MUST, U64},
	{A(UVERBS_ATTR_REG_DM_MR_LENGTH), ATTR_IN, MUST, U64},
	{A(UVERBS_ATTR_REG_DM_MR_PD_HANDLE), ATTR_IDR, MUST, HANDLE},
	{A(UVERBS_ATTR_REG_DM_MR_ACCESS_FLAGS), ATTR_IN, MUST, CONST},
	{A(UVERBS_ATTR_REG_DM_MR_DM_HANDLE), ATTR_IDR, MUST, HANDLE},
	{A(UVERBS_ATTR_REG_DM_MR_RESP_LKEY), ATTR_OUT, MUST, U32},
	{A(UVERBS_ATTR_REG_DM_MR_RESP_RKEY), ATTR_OUT, MUST, U32},
};

static const struct attr_spec mr_advise_attrs[] = {
	{A(UVERBS_ATTR_ADVISE_MR_PD_HANDLE), ATTR_IDR, MUST, HANDLE},
	{A(UVERBS_ATTR_ADVISE_MR_ADVICE), ATTR_IN, MUST, CONST},
	{A(UVERBS_ATTR_ADVISE_MR_FLAGS), ATTR_IN, MUST, CONST},
	{A(UVERBS_ATTR_ADVISE_MR_SGE_LIST), ATTR_IN, MUST, BYTES(sizeof(struct ib_uverbs_sge))},
};

static const struct attr_spec mr_query_attrs[] = {
	{A(UVERBS_ATTR_QUERY_MR_HANDLE), ATTR_IDR, MUST, HANDLE},
	{A(UVERBS_ATTR_QUERY_MR_RESP_LKEY), ATTR_OUT, MUST, U32},
	{A(UVERBS_ATTR_QUERY_MR_RESP_RKEY), ATTR_OUT, MUST, U32},
	{A(UVERBS_ATTR_QUERY_MR_RESP_LENGTH), ATTR_OUT, MUST, U64},
	{A(UVERBS_ATTR_QUERY_MR_RESP_IOVA), ATTR_OUT, MAY, U64},
};

static const struct attr_spec cq_create_attrs[] = {
	{A(UVERBS_ATTR_CREATE_CQ_HANDLE), ATTR_IDR, MUST, HANDLE},
	{A(UVERBS_ATTR_CREATE_CQ_CQE), ATTR_IN, MUST, U32},
	{A(UVERBS_ATTR_CREATE_CQ_USER_HANDLE), ATTR_IN, MUST, U64},
	{A(UVERBS_ATTR_CREATE_CQ_COMP_CHANNEL), ATTR_FD_IN, MAY, HANDLE},
	{A(UVERBS_ATTR_CREATE_CQ_COMP_VECTOR), ATTR_IN, MUST, U32},
	{A(UVERBS_ATTR_CREATE_CQ_FLAGS), ATTR_IN, MAY, CONST},
	{A(UVERBS_ATTR_CREATE_CQ_RESP_CQE), ATTR_OUT, MUST, U32},
	{A(UVERBS_ATTR_CREATE_CQ_EVENT_FD), ATTR_FD_IN, MAY, HANDLE},
	{UHW_IN},
	{UHW_OUT},
};

static const struct attr_spec cq_destroy_attrs[] = {
	{A(UVERBS_ATTR_DESTROY_CQ_HANDLE), ATTR_IDR, MUST, HANDLE},
	{A(UVERBS_ATTR_DESTROY_CQ_RESP), ATTR_OUT, MUST, STRUCT(ib_uverbs_destroy_cq_resp)},
};

static const struct attr_spec qp_create_attrs[] = {
	{A(UVERBS_ATTR_CREATE_QP_HANDLE), ATTR_IDR, MUST, HANDLE},
	{A(UVERBS_ATTR_CREATE_QP_XRCD_HANDLE), ATTR_IDR, MAY, HANDLE},
	{A(UVERBS_ATTR_CREATE_QP_PD_HANDLE), ATTR_IDR, MAY, HANDLE},
	{A(UVERBS_ATTR_CREATE_QP_SRQ_HANDLE), ATTR_IDR, MAY, HANDLE},
	{A(UVERBS_ATTR_CREATE_QP_SEND_CQ_HANDLE), ATTR_IDR, MAY, HANDLE},
	{A(UVERBS_ATTR_CREATE_QP_RECV_CQ_HANDLE), ATTR_IDR, MAY, HANDLE},
	{A(UVERBS_ATTR_CREATE_QP_IND_TABLE_HANDLE), ATTR_IDR, MAY, HANDLE},
	{A(UVERBS_ATTR_CREATE_QP_USER_HANDLE), ATTR_IN, MUST, U64},
	{A(UVERBS_ATTR_CREATE_QP_CAP), ATTR_IN, MUST, STRUCT_TO(ib_uverbs_qp_cap, max_inline_data)},
	{A(UVERBS_ATTR_CREATE_QP_TYPE), ATTR_IN, MUST, CONST},
	{A(UVERBS_ATTR_CREATE_QP_FLAGS), ATTR_IN, MAY, CONST},
	{A(UVERBS_ATTR_CREATE_QP_SOURCE_QPN), ATTR_IN, MAY, U32},
	{A(UVERBS_ATTR_CREATE_QP_EVENT_FD), ATTR_FD_IN, MAY, HANDLE},
	{A(UVERBS_ATTR_CREATE_QP_RESP_CAP), ATTR_OUT, MUST,
	 STRUCT_TO(ib_uverbs_qp_cap, max_inline_data)},
	{A(UVERBS_ATTR_CREATE_QP_RESP_QP_NUM), ATTR_OUT, MUST, U32},
	{UHW_IN},
	{UHW_OUT},
};

static const struct attr_spec qp_destroy_attrs[] = {
	{A(UVERBS_ATTR_DESTROY_QP_HANDLE), ATTR_IDR, MUST, HANDLE},
	{A(UVERBS_ATTR_DESTROY_QP_RESP), ATTR_OUT, MUST, STRUCT(ib_uverbs_destroy_qp_resp)},
};

static const struct attr_spec srq_create_attrs[] = {
	{A(UVERBS_ATTR_CREATE_SRQ_HANDLE), ATTR_IDR, MUST, HANDLE},
	{A(UVERBS_ATTR_CREATE_SRQ_PD_HANDLE), ATTR_IDR, MUST, HANDLE},
	{A(UVERBS_ATTR_CREATE_SRQ_XRCD_HANDLE), ATTR_IDR, MAY, HANDLE},
	{A(UVERBS_ATTR_CREATE_SRQ_CQ_HANDLE), ATTR_IDR, MAY, HANDLE},
	{A(UVERBS_ATTR_CREATE_SRQ_USER_HANDLE), ATTR_IN, MUST, U64},
	{A(UVERBS_ATTR_CREATE_SRQ_MAX_WR), ATTR_IN, MUST, U32},
	{A(UVERBS_ATTR_CREATE_SRQ_MAX_SGE), ATTR_IN, MUST, U32},
	{A(UVERBS_ATTR_CREATE_SRQ_LIMIT), ATTR_IN, MUST, U32},
	{A(UVERBS_ATTR_CREATE_SRQ_MAX_NUM_TAGS), ATTR_IN, MAY, U32},
	{A(UVERBS_ATTR_CREATE_SRQ_TYPE), ATTR_IN, MUST, CONST},
	{A(UVERBS_ATTR_CREATE_SRQ_EVENT_FD), ATTR_FD_IN, MAY, HANDLE},
	{A(UVERBS_ATTR_CREATE_SRQ_RESP_MAX_WR), ATTR_OUT, MUST, U32},
	{A(UVERBS_ATTR_CREATE_SRQ_RESP_MAX_SGE), ATTR_OUT, MUST, U32},
	{A(UVERBS_ATTR_CREATE_SRQ_RESP_SRQ_NUM), ATTR_OUT, MAY, U32},
	{UHW_IN},
	{UHW_OUT},
};

static const struct attr_spec srq_destroy_attrs[] = {
	{A(UVERBS_ATTR_DESTROY_SRQ_HANDLE), ATTR_IDR, MUST, HANDLE},
	{A(UVERBS_ATTR_DESTROY_SRQ_RESP), ATTR_OUT, MUST, STRUCT(ib_uverbs_destroy_srq_resp)},
};

static const struct attr_spec wq_create_attrs[] = {
	{A(UVERBS_ATTR_CREATE_WQ_HANDLE), ATTR_IDR, MUST, HANDLE},
	{A(UVERBS_ATTR_CREATE_WQ_PD_HANDLE), ATTR_IDR, MUST, HANDLE},
	{A(UVERBS_ATTR_CREATE_WQ_CQ_HANDLE), ATTR_IDR, MUST, HANDLE},
	{A(UVERBS_ATTR_CREATE_WQ_USER_HANDLE), ATTR_IN, MUST, U64},
	{A(UVERBS_ATTR_CREATE_WQ_TYPE), ATTR_IN, MUST, CONST},
	{A(UVERBS_ATTR_CREATE_WQ_EVENT_FD), ATTR_FD_IN, MAY, HANDLE},
	{A(UVERBS_ATTR_CREATE_WQ_MAX_WR), ATTR_IN, MUST, U32},
	{A(UVERBS_ATTR_CREATE_WQ_MAX_SGE), ATTR_IN, MUST, U32},
	{A(UVERBS_ATTR_CREATE_WQ_FLAGS), ATTR_IN, MUST, CONST},
	{A(UVERBS_ATTR_CREATE_WQ_RESP_MAX_WR), ATTR_OUT, MUST, U32},
	{A(UVERBS_ATTR_CREATE_WQ_RESP_MAX_SGE), ATTR_OUT, MUST, U32},
	{A(UVERBS_ATTR_CREATE_WQ_RESP_WQ_NUM), ATTR_OUT, MAY, U32},
	{UHW_IN},
	{UHW_OUT},
};

static const struct attr_spec wq_destroy_attrs[] = {
	{A(UVERBS_ATTR_DESTROY_WQ_HANDLE), ATTR_IDR, MUST, HANDLE},
	{A(UVERBS_ATTR_DESTROY_WQ_RESP), ATTR_OUT, MUST, U32},
};

static const struct attr_spec rwq_ind_table_destroy_attrs[] = {
	{A(UVERBS_ATTR_DESTROY_RWQ_IND_TBL_HANDLE), ATTR_IDR, MUST, HANDLE},
};

static const struct attr_spec async_event_alloc_attrs[] = {
	{A(UVERBS_ATTR_ASYNC_EVENT_ALLOC_FD_HANDLE), ATTR_FD_OUT, MUST, HANDLE},
};

/* --- mlx5 ---------------------------------------------------------------------------------- */

#define CMD_IN_MIN  16 /* PRM general_obj_in_cmd_hdr */
#define CMD_OUT_MIN 16 /* PRM general_obj_out_cmd_hdr */

static const struct attr_spec devx_other_attrs[] = {
	{A(MLX5_IB_ATTR_DEVX_OTHER_CMD_IN), ATTR_IN, MUST, BYTES(CMD_IN_MIN)},
	{A(MLX5_IB_ATTR_DEVX_OTHER_CMD_OUT), ATTR_OUT, MUST, BYTES(CMD_OUT_MIN)},
};

static const struct attr_spec devx_query_uar_attrs[] = {
	{A(MLX5_IB_ATTR_DEVX_QUERY_UAR_USER_IDX), ATTR_IN, MUST, U32},
	{A(MLX5_IB_ATTR_DEVX_QUERY_UAR_DEV_IDX), ATTR_OUT, MUST, U32},
};

static const struct attr_spec devx_query_eqn_attrs[] = {
	{A(MLX5_IB_ATTR_DEVX_QUERY_EQN_USER_VEC), ATTR_IN, MUST, U32},
	{A(MLX5_IB_ATTR_DEVX_QUERY_EQN_DEV_EQN), ATTR_OUT, MUST, U32},
};

static const struct attr_spec devx_subscribe_attrs[] = {
	{A(MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_FD_HANDLE), ATTR_FD_IN, MUST, HANDLE},
	{A(MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_OBJ_HANDLE), ATTR_IDR, MAY, HANDLE},
	{A(MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_TYPE_NUM_LIST), ATTR_IN, MUST, BYTES(2)},
	{A(MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_FD_NUM), ATTR_IN, MAY, U32},
	{A(MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_COOKIE), ATTR_IN, MAY, U64},
};

static const struct attr_spec devx_obj_create_attrs[] = {
	{A(MLX5_IB_ATTR_DEVX_OBJ_CREATE_HANDLE), ATTR_IDR, MUST, HANDLE},
	{A(MLX5_IB_ATTR_DEVX_OBJ_CREATE_CMD_IN), ATTR_IN, MUST, BYTES(CMD_IN_MIN)},
	{A(MLX5_IB_ATTR_DEVX_OBJ_CREATE_CMD_OUT), ATTR_OUT, MUST, BYTES(CMD_OUT_MIN)},
};

static const struct attr_spec devx_obj_destroy_attrs[] = {
	{A(MLX5_IB_ATTR_DEVX_OBJ_DESTROY_HANDLE), ATTR_IDR, MUST, HANDLE},
};

static const struct attr_spec devx_obj_modify_attrs[] = {
	{A(MLX5_IB_ATTR_DEVX_OBJ_MODIFY_HANDLE), ATTR_IDR, MUST, HANDLE},
	{A(MLX5_IB_ATTR_DEVX_OBJ_MODIFY_CMD_IN), ATTR_IN, MUST, BYTES(CMD_IN_MIN)},
	{A(MLX5_IB_ATTR_DEVX_OBJ_MODIFY_CMD_OUT), ATTR_OUT, MUST, BYTES(CMD_OUT_MIN)},
};

static const struct attr_spec devx_obj_query_attrs[] = {
	{A(MLX5_IB_ATTR_DEVX_OBJ_QUERY_HANDLE), ATTR_IDR, MUST, HANDLE},
	{A(MLX5_IB_ATTR_DEVX_OBJ_QUERY_CMD_IN), ATTR_IN, MUST, BYTES(CMD_IN_MIN)},
	{A(MLX5_IB_ATTR_DEVX_OBJ_QUERY_CMD_OUT), ATTR_OUT, MUST, BYTES(CMD_OUT_MIN)},
};

static const struct attr_spec devx_obj_async_query_attrs[] = {
	{A(MLX5_IB_ATTR_DEVX_OBJ_QUERY_ASYNC_HANDLE), ATTR_IDR, MUST, HANDLE},
	{A(MLX5_IB_ATTR_DEVX_OBJ_QUERY_ASYNC_CMD_IN), ATTR_IN, MUST, BYTES(CMD_IN_MIN)},
	{A(MLX5_IB_ATTR_DEVX_OBJ_QUERY_ASYNC_FD), ATTR_FD_IN, MUST, HANDLE},
	{A(MLX5_IB_ATTR_DEVX_OBJ_QUERY_ASYNC_WR_ID), ATTR_IN, MUST, U64},
	{A(MLX5_IB_ATTR_DEVX_OBJ_QUERY_ASYNC_OUT_LEN), ATTR_IN, MUST, CONST},
};

static const struct attr_spec devx_umem_reg_attrs[] = {
	{A(MLX5_IB_ATTR_DEVX_UMEM_REG_HANDLE), ATTR_IDR, MUST, HANDLE},
	{A(MLX5_IB_ATTR_DEVX_UMEM_REG_ADDR), ATTR_IN, MUST, U64},
	{A(MLX5_IB_ATTR_DEVX_UMEM_REG_LEN), ATTR_IN, MUST, U64},
	{A(MLX5_IB_ATTR_DEVX_UMEM_REG_ACCESS), ATTR_IN, MAY, CONST},
	{A(MLX5_IB_ATTR_DEVX_UMEM_REG_OUT_ID), ATTR_OUT, MUST, U32},
	{A(MLX5_IB_ATTR_DEVX_UMEM_REG_PGSZ_BITMAP), ATTR_IN, MAY, U64},
	{A(MLX5_IB_ATTR_DEVX_UMEM_REG_DMABUF_FD), ATTR_FD_IN, MAY, HANDLE},
};

static const struct attr_spec devx_umem_dereg_attrs[] = {
	{A(MLX5_IB_ATTR_DEVX_UMEM_DEREG_HANDLE), ATTR_IDR, MUST, HANDLE},
};

static const struct attr_spec devx_cmd_fd_alloc_attrs[] = {
	{A(MLX5_IB_ATTR_DEVX_ASYNC_CMD_FD_ALLOC_HANDLE), ATTR_FD_OUT, MUST, HANDLE},
};

static const struct attr_spec devx_event_fd_alloc_attrs[] = {
	{A(MLX5_IB_ATTR_DEVX_ASYNC_EVENT_FD_ALLOC_HANDLE), ATTR_FD_OUT, MUST, HANDLE},
	{A(MLX5_IB_ATTR_DEVX_ASYNC_EVENT_FD_ALLOC_FLAGS), ATTR_IN, MUST, CONST},
};

static const struct attr_spec uar_alloc_attrs[] = {
	{A(MLX5_IB_ATTR_UAR_OBJ_ALLOC_HANDLE), ATTR_IDR, MUST, HANDLE},
	{A(MLX5_IB_ATTR_UAR_OBJ_ALLOC_TYPE), ATTR_IN, MUST, CONST},
	{A(MLX5_IB_ATTR_UAR_OBJ_ALLOC_MMAP_OFFSET), ATTR_OUT, MUST, U64},
	{A(MLX5_IB_ATTR_UAR_OBJ_ALLOC_MMAP_LENGTH), ATTR_OUT, MUST, U32},
	{A(MLX5_IB_ATTR_UAR_OBJ_ALLOC_PAGE_ID), ATTR_OUT, MUST, U32},
};

static const struct attr_spec uar_destroy_attrs[] = {
	{A(MLX5_IB_ATTR_UAR_OBJ_DESTROY_HANDLE), ATTR_IDR, MUST, HANDLE},
};

#define HANDLES BYTES(4) /* an array of handles: bytes */

static const struct attr_spec matcher_create_attrs[] = {
	{A(MLX5_IB_ATTR_FLOW_MATCHER_CREATE_HANDLE), ATTR_IDR, MUST, HANDLE},
	{A(MLX5_IB_ATTR_FLOW_MATCHER_MATCH_MASK), ATTR_IN, MUST, MATCH_PARAM},
	{A(MLX5_IB_ATTR_FLOW_MATCHER_FLOW_TYPE), ATTR_ENUM, MUST, 0, 2, TAIL_EXACT},
	{A(MLX5_IB_ATTR_FLOW_MATCHER_MATCH_CRITERIA), ATTR_IN, MUST, 1, 1, TAIL_EXACT},
	{A(MLX5_IB_ATTR_FLOW_MATCHER_FLOW_FLAGS), ATTR_IN, MAY, CONST},
	{A(MLX5_IB_ATTR_FLOW_MATCHER_FT_TYPE), ATTR_IN, MAY, CONST},
};

static const struct attr_spec matcher_destroy_attrs[] = {
	{A(MLX5_IB_ATTR_FLOW_MATCHER_DESTROY_HANDLE), ATTR_IDR, MUST, HANDLE},
};

static const struct attr_spec anchor_create_attrs[] = {
	{A(MLX5_IB_ATTR_STEERING_ANCHOR_CREATE_HANDLE), ATTR_IDR, MUST, HANDLE},
	{A(MLX5_IB_ATTR_STEERING_ANCHOR_FT_TYPE), ATTR_IN, MUST, CONST},
	{A(MLX5_IB_ATTR_STEERING_ANCHOR_PRIORITY), ATTR_IN, MUST, 2, 2, TAIL_EXACT},
	{A(MLX5_IB_ATTR_STEERING_ANCHOR_FT_ID), ATTR_OUT, MUST, U32},
};

static const struct attr_spec anchor_destroy_attrs[] = {
	{A(MLX5_IB_ATTR_STEERING_ANCHOR_DESTROY_HANDLE), ATTR_IDR, MUST, HANDLE},
};

static const struct attr_spec flow_create_attrs[] = {
	{A(MLX5_IB_ATTR_CREATE_FLOW_HANDLE), ATTR_IDR, MUST, HANDLE},
	{A(MLX5_IB_ATTR_CREATE_FLOW_MATCH_VALUE), ATTR_IN, MUST, MATCH_PARAM},
	{A(MLX5_IB_ATTR_CREATE_FLOW_MATCHER), ATTR_IDR, MUST, HANDLE},
	{A(MLX5_IB_ATTR_CREATE_FLOW_DEST_QP), ATTR_IDR, MAY, HANDLE},
	{A(MLX5_IB_ATTR_CREATE_FLOW_DEST_DEVX), ATTR_IDR, MAY, HANDLE},
	{A(MLX5_IB_ATTR_CREATE_FLOW_ARR_FLOW_ACTIONS), ATTR_IN, MAY, HANDLES},
	{A(MLX5_IB_ATTR_CREATE_FLOW_TAG), ATTR_IN, MAY, U32},
	{A(MLX5_IB_ATTR_CREATE_FLOW_ARR_COUNTERS_DEVX), ATTR_IN, MAY, HANDLES},
	{A(MLX5_IB_ATTR_CREATE_FLOW_ARR_COUNTERS_DEVX_OFFSET), ATTR_IN, MAY, HANDLES},
	{A(MLX5_IB_ATTR_CREATE_FLOW_FLAGS), ATTR_IN, MAY, CONST},
};

static const struct attr_spec mlx5_flow_destroy_attrs[] = {
	{A(MLX5_IB_ATTR_DESTROY_FLOW_HANDLE), ATTR_IDR, MUST, HANDLE},
};

static const struct attr_spec flow_destroy_attrs[] = {
	{A(UVERBS_ATTR_DESTROY_FLOW_HANDLE), ATTR_IDR, MUST, HANDLE},
};

static const struct attr_spec modify_header_attrs[] = {
	{A(MLX5_IB_ATTR_CREATE_MODIFY_HEADER_HANDLE), ATTR_IDR, MUST, HANDLE},
	{A(MLX5_IB_ATTR_CREATE_MODIFY_HEADER_ACTIONS_PRM), ATTR_IN, MUST, BYTES(8)},
	{A(MLX5_IB_ATTR_CREATE_MODIFY_HEADER_FT_TYPE), ATTR_IN, MUST, CONST},
};

static const struct attr_spec packet_reformat_attrs[] = {
	{A(MLX5_IB_ATTR_CREATE_PACKET_REFORMAT_HANDLE), ATTR_IDR, MUST, HANDLE},
	{A(MLX5_IB_ATTR_CREATE_PACKET_REFORMAT_DATA_BUF), ATTR_IN, MAY, BYTES(1)},
	{A(MLX5_IB_ATTR_CREATE_PACKET_REFORMAT_TYPE), ATTR_IN, MUST, CONST},
	{A(MLX5_IB_ATTR_CREATE_PACKET_REFORMAT_FT_TYPE), ATTR_IN, MUST, CONST},
};

static const struct attr_spec flow_action_destroy_attrs[] = {
	{A(UVERBS_ATTR_DESTROY_FLOW_ACTION_HANDLE), ATTR_IDR, MUST, HANDLE},
};

static const struct attr_spec counters_create_attrs[] = {
	{A(UVERBS_ATTR_CREATE_COUNTERS_HANDLE), ATTR_IDR, MUST, HANDLE},
};

static const struct attr_spec counters_destroy_attrs[] = {
	{A(UVERBS_ATTR_DESTROY_COUNTERS_HANDLE), ATTR_IDR, MUST, HANDLE},
};

static const struct attr_spec counters_read_attrs[] = {
	{A(UVERBS_ATTR_READ_COUNTERS_HANDLE), ATTR_IDR, MUST, HANDLE},
	{A(UVERBS_ATTR_READ_COUNTERS_BUFF), ATTR_OUT, MUST, BYTES(0)},
	{A(UVERBS_ATTR_READ_COUNTERS_FLAGS), ATTR_IN, MAY, CONST},
};

/* --- the table ------------------------------------------------------------------------------ */

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define ROW(o, m, a)                         \
	{                                    \
		o, m, #m, a, COUNT(a), false \
	}
#define ABSENT(o, m)                   \
	{                              \
		o, m, #m, NULL, 0, true \
	}

const struct method_spec uverbs_methods[] = {
	ROW(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_INVOKE_WRITE, invoke_write_attrs),
	ROW(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_INFO_HANDLES, info_handles_attrs),
	ROW(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_PORT, query_port_attrs),
	ROW(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_GET_CONTEXT, get_context_attrs),
	ROW(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_CONTEXT, query_context_attrs),
	ROW(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_GID_TABLE, query_gid_table_attrs),
	ROW(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_GID_ENTRY, query_gid_entry_attrs),
	ROW(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_PORT_SPEED, query_port_speed_attrs),
	ROW(UVERBS_OBJECT_DEVICE, MLX5_IB_METHOD_QUERY_PORT, mlx5_query_port_attrs),
	ROW(UVERBS_OBJECT_PD, UVERBS_METHOD_PD_DESTROY, pd_destroy_attrs),
	ROW(UVERBS_OBJECT_PD, MLX5_IB_METHOD_PD_QUERY, pd_query_attrs),
	ROW(UVERBS_OBJECT_CQ, UVERBS_METHOD_CQ_CREATE, cq_create_attrs),
	ROW(UVERBS_OBJECT_CQ, UVERBS_METHOD_CQ_DESTROY, cq_destroy_attrs),
	ROW(UVERBS_OBJECT_QP, UVERBS_METHOD_QP_CREATE, qp_create_attrs),
	ROW(UVERBS_OBJECT_QP, UVERBS_METHOD_QP_DESTROY, qp_destroy_attrs),
	ROW(UVERBS_OBJECT_SRQ, UVERBS_METHOD_SRQ_CREATE, srq_create_attrs),
	ROW(UVERBS_OBJECT_SRQ, UVERBS_METHOD_SRQ_DESTROY, srq_destroy_attrs),
	ROW(UVERBS_OBJECT_AH, UVERBS_METHOD_AH_DESTROY, ah_destroy_attrs),
	ROW(UVERBS_OBJECT_MR, UVERBS_METHOD_DM_MR_REG, dm_mr_reg_attrs),
	ROW(UVERBS_OBJECT_MR, UVERBS_METHOD_MR_DESTROY, mr_destroy_attrs),
	ROW(UVERBS_OBJECT_MR, UVERBS_METHOD_ADVISE_MR, mr_advise_attrs),
	ROW(UVERBS_OBJECT_MR, UVERBS_METHOD_QUERY_MR, mr_query_attrs),
	ABSENT(UVERBS_OBJECT_MR, UVERBS_METHOD_REG_DMABUF_MR),
	ROW(UVERBS_OBJECT_MW, UVERBS_METHOD_MW_DESTROY, mw_destroy_attrs),
	ROW(UVERBS_OBJECT_FLOW, UVERBS_METHOD_FLOW_DESTROY, flow_destroy_attrs),
	ROW(UVERBS_OBJECT_FLOW, MLX5_IB_METHOD_CREATE_FLOW, flow_create_attrs),
	ROW(UVERBS_OBJECT_FLOW, MLX5_IB_METHOD_DESTROY_FLOW, mlx5_flow_destroy_attrs),
	ABSENT(UVERBS_OBJECT_XRCD, UVERBS_METHOD_XRCD_DESTROY),
	ROW(UVERBS_OBJECT_RWQ_IND_TBL, UVERBS_METHOD_RWQ_IND_TBL_DESTROY,
	    rwq_ind_table_destroy_attrs),
	ROW(UVERBS_OBJECT_WQ, UVERBS_METHOD_WQ_CREATE, wq_create_attrs),
	ROW(UVERBS_OBJECT_WQ, UVERBS_METHOD_WQ_DESTROY, wq_destroy_attrs),
	ABSENT(UVERBS_OBJECT_FLOW_ACTION, UVERBS_METHOD_FLOW_ACTION_ESP_CREATE),
	ROW(UVERBS_OBJECT_FLOW_ACTION, UVERBS_METHOD_FLOW_ACTION_DESTROY,
	    flow_action_destroy_attrs),
	ABSENT(UVERBS_OBJECT_FLOW_ACTION, UVERBS_METHOD_FLOW_ACTION_ESP_MODIFY),
	ROW(UVERBS_OBJECT_FLOW_ACTION, MLX5_IB_METHOD_FLOW_ACTION_CREATE_MODIFY_HEADER,
	    modify_header_attrs),
	ROW(UVERBS_OBJECT_FLOW_ACTION, MLX5_IB_METHOD_FLOW_ACTION_CREATE_PACKET_REFORMAT,
	    packet_reformat_attrs),
	ROW(UVERBS_OBJECT_DM, UVERBS_METHOD_DM_ALLOC, dm_alloc_attrs),
	ROW(UVERBS_OBJECT_DM, UVERBS_METHOD_DM_FREE, dm_free_attrs),
	ABSENT(UVERBS_OBJECT_DM, MLX5_IB_METHOD_DM_MAP_OP_ADDR),
	ROW(UVERBS_OBJECT_DM, MLX5_IB_METHOD_DM_QUERY, dm_query_attrs),
	ROW(UVERBS_OBJECT_COUNTERS, UVERBS_METHOD_COUNTERS_CREATE, counters_create_attrs),
	ROW(UVERBS_OBJECT_COUNTERS, UVERBS_METHOD_COUNTERS_DESTROY, counters_destroy_attrs),
	ROW(UVERBS_OBJECT_COUNTERS, UVERBS_METHOD_COUNTERS_READ, counters_read_attrs),
	ROW(UVERBS_OBJECT_ASYNC_EVENT, UVERBS_METHOD_ASYNC_EVENT_ALLOC, async_event_alloc_attrs),

	ROW(MLX5_IB_OBJECT_DEVX, MLX5_IB_METHOD_DEVX_OTHER, devx_other_attrs),
	ROW(MLX5_IB_OBJECT_DEVX, MLX5_IB_METHOD_DEVX_QUERY_UAR, devx_query_uar_attrs),
	ROW(MLX5_IB_OBJECT_DEVX, MLX5_IB_METHOD_DEVX_QUERY_EQN, devx_query_eqn_attrs),
	ROW(MLX5_IB_OBJECT_DEVX, MLX5_IB_METHOD_DEVX_SUBSCRIBE_EVENT, devx_subscribe_attrs),
	ROW(MLX5_IB_OBJECT_DEVX_OBJ, MLX5_IB_METHOD_DEVX_OBJ_CREATE, devx_obj_create_attrs),
	ROW(MLX5_IB_OBJECT_DEVX_OBJ, MLX5_IB_METHOD_DEVX_OBJ_DESTROY, devx_obj_destroy_attrs),
	ROW(MLX5_IB_OBJECT_DEVX_OBJ, MLX5_IB_METHOD_DEVX_OBJ_MODIFY, devx_obj_modify_attrs),
	ROW(MLX5_IB_OBJECT_DEVX_OBJ, MLX5_IB_METHOD_DEVX_OBJ_QUERY, devx_obj_query_attrs),
	ROW(MLX5_IB_OBJECT_DEVX_OBJ, MLX5_IB_METHOD_DEVX_OBJ_ASYNC_QUERY,
	    devx_obj_async_query_attrs),
	ROW(MLX5_IB_OBJECT_DEVX_UMEM, MLX5_IB_METHOD_DEVX_UMEM_REG, devx_umem_reg_attrs),
	ROW(MLX5_IB_OBJECT_DEVX_UMEM, MLX5_IB_METHOD_DEVX_UMEM_DEREG, devx_umem_dereg_attrs),
	ROW(MLX5_IB_OBJECT_FLOW_MATCHER, MLX5_IB_METHOD_FLOW_MATCHER_CREATE, matcher_create_attrs),
	ROW(MLX5_IB_OBJECT_FLOW_MATCHER, MLX5_IB_METHOD_FLOW_MATCHER_DESTROY,
	    matcher_destroy_attrs),
	ROW(MLX5_IB_OBJECT_DEVX_ASYNC_CMD_FD, MLX5_IB_METHOD_DEVX_ASYNC_CMD_FD_ALLOC,
	    devx_cmd_fd_alloc_attrs),
	ROW(MLX5_IB_OBJECT_DEVX_ASYNC_EVENT_FD, MLX5_IB_METHOD_DEVX_ASYNC_EVENT_FD_ALLOC,
	    devx_event_fd_alloc_attrs),
	ABSENT(MLX5_IB_OBJECT_VAR, MLX5_IB_METHOD_VAR_OBJ_ALLOC),
	ABSENT(MLX5_IB_OBJECT_VAR, MLX5_IB_METHOD_VAR_OBJ_DESTROY),
	ABSENT(MLX5_IB_OBJECT_PP, MLX5_IB_METHOD_PP_OBJ_ALLOC),
	ABSENT(MLX5_IB_OBJECT_PP, MLX5_IB_METHOD_PP_OBJ_DESTROY),
	ROW(MLX5_IB_OBJECT_UAR, MLX5_IB_METHOD_UAR_OBJ_ALLOC, uar_alloc_attrs),
	ROW(MLX5_IB_OBJECT_UAR, MLX5_IB_METHOD_UAR_OBJ_DESTROY, uar_destroy_attrs),
	ROW(MLX5_IB_OBJECT_STEERING_ANCHOR, MLX5_IB_METHOD_STEERING_ANCHOR_CREATE,
	    anchor_create_attrs),
	ROW(MLX5_IB_OBJECT_STEERING_ANCHOR, MLX5_IB_METHOD_STEERING_ANCHOR_DESTROY,
	    anchor_destroy_attrs),
};
const size_t uverbs_nmethods = COUNT(uverbs_methods);

const struct method_spec *method_find(uint16_t object, uint16_t method)
{
	for (size_t i = 0; i < uverbs_nmethods; i++) {
		if (uverbs_methods[i].object == object && uverbs_methods[i].method == method)
			return &uverbs_methods[i];
	}
	return NULL;
}

bool method_object(uint64_t object)
{
	for (size_t i = 0; i < uverbs_nmethods; i++) {
		if (uverbs_methods[i].object == object)
			return true;
	}
	return false;
}

const struct attr_spec *method_attr(const struct method_spec *m, uint16_t id)
{
	for (unsigned int i = 0; i < m->nattrs; i++) {
		if (m->attrs[i].id == id)
			return &m->attrs[i];
	}
	return NULL;
}

uint8_t method_attr_kind(const struct method_spec *m, uint16_t id)
{
	const struct attr_spec *a = m ? method_attr(m, id) : NULL;

	return a ? a->kind : ATTR_UNKNOWN;
}
