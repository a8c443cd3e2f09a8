/* SPDX-License-Identifier: BSD-2-Clause */
/* Device, memory and queues of libibverbs. */
#include <errno.h>
#include <infiniband/mlx5dv.h>
#include <stdlib.h>
#include <string.h>
#include <dvx/dvx.h>
#include "tools/cli/exit.h"
#include "tools/cli/message.h"
#include "connect.h"
#include "verbs.h"

static const uint64_t verbs_ops[PERF_OPS] = {
	[PERF_SEND] = IBV_QP_EX_WITH_SEND,
	[PERF_SEND_IMM] = IBV_QP_EX_WITH_SEND_WITH_IMM,
	[PERF_SEND_INVAL] = IBV_QP_EX_WITH_SEND_WITH_INV,
	[PERF_WRITE] = IBV_QP_EX_WITH_RDMA_WRITE,
	[PERF_WRITE_IMM] = IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM,
	[PERF_READ] = IBV_QP_EX_WITH_RDMA_READ,
	[PERF_FAA] = IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD,
	[PERF_CAS] = IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP,
};

static struct ibv_context *verbs_open_device(const char *name)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *ctx = NULL;

	for (unsigned int i = 0; list && list[i] && !ctx; i++)
		if (!strcmp(name, ibv_get_device_name(list[i])))
			ctx = ibv_open_device(list[i]);
	if (list)
		ibv_free_device_list(list);
	return ctx;
}

static enum ibv_qp_type verbs_type(const struct perf_params *p)
{
	static const enum ibv_qp_type types[PERF_TRANSPORTS] = {[PERF_RC] = IBV_QPT_RC,
								[PERF_UC] = IBV_QPT_UC,
								[PERF_UD] = IBV_QPT_UD,
								[PERF_DC] = IBV_QPT_DRIVER,
								[PERF_XRC] = IBV_QPT_XRC_SEND};

	return types[p->transport->id];
}

/* Makes a QP. DC initiators and QPs for UMRs are made by calls of libmlx5. */
static struct ibv_qp *verbs_new_qp(const struct verbs_requester *v,
				   struct ibv_qp_init_attr_ex *attr)
{
	struct mlx5dv_qp_init_attr dci = {.comp_mask = MLX5DV_QP_INIT_ATTR_MASK_DC,
					  .dc_init_attr.dc_type = MLX5DV_DCTYPE_DCI};
	struct mlx5dv_qp_init_attr lists = {.comp_mask = MLX5DV_QP_INIT_ATTR_MASK_SEND_OPS_FLAGS,
					    .send_ops_flags = MLX5DV_QP_EX_WITH_MR_LIST};

	if (attr->qp_type == IBV_QPT_DRIVER)
		return mlx5dv_create_qp(v->ctx, attr, &dci);
	if (v->p->op == PERF_UMR)
		return mlx5dv_create_qp(v->ctx, attr, &lists);
	return ibv_create_qp_ex(v->ctx, attr);
}

/* Returns the inline bytes of a WQE: data, or the entries of a UMR's list. */
static uint32_t verbs_inline_data(const struct perf_params *p)
{
	if (p->op == PERF_UMR)
		return dvx_umr_room(p->sges) * DVX_SEG;
	return perf_ops[p->op].inlines ? p->inline_max : 0;
}

/* Makes the mkey that UMR requests of this queue redefine. */
static int verbs_list_make(const struct verbs_requester *v, struct verbs_queue *q)
{
	struct mlx5dv_mkey_init_attr attr = {
		.pd = v->pd,
		.create_flags = MLX5DV_MKEY_INIT_ATTR_FLAGS_INDIRECT,
		.max_entries = (uint16_t)v->p->sges,
	};

	q->list = mlx5dv_create_mkey(&attr);
	return q->list ? 0 : -1;
}

