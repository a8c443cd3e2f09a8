/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_KERNEL_VERBS_QP_TYPE_H
#define SIM_KERNEL_VERBS_QP_TYPE_H

#include <stdint.h>
#include <dvx/prm/qp.h>
#include "uverbs/ib_qp.h"

/* mlx5_ib's types within IB_UVERBS_QPT_DRIVER; ib_core does not use these numbers. */
enum { QP_TYPE_DCI = 0xfd, QP_TYPE_DCT = 0xfe };

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
