/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves XRC with libdvx on the rings: one connection, two shared receive queues, each message in
 * the one that it names; the bytes are libmlx5's.
 */
#include "tests/test.h"
#include <fcntl.h>
#include <infiniband/mlx5dv.h>
#include "lib_rig.h"
#include "tests/verbs/verbs_qp.h"

#define SRQS 2u
#define ROOM 4096u

struct xrc {
	struct ibv_pd *pd;
	struct ibv_mr *mr;
	struct ibv_xrcd *xrcd;
	struct ibv_cq *ibcq[SRQS], *ibscq;
	struct ibv_srq *ibsrq[SRQS];
	struct ibv_qp *initiator, *target;
	uint32_t srqn[SRQS];
};

static void xrc_make_srq(struct ibv_context *ctx, struct xrc *x, uint32_t i)
{
	struct ibv_srq_init_attr_ex sa = {.attr = {.max_wr = 15, .max_sge = 1},
					  .comp_mask =
						  IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD |
						  IBV_SRQ_INIT_ATTR_XRCD | IBV_SRQ_INIT_ATTR_CQ,
					  .srq_type = IBV_SRQT_XRC,
					  .pd = x->pd,
					  .xrcd = x->xrcd,
					  .cq = x->ibcq[i]};

	x->ibsrq[i] = ibv_create_srq_ex(ctx, &sa);
	assert_non_null(x->ibsrq[i]);
	assert_int_equal(ibv_get_srq_num(x->ibsrq[i], &x->srqn[i]), 0);
}

static void xrc_make(struct rig *r, struct xrc *x)
{
	struct ibv_context *ctx = dvx_dev_ibv(r->dev);
	struct ibv_xrcd_init_attr da = {.comp_mask =
						IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS,
					.fd = -1,
					.oflags = O_CREAT};
	struct ibv_qp_init_attr_ex ia = {.qp_type = IBV_QPT_XRC_SEND,
					 .cap = {64, 0, 2, 0, 64},
					 .comp_mask = IBV_QP_INIT_ATTR_PD},
				   ta = {.qp_type = IBV_QPT_XRC_RECV,
					 .comp_mask = IBV_QP_INIT_ATTR_XRCD};

	x->pd = ibv_alloc_pd(ctx);
	x->mr = ibv_reg_mr(x->pd, r->buf, RIG_BYTES,
			   IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
				   IBV_ACCESS_REMOTE_READ);
	x->xrcd = ibv_open_xrcd(ctx, &da);
	for (uint32_t i = 0; i < SRQS; i++)
		x->ibcq[i] = ibv_create_cq(ctx, 128, NULL, NULL, 0);
	x->ibscq = ibv_create_cq(ctx, 1024, NULL, NULL, 0);
	assert_true(x->pd && x->mr && x->xrcd && x->ibcq[0] && x->ibcq[1] && x->ibscq);
	for (uint32_t i = 0; i < SRQS; i++)
		xrc_make_srq(ctx, x, i);
	ia.pd = x->pd;
	ia.send_cq = x->ibscq;
	ta.xrcd = x->xrcd;
	x->initiator = ibv_create_qp_ex(ctx, &ia);
	x->target = ibv_create_qp_ex(ctx, &ta);
	assert_true(x->initiator && x->target);
	assert_int_equal(verbs_qp_connect(x->target, x->initiator->qp_num, 1), 0);
	assert_int_equal(verbs_qp_connect(x->initiator, x->target->qp_num, 1), 0);
}

static void xrc_free(struct xrc *x)
{
	assert_int_equal(ibv_destroy_qp(x->initiator), 0);
	assert_int_equal(ibv_destroy_qp(x->target), 0);
	for (uint32_t i = 0; i < SRQS; i++)
		assert_int_equal(ibv_destroy_srq(x->ibsrq[i]), 0);
	for (uint32_t i = 0; i < SRQS; i++)
		assert_int_equal(ibv_destroy_cq(x->ibcq[i]), 0);
	assert_int_equal(ibv_close_xrcd(x->xrcd), 0);
	assert_int_equal(ibv_destroy_cq(x->ibscq), 0);
	assert_int_equal(ibv_dereg_mr(x->mr), 0);
	assert_int_equal(ibv_dealloc_pd(x->pd), 0);
}

