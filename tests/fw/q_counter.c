/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves sets of Q counters as commands: owners, references, values. */
#include "tests/test.h"
#include <dvx/prm/admin.h>
#include "fw_fixture.h"
#include "fw/cmd.h"
#include "obj/q_counter.h"
#include "obj/queue.h"

static uint32_t qc_alloc(struct fx *f, uint16_t uid)
{
	const struct fx_field none[] = {{NULL, 0}};

	assert_int_equal(fx_cmd(f, f->v, PRM_OPCODE_ALLOC_Q_COUNTER, uid, none), 0);
	return prm_alloc_q_counter_out_get_counter_set_id(f->out);
}

static uint32_t qc_rq(struct fx *f, const struct fx_queue *q, uint32_t set)
{
	uint8_t in[FX_IN];
	size_t len = fx_fill_rq(in, q);

	FX_SET(in, CREATE_RQ, {"ctx.counter_set_id", set});
	assert_int_equal(FX_EXEC(f, CREATE_RQ, in, len), 0);
	return prm_create_rq_out_get_rqn(f->out);
}

static struct queue *qc_queue(struct fx *f, enum obj_type type, uint32_t id)
{
	return obj_find(f->v, type, id);
}

/* A set can't be freed while a queue names it; a queue without a set counts in none. */
TEST(fx, q_counter_life)
{
	struct fx_queue q = fx_queue(f, f->v, FX_UID);
	uint32_t set = qc_alloc(f, FX_UID), rq = qc_rq(f, &q, set);

	assert_true(set > 0 && set < 256);
	qc_queue(f, OBJ_RQ, rq)->stats->out_of_buffer = 5;
	qc_queue(f, OBJ_QP, q.qp)->stats->out_of_buffer = 100;
	assert_int_equal(FX(f, QUERY_Q_COUNTER, {"counter_set_id", set}), 0);
	FX_ASSERT_REPLY(f, QUERY_Q_COUNTER, {"out_of_buffer", 5});
	assert_int_equal(FX(f, DEALLOC_Q_COUNTER, {"counter_set_id", set}), BUSY);
	assert_int_equal(FX_NUMBER(f, DESTROY_RQ, rq), 0);
	assert_int_equal(FX(f, DEALLOC_Q_COUNTER, {"counter_set_id", set}), 0);
	assert_int_equal(FX(f, QUERY_Q_COUNTER, {"counter_set_id", set}), BAD_RES);
}

TEST(fx, q_counter_clear)
{
	struct fx_queue q = fx_queue(f, f->v, FX_UID);
	uint32_t set = qc_alloc(f, FX_UID), rq = qc_rq(f, &q, set);

	qc_queue(f, OBJ_RQ, rq)->stats->rx_dct_connect = 0x100000007;
	assert_int_equal(FX(f, QUERY_Q_COUNTER, {"counter_set_id", set}, {"clear", 1}), 0);
	FX_ASSERT_REPLY(f, QUERY_Q_COUNTER, {"rx_dct_connect", 7});
	assert_int_equal(FX(f, QUERY_Q_COUNTER, {"counter_set_id", set}), 0);
	FX_ASSERT_REPLY(f, QUERY_Q_COUNTER, {"rx_dct_connect", 0});
}

/*
 * Another uid's set is refused; the driver's can be named by all, and is shown in the port's
 * statistics.
 */
