/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves XRC as in ib_uverbs: domains that programs share by a file, and targets with handles. */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
#include <dvx/prm/cmd.h>
#include <dvx/prm/rq.h>
#include "kernel_fixture.h"
#include "obj/qp.h"

#define NO_FILE UINT32_MAX
enum { RESET, INIT };
#define TO_INIT (1 | 1 << 3 | 1 << 4 | 1 << 5) /* state, access, P_Key, port */

/* The fixture's program, and a second one. */
struct two {
	struct fx *f;
	struct uverbs_file *mine, *other;
};

static struct two two(struct fx *f)
{
	struct two t = {f, f->f, kernel_open(f->k, f->mm, BLUEFIELD2_HOST)};

	assert_int_equal(fx_context(f, t.other, false), 0);
	return t;
}

/* Makes a file on a file system that reuses inode numbers. */
static uint32_t some_file(void)
{
	char name[] = "xrcd.XXXXXX";
	int fd = mkstemp(name);

	assert_true(fd >= 0);
	unlink(name);
	return (uint32_t)fd;
}

/* Opens a domain; returns its handle, or -errno. */
static int64_t open_xrcd(struct fx *f, uint32_t fd, uint32_t oflags)
{
	const struct ib_uverbs_open_xrcd in = {.fd = fd, .oflags = oflags};
	struct ib_uverbs_open_xrcd_resp out = {0};
	int err = FX_WRITE(f, IB_USER_VERBS_CMD_OPEN_XRCD, in, out);

	return err ? err : (int64_t)out.xrcd_handle;
}

static int close_xrcd(struct fx *f, int64_t handle)
{
	const struct ib_uverbs_close_xrcd in = {.xrcd_handle = (uint32_t)handle};

	return fx_write(f, IB_USER_VERBS_CMD_CLOSE_XRCD, &in, sizeof(in), NULL, 0);
}

static int make_target(struct fx *f, int64_t xrcd, uint32_t *handle, uint32_t *qpn)
{
	struct request r;
	struct mlx5_ib_create_qp u = {.flags = ~0u}; /* not passed to the driver */
	int err;

	rq_make(&r, UVERBS_OBJECT_QP, UVERBS_METHOD_QP_CREATE,
		RQ_ARGS(A_NEW(UVERBS_ATTR_CREATE_QP_HANDLE, handle),
			A_HANDLE(UVERBS_ATTR_CREATE_QP_XRCD_HANDLE, (uint64_t)xrcd),
			A_VALUE(UVERBS_ATTR_CREATE_QP_USER_HANDLE, 1, 8),
			A_IN(UVERBS_ATTR_CREATE_QP_CAP, &(struct ib_uverbs_qp_cap){0},
			     sizeof(struct ib_uverbs_qp_cap)),
			A_VALUE(UVERBS_ATTR_CREATE_QP_TYPE, IB_UVERBS_QPT_XRC_TGT, 4),
			A_OUT(UVERBS_ATTR_CREATE_QP_RESP_CAP, NULL,
			      sizeof(struct ib_uverbs_qp_cap)),
			A_OUT(UVERBS_ATTR_CREATE_QP_RESP_QP_NUM, qpn, 4),
			A_OUT(UVERBS_ATTR_UHW_OUT, NULL, sizeof(struct mlx5_ib_create_qp_resp))));
	err = rq_run_with(f, &r, &u, sizeof(u));
	if (!err) {
		*handle = rq_new(&r);
		*qpn = rq_u32(&r, UVERBS_ATTR_CREATE_QP_RESP_QP_NUM);
	}
	rq_done(&r);
	return err;
}

static int open_qp(struct fx *f, int64_t xrcd, uint32_t qpn, uint8_t type, uint32_t *handle)
{
	const struct ib_uverbs_open_qp in = {
		.pd_handle = (uint32_t)xrcd, .qpn = qpn, .qp_type = type};
	struct ib_uverbs_create_qp_resp out = {0};
	int err = FX_WRITE(f, IB_USER_VERBS_CMD_OPEN_QP, in, out);

	*handle = out.qp_handle;
	return err;
}

static uint8_t state_of(struct fx *f, uint32_t handle)
{
	const struct ib_uverbs_query_qp in = {.qp_handle = handle};
	struct ib_uverbs_query_qp_resp r;

	assert_int_equal(FX_WRITE(f, IB_USER_VERBS_CMD_QUERY_QP, in, r), 0);
	return r.qp_state;
}

