/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Programs whose costs on PCIe are computed by hand in stat.sh: stat_costs CASE... sends, for each
 * case, 64 messages of one class from one queue pair to another, and waits for their completions. It
 * prints the cases with the numbers of both.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/verbs/verbs_qp.h"

#define MESSAGES 64
#define QKEY	 0x11
#define GRH	 40u

static const struct costs_case {
	const char *name;
	enum ibv_qp_type type;
	enum ibv_wr_opcode opcode;
	uint32_t bytes;
	bool inlined, srq, wr, late; /* late: the receives are posted after a first message */
	int batch, signal_every;
} cases[] = {
	{"write_inline", IBV_QPT_RC, IBV_WR_RDMA_WRITE, 8, true, .batch = 1, .signal_every = 1},
	{"write_wr", IBV_QPT_RC, IBV_WR_RDMA_WRITE, 8, true, .wr = true, .batch = 1,
	 .signal_every = 1},
	{"write_unsignaled", IBV_QPT_RC, IBV_WR_RDMA_WRITE, 8, true, .batch = 1,
	 .signal_every = 16},
	{"write_pointer", IBV_QPT_RC, IBV_WR_RDMA_WRITE, 8, .batch = 1, .signal_every = 1},
	{"write_4096", IBV_QPT_RC, IBV_WR_RDMA_WRITE, 4096, .batch = 1, .signal_every = 1},
	{"write_batch", IBV_QPT_RC, IBV_WR_RDMA_WRITE, 8, true, .batch = 16, .signal_every = 1},
	{"wr_batch", IBV_QPT_RC, IBV_WR_RDMA_WRITE, 8, true, .wr = true, .batch = 16,
	 .signal_every = 1},
	{"read_4096", IBV_QPT_RC, IBV_WR_RDMA_READ, 4096, .batch = 1, .signal_every = 1},
	{"atomic", IBV_QPT_RC, IBV_WR_ATOMIC_FETCH_AND_ADD, 8, .batch = 1, .signal_every = 1},
	{"send", IBV_QPT_RC, IBV_WR_SEND, 64, .batch = 1, .signal_every = 1},
	{"send_inline", IBV_QPT_RC, IBV_WR_SEND, 8, true, .batch = 1, .signal_every = 1},
	{"send_srq", IBV_QPT_RC, IBV_WR_SEND, 64, .srq = true, .batch = 1, .signal_every = 1},
	{"datagram", IBV_QPT_UD, IBV_WR_SEND, 64, .batch = 1, .signal_every = 1},
	{"late", IBV_QPT_RC, IBV_WR_SEND, 64, .late = true, .batch = 1, .signal_every = 1},
};

#define must(CONDITION) costs_must(CONDITION, #CONDITION)
static void costs_must(bool holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "stat_costs: not so: %s\n", what);
	exit(1);
}

static struct costs {
	const struct costs_case *c;
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_mr *mr;
	struct ibv_cq *scq, *rcq;
	struct ibv_srq *srq;
	struct ibv_qp *a, *b;
	struct ibv_ah *ah;
} costs;
static uint8_t buf[2][8192] __attribute__((aligned(4096)));

static struct ibv_qp *costs_qp(void)
{
	struct ibv_qp_init_attr_ex a = {
		.qp_type = costs.c->type,
		.send_cq = costs.scq,
		.recv_cq = costs.rcq,
		.srq = costs.srq,
		.cap = {MESSAGES, costs.srq ? 0 : MESSAGES, 1, 1, costs.c->inlined ? 8 : 0},
		.comp_mask = IBV_QP_INIT_ATTR_PD |
			     (costs.c->wr ? (unsigned int)IBV_QP_INIT_ATTR_SEND_OPS_FLAGS : 0u),
		.pd = costs.pd,
		.send_ops_flags = IBV_QP_EX_WITH_RDMA_WRITE};
	struct ibv_qp *qp = ibv_create_qp_ex(costs.ctx, &a);

	must(qp);
	return qp;
}

static void costs_connect(struct ibv_qp *qp, const struct ibv_qp *peer)
{
	struct ibv_qp_attr a = {.qp_access_flags = IBV_ACCESS_REMOTE_WRITE |
						   IBV_ACCESS_REMOTE_READ |
						   IBV_ACCESS_REMOTE_ATOMIC};

	must(!verbs_qp_connect(qp, peer->qp_num, 0));
	must(!ibv_modify_qp(qp, &a, IBV_QP_ACCESS_FLAGS));
}

static void costs_raise_ud(void)
{
	struct ibv_ah_attr a = {.is_global = 1, .port_num = 1, .grh = {.hop_limit = 1}};

	must(!verbs_qp_raise_ud(costs.a, QKEY) && !verbs_qp_raise_ud(costs.b, QKEY));
	must(!ibv_query_gid(costs.ctx, 1, 0, &a.grh.dgid));
	costs.ah = ibv_create_ah(costs.pd, &a);
	must(costs.ah);
}

static void costs_open(void)
{
	costs.ctx = verbs_open();
	must(costs.ctx);
	costs.pd = ibv_alloc_pd(costs.ctx);
	costs.mr = ibv_reg_mr(costs.pd, buf, sizeof(buf),
			      IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
				      IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC);
	must(costs.mr);
}

