/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The work that checked_posts.sh counts of a program: a 64-byte RDMA_WRITE is posted, and its
 * completion, which is there by then, is polled. checked_posts ROUNDS
 */
#include <stdint.h>
#include <stdlib.h>
#include "tests/verbs/verbs_qp.h"

#define BYTES 64u

static uint8_t buf[2 * BYTES];

static __attribute__((noipa)) int message_post(struct ibv_qp *qp, const struct ibv_mr *mr)
{
	struct ibv_sge sge = {(uintptr_t)buf, BYTES, mr->lkey};
	struct ibv_send_wr wr = {.sg_list = &sge,
				 .num_sge = 1,
				 .opcode = IBV_WR_RDMA_WRITE,
				 .send_flags = IBV_SEND_SIGNALED,
				 .wr.rdma = {(uintptr_t)buf + BYTES, mr->rkey}},
			   *bad;

	return ibv_post_send(qp, &wr, &bad);
}

static __attribute__((noipa)) int message_poll(struct ibv_cq *cq)
{
	struct ibv_wc wc;

	return ibv_poll_cq(cq, 1, &wc) != 1 || wc.status;
}

/* Returns when the completion is there. */
static int message_arrives(struct ibv_comp_channel *channel)
{
	struct ibv_cq *cq;
	void *user;

	if (ibv_get_cq_event(channel, &cq, &user))
		return -1;
	ibv_ack_cq_events(cq, 1);
	return 0;
}

int main(int argc, char **argv)
{
	struct ibv_context *ctx = verbs_open();
	struct ibv_pd *pd = ctx ? ibv_alloc_pd(ctx) : NULL;
	struct ibv_mr *mr = pd ? ibv_reg_mr(pd, buf, sizeof(buf),
					    IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE)
			       : NULL;
	struct ibv_comp_channel *channel = mr ? ibv_create_comp_channel(ctx) : NULL;
	struct ibv_cq *cq = channel ? ibv_create_cq(ctx, 16, NULL, channel, 0) : NULL;
	struct ibv_qp_init_attr a = {
		.qp_type = IBV_QPT_RC, .send_cq = cq, .recv_cq = cq, .cap = {8, 1, 1, 1, 0}};
	struct ibv_qp *qp = cq ? ibv_create_qp(pd, &a) : NULL;

	if (argc != 2 || !qp || verbs_qp_connect_self(qp, 0))
		return 2;
	for (int i = atoi(argv[1]); i; i--)
		if (ibv_req_notify_cq(cq, 0) || message_post(qp, mr) || message_arrives(channel) ||
		    message_poll(cq))
			return 1;
	return 0;
}
