/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Programs that wait for ever, one for each reason, and correct twins: why_hangs CASE brings two
 * connected queue pairs into the case's state, prints "ready", and waits for the end of stdin.
 * Cases whose name begins with "ok_" leave nothing behind.
 */
#include <endian.h>
#include <errno.h>
#include <infiniband/mlx5dv.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/patience.h"
#include "tests/verbs/verbs_qp.h"

#define DEPTH		4
#define BYTES		64u

#define must(CONDITION) hangs_must(CONDITION, #CONDITION)
static void hangs_must(bool holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "why_hangs: not so: %s\n", what);
	exit(1);
}

/* Options of a case, taken before its queue pairs are made. */
struct setup {
	bool srq, idle_peer, alone, small_cq;
	uint8_t timeout;
};

/* A sender and its receiver, each with its CQ; events come by one channel. */
struct pair {
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_mr *mr;
	struct ibv_comp_channel *channel;
	struct ibv_cq *scq, *rcq;
	struct ibv_srq *srq;
	struct ibv_qp *a, *b;
	uint8_t buf[2 * BYTES];
};

static struct ibv_qp *hangs_qp(struct pair *p, struct ibv_cq *cq, struct ibv_srq *srq)
{
	struct ibv_qp_init_attr a = {.qp_type = IBV_QPT_RC,
				     .send_cq = cq,
				     .recv_cq = p->rcq,
				     .srq = srq,
				     .cap = {DEPTH, srq ? 0 : DEPTH, 1, 1, 0}};
	struct ibv_qp *qp = ibv_create_qp(p->pd, &a);

	must(qp);
	return qp;
}

static void hangs_init(struct ibv_qp *qp)
{
	struct ibv_qp_attr a = {.qp_state = IBV_QPS_INIT,
				.port_num = 1,
				.qp_access_flags = IBV_ACCESS_REMOTE_WRITE};

	must(!ibv_modify_qp(qp, &a,
			    IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS));
}

static void hangs_connect(struct ibv_qp *qp, uint32_t peer, uint8_t timeout)
{
	struct ibv_qp_attr a = {
		.qp_state = IBV_QPS_RTR,
		.path_mtu = IBV_MTU_1024,
		.dest_qp_num = peer,
		.max_dest_rd_atomic = 4,
		.max_rd_atomic = 4,
		.min_rnr_timer = 12,
		.timeout = timeout,
		.retry_cnt = 7,
		.rnr_retry = 7,
		.ah_attr = {.is_global = 1, .port_num = 1, .grh = {.hop_limit = 1}}};

	must(!ibv_query_gid(qp->context, 1, 0, &a.ah_attr.grh.dgid));
	must(!ibv_modify_qp(qp, &a,
			    IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
				    IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
				    IBV_QP_MIN_RNR_TIMER));
	a.qp_state = IBV_QPS_RTS;
	must(!ibv_modify_qp(qp, &a,
			    IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
				    IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC));
}

