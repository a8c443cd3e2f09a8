/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef UVERBS_DM_OP_H
#define UVERBS_DM_OP_H

#include <stdint.h>
#include <rdma/mlx5-abi.h>

/*
 * Offsets at which a program maps device memory. In the page number, libmlx5 puts the command into
 * the bits above 8, and the kernel's page index below. The first pages are the memory; behind them
 * each operation has a window of the same size. MAP_OP_ADDR fills the pages of a window with this
 * struct, for the client library: it names the operation's target. The program never sees them.
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
