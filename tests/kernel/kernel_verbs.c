/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves PDs, MRs, CQs, UARs and AHs: handles, memory, lifetimes. */
#include <fcntl.h>
#include <linux/capability.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "kernel_fixture.h"
#include "host/client.h"
#include "obj/cq.h"
#include "obj/mkey.h"

static int dealloc_pd(struct fx *f, uint32_t pd)
{
	return FX_DESTROY(f, PD, pd);
}

/* Proves the errno of handles that were destroyed, or belong to another class or file. */
TEST(fx, handles)
{
	struct uverbs_file *mine = f->f, *other = kernel_open(f->k, f->mm, BLUEFIELD2_HOST);
	uint32_t pd = fx_pd(f), cq = fx_cq(f, NULL);

	FX_REFUSES(f, dealloc_pd(f, cq), -EINVAL, "it is a CQ");
	assert_int_equal(fx_context(f, other, true), 0);
	f->f = other;
	assert_int_equal(dealloc_pd(f, pd), -ENOENT);
	f->f = mine;
	kernel_close(other);
	assert_int_equal(dealloc_pd(f, pd), 0);
	FX_REFUSES(f, dealloc_pd(f, pd), -ENOENT, "no such object");
	assert_int_equal(dealloc_pd(f, 0xffffffff), -ENOENT);
	FX_REFUSES(f,
		   FX_CALL(f, UVERBS_OBJECT_PD, UVERBS_METHOD_PD_DESTROY,
			   A_HANDLE(UVERBS_ATTR_DESTROY_PD_HANDLE, 1ull << 63)),
		   -EINVAL, "not negative");
}

/* Proves that objects get the lowest free handle, as of xa_alloc(), in any order of destruction. */
TEST(fx, lowest_handle)
{
	bool in_use[100] = {false};
	uint32_t random = 1, lowest;

	for (unsigned int i = 0; i < 3000; i++) {
		uint32_t pd = (random = random * 1664525 + 1013904223) >> 16;

		pd %= sizeof(in_use);
		if (in_use[pd]) {
			assert_int_equal(dealloc_pd(f, pd), 0);
			in_use[pd] = false;
			continue;
		}
		for (lowest = 0; in_use[lowest]; lowest++)
			;
		assert_int_equal(fx_pd(f), lowest);
		in_use[lowest] = true;
	}
}

/* Proves that a method destroys objects of its class only. */
TEST(fx, destroys_its_kind)
{
	static const struct {
		uint16_t object, method;
	} rows[] = {
		{UVERBS_OBJECT_PD, UVERBS_METHOD_PD_DESTROY},
		{UVERBS_OBJECT_AH, UVERBS_METHOD_AH_DESTROY},
		{UVERBS_OBJECT_MR, UVERBS_METHOD_MR_DESTROY},
		{UVERBS_OBJECT_MW, UVERBS_METHOD_MW_DESTROY},
		{UVERBS_OBJECT_DM, UVERBS_METHOD_DM_FREE},
		{UVERBS_OBJECT_RWQ_IND_TBL, UVERBS_METHOD_RWQ_IND_TBL_DESTROY},
		{UVERBS_OBJECT_FLOW, UVERBS_METHOD_FLOW_DESTROY},
		{UVERBS_OBJECT_FLOW_ACTION, UVERBS_METHOD_FLOW_ACTION_DESTROY},
		{UVERBS_OBJECT_COUNTERS, UVERBS_METHOD_COUNTERS_DESTROY},
		{MLX5_IB_OBJECT_FLOW_MATCHER, MLX5_IB_METHOD_FLOW_MATCHER_DESTROY},
		{MLX5_IB_OBJECT_STEERING_ANCHOR, MLX5_IB_METHOD_STEERING_ANCHOR_DESTROY},
		{MLX5_IB_OBJECT_DEVX_OBJ, MLX5_IB_METHOD_DEVX_OBJ_DESTROY},
		{MLX5_IB_OBJECT_DEVX_UMEM, MLX5_IB_METHOD_DEVX_UMEM_DEREG},
		{MLX5_IB_OBJECT_UAR, MLX5_IB_METHOD_UAR_OBJ_DESTROY},
	};
	const uint32_t cq = fx_cq(f, NULL);

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		FX_REFUSES(f, fx_destroy(f, rows[i].object, rows[i].method, cq), -EINVAL,
			   "it is a CQ");
}