/* Proves that a file has one domain for all programs, which its last handle destroys. */
TEST(fx, domains)
{
	const uint32_t file = some_file(), another = some_file();
	const struct two t = two(f);
	int64_t a, b, own;

	FX_REFUSES(f, open_xrcd(f, file, 0), -EAGAIN, "no O_CREAT");
	a = open_xrcd(f, file, O_CREAT | O_EXCL);
	assert_true(a >= 0);
	own = open_xrcd(f, NO_FILE, 0); /* a private domain */
	assert_true(own >= 0);
	f->f = t.other;
	FX_REFUSES(f, open_xrcd(f, file, O_CREAT | O_EXCL), -EINVAL, "O_EXCL");
	FX_REFUSES(f, open_xrcd(f, another, 0), -EAGAIN, "no O_CREAT");
	FX_REFUSES(f, open_xrcd(f, 1023, O_CREAT), -EBADF, "fd 1023");
	b = open_xrcd(f, file, 0);
	assert_true(b >= 0);
	f->f = t.mine;
	assert_int_equal(obj_count(f->v, OBJ_XRCD), 2);
	assert_int_equal(close_xrcd(f, a), 0);
	assert_int_equal(close_xrcd(f, a), -ENOENT);
	assert_int_equal(close_xrcd(f, own), 0);
	assert_int_equal(obj_count(f->v, OBJ_XRCD), 1);
	kernel_close(t.other);
	assert_int_equal(obj_count(f->v, OBJ_XRCD), 0);
	FX_REFUSES(f, open_xrcd(f, file, 0), -EAGAIN, "no O_CREAT");
	close((int)file);
	close((int)another);
}

/* Proves that a domain holds its file, so that no new file gets the inode's number. */
TEST(fx, file_goes)
{
	uint32_t file = some_file();
	int64_t xrcd = open_xrcd(f, file, O_CREAT);

	assert_true(xrcd >= 0);
	close((int)file);
	for (unsigned int i = 0; i < 16; i++) {
		file = some_file();
		FX_REFUSES(f, open_xrcd(f, file, 0), -EAGAIN, "no O_CREAT");
		close((int)file);
	}
	assert_int_equal(close_xrcd(f, xrcd), 0);
}

/* Proves that each handle of a target can modify it, and that the last one destroys it. */
TEST(fx, targets)
{
	const struct two t = two(f);
	const uint32_t file = some_file();
	uint32_t first, second, none, qpn;
	int64_t a = open_xrcd(f, file, O_CREAT), b;
	const struct qp *hw;

	assert_int_equal(make_target(f, a, &first, &qpn), 0);
	hw = obj_find(f->v, OBJ_QP, qpn);
	assert_non_null(hw);
	assert_int_equal(hw->q.o.uid, 0);
	assert_int_equal(close_xrcd(f, a), -EBUSY);
	f->f = t.other;
	b = open_xrcd(f, file, 0);
	FX_REFUSES(f, open_qp(f, b, qpn + 1, IB_UVERBS_QPT_XRC_TGT, &none), -EINVAL, "no target");
	FX_REFUSES(f, open_qp(f, b, qpn, IB_UVERBS_QPT_RC, &none), -EINVAL, "qp_type 2");
	assert_int_equal(open_qp(f, b + 7, qpn, IB_UVERBS_QPT_XRC_TGT, &none), -EINVAL);
	assert_int_equal(open_qp(f, b, qpn, IB_UVERBS_QPT_XRC_TGT, &second), 0);
	assert_int_equal(fx_write(f, IB_USER_VERBS_CMD_MODIFY_QP,
				  &(struct ib_uverbs_modify_qp){.qp_handle = second,
								.qp_state = INIT,
								.attr_mask = TO_INIT,
								.port_num = 1},
				  sizeof(struct ib_uverbs_modify_qp), NULL, 0),
			 0);
	f->f = t.mine;
	assert_int_equal(state_of(f, first), INIT);
	kernel_close(t.mine); /* the creator ends */
	f->f = t.other;
	assert_ptr_equal(obj_find(f->v, OBJ_QP, qpn), hw);
	assert_int_equal(state_of(f, second), INIT);
	assert_int_equal(close_xrcd(f, b), -EBUSY);
	assert_int_equal(FX_DESTROY(f, QP, second), 0);
	assert_null(obj_find(f->v, OBJ_QP, qpn));
	assert_int_equal(close_xrcd(f, b), 0);
	assert_int_equal(obj_count(f->v, OBJ_XRCD), 0);
}

