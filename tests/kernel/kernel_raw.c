/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves raw packet QPs, receive WQs, tables of them and RSS QPs: their firmware objects,
 * transitions, destruction, and the sentences of refusals.
 */
#include <dvx/prm/cmd.h>
#include <dvx/prm/eth.h>
#include "kernel/core/pages.h"
#include "kernel/verbs/verbs.h"
#include "kernel_fixture.h"
#include "obj/raw_queue.h"
#include "obj/tir.h"
#include "uverbs/resource.h"

enum { RESET, INIT, RTR, RTS, SQD, SQE, ERR };
#define SQ_AT (FX_MEM - 65536u)

static void fill(struct fx *f, struct request *r, void *u)
{
	fx_fill_qp(f, r, u, fx_pd(f), fx_cq(f, NULL));
	((struct mlx5_ib_create_qp *)u)->sq_buf_addr = (uintptr_t)f->mem + SQ_AT;
	rq_attr(r, UVERBS_ATTR_CREATE_QP_TYPE)->data = IB_UVERBS_QPT_RAW_PACKET;
}

static uint32_t create(struct fx *f, struct mlx5_ib_create_qp_resp *resp, uint32_t *qpn)
{
	struct mlx5_ib_create_qp u;
	struct request r;
	uint32_t handle;

	fill(f, &r, &u);
	assert_int_equal(rq_run_with(f, &r, &u, sizeof(u)), 0);
	handle = rq_new(&r);
	memcpy(resp, rq_attr(&r, UVERBS_ATTR_UHW_OUT)->out, sizeof(*resp));
	*qpn = rq_u32(&r, UVERBS_ATTR_CREATE_QP_RESP_QP_NUM);
	rq_done(&r);
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

	assert_int_equal(FX_WRITE(f, IB_USER_VERBS_CMD_QUERY_QP, in, out), 0);
	return out.qp_state;
}

/* --- raw packet QPs --------------------------------------------------------------------------- */

/* Proves the four objects of a raw packet QP, whose numbers a DevX context gets. */
TEST(fx, parts)
{
	struct mlx5_ib_create_qp_resp resp;
	uint32_t qpn, handle = create(f, &resp, &qpn);
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
	assert_int_equal(FX_DESTROY(f, QP, handle), 0);
	assert_int_equal(obj_count(f->v, OBJ_SQ) + obj_count(f->v, OBJ_RQ) +
				 obj_count(f->v, OBJ_TIR) + obj_count(f->v, OBJ_TIS),
			 0);
}

TEST(fx, refusals)
{
#define U(field)    FX_FIELD(mlx5_ib_create_qp, field)
#define BITS(field) FX_BITS(mlx5_ib_create_qp, field)
#define FLAGS	    FX_ATTR(UVERBS_ATTR_CREATE_QP_FLAGS)
	static const struct fx_spoil bad[] = {
		{U(buf_addr), 0, -EFAULT, "buf_addr"},
		{BITS(buf_addr), 1, -EINVAL, "buf_addr"},
		{U(sq_buf_addr), 0, -EFAULT, "sq_buf_addr"},
		{BITS(sq_buf_addr), 33, -EINVAL, "sq_buf_addr"},
		{BITS(db_addr), 4, -EFAULT, "db_addr"},
		{U(sq_wqe_count), 3, -EINVAL, "sq_wqe_count"},
		{BITS(flags), MLX5_QP_FLAG_TUNNEL_OFFLOADS, -EINVAL, "flags"},
		{FLAGS, IB_UVERBS_QP_CREATE_SCATTER_FCS, -EINVAL, "FLAGS"},
		{FLAGS, IB_UVERBS_QP_CREATE_PCI_WRITE_END_PADDING, -EINVAL, "FLAGS"},
		{U(bfreg_index), 0xfffff, -EINVAL, "uar_page"},
	};

	FX_SPOILS(f, fill, mlx5_ib_create_qp, bad);
}

