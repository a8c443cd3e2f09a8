/* SPDX-License-Identifier: BSD-2-Clause */
/* The extended calls. */
#include "misuse.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>

/* An extended QP, whose requests are built by ibv_wr_*(). */
static struct ibv_qp *misuse_qp_ex(bool own)
{
	struct ibv_qp_init_attr_ex a = {
		.qp_type = IBV_QPT_RC,
		.send_cq = p.scq,
		.recv_cq = p.rcq,
		.cap = {DEPTH, DEPTH, 1, 1, own ? 64 : 16},
		.pd = p.pd,
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.send_ops_flags = IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_SEND};
	struct mlx5dv_qp_init_attr dv = {.comp_mask = MLX5DV_QP_INIT_ATTR_MASK_SEND_OPS_FLAGS,
					 .send_ops_flags = MLX5DV_QP_EX_WITH_MR_INTERLEAVED};
	struct ibv_qp *qp = own ? mlx5dv_create_qp(p.ctx, &a, &dv) : ibv_create_qp_ex(p.ctx, &a);

	must(qp);
	return qp;
}

static struct ibv_qp_ex *misuse_open_ex(bool own)
{
	misuse_open_cq(64);
	p.a = misuse_qp_ex(own);
	p.b = misuse_qp(p.pd, p.rcq);
	misuse_connect(p.a, p.b);
	return ibv_qp_to_qp_ex(p.a);
}

static void misuse_begin_ex(struct ibv_qp_ex *ex)
{
	ex->wr_id = 8;
	ex->wr_flags = IBV_SEND_SIGNALED;
	ibv_wr_rdma_write(ex, p.mr->rkey, (uintptr_t)p.in);
}

static void misuse_write_ex(bool own, bool change, uint32_t inlined)
{
	struct ibv_qp_ex *ex = misuse_open_ex(own);

	ibv_wr_start(ex);
	misuse_begin_ex(ex);
	if (inlined)
		ibv_wr_set_inline_data(ex, p.out, inlined);
	else
		ibv_wr_set_sge(ex, p.mr->lkey, (uintptr_t)p.out, BYTES);
	must(!ibv_wr_complete(ex));
	if (change)
		p.out[0]++;
	misuse_done(p.scq);
}

static void changed_ex(void)
{
	misuse_write_ex(false, true, 0);
}

static void changed_dv(void)
{
	misuse_write_ex(true, true, 0);
}

static void ok_ex(void)
{
	misuse_write_ex(false, false, 0);
}

static void ok_inline_ex(void)
{
	misuse_write_ex(true, true, 16);
}

static void inline_ex(void)
{
	misuse_write_ex(false, false, 17);
}

/* Requests that are not posted use up no entries of the CQ. */
static void ok_abort(void)
{
	struct ibv_qp_ex *ex = misuse_open_ex(false);

	ibv_wr_start(ex);
	for (unsigned int i = 0; i < 2; i++) {
		misuse_begin_ex(ex);
		ibv_wr_set_sge(ex, p.mr->lkey, (uintptr_t)p.out, BYTES);
	}
	ibv_wr_abort(ex);
	must(!misuse_post(IBV_WR_RDMA_WRITE, IBV_SEND_SIGNALED));
	misuse_done(p.scq);
}

/* Polls what was posted before the batch, then posts: the post waits for the batch's end. */
static void *misuse_batch_poller(void *arg)
{
	_Atomic bool *polled = arg;

	misuse_done(p.scq);
	*polled = true;
	must(!misuse_post(IBV_WR_RDMA_WRITE, IBV_SEND_SIGNALED));
	return NULL;
}

