/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves SRQs in the kernel: their firmware objects, the sentences of refusals, events, QPs on
 * SRQs, use by DevX; and DC targets.
 */
#include <unistd.h>
#include <dvx/prm/cmd.h>
#include <dvx/prm/eqe.h>
#include <dvx/prm/rq.h>
#include "kernel_fixture.h"
#include "obj/dct.h"
#include "obj/q_counter.h"
#include "obj/qp.h"
#include "obj/srq.h"

enum { MAX_WR = 1, LIMIT = 2 };	       /* enum ib_srq_attr_mask */
enum { SRQ_ERR = 14, SRQ_LIMIT = 15 }; /* enum ib_event_type */

static void fill(struct fx *f, struct request *r, void *uhw)
{
	fx_fill_srq(f, r, uhw, fx_pd(f));
}

struct made {
	uint32_t handle, srqn;
};

static struct made make(struct fx *f)
{
	struct mlx5_ib_create_srq u;
	struct request r;
	struct made m;

	fill(f, &r, &u);
	m.handle = rq_create(f, &r, &u, sizeof(u), UVERBS_ATTR_UHW_OUT, &m.srqn);
	return m;
}

static int modify(struct fx *f, uint32_t handle, uint32_t mask, uint32_t limit)
{
	const struct ib_uverbs_modify_srq m = {
		.srq_handle = handle, .attr_mask = mask, .srq_limit = limit};

	return fx_write(f, IB_USER_VERBS_CMD_MODIFY_SRQ, &m, sizeof(m), NULL, 0);
}

static struct ib_uverbs_query_srq_resp query(struct fx *f, uint32_t handle)
{
	const struct ib_uverbs_query_srq q = {.srq_handle = handle};
	struct ib_uverbs_query_srq_resp r;

	assert_int_equal(FX_WRITE(f, IB_USER_VERBS_CMD_QUERY_SRQ, q, r), 0);
	return r;
}

/* Proves that an SRQ is an RMP: a linked list with one entry more than programs may post. */
TEST(fx, becomes_an_rmp)
{
	const struct made m = make(f);
	const struct srq *s = obj_find(f->v, OBJ_SRQ, m.srqn);
	struct ib_uverbs_query_srq_resp r;

	assert_non_null(s);
	assert_true(s->linked);
	assert_int_equal(s->log_size, 4);
	assert_int_equal(s->log_stride, 6);
	assert_int_equal(s->dbrec, mm_bus(f->mm, (uintptr_t)f->mem + FX_SRQ_RECORD));
	assert_int_equal(s->lwm, 0); /* mlx5_ib ignores the limit at creation */
	assert_int_not_equal(s->o.uid, 0);
	r = query(f, m.handle);
	assert_int_equal(r.max_wr, 15);
	assert_int_equal(r.max_sge, 3);
	assert_int_equal(r.srq_limit, 0);
	assert_int_equal(FX_DESTROY(f, SRQ, m.handle), 0);
	assert_int_equal(obj_count(f->v, OBJ_SRQ), 0);
}

TEST(fx, refusals)
{
#define U(field)    FX_FIELD(mlx5_ib_create_srq, field)
#define BITS(field) FX_BITS(mlx5_ib_create_srq, field)
#define ATTR(name)  FX_ATTR(UVERBS_ATTR_CREATE_SRQ_##name)
	static const struct fx_spoil bad[] = {
		{ATTR(MAX_WR), 1u << 15, -EINVAL, "MAX_WR"},
		{ATTR(MAX_WR), UINT32_MAX, -EINVAL, "MAX_WR"},
		{ATTR(MAX_SGE), 65, -EINVAL, "MAX_SGE"},
		{ATTR(MAX_SGE), 64, -EINVAL, "log_wq_stride"},
		{ATTR(TYPE), IB_UVERBS_SRQT_TM, -ENOENT, "has a CQ and MAX_NUM_TAGS"},
		{ATTR(TYPE), 77, -EINVAL, "type 77"},
		{ATTR(PD_HANDLE), 999, -ENOENT, "PD handle 999"},
		{U(buf_addr), 0, -EFAULT, "buf_addr"},
		{BITS(buf_addr), 4, -EINVAL, "buf_addr"},
		{BITS(db_addr), 4, -EFAULT, "db_addr"},
		{U(flags), MLX5_SRQ_FLAG_SIGNATURE, -EINVAL, "wq_signature"},
		{U(reserved1), 1, -EINVAL, "reserved"},
	};

	FX_SPOILS(f, fill, mlx5_ib_create_srq, bad);
	assert_int_equal(obj_count(f->v, OBJ_SRQ), 0);
}

