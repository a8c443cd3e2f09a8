/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves which pages the kernel asks a program to share, and when it returns them. The test is the
 * program: it replaces the requested pages with memfds in place.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "kernel_fixture.h"
#include "host/client.h"

#define PAGE 4096u

struct answer {
	int err;
	uint32_t handle;
	unsigned int n;
	struct uverbs_share s[UVERBS_REQUEST_SHARES];
};

static bool ignore_requests; /* the program does not share what it is asked for */

static int memfd(uint64_t len)
{
	int fd = memfd_create("ring", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	for (uint64_t at = 0; at < len; at += PAGE)
		assert_int_equal(pwrite(fd, "", 1, (off_t)(at + PAGE - 1)), 1);
	assert_int_equal(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK), 0);
	return fd;
}

static void map_pages(const struct uverbs_share *s, int flags, int fd)
{
	void *va = (void *)(uintptr_t)s->va;

	assert_ptr_equal(mmap(va, s->len, PROT_READ | PROT_WRITE, flags | MAP_FIXED, fd, 0), va);
}

static void program_share(struct uverbs_file *f, const struct uverbs_share *s)
{
	int fd;

	if (s->what == UVERBS_SHARE_BACK) {
		map_pages(s, MAP_PRIVATE | MAP_ANONYMOUS, -1);
		return;
	}
	fd = memfd(s->len);
	map_pages(s, MAP_SHARED, fd);
	assert_int_equal(kernel_share(f, s->va, s->len, fd), 0);
	close(fd);
}

static struct answer run_request(struct uverbs_file *f, struct request *r)
{
	struct answer a = {.err = kernel_ioctl(f, &r->req), .n = r->req.nshares};

	assert_true(a.n <= UVERBS_REQUEST_SHARES);
	memcpy(a.s, r->req.shares, sizeof(a.s));
	for (unsigned int i = 0; i < a.n; i++)
		if (!ignore_requests || a.s[i].what == UVERBS_SHARE_BACK)
			program_share(f, &a.s[i]);
	return a;
}

/* --- requests --------------------------------------------------------------------------------- */

static struct answer run_method(struct uverbs_file *f, uint16_t object, uint16_t method,
				const struct rq_arg *args, const uint32_t *handle)
{
	struct request r;
	struct answer a;

	rq_make(&r, object, method, args);
	a = run_request(f, &r);
	rq_take(&r, args);
	a.handle = handle ? *handle : 0;
	return a;
}

/* The beginning of mlx5's part, which is the same in all requests that make queues. */
struct queue_part {
	__aligned_u64 buf_addr, db_addr;
};

static struct answer created(struct fx *f, struct request *r, void *u, size_t len, const void *ring,
			     const void *record)
{
	struct queue_part *part = u;
	struct answer a;

	part->buf_addr = (uintptr_t)ring;
	part->db_addr = (uintptr_t)record;
	rq_in(r, UVERBS_ATTR_UHW_IN, u, len);
	a = run_request(f->f, r);
	a.handle = rq_new(r);
	rq_done(r);
	return a;
}

static struct answer make_cq(struct fx *f, const void *ring, const void *record)
{
	struct mlx5_ib_create_cq u;
	struct request r;

	fx_fill_cq(f, &r, &u, 127);
	return created(f, &r, &u, sizeof(u), ring, record);
}

static struct answer make_qp(struct fx *f, uint32_t pd, uint32_t cq, const void *ring,
			     const void *record)
{
	struct mlx5_ib_create_qp u;
	struct request r;

	fx_fill_qp(f, &r, &u, pd, cq);
	return created(f, &r, &u, sizeof(u), ring, record);
}

static struct answer make_wq(struct fx *f, uint32_t pd, uint32_t cq, const void *ring,
			     const void *record)
{
	struct mlx5_ib_create_wq u;
	struct request r;

	fx_fill_wq(f, &r, &u, pd, cq);
	return created(f, &r, &u, sizeof(u), ring, record);
}

