/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves that sharing does not harm other users of a page: io_uring, a thread's read(), munmap().
 */
#include <linux/capability.h>
#include <linux/io_uring.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>
#include "share_rig.h"
#include "share_scenes.h"

/* Pages that an io_uring has pinned stay in place: it goes on writing to them. */
int scene_uring(void)
{
	struct io_uring_params params = {0};
	char *data = mem_pages(4 * PAGE);
	struct iovec iov = {data, 4 * PAGE};
	int fd = (int)syscall(SYS_io_uring_setup, 4, &params);
	struct io_uring_sqe *sqes;
	uint32_t *sq;
	char *ring;
	struct ibv_mr *mr;
	struct rig r;
	int file = memfd_create("file", 0);

	if (fd < 0)
		return 77;
	memset(data, 1, 4 * PAGE);
	CHECK(pwrite(file, "from the file", 14, 0) == 14);
	CHECK(!syscall(SYS_io_uring_register, fd, IORING_REGISTER_BUFFERS, &iov, 1));
	rig_open(&r, NULL);
	mr = rig_reg(&r, data, 4 * PAGE);
	ring = mmap(NULL, params.sq_off.array + 4 * params.sq_entries, PROT_READ | PROT_WRITE,
		    MAP_SHARED, fd, IORING_OFF_SQ_RING);
	sqes = mmap(NULL, params.sq_entries * sizeof(*sqes), PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		    IORING_OFF_SQES);
	CHECK(ring != MAP_FAILED && sqes != MAP_FAILED);
	sqes[0] = (struct io_uring_sqe){
		.opcode = IORING_OP_READ_FIXED, .fd = file, .addr = (uintptr_t)data, .len = 14};
	sq = (void *)(ring + params.sq_off.array);
	sq[0] = 0;
	sq = (void *)(ring + params.sq_off.tail);
	__atomic_store_n(sq, 1, __ATOMIC_RELEASE);
	CHECK(syscall(SYS_io_uring_enter, fd, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0) == 1);
	CHECK(!strcmp(data, "from the file"));
	CHECK(!ibv_dereg_mr(mr));
	rig_close(&r);
	return 0;
}

static struct {
	char *to;
	unsigned int done;
	bool stop;
} reader;

static void *read_on(void *arg)
{
	int file = memfd_create("file", 0);

	(void)arg;
	CHECK(pwrite(file, "\5", 1, 63) == 1 && pwrite(file, "\5", 1, 0) == 1);
	while (!__atomic_load_n(&reader.stop, __ATOMIC_RELAXED)) {
		CHECK(pread(file, reader.to, 64, 0) == 64);
		__atomic_fetch_add(&reader.done, 1, __ATOMIC_RELAXED);
	}
	close(file);
	return NULL;
}

/* Makes the program like most others: it may not delay stores of the kernel. */
static void drop_privilege(void)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct none[2] = {{0}};

	CHECK(!syscall(SYS_capset, &head, none));
}

/* A thread's read() next to a region does not fail when the region goes. */
static int reads(void)
{
	pthread_t thread;
	struct rig r;

	rig_open(&r, NULL);
	for (int i = 0; i < 20; i++) {
		char *data = mem_pages(PAGE);
		struct ibv_mr *mr;

		data[0] = 1;
		reader.to = data + 2048;
		reader.stop = false;
		reader.done = 0;
		mr = rig_reg(&r, data, 100);
		CHECK(!pthread_create(&thread, NULL, read_on, NULL));
		while (__atomic_load_n(&reader.done, __ATOMIC_RELAXED) < 100)
			;
		CHECK(!ibv_dereg_mr(mr));
		__atomic_store_n(&reader.stop, true, __ATOMIC_RELAXED);
		pthread_join(thread, NULL);
		CHECK(data[2048] == 5);
	}
	CHECK(!ibv_destroy_cq(r.cq) && !ibv_dealloc_pd(r.pd) && !ibv_close_device(r.ctx));
	CHECK(!mem_shared(NULL, 0)); /* one thread again */
	return 0;
}

int scene_reader(void)
{
	return reads();
}

int scene_reader_unprivileged(void)
{
	if (MEM_TSAN)
		return 77; /* it would have to be one thread again */
	drop_privilege();
	return reads();
}

static void *sleep_on(void *arg)
{
	pause();
	return arg;
}

/* Regions that could not become private again are forgotten when the program has unmapped them. */
int scene_churn(void)
{
	pthread_t thread;
	struct rig r;
	char *mem = mem_pages(PAGE);
	struct mlx5dv_devx_umem *umem;

	drop_privilege();
	rig_open(&r, NULL);
	CHECK(!pthread_create(&thread, NULL, sleep_on, NULL));
	for (int i = 0; i < 1100; i++) {
		char *data = mem_pages(PAGE);

		CHECK(!ibv_dereg_mr(rig_reg(&r, data, PAGE)));
		CHECK(!munmap(data, PAGE));
	}
	umem = mlx5dv_devx_umem_reg(r.ctx, mem, PAGE, IBV_ACCESS_LOCAL_WRITE);
	CHECK(umem);
	mem_expect_shared(mem, PAGE);
	CHECK(!mlx5dv_devx_umem_dereg(umem));
	rig_close(&r);
	return 0;
}
