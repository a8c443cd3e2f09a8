/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The work that creation.sh counts of the device: of N queues of a program, each with a ring of its
 * own and a record beside the others', the oldest is destroyed, another takes its handle, and
 * another comes on top of all of them. creation cq|qp N
 */
#include <stdio.h>
#include <sys/mman.h>
#include "tests/kernel/kernel_fixture.h"

#define RING   8192u
#define RECORD 64u

struct creation {
	struct fx *fx;
	uint16_t object, destroy;
	/* One request for all, since a fixture's request makes a UAR. */
	struct request r;
	struct {
		__aligned_u64 buf_addr, db_addr; /* with these, mlx5's part of all of them begins */
		uint8_t rest[256];
	} part;
	uint8_t *rings, *records;
};

static __attribute__((noipa)) int queue_made(struct uverbs_file *f, struct uverbs_request *req)
{
	return kernel_ioctl(f, req);
}

static __attribute__((noipa)) int queue_ended(struct uverbs_file *f, struct uverbs_request *req)
{
	return kernel_ioctl(f, req);
}

/* Ends what creation.sh counts of one call. */
static __attribute__((noipa)) void call_counted(void)
{
}

/* Memory that the device asks to share stays private: all work is the kernel's and the firmware's.
 */
static uint32_t creation_run(struct creation *c, uint32_t i,
			     int (*run)(struct uverbs_file *, struct uverbs_request *))
{
	struct request r = c->r;

	r.req.attrs = r.attrs;
	c->part.buf_addr = (uintptr_t)c->rings + (uint64_t)i * RING;
	c->part.db_addr = (uintptr_t)c->records + (uint64_t)i * RECORD;
	assert_int_equal(run(c->fx->f, &r.req), 0);
	return rq_new(&r);
}

static void creation_end(struct creation *c, uint32_t handle)
{
	struct rq_args args = fx_destroy_args(c->object, handle);
	struct request r;

	rq_make(&r, c->object, c->destroy, args.a);
	assert_int_equal(queue_ended(c->fx->f, &r.req), 0);
	rq_done(&r);
}

static void creation_cq(struct creation *c)
{
	struct mlx5_ib_create_cq u;

	c->object = UVERBS_OBJECT_CQ;
	c->destroy = UVERBS_METHOD_CQ_DESTROY;
	fx_fill_cq(c->fx, &c->r, &u, 127);
	memcpy(&c->part, &u, sizeof(u));
	rq_in(&c->r, UVERBS_ATTR_UHW_IN, &c->part, sizeof(u))->in = (void *)&c->part;
}

static void creation_qp(struct creation *c)
{
	struct mlx5_ib_create_qp u;

	c->object = UVERBS_OBJECT_QP;
	c->destroy = UVERBS_METHOD_QP_DESTROY;
	fx_fill_qp(c->fx, &c->r, &u, fx_pd(c->fx), fx_cq(c->fx, NULL));
	memcpy(&c->part, &u, sizeof(u));
	rq_in(&c->r, UVERBS_ATTR_UHW_IN, &c->part, sizeof(u))->in = (void *)&c->part;
}

static uint8_t *memory(uint64_t len)
{
	uint8_t *p = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(p, MAP_FAILED);
	return p;
}

int main(int argc, char **argv)
{
	uint32_t n = argc == 3 ? (uint32_t)atoi(argv[2]) : 0;
	struct creation c = {.rings = memory((n + 1ull) * RING),
			     .records = memory((n + 1ull) * RECORD)};
	uint32_t oldest;
	void *fx;

	if (!n || fx_setup(&fx))
		return 2;
	c.fx = fx;
	if (strcmp(argv[1], "cq"))
		creation_qp(&c);
	else
		creation_cq(&c);
	oldest = creation_run(&c, 0, kernel_ioctl);
	for (uint32_t i = 1; i < n; i++)
		creation_run(&c, i, kernel_ioctl);
	creation_end(&c, oldest);
	call_counted();
	creation_run(&c, 0, queue_made);
	creation_run(&c, n, queue_made);
	call_counted();
	rq_done(&c.r);
	return fx_teardown(&fx);
}
