/* SPDX-License-Identifier: BSD-2-Clause */
/* Raw packet QPs, receive WQs, tables of them and RSS QPs in the kernel: what they become, how
 * they go, and what is refused, with which sentence. */
#include "tests/test.h"
#include <errno.h>
#include <dvx/prm/cmd.h>
#include <dvx/prm/eth.h>
#include "kernel/core/pages.h"
#include "kernel/verbs/verbs.h"
#include "kernel_fixture.h"
#include "obj/raw_queue.h"
#include "obj/tir.h"

#define TEST_FIXTURE {fx_setup, fx_teardown}

enum { RESET, INIT, RTR, RTS, SQD, SQE, ERR };
#define SQ_AT (FX_MEM - 65536u)

struct raw {
	struct request r;
	struct mlx5_ib_create_qp u;
	uint32_t pd, cq;
};

static void fill(struct fx *f, struct raw *q)
{
	q->pd = fx_pd(f);
	q->cq = fx_cq(f, NULL);
	fx_fill_qp(f, &q->r, &q->u, q->pd, q->cq);
	q->u.sq_buf_addr = (uintptr_t)f->mem + SQ_AT;
	rq_attr(&q->r, UVERBS_ATTR_CREATE_QP_TYPE)->data = IB_UVERBS_QPT_RAW_PACKET;
}

static uint32_t create(struct fx *f, struct raw *q, struct mlx5_ib_create_qp_resp *resp,
		       uint32_t *qpn)
{
	uint32_t handle;

	fill(f, q);
	rq_in(&q->r, UVERBS_ATTR_UHW_IN, &q->u, sizeof(q->u));
	assert_int_equal(rq_run(f, &q->r), 0);
	handle = (uint32_t)rq_attr(&q->r, UVERBS_ATTR_CREATE_QP_HANDLE)->data;
	memcpy(resp, rq_attr(&q->r, UVERBS_ATTR_UHW_OUT)->out, sizeof(*resp));
	*qpn = rq_u32(&q->r, UVERBS_ATTR_CREATE_QP_RESP_QP_NUM);
	rq_done(&q->r);
	return handle;
}

static int modify(struct fx *f, uint32_t handle, uint8_t state, uint32_t mask)
{
	struct ib_uverbs_modify_qp m = {
		.qp_handle = handle, .qp_state = state, .attr_mask = mask, .port_num = 1};

	return fx_write(f, IB_USER_VERBS_CMD_MODIFY_QP, &m, sizeof(m), NULL, 0);
}

static uint8_t query(struct fx *f, uint32_t handle)
{
	const struct ib_uverbs_query_qp in = {.qp_handle = handle};
	struct ib_uverbs_query_qp_resp out;

	assert_int_equal(
		fx_write(f, IB_USER_VERBS_CMD_QUERY_QP, &in, sizeof(in), &out, sizeof(out)), 0);
	return out.qp_state;
}

/* --- raw packet QPs --------------------------------------------------------------------------- */

/* Four firmware objects, whose numbers a DevX context learns; they go with it. */
TEST_F(parts)
{
	struct fx *f = *state;
	struct mlx5_ib_create_qp_resp resp;
	struct raw q;
	uint32_t qpn, handle = create(f, &q, &resp, &qpn);
	const struct raw_sq *sq = obj_find(f->v, OBJ_SQ, resp.sqn);
	const struct raw_rq *rq = obj_find(f->v, OBJ_RQ, resp.rqn);
	const struct tir *tir = obj_find(f->v, OBJ_TIR, resp.tirn);

	assert_int_equal(resp.comp_mask, 0x1f);
	assert_int_equal(qpn, resp.sqn);
	assert_non_null(sq);
	assert_non_null(rq);
	assert_non_null(tir);
	assert_non_null(obj_find(f->v, OBJ_TIS, resp.tisn));
	assert_int_not_equal(resp.tir_icm_addr, 0);
	assert_ptr_equal(tir->rq, rq);
	assert_false(rq->strip_vlan);
	assert_int_equal(sq->q.dbrec, rq->q.dbrec);
	assert_int_equal(fx_destroy(f, UVERBS_OBJECT_QP, UVERBS_METHOD_QP_DESTROY, handle), 0);
	assert_int_equal(obj_count(f->v, OBJ_SQ) + obj_count(f->v, OBJ_RQ) +
				 obj_count(f->v, OBJ_TIR) + obj_count(f->v, OBJ_TIS),
			 0);
}

