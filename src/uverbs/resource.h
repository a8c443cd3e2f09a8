/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef UVERBS_RESOURCE_H
#define UVERBS_RESOURCE_H

#include <stdint.h>

/* The kernel's objects as `rdma res` shows them, in the order of the kernel's restrack types. */
enum resource_kind {
	RESOURCE_PD,
	RESOURCE_CQ,
	RESOURCE_QP,
	RESOURCE_CM_ID,
	RESOURCE_MR,
	RESOURCE_CTX,
	RESOURCE_SRQ,
	RESOURCE_KINDS
};

#define RESOURCE_ADDR 48u

struct uverbs_resource {
	uint32_t kind;
	uint32_t id;  /* the hardware's number; contexts have numbers of their own */
	uint32_t pid; /* of the program */
	uint32_t ctx, pd;
	uint32_t users; /* objects that refer to it */
	uint32_t cqe;
	uint32_t remote_qpn, rq_psn, sq_psn;
	uint32_t srq;		   /* of a QP: its SRQ's number, 0: none */
	uint32_t cqn;		   /* of an XRC SRQ */
	uint8_t type, state, port; /* of a QP: IB_UVERBS_QPT_*, enum ib_qp_state; SRQT_* */
	uint32_t qpn; /* of a CM_ID: its QP, of `type`; 0: none */
	uint64_t len;
	/* CM_ID: RDMA_PS_*, and struct sockaddr_in, _in6 or _ib; family 0: not known. */
	uint32_t ps;
	uint8_t src[RESOURCE_ADDR], dst[RESOURCE_ADDR];
};

#endif
