/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves that memory is whole if a device is closed, open twice or dead, and that READs arrive. */
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "share_rig.h"
#include "share_scenes.h"

/* A program that closes the device with all objects still there. */
int scene_close(void)
{
	struct arena a = {mem_pages(64 * PAGE), PAGE};
	char *mem = mem_pages(2 * PAGE);
	struct rig r;

	rig_open(&r, &a);
	rig_connect(&r);
	CHECK(mlx5dv_devx_umem_reg(r.ctx, mem, 2 * PAGE, IBV_ACCESS_LOCAL_WRITE));
	mem_expect_shared(mem, 2 * PAGE);
	memset(mem, 3, 2 * PAGE);
	close(r.ctx->cmd_fd);
	close(r.ctx->async_fd);
	CHECK(!mem_shared(NULL, 0));
	CHECK(mem_all(mem, 3, 2 * PAGE));
	return 0;
}

/* One process, two opens of the device, the same memory in both. */
int scene_twice(void)
{
	const int rounds = mem_rounds(200, 3000);
	char *data = mem_pages(4 * PAGE), *from = mem_pages(PAGE);
	struct ibv_mr *first, *second, *source;
	struct rig a, b;

	rig_open(&a, NULL);
	rig_open(&b, NULL);
	rig_connect(&b);
	source = rig_reg(&b, from, PAGE);
	for (int i = 1; i < rounds; i++) {
		first = rig_reg(&a, data, 4 * PAGE);
		second = rig_reg(&b, data, 4 * PAGE);
		memset(from, i, PAGE);
		rig_post(&b, IBV_WR_RDMA_WRITE, from, source->lkey, PAGE, data + 3 * PAGE,
			 second->rkey, true);
		CHECK(!ibv_dereg_mr(first)); /* its pages must not move during that write */
		rig_done(&b);
		CHECK(mem_all(data + 3 * PAGE, (char)i, PAGE));
		CHECK(!ibv_dereg_mr(second));
	}
	first = rig_reg(&a, data, 4 * PAGE);
	second = rig_reg(&b, data, 4 * PAGE);
	CHECK(!ibv_destroy_cq(a.cq));
	close(a.ctx->cmd_fd);
	close(a.ctx->async_fd);
	memset(from, 55, PAGE);
	rig_write(&b, from, source->lkey, data, second->rkey, PAGE);
	CHECK(mem_all(data, 55, PAGE));
	CHECK(!ibv_dereg_mr(second));
	CHECK(!ibv_dereg_mr(source));
	rig_close(&b);
	return 0;
}

/* The device dies before its program: memory is its own, with all its contents. */
int scene_orphan(void)
{
	struct arena a = {mem_pages(64 * PAGE), PAGE};
	char *mem = mem_pages(2 * PAGE);
	struct mlx5dv_devx_umem *umem;
	struct rig r;
	char line[8];
	int status;

	rig_open(&r, &a);
	rig_connect(&r);
	umem = mlx5dv_devx_umem_reg(r.ctx, mem, 2 * PAGE, IBV_ACCESS_LOCAL_WRITE);
	CHECK(umem);
	memset(mem, 6, 2 * PAGE);
	mem_expect_shared(mem, 2 * PAGE);
	puts("open");
	fflush(stdout);
	CHECK(!fgets(line, sizeof(line), stdin)); /* end of input: the device is dead */
	CHECK(mem_all(mem, 6, 2 * PAGE));
	memset(mem, 8, 2 * PAGE);
	memset(a.at + 2048, 8, 64);
	CHECK(mlx5dv_devx_umem_dereg(umem));
	ibv_destroy_qp(r.qp);
	CHECK(mem_all(mem, 8, 2 * PAGE) && mem_all(a.at + 2048, 8, 64));
	if (!fork()) {
		CHECK(mem_all(mem, 8, 2 * PAGE));
		memset(mem, 9, 2 * PAGE);
		_exit(0);
	}
	CHECK(wait(&status) > 0 && !status);
	ibv_close_device(r.ctx);
	CHECK(!mem_shared(NULL, 0));
	CHECK(mem_all(mem, 8, 2 * PAGE));
	return 0;
}

/* The data of a READ without a CQE arrives at once: no other event wakes the device. */
int scene_read(void)
{
	/* never shared with the device, so that waiting would pay for it */
	volatile uint64_t *to =
		mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	uint64_t *from = mem_pages(PAGE);
	struct ibv_mr *a, *b;
	struct rig r;

	rig_open(&r, NULL);
	rig_connect(&r);
	CHECK(to != MAP_FAILED);
	a = rig_reg(&r, from, PAGE);
	b = rig_reg(&r, (void *)(uintptr_t)to, PAGE);
	for (uint64_t i = 1; i < 200; i++) {
		from[0] = i;
		for (int n = 0; n < 3; n++)
			rig_post(&r, IBV_WR_RDMA_READ, (void *)(uintptr_t)to, b->lkey, 8, from,
				 a->rkey, false);
		while (*to != i)
			;
		rig_post(&r, IBV_WR_RDMA_WRITE, from, a->lkey, 8, from + 8, a->rkey, true);
		rig_done(&r);
	}
	CHECK(!ibv_dereg_mr(a) && !ibv_dereg_mr(b));
	rig_close(&r);
	return 0;
}

/* Returns how many bytes this process has read; 0: unknown. */
static unsigned long bytes_read(void)
{
	FILE *io = fopen("/proc/self/io", "re");
	unsigned long n = 0;

	if (io && fscanf(io, "rchar: %lu", &n) != 1)
		n = 0;
	if (io)
		fclose(io);
	return n;
}

/*
 * Among many shared pages, the end of a queue costs one read of the program's mappings, whatever it
 * holds. A device in the same process also reads them when the queue is made.
 */
int scene_maps(void)
{
	struct arena a = {mem_pages(64 * PAGE), PAGE};
	unsigned long from = bytes_read(), all;
	struct rig r;

	if (!from)
		return 77;
	rig_open(&r, &a);
	for (int i = 0; i < 300; i++)
		CHECK(mlx5dv_devx_umem_reg(r.ctx, mem_pages(2 * PAGE) + PAGE, PAGE,
					   IBV_ACCESS_LOCAL_WRITE));
	from = bytes_read();
	CHECK(mem_shared(NULL, 0) > 300);
	all = bytes_read() - from;
	for (int i = 0; i < 4; i++) {
		struct ibv_qp *qp = rig_qp(&r);

		CHECK(mem_shared(a.at, PAGE) && mem_shared(a.at + PAGE, 63 * PAGE));
		from = bytes_read();
		CHECK(!ibv_destroy_qp(qp));
		CHECK(bytes_read() - from < all * 5 / 4);
		CHECK(!mem_shared(a.at, 64 * PAGE));
	}
	return 0;
}
