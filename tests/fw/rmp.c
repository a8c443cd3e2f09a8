/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves RMPs as commands, and QPs on them: good and bad inputs, the limit, references. */
#include "tests/test.h"
#include <dvx/prm/eqe.h>
#include "fw_fixture.h"
#include "fw/cmd.h"
#include "obj/qp.h"
#include "obj/srq.h"

#define RDY PRM_RMPC_STATE_RDY

TEST(fx, rmp_bad_input)
{
	static const struct fx_spoil bad[] = {
		{"ctx.state", 0, BAD, FW_SYN_RESERVED},
		{"ctx.state", 3, BAD, FW_SYN_RESERVED},
		{"ctx.wq.wq_signature ctx.wq.cd_slave "
		 "ctx.wq.two_byte_shift_en",
		 1, BAD, FW_SYN_CAP_CLEAR},
		{"ctx.wq.wq_type", 2, BAD, FW_SYN_UNSUPPORTED},
		{"ctx.wq.wq_type", 3, BAD, FW_SYN_UNSUPPORTED},
		/* a list has links */
		{"ctx.basic_cyclic_rcv_wqe", 1, BAD, FW_SYN_UNSUPPORTED},
		{"ctx.wq.pd ctx.wq.wq_umem_id ctx.wq.dbr_umem_id", 99, GONE},
		{"ctx.wq.log_wq_stride", 4, BAD, FW_SYN_SIZE},
		{"ctx.wq.log_wq_stride", 11, BAD, FW_SYN_SIZE},
		{"ctx.wq.log_wq_sz", 16, BAD, FW_SYN_SIZE},
		{"ctx.wq.log_wq_sz", 15, BAD, FW_SYN_UMEM_BOUNDS},
		{"ctx.wq.lwm", 17, BAD, FW_SYN_SIZE},
		{"ctx.wq.wq_umem_offset", 32, BAD, FW_SYN_ALIGNMENT},
		{"ctx.wq.wq_umem_valid", 0, PRM_STATUS_BAD_INP_LEN, FW_SYN_IN_SHORT},
		{"ctx.wq.dbr_addr", 4, BAD, FW_SYN_ALIGNMENT},
	};
	struct fx_queue q = fx_queue(f, f->v, FX_UID);
	uint8_t in[FX_IN];
	size_t len = fx_fill_rmp(in, &q);

	FX_SPOILS(f, PRM_OPCODE_CREATE_RMP, in, len, bad);
	assert_int_equal(obj_count(f->v, OBJ_SRQ), 0);
}

/* A ring may have entries without a link, of one data segment. */
TEST(fx, bare_ring)
{
	struct fx_queue q = fx_queue(f, f->v, FX_UID);
	uint8_t in[FX_IN];
	size_t len = fx_fill_rmp(in, &q);
	const struct srq *s;

	FX_SET(in, CREATE_RMP, {"ctx.basic_cyclic_rcv_wqe", 1}, {"ctx.wq.wq_type", 1},
	       {"ctx.wq.log_wq_stride", 4});
	assert_int_equal(FX_EXEC(f, CREATE_RMP, in, len), 0);
	s = obj_find(f->v, OBJ_SRQ, prm_create_rmp_out_get_rmpn(f->out));
	assert_true(!s->linked && !s->head);
}

static void note_event(void *ctx, struct vhca *v, uint32_t eqn, const void *eqe)
{
	(void)v;
	(void)eqn;
	memcpy(ctx, eqe, PRM_EQE_BYTES);
}

static uint8_t arm(struct fx *f, uint32_t rmp, uint16_t lwm)
{
	return FX(f, MODIFY_RMP, {"rmpn", rmp}, {"rmp_state", RDY}, {"bitmask.lwm", 1},
		  {"ctx.state", RDY}, {"ctx.wq.lwm", lwm});
}

/*
 * MODIFY arms the limit; an empty RMP is below any, so the event comes at once and QUERY returns 0
 * again.
 */