static int verbs_make_qp(struct verbs_requester *v, uint32_t lane)
{
	const struct perf_params *p = v->p;
	struct verbs_queue *q = &v->queue[lane];
	struct ibv_cq *cq = v->cq[lane / p->qps];
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = verbs_type(p),
		.cap = {.max_send_wr = p->window,
			.max_recv_wr = !p->transport->pooled, /* otherwise it receives nothing */
			.max_send_sge = p->sges,
			.max_recv_sge = 1,
			.max_inline_data = verbs_inline_data(p)},
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.send_ops_flags = verbs_ops[p->op],
		.pd = v->pd,
		.send_cq = cq,
		.recv_cq = cq,
	};

	q->qp = verbs_new_qp(v, &attr);
	q->wr = calloc(p->batch, sizeof(*q->wr));
	if (!q->qp || !q->wr)
		return -1;
	q->qpx = ibv_qp_to_qp_ex(q->qp);
	q->dc = attr.qp_type == IBV_QPT_DRIVER;
	if (q->dc || p->op == PERF_UMR)
		q->dv = mlx5dv_qp_ex_from_ibv_qp_ex(q->qpx);
	return p->op == PERF_UMR ? verbs_list_make(v, q) : 0;
}

static int verbs_make(struct verbs_requester *v)
{
	const struct perf_params *p = v->p;

	v->queue = calloc(perf_lanes(p), sizeof(*v->queue));
	v->cq = calloc(p->threads, sizeof(struct ibv_cq *));
	/* libmlx5 reads this when the device is opened; there is no other way to choose. */
	if (!p->blueflame)
		setenv("MLX5_SHUT_UP_BF", "1", 1);
	v->ctx = verbs_open_device(site_name(p->site));
	if (!v->queue || !v->cq || !v->ctx || !(v->pd = ibv_alloc_pd(v->ctx)))
		return -1;
	v->mr = ibv_reg_mr(v->pd, p->memory, p->threads * perf_stride(p), IBV_ACCESS_LOCAL_WRITE);
	if (!v->mr)
		return -1;
	for (uint32_t i = 0; i < p->threads; i++)
		if (!(v->cq[i] = ibv_create_cq(v->ctx, (int)(p->window * p->qps), NULL, NULL, 0)))
			return -1;
	for (uint32_t i = 0; i < perf_lanes(p); i++)
		if (verbs_make_qp(v, i))
			return -1;
	return 0;
}

int verbs_open(const struct perf_params *p, void **requester, struct perf_ends *ends)
{
	struct verbs_requester *v = calloc(1, sizeof(*v));

	if (!v)
		return EXIT_INPUT;
	v->p = p;
	errno = 0;
	if (verbs_make(v)) {
		message_print("libibverbs can't make the baseline's queues: %s",
			      strerror(errno ? errno : EIO));
		verbs_close(v);
		return EXIT_DEVICE;
	}
	for (uint32_t i = 0; i < ends->n; i++)
		ends->qpn[i] = v->queue[i].qp->qp_num;
	*requester = v;
	return EXIT_DONE;
}

static int verbs_connect_one(struct verbs_requester *v, const struct perf_ends *responder,
			     uint32_t i)
{
	struct verbs_queue *q = &v->queue[i];
	struct ibv_ah_attr path = verbs_path(v->p->site, responder);
	int rc = verbs_connect_qp(v->p->site, q->qp, responder, i, 0);

	if (rc || !v->p->transport->addressed)
		return rc;
	q->remote_qpn = responder->qpn[i];
	q->ah = ibv_create_ah(v->pd, &path);
	return q->ah ? 0 : errno ? errno : EIO;
}

int verbs_connect(void *requester, const struct perf_ends *responder)
{
	struct verbs_requester *v = requester;

	for (uint32_t i = 0; i < responder->n; i++) {
		struct verbs_queue *q = &v->queue[i];
		int rc = verbs_connect_one(v, responder, i);

		if (rc) {
			message_print("libibverbs can't connect the baseline's queues: %s",
				      strerror(rc));
			return EXIT_DEVICE;
		}
		q->raddr = responder->addr + i / v->p->qps * (uint64_t)v->p->max_size;
		q->rkey = responder->key;
		q->keys = keys_of(responder, i);
		q->srqn = v->p->transport->id == PERF_XRC ? *q->keys.key : 0;
	}
	return EXIT_DONE;
}

