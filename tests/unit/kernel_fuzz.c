/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Random programs: two files of a function make and destroy queues, flows, tables, counters and
 * channels in any order, with handles of any age, while packets run through what there is; files
 * are closed in the middle of it. Nothing is left in the end, and the device calls nothing a bug.
 * (AddressSanitizer sees what is used after its end.)
 */
#include <endian.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
#include <dvx/prm/cmd.h>
#include <dvx/prm/db.h>
#include <dvx/prm/eqe.h>
#include <dvx/prm/eth.h>
#include <dvx/prm/flow.h>
#include <dvx/prm/match.h>
#include <dvx/prm/wqe.h>
#include "datapath.h"
#include "dp/dp.h"
#include "front/kernel/flow.h"
#include "front/kernel/raw.h"
#include "host/uar.h"
#include "kernel_fixture.h"
#include "obj/cq.h"
#include "obj/qp.h"

#define FILES	  2u
#define ROUNDS	  30000u
#define MANY	  120u	   /* objects of a file, before some go */
#define QP_AT	  0x20000u /* as kernel_fixture.c has them */
#define QP_DB	  0x48u
#define CQ_DB	  0x40u
#define SQ_AT	  0x60000u
#define DESCS_AT  0x70000u
#define DATA_AT	  0x80000u
#define NO_HANDLE 0xffffu

static struct fx *f;
static struct kfile *files[FILES];
static uint32_t lkeys[1024]; /* by PD */

static uint32_t any(uint32_t n)
{
	return (uint32_t)rand() % n;
}

/* A living object of this class; now and then any number at all. */
static struct uobj *pick(const struct uobj_class *class)
{
	struct uobj *found = NULL;
	uint32_t n = 0;

	for (struct uobj *u = f->f->newest; u; u = u->older)
		if (u->class == class && !any(++n))
			found = u;
	return found;
}

static uint32_t handle(const struct uobj_class *class)
{
	const struct uobj *u = any(16) ? pick(class) : NULL;

	return u ? u->id : any(8) ? NO_HANDLE : any(64);
}

/* --- queues ----------------------------------------------------------------------------------- */

static void make_qp(void)
{
	struct mlx5_ib_create_qp u;
	struct rq r;

	fx_fill_qp(f, &r, &u, handle(&pd_class), handle(&cq_class));
	u.sq_buf_addr = (uintptr_t)f->mem + SQ_AT;
	if (any(4)) {
		u.flags = MLX5_QP_FLAG_UAR_PAGE_INDEX;
		rq_attr(&r, UVERBS_ATTR_CREATE_QP_TYPE)->data = IB_UVERBS_QPT_RAW_PACKET;
	}
	rq_in(&r, UVERBS_ATTR_UHW_IN, &u, sizeof(u));
	(void)rq_run(f, &r);
	rq_done(&r);
}

static void make_wq(void)
{
	const struct mlx5_ib_create_wq u = {
		.buf_addr = (uintptr_t)f->mem + QP_AT,
		.db_addr = (uintptr_t)f->mem + QP_DB,
		.rq_wqe_count = 64,
		.rq_wqe_shift = 6,
	};
	struct rq r;

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
	(void)rq_run(f, &r);
	rq_done(&r);
}

static void make_table(void)
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

