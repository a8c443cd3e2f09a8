/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves XRC domains, SRQs and queue pairs as commands: good and bad inputs, references. */
#include "tests/test.h"
#include "fw_fixture.h"
#include "fw/cmd.h"
#include "obj/qp.h"
#include "obj/srq.h"
#include "queue/services.h"

#define CTX  "xrc_srq_context_entry."
#define DCTC "dct_context_entry."

static uint32_t make_xrcd(struct fx *f)
{
	return FX_MAKE(f, ALLOC_XRCD, {"opcode", PRM_OPCODE_ALLOC_XRCD});
}

/* Fills an SRQ of 16 entries of 64 bytes on one page. */
static size_t fill_srq(struct fx *f, uint8_t *in, const struct fx_queue *q, uint32_t xrcd)
{
	const uint64_t record = mm_bus(f->mm, (uintptr_t)f->mem + FX_RMP_DBR);
	size_t len =
		FX_FILL(in, CREATE_XRC_SRQ, {CTX "log_xrc_srq_size", 4}, {CTX "log_rq_stride", 2},
			{CTX "xrcd", xrcd}, {CTX "cqn", q->cq}, {CTX "pd", q->pd},
			{CTX "user_index", 0x77}, {CTX "db_record_addr_h", record >> 32},
			{CTX "db_record_addr_l", (record & 0xffffffff) >> 2});

	prm_store64(in, len, mm_bus(f->mm, (uintptr_t)f->mem + FX_RMP_AT));
	return len + 8;
}

static uint32_t make_srq(struct fx *f, const struct fx_queue *q, uint32_t xrcd)
{
	uint8_t in[FX_IN];
	size_t len = fill_srq(f, in, q, xrcd);

	assert_int_equal(FX_EXEC(f, CREATE_XRC_SRQ, in, len), 0);
	return fx_made(f);
}

TEST(fx, srq_bad_input)
{
	static const struct fx_spoil bad[] = {
		{CTX "state", 1, BAD, FW_SYN_CAP_CLEAR},
		{CTX "wq_signature " CTX "rlky " CTX "dbr_umem_valid xrc_srq_umem_valid", 1, BAD,
		 FW_SYN_CAP_CLEAR},
		{CTX "log_xrc_srq_size", 15, PRM_STATUS_BAD_INP_LEN, FW_SYN_IN_SHORT},
		{CTX "log_rq_stride", 0, BAD, FW_SYN_SIZE},
		{CTX "lwm", 17, BAD, FW_SYN_SIZE},
		{CTX "pd " CTX "xrcd " CTX "cqn", 99, GONE},
	};
	struct fx_queue q = fx_queue(f, f->v, FX_UID);
	uint8_t in[FX_IN];
	size_t len = fill_srq(f, in, &q, make_xrcd(f));

	FX_SPOILS(f, PRM_OPCODE_CREATE_XRC_SRQ, in, len, bad);
}

TEST(fx, srq_life)
{
	struct fx_queue q = fx_queue(f, f->v, FX_UID);
	uint32_t xrcd = make_xrcd(f), srqn = make_srq(f, &q, xrcd);
	const void *ctx;

	assert_int_equal(FX_NUMBER(f, DEALLOC_XRCD, xrcd), BUSY);
	assert_int_equal(FX_NUMBER(f, DESTROY_CQ, q.cq), BUSY);
	assert_int_equal(FX_QUERY(f, QUERY_XRC_SRQ, srqn), 0);
	ctx = prm_query_xrc_srq_out_cat_xrc_srq_context_entry(f->out);
	assert_int_equal(prm_xrc_srqc_get_user_index(ctx), 0x77);
	assert_int_equal(prm_xrc_srqc_get_xrcd(ctx), xrcd);
	assert_int_equal(FX(f, ARM_XRC_SRQ, {"xrc_srqn", srqn}, {"lwm", 1}), BAD);
	assert_int_equal(f->syndrome, FW_SYN_OP_MOD);
	assert_int_equal(FX(f, ARM_XRC_SRQ, {"op_mod", 1}, {"xrc_srqn", srqn}, {"lwm", 17}), BAD);
	assert_int_equal(f->syndrome, FW_SYN_SIZE);
	assert_int_equal(FX(f, ARM_XRC_SRQ, {"op_mod", 1}, {"xrc_srqn", srqn}, {"lwm", 1}), 0);
	assert_int_equal(FX_NUMBER(f, DESTROY_RMP, srqn), BAD_RES);
	assert_int_equal(FX_NUMBER(f, DESTROY_XRC_SRQ, srqn), 0);
	assert_int_equal(FX_NUMBER(f, DESTROY_XRC_SRQ, srqn), BAD_RES);
	assert_int_equal(FX_NUMBER(f, DEALLOC_XRCD, xrcd), 0);
}

