/* SPDX-License-Identifier: BSD-2-Clause */
/* libmlx5's posts and polls, of the same requests as in cycles.c. */
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <infiniband/mlx5dv.h>
#include <infiniband/verbs.h>
#include <dvx/dvx.h>
#include <dvx/prm/cmd.h>
#include <dvx/prm/qp.h>
#include "cycles.h"
#include "../verbs/verbs_qp.h"

static struct ibv_qp *verbs_qp;
static struct ibv_qp_ex *verbs_qpx;
static struct ibv_cq *verbs_cq;
static struct mlx5dv_cq verbs_ring;
static uint32_t verbs_uidx, posted, completed;

static bool verbs_start(struct dvx_dev **dev)
{
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = IBV_QPT_RC,
		.cap = {.max_send_wr = 2 * BLOCKS,
			.max_recv_wr = 1,
			.max_send_sge = 1,
			.max_recv_sge = 1,
			.max_inline_data = 8},
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.send_ops_flags = IBV_QP_EX_WITH_RDMA_WRITE,
	};
	struct ibv_context *ctx;

	if (dvx_dev_open(NULL, dev))
		return false;
	ctx = dvx_dev_ibv(*dev);
	verbs_cq = ibv_create_cq(ctx, 2 * BLOCKS, NULL, NULL, 0);
	attr.pd = ibv_alloc_pd(ctx);
	attr.send_cq = attr.recv_cq = verbs_cq;
	verbs_qp = verbs_cq && attr.pd ? ibv_create_qp_ex(ctx, &attr) : NULL;
	verbs_qpx = verbs_qp ? ibv_qp_to_qp_ex(verbs_qp) : NULL;
	return verbs_qpx;
}

/* To itself: libmlx5's ibv_wr_* refuse a QP that is not in RTS. */
static bool verbs_connect(struct dvx_dev *dev)
{
	struct dvx_gid_choice own;

	return !dvx_gid_choose(dev, 1, NULL, &own) &&
	       !verbs_qp_connect_self(verbs_qp, (uint8_t)own.gid.index);
}

/* By which libmlx5 finds the queue of a CQE. */
static bool verbs_find_uidx(void)
{
	uint8_t in[PRM_QUERY_QP_IN_BYTES] = {0}, out[PRM_QUERY_QP_OUT_BYTES] = {0};

	prm_query_qp_in_set_opcode(in, PRM_OPCODE_QUERY_QP);
	prm_query_qp_in_set_qpn(in, verbs_qp->qp_num);
	if (mlx5dv_devx_qp_query(verbs_qp, in, sizeof(in), out, sizeof(out)))
		return false;
	verbs_uidx = prm_qpc_get_user_index(prm_query_qp_out_cat_qpc(out));
	return true;
}

/* Plain memory in place of the UAR page. The system call itself: no library looks on. */
static bool verbs_unplug(void *reg)
{
	uintptr_t page = (uintptr_t)reg & ~(uintptr_t)4095;

	return syscall(SYS_mmap, page, 4096, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == (long)page;
}

bool verbs_setup(void)
{
	struct mlx5dv_qp dv = {0};
	struct mlx5dv_obj obj = {.qp = {NULL, &dv}, .cq = {NULL, &verbs_ring}};
	struct dvx_dev *dev;

	if (!verbs_start(&dev))
		return false;
	obj.qp.in = verbs_qp;
	obj.cq.in = verbs_cq;
	return verbs_connect(dev) && !mlx5dv_init_obj(&obj, MLX5DV_OBJ_QP | MLX5DV_OBJ_CQ) &&
	       verbs_find_uidx() && verbs_unplug(dv.bf.reg);
}

static void verbs_complete(void)
{
	for (; completed != posted; completed++) {
		uint8_t *cqe = (uint8_t *)verbs_ring.buf +
			       (size_t)(completed & (verbs_ring.cqe_cnt - 1)) * DVX_CQE_BYTES;

		prm_cqe64_set_user_index(cqe, verbs_uidx);
		prm_cqe64_set_qpn(cqe, verbs_qp->qp_num);
		prm_cqe64_set_s_wqe_opcode(cqe, PRM_WQE_OPCODE_RDMA_WRITE);
		prm_cqe64_set_wqe_counter(cqe, completed & 0xffff);
		cqe[DVX_CQE_BYTES - 1] =
			(uint8_t)(PRM_CQE_OPCODE_REQ << 4 | !!(completed & verbs_ring.cqe_cnt));
	}
}

void verbs_empty(void)
{
	struct request r = {0};

	verbs_complete();
	verbs_poll(&r);
}

void verbs_full(void)
{
	struct request r = {.raddr = 0x1000};

	verbs_empty();
	verbs_wr(&r);
	verbs_complete();
}

NOINLINE void verbs_post_send(const struct request *r)
{
	for (uint32_t i = 0; i < BLOCKS; i++) {
		struct ibv_sge sge = {(uintptr_t)&r->value, 8, 0};
		struct ibv_send_wr *bad, wr = {.wr_id = i,
					       .sg_list = &sge,
					       .num_sge = 1,
					       .opcode = IBV_WR_RDMA_WRITE,
					       .send_flags = IBV_SEND_SIGNALED | IBV_SEND_INLINE,
					       .wr.rdma = {r->raddr, r->rkey}};

		if (ibv_post_send(verbs_qp, &wr, &bad))
			abort();
	}
	posted += BLOCKS;
}

static inline void verbs_wr_one(const struct request *r, uint32_t i)
{
	verbs_qpx->wr_id = i;
	verbs_qpx->wr_flags = IBV_SEND_SIGNALED;
	ibv_wr_rdma_write(verbs_qpx, r->rkey, r->raddr);
	ibv_wr_set_inline_data(verbs_qpx, (void *)(uintptr_t)&r->value, 8);
}

NOINLINE void verbs_wr(const struct request *r)
{
	for (uint32_t i = 0; i < BLOCKS; i++) {
		ibv_wr_start(verbs_qpx);
		verbs_wr_one(r, i);
		if (ibv_wr_complete(verbs_qpx))
			abort();
	}
	posted += BLOCKS;
}

NOINLINE void verbs_wr_batch(const struct request *r)
{
	ibv_wr_start(verbs_qpx);
	for (uint32_t i = 0; i < BLOCKS; i++)
		verbs_wr_one(r, i);
	if (ibv_wr_complete(verbs_qpx))
		abort();
	posted += BLOCKS;
}

NOINLINE void verbs_poll(const struct request *r)
{
	struct ibv_wc wc;
	uint64_t sum = r->value;
	int n;

	while ((n = ibv_poll_cq(verbs_cq, 1, &wc)) > 0) {
		if (wc.status)
			abort();
		sum ^= wc.wr_id;
	}
	__asm__ volatile("" : : "r"(sum));
	if (n < 0)
		abort();
}
