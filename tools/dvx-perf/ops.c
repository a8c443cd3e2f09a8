/* SPDX-License-Identifier: BSD-2-Clause */
#include <dvx/dvx.h>
#include "ops.h"

/* clang-format off */
const struct perf_op_row perf_ops[PERF_OPS] = {
	[PERF_SEND]      = {"send",      "SEND",           true,  true,  true,  0, 0},
	[PERF_SEND_IMM]  = {"send_imm",  "SEND_IMM",       true,  true,  true,  0, 0},
	[PERF_WRITE]     = {"write",     "RDMA_WRITE",     true,  true,  false, DVX_REMOTE_WRITE, 0},
	[PERF_WRITE_IMM] = {"write_imm", "RDMA_WRITE_IMM", true,  true,  true,  DVX_REMOTE_WRITE, 0},
	[PERF_READ]      = {"read",      "RDMA_READ",      true,  false, false, DVX_REMOTE_READ, 0},
	[PERF_FAA]       = {"faa",       "ATOMIC_FA",      true,  false, false, DVX_REMOTE_ATOMIC, 8},
	[PERF_CAS]       = {"cas",       "ATOMIC_CS",      true,  false, false, DVX_REMOTE_ATOMIC, 8},
	[PERF_NOP]       = {"nop",       "NOP",            false, false, false, 0, 0},
	[PERF_DMA]       = {"dma",       "DMA",            true,  false, false, 0, 0},
};

#define RC_OPS (PERF_OP_BIT(PERF_READ) | PERF_OP_BIT(PERF_FAA) | PERF_OP_BIT(PERF_CAS) | PERF_OP_BIT(PERF_DMA))

const struct perf_transport perf_transports[] = {
	{"RC", DVX_QP_RC, true, PERF_ALL_OPS, DVX_REMOTE_WRITE | DVX_REMOTE_READ | DVX_REMOTE_ATOMIC},
	{"UC", DVX_QP_UC, false, PERF_ALL_OPS & ~RC_OPS, DVX_REMOTE_WRITE},
	{"UD", DVX_QP_UD, false, PERF_OP_BIT(PERF_SEND) | PERF_OP_BIT(PERF_SEND_IMM) | PERF_OP_BIT(PERF_NOP), 0},
	{0},
};
/* clang-format on */