/* Sets a rate in kb/s and a burst. */
static int limit(struct fx *f, uint32_t handle, uint32_t kbps, uint32_t burst)
{
	struct ib_uverbs_ex_modify_qp m = {.base = {.qp_handle = handle, .attr_mask = 1 << 25},
					   .rate_limit = kbps};
	struct mlx5_ib_modify_qp u = {.burst_info.max_burst_sz = burst};
	struct ib_uverbs_ex_modify_qp_resp out;

	return FX_CALL(f, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_INVOKE_WRITE,
		       A_VALUE(UVERBS_ATTR_WRITE_CMD,
			       IB_USER_VERBS_CMD_FLAG_EXTENDED | IB_USER_VERBS_EX_CMD_MODIFY_QP, 8),
		       A_IN(UVERBS_ATTR_CORE_IN, &m, sizeof(m)),
		       A_OUT(UVERBS_ATTR_CORE_OUT, &out, sizeof(out)),
		       A_IN(UVERBS_ATTR_UHW_IN, &u, sizeof(u)));
}

/* Proves that two QPs of the same rate share a row, which the last one frees. */
TEST(fx, rate_limit)
{
	struct mlx5_ib_create_qp_resp resp[2];
	const struct raw_sq *sq[2];
	uint32_t qpn, qp[2];

	for (unsigned int i = 0; i < 2; i++) {
		qp[i] = create(f, &resp[i], &qpn);
		sq[i] = obj_find(f->v, OBJ_SQ, resp[i].sqn);
		assert_int_equal(limit(f, qp[i], 100, 0), -EINVAL); /* in RESET */
		assert_int_equal(modify(f, qp[i], INIT, 1 | 1 << 5), 0);
		assert_int_equal(modify(f, qp[i], RTR, 1), 0);
		assert_int_equal(modify(f, qp[i], RTS, 1), 0);
		assert_int_equal(limit(f, qp[i], 100, 3000), 0);
		assert_int_equal(limit(f, qp[i], 100, 3000), 0);
	}
	assert_int_equal(sq[0]->pp_rate, 1);
	assert_int_equal(sq[1]->pp_rate, 1);
	assert_int_equal(f->v->pp_rates[1].rate.bps, 100000);
	assert_int_equal(f->v->pp_rates[1].rate.burst, 3000);
	assert_int_equal(limit(f, qp[0], 0, 3000), -EINVAL);
	assert_int_equal(limit(f, qp[0], UINT32_MAX, 0), -EINVAL);
	assert_int_equal(sq[0]->pp_rate, 1);
	assert_int_equal(limit(f, qp[0], 200, 0), 0);
	assert_int_equal(sq[0]->pp_rate, 2);
	assert_int_equal(limit(f, qp[0], 0, 0), 0);
	assert_int_equal(sq[0]->pp_rate, 0);
	assert_int_equal(f->v->pp_rates[2].rate.bps, 0);
	assert_int_equal(modify(f, qp[1], ERR, 1), 0);
	assert_int_equal(f->v->pp_rates[1].rate.bps, 0);
	assert_int_equal(FX_DESTROY(f, QP, qp[0]), 0);
	assert_int_equal(FX_DESTROY(f, QP, qp[1]), 0);
}

/* Proves that a QP without receives has no RQ, and that RQ attributes are refused. */
TEST(fx, sends_only)
{
	struct ib_uverbs_qp_cap cap;
	struct mlx5_ib_create_qp u;
	struct request r;

	for (unsigned int ok = 0; ok < 2; ok++) {
		fill(f, &r, &u);
		memcpy(&cap, rq_attr(&r, UVERBS_ATTR_CREATE_QP_CAP)->in, sizeof(cap));
		cap.max_recv_wr = 0;
		rq_attr(&r, UVERBS_ATTR_CREATE_QP_CAP)->in = (const void *)&cap;
		if (ok)
			u.rq_wqe_count = u.rq_wqe_shift = 0;
		assert_int_equal(rq_run_with(f, &r, &u, sizeof(u)), ok ? 0 : -EINVAL);
		rq_done(&r);
	}
	assert_int_equal(obj_count(f->v, OBJ_RQ), 0);
}

