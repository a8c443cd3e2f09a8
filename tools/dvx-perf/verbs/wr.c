/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The engine on ibv_wr_*: a batch lies between ibv_wr_start() and ibv_wr_complete(). Messages to DC
 * targets and UMRs use calls of mlx5dv.
 */
#include <infiniband/mlx5dv.h>
#include "verbs.h"

PERF_INLINE void wr_begin(void *queue)
{
	ibv_wr_start(((struct verbs_queue *)queue)->qpx);
}

PERF_INLINE void wr_data(const struct verbs_queue *q)
{
	const struct ibv_sge *s = q->sge;

	if (q->inline_bytes)
		ibv_wr_set_inline_data(q->qpx, (void *)(uintptr_t)s->addr, q->inline_bytes);
	else if (q->sges == 1)
		ibv_wr_set_sge(q->qpx, s->lkey, s->addr, s->length);
	else
		ibv_wr_set_sge_list(q->qpx, (size_t)q->sges, s);
}

/* Posts a UMR whose list has as many entries as the message has pieces; it lies in the WQE. */
PERF_INLINE void wr_list(const struct verbs_queue *q)
{
	q->qpx->wr_flags |= IBV_SEND_INLINE;
	mlx5dv_wr_mr_list(q->dv, q->list, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ,
			  (uint16_t)q->sges, (struct ibv_sge *)q->sge);
}

PERF_INLINE bool wr_post(void *queue, enum perf_op op, bool signaled, uint64_t cookie)
{
	struct verbs_queue *q = queue;
	struct ibv_qp_ex *x = q->qpx;

	x->wr_id = cookie;
	x->wr_flags = signaled ? IBV_SEND_SIGNALED : 0;
	if (op == PERF_UMR) {
		wr_list(q);
		return true;
	}
	if (op == PERF_SEND)
		ibv_wr_send(x);
	else if (op == PERF_SEND_IMM)
		ibv_wr_send_imm(x, VERBS_IMM);
	else if (op == PERF_SEND_INVAL)
		ibv_wr_send_inv(x, keys_next(&q->keys));
	else if (op == PERF_WRITE)
		ibv_wr_rdma_write(x, q->rkey, q->raddr);
	else if (op == PERF_WRITE_IMM)
		ibv_wr_rdma_write_imm(x, q->rkey, q->raddr, VERBS_IMM);
	else if (op == PERF_FAA)
		ibv_wr_atomic_fetch_add(x, q->rkey, q->raddr, 1);
	else if (op == PERF_CAS)
		ibv_wr_atomic_cmp_swp(x, q->rkey, q->raddr, 0, 1);
	else
		ibv_wr_rdma_read(x, q->rkey, q->raddr);
	if (q->dc)
		mlx5dv_wr_set_dc_addr(q->dv, q->ah, q->remote_qpn, SITE_DC_KEY);
	else if ((op == PERF_SEND || op == PERF_SEND_IMM) && q->ah)
		ibv_wr_set_ud_addr(x, q->ah, q->remote_qpn, SITE_Q_KEY);
	if (q->srqn)
		ibv_wr_set_xrc_srqn(x, q->srqn);
	wr_data(q);
	return true;
}

PERF_INLINE bool wr_ring(void *queue)
{
	int rc = ibv_wr_complete(((struct verbs_queue *)queue)->qpx);

	return rc ? verbs_refused(rc) : true;
}

static int wr_latency(struct perf_thread *t)
{
	LOOP_SWITCH(loop_latency, t, wr_begin, wr_post, wr_ring, verbs_poll);
}

static int wr_rate(struct perf_thread *t)
{
	LOOP_SWITCH(loop_rate, t, wr_begin, wr_post, wr_ring, verbs_poll);
}

const struct perf_engine engine_wr = {
	.word = "ibv_wr",
	.name = "ibv_wr_*",
	.ops = {VERBS_OPS | PERF_OP_BIT(PERF_UMR), VERBS_OPS, VERBS_OPS, VERBS_OPS, VERBS_OPS},
	.open = verbs_open,
	.connect = verbs_connect,
	.resize = verbs_resize,
	.queue = verbs_queue_of,
	.set = verbs_set_of,
	.latency = wr_latency,
	.rate = wr_rate,
	.close = verbs_close,
};
