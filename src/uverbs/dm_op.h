/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef UVERBS_DM_OP_H
#define UVERBS_DM_OP_H

#include <stdint.h>
#include <rdma/mlx5-abi.h>

/*
 * Where a program maps device memory: libmlx5 has the command in the page number's bits above 8,
 * and the page index that the kernel gave in those below. The first pages are the memory; behind
 * them each operation has a window of as many. DM_MAP_OP_ADDR fills its pages, of which the program
 * never sees a byte: they tell the program's half what the page operates on.
 */
#define DM_MMAP_PAGE   ((uint64_t)MLX5_IB_MMAP_DEVICE_MEM << 8)
#define DM_PAGES       32u
#define DM_OP_PAGE(op) (64u + (op)*DM_PAGES)
#define DM_OPS	       2u

struct dm_op_page {
	uint32_t valid; /* 1; 0: nothing is here */
	uint32_t page;	/* of the memory */
};

#endif