TEST(fx, states)
{
	struct mlx5_ib_create_qp_resp resp;
	uint32_t qpn, h = create(f, &resp, &qpn);
	const struct raw_sq *sq = obj_find(f->v, OBJ_SQ, resp.sqn);
	const struct raw_rq *rq = obj_find(f->v, OBJ_RQ, resp.rqn);

	assert_int_equal(modify(f, h, INIT, 1), -EINVAL);
	assert_int_equal(modify(f, h, RESET, 1), 0);
	assert_int_equal(modify(f, h, RESET, 1 | 1 << 1), -EINVAL);
	assert_int_equal(modify(f, h, INIT, 1 | 1 << 5 | 1 << 1), -EINVAL);
	assert_int_equal(modify(f, h, RTR, 1), -EINVAL);
	assert_int_equal(modify(f, h, INIT, 1 | 1 << 5 | 1 << 3), -EINVAL);
	assert_int_equal(modify(f, h, INIT, 1 | 1 << 5), 0);
	assert_ptr_equal(rq->q.stats, &f->v->stats->queues);
	assert_int_equal(rq->q.state, QP_RTS); /* the RQ receives from INIT on, as in mlx5_ib */
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

static int modify_wq(struct fx *f, struct ib_uverbs_ex_modify_wq m)
{
	const struct mlx5_ib_modify_wq u = {0};

	return FX_CALL(f, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_INVOKE_WRITE,
		       A_VALUE(UVERBS_ATTR_WRITE_CMD,
			       IB_USER_VERBS_EX_CMD_MODIFY_WQ | IB_USER_VERBS_CMD_FLAG_EXTENDED, 8),
		       A_IN(UVERBS_ATTR_CORE_IN, &m, sizeof(m)),
		       A_IN(UVERBS_ATTR_UHW_IN, &u, sizeof(u)));
}

static void good_wq(struct fx *f, struct request *r, void *u)
{
	fx_fill_wq(f, r, u, fx_pd(f), fx_cq(f, NULL));
}

TEST(fx, wq_refusals)
{
#define W(field) FX_FIELD(mlx5_ib_create_wq, field)
	static const struct fx_spoil bad[] = {
		{W(rq_wqe_count), 0, -EINVAL, "rq_wqe_count"},
		{W(rq_wqe_count), 3, -EINVAL, "rq_wqe_count"},
		{W(rq_wqe_count), 1u << 31, -EINVAL, "rq_wqe_count"},
		{W(rq_wqe_shift), 3, -EINVAL, "rq_wqe_shift"},
		{W(rq_wqe_shift), 99, -EINVAL, "rq_wqe_shift"},
		{FX_ATTR(UVERBS_ATTR_CREATE_WQ_MAX_WR), (1u << 15) + 1, -EINVAL, "log_max_wq_sz"},
		{W(user_index), 1u << 24, -EINVAL, "user_index"},
		{W(flags), 1, -EOPNOTSUPP, "flags"},
		{W(comp_mask), 2, -EOPNOTSUPP, "comp_mask"},
		{W(comp_mask), 1, -EINVAL, "single_stride_log_num_of_bytes"},
		{W(buf_addr), 0x40, -EFAULT, "buf_addr"},
		{W(db_addr), 0x41, -EFAULT, "db_addr"},
	};

	FX_SPOILS(f, good_wq, mlx5_ib_create_wq, bad);
}

/* Proves that a WQ's strides are those of its RQ, and are refused outside their ranges. */
TEST(fx, wq_strides)
{
	static const struct {
		uint32_t log_bytes, log_strides;
		int err;
	} rows[] = {{5, 9, -EINVAL},  {14, 9, -EINVAL}, {6, 2, -EINVAL},
		    {6, 17, -EINVAL}, {7, 4, 0},	{13, 16, 0}};
	const uint32_t pd = fx_pd(f), cq = fx_cq(f, NULL);

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct raw_rq *rq;
		struct mlx5_ib_create_wq u;
		struct request r;

		fx_fill_wq(f, &r, &u, pd, cq);
		u.comp_mask = MLX5_IB_CREATE_WQ_STRIDING_RQ;
		u.single_stride_log_num_of_bytes = rows[i].log_bytes;
		u.single_wqe_log_num_of_strides = rows[i].log_strides;
		u.two_byte_shift_en = 1;
		assert_int_equal(rq_run_with(f, &r, &u, sizeof(u)), rows[i].err);
		if (!rows[i].err) {
			rq = obj_find(f->v, OBJ_RQ, rq_u32(&r, UVERBS_ATTR_CREATE_WQ_RESP_WQ_NUM));
			assert_int_equal(rq->rq.log_stride_bytes, rows[i].log_bytes);
			assert_int_equal(rq->rq.log_strides, rows[i].log_strides);
			assert_int_equal(rq->rq.shift, 2);
		}
		rq_done(&r);
	}
}