static enum ibv_wr_opcode verbs_opcode(enum perf_op op)
{
	static const enum ibv_wr_opcode opcodes[PERF_OPS] = {
		[PERF_SEND] = IBV_WR_SEND,
		[PERF_SEND_IMM] = IBV_WR_SEND_WITH_IMM,
		[PERF_SEND_INVAL] = IBV_WR_SEND_WITH_INV,
		[PERF_WRITE] = IBV_WR_RDMA_WRITE,
		[PERF_WRITE_IMM] = IBV_WR_RDMA_WRITE_WITH_IMM,
		[PERF_READ] = IBV_WR_RDMA_READ,
		[PERF_FAA] = IBV_WR_ATOMIC_FETCH_AND_ADD,
		[PERF_CAS] = IBV_WR_ATOMIC_CMP_AND_SWP,
	};

	return opcodes[op];
}

static struct ibv_send_wr verbs_wr(const struct perf_params *p, struct verbs_queue *q)
{
	struct ibv_send_wr wr = {
		.sg_list = q->sge,
		.num_sge = q->sges,
		.opcode = verbs_opcode(p->op),
		.imm_data = VERBS_IMM,
	};

	if (q->ah) {
		wr.wr.ud.ah = q->ah;
		wr.wr.ud.remote_qpn = q->remote_qpn;
		wr.wr.ud.remote_qkey = SITE_Q_KEY;
	} else if (p->op == PERF_FAA) {
		wr.wr.atomic.remote_addr = q->raddr;
		wr.wr.atomic.compare_add = 1;
		wr.wr.atomic.rkey = q->rkey;
	} else if (p->op == PERF_CAS) {
		wr.wr.atomic.remote_addr = q->raddr;
		wr.wr.atomic.swap = 1;
		wr.wr.atomic.rkey = q->rkey;
	} else {
		wr.wr.rdma.remote_addr = q->raddr;
		wr.wr.rdma.rkey = q->rkey;
	}
	wr.qp_type.xrc.remote_srqn = q->srqn;
	return wr;
}

static void verbs_fill_batch(const struct perf_params *p, struct verbs_queue *q)
{
	for (uint32_t i = 0; i < p->batch; i++)
		q->wr[i] = verbs_wr(p, q);
}

void verbs_resize(void *requester)
{
	struct verbs_requester *v = requester;
	const struct perf_params *p = v->p;

	for (uint32_t i = 0; i < perf_lanes(p); i++) {
		struct verbs_queue *q = &v->queue[i];
		uint64_t at = (uintptr_t)p->memory + i / p->qps * perf_stride(p);

		q->sges = (int)p->sges;
		q->inline_bytes = perf_inlines(p) ? p->size : 0;
		for (uint32_t n = 0; n < p->sges; n++) {
			q->sge[n] = (struct ibv_sge){at, perf_piece(p, n), v->mr->lkey};
			at += perf_piece(p, n);
		}
		verbs_fill_batch(p, q);
	}
}

void verbs_close(void *requester)
{
	struct verbs_requester *v = requester;

	for (uint32_t i = 0; v->queue && i < perf_lanes(v->p); i++) {
		if (v->queue[i].qp)
			ibv_destroy_qp(v->queue[i].qp);
		if (v->queue[i].ah)
			ibv_destroy_ah(v->queue[i].ah);
		if (v->queue[i].list)
			mlx5dv_destroy_mkey(v->queue[i].list);
		free(v->queue[i].wr);
	}
	for (uint32_t i = 0; v->cq && i < v->p->threads; i++)
		if (v->cq[i])
			ibv_destroy_cq(v->cq[i]);
	if (v->mr)
		ibv_dereg_mr(v->mr);
	if (v->pd)
		ibv_dealloc_pd(v->pd);
	if (v->ctx)
		ibv_close_device(v->ctx);
	free(v->queue);
	free(v->cq);
	free(v);
}

void *verbs_queue_of(void *requester, uint32_t lane)
{
	return &((struct verbs_requester *)requester)->queue[lane];
}

void *verbs_set_of(void *requester, uint32_t thread)
{
	return ((struct verbs_requester *)requester)->cq[thread];
}

bool verbs_refused(int rc)
{
	message_print("libibverbs refuses a message: %s", strerror(rc));
	return false;
}

int verbs_failed(const struct ibv_wc *wc)
{
	message_print("a message failed: %s (vendor 0x%x)", ibv_wc_status_str(wc->status),
		      wc->vendor_err);
	return -1;
}