/* A thread that waits within its batch for another one, which polls and posts. */
static void ok_batch(void)
{
	struct ibv_qp_ex *ex = misuse_open_ex(false);
	const time_t end = patience_from_now();
	_Atomic bool polled = false;
	pthread_t other;

	must(!misuse_post(IBV_WR_RDMA_WRITE, IBV_SEND_SIGNALED));
	ibv_wr_start(ex);
	misuse_begin_ex(ex);
	must(!pthread_create(&other, NULL, misuse_batch_poller, (void *)&polled));
	while (!polled)
		must(!patience_over(end));
	for (unsigned int i = 0; i < 100; i++) /* most often, it is in its post by then */
		sched_yield();
	ibv_wr_set_sge(ex, p.mr->lkey, (uintptr_t)p.out, BYTES);
	must(!ibv_wr_complete(ex));
	misuse_done(p.scq);
	misuse_done(p.scq);
	pthread_join(other, NULL);
}

static void misuse_failed_ex(bool reads)
{
	struct ibv_cq_init_attr_ex ca = {.cqe = 64, .wc_flags = IBV_WC_EX_WITH_BYTE_LEN};
	struct ibv_poll_cq_attr pa = {0};
	const time_t end = patience_from_now();

	misuse_open_cq(64);
	p.ex = ibv_create_cq_ex(p.ctx, &ca);
	must(p.ex);
	p.a = misuse_qp(p.pd, ibv_cq_ex_to_cq(p.ex));
	p.b = misuse_qp(p.pd, p.rcq);
	misuse_connect(p.a, p.b);
	must(!misuse_post_at(p.a, IBV_WR_RDMA_WRITE, IBV_SEND_SIGNALED, p.out, BYTES, 0));
	while (ibv_start_poll(p.ex, &pa))
		must(!patience_over(end));
	must(p.ex->status != IBV_WC_SUCCESS);
	if (reads)
		printf("%d\n", ibv_wc_read_opcode(p.ex));
	ibv_end_poll(p.ex);
}

static void failed_field(void)
{
	misuse_failed_ex(true);
}

static void ok_failed_field(void)
{
	misuse_failed_ex(false);
}

/* A UMR, with the wr_id of receives. */
static void misuse_umr(struct ibv_qp_ex *ex, struct mlx5dv_mkey *mkey)
{
	struct mlx5dv_mr_interleaved all = {(uintptr_t)p.out, BYTES, 0, p.mr->lkey};

	ibv_wr_start(ex);
	ex->wr_id = 9;
	ex->wr_flags = IBV_SEND_SIGNALED | IBV_SEND_INLINE;
	mlx5dv_wr_mr_interleaved(mlx5dv_qp_ex_from_ibv_qp_ex(ex), mkey, IBV_ACCESS_LOCAL_WRITE, 1,
				 1, &all);
	must(!ibv_wr_complete(ex));
	must(misuse_poll(p.scq).opcode == (enum ibv_wc_opcode)MLX5DV_WC_UMR);
}

/* The opcode of a UMR's completion has the bit of receives. */
static void ok_umr(void)
{
	struct mlx5dv_mkey_init_attr ma = {.create_flags = MLX5DV_MKEY_INIT_ATTR_FLAGS_INDIRECT,
					   .max_entries = 4};
	struct ibv_qp_ex *ex = misuse_open_ex(true);
	struct mlx5dv_mkey *mkey;

	ma.pd = p.pd;
	mkey = mlx5dv_create_mkey(&ma);
	must(mkey);
	for (int i = 0; i < 2; i++)
		must(!misuse_receive_at(p.a, p.in, p.mr->lkey));
	for (int i = 0; i < 2; i++)
		misuse_umr(ex, mkey);
	must(!misuse_post(IBV_WR_RDMA_WRITE, IBV_SEND_SIGNALED));
	misuse_done(p.scq);
	must(!mlx5dv_destroy_mkey(mkey));
}

const struct misuse_case misuse_extended[] = {
	MISUSE(changed_ex),
	MISUSE(changed_dv),
	MISUSE(ok_ex),
	MISUSE(ok_inline_ex),
	MISUSE(inline_ex),
	MISUSE(ok_abort),
	MISUSE(ok_batch),
	MISUSE(failed_field),
	MISUSE(ok_failed_field),
	MISUSE(ok_umr),
	{0},
};
