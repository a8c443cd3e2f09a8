/* SPDX-License-Identifier: BSD-2-Clause */
#include "verbs_self.h"
#include "verbs_qp.h"
#include "tests/patience.h"

#include <stdlib.h>

struct ibv_qp *self_qp(struct ibv_pd *pd, struct ibv_cq *send_cq, struct ibv_cq *recv_cq)
{
	struct ibv_qp_init_attr a = {.qp_type = IBV_QPT_RC,
				     .send_cq = send_cq,
				     .recv_cq = recv_cq,
				     .sq_sig_all = 1,
				     .cap = {SELF_DEPTH, SELF_DEPTH, 2, 2, 0}};
	struct ibv_qp *qp = ibv_create_qp(pd, &a);

	assert_non_null(qp);
	assert_int_equal(verbs_qp_connect_self(qp, 0), 0);
	return qp;
}

int self_open(void **state)
{
	struct self *s = calloc(1, sizeof(*s));

	s->ctx = verbs_open();
	assert_non_null(s->ctx);
	s->pd = ibv_alloc_pd(s->ctx);
	s->channel = ibv_create_comp_channel(s->ctx);
	assert_non_null(s->channel);
	s->cq = ibv_create_cq(s->ctx, 2 * SELF_DEPTH - 1, NULL, s->channel, 0);
	assert_non_null(s->cq);
	s->buf = aligned_alloc(4096, SELF_BYTES);
	s->mr = ibv_reg_mr(s->pd, s->buf, SELF_BYTES,
			   IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ);
	assert_non_null(s->mr);
	s->qp = self_qp(s->pd, s->cq, s->cq);
	*state = s;
	return 0;
}

int self_close(void **state)
{
	struct self *s = *state;
	int err = ibv_destroy_qp(s->qp) || ibv_destroy_cq(s->cq) || ibv_dereg_mr(s->mr) ||
		  ibv_dealloc_pd(s->pd) || ibv_destroy_comp_channel(s->channel) ||
		  ibv_close_device(s->ctx);

	free(s->buf);
	free(s);
	return err;
}

void self_write(struct self *s, uint64_t wr_id, uint32_t len)
{
	struct ibv_sge sge = {(uintptr_t)s->buf, len, s->mr->lkey};
	struct ibv_send_wr wr = {.wr_id = wr_id, .sg_list = &sge, .num_sge = 1,
				 .opcode = IBV_WR_RDMA_WRITE}, *bad;

	wr.wr.rdma.remote_addr = (uintptr_t)s->buf + SELF_BYTES / 2;
	wr.wr.rdma.rkey = s->mr->rkey;
	assert_int_equal(ibv_post_send(s->qp, &wr, &bad), 0);
}

void self_send(struct self *s, struct ibv_qp *qp, uint64_t wr_id, uint32_t len)
{
	struct ibv_sge out = {(uintptr_t)s->buf, len, s->mr->lkey};
	struct ibv_sge in = {(uintptr_t)s->buf + SELF_BYTES / 2, SELF_BYTES / 2, s->mr->lkey};
	struct ibv_recv_wr recv = {.wr_id = wr_id, .sg_list = &in, .num_sge = 1}, *bad_recv;
	struct ibv_send_wr send = {.wr_id = wr_id, .sg_list = &out, .num_sge = 1,
				   .opcode = IBV_WR_SEND}, *bad;

	assert_int_equal(ibv_post_recv(qp, &recv, &bad_recv), 0);
	assert_int_equal(ibv_post_send(qp, &send, &bad), 0);
}

void self_poll(struct ibv_cq *cq, struct ibv_wc *wc)
{
	time_t end = patience_from_now();
	int n;

	while (!(n = ibv_poll_cq(cq, 1, wc)))
		assert_false(patience_over(end));
	assert_int_equal(n, 1);
}