TEST_F(refusals)
{
	const struct {
		unsigned int field;
		uint64_t value;
		int err;
		const char *text;
	} bad[] = {
		{0, 0, -EFAULT, "buf_addr"},
		{0, 1, -EINVAL, "buf_addr"},
		{1, 0, -EFAULT, "sq_buf_addr"},
		{1, 33, -EINVAL, "sq_buf_addr"},
		{2, 4, -EFAULT, "db_addr"},
		{3, 3, -EINVAL, "sq_wqe_count"},
		{4, MLX5_QP_FLAG_TUNNEL_OFFLOADS, -EINVAL, "flags"},
		{5, IB_UVERBS_QP_CREATE_SCATTER_FCS, -EINVAL, "FLAGS"},
		{5, IB_UVERBS_QP_CREATE_PCI_WRITE_END_PADDING, -EINVAL, "FLAGS"},
		{6, 0xfffff, -EINVAL, "uar_page"},
	};
	struct fx *f = *state;

	for (unsigned int i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct raw q;
		uint32_t before;

		fill(f, &q);
		before = fx_objects(f);
		switch (bad[i].field) {
		case 0:
			q.u.buf_addr = bad[i].value ? q.u.buf_addr + bad[i].value : 0;
			break;
		case 1:
			q.u.sq_buf_addr = bad[i].value ? q.u.sq_buf_addr + bad[i].value : 0;
			break;
		case 2:
			q.u.db_addr += bad[i].value;
			break;
		case 3:
			q.u.sq_wqe_count = (uint32_t)bad[i].value;
			break;
		case 4:
			q.u.flags |= (uint32_t)bad[i].value;
			break;
		case 5:
			rq_value(&q.r, UVERBS_ATTR_CREATE_QP_FLAGS, bad[i].value, 8);
			break;
		default:
			q.u.bfreg_index = (uint32_t)bad[i].value;
		}
		rq_in(&q.r, UVERBS_ATTR_UHW_IN, &q.u, sizeof(q.u));
		if (rq_run(f, &q.r) != bad[i].err || !fx_logged(f, bad[i].text))
			fail_msg("case %u", i);
		rq_done(&q.r);
		assert_int_equal(fx_objects(f), before);
	}
}

/* Without receives nothing that would describe them is looked at. */
TEST_F(sends_only)
{
	struct fx *f = *state;
	struct ib_uverbs_qp_cap cap;
	struct raw q;

	fill(f, &q);
	memcpy(&cap, rq_attr(&q.r, UVERBS_ATTR_CREATE_QP_CAP)->in, sizeof(cap));
	cap.max_recv_wr = 0;
	rq_attr(&q.r, UVERBS_ATTR_CREATE_QP_CAP)->in = (const void *)&cap;
	q.u.rq_wqe_shift = 200;
	rq_in(&q.r, UVERBS_ATTR_UHW_IN, &q.u, sizeof(q.u));
	assert_int_equal(rq_run(f, &q.r), 0);
	rq_done(&q.r);
	assert_int_equal(obj_count(f->v, OBJ_RQ), 0);
}