static struct dvx_wc xrc_next(struct dvx_cq *cq)
{
	struct dvx_wc wc;

	wait_cqe(cq);
	assert_int_equal(dvx_cq_poll(cq, &wc), 1);
	return wc;
}

static void xrc_receive(struct rig *r, struct xrc *x, struct dvx_srq *srq, uint64_t at)
{
	struct dvx_sge room = {(uintptr_t)r->buf + at, ROOM, x->mr->lkey};

	OK(dvx_srq_post(srq, &room, 1, at));
	dvx_srq_ring(srq);
}

/* Each message completes in the CQ with the cookie of the SRQ that it names, round the rings. */
TEST(rig, messages)
{
	struct dvx_srq *srq[SRQS];
	struct dvx_cq *cq[SRQS], *scq;
	struct dvx_qp *qp;
	struct dvx_sq *sq;
	struct dvx_wc wc;
	struct xrc x;

	xrc_make(r, &x);
	refused(dvx_srq_adopt_xrc(r->dev, x.ibsrq[0], NULL, &srq[0]), -EINVAL, "cq", "adopted CQ");
	OK(dvx_cq_adopt(r->dev, x.ibscq, &scq));
	for (uint32_t i = 0; i < SRQS; i++) {
		OK(dvx_cq_adopt(r->dev, x.ibcq[i], &cq[i]));
		OK(dvx_srq_adopt_xrc(r->dev, x.ibsrq[i], cq[i], &srq[i]));
		assert_int_equal(dvx_srq_number(srq[i]), x.srqn[i]);
		for (uint32_t k = 0; k < 10; k++)
			xrc_receive(r, &x, srq[i], (8 + i * 16 + k) * ROOM);
	}
	refused(dvx_srq_adopt_xrc(r->dev, x.ibsrq[1], cq[0], &srq[1]), -EBUSY, "adopted",
		"already");
	OK(dvx_qp_adopt(r->dev, x.initiator, &qp));
	assert_null(dvx_qp_rq(qp));
	sq = dvx_qp_sq(qp);
	for (uint32_t i = 0; i < 200; i++) {
		uint32_t to = i / 3 % SRQS;
		struct dvx_sge piece = {(uintptr_t)r->buf, 2000, x.mr->lkey};

		memset(r->buf, (int)i, 2000);
		if (i % 3 == 0)
			OK(dvx_post_xrc_send(sq, x.srqn[to], &piece, 1, i, DVX_SIGNALED));
		else if (i % 3 == 1)
			OK(dvx_post_xrc_send_imm(sq, x.srqn[to], i, &piece, 1, i, DVX_SIGNALED));
		else
			OK(dvx_post_xrc_send_inline(sq, x.srqn[to], r->buf, 60, i, DVX_SIGNALED));
		dvx_sq_ring(sq);
		assert_int_equal(xrc_next(scq).wr_id, i);
		wc = xrc_next(cq[to]);
		assert_int_equal(wc.qpn, x.target->qp_num);
		assert_in_range(wc.wr_id / ROOM, 8 + to * 16, 17 + to * 16);
		assert_memory_equal(r->buf + wc.wr_id, r->buf, i % 3 == 2 ? 60 : 2000);
		if (i % 3 == 1)
			assert_int_equal(wc.imm, i);
		xrc_receive(r, &x, srq[to], wc.wr_id);
	}
	/* the target's memory: no receive is taken */
	struct dvx_sge piece = {(uintptr_t)r->buf, 3000, x.mr->lkey},
		       back = {(uintptr_t)r->buf + 4096, 3000, x.mr->lkey};

	OK(dvx_post_xrc_write(sq, x.srqn[0], (uintptr_t)r->buf + 0x80001, x.mr->rkey, &piece, 1, 1,
			      0));
	OK(dvx_post_xrc_read(sq, x.srqn[0], (uintptr_t)r->buf + 0x80001, x.mr->rkey, &back, 1, 2,
			     DVX_SIGNALED));
	dvx_sq_ring(sq);
	assert_int_equal(xrc_next(scq).wr_id, 2);
	assert_memory_equal(r->buf + 4096, r->buf, 3000);
	refused(dvx_cq_destroy(cq[0]), -EBUSY, "queues still", "1");
	/* the initiator is the kernel's: reset it when all is completed */
	OK(dvx_post_nop(sq, 3, 0));
	dvx_sq_ring(sq);
	refused(dvx_qp_destroy(qp), -EBUSY, "1 blocks", "dvx_qp_to_err()");
	OK(dvx_qp_to_err(qp));
	OK(dvx_post_nop(sq, 4, DVX_SIGNALED));
	dvx_sq_ring(sq);
	do
		wait_cqe(scq);
	while (dvx_cq_poll(scq, &wc) != -EIO || wc.wr_id != 4);
	OK(dvx_qp_destroy(qp));
	for (uint32_t i = 0; i < SRQS; i++)
		OK(dvx_srq_destroy(srq[i]));
	for (uint32_t i = 0; i < SRQS; i++)
		OK(dvx_cq_destroy(cq[i]));
	OK(dvx_cq_destroy(scq));
	xrc_free(&x);
}

