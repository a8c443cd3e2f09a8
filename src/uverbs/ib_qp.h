/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef UVERBS_IB_QP_H
#define UVERBS_IB_QP_H

/* Enumerations of the verbs ABI that libibverbs' headers have, and no uapi header. */

enum { RESET, INIT, RTR, RTS, SQD, SQE, ERR, STATES }; /* enum ib_qp_state */

/* enum ib_qp_attr_mask */
enum {
	A_STATE = 1 << 0,
	A_CUR_STATE = 1 << 1,
	A_SQD_NOTIFY = 1 << 2,
	A_ACCESS = 1 << 3,
	A_PKEY_INDEX = 1 << 4,
	A_PORT = 1 << 5,
	A_QKEY = 1 << 6,
	A_AV = 1 << 7,
	A_PATH_MTU = 1 << 8,
	A_TIMEOUT = 1 << 9,
	A_RETRY_CNT = 1 << 10,
	A_RNR_RETRY = 1 << 11,
	A_RQ_PSN = 1 << 12,
	A_MAX_RD = 1 << 13,
	A_ALT_PATH = 1 << 14,
	A_MIN_RNR_TIMER = 1 << 15,
	A_SQ_PSN = 1 << 16,
	A_MAX_DEST_RD = 1 << 17,
	A_PATH_MIG_STATE = 1 << 18,
	A_CAP = 1 << 19,
	A_DEST_QPN = 1 << 20,
	A_STANDARD = (1 << 21) - 1,
	A_RATE_LIMIT = 1 << 25, /* EX_MODIFY_QP only */
};

#endif
