/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_KERNEL_VERBS_QP_TYPE_H
#define SIM_KERNEL_VERBS_QP_TYPE_H

#include <stdint.h>
#include <dvx/prm/qp.h>

enum { RESET, INIT, RTR, RTS, SQD, SQE, ERR, STATES }; /* enum ib_qp_state */

/* mlx5_ib's types within IB_UVERBS_QPT_DRIVER; ib_core does not use these numbers. */
enum { QP_TYPE_DCI = 0xfd, QP_TYPE_DCT = 0xfe };

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

#define O_ACCESS (PRM_QP_OPTPAR_RRE | PRM_QP_OPTPAR_RAE | PRM_QP_OPTPAR_RWE)

/* A transition of ib_core's table; all others are refused. */
struct qp_transition {
	uint8_t from, to;
	uint16_t opcode;
	uint32_t need, may; /* attributes besides A_STATE */
	uint32_t optpar;    /* optional parameters that the command takes */
};

/* A type of QPs that have a qpc. */
struct qp_type {
	uint8_t ib; /* enum ib_uverbs_qp_type */
	uint8_t st; /* qpc.st */
	const struct qp_transition *transitions;
	unsigned int n;
};

/* Finds a type. NULL: the device does not have it. */
const struct qp_type *qp_type_find(uint64_t ib);
const struct qp_transition *qp_type_transition(const struct qp_type *, unsigned int from,
					       unsigned int to);

/* Writes the names of the bits of an attr_mask to text, and returns text. */
#define ATTR_NAMES 512
const char *qp_attr_names(uint32_t mask, char text[ATTR_NAMES]);
/*
 * Checks an attr_mask: -EINVAL with a sentence if `need` is incomplete, or more than `may` is set.
 */
int qp_attr_check(const char *change, uint32_t mask, uint32_t need, uint32_t may);

#endif