static struct answer make_umem(struct uverbs_file *f, const void *at, uint64_t len, uint32_t access)
{
	uint32_t handle = 0;

	return run_method(f, MLX5_IB_OBJECT_DEVX_UMEM, MLX5_IB_METHOD_DEVX_UMEM_REG,
			  RQ_ARGS(A_NEW(MLX5_IB_ATTR_DEVX_UMEM_REG_HANDLE, &handle),
				  A_VALUE(MLX5_IB_ATTR_DEVX_UMEM_REG_ADDR, (uintptr_t)at, 8),
				  A_VALUE(MLX5_IB_ATTR_DEVX_UMEM_REG_LEN, len, 8),
				  A_VALUE(MLX5_IB_ATTR_DEVX_UMEM_REG_ACCESS, access, 4),
				  A_OUT(MLX5_IB_ATTR_DEVX_UMEM_REG_OUT_ID, NULL, 4)),
			  &handle);
}

static struct answer make_mr(struct fx *f, uint32_t pd, const void *at, uint64_t len)
{
	const struct ib_uverbs_reg_mr in = {.start = (uintptr_t)at,
					    .length = len,
					    .hca_va = (uintptr_t)at,
					    .pd_handle = pd,
					    .access_flags = IB_UVERBS_ACCESS_LOCAL_WRITE};
	struct ib_uverbs_reg_mr_resp out = {0};

	return run_method(f->f, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_INVOKE_WRITE,
			  RQ_ARGS(A_VALUE(UVERBS_ATTR_WRITE_CMD, IB_USER_VERBS_CMD_REG_MR, 8),
				  A_IN(UVERBS_ATTR_CORE_IN, &in, sizeof(in)),
				  A_OUT(UVERBS_ATTR_CORE_OUT, &out, sizeof(out))),
			  &out.mr_handle);
}

static struct answer destroy(struct uverbs_file *f, uint16_t object, uint16_t method, uint32_t handle)
{
	struct answer a = run_method(f, object, method, fx_destroy_args(object, handle).a, NULL);

	assert_int_equal(a.err, 0);
	return a;
}

static struct answer end_cq(struct fx *f, uint32_t handle)
{
	return destroy(f->f, UVERBS_OBJECT_CQ, UVERBS_METHOD_CQ_DESTROY, handle);
}

static struct answer end_qp(struct fx *f, uint32_t handle)
{
	return destroy(f->f, UVERBS_OBJECT_QP, UVERBS_METHOD_QP_DESTROY, handle);
}

static struct answer end_mr(struct fx *f, uint32_t handle)
{
	return destroy(f->f, UVERBS_OBJECT_MR, UVERBS_METHOD_MR_DESTROY, handle);
}

static struct answer end_umem(struct uverbs_file *f, uint32_t handle)
{
	return destroy(f, MLX5_IB_OBJECT_DEVX_UMEM, MLX5_IB_METHOD_DEVX_UMEM_DEREG, handle);
}

/* --- answers ---------------------------------------------------------------------------------- */

struct piece {
	const void *at;
	uint64_t pages; /* 0: end of the list */
	enum uverbs_share_what what;
};
#define RING UVERBS_SHARE_RING
#define DATA UVERBS_SHARE_DATA
#define BACK UVERBS_SHARE_BACK

/* Asserts that the answer has exactly these pieces, in any order; returns its handle. */
static uint32_t expect_shares(struct answer a, const struct piece *p)
{
	unsigned int n = 0;

	assert_int_equal(a.err, 0);
	for (; p->pages; p++, n++) {
		unsigned int i = 0;

		while (i < a.n && (a.s[i].va != (uintptr_t)p->at || a.s[i].len != p->pages * PAGE ||
				   a.s[i].what != p->what))
			i++;
		if (i == a.n)
			fail_msg("%lu pages at %p are not in the answer (kind %d; it has %u)",
				 (unsigned long)p->pages, p->at, p->what, a.n);
	}
	assert_int_equal(a.n, n);
	return a.handle;
}
#define EXPECT_SHARES(answer, ...) expect_shares(answer, (const struct piece[8]){__VA_ARGS__})