TEST(fx, q_counter_owners)
{
	struct fx_queue q = fx_queue(f, f->v, FX_UID);
	uint32_t others = qc_alloc(f, FX_UID + 1), drivers = qc_alloc(f, FW_UID_SHARED);
	uint8_t in[FX_IN];
	size_t len = fx_fill_rq(in, &q);

	FX_SET(in, CREATE_RQ, {"ctx.counter_set_id", others});
	FX_REFUSES(f, CREATE_RQ, in, len, BAD_RES, FW_SYN_NO_OBJECT);
	assert_int_equal(FX(f, QUERY_Q_COUNTER, {"counter_set_id", others}), BAD_RES);
	fw_q_counter_show(f->v, drivers);
	assert_ptr_equal(qc_queue(f, OBJ_RQ, qc_rq(f, &q, drivers))->stats, &f->v->stats->queues);
	assert_int_equal(FX(f, QUERY_Q_COUNTER, {"counter_set_id", drivers}), 0);
	assert_int_equal(FX(f, QUERY_Q_COUNTER, {"counter_set_id", drivers}, {"clear", 1}), BAD);
	assert_int_equal(FX(f, DEALLOC_Q_COUNTER, {"counter_set_id", drivers}), BAD_RES);
	fw_uid_reap(f->v, FX_UID);
	fw_uid_reap(f->v, FX_UID + 1);
	fw_uid_reap(f->v, FW_UID_SHARED);
	assert_int_equal(obj_count(f->v, OBJ_Q_COUNTER), 0);
}

/*
 * A queue gets its set as in mlx5_ib, by RST2INIT and RST2RDY, and another set by the bit for it.
 */
TEST(fx, q_counter_changes)
{
	struct fx_queue q = fx_queue(f, f->v, FX_UID);
	uint32_t a = qc_alloc(f, FX_UID), b = qc_alloc(f, FX_UID), rq = qc_rq(f, &q, 0);
	struct q_counter *sa = obj_find(f->v, OBJ_Q_COUNTER, a),
			 *sb = obj_find(f->v, OBJ_Q_COUNTER, b);
	struct queue *qp = qc_queue(f, OBJ_QP, q.qp);

	assert_int_equal(FX(f, RST2INIT_QP, {"qpn", q.qp}, {"qpc.counter_set_id", a},
			    {"qpc.primary_address_path.vhca_port_num", 1}),
			 0);
	assert_ptr_equal(qp->stats, &sa->own);
	assert_int_equal(FX(f, INIT2INIT_QP, {"qpn", q.qp}, {"qpc.counter_set_id", b}), 0);
	assert_ptr_equal(qp->stats, &sa->own);
	assert_int_equal(FX(f, INIT2INIT_QP, {"qpn", q.qp}, {"qpc.counter_set_id", b},
			    {"opt_param_mask", PRM_QP_OPTPAR_COUNTER_SET_ID}),
			 0);
	assert_ptr_equal(qp->stats, &sb->own);
	assert_int_equal(FX_QUERY(f, QUERY_QP, q.qp), 0);
	FX_ASSERT_REPLY(f, QUERY_QP, {"qpc.counter_set_id", b});
	assert_int_equal(FX(f, DEALLOC_Q_COUNTER, {"counter_set_id", a}), 0);
	assert_int_equal(
		FX(f, MODIFY_RQ, {"rqn", rq}, {"modify_bitmask", 8}, {"ctx.counter_set_id", b}), 0);
	assert_int_equal(FX_QUERY(f, QUERY_RQ, rq), 0);
	FX_ASSERT_REPLY(f, QUERY_RQ, {"rq_context.counter_set_id", b});
}

/* Refused are another function's set, the sum of all, number 0, and more than 255 sets. */
TEST(fx, q_counter_refusals)
{
	uint32_t set = qc_alloc(f, FX_UID), n = 1;

	assert_int_equal(FX(f, QUERY_Q_COUNTER, {"counter_set_id", set}, {"other_vport", 1}), BAD);
	assert_int_equal(FX(f, QUERY_Q_COUNTER, {"counter_set_id", set}, {"vport_number", 1}), BAD);
	assert_int_equal(FX(f, QUERY_Q_COUNTER, {"counter_set_id", set}, {"aggregate", 1}), BAD);
	assert_int_equal(f->syndrome, FW_SYN_CAP_CLEAR);
	assert_int_equal(FX(f, QUERY_Q_COUNTER, {"counter_set_id", 0}), BAD_RES);
	while (fx_cmd(f, f->v, PRM_OPCODE_ALLOC_Q_COUNTER, FX_UID, FX_FIELDS({NULL, 0})) == 0)
		n++;
	assert_int_equal(n, 255);
	assert_int_equal(f->syndrome, FW_SYN_LIMIT);
	fw_uid_reap(f->v, FX_UID);
}
