/* SPDX-License-Identifier: BSD-2-Clause */
/* The device, a queue connected to itself, and its allocator for scenes of share.c. */
#include "share_rig.h"
#include "tests/verbs/verbs_qp.h"

static void *arena_alloc(struct ibv_pd *pd, void *ctx, size_t size, size_t align, uint64_t type)
{
	struct arena *a = ctx;
	void *p = a->at + (a->used + align - 1) / align * align;

	(void)pd;
	if (type == MLX5DV_RES_TYPE_DBR)
		return a->at;
	a->used = (size_t)((char *)p - a->at) + size;
	return p;
}

static void arena_free(struct ibv_pd *pd, void *ctx, void *p, uint64_t type)
{
	struct arena *a = ctx;

	(void)pd;
	(void)p;
	if (type != MLX5DV_RES_TYPE_DBR)
		a->used = PAGE;
}

void rig_open(struct rig *r, struct arena *a)
{
	struct ibv_parent_domain_init_attr attr = {
		.comp_mask = IBV_PARENT_DOMAIN_INIT_ATTR_ALLOCATORS |
			     IBV_PARENT_DOMAIN_INIT_ATTR_PD_CONTEXT,
		.alloc = arena_alloc,
		.free = arena_free,
		.pd_context = a,
	};

	*r = (struct rig){.ctx = verbs_open()};
	CHECK(r->ctx);
	r->pd = ibv_alloc_pd(r->ctx);
	CHECK(r->pd);
	attr.pd = r->pd;
	r->domain = a ? ibv_alloc_parent_domain(r->ctx, &attr) : NULL;
	CHECK(r->domain || !a);
	r->cq = ibv_create_cq(r->ctx, 64, NULL, NULL, 0);
	CHECK(r->cq);
}

struct ibv_qp *rig_qp(const struct rig *r)
{
	struct ibv_qp_init_attr init = {
		.qp_type = IBV_QPT_RC,
		.send_cq = r->cq,
		.recv_cq = r->cq,
		.cap = {.max_send_wr = 16, .max_recv_wr = 16, .max_send_sge = 1, .max_recv_sge = 1},
	};
	struct ibv_qp *qp = ibv_create_qp(r->domain ? r->domain : r->pd, &init);

	CHECK(qp);
	return qp;
}

void rig_connect(struct rig *r)
{
	r->qp = rig_qp(r);
	CHECK(!verbs_qp_connect_self(r->qp, 1));
}

struct ibv_mr *rig_reg(const struct rig *r, void *at, size_t len)
{
	struct ibv_mr *mr = ibv_reg_mr(r->pd, at, len,
				       IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
					       IBV_ACCESS_REMOTE_READ);

	CHECK(mr);
	return mr;
}

void rig_post(struct rig *r, enum ibv_wr_opcode op, void *at, uint32_t lkey, size_t len,
	      void *remote, uint32_t rkey, bool signaled)
{
	struct ibv_sge sge = {(uintptr_t)at, (uint32_t)len, lkey};
	struct ibv_send_wr *bad, wr = {.sg_list = &sge,
				       .num_sge = 1,
				       .opcode = op,
				       .send_flags = signaled ? IBV_SEND_SIGNALED : 0};

	wr.wr.rdma.remote_addr = (uintptr_t)remote;
	wr.wr.rdma.rkey = rkey;
	CHECK(!ibv_post_send(r->qp, &wr, &bad));
}

void rig_done(struct rig *r)
{
	struct ibv_wc wc;
	int n;

	while (!(n = ibv_poll_cq(r->cq, 1, &wc)))
		;
	CHECK(n == 1 && wc.status == IBV_WC_SUCCESS);
}

void rig_write(struct rig *r, void *from, uint32_t lkey, void *to, uint32_t rkey, size_t len)
{
	rig_post(r, IBV_WR_RDMA_WRITE, from, lkey, len, to, rkey, true);
	rig_done(r);
}

void rig_close(struct rig *r)
{
	if (r->qp)
		CHECK(!ibv_destroy_qp(r->qp));
	CHECK(!ibv_destroy_cq(r->cq));
	if (r->domain)
		CHECK(!ibv_dealloc_pd(r->domain));
	CHECK(!ibv_dealloc_pd(r->pd));
	CHECK(!ibv_close_device(r->ctx));
	CHECK(!mem_shared(NULL, 0));
}
