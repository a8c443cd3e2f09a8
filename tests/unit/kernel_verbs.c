/* SPDX-License-Identifier: BSD-2-Clause */
/* PDs, MRs, CQs, UARs, AHs: handles, memory, lifetimes. */
#include "tests/test.h"
#include <errno.h>
#include <sys/mman.h>
#include "kernel_fixture.h"
#include "host/mm.h"
#include "obj/cq.h"
#include "obj/mkey.h"

#define TEST_FIXTURE {fx_setup, fx_teardown}

static int dealloc_pd(struct fx *f, uint32_t pd)
{
	return fx_destroy(f, UVERBS_OBJECT_PD, UVERBS_METHOD_PD_DESTROY, pd);
}

/* Destroyed twice, of another kind, of another file: each has its errno. */
TEST_F(handles)
{
	struct fx *f = *state;
	struct uverbs_file *mine = f->f, *other = kernel_open(f->k, f->mm, BLUEFIELD2_HOST);
	uint32_t pd = fx_pd(f), cq = fx_cq(f, NULL);

	assert_int_equal(dealloc_pd(f, cq), -EINVAL);
	assert_true(fx_logged(f, "it is a CQ"));
	assert_int_equal(fx_context(f, other, true), 0);
	f->f = other;
	assert_int_equal(dealloc_pd(f, pd), -ENOENT);
	f->f = mine;
	kernel_close(other);
	assert_int_equal(dealloc_pd(f, pd), 0);
	assert_int_equal(dealloc_pd(f, pd), -ENOENT);
	assert_true(fx_logged(f, "no such object"));
	assert_int_equal(dealloc_pd(f, 0xffffffff), -ENOENT);
}

/* A PD in use stays; its users go on working. */
TEST_F(pd_busy)
{
	struct fx *f = *state;
	uint32_t pd = fx_pd(f), mr;

	assert_int_equal(fx_reg_mr(f, pd, f->mem, 4096, IB_UVERBS_ACCESS_LOCAL_WRITE, &mr), 0);
	assert_int_equal(dealloc_pd(f, pd), -EBUSY);
	assert_true(fx_logged(f, "still refer"));
	assert_int_equal(fx_destroy(f, UVERBS_OBJECT_MR, UVERBS_METHOD_MR_DESTROY, mr), 0);
	assert_int_equal(dealloc_pd(f, pd), 0);
}

/* What the firmware got: one page that holds the region, its rights, its bounds. */
TEST_F(mr_mailbox)
{
	struct fx *f = *state;
	uint32_t pd = fx_pd(f), mr;
	const uint8_t *at = f->mem + 0x1234;
	const struct mkey *m;

	assert_int_equal(fx_reg_mr(f, pd, at, 0x5432,
				   IB_UVERBS_ACCESS_LOCAL_WRITE | IB_UVERBS_ACCESS_REMOTE_READ,
				   &mr),
			 0);
	m = obj_next(f->v, OBJ_MKEY, 0);
	while (m && m->len != 0x5432)
		m = obj_next(f->v, OBJ_MKEY, m->o.id + 1);
	assert_non_null(m);
	assert_int_equal(m->start, (uintptr_t)at);
	assert_int_equal(m->rights & (MKEY_LR | MKEY_LW | MKEY_RR | MKEY_RW),
			 MKEY_LR | MKEY_LW | MKEY_RR);
	assert_int_equal(m->pdn, fx_pdn(f, pd));
	assert_in_range(m->nentries, 1, 2);
	assert_int_equal(m->o.uid, 0);
}