/* Makes the case's queues, which stay. */
static void costs_queues(void)
{
	struct ibv_srq_init_attr sa = {.attr = {.max_wr = MESSAGES, .max_sge = 1}};

	costs.scq = ibv_create_cq(costs.ctx, MESSAGES, NULL, NULL, 0);
	costs.rcq = ibv_create_cq(costs.ctx, MESSAGES, NULL, NULL, 0);
	costs.srq = costs.c->srq ? ibv_create_srq(costs.pd, &sa) : NULL;
	must(costs.scq && costs.rcq && (costs.srq || !costs.c->srq));
	costs.a = costs_qp();
	costs.b = costs_qp();
	if (costs.c->type == IBV_QPT_UD) {
		costs_raise_ud();
		return;
	}
	costs_connect(costs.b, costs.a);
	costs_connect(costs.a, costs.b);
}

static void costs_receive(void)
{
	struct ibv_sge sge = {(uintptr_t)buf[1], costs.c->bytes + GRH, costs.mr->lkey};
	struct ibv_recv_wr wr = {.sg_list = &sge, .num_sge = 1}, *bad;

	for (int i = 0; i < MESSAGES; i++)
		must(!(costs.srq ? ibv_post_srq_recv(costs.srq, &wr, &bad)
				 : ibv_post_recv(costs.b, &wr, &bad)));
}

static bool costs_signals(int i)
{
	return (i + 1) % costs.c->signal_every == 0;
}

static struct ibv_send_wr costs_request(struct ibv_sge *sge, int i)
{
	struct ibv_send_wr wr = {.sg_list = sge,
				 .num_sge = 1,
				 .opcode = costs.c->opcode,
				 .send_flags = (costs_signals(i) ? IBV_SEND_SIGNALED : 0u) |
					       (costs.c->inlined ? IBV_SEND_INLINE : 0u)};

	if (costs.c->type == IBV_QPT_UD) {
		wr.wr.ud.ah = costs.ah;
		wr.wr.ud.remote_qpn = costs.b->qp_num;
		wr.wr.ud.remote_qkey = QKEY;
	} else if (costs.c->opcode == IBV_WR_ATOMIC_FETCH_AND_ADD) {
		wr.wr.atomic.remote_addr = (uintptr_t)buf[1];
		wr.wr.atomic.rkey = costs.mr->rkey;
	} else {
		wr.wr.rdma.remote_addr = (uintptr_t)buf[1];
		wr.wr.rdma.rkey = costs.mr->rkey;
	}
	return wr;
}

static void costs_post(int first)
{
	struct ibv_sge sge = {(uintptr_t)buf[0], costs.c->bytes, costs.mr->lkey};
	struct ibv_send_wr wr[MESSAGES], *bad;

	for (int i = 0; i < costs.c->batch; i++) {
		wr[i] = costs_request(&sge, first + i);
		wr[i].next = i + 1 < costs.c->batch ? &wr[i + 1] : NULL;
	}
	must(!ibv_post_send(costs.a, wr, &bad));
}

static void costs_post_wr(int first)
{
	struct ibv_qp_ex *ex = ibv_qp_to_qp_ex(costs.a);

	ibv_wr_start(ex);
	for (int i = 0; i < costs.c->batch; i++) {
		ex->wr_flags = costs_signals(first + i) ? IBV_SEND_SIGNALED : 0;
		ibv_wr_rdma_write(ex, costs.mr->rkey, (uintptr_t)buf[1]);
		ibv_wr_set_inline_data(ex, buf[0], costs.c->bytes);
	}
	must(!ibv_wr_complete(ex));
}

static void costs_wait(struct ibv_cq *cq, int n)
{
	struct ibv_wc wc;

	while (n) {
		int got = ibv_poll_cq(cq, 1, &wc);

		must(got >= 0 && (!got || wc.status == IBV_WC_SUCCESS));
		n -= got;
	}
}

/* Lets the device refuse the first message: others of another queue pair pass it meanwhile. */
static void costs_pass_time(void)
{
	struct ibv_qp *self = costs_qp();
	struct ibv_sge sge = {(uintptr_t)buf[0], 64, costs.mr->lkey};
	struct ibv_send_wr wr = {.sg_list = &sge,
				 .num_sge = 1,
				 .opcode = IBV_WR_RDMA_WRITE,
				 .send_flags = IBV_SEND_SIGNALED,
				 .wr.rdma = {(uintptr_t)buf[1], costs.mr->rkey}},
			   *bad;

	must(!verbs_qp_connect_self(self, 0));
	for (int i = 0; i < MESSAGES; i++) {
		must(!ibv_post_send(self, &wr, &bad));
		costs_wait(costs.scq, 1);
	}
}

static void costs_run(void)
{
	costs_queues();
	printf("%s %u %u\n", costs.c->name, costs.a->qp_num, costs.b->qp_num);
	if (costs.c->opcode == IBV_WR_SEND && !costs.c->late)
		costs_receive();
	for (int i = 0; i < MESSAGES; i += costs.c->batch) {
		if (costs.c->wr)
			costs_post_wr(i);
		else
			costs_post(i);
		if (!i && costs.c->late) {
			costs_pass_time();
			costs_receive();
		}
	}
	costs_wait(costs.scq, MESSAGES / costs.c->signal_every);
	if (costs.c->opcode == IBV_WR_SEND)
		costs_wait(costs.rcq, MESSAGES);
}

int main(int argc, char **argv)
{
	costs_open();
	for (int arg = 1; arg < argc; arg++) {
		for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
			if (!strcmp(cases[i].name, argv[arg]))
				costs.c = &cases[i];
		must(costs.c && !strcmp(costs.c->name, argv[arg]));
		costs_run();
	}
	return 0;
}