TEST(fx, limit)
{
	struct fx_queue q = fx_queue(f, f->v, FX_UID);
	uint32_t rmp = fx_rmp(f, &q);
	static const struct front_ops front = {.event = note_event};
	static uint8_t eqe[PRM_EQE_BYTES];

	f->dev.front = &front;
	f->dev.front_ctx = eqe;
	f->mem[FX_RMP_DBR + 3] = 5; /* posted entries */
	assert_int_equal(arm(f, rmp, 5), 0);
	assert_int_equal(FX_QUERY(f, QUERY_RMP, rmp), 0);
	FX_ASSERT_REPLY(f, QUERY_RMP, {"rmp_context.state", RDY}, {"rmp_context.wq.lwm", 5},
			{"rmp_context.wq.log_wq_sz", 4}, {"rmp_context.wq.sw_counter", 5});
	assert_int_equal(prm_eqe_get_type(eqe), 0);
	assert_int_equal(arm(f, rmp, 6), 0);
	assert_int_equal(prm_eqe_get_type(eqe), PRM_EVENT_SRQ_RQ_LIMIT);
	assert_int_equal(prm_eqe_get_qp_srq_n(eqe), rmp);
	assert_int_equal(prm_eqe_get_qp_srq_type(eqe), PRM_EVENT_QUEUE_TYPE_RQ);
	assert_int_equal(FX_QUERY(f, QUERY_RMP, rmp), 0);
	FX_ASSERT_REPLY(f, QUERY_RMP, {"rmp_context.wq.lwm", 0});
}

TEST(fx, modify_bad_input)
{
	static const struct fx_spoil bad[] = {
		{"rmpn", 99, GONE},
		{"rmp_state ctx.state", 3, PRM_STATUS_BAD_RES_STATE, FW_SYN_QP_STATE},
		{"ctx.wq.lwm", 17, BAD, FW_SYN_SIZE},
	};
	struct fx_queue q = fx_queue(f, f->v, FX_UID);
	uint8_t in[FX_IN];
	size_t len = FX_FILL(in, MODIFY_RMP, {"rmpn", fx_rmp(f, &q)}, {"rmp_state", RDY},
			     {"bitmask.lwm", 1}, {"ctx.state", RDY});

	FX_SPOILS(f, PRM_OPCODE_MODIFY_RMP, in, len, bad);
	prm_store64(prm_modify_rmp_in_at_bitmask(in), 0, 3);
	FX_REFUSES(f, MODIFY_RMP, in, len, BAD, FW_SYN_RESERVED);
}

static size_t fill_qp_on(void *in, const struct fx_queue *q, uint32_t rmp)
{
	size_t len = fx_fill_qp(in, q->pd, q->cq, q->uar, q->umem);

	FX_SET(in, CREATE_QP, {"qpc.rq_type", PRM_QPC_RQ_TYPE_SRQ}, {"qpc.srqn_rmpn_xrqn", rmp},
	       {"qpc.log_rq_size", 0}, {"qpc.log_rq_stride", 0});
	return len;
}

/*
 * A QP on an RMP has no receive ring: its SQ begins where the buffer does. Such a QP needs no SQ,
 * either.
 */
TEST(fx, qp_on_rmp)
{
	struct fx_queue q = fx_queue(f, f->v, FX_UID);
	uint32_t rmp = fx_rmp(f, &q);
	uint8_t in[FX_IN];
	size_t len = fill_qp_on(in, &q, rmp);
	const struct qp *qp;

	assert_int_equal(FX_EXEC(f, CREATE_QP, in, len), 0);
	qp = obj_find(f->v, OBJ_QP, prm_create_qp_out_get_qpn(f->out));
	assert_int_equal(qp->rq.srq->o.id, rmp);
	assert_int_equal(qp->sq.offset, 0);
	assert_int_equal(qp->q.ring.len, 1024);
	FX_SET(in, CREATE_QP, {"qpc.no_sq", 1});
	assert_int_equal(FX_EXEC(f, CREATE_QP, in, len), 0);
}