/* Memory that isn't there, isn't writable, wraps; access flags that contradict each other. */
TEST_F(mr_refusals)
{
	struct fx *f = *state;
	uint8_t *ro = mmap(NULL, 8192, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const struct {
		const void *at;
		uint64_t len;
		uint32_t access;
		int err;
		const char *text;
	} bad[] = {
		{NULL, 4096, 0, -EFAULT, "not mapped"},
		{f->mem, 1ull << 40, 0, -EFAULT, "not mapped"},
		{ro, 4096, IB_UVERBS_ACCESS_LOCAL_WRITE, -EFAULT, "or not writable"},
		{f->mem, 0, 0, -EINVAL, "length 0"},
		{f->mem, UINT64_MAX - 100, 0, -EINVAL, "leaves the address space"},
		{f->mem, 4096, IB_UVERBS_ACCESS_REMOTE_WRITE, -EINVAL, "LOCAL_WRITE"},
		{f->mem, 4096, IB_UVERBS_ACCESS_ON_DEMAND, -EOPNOTSUPP, "on demand"},
		{f->mem, 4096, 1 << 12, -EINVAL, "unknown bits"},
	};
	const struct ib_uverbs_reg_mr shifted = {
		.start = (uintptr_t)f->mem, .length = 64, .hca_va = 1};
	struct ib_uverbs_reg_mr_resp out;
	uint32_t pd = fx_pd(f), before = fx_objects(f);

	for (unsigned int i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(fx_reg_mr(f, pd, bad[i].at, bad[i].len, bad[i].access, NULL),
				 bad[i].err);
		assert_true(fx_logged(f, bad[i].text));
	}
	assert_int_equal(fx_reg_mr(f, pd, ro, 4096, IB_UVERBS_ACCESS_RELAXED_ORDERING, NULL), 0);
	assert_int_equal(fx_reg_mr(f, pd + 77, f->mem, 4096, 0, NULL), -ENOENT);
	assert_int_equal(
		fx_write(f, IB_USER_VERBS_CMD_REG_MR, &shifted, sizeof(shifted), &out, sizeof(out)),
		-EINVAL);
	assert_true(fx_logged(f, "differ within a page"));
	assert_int_equal(fx_objects(f), before + 1);
	munmap(ro, 8192);
}

/* Each field of CREATE_CQ spoiled by itself; nothing is left behind. */
TEST_F(cq_refusals)
{
	struct fx *f = *state;
	const struct {
		unsigned int field;
		uint64_t value;
		int err;
		const char *text;
	} bad[] = {
		{0, 0, -EFAULT, "buf_addr"},	 {0, 32, -EINVAL, "buf_addr"},
		{1, 0, -EFAULT, "db_addr"},	 {1, 3, -EFAULT, "db_addr"},
		{2, 65, -EINVAL, "cqe_size 65"}, {3, 0, -EINVAL, "UAR_PAGE_INDEX"},
		{3, 0x80, -EINVAL, "flags"},	 {4, 0xfff0, -EINVAL, "uar_page"},
		{5, 0, -EINVAL, "cqe 0"},	 {5, 1u << 30, -EINVAL, "cqe 1073741824"},
		{6, 1, -EINVAL, "comp_vector"},	 {7, 1, -EOPNOTSUPP, "cqe_comp_en"},
	};

	for (unsigned int i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct mlx5_ib_create_cq u;
		uint32_t before;
		struct request r;

		fx_fill_cq(f, &r, &u, 127);
		before = fx_objects(f);
		switch (bad[i].field) {
		case 0:
			u.buf_addr = bad[i].value ? u.buf_addr + bad[i].value : 0;
			break;
		case 1:
			u.db_addr = bad[i].value ? u.db_addr + bad[i].value : 0;
			break;
		case 2:
			u.cqe_size = (uint32_t)bad[i].value;
			break;
		case 3:
			u.flags = (uint16_t)bad[i].value;
			break;
		case 4:
			u.uar_page_index = (uint16_t)bad[i].value;
			break;
		case 5:
			rq_attr(&r, UVERBS_ATTR_CREATE_CQ_CQE)->data = bad[i].value;
			break;
		case 6:
			rq_attr(&r, UVERBS_ATTR_CREATE_CQ_COMP_VECTOR)->data = bad[i].value;
			break;
		default:
			u.cqe_comp_en = 1;
			break;
		}
		rq_in(&r, UVERBS_ATTR_UHW_IN, &u, sizeof(u));
		assert_int_equal(rq_run(f, &r), bad[i].err);
		assert_true(fx_logged(f, bad[i].text));
		assert_int_equal(fx_objects(f), before);
		rq_done(&r);
	}
}

/* A CQ whose ring begins anywhere on 64 bytes still gets a page list that the firmware takes. */
TEST_F(cq_offset)
{
	struct fx *f = *state;
	struct mlx5_ib_create_cq u;
	struct request r;

	for (uint64_t off = 0; off < 0x2000; off += 0x440) {
		const struct cq *cq;
		uint8_t mark[4] = {1, 2, 3, (uint8_t)(off >> 6)}, seen[4];

		fx_fill_cq(f, &r, &u, 127);
		u.buf_addr += off;
		rq_in(&r, UVERBS_ATTR_UHW_IN, &u, sizeof(u));
		assert_int_equal(rq_run(f, &r), 0);
		cq = obj_find(f->v, OBJ_CQ, rq_u32(&r, UVERBS_ATTR_UHW_OUT));
		assert_non_null(cq);
		memcpy((void *)(uintptr_t)u.buf_addr, mark, 4);
		memcpy((void *)(uintptr_t)(u.buf_addr + 127 * 64), mark, 4);
		assert_int_equal(ring_read(f->dev->host, &cq->ring, 0, seen, 4), 0);
		assert_memory_equal(seen, mark, 4);
		assert_int_equal(ring_read(f->dev->host, &cq->ring, 127 * 64, seen, 4), 0);
		assert_memory_equal(seen, mark, 4);
		rq_done(&r);
	}
}

/* UARs: both types, none of a third; a UAR that a CQ rings by can't go. */
TEST_F(uars)
{
	struct fx *f = *state;
	uint32_t cq = fx_cq(f, NULL), uar;
	struct request r;

	rq_init(&r, MLX5_IB_OBJECT_UAR, MLX5_IB_METHOD_UAR_OBJ_ALLOC);
	rq_handle(&r, MLX5_IB_ATTR_UAR_OBJ_ALLOC_HANDLE, 0);
	rq_value(&r, MLX5_IB_ATTR_UAR_OBJ_ALLOC_TYPE, 2, 8);
	rq_out(&r, MLX5_IB_ATTR_UAR_OBJ_ALLOC_MMAP_OFFSET, 8);
	rq_out(&r, MLX5_IB_ATTR_UAR_OBJ_ALLOC_MMAP_LENGTH, 4);
	rq_out(&r, MLX5_IB_ATTR_UAR_OBJ_ALLOC_PAGE_ID, 4);
	assert_int_equal(rq_run(f, &r), -EOPNOTSUPP);
	assert_true(fx_logged(f, "type 2"));
	rq_done(&r);
	/* The fixture made the CQ's UAR just before the CQ: its handle is the one below. */
	uar = cq - 1;
	assert_int_equal(fx_destroy(f, MLX5_IB_OBJECT_UAR, MLX5_IB_METHOD_UAR_OBJ_DESTROY, uar),
			 -EBUSY);
	assert_int_equal(fx_destroy(f, UVERBS_OBJECT_CQ, UVERBS_METHOD_CQ_DESTROY, cq), 0);
	assert_int_equal(fx_destroy(f, MLX5_IB_OBJECT_UAR, MLX5_IB_METHOD_UAR_OBJ_DESTROY, uar), 0);
}

/* An address handle needs a GRH, a source GID and a destination that somebody answers to. */
TEST_F(ahs)
{
	struct fx *f = *state;
	struct ib_uverbs_create_ah in = {.pd_handle = fx_pd(f)};
	struct ib_uverbs_create_ah_resp out;

	in.attr.port_num = 1;
	assert_int_equal(
		fx_write(f, IB_USER_VERBS_CMD_CREATE_AH, &in, sizeof(in), &out, sizeof(out)),
		-EINVAL);
	assert_true(fx_logged(f, "is_global"));
	in.attr.is_global = 1;
	assert_int_equal(
		fx_write(f, IB_USER_VERBS_CMD_CREATE_AH, &in, sizeof(in), &out, sizeof(out)),
		-EHOSTUNREACH);
	memcpy(in.attr.grh.dgid, f->v->gids[1].gid, 16);
	assert_int_equal(
		fx_write(f, IB_USER_VERBS_CMD_CREATE_AH, &in, sizeof(in), &out, sizeof(out)), 0);
	assert_int_equal(dealloc_pd(f, in.pd_handle), -EBUSY);
	assert_int_equal(fx_destroy(f, UVERBS_OBJECT_AH, UVERBS_METHOD_AH_DESTROY, out.ah_handle),
			 0);
	in.attr.port_num = 2;
	assert_int_equal(
		fx_write(f, IB_USER_VERBS_CMD_CREATE_AH, &in, sizeof(in), &out, sizeof(out)),
		-EINVAL);
}

/* INFO_HANDLES lists what a file holds, as many as fit. */
TEST_F(info)
{
	struct fx *f = *state;
	uint32_t pds[3] = {fx_pd(f), fx_pd(f), fx_pd(f)};
	struct request r;

	for (size_t room = 4; room <= 16; room += 4) {
		rq_init(&r, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_INFO_HANDLES);
		rq_value(&r, UVERBS_ATTR_INFO_OBJECT_ID, UVERBS_OBJECT_PD, 8);
		rq_out(&r, UVERBS_ATTR_INFO_TOTAL_HANDLES, 4);
		rq_out(&r, UVERBS_ATTR_INFO_HANDLES_LIST, room);
		assert_int_equal(rq_run(f, &r), 0);
		assert_int_equal(rq_u32(&r, UVERBS_ATTR_INFO_TOTAL_HANDLES),
				 room < 12 ? room / 4 : 3);
		assert_memory_equal(rq_attr(&r, UVERBS_ATTR_INFO_HANDLES_LIST)->out, pds,
				    room < 12 ? room : 12);
		rq_done(&r);
	}
	rq_init(&r, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_INFO_HANDLES);
	rq_value(&r, UVERBS_ATTR_INFO_OBJECT_ID, 0x777, 8);
	rq_out(&r, UVERBS_ATTR_INFO_HANDLES_LIST, 4);
	assert_int_equal(rq_run(f, &r), -ENOENT);
	rq_done(&r);
}

/* A file that is closed in the middle of everything leaves nothing (the teardown counts). */
TEST_F(close_takes_all)
{
	struct fx *f = *state;
	uint32_t pd = fx_pd(f), cq = fx_cq(f, NULL);

	for (unsigned int i = 0; i < 100; i++)
		assert_int_equal(fx_reg_mr(f, pd, f->mem, 4096 * (i + 1), 0, NULL), 0);
	(void)fx_qp(f, pd, cq, NULL);
	kernel_close(f->f);
	f->f = NULL;
	assert_int_equal(fx_objects(f), f->objects);
}