static void hangs_open(struct pair *p, const struct setup *s)
{
	struct ibv_srq_init_attr sa = {.attr = {.max_wr = DEPTH, .max_sge = 1}};

	p->ctx = verbs_open();
	must(p->ctx);
	p->pd = ibv_alloc_pd(p->ctx);
	must(p->pd);
	p->mr = ibv_reg_mr(p->pd, p->buf, sizeof(p->buf),
			   IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
	p->channel = ibv_create_comp_channel(p->ctx);
	p->scq = ibv_create_cq(p->ctx, s->small_cq ? 1 : 2 * DEPTH, NULL, p->channel, 0);
	p->rcq = ibv_create_cq(p->ctx, 2 * DEPTH, NULL, p->channel, 0);
	p->srq = s->srq ? ibv_create_srq(p->pd, &sa) : NULL;
	must(p->mr && p->scq && p->rcq && (p->srq || !s->srq));
	p->a = hangs_qp(p, p->scq, NULL);
	p->b = hangs_qp(p, p->rcq, p->srq);
	hangs_init(p->a);
	hangs_init(p->b);
	if (s->alone)
		return;
	if (!s->idle_peer)
		hangs_connect(p->b, p->a->qp_num, 14);
	hangs_connect(p->a, p->b->qp_num, s->timeout ? s->timeout : 14);
}

static int hangs_post(struct pair *p, enum ibv_wr_opcode opcode, unsigned int flags)
{
	struct ibv_sge sge = {(uintptr_t)p->buf, 8, p->mr->lkey};
	struct ibv_send_wr wr = {.sg_list = &sge,
				 .num_sge = 1,
				 .opcode = opcode,
				 .send_flags = flags,
				 .wr.rdma = {(uintptr_t)p->buf + BYTES, p->mr->rkey}},
			   *bad;

	return ibv_post_send(p->a, &wr, &bad);
}

static void hangs_write(struct pair *p, unsigned int flags)
{
	must(!hangs_post(p, IBV_WR_RDMA_WRITE, flags));
}

static void hangs_send(struct pair *p)
{
	must(!hangs_post(p, IBV_WR_SEND, IBV_SEND_SIGNALED));
}

static void hangs_receive(struct pair *p)
{
	struct ibv_sge sge = {(uintptr_t)p->buf + BYTES, BYTES, p->mr->lkey};
	struct ibv_recv_wr wr = {.sg_list = &sge, .num_sge = 1}, *bad;

	must(!(p->srq ? ibv_post_srq_recv(p->srq, &wr, &bad) : ibv_post_recv(p->b, &wr, &bad)));
}

static enum ibv_wc_status hangs_poll(struct ibv_cq *cq)
{
	const time_t end = patience_from_now();
	struct ibv_wc wc;
	int n;

	while (!(n = ibv_poll_cq(cq, 1, &wc)))
		must(!patience_over(end));
	must(n == 1);
	return wc.status;
}

static void hangs_event(struct pair *p)
{
	struct ibv_cq *cq;
	void *context;

	must(!ibv_get_cq_event(p->channel, &cq, &context));
	ibv_ack_cq_events(cq, 1);
}

/* --- the cases --------------------------------------------------------------------------------- */

static void ok_send(struct pair *p)
{
	hangs_receive(p);
	hangs_send(p);
	must(!hangs_poll(p->scq) && !hangs_poll(p->rcq));
}

static void unsignaled(struct pair *p)
{
	hangs_write(p, IBV_SEND_SIGNALED);
	must(!hangs_poll(p->scq));
	hangs_write(p, 0);
	hangs_write(p, 0);
}

static void ok_signaled(struct pair *p)
{
	hangs_write(p, 0);
	hangs_write(p, IBV_SEND_SIGNALED);
	must(!hangs_poll(p->scq));
}

static void send_full(struct pair *p)
{
	while (!hangs_post(p, IBV_WR_RDMA_WRITE, 0))
		;
}

static void cqes(struct pair *p)
{
	hangs_write(p, IBV_SEND_SIGNALED);
}

static void event_unread(struct pair *p)
{
	must(!ibv_req_notify_cq(p->scq, 0));
	hangs_write(p, IBV_SEND_SIGNALED);
}

static void event_read(struct pair *p)
{
	event_unread(p);
	hangs_event(p);
}

static void before_arm(struct pair *p)
{
	event_read(p);
	must(!ibv_req_notify_cq(p->scq, 0));
}

/* The call returns when the event is acknowledged, which another thread could do. */
static void acknowledge(struct pair *p)
{
	struct ibv_cq *cq;
	void *context;

	event_unread(p);
	must(!ibv_get_cq_event(p->channel, &cq, &context) && !hangs_poll(p->scq));
	must(!ibv_destroy_qp(p->a) && !ibv_destroy_qp(p->b));
	puts("ready");
	fflush(stdout);
	ibv_destroy_cq(p->scq);
}

static void ok_acknowledge(struct pair *p)
{
	event_read(p);
	must(!hangs_poll(p->scq) && !ibv_destroy_qp(p->a) && !ibv_destroy_qp(p->b));
	must(!ibv_destroy_cq(p->scq) && !ibv_destroy_cq(p->rcq));
}

static void unsolicited(struct pair *p)
{
	must(!ibv_req_notify_cq(p->rcq, 1));
	hangs_receive(p);
	hangs_send(p);
	must(!hangs_poll(p->scq));
}

static void armed(struct pair *p)
{
	must(!ibv_req_notify_cq(p->scq, 0));
}

static void unarmed(struct pair *p)
{
	event_read(p);
	must(!hangs_poll(p->scq));
}

static void srq_limit(struct pair *p)
{
	struct ibv_srq_attr limit = {.srq_limit = 2};

	hangs_receive(p);
	hangs_receive(p);
	must(!ibv_modify_srq(p->srq, &limit, IBV_SRQ_LIMIT));
	hangs_send(p);
	must(!hangs_poll(p->scq) && !hangs_poll(p->rcq));
}

/* The limit is set again, so that only the receive that is left is to be told. */
static void srq_limit_again(struct pair *p)
{
	struct ibv_srq_attr limit = {.srq_limit = 1};

	srq_limit(p);
	must(!ibv_modify_srq(p->srq, &limit, IBV_SRQ_LIMIT));
}

static void no_peer(struct pair *p)
{
	must(!ibv_destroy_qp(p->b));
	hangs_write(p, IBV_SEND_SIGNALED);
}

static void failed(struct pair *p)
{
	p->mr->rkey ^= 0x100;
	hangs_write(p, IBV_SEND_SIGNALED);
	must(hangs_poll(p->scq) == IBV_WC_REM_ACCESS_ERR);
}

/* A requested fault makes an error of a good completion; the queue fails, and flushes what comes. */
static void failed_as_asked(struct pair *p)
{
	hangs_write(p, IBV_SEND_SIGNALED);
	must(hangs_poll(p->scq) == IBV_WC_REM_ACCESS_ERR);
	hangs_write(p, IBV_SEND_SIGNALED);
	must(hangs_poll(p->scq) == IBV_WC_WR_FLUSH_ERR);
}

/* Counts a WQE in a doorbell record, and does not write the register. */
static void doorbell(struct pair *p)
{
	struct mlx5dv_qp dv = {0};
	struct mlx5dv_obj obj = {.qp = {p->a, &dv}};

	must(!mlx5dv_init_obj(&obj, MLX5DV_OBJ_QP));
	dv.dbrec[MLX5_SND_DBR] = htobe32(1);
}

static void arm_register(struct pair *p)
{
	struct mlx5dv_cq dv = {0};
	struct mlx5dv_obj obj = {.cq = {p->scq, &dv}};

	must(!mlx5dv_init_obj(&obj, MLX5DV_OBJ_CQ));
	dv.dbrec[1] = htobe32(1u << 28);
}

/* The first of two events is lost by a requested fault. */
static void event_lost(struct pair *p)
{
	struct pollfd fd = {.fd = p->channel->fd, .events = POLLIN};

	must(!ibv_req_notify_cq(p->scq, 0));
	hangs_write(p, IBV_SEND_SIGNALED);
	must(!hangs_poll(p->scq) && !ibv_req_notify_cq(p->scq, 0));
	hangs_write(p, IBV_SEND_SIGNALED);
	must(!hangs_poll(p->scq));
	hangs_event(p);
	must(!poll(&fd, 1, 0));
}

static void fatal(struct pair *p)
{
	struct ibv_async_event e;

	puts("open");
	fflush(stdout);
	must(!ibv_get_async_event(p->ctx, &e) && e.event_type == IBV_EVENT_DEVICE_FATAL);
	must(!ibv_alloc_pd(p->ctx) && errno == EIO);
	ibv_ack_async_event(&e);
	hangs_write(p, IBV_SEND_SIGNALED);
}

/* A request waits for the address of a machine that is not there, each time of another, while the device fails. */
static void fatal_waits(struct pair *p)
{
	union ibv_gid nobody = {.raw = {[10] = 0xff, 0xff, 10, 8, 0, 100}};

	puts("open");
	fflush(stdout);
	do {
		struct ibv_ah_attr to = {
			.is_global = 1,
			.port_num = 1,
			.grh = {.dgid = nobody, .sgid_index = 3, .hop_limit = 4}};

		nobody.raw[15]++;
		must(!ibv_create_ah(p->pd, &to));
	} while (errno != EIO);
}

static void cq_failed(struct pair *p)
{
	for (int i = 0; i < DEPTH; i++)
		hangs_write(p, IBV_SEND_SIGNALED);
}

static const struct {
	const char *name;
	struct setup setup;
	void (*run)(struct pair *);
} cases[] = {
	{"rnr", {0}, hangs_send},
	{"rnr_srq", {.srq = true}, hangs_send},
	{"ok_send", {0}, ok_send},
	{"unsignaled", {0}, unsignaled},
	{"ok_signaled", {0}, ok_signaled},
	{"send_full", {0}, send_full},
	{"cqes", {0}, cqes},
	{"event_unread", {0}, event_unread},
	{"event_read", {0}, event_read},
	{"before_arm", {0}, before_arm},
	{"unsolicited", {0}, unsolicited},
	{"acknowledge", {0}, acknowledge},
	{"ok_acknowledge", {0}, ok_acknowledge},
	{"armed", {0}, armed},
	{"unarmed", {0}, unarmed},
	{"srq_limit", {.srq = true}, srq_limit},
	{"srq_limit_again", {.srq = true}, srq_limit_again},
	{"receives", {0}, hangs_receive},
	{"lost", {.timeout = 20}, cqes},
	{"no_peer", {.timeout = 20}, no_peer},
	{"idle_peer", {.idle_peer = true, .timeout = 20}, cqes},
	{"send_state", {.alone = true}, doorbell},
	{"failed", {0}, failed},
	{"failed_as_asked", {0}, failed_as_asked},
	{"doorbell", {0}, doorbell},
	{"arm_register", {0}, arm_register},
	{"cq_failed", {.small_cq = true}, cq_failed},
	{"event_lost", {0}, event_lost},
	{"fatal", {0}, fatal},
	{"fatal_waits", {0}, fatal_waits},
};

int main(int argc, char **argv)
{
	static struct pair pair;
	char byte;

	for (size_t i = 0; argc == 2 && i < sizeof(cases) / sizeof(cases[0]); i++)
		if (!strcmp(argv[1], cases[i].name)) {
			hangs_open(&pair, &cases[i].setup);
			cases[i].run(&pair);
			puts("ready");
			fflush(stdout);
			return read(STDIN_FILENO, &byte, 1) < 0;
		}
	return 2;
}