TEST(fx, modify_refusals)
{
	const struct made m = make(f);

	FX_REFUSES(f, modify(f, m.handle, MAX_WR, 0), -EINVAL, "resizes no SRQs");
	FX_REFUSES(f, modify(f, m.handle, LIMIT, 16), -EINVAL, "srq_limit 16");
	assert_int_equal(modify(f, m.handle + 9, LIMIT, 1), -ENOENT);
	assert_int_equal(modify(f, m.handle, 0, 99), 0);
}

/* Proves that the limit's event is sent once, and that DESTROY_SRQ reports it. */
TEST(fx, limit_event)
{
	int fd = fx_async_fd(f);
	const struct made m = make(f);
	struct ib_uverbs_async_event_desc d;
	uint32_t events = 0;

	f->mem[FX_SRQ_RECORD + 3] = 4;
	assert_int_equal(modify(f, m.handle, LIMIT, 4), 0);
	assert_int_equal(query(f, m.handle).srq_limit, 4);
	assert_int_equal(read(fd, &d, sizeof(d)), -1);
	assert_int_equal(modify(f, m.handle, LIMIT, 5), 0);
	assert_int_equal(read(fd, &d, sizeof(d)), sizeof(d));
	assert_int_equal(d.event_type, SRQ_LIMIT);
	assert_int_equal(d.element, FX_SRQ_HANDLE);
	assert_int_equal(read(fd, &d, sizeof(d)), -1);
	assert_int_equal(query(f, m.handle).srq_limit, 0);
	assert_int_equal(FX_CALL(f, UVERBS_OBJECT_SRQ, UVERBS_METHOD_SRQ_DESTROY,
				 A_HANDLE(UVERBS_ATTR_DESTROY_SRQ_HANDLE, m.handle),
				 A_OUT(UVERBS_ATTR_DESTROY_SRQ_RESP, &events, sizeof(events))),
			 0);
	assert_int_equal(events, 1);
	close(fd);
}

TEST(fx, error_event)
{
	int fd = fx_async_fd(f);
	const struct made m = make(f);
	uint8_t eqe[PRM_EQE_BYTES] = {0};
	struct ib_uverbs_async_event_desc d;

	prm_eqe_set_type(eqe, PRM_EVENT_SRQ_CATAS_ERROR);
	prm_eqe_set_qp_srq_n(eqe, m.srqn);
	kernel_event(f->k, f->v, 0, eqe);
	assert_int_equal(read(fd, &d, sizeof(d)), sizeof(d));
	assert_int_equal(d.event_type, SRQ_ERR);
	assert_int_equal(d.element, FX_SRQ_HANDLE);
	close(fd);
}

/* Proves that a QP takes its receives from its SRQ, which cannot be destroyed before the QP. */
TEST(fx, qp_on_srq)
{
	const struct made m = make(f);
	struct mlx5_ib_create_qp u;
	const struct qp *qp;
	struct request r;
	uint32_t handle;

	fx_fill_qp(f, &r, &u, fx_pd(f), fx_cq(f, NULL));
	rq_handle(&r, UVERBS_ATTR_CREATE_QP_SRQ_HANDLE, m.handle);
	u.rq_wqe_count = u.rq_wqe_shift = 0;
	assert_int_equal(rq_run_with(f, &r, &u, sizeof(u)), 0);
	handle = rq_new(&r);
	qp = obj_find(f->v, OBJ_QP, rq_u32(&r, UVERBS_ATTR_CREATE_QP_RESP_QP_NUM));
	assert_int_equal(qp->rq.srq->o.id, m.srqn);
	rq_done(&r);
	assert_int_equal(FX_DESTROY(f, SRQ, m.handle), -EBUSY);
	assert_int_equal(FX_DESTROY(f, QP, handle), 0);
	assert_int_equal(FX_DESTROY(f, SRQ, m.handle), 0);
}