TEST_F(states)
{
	struct fx *f = *state;
	struct mlx5_ib_create_qp_resp resp;
	struct raw q;
	uint32_t qpn, h = create(f, &q, &resp, &qpn);
	const struct raw_sq *sq = obj_find(f->v, OBJ_SQ, resp.sqn);
	const struct raw_rq *rq = obj_find(f->v, OBJ_RQ, resp.rqn);

	assert_int_equal(modify(f, h, INIT, 1), -EINVAL);
	assert_int_equal(modify(f, h, RESET, 1), 0);
	assert_int_equal(modify(f, h, RESET, 1 | 1 << 1), -EINVAL);
	assert_int_equal(modify(f, h, INIT, 1 | 1 << 5 | 1 << 1), -EINVAL);
	assert_int_equal(modify(f, h, RTR, 1), -EINVAL);
	assert_int_equal(modify(f, h, INIT, 1 | 1 << 5 | 1 << 3), -EINVAL);
	assert_int_equal(modify(f, h, INIT, 1 | 1 << 5), 0);
	assert_int_equal(rq->q.state, QP_RTS); /* it receives from INIT on, as mlx5_ib has it */
	assert_int_equal(sq->q.state, QP_RST);
	assert_int_equal(query(f, h), INIT);
	assert_int_equal(modify(f, h, RTR, 1), 0);
	assert_int_equal(modify(f, h, RTS, 1), 0);
	assert_int_equal(sq->q.state, QP_RTS);
	assert_int_equal(query(f, h), RTS);
	assert_int_equal(modify(f, h, SQD, 1), -EINVAL);
	assert_int_equal(modify(f, h, ERR, 1), 0);
	assert_int_equal(rq->q.state, QP_ERR);
	assert_int_equal(query(f, h), ERR);
	assert_int_equal(modify(f, h, RTS, 1), -EINVAL);
	assert_int_equal(modify(f, h, RESET, 1), 0);
	assert_int_equal(query(f, h), RESET);
	assert_int_equal(rq->q.state, QP_RST);
}

/* --- WQs and tables --------------------------------------------------------------------------- */

static uint32_t make_wq(struct fx *f, uint32_t pd, uint32_t cq, uint32_t *rqn)
{
	struct mlx5_ib_create_wq u;
	uint32_t handle;
	struct request r;

	fx_fill_wq(f, &r, &u, pd, cq);
	rq_in(&r, UVERBS_ATTR_UHW_IN, &u, sizeof(u));
	assert_int_equal(rq_run(f, &r), 0);
	handle = (uint32_t)rq_attr(&r, UVERBS_ATTR_CREATE_WQ_HANDLE)->data;
	*rqn = rq_u32(&r, UVERBS_ATTR_CREATE_WQ_RESP_WQ_NUM);
	assert_int_equal(rq_u32(&r, UVERBS_ATTR_CREATE_WQ_RESP_MAX_SGE), 2);
	rq_done(&r);
	return handle;
}

static int destroy_wq(struct fx *f, uint32_t handle)
{
	struct request r;
	int err;

	rq_init(&r, UVERBS_OBJECT_WQ, UVERBS_METHOD_WQ_DESTROY);
	rq_handle(&r, UVERBS_ATTR_DESTROY_WQ_HANDLE, handle);
	rq_out(&r, UVERBS_ATTR_DESTROY_WQ_RESP, 4);
	err = rq_run(f, &r);
	rq_done(&r);
	return err;
}

static int modify_wq(struct fx *f, struct ib_uverbs_ex_modify_wq m)
{
	const struct mlx5_ib_modify_wq u = {0};
	struct request r;
	int err;

	rq_init(&r, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_INVOKE_WRITE);
	rq_value(&r, UVERBS_ATTR_WRITE_CMD,
		 IB_USER_VERBS_EX_CMD_MODIFY_WQ | IB_USER_VERBS_CMD_FLAG_EXTENDED, 8);
	rq_in(&r, UVERBS_ATTR_CORE_IN, &m, sizeof(m));
	rq_in(&r, UVERBS_ATTR_UHW_IN, &u, sizeof(u));
	err = rq_run(f, &r);
	rq_done(&r);
	return err;
}

