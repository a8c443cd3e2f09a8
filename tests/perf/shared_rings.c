/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The work that shared.sh counts of a program: one more umem is made and destroyed among N, each in
 * pages of its own, which are shared with the device as those of a ring are. Prints how many pieces
 * there are. Pages of the heap would not do: valgrind makes it executable. shared_rings N
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <infiniband/mlx5dv.h>
#include "tests/verbs/verbs_qp.h"

#define PAGE 4096u

static struct mlx5dv_devx_umem *ring_make(struct ibv_context *ctx, void *at)
{
	return mlx5dv_devx_umem_reg(ctx, at, PAGE, IBV_ACCESS_LOCAL_WRITE);
}

static __attribute__((noipa)) int ring_more(struct ibv_context *ctx, void *at)
{
	struct mlx5dv_devx_umem *umem = ring_make(ctx, at);

	return umem ? mlx5dv_devx_umem_dereg(umem) : -1;
}

static int pieces_shared(void)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[512];
	int n = 0;

	while (maps && fgets(line, sizeof(line), maps))
		n += strstr(line, "dvx-sim-ring") != NULL;
	if (maps)
		fclose(maps);
	return n;
}

int main(int argc, char **argv)
{
	struct ibv_context *ctx = verbs_open();
	size_t n = argc == 2 ? (size_t)atoi(argv[1]) : 0;
	char *mem = mmap(NULL, (2 * n + 1) * PAGE, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (!ctx || !n || mem == MAP_FAILED)
		return 2;
	for (size_t i = 1; i <= n; i++)
		if (!ring_make(ctx, mem + 2 * i * PAGE))
			return 1;
	printf("%d\n", pieces_shared());
	fflush(stdout);
	return ring_more(ctx, mem) != 0;
}