/* Proves that a PD in use cannot be destroyed, and that its users still work. */
TEST(fx, pd_busy)
{
	uint32_t pd = fx_pd(f), mr;

	assert_int_equal(fx_reg_mr(f, pd, f->mem, 4096, IB_UVERBS_ACCESS_LOCAL_WRITE, &mr), 0);
	FX_REFUSES(f, dealloc_pd(f, pd), -EBUSY, "still refer");
	assert_int_equal(FX_DESTROY(f, MR, mr), 0);
	assert_int_equal(dealloc_pd(f, pd), 0);
}

/* Proves that REREG_MR changes nothing if the old mkey cannot be destroyed. */
TEST(fx, rereg_that_fails)
{
	struct ib_uverbs_rereg_mr in = {
		.flags = 1, .start = (uintptr_t)f->mem, .length = 8192, .hca_va = 0x1000000};
	struct ib_uverbs_rereg_mr_resp out;
	uint32_t pd = fx_pd(f), count;
	struct obj *mkey;

	assert_int_equal(fx_reg_mr(f, pd, f->mem, 4096, 0, &in.mr_handle), 0);
	for (uint32_t at = 0; (mkey = obj_next(f->v, OBJ_MKEY, at)); at = mkey->id + 1)
		if (!obj_next(f->v, OBJ_MKEY, mkey->id + 1))
			break;
	count = fx_objects(f);
	obj_get(mkey);
	assert_int_not_equal(FX_WRITE(f, IB_USER_VERBS_CMD_REREG_MR, in, out), 0);
	assert_int_equal(fx_objects(f), count);
	obj_put(mkey);
	assert_int_equal(FX_DESTROY(f, MR, in.mr_handle), 0);
	assert_int_equal(fx_objects(f), count - 1);
	assert_null(obj_find(f->v, OBJ_MKEY, 0));
}