/* Proves that a target with other objects than a domain is refused. */
TEST(fx, target_refusals)
{
	uint32_t handle, qpn;

	FX_REFUSES(f, make_target(f, 999, &handle, &qpn), -ENOENT, "XRCD handle 999");
	assert_int_equal(obj_count(f->v, OBJ_XRCD), 0);
}

/*
 * --- SRQs of a domain ---------------------------------------------------------------------------
 */

static uint32_t make_srq(struct fx *f, int64_t xrcd, uint32_t pd, uint32_t cq)
{
	struct mlx5_ib_create_srq u;
	struct request r;

	fx_fill_srq(f, &r, &u, pd);
	u.uidx = 7;
	rq_attr(&r, UVERBS_ATTR_CREATE_SRQ_TYPE)->data = IB_UVERBS_SRQT_XRC;
	rq_handle(&r, UVERBS_ATTR_CREATE_SRQ_XRCD_HANDLE, (uint64_t)xrcd);
	rq_handle(&r, UVERBS_ATTR_CREATE_SRQ_CQ_HANDLE, cq);
	rq_out(&r, UVERBS_ATTR_CREATE_SRQ_RESP_SRQ_NUM, 4);
	return rq_create(f, &r, &u, sizeof(u), 0, NULL);
}

/* Proves that an XRC SRQ's limit can be set and queried, and is refused above its size. */
TEST(fx, srq_limit)
{
	const uint32_t pd = fx_pd(f), cq = fx_cq(f, NULL);
	const int64_t xrcd = open_xrcd(f, NO_FILE, O_CREAT);
	struct ib_uverbs_modify_srq m = {
		.srq_handle = make_srq(f, xrcd, pd, cq), .attr_mask = 2, .srq_limit = 9};
	const struct ib_uverbs_query_srq q = {.srq_handle = m.srq_handle};
	struct ib_uverbs_query_srq_resp r;

	f->mem[FX_SRQ_RECORD + 3] = 9; /* posted receives: with fewer the limit would fire */
	assert_int_equal(fx_write(f, IB_USER_VERBS_CMD_MODIFY_SRQ, &m, sizeof(m), NULL, 0), 0);
	m.srq_limit = 16;
	assert_int_equal(fx_write(f, IB_USER_VERBS_CMD_MODIFY_SRQ, &m, sizeof(m), NULL, 0),
			 -EINVAL);
	assert_int_equal(FX_WRITE(f, IB_USER_VERBS_CMD_QUERY_SRQ, q, r), 0);
	assert_int_equal(r.max_wr, 15);
	assert_int_equal(r.srq_limit, 9);
	assert_int_equal(FX_DESTROY(f, SRQ, m.srq_handle), 0);
	assert_int_equal(close_xrcd(f, xrcd), 0);
}

/*
 * Proves that DevX may query an XRC SRQ as such, not as an RMP; the firmware then refuses, as the
 * object has uid 0.
 */
TEST(fx, srq_by_devx)
{
	uint8_t in[PRM_QUERY_XRC_SRQ_IN_BYTES] = {0}, out[PRM_QUERY_XRC_SRQ_OUT_BYTES];
	const uint32_t pd = fx_pd(f), cq = fx_cq(f, NULL);
	const int64_t xrcd = open_xrcd(f, NO_FILE, O_CREAT);
	const uint32_t srq = make_srq(f, xrcd, pd, cq);
	const struct obj *hw = obj_next(f->v, OBJ_SRQ, 0);

	assert_non_null(hw);
	prm_query_xrc_srq_in_set_opcode(in, PRM_OPCODE_QUERY_XRC_SRQ);
	prm_query_xrc_srq_in_set_xrc_srqn(in, hw->id);
	assert_int_equal(fx_devx_query(f, srq, in, sizeof(in), out, sizeof(out)), -EREMOTEIO);
	prm_query_xrc_srq_in_set_opcode(in, PRM_OPCODE_QUERY_RMP);
	FX_REFUSES(f, fx_devx_query(f, srq, in, sizeof(in), out, sizeof(out)), -EINVAL,
		   "the handle is another's");
	assert_int_equal(FX_DESTROY(f, SRQ, srq), 0);
	assert_int_equal(close_xrcd(f, xrcd), 0);
}