/* The device only reads rings of WQEs and records: UCX registers both without write access. */
TEST(fx, read_only_memory)
{
	static const uint8_t before[65536];
	struct fx_queue q = fx_queue(f, f->v, FX_UID);
	uint32_t ro = fx_umem(f, f->v, FX_UID, f->mem, 65536, false);
	uint8_t in[FX_IN];
	size_t len = fx_fill_rmp(in, &q);

	FX_SET(in, CREATE_RMP, {"ctx.wq.wq_umem_id", ro}, {"ctx.wq.dbr_umem_id", ro});
	assert_int_equal(FX_EXEC(f, CREATE_RMP, in, len), 0);
	len = fx_fill_qp(in, q.pd, q.cq, q.uar, q.umem);
	FX_SET(in, CREATE_QP, {"wq_umem_id", ro}, {"qpc.dbr_umem_id", ro});
	assert_int_equal(FX_EXEC(f, CREATE_QP, in, len), 0);
	len = fx_fill_cq(in, q.eq, q.uar, q.umem);
	FX_SET(in, CREATE_CQ, {"cq_context.dbr_umem_id", ro});
	memset(f->mem, 0, sizeof(before));
	assert_int_equal(FX_EXEC(f, CREATE_CQ, in, len), 0);
	assert_memory_equal(f->mem, before, sizeof(before));
}

TEST(fx, qp_on_rmp_bad_input)
{
	static const struct fx_spoil bad[] = {
		{"qpc.srqn_rmpn_xrqn qpc.cqn_rcv", 99, GONE},
		{"qpc.rq_type", 2, BAD, FW_SYN_UNSUPPORTED},
	};
	struct fx_queue q = fx_queue(f, f->v, FX_UID);
	uint8_t in[FX_IN];
	size_t len = fill_qp_on(in, &q, fx_rmp(f, &q));

	FX_SPOILS(f, PRM_OPCODE_CREATE_QP, in, len, bad);
}

/* An RMP is busy while a QP is on it, and so are its own objects; another uid can't use it. */
TEST(fx, references)
{
	struct fx_queue q = fx_queue(f, f->v, FX_UID);
	uint32_t rmp = fx_rmp(f, &q), qpn;
	uint8_t in[FX_IN];
	size_t len = fill_qp_on(in, &q, rmp);

	assert_int_equal(FX_EXEC(f, CREATE_QP, in, len), 0);
	qpn = prm_create_qp_out_get_qpn(f->out);
	assert_int_equal(FX_NUMBER(f, DESTROY_RMP, rmp), BUSY);
	assert_int_equal(FX_NUMBER(f, DESTROY_QP, qpn), 0);
	assert_int_equal(FX_NUMBER(f, DESTROY_QP, q.qp), 0);
	assert_int_equal(FX_NUMBER(f, DESTROY_CQ, q.cq), 0);
	assert_int_equal(FX_NUMBER(f, DEALLOC_PD, q.pd), BUSY);
	assert_int_equal(FX_NUMBER(f, DESTROY_UMEM, q.umem), BUSY);
	assert_int_equal(fx_number(f, f->v, PRM_OPCODE_QUERY_RMP, FX_UID + 1, rmp, 512), BAD_RES);
	assert_int_equal(fx_number(f, f->v, PRM_OPCODE_DESTROY_RMP, FX_UID + 1, rmp, 16), BAD_RES);
	assert_int_equal(FX_NUMBER(f, DESTROY_RMP, rmp), 0);
	assert_int_equal(FX_NUMBER(f, DESTROY_RMP, rmp), BAD_RES);
	assert_int_equal(FX_NUMBER(f, DEALLOC_PD, q.pd), 0);
	assert_int_equal(FX_NUMBER(f, DESTROY_UMEM, q.umem), 0);
}

/* A dead uid leaves neither RMPs nor QPs on them. */
TEST(fx, reaped)
{
	struct fx_queue q = fx_queue(f, f->v, FX_UID);
	uint8_t in[FX_IN];
	size_t len = fill_qp_on(in, &q, fx_rmp(f, &q));

	assert_int_equal(FX_EXEC(f, CREATE_QP, in, len), 0);
	fw_uid_reap(f->v, FX_UID);
	assert_int_equal(obj_count(f->v, OBJ_SRQ) + obj_count(f->v, OBJ_QP), 0);
}
