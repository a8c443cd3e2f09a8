/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves that shared memory that is unmapped, moved or protected is as the program made it. */
#include <sys/mman.h>
#include "share_rig.h"
#include "share_scenes.h"

static void renew(void *at, size_t len)
{
	CHECK(!munmap(at, len));
	CHECK(mmap(at, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
		   0) == at);
}

/* New memory in place of shared memory is the program's alone. */
int scene_renew(void)
{
	struct arena a = {mem_pages(64 * PAGE), PAGE};
	char *mem = mem_pages(4 * PAGE);
	struct mlx5dv_devx_umem *umem;
	struct rig r;

	rig_open(&r, &a);
	rig_connect(&r);
	umem = mlx5dv_devx_umem_reg(r.ctx, mem, 4 * PAGE, IBV_ACCESS_LOCAL_WRITE);
	CHECK(umem);
	mem_expect_shared(a.at, 64 * PAGE);
	mem_expect_shared(mem, 4 * PAGE);
	memset(mem, 1, 4 * PAGE);
	renew(a.at, 64 * PAGE);
	renew(mem + PAGE, 2 * PAGE);
	memset(a.at, 7, 64 * PAGE);
	memset(mem + PAGE, 7, 2 * PAGE);
	CHECK(!ibv_destroy_qp(r.qp));
	CHECK(!mlx5dv_devx_umem_dereg(umem));
	CHECK(mem_all(a.at, 7, 64 * PAGE) && mem_all(mem + PAGE, 7, 2 * PAGE));
	CHECK(mem_all(mem, 1, PAGE) && mem_all(mem + 3 * PAGE, 1, PAGE));
	CHECK(!mem_shared(mem, 4 * PAGE) && !mem_shared(a.at, 64 * PAGE));
	r.qp = NULL;
	rig_close(&r);
	return 0;
}

/* New memory in place of a region that is still registered, and another region there. */
int scene_stale(void)
{
	char *from = mem_pages(PAGE), *to = mem_pages(8 * PAGE);
	struct ibv_mr *source, *old, *mr;
	struct rig r;

	rig_open(&r, NULL);
	rig_connect(&r);
	source = rig_reg(&r, from, PAGE);
	for (int len = 1; len <= 8; len *= 8) {
		old = rig_reg(&r, to, 8 * PAGE);
		renew(to, (size_t)len * PAGE);
		memset(to, 0, (size_t)len * PAGE);
		mr = rig_reg(&r, to, (size_t)len * PAGE);
		for (int i = 1; i < 20; i++) {
			memset(from, i, PAGE);
			rig_write(&r, from, source->lkey, to, mr->rkey, PAGE);
			CHECK(mem_all(to, i, PAGE));
		}
		CHECK(!ibv_dereg_mr(old));
		memset(from, 99, PAGE);
		rig_write(&r, from, source->lkey, to, mr->rkey, PAGE);
		CHECK(mem_all(to, 99, PAGE));
		CHECK(!ibv_dereg_mr(mr));
	}
	CHECK(!ibv_dereg_mr(source));
	rig_close(&r);
	return 0;
}

/* Memory that moves while it is shared is still the program's own afterwards. */
int scene_moved(void)
{
	char *mem = mem_pages(2 * PAGE), *elsewhere = mem_pages(2 * PAGE);
	struct mlx5dv_devx_umem *umem;
	struct rig r;

	rig_open(&r, NULL);
	umem = mlx5dv_devx_umem_reg(r.ctx, mem, 2 * PAGE, IBV_ACCESS_LOCAL_WRITE);
	CHECK(umem);
	memset(mem, 5, 2 * PAGE);
	CHECK(mremap(mem, 2 * PAGE, 2 * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, elsewhere) ==
	      elsewhere);
	CHECK(!mlx5dv_devx_umem_dereg(umem));
	CHECK(mem_all(elsewhere, 5, 2 * PAGE));
	CHECK(!mem_shared(elsewhere, 2 * PAGE));
	rig_close(&r);
	return 0;
}

static int protection(const void *va)
{
	unsigned long start, end;
	char line[512], perm[5];
	FILE *maps = fopen("/proc/self/maps", "re");
	int prot = -1;

	CHECK(maps);
	while (prot < 0 && fgets(line, sizeof(line), maps)) {
		CHECK(sscanf(line, "%lx-%lx %4s", &start, &end, perm) == 3);
		if (start <= (unsigned long)va && (unsigned long)va < end)
			prot = (perm[0] == 'r' ? PROT_READ : 0) | (perm[1] == 'w' ? PROT_WRITE : 0);
	}
	fclose(maps);
	return prot;
}

/* Pages that a program has protected stay protected, and still become private again. */
int scene_protect(void)
{
	static const int prots[] = {PROT_NONE, PROT_READ, PROT_READ | PROT_WRITE};
	char *mem = mem_pages(3 * PAGE);
	struct rig r;

	rig_open(&r, NULL);
	for (int round = 0; round < 10; round++) {
		struct mlx5dv_devx_umem *umem =
			mlx5dv_devx_umem_reg(r.ctx, mem, 3 * PAGE, IBV_ACCESS_LOCAL_WRITE);

		CHECK(umem);
		mem_expect_shared(mem, 3 * PAGE);
		memset(mem, round, 3 * PAGE);
		for (size_t i = 0; i < 3; i++)
			CHECK(!mprotect(mem + i * PAGE, PAGE, prots[i]));
		CHECK(!mlx5dv_devx_umem_dereg(umem));
		CHECK(!mem_shared(mem, 3 * PAGE));
		for (size_t i = 0; i < 3; i++)
			CHECK(protection(mem + i * PAGE) == prots[i]);
		CHECK(!mprotect(mem, 3 * PAGE, PROT_READ | PROT_WRITE));
		CHECK(mem_all(mem, round, 3 * PAGE));
	}
	rig_close(&r);
	return 0;
}
