/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves the refusals of RESIZE_CQ and EX_MODIFY_CQ, and the memory that a CQ holds. */
#include "tests/test.h"
#include <errno.h>
#include "kernel_fixture.h"
#include "obj/cq.h"

#define RESIZED (256u * 1024)

struct resize {
	struct ib_uverbs_resize_cq in;
	struct mlx5_ib_resize_cq u;
};

static int resize_cq(struct fx *f, const struct resize *c)
{
	struct ib_uverbs_resize_cq_resp resp = {0};
	struct request r;
	int err;

	rq_make(&r, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_INVOKE_WRITE,
		RQ_ARGS(A_VALUE(UVERBS_ATTR_WRITE_CMD, IB_USER_VERBS_CMD_RESIZE_CQ, 8),
			A_IN(UVERBS_ATTR_CORE_IN, &c->in, sizeof(c->in)),
			A_OUT(UVERBS_ATTR_CORE_OUT, &resp, sizeof(resp))));
	err = rq_run_with(f, &r, &c->u, sizeof(c->u));
	assert_int_equal(err ? 0 : rq_u32(&r, UVERBS_ATTR_CORE_OUT), err ? 0 : 255);
	rq_done(&r);
	return err;
}

TEST(fx, resize)
{
	const struct resize good = {{.cq_handle = fx_cq(f, NULL), .cqe = 200},
				    {.buf_addr = (uintptr_t)f->mem + RESIZED, .cqe_size = 64}};
	struct resize c = good;

	c.in.cq_handle = 99;
	assert_int_equal(resize_cq(f, &c), -ENOENT);
	c = good;
	c.in.cqe = 0;
	FX_REFUSES(f, resize_cq(f, &c), -EINVAL, "cqe 0 is not within");
	c.in.cqe = 1u << 22;
	FX_REFUSES(f, resize_cq(f, &c), -EINVAL, "cqe 4194304 is not within");
	c = good;
	c.u.cqe_size = 128;
	FX_REFUSES(f, resize_cq(f, &c), -EINVAL, "cqe_size 128");
	c = good;
	c.u.reserved1 = 1;
	FX_REFUSES(f, resize_cq(f, &c), -EINVAL, "reserved");
	c = good;
	c.u.buf_addr = 4096;
	FX_REFUSES(f, resize_cq(f, &c), -EFAULT, "buf_addr");
	assert_int_equal(resize_cq(f, &good), 0);
	assert_int_equal(resize_cq(f, &good), 0); /* unchanged */
}

static int modify_cq(struct fx *f, struct ib_uverbs_ex_modify_cq c)
{
	uint8_t none[1];

	return fx_write(f, IB_USER_VERBS_EX_CMD_MODIFY_CQ | IB_USER_VERBS_CMD_FLAG_EXTENDED, &c,
			sizeof(c), none, 0);
}

TEST(fx, modify)
{
	uint32_t cqn;
	struct ib_uverbs_ex_modify_cq c = {
		.cq_handle = fx_cq(f, &cqn), .attr_mask = 1, .attr = {10, 4095}};
	struct ib_uverbs_ex_modify_cq bad = c;
	const struct cq *cq = obj_find(f->v, OBJ_CQ, cqn);

	assert_int_equal(modify_cq(f, c), 0);
	assert_int_equal(cq->max_count, 10);
	assert_int_equal(cq->period, 4095);
	bad.attr_mask = 2;
	FX_REFUSES(f, modify_cq(f, bad), -EOPNOTSUPP, "attr_mask 0x2");
	bad = c;
	bad.attr.cq_period = 4096;
	FX_REFUSES(f, modify_cq(f, bad), -EINVAL, "cq_period 4096");
	bad = c;
	bad.reserved = 1;
	FX_REFUSES(f, modify_cq(f, bad), -EINVAL, "reserved");
}