/* Proves that a QP with both an SRQ and an RQ is refused. */
TEST(fx, qp_with_both)
{
	const struct made m = make(f);
	struct mlx5_ib_create_qp u;
	struct request r;

	fx_fill_qp(f, &r, &u, fx_pd(f), fx_cq(f, NULL));
	rq_handle(&r, UVERBS_ATTR_CREATE_QP_SRQ_HANDLE, m.handle);
	FX_REFUSES(f, rq_run_with(f, &r, &u, sizeof(u)), -EINVAL, "no receives of its own");
	rq_done(&r);
}

/* Proves that DevX can query an SRQ of verbs by its handle, as an RMP. */
TEST(fx, devx_knows_it)
{
	const struct made m = make(f);
	uint8_t in[PRM_QUERY_RMP_IN_BYTES] = {0}, out[PRM_QUERY_RMP_OUT_BYTES];

	prm_query_rmp_in_set_opcode(in, PRM_OPCODE_QUERY_RMP);
	prm_query_rmp_in_set_rmpn(in, m.srqn);
	assert_int_equal(fx_devx_query(f, m.handle, in, sizeof(in), out, sizeof(out)), 0);
	assert_int_equal(prm_rmpc_get_state(prm_query_rmp_out_cat_rmp_context(out)),
			 PRM_RMPC_STATE_RDY);
	prm_query_rmp_in_set_rmpn(in, m.srqn + 1);
	assert_int_equal(fx_devx_query(f, m.handle, in, sizeof(in), out, sizeof(out)), -EINVAL);
}

/*
 * --- DC targets, which have an SRQ --------------------------------------------------------------
 */

#define DCT_TO_INIT (1 | 1 << 3 | 1 << 4 | 1 << 5)
#define DCT_TO_RTR  (1 | 1 << 7 | 1 << 8 | 1 << 15)

/* Makes a DCT; srq is 0 for none. */
static int dct_make(struct fx *f, uint32_t srq, uint32_t cq, uint32_t *handle)
{
	static const struct ib_uverbs_qp_cap cap = {0};
	struct mlx5_ib_create_qp u = {.flags = MLX5_QP_FLAG_TYPE_DCT, .access_key = 7, .uidx = 3};
	struct request r;
	int err;

	rq_make(&r, UVERBS_OBJECT_QP, UVERBS_METHOD_QP_CREATE,
		RQ_ARGS(A_NEW(UVERBS_ATTR_CREATE_QP_HANDLE, NULL),
			A_HANDLE(UVERBS_ATTR_CREATE_QP_PD_HANDLE, fx_pd(f)),
			srq ? A_HANDLE(UVERBS_ATTR_CREATE_QP_SRQ_HANDLE, srq) : A_NONE,
			A_HANDLE(UVERBS_ATTR_CREATE_QP_SEND_CQ_HANDLE, cq),
			A_HANDLE(UVERBS_ATTR_CREATE_QP_RECV_CQ_HANDLE, cq),
			A_VALUE(UVERBS_ATTR_CREATE_QP_USER_HANDLE, FX_SRQ_HANDLE, 8),
			A_IN(UVERBS_ATTR_CREATE_QP_CAP, &cap, sizeof(cap)),
			A_VALUE(UVERBS_ATTR_CREATE_QP_TYPE, IB_UVERBS_QPT_DRIVER, 8),
			A_OUT(UVERBS_ATTR_CREATE_QP_RESP_CAP, NULL, sizeof(cap)),
			A_OUT(UVERBS_ATTR_CREATE_QP_RESP_QP_NUM, NULL, 4),
			A_OUT(UVERBS_ATTR_UHW_OUT, NULL, sizeof(struct mlx5_ib_create_qp_resp))));
	err = rq_run_with(f, &r, &u, sizeof(u));
	if (!err)
		*handle = rq_new(&r);
	rq_done(&r);
	return err;
}