/* libmlx5's WQEs equal libdvx's for the same SEND and WRITE. */
TEST(rig, bytes)
{
	struct ibv_sge sge;
	struct ibv_send_wr wr[2] = {{.wr_id = 1,
				     .sg_list = &sge,
				     .num_sge = 1,
				     .opcode = IBV_WR_SEND,
				     .send_flags = IBV_SEND_SIGNALED},
				    {.wr_id = 2,
				     .sg_list = &sge,
				     .num_sge = 1,
				     .opcode = IBV_WR_RDMA_WRITE,
				     .send_flags = IBV_SEND_SIGNALED}},
			   *bad;
	struct mlx5dv_qp dv = {0};
	struct mlx5dv_obj obj = {.qp = {NULL, &dv}};
	static _Alignas(64) uint8_t ring[16][DVX_BLOCK];
	struct dvx_sq_slot slots[16];
	uint32_t dbrec[2];
	uint64_t reg[64];
	struct dvx_sq_memory init = {.size = sizeof(init),
				     .blocks = 16,
				     .buf = ring,
				     .slots = slots,
				     .dbrec = dbrec,
				     .reg = reg};
	struct dvx_sge piece;
	struct dvx_sq sq;
	struct xrc x;

	xrc_make(r, &x);
	piece = (struct dvx_sge){(uintptr_t)r->buf, 100, x.mr->lkey};
	sge = (struct ibv_sge){piece.addr, piece.length, piece.lkey};
	for (int i = 0; i < 2; i++)
		wr[i].qp_type.xrc.remote_srqn = x.srqn[1];
	wr[1].wr.rdma.remote_addr = 0x1234567890ab;
	wr[1].wr.rdma.rkey = 0x55;
	wr[0].next = &wr[1];
	assert_int_equal(ibv_post_send(x.initiator, wr, &bad), 0);
	obj.qp.in = x.initiator;
	assert_int_equal(mlx5dv_init_obj(&obj, MLX5DV_OBJ_QP), 0);
	init.qpn = x.initiator->qp_num;
	OK(dvx_sq_init(&sq, &init));
	OK(dvx_post_xrc_send(&sq, x.srqn[1], &piece, 1, 1, DVX_SIGNALED));
	OK(dvx_post_xrc_write(&sq, x.srqn[1], 0x1234567890ab, 0x55, &piece, 1, 2, DVX_SIGNALED));
	assert_memory_equal(ring[0], dv.sq.buf, 48);
	assert_memory_equal(ring[1], (uint8_t *)dv.sq.buf + DVX_BLOCK, 64);
	xrc_free(&x);
}

TEST_GROUP(rig_open, rig_close)
