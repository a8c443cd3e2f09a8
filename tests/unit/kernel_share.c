/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which pages the kernel asks a program to share, and when it gives them back. The test is the
 * program: it lays what it is asked for onto memfds, in place.
 */
#include "tests/test.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "kernel_fixture.h"
#include "host/mm.h"

#define TEST_FIXTURE {fx_setup, fx_teardown}

#define PAGE 4096u

struct answer {
	int err;
	uint32_t handle;
	unsigned int n;
	struct uverbs_share s[UVERBS_REQUEST_SHARES];
};

static bool deaf; /* what is asked for isn't done */

static int memfd(uint64_t len)
{
	int fd = memfd_create("ring", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	for (uint64_t at = 0; at < len; at += PAGE)
		assert_int_equal(pwrite(fd, "", 1, (off_t)(at + PAGE - 1)), 1);
	assert_int_equal(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK), 0);
	return fd;
}

static void lay(const struct uverbs_share *s, int flags, int fd)
{
	void *va = (void *)(uintptr_t)s->va;

	assert_ptr_equal(mmap(va, s->len, PROT_READ | PROT_WRITE, flags | MAP_FIXED, fd, 0), va);
}

static void obey(struct uverbs_file *f, const struct uverbs_share *s)
{
	int fd;

	if (s->what == UVERBS_SHARE_BACK) {
		lay(s, MAP_PRIVATE | MAP_ANONYMOUS, -1);
		return;
	}
	fd = memfd(s->len);
	lay(s, MAP_SHARED, fd);
	assert_int_equal(kernel_share(f, s->va, s->len, fd), 0);
	close(fd);
}

static struct answer ask(struct uverbs_file *f, struct request *r)
{
	struct answer a = {.err = kernel_ioctl(f, &r->req), .n = r->req.nshares};

	assert_true(a.n <= UVERBS_REQUEST_SHARES);
	memcpy(a.s, r->req.shares, sizeof(a.s));
	for (unsigned int i = 0; i < a.n; i++)
		if (!deaf || a.s[i].what == UVERBS_SHARE_BACK)
			obey(f, &a.s[i]);
	return a;
}

/* --- requests --------------------------------------------------------------------------------- */

static struct answer make_cq(struct fx *f, const void *ring, const void *record)
{
	struct mlx5_ib_create_cq u;
	struct answer a;
	struct request r;

	fx_fill_cq(f, &r, &u, 127);
	u.buf_addr = (uintptr_t)ring;
	u.db_addr = (uintptr_t)record;
	rq_in(&r, UVERBS_ATTR_UHW_IN, &u, sizeof(u));
	a = ask(f->f, &r);
	a.handle = (uint32_t)rq_attr(&r, UVERBS_ATTR_CREATE_CQ_HANDLE)->data;
	rq_done(&r);
	return a;
}

static struct answer make_qp(struct fx *f, uint32_t pd, uint32_t cq, const void *ring,
			     const void *record)
{
	struct mlx5_ib_create_qp u;
	struct answer a;
	struct request r;

	fx_fill_qp(f, &r, &u, pd, cq);
	u.buf_addr = (uintptr_t)ring;
	u.db_addr = (uintptr_t)record;
	rq_in(&r, UVERBS_ATTR_UHW_IN, &u, sizeof(u));
	a = ask(f->f, &r);
	a.handle = (uint32_t)rq_attr(&r, UVERBS_ATTR_CREATE_QP_HANDLE)->data;
	rq_done(&r);
	return a;
}

static struct answer make_wq(struct fx *f, uint32_t pd, uint32_t cq, const void *ring,
			     const void *record)
{
	struct mlx5_ib_create_wq u;
	struct answer a;
	struct request r;

	fx_fill_wq(f, &r, &u, pd, cq);
	u.buf_addr = (uintptr_t)ring;
	u.db_addr = (uintptr_t)record;
	rq_in(&r, UVERBS_ATTR_UHW_IN, &u, sizeof(u));
	a = ask(f->f, &r);
	a.handle = (uint32_t)rq_attr(&r, UVERBS_ATTR_CREATE_WQ_HANDLE)->data;
	rq_done(&r);
	return a;
}

static struct answer make_umem(struct uverbs_file *f, const void *at, uint64_t len, uint32_t access)
{
	struct answer a;
	struct request r;