/* --- creations -------------------------------------------------------------------------------- */

/* Proves which whole pages each kind of object shares: of the ring, and the page of the record. */
TEST(fx, each_kind)
{
	uint8_t *m = f->mem;
	uint32_t pd = fx_pd(f), cq;

	cq = EXPECT_SHARES(make_cq(f, m + 2 * PAGE, m + 64), {m, 1, RING}, {m + 2 * PAGE, 2, RING});
	/* 64 WQEs of 64 bytes in each queue, and another page of records */
	EXPECT_SHARES(make_qp(f, pd, cq, m + 8 * PAGE, m + PAGE + 128), {m + PAGE, 1, RING},
		      {m + 8 * PAGE, 2, RING});
	/* a ring of 512 bytes owns the rest of its page */
	EXPECT_SHARES(make_wq(f, pd, cq, m + 16 * PAGE, m + 20 * PAGE), {m + 20 * PAGE, 1, RING},
		      {m + 16 * PAGE, 1, RING});
	EXPECT_SHARES(make_umem(f->f, m + 24 * PAGE, 2 * PAGE + 1, 1), {m + 24 * PAGE, 3, RING});
	EXPECT_SHARES(make_umem(f->f, m + 28 * PAGE + 512, 8, 1), {m + 28 * PAGE, 1, DATA});
	EXPECT_SHARES(make_mr(f, pd, m + 32 * PAGE, 2 * PAGE), {m + 32 * PAGE, 2, DATA});
	/* the ring does not begin with a page */
	EXPECT_SHARES(make_umem(f->f, m + 36 * PAGE + 64, PAGE, 1));
}

/* Proves that pages held by another object are not shared: the device may write to them. */
TEST(fx, held)
{
	uint8_t *m = f->mem;
	uint32_t pd = fx_pd(f), cq;
	struct answer a;

	EXPECT_SHARES(make_mr(f, pd, m + 100, PAGE), {m, 2, DATA});
	/* the record lies in the region's pages */
	cq = EXPECT_SHARES(make_cq(f, m + 2 * PAGE, m + 64), {m + 2 * PAGE, 2, RING});
	EXPECT_SHARES(make_qp(f, pd, cq, m + 8 * PAGE, m + 72), {m + 8 * PAGE, 2, RING});
	/* pages that the program did not share are not requested again */
	ignore_requests = true;
	a = make_cq(f, m + 16 * PAGE, m + 20 * PAGE);
	ignore_requests = false;
	assert_int_equal(a.n, 2);
	EXPECT_SHARES(make_cq(f, m + 24 * PAGE, m + 20 * PAGE + 8), {m + 24 * PAGE, 2, RING});
	EXPECT_SHARES(make_umem(f->f, m + 17 * PAGE, PAGE, 1));
	/* a region over all pages, and a umem in it */
	EXPECT_SHARES(make_mr(f, pd, m, FX_MEM));
	EXPECT_SHARES(make_umem(f->f, m + 40 * PAGE, PAGE, 1));
}

/* Proves that an object with its record in its ring requests these pages once. */
TEST(fx, own_record)
{
	struct answer a = make_cq(f, f->mem, f->mem + PAGE + 2048);

	assert_int_equal(a.n, 1);
	a = end_cq(f, a.handle);
	assert_int_equal(a.n, 1);
	EXPECT_SHARES(make_mr(f, fx_pd(f), f->mem, (1u << 20) - 1), {f->mem, 256, DATA});
}

/*
 * Proves that pages of files, shared, read-only and executable memory, and stacks are not shared.
 */
