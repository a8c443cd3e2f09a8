/* SPDX-License-Identifier: BSD-2-Clause */
/* Receives that queue pairs share. */
#include "misuse.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

#define DC_KEY 0x1122334455667788ull

static struct ibv_srq *srq;

static void misuse_srq_receive_at(void *to, uint64_t wr_id, uint32_t lkey)
{
	struct ibv_sge sge = {(uintptr_t)to, BYTES, lkey};
	struct ibv_recv_wr wr = {.wr_id = wr_id, .sg_list = &sge, .num_sge = 1}, *bad;

	(void)ibv_post_srq_recv(srq, &wr, &bad); /* refused, if there is no place */
	misuse_end();
}

static void misuse_srq_receive(unsigned int n)
{
	for (uint64_t i = 0; i < n; i++)
		misuse_srq_receive_at(p.in, i, p.mr->lkey);
}

static void misuse_srq_open(void)
{
	struct ibv_srq_init_attr a = {.attr = {.max_wr = DEPTH, .max_sge = 1}};

	misuse_open_cq(64);
	srq = ibv_create_srq(p.pd, &a);
	must(srq);
}

/* A receiver of this CQ that is connected; returns its sender. */
static struct ibv_qp *misuse_srq_pair(struct ibv_cq *cq)
{
	struct ibv_qp_init_attr a = {.qp_type = IBV_QPT_RC,
				     .send_cq = cq,
				     .recv_cq = cq,
				     .srq = srq,
				     .cap = {.max_send_wr = 1, .max_send_sge = 1}};
	struct ibv_qp *sender = misuse_qp(p.pd, p.scq);

	p.b = ibv_create_qp(p.pd, &a);
	must(p.b);
	misuse_connect(sender, p.b);
	return sender;
}

static void misuse_srq_send(struct ibv_qp *qp)
{
	must(!misuse_post_at(qp, IBV_WR_SEND, IBV_SEND_SIGNALED, p.out, BYTES, p.mr->lkey));
	misuse_done(p.scq);
}

static void srq_depth(void)
{
	misuse_srq_open();
	misuse_srq_receive(DEPTH + 1);
}

/* An SRQ that could not be destroyed. */
static void srq_refused(void)
{
	misuse_srq_open();
	misuse_refuses = true;
	must(ibv_destroy_srq(srq) == EBUSY);
	misuse_srq_receive(DEPTH + 1);
}

/* The first message is not polled; those behind it are, and their receives posted again. */
static void ok_srq_order(void)
{
	struct ibv_cq *late;

	misuse_srq_open();
	late = ibv_create_cq(p.ctx, 64, NULL, NULL, 0);
	must(late);
	misuse_srq_receive(DEPTH);
	misuse_srq_send(misuse_srq_pair(late));
	p.a = misuse_srq_pair(p.rcq);
	for (unsigned int i = 0; i < 2 * DEPTH; i++) {
		misuse_srq_send(p.a);
		misuse_srq_receive_at(p.in, misuse_poll(p.rcq).wr_id, p.mr->lkey);
	}
	misuse_done(late);
}

static void misuse_srq_key(bool early)
{
	struct ibv_mr *mr;
	void *block = aligned_alloc(4096, 4096);

	misuse_srq_open();
	mr = ibv_reg_mr(p.pd, block, 4096, IBV_ACCESS_LOCAL_WRITE);
	must(block && mr);
	misuse_srq_pair(p.rcq);
	misuse_srq_receive_at(block, 1, mr->lkey);
	if (!early)
		must(!ibv_destroy_qp(p.b));
	must(!ibv_dereg_mr(mr));
	free(block);
	if (!early)
		must(!ibv_destroy_srq(srq));
}

static void srq_key_ended(void)
{
	misuse_srq_key(true);
}

static void ok_srq_key_ended(void)
{
	misuse_srq_key(false);
}

/* --- DC: a target has its number only when it is ready to receive. */
static struct ibv_qp *misuse_dc(enum mlx5dv_dc_type type)
{
	const bool target = type == MLX5DV_DCTYPE_DCT;
	struct mlx5dv_qp_init_attr dv = {
		.comp_mask = MLX5DV_QP_INIT_ATTR_MASK_DC,
		.dc_init_attr = {.dc_type = type, .dct_access_key = target ? DC_KEY : 0}};
	struct ibv_qp_init_attr_ex a = {
		.qp_type = IBV_QPT_DRIVER,
		.send_cq = target ? p.rcq : p.scq,
		.recv_cq = p.rcq,
		.srq = target ? srq : NULL,
		.cap = {.max_send_wr = target ? 0 : DEPTH, .max_send_sge = !target},
		.pd = p.pd,
		.comp_mask = IBV_QP_INIT_ATTR_PD | (target ? 0 : IBV_QP_INIT_ATTR_SEND_OPS_FLAGS),
		.send_ops_flags = IBV_QP_EX_WITH_SEND};
	struct ibv_qp *qp = mlx5dv_create_qp(p.ctx, &a, &dv);

	must(qp);
	return qp;
}