	rq_init(&r, MLX5_IB_OBJECT_DEVX_UMEM, MLX5_IB_METHOD_DEVX_UMEM_REG);
	rq_handle(&r, MLX5_IB_ATTR_DEVX_UMEM_REG_HANDLE, 0);
	rq_value(&r, MLX5_IB_ATTR_DEVX_UMEM_REG_ADDR, (uintptr_t)at, 8);
	rq_value(&r, MLX5_IB_ATTR_DEVX_UMEM_REG_LEN, len, 8);
	rq_value(&r, MLX5_IB_ATTR_DEVX_UMEM_REG_ACCESS, access, 4);
	rq_out(&r, MLX5_IB_ATTR_DEVX_UMEM_REG_OUT_ID, 4);
	a = ask(f, &r);
	a.handle = (uint32_t)rq_attr(&r, MLX5_IB_ATTR_DEVX_UMEM_REG_HANDLE)->data;
	rq_done(&r);
	return a;
}

static struct answer make_mr(struct fx *f, uint32_t pd, const void *at, uint64_t len)
{
	const struct ib_uverbs_reg_mr in = {.start = (uintptr_t)at,
					    .length = len,
					    .hca_va = (uintptr_t)at,
					    .pd_handle = pd,
					    .access_flags = IB_UVERBS_ACCESS_LOCAL_WRITE};
	struct ib_uverbs_reg_mr_resp out;
	struct answer a;
	struct request r;

	rq_init(&r, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_INVOKE_WRITE);
	rq_value(&r, UVERBS_ATTR_WRITE_CMD, IB_USER_VERBS_CMD_REG_MR, 8);
	rq_in(&r, UVERBS_ATTR_CORE_IN, &in, sizeof(in));
	rq_out(&r, UVERBS_ATTR_CORE_OUT, sizeof(out));
	a = ask(f->f, &r);
	memcpy(&out, rq_attr(&r, UVERBS_ATTR_CORE_OUT)->out, sizeof(out));
	a.handle = out.mr_handle;
	rq_done(&r);
	return a;
}

static struct answer destroy(struct uverbs_file *f, uint16_t object, uint16_t method, uint32_t handle)
{
	struct answer a;
	struct request r;

