/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * XRC: one connection to a host serves all its programs: each has a shared receive queue, and each
 * message names one. Domain, target and SRQs are made by verbs; libdvx drives the rings.
 *
 *	dvx-sim run -- ./xrc
 */
#include <fcntl.h>
#include <infiniband/verbs.h>
#include "example.h"

enum { PROGRAMS = 3, RECEIVES = 4, ROOM = 64 };

static _Alignas(64) char room[PROGRAMS][RECEIVES][ROOM];

/* A receiving program. Here all are in this process; they share the domain. */
struct program {
	struct dvx_cq *cq;
	struct dvx_srq *srq;
	uint32_t srqn;
};

static void check_verbs(bool good, const char *what)
{
	if (good)
		return;
	perror(what);
	exit(1);
}

static struct dvx_cq *adopted_cq(struct example *x, struct ibv_cq **ibcq)
{
	struct dvx_cq *cq;

	*ibcq = ibv_create_cq(dvx_dev_ibv(x->dev), 512, NULL, NULL, 0);
	check_verbs(*ibcq, "ibv_create_cq");
	must(dvx_cq_adopt(x->dev, *ibcq, &cq), "cq");
	return cq;
}

static void open_program(struct example *x, struct program *p, struct ibv_pd *pd,
			 struct ibv_xrcd *domain, struct ibv_mr *mr, int number)
{
	struct ibv_srq_init_attr_ex attr = {.attr = {.max_wr = RECEIVES, .max_sge = 1},
					    .comp_mask =
						    IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD |
						    IBV_SRQ_INIT_ATTR_XRCD | IBV_SRQ_INIT_ATTR_CQ,
					    .srq_type = IBV_SRQT_XRC,
					    .pd = pd,
					    .xrcd = domain};
	struct ibv_srq *ibsrq;

	p->cq = adopted_cq(x, &attr.cq);
	ibsrq = ibv_create_srq_ex(dvx_dev_ibv(x->dev), &attr);
	check_verbs(ibsrq, "ibv_create_srq_ex");
	must(dvx_srq_adopt_xrc(x->dev, ibsrq, p->cq, &p->srq), "srq");
	p->srqn = dvx_srq_number(p->srq); /* senders need it */
	for (uint64_t i = 0; i < RECEIVES; i++) {
		struct dvx_sge piece = {(uintptr_t)room[number][i], ROOM, mr->lkey};

		must(dvx_srq_post(p->srq, &piece, 1, i), "receive");
	}
	dvx_srq_ring(p->srq);
}

/* Brings a verbs QP to RTS; initiators have retries, targets the pause if no receive is posted. */
static void connect_verbs(struct example *x, struct ibv_qp *qp, uint32_t peer, bool initiator)
{
	struct dvx_qp_local local = example_local(x, 0);
	struct ibv_qp_attr a = {.port_num = local.port,
				.path_mtu = (enum ibv_mtu)(local.mtu_log - 7),
				.dest_qp_num = peer,
				.max_rd_atomic = 1,
				.max_dest_rd_atomic = 1,
				.min_rnr_timer = local.min_rnr_timer,
				.timeout = local.ack_timeout,
				.retry_cnt = local.retry_count,
				.rnr_retry = local.rnr_retry};
	int own = initiator ? IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC : 0;
	int peers = initiator ? 0 : IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
	int mask[] = {IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS,
		      IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | peers,
		      IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | own};

	a.ah_attr.is_global = 1;
	a.ah_attr.port_num = local.port;
	a.ah_attr.grh.sgid_index = local.gid_index;
	a.ah_attr.grh.hop_limit = local.hop_limit;
	must(dvx_dev_gid(x->dev, local.port, local.gid_index, a.ah_attr.grh.dgid.raw), "gid");
	for (int i = 0; i < 3; i++) {
		a.qp_state = (enum ibv_qp_state)(IBV_QPS_INIT + i);
		check_verbs(!ibv_modify_qp(qp, &a, IBV_QP_STATE | mask[i]), "ibv_modify_qp");
	}
}

int main(int argc, char **argv)
{
	struct ibv_xrcd_init_attr da = {.comp_mask =
						IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS,
					.fd = -1, /* or a file, by which programs share it */
					.oflags = O_CREAT};
	struct ibv_qp_init_attr_ex ia = {.qp_type = IBV_QPT_XRC_SEND,
					 .cap = {16, 0, 1, 0, ROOM},
					 .comp_mask = IBV_QP_INIT_ATTR_PD},
				   ta = {.qp_type = IBV_QPT_XRC_RECV,
					 .comp_mask = IBV_QP_INIT_ATTR_XRCD};
	struct program program[PROGRAMS];
	struct example x;

	example_open(&x, argc > 1 ? argv[1] : NULL);

	struct ibv_context *ctx = dvx_dev_ibv(x.dev);
	struct ibv_pd *pd = ibv_alloc_pd(ctx);
	struct ibv_xrcd *domain = ibv_open_xrcd(ctx, &da);
	struct ibv_mr *mr = pd ? ibv_reg_mr(pd, room, sizeof(room), IBV_ACCESS_LOCAL_WRITE) : NULL;
	struct dvx_cq *cq = adopted_cq(&x, &ia.send_cq);
	struct ibv_qp *initiator, *target;
	struct dvx_qp *qp;

	check_verbs(pd && domain && mr, "verbs");
	for (int i = 0; i < PROGRAMS; i++)
		open_program(&x, &program[i], pd, domain, mr, i);
	ia.pd = pd;
	ta.xrcd = domain;
	initiator = ibv_create_qp_ex(ctx, &ia);
	target = ibv_create_qp_ex(ctx, &ta);
	check_verbs(initiator && target, "ibv_create_qp_ex");
	connect_verbs(&x, target, initiator->qp_num, false);
	connect_verbs(&x, initiator, target->qp_num, true);
	must(dvx_qp_adopt(x.dev, initiator, &qp), "qp");
	for (int i = 0; i < 2 * PROGRAMS; i++) {
		struct program *p = &program[i % PROGRAMS];
		char text[ROOM];

		snprintf(text, sizeof(text), "message %d", i);
		must(dvx_post_xrc_send_inline(dvx_qp_sq(qp), p->srqn, text, ROOM, 9, DVX_SIGNALED),
		     "send");
		dvx_sq_ring(dvx_qp_sq(qp));
		example_wait(cq, 9);

		struct dvx_wc wc;

		must(example_next(p->cq, &wc) == 1 ? 0 : -EIO, "message");
		printf("program %d: \"%s\" in receive %d\n", i % PROGRAMS,
		       room[i % PROGRAMS][wc.wr_id], (int)wc.wr_id);
	}
	return 0; /* all objects end with the process */
}