TEST(fx, not_own)
{
	uint8_t *m = f->mem, stack[3 * PAGE];
	char path[] = "/tmp/dvx-kernel-share.XXXXXX";
	int file = mkstemp(path), memfd = memfd_create("not_own", 0);

	assert_true(file >= 0 && memfd >= 0);
	unlink(path);
	assert_true(!ftruncate(file, PAGE) && !ftruncate(memfd, PAGE));
	assert_ptr_equal(mmap(m, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, file, 0),
			 m);
	mmap(m + PAGE, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	mmap(m + 2 * PAGE, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, memfd, 0);
	mprotect(m + 3 * PAGE, PAGE, PROT_READ);
	mprotect(m + 4 * PAGE, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC);
	for (unsigned int i = 0; i < 5; i++)
		EXPECT_SHARES(make_umem(f->f, m + i * PAGE, PAGE, i == 3 ? 0 : 1));
	EXPECT_SHARES(
		make_umem(f->f, m + 4 * PAGE, 2 * PAGE, 1)); /* the first page is executable */
	EXPECT_SHARES(make_umem(f->f, m + 8 * PAGE, 2 * PAGE, 0), {m + 8 * PAGE, 2, RING});
	memset(stack, 0, sizeof(stack));
	EXPECT_SHARES(make_umem(f->f, (void *)(((uintptr_t)stack + PAGE) & ~(uintptr_t)(PAGE - 1)),
				PAGE, 1));
	close(file);
	close(memfd);
	mprotect(m, FX_MEM, PROT_READ | PROT_WRITE);
}

/* Proves that more than 64 MiB is no ring, so that the program may refuse to copy it. */
TEST(fx, large)
{
	const size_t most = 64u << 20, len = most + 2 * PAGE;
	uint8_t *m = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint32_t pd = fx_pd(f);
	uint32_t umem;

	assert_ptr_not_equal(m, MAP_FAILED);
	umem = EXPECT_SHARES(make_umem(f->f, m, most + 1, 1), {m, 16385, DATA});
	EXPECT_SHARES(end_umem(f->f, umem), {m, 16385, BACK});
	umem = EXPECT_SHARES(make_umem(f->f, m, most, 1), {m, 16384, RING});
	EXPECT_SHARES(end_umem(f->f, umem), {m, 16384, BACK});
	EXPECT_SHARES(make_mr(f, pd, m, most + 1), {m, 16385, DATA});
	munmap(m, len);
}

/* Proves that refused requests hold no memory. */
TEST(fx, failures)
{
	uint8_t *m = f->mem;
	struct answer a = make_cq(f, m + 2 * PAGE + 8, m + 64);
	int fd = memfd(PAGE);

	assert_int_equal(a.err, -EINVAL);
	assert_int_equal(a.n, 0);
	assert_int_equal(kernel_share(f->f, (uintptr_t)m, PAGE, fd), -ENOENT);
	a = make_cq(f, (void *)16, m + 64);
	assert_int_equal(a.err, -EFAULT);
	assert_int_equal(a.n, 0);
	a = make_umem(f->f, m, PAGE, 2);
	assert_int_equal(a.err, -EINVAL);
	assert_int_equal(kernel_share(f->f, (uintptr_t)m, PAGE, fd), -ENOENT);
	a = make_cq(f, m + 2 * PAGE, m + 64);
	assert_int_equal(a.n, 2);
	a = end_cq(f, a.handle);
	assert_int_equal(a.n, 2);
	/* no object holds bytes there */
	assert_int_equal(kernel_share(f->f, (uintptr_t)m, PAGE, fd), -ENOENT);
	assert_int_equal(kernel_share(f->f, (uintptr_t)m + 9 * PAGE, PAGE, fd), -ENOENT);
	assert_int_equal(kernel_share(f->f, 0 - (uint64_t)PAGE, 2 * PAGE, fd), -ENOENT);
	assert_int_equal(kernel_share(f->f, 0, UINT64_MAX, fd), -ENOENT);
	close(fd);
}

/* --- destructions ----------------------------------------------------------------------------- */

/* Proves that a page is returned with the last object that holds bytes of it, in any order. */
TEST(fx, orders)
{
	uint8_t *m = f->mem;
	uint32_t pd = fx_pd(f), main = make_cq(f, m + 200 * PAGE, m + 210 * PAGE).handle;

	for (unsigned int order = 0; order < 24; order++) {
		uint32_t h[4];
		struct answer a;
		unsigned int left[4] = {0, 1, 2, 3}, n = 4, pick = order;

		h[0] = make_cq(f, m + 2 * PAGE, m + 64).handle;
		h[1] = make_qp(f, pd, main, m + 8 * PAGE, m + 72).handle;
		h[2] = make_mr(f, pd, m, 4 * PAGE).handle;	      /* record and CQ's ring */
		h[3] = make_umem(f->f, m + 9 * PAGE, PAGE, 1).handle; /* within the QP's ring */
		bool lives[4] = {true, true, true, true};

		while (n) {
			unsigned int i = pick % n, which = left[i], n_want = 0;
			struct piece want[4] = {{0}};

			pick /= n;
			left[i] = left[--n];
			lives[which] = false;
			a = which == 0	 ? end_cq(f, h[0])
			    : which == 1 ? end_qp(f, h[1])
			    : which == 2 ? end_mr(f, h[2])
					 : end_umem(f->f, h[3]);
			if (which < 3 && !lives[0] && !lives[1] && !lives[2])
				want[n_want++] = (struct piece){m, 1, BACK};
			if ((which == 0 || which == 2) && !lives[0] && !lives[2])
				want[n_want++] = (struct piece){m + 2 * PAGE, 2, BACK};
			if ((which == 1 || which == 3) && !lives[1] && !lives[3])
				want[n_want++] = (struct piece){m + 8 * PAGE, 2, BACK};
			expect_shares(a, want);
		}
	}
}

/*
 * Proves that returned pages may wait for later answers, and for an object that holds them again.
 */
TEST(fx, many)
{
	uint8_t *m = f->mem;
	uint32_t pd = fx_pd(f), umem[20], mr, late = 0;
	unsigned int back = 0;
	struct answer a;

	for (unsigned int i = 0; i < 20; i++) {
		a = make_umem(f->f, m + 2 * i * PAGE, PAGE, 1);
		assert_int_equal(a.n, 1);
		umem[i] = a.handle;
	}
	mr = make_mr(f, pd, m, 40 * PAGE).handle;
	for (unsigned int i = 0; i < 20; i++)
		EXPECT_SHARES(end_umem(f->f, umem[i]));
	a = end_mr(f, mr);
	assert_int_equal(a.n, UVERBS_REQUEST_SHARES);
	/* makes an object on a page that is still to be returned */
	for (unsigned int i = 0; i < 20 && !late; i++) {
		bool gone = false;

		for (unsigned int k = 0; k < a.n; k++)
			gone |= a.s[k].va == (uintptr_t)m + 2 * i * PAGE;
		if (!gone) {
			struct answer b = make_umem(f->f, m + 2 * i * PAGE, PAGE, 1);

			late = b.handle;
			for (unsigned int k = 0; k < b.n; k++)
				assert_true(b.s[k].what == UVERBS_SHARE_BACK &&
					    b.s[k].va != (uintptr_t)m + 2 * i * PAGE);
			back = a.n + b.n;
		}
	}
	assert_int_equal(back, 16);
	for (unsigned int i = 0; i < 3; i++) {
		a = make_umem(f->f, m + 100 * PAGE + 64, PAGE, 1); /* requests no pages */
		back += a.n;
	}
	assert_int_equal(back, 19);
	a = end_umem(f->f, late);
	assert_int_equal(a.n, 1);
	assert_int_equal(a.s[0].what, UVERBS_SHARE_BACK);
}

/* --- one process that has the device open twice ----------------------------------------------- */

TEST(fx, two_files)
{
	uint8_t *m = f->mem;
	struct mm *mm = mm_open(chip_host(f->chip), getpid(), -1);
	struct uverbs_file *other = kernel_open(f->k, mm, BLUEFIELD2_HOST);
	uint32_t a, b;

	assert_int_equal(fx_context(f, other, true), 0);
	/* pages held by the other file's objects are not requested */
	ignore_requests = true;
	b = EXPECT_SHARES(make_umem(other, m, PAGE, 1), {m, 1, RING});
	ignore_requests = false;
	a = EXPECT_SHARES(make_umem(f->f, m, PAGE, 1));
	end_umem(f->f, a);
	end_umem(other, b);
	/* nor returned while these exist; the file that shares them knows */
	a = EXPECT_SHARES(make_umem(f->f, m, PAGE, 1), {m, 1, RING});
	b = EXPECT_SHARES(make_umem(other, m + 64, 64, 1));
	assert_true(kernel_shared_pages_in_use(f->f));
	assert_false(kernel_shared_pages_in_use(other));
	EXPECT_SHARES(end_umem(f->f, a));
	EXPECT_SHARES(end_umem(other, b));
	assert_false(kernel_shared_pages_in_use(f->f));
	EXPECT_SHARES(make_umem(f->f, m + 100 * PAGE + 64, PAGE, 1), {m, 1, BACK});
	/* pages that are still to be returned */
	a = EXPECT_SHARES(make_umem(f->f, m, PAGE, 1), {m, 1, RING});
	b = make_umem(other, m + 64, 64, 1).handle;
	end_umem(f->f, a);
	end_umem(other, b);
	make_umem(other, m + 64, 64, 1);
	assert_true(kernel_shared_pages_in_use(f->f));
	kernel_close(other);
	mm_close(mm);
	assert_false(kernel_shared_pages_in_use(f->f));
	EXPECT_SHARES(make_umem(f->f, m + 100 * PAGE + 64, PAGE, 1), {m, 1, BACK});
}

/* --- what it costs ---------------------------------------------------------------------------- */

/* Returns how many bytes this process has read; 0: the kernel does not count them. */
static uint64_t bytes_read(void)
{
	unsigned long long n = 0;
	FILE *io = fopen("/proc/self/io", "re");

	if (io && fscanf(io, "rchar: %llu", &n) != 1)
		n = 0;
	if (io)
		fclose(io);
	return n;
}

static uint64_t maps_bytes(void)
{
	uint64_t from = bytes_read();
	FILE *maps = fopen("/proc/self/maps", "re");

	assert_non_null(maps);
	while (fgetc(maps) != EOF)
		;
	fclose(maps);
	return bytes_read() - from;
}

/*
 * Proves that a request reads the process's mappings at most once: there may be thousands of them.
 */
TEST(fx, one_look)
{
	uint8_t *m = f->mem;
	uint32_t pd = fx_pd(f);
	uint64_t all, from;
	struct answer a;

	if (!bytes_read())
		skip();
	for (unsigned int i = 0; i < 100; i++)
		make_umem(f->f, m + 2 * i * PAGE, PAGE, 1);
	all = maps_bytes();
	assert_true(all > 100 * 64);
	ignore_requests = true;
	from = bytes_read();
	a = make_cq(f, m + 250 * PAGE, m + 248 * PAGE);
	assert_in_range(bytes_read() - from, 0, all * 5 / 4);
	from = bytes_read();
	a = make_qp(f, pd, a.handle, m + 240 * PAGE, m + 236 * PAGE);
	assert_in_range(bytes_read() - from, 0, all * 5 / 4);
	from = bytes_read();
	end_qp(f, a.handle);
	ignore_requests = false;
	assert_in_range(bytes_read() - from, 0, all / 4);
}