static void misuse_dct_ready(struct ibv_qp *dct, struct ibv_ah_attr *ah)
{
	struct ibv_qp_attr a = {.qp_state = IBV_QPS_INIT,
				.port_num = 1,
				.path_mtu = IBV_MTU_1024,
				.min_rnr_timer = 12,
				.ah_attr = *ah};

	must(!ibv_modify_qp(dct, &a,
			    IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS));
	a.qp_state = IBV_QPS_RTR;
	must(!ibv_modify_qp(dct, &a,
			    IBV_QP_STATE | IBV_QP_MIN_RNR_TIMER | IBV_QP_AV | IBV_QP_PATH_MTU));
}

static void misuse_dc_send(struct ibv_qp *dci, struct ibv_ah *ah, uint32_t dctn)
{
	struct ibv_qp_ex *ex = ibv_qp_to_qp_ex(dci);

	ibv_wr_start(ex);
	ex->wr_flags = IBV_SEND_SIGNALED;
	ibv_wr_send(ex);
	mlx5dv_wr_set_dc_addr(mlx5dv_qp_ex_from_ibv_qp_ex(ex), ah, dctn, DC_KEY);
	ibv_wr_set_sge(ex, p.mr->lkey, (uintptr_t)p.out, BYTES);
	must(!ibv_wr_complete(ex));
	misuse_done(p.scq);
}

static void ok_dct(void)
{
	struct ibv_ah_attr aa = {.is_global = 1, .port_num = 1, .grh = {.hop_limit = 1}};
	struct ibv_ah *ah;

	misuse_srq_open();
	must(!ibv_query_gid(p.ctx, 1, 0, &aa.grh.dgid));
	ah = ibv_create_ah(p.pd, &aa);
	p.a = misuse_dc(MLX5DV_DCTYPE_DCI);
	p.b = misuse_dc(MLX5DV_DCTYPE_DCT);
	must(ah && !verbs_qp_connect(p.a, 0, 0));
	misuse_dct_ready(p.b, &aa);
	misuse_srq_receive(DEPTH);
	for (unsigned int i = 0; i < 2 * DEPTH; i++) {
		misuse_dc_send(p.a, ah, p.b->qp_num);
		misuse_srq_receive_at(p.in, misuse_poll(p.rcq).wr_id, p.mr->lkey);
	}
	must(!ibv_destroy_ah(ah));
}

/* --- XRC: any target of a domain receives from its SRQs. */
static struct ibv_qp *misuse_xrc(enum ibv_qp_type type, struct ibv_xrcd *xrcd)
{
	struct ibv_qp_init_attr_ex a = {.qp_type = type,
					.send_cq = p.scq,
					.cap = {.max_send_wr = DEPTH, .max_send_sge = 1},
					.pd = p.pd,
					.xrcd = xrcd,
					.comp_mask =
						xrcd ? IBV_QP_INIT_ATTR_XRCD : IBV_QP_INIT_ATTR_PD};
	struct ibv_qp *qp = ibv_create_qp_ex(p.ctx, &a);

	must(qp);
	return qp;
}

static void misuse_xrc_open(void)
{
	struct ibv_xrcd_init_attr xa = {IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS, -1,
					O_CREAT};
	struct ibv_srq_init_attr_ex a = {.attr = {.max_wr = DEPTH, .max_sge = 1},
					 .comp_mask = IBV_SRQ_INIT_ATTR_TYPE |
						      IBV_SRQ_INIT_ATTR_PD | IBV_SRQ_INIT_ATTR_CQ |
						      IBV_SRQ_INIT_ATTR_XRCD,
					 .srq_type = IBV_SRQT_XRC};

	misuse_open_cq(64);
	a.pd = p.pd;
	a.cq = p.rcq;
	a.xrcd = ibv_open_xrcd(p.ctx, &xa);
	must(a.xrcd);
	srq = ibv_create_srq_ex(p.ctx, &a);
	must(srq);
	p.a = misuse_xrc(IBV_QPT_XRC_SEND, NULL);
	p.b = misuse_xrc(IBV_QPT_XRC_RECV, a.xrcd);
	misuse_connect(p.a, p.b);
}

static void ok_xrc(void)
{
	struct ibv_sge sge;
	struct ibv_send_wr wr = {.sg_list = &sge,
				 .num_sge = 1,
				 .opcode = IBV_WR_SEND,
				 .send_flags = IBV_SEND_SIGNALED},
			   *bad;

	misuse_xrc_open();
	sge = (struct ibv_sge){(uintptr_t)p.out, BYTES, p.mr->lkey};
	must(!ibv_get_srq_num(srq, &wr.qp_type.xrc.remote_srqn));
	misuse_srq_receive(DEPTH);
	for (unsigned int i = 0; i < 2 * DEPTH; i++) {
		must(!ibv_post_send(p.a, &wr, &bad));
		misuse_done(p.scq);
		misuse_srq_receive_at(p.in, misuse_poll(p.rcq).wr_id, p.mr->lkey);
	}
}

const struct misuse_case misuse_srq[] = {
	MISUSE(srq_depth),	  MISUSE(srq_refused), MISUSE(ok_srq_order), MISUSE(srq_key_ended),
	MISUSE(ok_srq_key_ended), MISUSE(ok_dct),      MISUSE(ok_xrc),	     {0},
};