/* Proves the mkey of a region: one page that covers it, access rights, bounds. */
TEST(fx, mr_mailbox)
{
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

/* Attaches a guest; returns a descriptor that is closed when the guest's memory is released. */
static int guest_enter(struct fx *f)
{
	int guard = (int)syscall(SYS_pidfd_open, getpid(), 0);
	struct mm *mm = mm_open(chip_host(f->chip), getpid(), guard);

	f->guest = kernel_attach(f->f, mm);
	assert_non_null(f->guest);
	return guard;
}

static bool guest_leave(struct fx *f, int guard)
{
	kernel_detach(f->guest);
	f->guest = NULL;
	return fcntl(guard, F_GETFD) < 0;
}

/* Proves that a guest's memory stays reachable while regions hold it, or may on demand. */
TEST(fx, guests_memory)
{
	const uint32_t on_demand = IB_UVERBS_ACCESS_ON_DEMAND, pd = fx_pd(f);
	int guard = guest_enter(f);
	uint32_t mr;

	assert_true(guest_leave(f, guard));

	guard = guest_enter(f);
	assert_int_equal(fx_reg_mr(f, pd, f->mem, 4096, 0, &mr), 0);
	assert_false(guest_leave(f, guard));
	assert_int_equal(FX_DESTROY(f, MR, mr), 0);
	assert_int_equal(fcntl(guard, F_GETFD), -1);

	guard = guest_enter(f); /* a refused region holds nothing */
	assert_int_equal(fx_reg_mr(f, pd, f->mem, 0, on_demand, NULL), -EINVAL);
	assert_true(guest_leave(f, guard));

	guard = guest_enter(f);
	assert_int_equal(fx_reg_mr(f, pd, f->mem, 4096, on_demand, &mr), 0);
	assert_false(guest_leave(f, guard));
}

/*
 * Proves whether REREG_MR of PD or access changes the key: mlx5_ib changes by UMR what UMRs can
 * change, and makes another mkey for the rest.
 */
TEST(fx, rereg_keys)
{
	enum { PD = 1 << 1, ACCESS = 1 << 2 };
	const uint32_t lw = IB_UVERBS_ACCESS_LOCAL_WRITE, od = IB_UVERBS_ACCESS_ON_DEMAND;
	const struct {
		bool implicit;
		uint32_t before, flags, access;
		int err;
		bool other;
	} rows[] = {
		{false, lw, PD, 0, 0, false},
		{false, lw, ACCESS, lw | IB_UVERBS_ACCESS_REMOTE_ATOMIC, 0, false},
		{false, lw, ACCESS, 0, 0, false},
		{false, lw, ACCESS, lw | IB_UVERBS_ACCESS_MW_BIND, 0, true},
		{false, lw, ACCESS | PD, IB_UVERBS_ACCESS_ZERO_BASED, 0, true},
		{false, lw, ACCESS, lw | IB_UVERBS_ACCESS_RELAXED_ORDERING, 0, true},
		{false, lw, ACCESS, lw | od, -EOPNOTSUPP, false},
		{false, lw | od, ACCESS, od | IB_UVERBS_ACCESS_REMOTE_READ, 0, false},
		{false, lw | od, ACCESS, lw | od | IB_UVERBS_ACCESS_MW_BIND, -EOPNOTSUPP, false},
		{true, lw | od, PD, 0, 0, true},
		{true, lw | od, ACCESS, od, 0, true},
		{true, lw | od, ACCESS, lw, -EOPNOTSUPP, false},
	};
	uint32_t pd = fx_pd(f), pd2 = fx_pd(f);

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint8_t *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
				   -1, 0);
		struct ib_uverbs_reg_mr reg = {.start = rows[i].implicit ? 0 : (uintptr_t)at,
					       .length = rows[i].implicit ? UINT64_MAX : 4096,
					       .pd_handle = pd,
					       .access_flags = rows[i].before};
		struct ib_uverbs_rereg_mr in = {
			.flags = rows[i].flags, .pd_handle = pd2, .access_flags = rows[i].access};
		struct ib_uverbs_rereg_mr_resp out = {0};
		struct ib_uverbs_reg_mr_resp mr;
		uint32_t objects;

		reg.hca_va = reg.start;
		assert_int_equal(FX_WRITE(f, IB_USER_VERBS_CMD_REG_MR, reg, mr), 0);
		objects = fx_objects(f);
		in.mr_handle = mr.mr_handle;
		munmap(at, 4096); /* the pages are pinned already, and are not pinned again */
		assert_int_equal(FX_WRITE(f, IB_USER_VERBS_CMD_REREG_MR, in, out), rows[i].err);
		if (!rows[i].err && (out.lkey != mr.lkey) != rows[i].other)
			fail_msg("row %zu: key 0x%x, then 0x%x", i, mr.lkey, out.lkey);
		assert_int_equal(fx_objects(f), objects);
		assert_int_equal(FX_DESTROY(f, MR, mr.mr_handle), 0);
	}
	assert_int_equal(FX_DESTROY(f, PD, pd), 0);
	assert_int_equal(FX_DESTROY(f, PD, pd2), 0);
}

static bus_t first_page(struct fx *f)
{
	return ((const struct mkey *)obj_next(f->v, OBJ_MKEY, 0))->entries[0];
}

