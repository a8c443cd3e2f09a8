/* SPDX-License-Identifier: BSD-2-Clause */
#include "uverbs.h"

#include <unistd.h>
#include <dvx/prm/eqe.h>

void make_qp(void)
{
	struct mlx5_ib_create_qp u;
	struct request r;

	fx_fill_qp(f, &r, &u, handle(&pd_class), handle(&cq_class));
	u.sq_buf_addr = (uintptr_t)f->mem + SQ_AT;
	if (any(4)) {
		u.flags = MLX5_QP_FLAG_UAR_PAGE_INDEX;
		rq_attr(&r, UVERBS_ATTR_CREATE_QP_TYPE)->data = IB_UVERBS_QPT_RAW_PACKET;
	}
	if (!any(3)) {
		rq_handle(&r, UVERBS_ATTR_CREATE_QP_SRQ_HANDLE, handle(&srq_class));
		u.rq_wqe_count = u.rq_wqe_shift = 0;
	}
	rq_in(&r, UVERBS_ATTR_UHW_IN, &u, sizeof(u));
	(void)rq_run(f, &r);
	rq_done(&r);
}

void make_srq(void)
{
	const struct mlx5_ib_create_srq u = {.buf_addr = (uintptr_t)f->mem + QP_AT,
					     .db_addr = (uintptr_t)f->mem + QP_DB};
	struct request r;

	rq_init(&r, UVERBS_OBJECT_SRQ, UVERBS_METHOD_SRQ_CREATE);
	rq_handle(&r, UVERBS_ATTR_CREATE_SRQ_HANDLE, 0);
	rq_handle(&r, UVERBS_ATTR_CREATE_SRQ_PD_HANDLE, handle(&pd_class));
	rq_value(&r, UVERBS_ATTR_CREATE_SRQ_USER_HANDLE, 1, 8);
	rq_value(&r, UVERBS_ATTR_CREATE_SRQ_MAX_WR, any(64), 4);
	rq_value(&r, UVERBS_ATTR_CREATE_SRQ_MAX_SGE, any(4), 4);
	rq_value(&r, UVERBS_ATTR_CREATE_SRQ_LIMIT, 0, 4);
	rq_value(&r, UVERBS_ATTR_CREATE_SRQ_TYPE, any(8) ? IB_UVERBS_SRQT_BASIC : any(4), 4);
	rq_out(&r, UVERBS_ATTR_CREATE_SRQ_RESP_MAX_WR, 4);
	rq_out(&r, UVERBS_ATTR_CREATE_SRQ_RESP_MAX_SGE, 4);
	rq_out(&r, UVERBS_ATTR_UHW_OUT, sizeof(struct mlx5_ib_create_srq_resp));
	rq_in(&r, UVERBS_ATTR_UHW_IN, &u, sizeof(u));
	run_request(&r);
}

void make_wq(void)
{
	const struct mlx5_ib_create_wq u = {
		.buf_addr = (uintptr_t)f->mem + QP_AT,
		.db_addr = (uintptr_t)f->mem + QP_DB,
		.rq_wqe_count = 64,
		.rq_wqe_shift = 6,
	};
	struct request r;

	rq_init(&r, UVERBS_OBJECT_WQ, UVERBS_METHOD_WQ_CREATE);
	rq_handle(&r, UVERBS_ATTR_CREATE_WQ_HANDLE, 0);
	rq_handle(&r, UVERBS_ATTR_CREATE_WQ_PD_HANDLE, handle(&pd_class));
	rq_handle(&r, UVERBS_ATTR_CREATE_WQ_CQ_HANDLE, handle(&cq_class));
	rq_value(&r, UVERBS_ATTR_CREATE_WQ_USER_HANDLE, 1, 8);
	rq_value(&r, UVERBS_ATTR_CREATE_WQ_TYPE, IB_UVERBS_WQT_RQ, 8);
	rq_value(&r, UVERBS_ATTR_CREATE_WQ_MAX_WR, 16, 4);
	rq_value(&r, UVERBS_ATTR_CREATE_WQ_MAX_SGE, 2, 4);
	rq_value(&r, UVERBS_ATTR_CREATE_WQ_FLAGS, any(2), 8);
	rq_out(&r, UVERBS_ATTR_CREATE_WQ_RESP_MAX_WR, 4);
	rq_out(&r, UVERBS_ATTR_CREATE_WQ_RESP_MAX_SGE, 4);
	rq_out(&r, UVERBS_ATTR_CREATE_WQ_RESP_WQ_NUM, 4);
	rq_out(&r, UVERBS_ATTR_UHW_OUT, sizeof(struct mlx5_ib_create_wq_resp));
	rq_in(&r, UVERBS_ATTR_UHW_IN, &u, sizeof(u));
	run_request(&r);
}

void make_table(void)
{
	struct {
		struct ib_uverbs_ex_create_rwq_ind_table head;
		uint32_t wq[4];
	} in = {.head = {.log_ind_tbl_size = any(3)}};
	struct ib_uverbs_ex_create_rwq_ind_table_resp out;

	for (unsigned int i = 0; i < 4; i++)
		in.wq[i] = handle(&wq_class);
	(void)fx_write(f, IB_USER_VERBS_EX_CMD_CREATE_RWQ_IND_TBL | IB_USER_VERBS_CMD_FLAG_EXTENDED,
		       &in, sizeof(in), &out, sizeof(out));
}