TEST_F(wq_refusals)
{
	struct fx *f = *state;
	uint32_t pd = fx_pd(f), cq = fx_cq(f, NULL), before = fx_objects(f);
	struct mlx5_ib_create_wq good, u;
	const struct {
		size_t at, len;
		uint64_t value;
		const char *text;
	} bad[] = {
		{offsetof(struct mlx5_ib_create_wq, rq_wqe_count), 4, 0, "rq_wqe_count"},
		{offsetof(struct mlx5_ib_create_wq, rq_wqe_count), 4, 3, "rq_wqe_count"},
		{offsetof(struct mlx5_ib_create_wq, rq_wqe_count), 4, 1u << 31, "rq_wqe_count"},
		{offsetof(struct mlx5_ib_create_wq, rq_wqe_shift), 4, 3, "rq_wqe_shift"},
		{offsetof(struct mlx5_ib_create_wq, rq_wqe_shift), 4, 99, "rq_wqe_shift"},
		{offsetof(struct mlx5_ib_create_wq, user_index), 4, 1u << 24, "user_index"},
		{offsetof(struct mlx5_ib_create_wq, flags), 4, 1, "flags"},
		{offsetof(struct mlx5_ib_create_wq, comp_mask), 4, 1, "comp_mask"},
		{offsetof(struct mlx5_ib_create_wq, buf_addr), 8, 0x40, "buf_addr"},
		{offsetof(struct mlx5_ib_create_wq, db_addr), 8, 0x41, "db_addr"},
	};
	struct request r;

	for (unsigned int i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		fx_fill_wq(f, &r, &good, pd, cq);
		u = good;
		memcpy((uint8_t *)&u + bad[i].at, &bad[i].value, bad[i].len);
		rq_in(&r, UVERBS_ATTR_UHW_IN, &u, sizeof(u));
		if (!rq_run(f, &r) || !fx_logged(f, bad[i].text))
			fail_msg("case %u", i);
		rq_done(&r);
		assert_int_equal(fx_objects(f), before);
	}
}

TEST_F(wq_life)
{
	struct fx *f = *state;
	uint32_t rqn, wq = make_wq(f, fx_pd(f), fx_cq(f, NULL), &rqn);
	const struct raw_rq *rq = obj_find(f->v, OBJ_RQ, rqn);

	assert_non_null(rq);
	assert_int_equal(modify_wq(f, (struct ib_uverbs_ex_modify_wq){.attr_mask = 1,
								      .wq_handle = wq,
								      .wq_state = 1}),
			 0);
	assert_int_equal(rq->q.state, QP_RTS);
	assert_int_equal(modify_wq(f,
				   (struct ib_uverbs_ex_modify_wq){
					   .attr_mask = 4,
					   .wq_handle = wq,
					   .flags = IB_UVERBS_WQ_FLAGS_CVLAN_STRIPPING,
					   .flags_mask = IB_UVERBS_WQ_FLAGS_CVLAN_STRIPPING}),
			 0);
	assert_true(rq->strip_vlan);
	assert_int_equal(modify_wq(f,
				   (struct ib_uverbs_ex_modify_wq){
					   .attr_mask = 4,
					   .wq_handle = wq,
					   .flags_mask = IB_UVERBS_WQ_FLAGS_SCATTER_FCS}),
			 0); /* no notice is taken of it */
	assert_int_equal(modify_wq(f,
				   (struct ib_uverbs_ex_modify_wq){
					   .attr_mask = 4,
					   .wq_handle = wq,
					   .flags_mask =
						   IB_UVERBS_WQ_FLAGS_PCI_WRITE_END_PADDING}),
			 -EOPNOTSUPP);
	assert_int_equal(modify_wq(f, (struct ib_uverbs_ex_modify_wq){.attr_mask = 1,
								      .wq_handle = wq,
								      .wq_state = 7}),
			 -EINVAL);
	assert_int_equal(modify_wq(f, (struct ib_uverbs_ex_modify_wq){.attr_mask = 3,
								      .wq_handle = wq,
								      .curr_wq_state = 0,
								      .wq_state = 2}),
			 -EINVAL);
	assert_int_equal(modify_wq(f, (struct ib_uverbs_ex_modify_wq){.attr_mask = 1,
								      .wq_handle = wq,
								      .wq_state = 2}),
			 0);
	assert_int_equal(rq->q.state, QP_ERR);
	assert_int_equal(destroy_wq(f, wq), 0);
	assert_int_equal(obj_count(f->v, OBJ_RQ), 0);
}

static int make_table(struct fx *f, uint32_t log, const uint32_t *wq, unsigned int n,
		      uint32_t *handle)
{
	struct {
		struct ib_uverbs_ex_create_rwq_ind_table head;
		uint32_t wq[8];
	} in = {.head = {.log_ind_tbl_size = log}};
	struct ib_uverbs_ex_create_rwq_ind_table_resp out;
	int err;

	memcpy(in.wq, wq, n * sizeof(*wq));
	err = fx_write(f, IB_USER_VERBS_EX_CMD_CREATE_RWQ_IND_TBL | IB_USER_VERBS_CMD_FLAG_EXTENDED,
		       &in, sizeof(in.head) + n * sizeof(*wq), &out, sizeof(out));
	if (!err)
		*handle = out.ind_tbl_handle;
	return err;
}

