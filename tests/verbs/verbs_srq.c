/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves an SRQ's behaviour through unmodified libibverbs and libmlx5: the limit's event once, the
 * last entry's event of a queue in error, posting again after "not ready", and RMPs of DevX below
 * QPs. */
#include "tests/test.h"
#include "verbs_qp.h"

#include <errno.h>
#include <infiniband/mlx5dv.h>
#include <dvx/prm/cmd.h>
#include <dvx/prm/rq.h>

#define DEPTH 16u
#define BYTES 64u

/* A QP that is its own peer, on an SRQ. */
struct own {
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_mr *mr;
	struct ibv_cq *scq, *rcq;
	struct ibv_srq *srq;
	struct ibv_qp *qp;
	uint8_t buf[2 * DEPTH * BYTES];
};

static int own_setup(void **state)
{
	struct ibv_srq_init_attr sa = {.attr = {.max_wr = DEPTH, .max_sge = 1}};
	struct own *o = calloc(1, sizeof(*o));
	struct ibv_qp_init_attr qa = {.qp_type = IBV_QPT_RC, .cap = {DEPTH, 0, 1, 0, 0}};

	assert_non_null(o);
	o->ctx = verbs_open();
	assert_non_null(o->ctx);
	o->pd = ibv_alloc_pd(o->ctx);
	o->mr = ibv_reg_mr(o->pd, o->buf, sizeof(o->buf), IBV_ACCESS_LOCAL_WRITE);
	o->scq = ibv_create_cq(o->ctx, DEPTH, NULL, NULL, 0);
	o->rcq = ibv_create_cq(o->ctx, DEPTH, NULL, NULL, 0);
	o->srq = ibv_create_srq(o->pd, &sa);
	assert_true(o->mr && o->scq && o->rcq && o->srq);
	qa.send_cq = o->scq;
	qa.recv_cq = o->rcq;
	qa.srq = o->srq;
	o->qp = ibv_create_qp(o->pd, &qa);
	assert_non_null(o->qp);
	assert_int_equal(verbs_qp_connect_self(o->qp, 1), 0);
	*state = o;
	return 0;
}

static int own_teardown(void **state)
{
	struct own *o = *state;

	assert_int_equal(ibv_destroy_srq(o->srq), EBUSY);
	assert_int_equal(ibv_destroy_qp(o->qp), 0);
	assert_int_equal(ibv_destroy_srq(o->srq), 0);
	assert_int_equal(ibv_destroy_cq(o->scq), 0);
	assert_int_equal(ibv_destroy_cq(o->rcq), 0);
	assert_int_equal(ibv_dereg_mr(o->mr), 0);
	assert_int_equal(ibv_dealloc_pd(o->pd), 0);
	assert_int_equal(ibv_close_device(o->ctx), 0);
	free(o);
	return 0;
}

#define FIXTURE_own(name) FIXTURE(name, struct own *o, own_setup, own_teardown)

static void post(struct own *o, uint64_t id)
{
	struct ibv_sge sge = {(uintptr_t)o->buf + (DEPTH + id % DEPTH) * BYTES, BYTES, o->mr->lkey};
	struct ibv_recv_wr wr = {.wr_id = id, .sg_list = &sge, .num_sge = 1}, *bad;

	assert_int_equal(ibv_post_srq_recv(o->srq, &wr, &bad), 0);
}

static void poll(struct ibv_cq *cq, struct ibv_wc *wc)
{
	int n;

	do
		n = ibv_poll_cq(cq, 1, wc);
	while (!n);
	assert_int_equal(n, 1);
	assert_int_equal(wc->status, IBV_WC_SUCCESS);
}

static void send_to_self(struct own *o, uint8_t fill)
{
	struct ibv_sge sge = {(uintptr_t)o->buf, BYTES, o->mr->lkey};
	struct ibv_send_wr wr = {.sg_list = &sge,
				 .num_sge = 1,
				 .opcode = IBV_WR_SEND,
				 .send_flags = IBV_SEND_SIGNALED},
			   *bad;

	memset(o->buf, fill, BYTES);
	assert_int_equal(ibv_post_send(o->qp, &wr, &bad), 0);
}

