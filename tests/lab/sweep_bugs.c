/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A datagram sender with a mistake on four of its error paths, for run --sweep: it uses a CQ that was
 * not made, leaves its protection domain to the kernel, waits for a completion that is no error, and
 * ends with 0 after a failure. sweep_bugs ok has none of them.
 */
#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include "tests/verbs/verbs_qp.h"

static bool right; /* the correct twin */

struct sender {
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_mr *mr;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	char buf[64];
};

static int sender_close(struct sender *s)
{
	int failed = 0;

	failed |= s->qp && ibv_destroy_qp(s->qp);
	failed |= s->cq && ibv_destroy_cq(s->cq);
	failed |= s->mr && ibv_dereg_mr(s->mr);
	failed |= s->pd && (s->mr || right) && ibv_dealloc_pd(s->pd);
	failed |= s->ctx && ibv_close_device(s->ctx);
	return failed;
}

static bool sender_open(struct sender *s)
{
	struct ibv_qp_init_attr a = {.qp_type = IBV_QPT_UD, .cap = {1, 0, 1, 0, 0}};

	s->ctx = verbs_open();
	s->pd = s->ctx ? ibv_alloc_pd(s->ctx) : NULL;
	s->mr = s->pd ? ibv_reg_mr(s->pd, s->buf, sizeof(s->buf), 0) : NULL;
	if (!s->mr)
		return false;
	s->cq = ibv_create_cq(s->ctx, 1, NULL, NULL, 0);
	if (right && !s->cq)
		return false;
	printf("a CQ of %d\n", s->cq->cqe);
	a.send_cq = a.recv_cq = s->cq;
	s->qp = ibv_create_qp(s->pd, &a);
	return s->qp;
}

static struct ibv_ah *sender_ah(struct sender *s)
{
	struct ibv_ah_attr a = {.is_global = 1, .port_num = 1, .grh = {.hop_limit = 1}};

	return ibv_query_gid(s->ctx, 1, 0, &a.grh.dgid) ? NULL : ibv_create_ah(s->pd, &a);
}

static bool sender_send(struct sender *s, struct ibv_ah *ah)
{
	struct ibv_sge sge = {(uintptr_t)s->buf, sizeof(s->buf), s->mr->lkey};
	struct ibv_send_wr wr = {.sg_list = &sge,
				 .num_sge = 1,
				 .opcode = IBV_WR_SEND,
				 .send_flags = IBV_SEND_SIGNALED,
				 .wr.ud = {ah, s->qp->qp_num, 0}},
			   *bad;
	struct ibv_wc wc = {.status = IBV_WC_GENERAL_ERR};

	if (ibv_post_send(s->qp, &wr, &bad))
		return false;
	while (!ibv_poll_cq(s->cq, 1, &wc) || (wc.status && !right))
		;
	return !wc.status;
}

static bool sender_run(struct sender *s)
{
	struct ibv_ah *ah;
	bool sent;

	if (!sender_open(s) || verbs_qp_raise_ud(s->qp, 0))
		return false;
	ah = sender_ah(s);
	sent = ah && sender_send(s, ah);
	return !(ah && ibv_destroy_ah(ah)) && sent;
}

int main(int argc, char **argv)
{
	static struct sender s;
	bool ran;

	right = argc == 2 && !strcmp(argv[1], "ok");
	ran = sender_run(&s);
	return sender_close(&s) || (!ran && (s.pd || right));
}
