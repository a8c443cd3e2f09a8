/* SPDX-License-Identifier: BSD-2-Clause */
/* Statuses of libibverbs' completions and the mlx5 syndromes behind them. */
#include "failure.h"

#include <strings.h>

static const struct {
	const char *name;
	uint8_t syndrome; /* 0: mlx5 has none */
	const char *text; /* text of ibv_wc_status_str(), if lines have it */
} statuses[] = {
	{"SUCCESS", 0, NULL},
	{"LOC_LEN_ERR", 0x01, "local length error"},
	{"LOC_QP_OP_ERR", 0x02, "local QP operation error"},
	{"LOC_EEC_OP_ERR", 0, NULL},
	{"LOC_PROT_ERR", 0x04, "local protection error"},
	{"WR_FLUSH_ERR", 0x05, "Work Request Flushed Error"},
	{"MW_BIND_ERR", 0x06, "memory management operation error"},
	{"BAD_RESP_ERR", 0x10, "bad response error"},
	{"LOC_ACCESS_ERR", 0x11, "local access error"},
	{"REM_INV_REQ_ERR", 0x12, "remote invalid request error"},
	{"REM_ACCESS_ERR", 0x13, "remote access error"},
	{"REM_OP_ERR", 0x14, "remote operation error"},
	{"RETRY_EXC_ERR", 0x15, "transport retry counter exceeded"},
	{"RNR_RETRY_EXC_ERR", 0x16, "RNR retry counter exceeded"},
	{"LOC_RDD_VIOL_ERR", 0, NULL},
	{"REM_INV_RD_REQ_ERR", 0, NULL},
	{"REM_ABORT_ERR", 0x22, "aborted error"},
	{"INV_EECN_ERR", 0, NULL},
	{"INV_EEC_STATE_ERR", 0, NULL},
	{"FATAL_ERR", 0, NULL},
	{"RESP_TIMEOUT_ERR", 0, NULL},
	{"GENERAL_ERR", 0, NULL},
	{"TM_ERR", 0, NULL},
	{"TM_RNDV_INCOMPLETE", 0, NULL},
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

unsigned int wc_syndrome_of_kernel(const char *text)
{
	/* By syndrome. Above 6 ib_wc_status_msg() has the text of another status. */
	static const char *const words[] = {
		[0x01] = "local length error",
		[0x02] = "local QP operation error",
		[0x04] = "local protection error",
		[0x05] = "WR flushed",
		[0x06] = "memory bind operation error",
		[0x10] = "operation aborted",
		[0x11] = "invalid EE context number",
		[0x12] = "invalid EE context state",
		[0x13] = "fatal error",
		[0x14] = "response timeout error",
		[0x15] = "general error",
	};

	for (unsigned int i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (words[i] && !strcasecmp(words[i], text))
			return i;
	return 0;
}

unsigned int wc_of_text(const char *text)
{
	for (unsigned int i = 0; i < STATUSES; i++)
		if (statuses[i].text && !strcasecmp(statuses[i].text, text))
			return i;
	return 0;
}

unsigned int wc_of_name(const char *name)
{
	for (unsigned int i = 0; i < STATUSES; i++)
		if (!strcasecmp(statuses[i].name, name))
			return i;
	return 0;
}