/* Proves that a region keeps the memory that it was made of, whoever gives it another key. */
TEST(fx, rereg_by_another)
{
	const uint32_t lw = IB_UVERBS_ACCESS_LOCAL_WRITE, pd = fx_pd(f);
	struct ib_uverbs_rereg_mr in = {
		.flags = 1 << 2, .pd_handle = pd, .access_flags = lw | IB_UVERBS_ACCESS_MW_BIND};
	struct ib_uverbs_rereg_mr_resp out;
	struct uverbs_file *guest;
	int guard = guest_enter(f);
	bus_t page;

	assert_int_equal(fx_reg_mr(f, pd, f->mem, 4096, lw, &in.mr_handle), 0);
	page = first_page(f);
	guest = f->guest;
	f->guest = NULL;
	assert_int_equal(FX_WRITE(f, IB_USER_VERBS_CMD_REREG_MR, in, out), 0);
	assert_int_equal(first_page(f), page);
	f->guest = guest;
	assert_int_equal(FX_DESTROY(f, MR, in.mr_handle), 0);
	assert_true(guest_leave(f, guard));
}

/*
 * Proves the refusal of unmapped, read-only and wrapping memory, and of contradicting access flags.
 */
TEST(fx, mr_refusals)
{
	uint8_t *ro = mmap(NULL, 8192, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint8_t *half = mmap(NULL, 8192, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const struct {
		const void *at;
		uint64_t len;
		uint32_t access;
		int err;
		const char *text;
	} bad[] = {
		{NULL, 4096, 0, -EFAULT, "not mapped"},
		{half, 8192, 0, -EFAULT, "not mapped"},
		{ro, 4096, IB_UVERBS_ACCESS_LOCAL_WRITE, -EFAULT, "is not writable"},
		{f->mem, 0, 0, -EINVAL, "length 0"},
		{f->mem + 1, 0, 0, -EINVAL, "length 0"},
		{f->mem, 1ull << 41, IB_UVERBS_ACCESS_ON_DEMAND, -ENOMEM, "implicit region"},
		{f->mem, UINT64_MAX - 100, IB_UVERBS_ACCESS_ON_DEMAND, -EOVERFLOW, "leaves the"},
		{(void *)0xfffffffff000, 1 << 30, IB_UVERBS_ACCESS_ON_DEMAND, -EOVERFLOW,
		 "leaves the"},
		{(void *)0x1000000400000, 4096, IB_UVERBS_ACCESS_ON_DEMAND, -EOVERFLOW,
		 "leaves the"},
		{NULL, UINT64_MAX, IB_UVERBS_ACCESS_ON_DEMAND | IB_UVERBS_ACCESS_HUGETLB, -EINVAL,
		 "HUGETLB"},
		{f->mem, UINT64_MAX - 100, 0, -EINVAL, "leaves the address space"},
		{f->mem, 4096, IB_UVERBS_ACCESS_REMOTE_WRITE, -EINVAL, "LOCAL_WRITE"},
		{f->mem, 4096, 1 << 12, -EINVAL, "unknown bits"},
	};
	const struct ib_uverbs_reg_mr shifted = {
		.start = (uintptr_t)f->mem, .length = 64, .hca_va = 1};
	struct ib_uverbs_reg_mr_resp out;
	uint32_t pd = fx_pd(f), before = fx_objects(f);

	munmap(half + 4096, 4096);
	for (unsigned int i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(fx_reg_mr(f, pd, bad[i].at, bad[i].len, bad[i].access, NULL),
				 bad[i].err);
		assert_true(test_logged(f->log, bad[i].text));
	}
	assert_int_equal(fx_reg_mr(f, pd, ro, 4096, IB_UVERBS_ACCESS_RELAXED_ORDERING, NULL), 0);
	assert_int_equal(fx_reg_mr(f, pd + 77, f->mem, 4096, 0, NULL), -ENOENT);
	FX_REFUSES(f, FX_WRITE(f, IB_USER_VERBS_CMD_REG_MR, shifted, out), -EINVAL,
		   "differ within a page");
	assert_int_equal(fx_objects(f), before + 1);
	munmap(ro, 8192);
	munmap(half, 4096);
}

/* Sets the process's soft limit, and raises or drops CAP_IPC_LOCK, which lifts it. */
static void memlock_set(rlim_t pages, bool lifted)
{
	struct __user_cap_header_struct h = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct d[2];
	struct rlimit l;

	assert_int_equal(getrlimit(RLIMIT_MEMLOCK, &l), 0);
	l.rlim_cur = pages == RLIM_INFINITY ? l.rlim_max : pages * 4096;
	assert_int_equal(setrlimit(RLIMIT_MEMLOCK, &l), 0);
	assert_int_equal(syscall(SYS_capget, &h, d), 0);
	d[0].effective &= ~(1u << CAP_IPC_LOCK);
	d[0].effective |= lifted ? d[0].permitted & 1u << CAP_IPC_LOCK : 0;
	assert_int_equal(syscall(SYS_capset, &h, d), 0);
}

/* Returns whether the process has CAP_IPC_LOCK of the machine, not of a user namespace. */
static bool may_lock(void)
{
	struct __user_cap_header_struct h = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct d[2];
	unsigned int first, upper, n = 0;
	FILE *map = fopen("/proc/self/uid_map", "r");

	assert_non_null(map);
	assert_int_equal(fscanf(map, "%u %u %u", &first, &upper, &n), 3);
	fclose(map);
	assert_int_equal(syscall(SYS_capget, &h, d), 0);
	return d[0].effective >> CAP_IPC_LOCK & 1 && n == UINT32_MAX;
}

static int reg_pages(struct fx *f, uint32_t pd, uint32_t pages, uint32_t *mr)
{
	return fx_reg_mr(f, pd, f->mem, pages * 4096ull, IB_UVERBS_ACCESS_LOCAL_WRITE, mr);
}

static int memlock_end(void **state)
{
	memlock_set(RLIM_INFINITY, true);
	return fx_teardown(state);
}
#define FIXTURE_memlock(name) FIXTURE(name, struct fx *f, fx_setup, memlock_end)

/*
 * Proves that a process without CAP_IPC_LOCK pins no more than RLIMIT_MEMLOCK. Regions, rings and,
 * once, the page of doorbell records count, of all files that it opened.
 */
TEST(memlock, memlock_limit)
{
	struct uverbs_file *mine = f->f, *other = kernel_open(f->k, f->mm, BLUEFIELD2_HOST);
	uint32_t pd = fx_pd(f), more, cq[2], mr;

	f->dev->profile = &profile_bluefield2;
	memlock_set(16, false);
	assert_int_equal(reg_pages(f, pd, 11, &mr), 0);
	cq[0] = fx_cq(f, NULL); /* 128 entries: 2 pages, and the page of records */
	cq[1] = fx_cq(f, NULL);
	FX_REFUSES(f, reg_pages(f, pd, 1, NULL), -ENOMEM,
		   "RLIMIT_MEMLOCK is 64 KiB: the process has 64 KiB pinned");
	assert_int_equal(FX_DESTROY(f, CQ, cq[0]), 0);
	assert_int_equal(reg_pages(f, pd, 2, NULL), 0);
	assert_int_equal(FX_DESTROY(f, CQ, cq[1]), 0);
	assert_int_equal(reg_pages(f, pd, 4, NULL), -ENOMEM);
	assert_int_equal(reg_pages(f, pd, 3, &more), 0);
	assert_int_equal(fx_context(f, other, true), 0);
	f->f = other;
	FX_REFUSES(f, reg_pages(f, fx_pd(f), 1, NULL), -ENOMEM, "ulimit -l");
	f->f = mine;
	assert_int_equal(FX_DESTROY(f, MR, more), 0);
	f->f = other;
	assert_int_equal(reg_pages(f, fx_pd(f), 3, NULL), 0);
	f->f = mine;
	memlock_set(0, false);
	assert_int_equal(reg_pages(f, pd, 1, NULL), -EPERM);
	kernel_close(other);
	memlock_set(14, false);
	assert_int_equal(reg_pages(f, pd, 1, NULL), 0);
	assert_int_equal(reg_pages(f, pd, 1, NULL), -ENOMEM);
}

/* Proves that the limit does not count regions on demand; CAP_IPC_LOCK and memlock=0 lift it. */
TEST(memlock, memlock_lifted)
{
	struct profile free = profile_bluefield2;
	uint32_t pd = fx_pd(f);

	f->dev->profile = &profile_bluefield2;
	memlock_set(1, false);
	assert_int_equal(fx_reg_mr(f, pd, f->mem, FX_MEM, IB_UVERBS_ACCESS_ON_DEMAND, NULL), 0);
	assert_int_equal(reg_pages(f, pd, 2, NULL), -ENOMEM);
	memlock_set(1, true);
	assert_int_equal(reg_pages(f, pd, 2, NULL), may_lock() ? 0 : -ENOMEM);
	memlock_set(1, false);
	free.memlock = false;
	f->dev->profile = &free;
	assert_int_equal(reg_pages(f, pd, 2, NULL), 0);
	f->dev->profile = &profile_bluefield2;
}

static void good_cq(struct fx *f, struct request *r, void *u)
{
	fx_fill_cq(f, r, u, 127);
}

/* Proves the refusal of each bad field of CREATE_CQ, after which no object is left. */
TEST(fx, cq_refusals)
{
#define U(field)    FX_FIELD(mlx5_ib_create_cq, field)
#define BITS(field) FX_BITS(mlx5_ib_create_cq, field)
	static const struct fx_spoil bad[] = {
		{U(buf_addr), 0, -EFAULT, "buf_addr"},
		{BITS(buf_addr), 32, -EINVAL, "buf_addr"},
		{U(db_addr), 0, -EFAULT, "db_addr"},
		{BITS(db_addr), 3, -EFAULT, "db_addr"},
		{U(cqe_size), 65, -EINVAL, "cqe_size 65"},
		{U(flags), 0, -EINVAL, "UAR_PAGE_INDEX"},
		{U(flags), 0x80, -EINVAL, "flags"},
		{U(uar_page_index), 0xfff0, -EINVAL, "uar_page"},
		{FX_ATTR(UVERBS_ATTR_CREATE_CQ_CQE), 1u << 30, -EINVAL, "cqe 1073741824"},
		{FX_ATTR(UVERBS_ATTR_CREATE_CQ_COMP_VECTOR), 1, -EINVAL, "comp_vector"},
		{U(cqe_comp_en), 1, -EINVAL, "cqe_comp_res_format"},
	};

	FX_SPOILS(f, good_cq, mlx5_ib_create_cq, bad);
}

/*
 * Proves that a ring which is aligned to 64 bytes only gets a page list that the firmware accepts.
 */
TEST(fx, cq_offset)
{
	struct mlx5_ib_create_cq u;
	struct request r;

	for (uint64_t off = 0; off < 0x2000; off += 0x440) {
		const struct cq *cq;
		uint8_t mark[4] = {1, 2, 3, (uint8_t)(off >> 6)}, seen[4];

		fx_fill_cq(f, &r, &u, 127);
		u.buf_addr += off;
		assert_int_equal(rq_run_with(f, &r, &u, sizeof(u)), 0);
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

/* Proves both types of UARs, the refusal of others, and that a CQ's UAR cannot be destroyed. */
TEST(fx, uars)
{
	uint32_t cq = fx_cq(f, NULL), uar;

	FX_REFUSES(f,
		   FX_CALL(f, MLX5_IB_OBJECT_UAR, MLX5_IB_METHOD_UAR_OBJ_ALLOC,
			   A_NEW(MLX5_IB_ATTR_UAR_OBJ_ALLOC_HANDLE, NULL),
			   A_VALUE(MLX5_IB_ATTR_UAR_OBJ_ALLOC_TYPE, 2, 8),
			   A_OUT(MLX5_IB_ATTR_UAR_OBJ_ALLOC_MMAP_OFFSET, NULL, 8),
			   A_OUT(MLX5_IB_ATTR_UAR_OBJ_ALLOC_MMAP_LENGTH, NULL, 4),
			   A_OUT(MLX5_IB_ATTR_UAR_OBJ_ALLOC_PAGE_ID, NULL, 4)),
		   -EOPNOTSUPP, "type 2");
	/* The fixture made the CQ's UAR just before the CQ: its handle is the one below. */
	uar = cq - 1;
	assert_int_equal(fx_destroy(f, MLX5_IB_OBJECT_UAR, MLX5_IB_METHOD_UAR_OBJ_DESTROY, uar),
			 -EBUSY);
	assert_int_equal(FX_DESTROY(f, CQ, cq), 0);
	assert_int_equal(fx_destroy(f, MLX5_IB_OBJECT_UAR, MLX5_IB_METHOD_UAR_OBJ_DESTROY, uar), 0);
}

/* Proves that an address handle needs a GRH, a source GID and a destination that answers. */
TEST(fx, ahs)
{
	struct ib_uverbs_create_ah in = {.pd_handle = fx_pd(f)};
	struct ib_uverbs_create_ah_resp out;

	in.attr.port_num = 1;
	FX_REFUSES(f, FX_WRITE(f, IB_USER_VERBS_CMD_CREATE_AH, in, out), -EINVAL, "is_global");
	in.attr.is_global = 1;
	assert_int_equal(FX_WRITE(f, IB_USER_VERBS_CMD_CREATE_AH, in, out), -EHOSTUNREACH);
	memcpy(in.attr.grh.dgid, f->v->gids[1].gid, 16);
	assert_int_equal(FX_WRITE(f, IB_USER_VERBS_CMD_CREATE_AH, in, out), 0);
	assert_int_equal(dealloc_pd(f, in.pd_handle), -EBUSY);
	assert_int_equal(FX_DESTROY(f, AH, out.ah_handle), 0);
	in.attr.port_num = 2;
	assert_int_equal(FX_WRITE(f, IB_USER_VERBS_CMD_CREATE_AH, in, out), -EINVAL);
}

static int info(struct fx *f, uint64_t object, uint32_t *total, void *list, size_t room)
{
	return FX_CALL(f, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_INFO_HANDLES,
		       A_VALUE(UVERBS_ATTR_INFO_OBJECT_ID, object, 8),
		       A_OUT(UVERBS_ATTR_INFO_TOTAL_HANDLES, total, 4),
		       A_OUT(UVERBS_ATTR_INFO_HANDLES_LIST, list, room));
}

/* Proves that INFO_HANDLES returns the file's handles, as many as fit. */
TEST(fx, infos)
{
	uint32_t pds[3] = {fx_pd(f), fx_pd(f), fx_pd(f)}, list[4], total;

	for (uint32_t room = 4; room <= 16; room += 4) {
		assert_int_equal(info(f, UVERBS_OBJECT_PD, &total, list, room), 0);
		assert_int_equal(total, room < 12 ? room / 4 : 3);
		assert_memory_equal(list, pds, room < 12 ? room : 12);
	}
	assert_int_equal(info(f, 0x777, &total, list, 4), -ENOENT);
}

/* Proves that close() destroys objects of all classes; the teardown counts what is left. */
TEST(fx, close_takes_all)
{
	uint32_t pd = fx_pd(f), cq = fx_cq(f, NULL);

	for (unsigned int i = 0; i < 40; i++)
		assert_int_equal(fx_reg_mr(f, pd, f->mem, 4096 * (i + 1), 0, NULL), 0);
	(void)fx_qp(f, pd, cq, NULL);
	kernel_close(f->f);
	f->f = NULL;
	assert_int_equal(fx_objects(f), f->objects);
}