	rq_init(&r, object, method);
	rq_handle(&r, object & UVERBS_ID_NS_MASK, handle);
	if (object == UVERBS_OBJECT_CQ)
		rq_out(&r, UVERBS_ATTR_DESTROY_CQ_RESP, sizeof(struct ib_uverbs_destroy_cq_resp));
	if (object == UVERBS_OBJECT_QP)
		rq_out(&r, UVERBS_ATTR_DESTROY_QP_RESP, sizeof(struct ib_uverbs_destroy_qp_resp));
	if (object == UVERBS_OBJECT_WQ)
		rq_out(&r, UVERBS_ATTR_DESTROY_WQ_RESP, 4);
	a = ask(f, &r);
	assert_int_equal(a.err, 0);
	rq_done(&r);
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

/* --- what an answer says ---------------------------------------------------------------------- */

static unsigned int says(const struct answer *a, const void *at, uint64_t pages,
			 enum uverbs_share_what what)
{
	assert_int_equal(a->err, 0);
	for (unsigned int i = 0; i < a->n; i++)
		if (a->s[i].va == (uintptr_t)at && a->s[i].len == pages * PAGE &&
		    a->s[i].what == what)
			return 1;
	fail_msg("%lu pages at %p are not in the answer (kind %d; it has %u)", (unsigned long)pages,
		 at, what, a->n);
	return 0;
}

static void says_nothing(const struct answer *a)
{
	assert_int_equal(a->err, 0);
	assert_int_equal(a->n, 0);
}

/* --- creations -------------------------------------------------------------------------------- */

/* A ring's pages, and the page of its record, whole. */
TEST_F(each_kind)
{
	struct fx *f = *state;
	uint8_t *m = f->mem;
	uint32_t pd = fx_pd(f), cq;
	struct answer a = make_cq(f, m + 2 * PAGE, m + 64);

	assert_int_equal(a.n, 2);
	says(&a, m, 1, UVERBS_SHARE_RING);
	says(&a, m + 2 * PAGE, 2, UVERBS_SHARE_RING);
	cq = a.handle;
	/* 64 WQEs of 64 bytes each way; and another page of records */
	a = make_qp(f, pd, cq, m + 8 * PAGE, m + PAGE + 128);
	assert_int_equal(a.n, 2);
	says(&a, m + PAGE, 1, UVERBS_SHARE_RING);
	says(&a, m + 8 * PAGE, 2, UVERBS_SHARE_RING);
	/* a ring of 512 bytes has the rest of its page to itself */
	a = make_wq(f, pd, cq, m + 16 * PAGE, m + 20 * PAGE);
	assert_int_equal(a.n, 2);
	says(&a, m + 20 * PAGE, 1, UVERBS_SHARE_RING);
	says(&a, m + 16 * PAGE, 1, UVERBS_SHARE_RING);
	a = make_umem(f->f, m + 24 * PAGE, 2 * PAGE + 1, 1);
	assert_int_equal(a.n, 1);
	says(&a, m + 24 * PAGE, 3, UVERBS_SHARE_RING);
	a = make_umem(f->f, m + 28 * PAGE + 512, 8, 1);
	assert_int_equal(a.n, 1);
	says(&a, m + 28 * PAGE, 1, UVERBS_SHARE_DATA);
	a = make_mr(f, pd, m + 32 * PAGE, 2 * PAGE);
	assert_int_equal(a.n, 1);
	says(&a, m + 32 * PAGE, 2, UVERBS_SHARE_DATA);
	/* what isn't whole pages of the ring's own */
	a = make_umem(f->f, m + 36 * PAGE + 64, PAGE, 1);
	says_nothing(&a);
}

/* What others hold stays where it is: the device may be writing there. */
TEST_F(held)
{
	struct fx *f = *state;
	uint8_t *m = f->mem;
	uint32_t pd = fx_pd(f), cq;
	struct answer a = make_mr(f, pd, m + 100, PAGE);

	says(&a, m, 2, UVERBS_SHARE_DATA);
	a = make_cq(f, m + 2 * PAGE, m + 64); /* its record lies in the region's pages */
	assert_int_equal(a.n, 1);
	says(&a, m + 2 * PAGE, 2, UVERBS_SHARE_RING);
	cq = a.handle;
	a = make_qp(f, pd, cq, m + 8 * PAGE, m + 72);
	assert_int_equal(a.n, 1);
	says(&a, m + 8 * PAGE, 2, UVERBS_SHARE_RING);
	/* not shared, because the program could not: it isn't asked for again */
	deaf = true;
	a = make_cq(f, m + 16 * PAGE, m + 20 * PAGE);
	deaf = false;
	assert_int_equal(a.n, 2);
	a = make_cq(f, m + 24 * PAGE, m + 20 * PAGE + 8);
	assert_int_equal(a.n, 1);
	says(&a, m + 24 * PAGE, 2, UVERBS_SHARE_RING);
	a = make_umem(f->f, m + 17 * PAGE, PAGE, 1);
	says_nothing(&a);
	/* a region over all of it, and what is made in it afterwards */
	a = make_mr(f, pd, m, FX_MEM);
	says_nothing(&a);
	a = make_umem(f->f, m + 40 * PAGE, PAGE, 1);
	says_nothing(&a);
}

/* One object with its record in its own ring asks for those pages once. */
TEST_F(own_record)
{
	struct fx *f = *state;
	uint32_t pd = fx_pd(f);
	struct answer a = make_cq(f, f->mem, f->mem + PAGE + 2048);

	assert_int_equal(a.n, 1);
	a = end_cq(f, a.handle);
	assert_int_equal(a.n, 1);
	a = make_mr(f, pd, f->mem, (1u << 20) - 1);
	says(&a, f->mem, 256, UVERBS_SHARE_DATA);
}

/* Memory that is somebody else's, too, or that stores must not go to. */
TEST_F(not_own)
{
	struct fx *f = *state;
	uint8_t *m = f->mem, stack[3 * PAGE];
	char path[] = "/tmp/dvx-kernel-share.XXXXXX";
	int file = mkstemp(path);
	struct answer a;

	assert_true(file >= 0);
	unlink(path);
	assert_int_equal(ftruncate(file, PAGE), 0);
	assert_ptr_equal(mmap(m, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, file, 0),
			 m);
	mmap(m + PAGE, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	mmap(m + 2 * PAGE, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0);
	mprotect(m + 3 * PAGE, PAGE, PROT_READ);
	mprotect(m + 4 * PAGE, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC);
	for (unsigned int i = 0; i < 5; i++) {
		a = make_umem(f->f, m + i * PAGE, PAGE, i == 3 ? 0 : 1);
		says_nothing(&a);
	}
	a = make_umem(f->f, m + 4 * PAGE, 2 * PAGE, 1); /* one of two */
	says_nothing(&a);
	a = make_umem(f->f, m + 8 * PAGE, 2 * PAGE, 0);
	says(&a, m + 8 * PAGE, 2, UVERBS_SHARE_RING);
	memset(stack, 0, sizeof(stack));
	a = make_umem(f->f, (void *)(((uintptr_t)stack + PAGE) & ~(uintptr_t)(PAGE - 1)), PAGE, 1);
	says_nothing(&a);
	close(file);
	mprotect(m, FX_MEM, PROT_READ | PROT_WRITE);
}

/* More than 16 MiB, or a region of more than one, is not worth its copy. */
TEST_F(too_large)
{
	struct fx *f = *state;
	const size_t len = (16u << 20) + 2 * PAGE;
	uint8_t *m = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint32_t pd = fx_pd(f);
	struct answer a;

	assert_ptr_not_equal(m, MAP_FAILED);
	a = make_umem(f->f, m, (16u << 20) + 1, 1);
	says_nothing(&a);
	a = end_umem(f->f, a.handle);
	a = make_umem(f->f, m, 16u << 20, 1);
	says(&a, m, 4096, UVERBS_SHARE_RING);
	a = end_umem(f->f, a.handle);
	says(&a, m, 4096, UVERBS_SHARE_BACK);
	a = make_mr(f, pd, m, (1u << 20) + 1);
	says_nothing(&a);
	munmap(m, len);
}

/* What was refused holds nothing. */
TEST_F(failures)
{
	struct fx *f = *state;
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
	/* nobody holds bytes there, any more or at all */
	assert_int_equal(kernel_share(f->f, (uintptr_t)m, PAGE, fd), -ENOENT);
	assert_int_equal(kernel_share(f->f, (uintptr_t)m + 9 * PAGE, PAGE, fd), -ENOENT);
	assert_int_equal(kernel_share(f->f, 0 - (uint64_t)PAGE, 2 * PAGE, fd), -ENOENT);
	assert_int_equal(kernel_share(f->f, 0, UINT64_MAX, fd), -ENOENT);
	close(fd);
}

/* --- destructions ----------------------------------------------------------------------------- */

/* A page goes back when the last object that holds bytes of it goes, in any order. */
TEST_F(orders)
{
	struct fx *f = *state;
	uint8_t *m = f->mem;
	uint32_t pd = fx_pd(f), main = make_cq(f, m + 200 * PAGE, m + 210 * PAGE).handle;

	for (unsigned int order = 0; order < 24; order++) {
		uint32_t h[4];
		struct answer a;
		unsigned int left[4] = {0, 1, 2, 3}, n = 4, pick = order;

		h[0] = make_cq(f, m + 2 * PAGE, m + 64).handle;
		h[1] = make_qp(f, pd, main, m + 8 * PAGE, m + 72).handle;
		h[2] = make_mr(f, pd, m, 4 * PAGE).handle;	      /* record and CQ's ring */
		h[3] = make_umem(f->f, m + 9 * PAGE, PAGE, 1).handle; /* in the QP's ring */
		bool lives[4] = {true, true, true, true};

		while (n) {
			unsigned int i = pick % n, which = left[i], want = 0;

			pick /= n;
			left[i] = left[--n];
			lives[which] = false;
			a = which == 0	 ? end_cq(f, h[0])
			    : which == 1 ? end_qp(f, h[1])
			    : which == 2 ? end_mr(f, h[2])
					 : end_umem(f->f, h[3]);
			if (which < 3 && !lives[0] && !lives[1] && !lives[2])
				want += says(&a, m, 1, UVERBS_SHARE_BACK);
			if ((which == 0 || which == 2) && !lives[0] && !lives[2])
				want += says(&a, m + 2 * PAGE, 2, UVERBS_SHARE_BACK);
			if ((which == 1 || which == 3) && !lives[1] && !lives[3])
				want += says(&a, m + 8 * PAGE, 2, UVERBS_SHARE_BACK);
			assert_int_equal(a.n, want);
		}
	}
}

/* What does not fit into an answer comes with the next ones; not while a new object is there. */
TEST_F(many)
{
	struct fx *f = *state;
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
	for (unsigned int i = 0; i < 20; i++) {
		a = end_umem(f->f, umem[i]);
		says_nothing(&a);
	}
	a = end_mr(f, mr);
	assert_int_equal(a.n, UVERBS_REQUEST_SHARES);
	/* somebody takes a page that is still to go back */
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
		a = make_umem(f->f, m + 100 * PAGE + 64, PAGE, 1); /* asks for nothing itself */
		back += a.n;
	}
	assert_int_equal(back, 19);
	a = end_umem(f->f, late);
	assert_int_equal(a.n, 1);
	assert_int_equal(a.s[0].what, UVERBS_SHARE_BACK);
}

/* --- one process that has the device open twice ----------------------------------------------- */

TEST_F(two_files)
{
	struct fx *f = *state;
	uint8_t *m = f->mem;
	struct mm *mm = mm_open(chip_host(f->chip), getpid(), -1);
	struct uverbs_file *other = kernel_open(f->k, mm, BLUEFIELD2_HOST);
	struct answer a, b;

	assert_int_equal(fx_context(f, other, true), 0);
	/* what the other file's objects hold is not asked for */
	deaf = true;
	b = make_umem(other, m, PAGE, 1);
	says(&b, m, 1, UVERBS_SHARE_RING);
	deaf = false;
	a = make_umem(f->f, m, PAGE, 1);
	says_nothing(&a);
	end_umem(f->f, a.handle);
	end_umem(other, b.handle);
	/* and does not go back while they do; the file that shares it is told */
	a = make_umem(f->f, m, PAGE, 1);
	says(&a, m, 1, UVERBS_SHARE_RING);
	b = make_umem(other, m + 64, 64, 1);
	says_nothing(&b);
	assert_true(kernel_shared_pages_in_use(f->f));
	assert_false(kernel_shared_pages_in_use(other));
	a = end_umem(f->f, a.handle);
	says_nothing(&a);
	b = end_umem(other, b.handle);
	says_nothing(&b);
	assert_false(kernel_shared_pages_in_use(f->f));
	a = make_umem(f->f, m + 100 * PAGE + 64, PAGE, 1);
	says(&a, m, 1, UVERBS_SHARE_BACK);
	/* pages that only wait to go back */
	a = make_umem(f->f, m, PAGE, 1);
	says(&a, m, 1, UVERBS_SHARE_RING);
	b = make_umem(other, m + 64, 64, 1);
	a = end_umem(f->f, a.handle);
	b = end_umem(other, b.handle);
	b = make_umem(other, m + 64, 64, 1);
	assert_true(kernel_shared_pages_in_use(f->f));
	kernel_close(other);
	mm_close(mm);
	assert_false(kernel_shared_pages_in_use(f->f));
	a = make_umem(f->f, m + 100 * PAGE + 64, PAGE, 1);
	says(&a, m, 1, UVERBS_SHARE_BACK);
}

/* --- what it costs ---------------------------------------------------------------------------- */

/* Bytes that this process has read; 0: the kernel doesn't tell. */
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

/* However much a request pins, the process's mappings are read once: there may be thousands. */
TEST_F(one_look)
{
	struct fx *f = *state;
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
	deaf = true;
	from = bytes_read();
	a = make_cq(f, m + 250 * PAGE, m + 248 * PAGE);
	assert_in_range(bytes_read() - from, 1, all * 5 / 4);
	from = bytes_read();
	a = make_qp(f, pd, a.handle, m + 240 * PAGE, m + 236 * PAGE);
	assert_in_range(bytes_read() - from, 1, all * 5 / 4);
	from = bytes_read();
	end_qp(f, a.handle);
	deaf = false;
	assert_in_range(bytes_read() - from, 0, all / 4);
}