static void make_rss(void)
{
	const struct mlx5_ib_create_qp_rss u = {
		.rx_hash_fields_mask = any(2) ? MLX5_RX_HASH_SRC_IPV4 : MLX5_RX_HASH_SRC_PORT_UDP,
		.rx_hash_function = MLX5_RX_HASH_FUNC_TOEPLITZ,
		.rx_key_len = 40,
	};
	const struct ib_uverbs_qp_cap cap = {0};
	struct rq r;

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
	(void)rq_run(f, &r);
	rq_done(&r);
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
static void modify_qp(void)
{
	uint32_t qp = handle(&qp_class);

	if (!any(3))
		move_qp(qp, any(8));
	else
		for (uint32_t state = 1; state <= 3; state++)
			move_qp(qp, state);
}

static void modify_wq(void)
{
	const struct ib_uverbs_ex_modify_wq m = {.attr_mask = any(4) ? 1 : any(8),
						 .wq_handle = handle(&wq_class),
						 .wq_state = any(8) ? any(2) : 2,
						 .flags = any(2),
						 .flags_mask = any(2)};

	(void)fx_write(f, IB_USER_VERBS_EX_CMD_MODIFY_WQ | IB_USER_VERBS_CMD_FLAG_EXTENDED, &m,
		       sizeof(m), NULL, 0);
}

/* --- flows ------------------------------------------------------------------------------------ */

static void fill_param(uint8_t param[64], uint32_t port)
{
	memset(param, 0, 64);
	prm_fte_match_set_lyr_2_4_set_udp_dport(param, port);
}

static void make_matcher(void)
{
	uint8_t param[64];
	struct rq r;

	fill_param(param, any(3) ? 0xffff : 3);
	rq_init(&r, MLX5_IB_OBJECT_FLOW_MATCHER, MLX5_IB_METHOD_FLOW_MATCHER_CREATE);
	rq_handle(&r, MLX5_IB_ATTR_FLOW_MATCHER_CREATE_HANDLE, 0);
	rq_in(&r, MLX5_IB_ATTR_FLOW_MATCHER_MATCH_MASK, param, sizeof(param));
	rq_value(&r, MLX5_IB_ATTR_FLOW_MATCHER_FLOW_TYPE, any(4), 2);
	rq_value(&r, MLX5_IB_ATTR_FLOW_MATCHER_MATCH_CRITERIA, 1, 1);
	rq_value(&r, MLX5_IB_ATTR_FLOW_MATCHER_FT_TYPE, !any(4), 8);
	(void)rq_run(f, &r);
	rq_done(&r);
}

static void make_flow(void)
{
	uint32_t counter = handle(&devx_obj_class), action = handle(&flow_action_class);
	uint8_t param[64];
	struct rq r;

	fill_param(param, any(4));
	rq_init(&r, UVERBS_OBJECT_FLOW, MLX5_IB_METHOD_CREATE_FLOW);
	rq_handle(&r, MLX5_IB_ATTR_CREATE_FLOW_HANDLE, 0);
	rq_in(&r, MLX5_IB_ATTR_CREATE_FLOW_MATCH_VALUE, param, sizeof(param));
	rq_handle(&r, MLX5_IB_ATTR_CREATE_FLOW_MATCHER, handle(&matcher_class));
	switch (any(4)) {
	case 0:
		rq_handle(&r, MLX5_IB_ATTR_CREATE_FLOW_DEST_DEVX, handle(&devx_obj_class));
		break;
	case 1:
		rq_value(&r, MLX5_IB_ATTR_CREATE_FLOW_FLAGS, 1 + any(2), 4);
		break;
	default:
		rq_handle(&r, MLX5_IB_ATTR_CREATE_FLOW_DEST_QP, handle(&qp_class));
	}
	if (!any(3))
		rq_in(&r, MLX5_IB_ATTR_CREATE_FLOW_ARR_COUNTERS_DEVX, &counter, 4);
	if (!any(4))
		rq_in(&r, MLX5_IB_ATTR_CREATE_FLOW_ARR_FLOW_ACTIONS, &action, 4);
	if (any(2))
		rq_value(&r, MLX5_IB_ATTR_CREATE_FLOW_TAG, any(3), 4);
	(void)rq_run(f, &r);
	rq_done(&r);
}

struct verbs_flow {
	struct ib_uverbs_create_flow head;
	struct ib_uverbs_flow_spec_eth eth;
	struct ib_uverbs_flow_spec_tcp_udp udp;
	struct ib_uverbs_flow_spec_action_count count;
};

static void make_verbs_flow(void)
{
	struct verbs_flow v = {.head = {.qp_handle = handle(&qp_class)}};
	struct {
		struct mlx5_ib_create_flow head;
		struct mlx5_ib_flow_counters_data data;
	} uhw = {.head.ncounters_data = any(2),
		 .data = {.counters_data = (uintptr_t)f->mem + DESCS_AT, .ncounters = 2}};
	bool normal = any(4), counted = any(2);
	struct rq r;

	v.head.flow_attr.port = 1;
	v.head.flow_attr.type = normal ? 0 : (uint32_t)(1 + any(2));
	v.head.flow_attr.priority = (uint16_t)any(4);
	v.head.flow_attr.flags = any(2) << 1 | (any(4) ? 0 : 4);
	v.head.flow_attr.num_of_specs = (uint8_t)(normal ? 2 + counted : 0);
	v.head.flow_attr.size =
		(uint16_t)(normal ? sizeof(v) - sizeof(v.head) - (counted ? 0 : sizeof(v.count))
				  : 0);
	v.eth.type = 0x20;
	v.eth.size = sizeof(v.eth);
	v.eth.val.dst_mac[0] = v.eth.mask.dst_mac[0] = (uint8_t)!any(4);
	v.udp.type = 0x41;
	v.udp.size = sizeof(v.udp);
	v.udp.val.dst_port = htobe16((uint16_t)any(4));
	v.udp.mask.dst_port = 0xffff;
	v.count.type = 0x1003;
	v.count.size = sizeof(v.count);
	v.count.handle = handle(&counters_class);
	rq_init(&r, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_INVOKE_WRITE);
	rq_in(&r, UVERBS_ATTR_CORE_IN, &v, sizeof(v.head) + v.head.flow_attr.size);
	rq_out(&r, UVERBS_ATTR_CORE_OUT, sizeof(struct ib_uverbs_create_flow_resp));
	rq_value(&r, UVERBS_ATTR_WRITE_CMD,
		 IB_USER_VERBS_EX_CMD_CREATE_FLOW | IB_USER_VERBS_CMD_FLAG_EXTENDED, 8);
	rq_in(&r, UVERBS_ATTR_UHW_IN, &uhw,
	      sizeof(uhw.head) + uhw.head.ncounters_data * sizeof(uhw.data));
	(void)rq_run(f, &r);
	rq_done(&r);
}

static void make_counters(void)
{
	struct rq r;

	rq_init(&r, UVERBS_OBJECT_COUNTERS, UVERBS_METHOD_COUNTERS_CREATE);
	rq_handle(&r, UVERBS_ATTR_CREATE_COUNTERS_HANDLE, 0);
	(void)rq_run(f, &r);
	rq_done(&r);
}

static void make_action(void)
{
	uint8_t ttl[8] = {0};
	struct rq r;

	prm_set_action_in_set_action_type(ttl, PRM_ACTION_TYPE_SET);
	prm_set_action_in_set_field(ttl, PRM_MODIFY_FIELD_OUT_UDP_DPORT);
	prm_set_action_in_set_data(ttl, any(4));
	prm_set_action_in_set_length(ttl, 16);
	rq_init(&r, UVERBS_OBJECT_FLOW_ACTION, MLX5_IB_METHOD_FLOW_ACTION_CREATE_MODIFY_HEADER);
	rq_handle(&r, MLX5_IB_ATTR_CREATE_MODIFY_HEADER_HANDLE, 0);
	rq_in(&r, MLX5_IB_ATTR_CREATE_MODIFY_HEADER_ACTIONS_PRM, ttl, sizeof(ttl));
	rq_value(&r, MLX5_IB_ATTR_CREATE_MODIFY_HEADER_FT_TYPE, any(2), 8);
	(void)rq_run(f, &r);
	rq_done(&r);
}

static void make_anchor(void)
{
	struct rq r;

	rq_init(&r, MLX5_IB_OBJECT_STEERING_ANCHOR, MLX5_IB_METHOD_STEERING_ANCHOR_CREATE);
	rq_handle(&r, MLX5_IB_ATTR_STEERING_ANCHOR_CREATE_HANDLE, 0);
	rq_value(&r, MLX5_IB_ATTR_STEERING_ANCHOR_FT_TYPE, any(2), 8);
	rq_value(&r, MLX5_IB_ATTR_STEERING_ANCHOR_PRIORITY, any(3), 2);
	rq_out(&r, MLX5_IB_ATTR_STEERING_ANCHOR_FT_ID, 4);
	(void)rq_run(f, &r);
	rq_done(&r);
}

/* --- DevX ------------------------------------------------------------------------------------- */

static void devx_create(const void *in, size_t len)
{
	struct rq r;

	rq_init(&r, MLX5_IB_OBJECT_DEVX_OBJ, MLX5_IB_METHOD_DEVX_OBJ_CREATE);
	rq_handle(&r, MLX5_IB_ATTR_DEVX_OBJ_CREATE_HANDLE, 0);
	rq_in(&r, MLX5_IB_ATTR_DEVX_OBJ_CREATE_CMD_IN, in, len);
	rq_out(&r, MLX5_IB_ATTR_DEVX_OBJ_CREATE_CMD_OUT, 16);
	(void)rq_run(f, &r);
	rq_done(&r);
}

static void make_devx_counter(void)
{
	uint8_t in[PRM_ALLOC_FLOW_COUNTER_IN_BYTES] = {0};

	prm_alloc_flow_counter_in_set_opcode(in, PRM_OPCODE_ALLOC_FLOW_COUNTER);
	prm_alloc_flow_counter_in_set_flow_counter_bulk(in, any(2));
	devx_create(in, sizeof(in));
}

static void make_devx_tir(void)
{
	uint8_t in[PRM_CREATE_TIR_IN_BYTES] = {0};
	void *tirc = prm_create_tir_in_at_ctx(in);
	const struct kwq *wq = (struct kwq *)pick(&wq_class);
	const struct kwq_table *t = (struct kwq_table *)pick(&wq_table_class);

	prm_create_tir_in_set_opcode(in, PRM_OPCODE_CREATE_TIR);
	if (wq && any(2)) {
		prm_tirc_set_inline_rqn(tirc, wq->rqn);
	} else if (t) {
		prm_tirc_set_disp_type(tirc, PRM_TIRC_DISP_TYPE_INDIRECT);
		prm_tirc_set_indirect_table(tirc, t->rqtn);
	}
	devx_create(in, sizeof(in));
}

static void make_devx_flow_table(void)
{
	uint8_t in[PRM_CREATE_FLOW_TABLE_IN_BYTES] = {0};

	prm_create_flow_table_in_set_opcode(in, PRM_OPCODE_CREATE_FLOW_TABLE);
	prm_create_flow_table_in_set_table_type(in, any(2));
	prm_flow_table_context_set_level(prm_create_flow_table_in_at_flow_table_context(in),
					 60 + any(4));
	devx_create(in, sizeof(in));
}

/* --- memory, channels ---------------------------------------------------------------------------
 */

static void make_pd(void)
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

static void make_cq(void)
{
	(void)fx_cq(f, NULL);
}

static void make_dm(void)
{
	struct rq r;

	rq_init(&r, UVERBS_OBJECT_DM, UVERBS_METHOD_DM_ALLOC);
	rq_handle(&r, UVERBS_ATTR_ALLOC_DM_HANDLE, 0);
	rq_value(&r, UVERBS_ATTR_ALLOC_DM_LENGTH, 1ull << any(30), 8);
	rq_value(&r, UVERBS_ATTR_ALLOC_DM_ALIGNMENT, any(20), 4);
	rq_value(&r, MLX5_IB_ATTR_ALLOC_DM_REQ_TYPE, 1 + any(2), 8);
	rq_out(&r, MLX5_IB_ATTR_ALLOC_DM_RESP_START_OFFSET, 8);
	(void)rq_run(f, &r);
	rq_done(&r);
}

/* Its FD is closed with the request: a program that doesn't read. */
static void make_channel(void)
{
	uint16_t types[] = {PRM_EVENT_COMP, PRM_EVENT_WQ_CATAS_ERROR};
	struct rq r, s;
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

/* --- what happens meanwhile ---------------------------------------------------------------------
 */

static void destroy_one(void)
{
	struct uobj *u = f->f->newest;

	for (uint32_t n = any(MANY); u && n; n--)
		u = u->older ? u->older : f->f->newest;
	if (u)
		(void)uobj_destroy(u);
}

static void inject(void)
{
	uint8_t p[64] = {0x01, 0, 0,  0,  0, 0, 2,  0, 0, 0, 0,	 1, 8, 0, 0x45, 0, 0, 50, 0, 0,
			 0,    0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2, 0,	7, 0, 0,  0, 30};

	memcpy(p, any(2) ? f->v->mac : p, 6);
	p[35] = (uint8_t)any(16);
	p[37] = (uint8_t)any(4);
	(void)datapath_inject(f->si, p, sizeof(p));
}

static void run(void)
{
	f->now += 1000000;
	for (unsigned int i = 0; i < 4; i++)
		(void)datapath_run(f->si);
	timers_run(&f->si->timers, f->now);
}

static void fill_data(uint8_t *seg, const struct qp *qp, uint32_t len)
{
	prm_wqe_data_seg_set_byte_count(seg, any(16) ? len : any(1 << 14));
	prm_wqe_data_seg_set_lkey(seg, any(16) ? lkeys[qp->pdn % 1024] : any(1 << 16));
	prm_wqe_data_seg_set_addr(seg, (uintptr_t)f->mem + DATA_AT);
}

/* All queues share a ring and a record: it is right for one of them, and its CQ has room. */
static void post_recvs(void)
{
	const struct kqp *kqp = (struct kqp *)pick(&qp_class);
	const struct kwq *kwq = (struct kwq *)pick(&wq_class);
	uint32_t rqn = kwq && any(2) ? kwq->rqn : kqp ? kqp->raw.rqn : 0;
	const struct qp *rq = obj_find(f->v, OBJ_RQ, rqn);

	if (!rq)
		return;
	memset(f->mem + QP_AT, 0, 64 * 64);
	for (unsigned int i = 0; i < 64; i++)
		fill_data(f->mem + QP_AT + 64ul * i, rq, 2048);
	prm_store32(f->mem, QP_DB, rq->rq_ci + any(64));
	prm_store32(f->mem, CQ_DB, rq->rcq->pi & 0xffffff);
	if (any(2))
		run();
}

/* A WQE, mostly good, on the SQ of some raw QP; and its doorbell. */
static void send_one(void)
{
	const struct kqp *kqp = (struct kqp *)pick(&qp_class);
	const struct qp *qp = kqp ? obj_find(f->v, OBJ_SQ, kqp->raw.sqn) : NULL;
	uint8_t *wqe;
	uint64_t db = 0;

	if (!qp)
		return;
	wqe = f->mem + SQ_AT + 64ul * (qp->sq_ci % 64);
	memset(wqe, 0, 64);
	prm_wqe_ctrl_seg_set_opcode(wqe, PRM_WQE_OPCODE_SEND);
	prm_wqe_ctrl_seg_set_wqe_index(wqe, qp->sq_ci);
	prm_wqe_ctrl_seg_set_qpn(wqe, qp->o.id);
	prm_wqe_ctrl_seg_set_ds(wqe, any(8) ? 4 : any(64));
	prm_wqe_ctrl_seg_set_ce(wqe, any(4));
	prm_wqe_eth_seg_set_inline_hdr_sz(wqe + 16, any(8) ? 18 : any(1 << 16));
	memcpy(wqe + 30, f->v->mac, 6);
	wqe[42] = 8;
	fill_data(wqe + 48, qp, 64);
	prm_store32(f->mem, QP_DB + 4, qp->sq_ci + 1u);
	prm_uar_sq_db_set_qpn(&db, qp->o.id);
	prm_store32(f->mem, CQ_DB, qp->scq->pi & 0xffffff);
	dp_doorbell(f->si, qp->uar, UAR_BF, db);
	if (any(2))
		run();
}

static void reopen(void)
{
	for (unsigned int i = 0; i < FILES; i++) {
		if (files[i] != f->f || any(20))
			continue;
		kernel_close(f->f);
		f->f = files[i] = kernel_open(f->k, f->mm, FUNCTION_HOST);
		assert_non_null(f->f);
		assert_int_equal(fx_context(f, f->f, true), 0);
	}
}

static void (*const deeds[])(void) = {
	make_pd,
	make_cq,
	make_qp,
	make_qp,
	make_wq,
	make_wq,
	make_table,
	make_rss,
	modify_qp,
	modify_qp,
	modify_qp,
	modify_wq,
	modify_wq,
	make_matcher,
	make_matcher,
	make_flow,
	make_flow,
	make_flow,
	make_flow,
	make_verbs_flow,
	make_verbs_flow,
	make_counters,
	make_action,
	make_anchor,
	make_devx_counter,
	make_devx_tir,
	make_devx_flow_table,
	make_dm,
	make_channel,
	destroy_one,
	destroy_one,
	destroy_one,
	destroy_one,
	destroy_one,
	destroy_one,
	inject,
	inject,
	inject,
	inject,
	post_recvs,
	send_one,
	send_one,
	run,
	run,
	reopen,
};

static uint32_t living(void)
{
	uint32_t n = 0;

	for (const struct uobj *u = f->f->newest; u; u = u->older)
		n++;
	return n;
}

static void no_bugs(void)
{
	off_t size = lseek(f->log, 0, SEEK_END);
	const char *log = mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, f->log, 0), *bug;

	assert_true(log != MAP_FAILED);
	bug = memmem(log, (size_t)size, "bug in the device", 17);
	if (bug)
		fail_msg("%.*s", (int)strcspn(bug, "\n"), bug);
	munmap((void *)(uintptr_t)log, (size_t)size);
}

/* Anchors stay, as in the kernel: tables and groups. */
static void count_objects(uint32_t n[OBJ_NTYPES])
{
	for (unsigned int t = 0; t < OBJ_NTYPES; t++)
		n[t] = t == OBJ_FLOW_TABLE || t == OBJ_FLOW_GROUP ? 0 : obj_count(f->v, t);
}

static void programs(void **state)
{
	const char *seed = getenv("KERNEL_FUZZ_SEED");
	uint32_t before[OBJ_NTYPES], after[OBJ_NTYPES];

	f = *state;
	kernel_close(f->f);
	count_objects(before);
	srand(seed ? (unsigned int)atoi(seed) : 7);
	for (unsigned int i = 0; i < FILES; i++) {
		files[i] = kernel_open(f->k, f->mm, FUNCTION_HOST);
		assert_non_null(files[i]);
		assert_int_equal(fx_context(f, files[i], true), 0);
	}
	for (unsigned int i = 0; i < ROUNDS; i++) {
		f->f = files[any(FILES)];
		if (living() > MANY)
			destroy_one();
		else
			deeds[any(sizeof(deeds) / sizeof(deeds[0]))]();
	}
	for (unsigned int i = 0; i < FILES; i++)
		kernel_close(files[i]);
	f->f = NULL;
	run();
	assert_null(f->v->flow_root[0]);
	assert_null(f->v->flow_root[1]);
	no_bugs();
	count_objects(after);
	assert_memory_equal(before, after, sizeof(before));
	f->objects = fx_objects(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(programs, fx_setup, fx_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