static int dct_modify(struct fx *f, const struct ib_uverbs_modify_qp *m, size_t room)
{
	return FX_CALL(f, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_INVOKE_WRITE,
		       A_VALUE(UVERBS_ATTR_WRITE_CMD, IB_USER_VERBS_CMD_MODIFY_QP, 8),
		       A_IN(UVERBS_ATTR_CORE_IN, m, sizeof(*m)),
		       room ? A_OUT(UVERBS_ATTR_UHW_OUT, NULL, room) : A_NONE);
}

/* Proves a DCT's transitions with exactly their attributes; in RTR it has a number. */
TEST(fx, dct_states)
{
	const struct made srq = make(f);
	struct ib_uverbs_modify_qp m = {.qp_state = 1, .attr_mask = DCT_TO_INIT, .port_num = 1};
	const size_t room = sizeof(struct mlx5_ib_modify_qp_resp);
	uint32_t cq = fx_cq(f, NULL);
	const struct dct *dct;

	assert_int_equal(dct_make(f, 0, cq, &m.qp_handle), -EINVAL);
	assert_int_equal(dct_make(f, srq.handle, cq, &m.qp_handle), 0);
	m.attr_mask = DCT_TO_INIT & ~(1u << 3);
	assert_int_equal(dct_modify(f, &m, room), -EINVAL);
	m.attr_mask = DCT_TO_INIT | 1 << 8;
	assert_int_equal(dct_modify(f, &m, room), -EINVAL);
	m.attr_mask = DCT_TO_INIT;
	m.port_num = 2;
	assert_int_equal(dct_modify(f, &m, room), -EINVAL);
	m.port_num = 1;
	m.qp_state = 2;
	assert_int_equal(dct_modify(f, &m, room), -EINVAL);
	m.qp_state = 1;
	assert_int_equal(dct_modify(f, &m, room), 0);

	m = (struct ib_uverbs_modify_qp){.qp_handle = m.qp_handle,
					 .qp_state = 2,
					 .attr_mask = DCT_TO_RTR,
					 .path_mtu = 3,
					 .dest = {.port_num = 1, .sgid_index = 1}};
	assert_int_equal(dct_modify(f, &m, room), -EINVAL);
	m.dest.is_global = 1;
	m.dest.sgid_index = VHCA_GIDS;
	assert_int_equal(dct_modify(f, &m, room), -EINVAL);
	f->v->gids[VHCA_GIDS - 1].type = GID_EMPTY;
	m.dest.sgid_index = VHCA_GIDS - 1;
	assert_int_equal(dct_modify(f, &m, room), -ENODATA);
	m.dest.sgid_index = 1;
	assert_int_equal(dct_modify(f, &m, 4), -EINVAL);
	m.attr_mask = DCT_TO_RTR & ~(1u << 15);
	assert_int_equal(dct_modify(f, &m, room), -EINVAL);
	assert_int_equal(obj_count(f->v, OBJ_DCT), 0);
	m.attr_mask = DCT_TO_RTR;
	assert_int_equal(dct_modify(f, &m, room), 0);
	dct = obj_next(f->v, OBJ_DCT, 0);
	assert_non_null(dct);
	assert_int_equal(dct->srq->o.id, srq.srqn);
	assert_ptr_equal(q_counter_of(f->v, dct->counter), &f->v->stats->queues);
	m.qp_state = 3;
	assert_int_equal(dct_modify(f, &m, room), -EINVAL);
	assert_int_equal(FX_DESTROY(f, SRQ, srq.handle), -EBUSY);
	assert_int_equal(FX_DESTROY(f, QP, m.qp_handle), 0);
	assert_int_equal(obj_count(f->v, OBJ_DCT), 0);
}