/* A target has a domain and neither ring nor CQ; an initiator a send queue. */
TEST(fx, queue_pairs)
{
	struct fx_queue q = fx_queue(f, f->v, FX_UID);
	uint32_t xrcd = make_xrcd(f), qpn;
	const struct qp *qp;
	uint8_t in[FX_IN];
	size_t len = fx_fill_qp(in, q.pd, q.cq, q.uar, q.umem);

	FX_SET(in, CREATE_QP, {"qpc.st", PRM_QP_ST_XRC});
	assert_int_equal(FX_EXEC(f, CREATE_QP, in, len), 0);
	qp = obj_find(f->v, OBJ_QP, prm_create_qp_out_get_qpn(f->out));
	assert_true(qp->q.sq && !qp->q.rq);
	FX_SET(in, CREATE_QP, {"qpc.no_sq", 1}, {"qpc.xrcd", 99});
	assert_int_equal(FX_EXEC(f, CREATE_QP, in, len), BAD_RES);
	FX_SET(in, CREATE_QP, {"qpc.xrcd", xrcd});
	assert_int_equal(FX_EXEC(f, CREATE_QP, in, len), 0);
	qpn = prm_create_qp_out_get_qpn(f->out);
	assert_int_equal(FX_NUMBER(f, DEALLOC_XRCD, xrcd), BUSY);
	assert_int_equal(FX_NUMBER(f, DESTROY_QP, qpn), 0);
	assert_int_equal(FX_NUMBER(f, DEALLOC_XRCD, xrcd), 0);
}

TEST(fx, no_srq_of_a_dct)
{
	struct fx_queue q = fx_queue(f, f->v, FX_UID);
	uint32_t srqn = make_srq(f, &q, make_xrcd(f));
	uint8_t in[FX_IN];
	size_t len = FX_FILL(in, CREATE_DCT, {DCTC "pd", q.pd}, {DCTC "cqn", q.cq},
			     {DCTC "srqn_xrqn", srqn}, {DCTC "mtu", 3}, {DCTC "port", 1});

	FX_REFUSES(f, CREATE_DCT, in, len, BAD, FW_SYN_RESERVED);
}

/* DevX can't use the kernel's domain, which programs of verbs share: none could be ended then. */
TEST(fx, domain_of_the_kernel)
{
	struct fx_queue q = fx_queue(f, f->v, FX_UID);
	uint8_t in[FX_IN];
	size_t len = FX_FILL(in, ALLOC_XRCD, {"opcode", PRM_OPCODE_ALLOC_XRCD});
	uint32_t xrcd;

	assert_int_equal(fx_exec(f, f->v, PRM_OPCODE_ALLOC_XRCD, 0, in, len, 16), 0);
	xrcd = fx_made(f);
	len = fill_srq(f, in, &q, xrcd);
	assert_int_equal(FX_EXEC(f, CREATE_XRC_SRQ, in, len), BAD_RES);
	len = fx_fill_qp(in, q.pd, q.cq, q.uar, q.umem);
	FX_SET(in, CREATE_QP, {"qpc.st", PRM_QP_ST_XRC}, {"qpc.no_sq", 1}, {"qpc.xrcd", xrcd});
	assert_int_equal(FX_EXEC(f, CREATE_QP, in, len), BAD_RES);
}

/* A target that was served from an SRQ does not keep it busy. */
TEST(fx, srq_goes_first)
{
	struct fx_queue q = fx_queue(f, f->v, FX_UID);
	uint32_t xrcd = make_xrcd(f), srqn = make_srq(f, &q, xrcd), qpn;
	struct qp *qp;
	uint8_t in[FX_IN];
	size_t len = fx_fill_qp(in, q.pd, q.cq, q.uar, q.umem);

	FX_SET(in, CREATE_QP, {"qpc.st", PRM_QP_ST_XRC}, {"qpc.no_sq", 1}, {"qpc.xrcd", xrcd});
	assert_int_equal(FX_EXEC(f, CREATE_QP, in, len), 0);
	qpn = prm_create_qp_out_get_qpn(f->out);
	qp = obj_find(f->v, OBJ_QP, qpn);
	rq_serve(&qp->rq, obj_find(f->v, OBJ_SRQ, srqn));
	assert_int_equal(FX_NUMBER(f, DESTROY_XRC_SRQ, srqn), 0);
	assert_null(qp->rq.srq);
	assert_null(qp->rq.cq);
	assert_int_equal(FX_NUMBER(f, DESTROY_QP, qpn), 0);
}