/* CREATE_QP of an RSS QP; *qp is set if it is made. */
static int make_rss(struct fx *f, uint32_t pd, uint32_t table,
		    const struct mlx5_ib_create_qp_rss *u, uint32_t *qp)
{
	const struct ib_uverbs_qp_cap cap = {0};
	struct request r;
	int err;

	rq_init(&r, UVERBS_OBJECT_QP, UVERBS_METHOD_QP_CREATE);
	rq_handle(&r, UVERBS_ATTR_CREATE_QP_HANDLE, 0);
	rq_handle(&r, UVERBS_ATTR_CREATE_QP_PD_HANDLE, pd);
	rq_handle(&r, UVERBS_ATTR_CREATE_QP_IND_TABLE_HANDLE, table);
	rq_value(&r, UVERBS_ATTR_CREATE_QP_USER_HANDLE, 1, 8);
	rq_in(&r, UVERBS_ATTR_CREATE_QP_CAP, &cap, sizeof(cap));
	rq_value(&r, UVERBS_ATTR_CREATE_QP_TYPE, IB_UVERBS_QPT_RAW_PACKET, 8);
	rq_out(&r, UVERBS_ATTR_CREATE_QP_RESP_CAP, sizeof(cap));
	rq_out(&r, UVERBS_ATTR_CREATE_QP_RESP_QP_NUM, 4);
	rq_out(&r, UVERBS_ATTR_UHW_OUT, sizeof(struct mlx5_ib_create_qp_resp));
	rq_in(&r, UVERBS_ATTR_UHW_IN, u, sizeof(*u));
	err = rq_run(f, &r);
	if (!err)
		*qp = (uint32_t)rq_attr(&r, UVERBS_ATTR_CREATE_QP_HANDLE)->data;
	rq_done(&r);
	return err;
}