/* Proves a WQ's transitions and flags, and the state of its RQ. */
TEST(fx, wq_life)
{
	enum { STRIP = IB_UVERBS_WQ_FLAGS_CVLAN_STRIPPING };
	uint32_t rqn, wq = fx_wq(f, fx_pd(f), fx_cq(f, NULL), &rqn);
	const struct raw_rq *rq = obj_find(f->v, OBJ_RQ, rqn);
	static const struct {
		uint32_t mask, state, was, flags, flags_mask;
		int err;
		uint8_t receives;
		bool strips;
	} steps[] = {
		{1, 1, 0, 0, 0, 0, QP_RTS, false},
		{4, 0, 0, STRIP, STRIP, 0, QP_RTS, true},
		/* the flag is ignored */
		{4, 0, 0, 0, IB_UVERBS_WQ_FLAGS_SCATTER_FCS, 0, QP_RTS, true},
		{4, 0, 0, 0, IB_UVERBS_WQ_FLAGS_PCI_WRITE_END_PADDING, -EOPNOTSUPP, QP_RTS, true},
		{1, 7, 0, 0, 0, -EINVAL, QP_RTS, true},
		{3, 2, 0, 0, 0, -EINVAL, QP_RTS, true},
		{1, 2, 0, 0, 0, 0, QP_ERR, true},
	};

	assert_non_null(rq);
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		const struct ib_uverbs_ex_modify_wq m = {steps[i].mask,	 wq,
							 steps[i].state, steps[i].was,
							 steps[i].flags, steps[i].flags_mask};

		assert_int_equal(modify_wq(f, m), steps[i].err);
		assert_int_equal(rq->q.state, steps[i].receives);
		assert_int_equal(rq->strip_vlan, steps[i].strips);
	}
	assert_int_equal(FX_DESTROY(f, WQ, wq), 0);
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

/* Makes an RSS QP. */
static int make_rss_of(struct fx *f, uint32_t pd, uint32_t table, struct ib_uverbs_qp_cap cap,
		       const struct mlx5_ib_create_qp_rss *u, uint32_t *qp)
{
	return FX_CALL(f, UVERBS_OBJECT_QP, UVERBS_METHOD_QP_CREATE,
		       A_NEW(UVERBS_ATTR_CREATE_QP_HANDLE, qp),
		       A_HANDLE(UVERBS_ATTR_CREATE_QP_PD_HANDLE, pd),
		       A_HANDLE(UVERBS_ATTR_CREATE_QP_IND_TABLE_HANDLE, table),
		       A_VALUE(UVERBS_ATTR_CREATE_QP_USER_HANDLE, 1, 8),
		       A_IN(UVERBS_ATTR_CREATE_QP_CAP, &cap, sizeof(cap)),
		       A_VALUE(UVERBS_ATTR_CREATE_QP_TYPE, IB_UVERBS_QPT_RAW_PACKET, 8),
		       A_OUT(UVERBS_ATTR_CREATE_QP_RESP_CAP, NULL, sizeof(cap)),
		       A_OUT(UVERBS_ATTR_CREATE_QP_RESP_QP_NUM, NULL, 4),
		       A_OUT(UVERBS_ATTR_UHW_OUT, NULL, sizeof(struct mlx5_ib_create_qp_resp)),
		       A_IN(UVERBS_ATTR_UHW_IN, u, sizeof(*u)));
}

static int make_rss(struct fx *f, uint32_t pd, uint32_t table,
		    const struct mlx5_ib_create_qp_rss *u, uint32_t *qp)
{
	return make_rss_of(f, pd, table, (struct ib_uverbs_qp_cap){0}, u, qp);
}