void make_rss(void)
{
	const struct mlx5_ib_create_qp_rss u = {
		.rx_hash_fields_mask = any(2) ? MLX5_RX_HASH_SRC_IPV4 : MLX5_RX_HASH_SRC_PORT_UDP,
		.rx_hash_function = MLX5_RX_HASH_FUNC_TOEPLITZ,
		.rx_key_len = 40,
	};
	const struct ib_uverbs_qp_cap cap = {0};
	struct request r;

	rq_init(&r, UVERBS_OBJECT_QP, UVERBS_METHOD_QP_CREATE);
	rq_handle(&r, UVERBS_ATTR_CREATE_QP_HANDLE, 0);
	rq_handle(&r, UVERBS_ATTR_CREATE_QP_PD_HANDLE, handle(&pd_class));
	rq_handle(&r, UVERBS_ATTR_CREATE_QP_IND_TABLE_HANDLE, handle(&wq_table_class));
	rq_value(&r, UVERBS_ATTR_CREATE_QP_USER_HANDLE, 1, 8);
	rq_in(&r, UVERBS_ATTR_CREATE_QP_CAP, &cap, sizeof(cap));
	rq_value(&r, UVERBS_ATTR_CREATE_QP_TYPE, IB_UVERBS_QPT_RAW_PACKET, 8);
	rq_out(&r, UVERBS_ATTR_CREATE_QP_RESP_CAP, sizeof(cap));
	rq_out(&r, UVERBS_ATTR_CREATE_QP_RESP_QP_NUM, 4);
	rq_out(&r, UVERBS_ATTR_UHW_OUT, sizeof(struct mlx5_ib_create_qp_resp));
	rq_in(&r, UVERBS_ATTR_UHW_IN, &u, sizeof(u));
	run_request(&r);
}

static void move_qp(uint32_t handle, uint32_t state)
{
	const struct ib_uverbs_modify_qp m = {.qp_handle = handle,
					      .qp_state = (uint8_t)state,
					      .attr_mask = state == 1 ? 1 | 1 << 5 : 1,
					      .port_num = 1};

	(void)fx_write(f, IB_USER_VERBS_CMD_MODIFY_QP, &m, sizeof(m), NULL, 0);
}

/* Mostly all the way from RESET to RTS. */
void modify_qp(void)
{
	uint32_t qp = handle(&qp_class);

	if (!any(3))
		move_qp(qp, any(8));
	else
		for (uint32_t state = 1; state <= 3; state++)
			move_qp(qp, state);
}

void modify_wq(void)
{
	const struct ib_uverbs_ex_modify_wq m = {.attr_mask = any(4) ? 1 : any(8),
						 .wq_handle = handle(&wq_class),
						 .wq_state = any(8) ? any(2) : 2,
						 .flags = any(2),
						 .flags_mask = any(2)};

	(void)fx_write(f, IB_USER_VERBS_EX_CMD_MODIFY_WQ | IB_USER_VERBS_CMD_FLAG_EXTENDED, &m,
		       sizeof(m), NULL, 0);
}

void make_pd(void)
{
	const struct ib_uverbs_reg_mr in = {.start = (uintptr_t)f->mem + DATA_AT,
					    .length = FX_MEM - DATA_AT,
					    .hca_va = (uintptr_t)f->mem + DATA_AT,
					    .pd_handle = fx_pd(f),
					    .access_flags = 1};
	struct ib_uverbs_reg_mr_resp out;

	assert_int_equal(fx_write(f, IB_USER_VERBS_CMD_REG_MR, &in, sizeof(in), &out, sizeof(out)),
			 0);
	lkeys[fx_pdn(f, in.pd_handle) % 1024] = out.lkey;
}

void make_cq(void)
{
	(void)fx_cq(f, NULL);
}

void make_dm(void)
{
	struct request r;

	rq_init(&r, UVERBS_OBJECT_DM, UVERBS_METHOD_DM_ALLOC);
	rq_handle(&r, UVERBS_ATTR_ALLOC_DM_HANDLE, 0);
	rq_value(&r, UVERBS_ATTR_ALLOC_DM_LENGTH, 1ull << any(30), 8);
	rq_value(&r, UVERBS_ATTR_ALLOC_DM_ALIGNMENT, any(20), 4);
	rq_value(&r, MLX5_IB_ATTR_ALLOC_DM_REQ_TYPE, 1 + any(2), 8);
	rq_out(&r, MLX5_IB_ATTR_ALLOC_DM_RESP_START_OFFSET, 8);
	run_request(&r);
}

/* Its FD is closed with the request: a program that doesn't read. */
void make_channel(void)
{
	uint16_t types[] = {PRM_EVENT_COMP, PRM_EVENT_WQ_CATAS_ERROR};
	struct request r, s;
	int fd;

	rq_init(&r, MLX5_IB_OBJECT_DEVX_ASYNC_EVENT_FD, MLX5_IB_METHOD_DEVX_ASYNC_EVENT_FD_ALLOC);
	rq_handle(&r, MLX5_IB_ATTR_DEVX_ASYNC_EVENT_FD_ALLOC_HANDLE, 0);
	rq_value(&r, MLX5_IB_ATTR_DEVX_ASYNC_EVENT_FD_ALLOC_FLAGS, any(2), 8);
	if (rq_run(f, &r)) {
		rq_done(&r);
		return;
	}
	fd = rq_take_fd(&r);
	rq_init(&s, MLX5_IB_OBJECT_DEVX, MLX5_IB_METHOD_DEVX_SUBSCRIBE_EVENT);
	rq_handle(&s, MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_FD_HANDLE, fx_inode(fd));
	rq_handle(&s, MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_OBJ_HANDLE, handle(&devx_obj_class));
	rq_in(&s, MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_TYPE_NUM_LIST, types, sizeof(types));
	(void)rq_run(f, &s);
	rq_done(&s);
	rq_done(&r);
	close(fd);
}
