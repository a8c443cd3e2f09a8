/* SPDX-License-Identifier: BSD-2-Clause */
#include <dvx/dvx.h>
#include "ops.h"

/* clang-format off */
const struct perf_op_row perf_ops[PERF_OPS] = {
	[PERF_SEND]      = {"send",      "SEND",           true,  true,  true,  0, 0, false},
	[PERF_SEND_IMM]  = {"send_imm",  "SEND_IMM",       true,  true,  true,  0, 0, false},
	[PERF_SEND_INVAL] = {"send_inval", "SEND_INVAL",  true,  true,  true,  DVX_REMOTE_READ, 0, true},
	[PERF_WRITE]     = {"write",     "RDMA_WRITE",     true,  true,  false, DVX_REMOTE_WRITE, 0, false},
	[PERF_WRITE_IMM] = {"write_imm", "RDMA_WRITE_IMM", true,  true,  true,  DVX_REMOTE_WRITE, 0, false},
	[PERF_READ]      = {"read",      "RDMA_READ",      true,  false, false, DVX_REMOTE_READ, 0, false},
	[PERF_FAA]       = {"faa",       "ATOMIC_FA",      true,  false, false, DVX_REMOTE_ATOMIC, 8, false},
	[PERF_CAS]       = {"cas",       "ATOMIC_CS",      true,  false, false, DVX_REMOTE_ATOMIC, 8, false},
	[PERF_MASKED_FAA] = {"masked_faa", "MASKED_FA",   true,  false, false, DVX_REMOTE_ATOMIC, 8, false},
	[PERF_MASKED_CAS] = {"masked_cas", "MASKED_CS",   true,  false, false, DVX_REMOTE_ATOMIC, 8, false},
	[PERF_UMR]       = {"umr",       "UMR",            false, false, false, 0, 0, false},
	[PERF_NOP]       = {"nop",       "NOP",            false, false, false, 0, 0, false},
	[PERF_DMA]       = {"dma",       "DMA",            true,  false, false, 0, 0, false},
};

#define OF_ALL (PERF_SENDS | PERF_OP_BIT(PERF_NOP))
#define READ   PERF_OP_BIT(PERF_READ)
#define AV     (PRM_AV_BYTES / DVX_SEG)
#define MOVES  (DVX_REMOTE_WRITE | DVX_REMOTE_READ)

const struct perf_transport perf_transports[] = {
	{"RC", PERF_RC, DVX_QP_RC, true, false, false, 0, PERF_ALL_OPS, MOVES | DVX_REMOTE_ATOMIC},
	{"UC", PERF_UC, DVX_QP_UC, false, false, false, 0, OF_ALL | PERF_WRITES, DVX_REMOTE_WRITE},
	{"UD", PERF_UD, DVX_QP_UD, false, true, false, AV, OF_ALL, 0},
	{"DC", PERF_DC, DVX_QP_DCI, true, true, true, AV, OF_ALL | PERF_WRITES | READ, MOVES},
	{"XRC", PERF_XRC, DVX_QP_XRC_INI, true, false, true, 1, OF_ALL | PERF_WRITES | READ, MOVES},
	{0},
};
/* clang-format on */