/* Proves that an RSS QP holds its table, and the table its WQs. */
TEST(fx, rss)
{
	/* it has no queues: the table's queues receive, and it cannot send */
	const struct ib_uverbs_qp_cap queues[] = {
		{.max_send_wr = 1}, {.max_recv_wr = 64}, {.max_recv_sge = 1}};
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
	uint32_t pd = fx_pd(f), cq = fx_cq(f, NULL), wq[4], table = 0, qp = 0;
	const struct tir *tir;

	for (unsigned int i = 0; i < 4; i++)
		wq[i] = fx_wq(f, pd, cq, NULL);
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
		if (make_rss(f, pd, table, &v, &qp) != bad[i].err ||
		    !test_logged(f->log, bad[i].text))
			fail_msg("case %u", i);
	}
	for (unsigned int i = 0; i < sizeof(queues) / sizeof(queues[0]); i++)
		FX_REFUSES(f, make_rss_of(f, pd, table, queues[i], &u, &qp), -EINVAL,
			   "RSS: max_send_wr");
	assert_int_equal(make_rss(f, pd, table, &u, &qp), 0);
	tir = obj_next(f->v, OBJ_TIR, 0);
	assert_non_null(tir);
	assert_int_equal(tir->outer.selected, 1 | 8);
	assert_int_equal(tir->rqt->n, 4);
	assert_false(tir->symmetric);
	assert_false(tir->outer.ipv6 || tir->outer.udp);
	assert_int_equal(modify(f, qp, INIT, 1 | 1 << 5), -ENOSYS);
	assert_int_equal(FX_DESTROY(f, RWQ_IND_TBL, table), -EBUSY);
	assert_int_equal(FX_DESTROY(f, WQ, wq[1]), -EBUSY);
	assert_int_equal(FX_DESTROY(f, QP, qp), 0);
	assert_int_equal(FX_DESTROY(f, RWQ_IND_TBL, table), 0);
	assert_int_equal(FX_DESTROY(f, WQ, wq[1]), 0);
	/* the other WQs, and a second table, exist until the file is closed */
	assert_int_equal(make_table(f, 0, wq, 1, &table), 0);
	/* one queue needs no fields, but a known function and key */
	u.rx_hash_fields_mask = 0;
	u.rx_hash_function = 2;
	assert_int_equal(make_rss(f, pd, table, &u, &qp), -EOPNOTSUPP);
	u.rx_hash_function = MLX5_RX_HASH_FUNC_TOEPLITZ;
	u.rx_key_len = 39;
	assert_int_equal(make_rss(f, pd, table, &u, &qp), -EINVAL);
	u.rx_key_len = 40;
	assert_int_equal(make_rss(f, pd, table, &u, &qp), 0);
	assert_int_equal(FX_DESTROY(f, QP, qp), 0);
	u.rx_hash_fields_mask = MLX5_RX_HASH_SRC_IPV6 | MLX5_RX_HASH_DST_PORT_UDP;
	assert_int_equal(make_rss(f, pd, table, &u, &qp), 0);
	tir = obj_next(f->v, OBJ_TIR, 0);
	assert_true(tir->outer.ipv6 && tir->outer.udp);
}

/*
 * Returns whether any page size fits, from 4 KiB to the page that holds the buffer, which is
 * Linux's maximum. The offset in the page has 5 bits, in 64ths.
 */
static bool possible(uint64_t va, uint64_t len)
{
	for (unsigned int log = 12;; log++) {
		const uint64_t offset = va & ((1ull << log) - 1), unit = 1ull << (log - 6);

		if (offset % unit == 0 && offset / unit < 32)
			return true;
		if (va >> log == (va + len - 1) >> log)
			return false;
	}
}

/* Proves that each buffer for which a page size fits gets a page list that covers it. */
TEST(fx, page_lists)
{
	struct pages p;

	for (uint64_t va = 0x10000; va < 0x10000 + (1u << 20); va += 64 * 37)
		for (uint64_t len = 64; len <= 1u << 20; len *= 4) {
			uint64_t page;

			assert_int_equal(pages_wq(&p, f->mm, va, len),
					 possible(va, len) ? 0 : -EINVAL);
			if (!possible(va, len))
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