/* Sends one message into receive `id`. */
static void move(struct own *o, uint64_t id)
{
	struct ibv_wc wc;

	send_to_self(o, (uint8_t)(id + 1));
	poll(o->scq, &wc);
	poll(o->rcq, &wc);
	assert_int_equal(wc.wr_id, id);
	assert_int_equal(wc.qp_num, o->qp->qp_num);
	assert_memory_equal(o->buf + (DEPTH + id % DEPTH) * BYTES, o->buf, BYTES);
}

/* Waits for the next event and checks its type. */
static void event(struct own *o, enum ibv_event_type type)
{
	struct ibv_async_event e;

	assert_int_equal(ibv_get_async_event(o->ctx, &e), 0);
	assert_int_equal(e.event_type, type);
	if (type == IBV_EVENT_QP_LAST_WQE_REACHED)
		assert_ptr_equal(e.element.qp, o->qp);
	else
		assert_ptr_equal(e.element.srq, o->srq);
	ibv_ack_async_event(&e);
}

/* Many times round the ring: each receive returns its wr_id. */
TEST(own, round_and_round)
{
	for (uint64_t i = 0; i < 5 * DEPTH; i++) {
		post(o, i);
		move(o, i);
	}
}

/* Refills as programs do: three of four are gone, and the event comes once. */
TEST(own, limit)
{
	struct ibv_srq_attr a = {.srq_limit = 2};

	for (uint64_t i = 0; i < 4; i++)
		post(o, i);
	assert_int_equal(ibv_modify_srq(o->srq, &a, IBV_SRQ_LIMIT), 0);
	for (uint64_t i = 0; i < 3; i++)
		move(o, i);
	event(o, IBV_EVENT_SRQ_LIMIT_REACHED);
	assert_int_equal(ibv_query_srq(o->srq, &a), 0);
	assert_int_equal(a.srq_limit, 0);
	a.srq_limit = 1;
	assert_int_equal(ibv_modify_srq(o->srq, &a, IBV_SRQ_LIMIT), 0);
	move(o, 3);
	event(o, IBV_EVENT_SRQ_LIMIT_REACHED);
}

/* A sender waits for a receive that is posted later. */
TEST(own, posted_late)
{
	struct ibv_wc wc;

	send_to_self(o, 7);
	post(o, 5);
	poll(o->scq, &wc);
	poll(o->rcq, &wc);
	assert_int_equal(wc.wr_id, 5);
}

/* A queue in error reports that it took its last entry; posted entries stay the SRQ's. */
TEST(own, last_entry)
{
	struct ibv_qp_attr a = {.qp_state = IBV_QPS_ERR};
	struct ibv_wc wc;

	post(o, 1);
	assert_int_equal(ibv_modify_qp(o->qp, &a, IBV_QP_STATE), 0);
	event(o, IBV_EVENT_QP_LAST_WQE_REACHED);
	assert_int_equal(ibv_poll_cq(o->rcq, 1, &wc), 0);
	a.qp_state = IBV_QPS_RESET;
	assert_int_equal(ibv_modify_qp(o->qp, &a, IBV_QP_STATE), 0);
	assert_int_equal(verbs_qp_connect_self(o->qp, 1), 0);
	move(o, 1);
}

/* DevX queries a verbs SRQ as the RMP that it is. */
TEST(own, is_an_rmp)
{
	uint8_t in[PRM_QUERY_RMP_IN_BYTES] = {0}, out[PRM_QUERY_RMP_OUT_BYTES];
	struct mlx5dv_srq dv = {.comp_mask = MLX5DV_SRQ_MASK_SRQN};
	struct mlx5dv_obj obj = {.srq = {.in = o->srq, .out = &dv}};

	assert_int_equal(mlx5dv_init_obj(&obj, MLX5DV_OBJ_SRQ), 0);
	prm_query_rmp_in_set_opcode(in, PRM_OPCODE_QUERY_RMP);
	prm_query_rmp_in_set_rmpn(in, dv.srqn);
	assert_int_equal(mlx5dv_devx_srq_query(o->srq, in, sizeof(in), out, sizeof(out)), 0);
	assert_int_equal(prm_rmpc_get_state(prm_query_rmp_out_cat_rmp_context(out)),
			 PRM_RMPC_STATE_RDY);
}
