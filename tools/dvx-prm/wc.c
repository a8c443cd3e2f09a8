/* SPDX-License-Identifier: BSD-2-Clause */
/* Statuses of libibverbs' completions and the mlx5 syndromes behind them. */
#include "said.h"

static const struct {
	const char *name;
	uint8_t syndrome; /* 0: mlx5 has none for it */
} statuses[] = {
	{"SUCCESS", 0},
	{"LOC_LEN_ERR", 0x01},
	{"LOC_QP_OP_ERR", 0x02},
	{"LOC_EEC_OP_ERR", 0},
	{"LOC_PROT_ERR", 0x04},
	{"WR_FLUSH_ERR", 0x05},
	{"MW_BIND_ERR", 0x06},
	{"BAD_RESP_ERR", 0x10},
	{"LOC_ACCESS_ERR", 0x11},
	{"REM_INV_REQ_ERR", 0x12},
	{"REM_ACCESS_ERR", 0x13},
	{"REM_OP_ERR", 0x14},
	{"RETRY_EXC_ERR", 0x15},
	{"RNR_RETRY_EXC_ERR", 0x16},
	{"LOC_RDD_VIOL_ERR", 0},
	{"REM_INV_RD_REQ_ERR", 0},
	{"REM_ABORT_ERR", 0x22},
	{"INV_EECN_ERR", 0},
	{"INV_EEC_STATE_ERR", 0},
	{"FATAL_ERR", 0},
	{"RESP_TIMEOUT_ERR", 0},
	{"GENERAL_ERR", 0},
	{"TM_ERR", 0},
	{"TM_RNDV_INCOMPLETE", 0},
};
enum { STATUSES = sizeof(statuses) / sizeof(statuses[0]) };

const char *wc_name(unsigned int status)
{
	return status < STATUSES ? statuses[status].name : "?";
}

unsigned int wc_syndrome(unsigned int status)
{
	return status < STATUSES ? statuses[status].syndrome : 0;
}

unsigned int wc_of_syndrome(unsigned int syndrome)
{
	for (unsigned int i = 0; i < STATUSES; i++)
		if (syndrome && statuses[i].syndrome == syndrome)
			return i;
	return 0;
}