/* An RSS QP holds its table, a table its WQs. */
TEST_F(rss)
{
	struct fx *f = *state;
	struct mlx5_ib_create_qp_rss u = {
		.rx_hash_fields_mask = MLX5_RX_HASH_SRC_IPV4 | MLX5_RX_HASH_DST_PORT_TCP,
		.rx_hash_function = MLX5_RX_HASH_FUNC_TOEPLITZ,
		.rx_key_len = 40,
	};
	const struct {
		uint64_t fields;
		uint8_t function, len;
		uint32_t flags;
		int err;
		const char *text;
	} bad[] = {
		{MLX5_RX_HASH_SRC_IPV4 | MLX5_RX_HASH_SRC_IPV6, 1, 40, 0, -EINVAL,
		 "rx_hash_fields_mask"},
		{MLX5_RX_HASH_SRC_PORT_TCP | MLX5_RX_HASH_SRC_PORT_UDP, 1, 40, 0, -EINVAL,
		 "rx_hash_fields_mask"},
		{MLX5_RX_HASH_IPSEC_SPI, 1, 40, 0, -EOPNOTSUPP, "rx_hash_fields_mask"},
		{MLX5_RX_HASH_INNER | MLX5_RX_HASH_SRC_IPV4, 1, 40, 0, -EOPNOTSUPP,
		 "rx_hash_fields_mask"},
		{0, 1, 40, 0, -EINVAL, "rx_hash_fields_mask"},
		{MLX5_RX_HASH_SRC_IPV4, 2, 40, 0, -EOPNOTSUPP, "rx_hash_function"},
		{MLX5_RX_HASH_SRC_IPV4, 1, 39, 0, -EINVAL, "rx_key_len"},
		{MLX5_RX_HASH_SRC_IPV4, 1, 40, MLX5_QP_FLAG_TUNNEL_OFFLOADS, -EOPNOTSUPP, "flags"},
	};
	uint32_t pd = fx_pd(f), cq = fx_cq(f, NULL), wq[4], rqn, table = 0, qp = 0;
	const struct tir *tir;

	for (unsigned int i = 0; i < 4; i++)
		wq[i] = make_wq(f, pd, cq, &rqn);
	assert_int_equal(make_table(f, 2, wq, 3, &table), -ENOSPC);
	assert_int_equal(make_table(f, 20, wq, 4, &table), -EINVAL);
	wq[3] = 999;
	assert_int_equal(make_table(f, 2, wq, 4, &table), -ENOENT);
	assert_int_equal(obj_count(f->v, OBJ_RQT), 0);
	wq[3] = wq[0];
	assert_int_equal(make_table(f, 2, wq, 4, &table), 0);
	for (unsigned int i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct mlx5_ib_create_qp_rss v = u;

		v.rx_hash_fields_mask = bad[i].fields;
		v.rx_hash_function = bad[i].function;
		v.rx_key_len = bad[i].len;
		v.flags = bad[i].flags;
		if (make_rss(f, pd, table, &v, &qp) != bad[i].err || !fx_logged(f, bad[i].text))
			fail_msg("case %u", i);
	}
	assert_int_equal(make_rss(f, pd, table, &u, &qp), 0);
	tir = obj_next(f->v, OBJ_TIR, 0);
	assert_non_null(tir);
	assert_int_equal(tir->outer.selected, 1 | 8);
	assert_int_equal(tir->rqt->n, 4);
	assert_false(tir->symmetric);
	assert_int_equal(modify(f, qp, INIT, 1 | 1 << 5), -ENOSYS);
	assert_int_equal(
		fx_destroy(f, UVERBS_OBJECT_RWQ_IND_TBL, UVERBS_METHOD_RWQ_IND_TBL_DESTROY, table),
		-EBUSY);
	assert_int_equal(destroy_wq(f, wq[1]), -EBUSY);
	assert_int_equal(fx_destroy(f, UVERBS_OBJECT_QP, UVERBS_METHOD_QP_DESTROY, qp), 0);
	assert_int_equal(
		fx_destroy(f, UVERBS_OBJECT_RWQ_IND_TBL, UVERBS_METHOD_RWQ_IND_TBL_DESTROY, table),
		0);
	assert_int_equal(destroy_wq(f, wq[1]), 0);
	/* the other WQs, and all of a second table, are left to the file's end */
	assert_int_equal(make_table(f, 0, wq, 1, &table), 0);
	/* one queue needs no fields, but a function and a key that are known */
	u.rx_hash_fields_mask = 0;
	u.rx_hash_function = 2;
	assert_int_equal(make_rss(f, pd, table, &u, &qp), -EOPNOTSUPP);
	u.rx_hash_function = MLX5_RX_HASH_FUNC_TOEPLITZ;
	u.rx_key_len = 39;
	assert_int_equal(make_rss(f, pd, table, &u, &qp), -EINVAL);
	u.rx_key_len = 40;
	assert_int_equal(make_rss(f, pd, table, &u, &qp), 0);
}

/* Some page size would do, from 4 KiB to 64 times the alignment: the offset is in its first half.
 */
static bool possible(uint64_t va)
{
	for (unsigned int log = 12; log <= (unsigned int)__builtin_ctzll(va) + 6; log++)
		if (!(va >> (log - 1) & 1))
			return true;
	return false;
}

/* A page list for any buffer that can have one: its pages hold it, its offset fits into 5 bits. */
TEST_F(page_lists)
{
	struct fx *f = *state;
	struct pages p;

	for (uint64_t va = 0x10000; va < 0x10000 + (1u << 20); va += 64 * 37)
		for (uint64_t len = 64; len <= 1u << 20; len *= 4) {
			uint64_t page;

			assert_int_equal(pages_wq(&p, f->mm, va, len), possible(va) ? 0 : -EINVAL);
			if (!possible(va))
				continue;
			page = 1ull << p.log_page;
			assert_int_equal(p.first + p.offset, mm_bus(f->mm, va));
			assert_int_equal(p.first % page, 0);
			assert_true(p.n * page >= p.offset + len);
			assert_true(pages_queue_offset(&p) < 32);
			assert_int_equal((uint64_t)pages_queue_offset(&p) << (p.log_page - 6),
					 p.offset);
		}
	assert_int_equal(pages_wq(&p, f->mm, 0x10020, 64), -EINVAL);
}
