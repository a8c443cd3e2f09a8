/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_OBJ_QP_H
#define SIM_OBJ_QP_H

#include "queue.h"

/* A queue pair and its connection parameters (written by fw/qp.c and fw/qp_state.c). */
struct qp {
	struct queue q; /* first: transports cast from it */
	struct sq sq;
	struct rq rq;
	bool fl;	    /* force loopback */
	bool mmo;	    /* qpc_ext.mmo */
	bool rre, rwe, rae; /* rights of the peer */
	uint32_t remote_qpn;
	struct obj *xrcd; /* of an XRC target, referenced */
	uint32_t qkey;
	bool block_lb_mc; /* does not receive its own multicasts */
	uint32_t ece;	  /* enhanced connection options agreed on */
	uint8_t mtu;	  /* PRM: 1=256 .. 5=4096 */
	uint8_t log_msg_max;
	uint8_t min_rnr_nak, retry_count, rnr_retry, ack_timeout;
	uint8_t log_rra_max, log_sra_max;
	uint8_t atomic_mode;
	uint32_t next_send_psn, next_rcv_psn;
	uint8_t gid_index, rgid[16], rmac[6];
	uint16_t udp_sport;
	uint8_t hop_limit, tclass, prio;
	uint32_t flow_label; /* IPv6, GRH */
	uint16_t pkey_index;
	uint64_t cnp_at; /* time of the last CNP sent; 0: never */
	/* DCI: number of channels, and how many may fail */
	uint8_t log_dci_channels, log_dci_errored;
};

static inline struct qp *qp_of(const struct queue *q)
{
	return (struct qp *)(uintptr_t)q;
}

/* Returns the path MTU in bytes. */
static inline uint32_t qp_mtu(const struct qp *qp)
{
	return qp->mtu >= 1 && qp->mtu <= 5 ? 128u << qp->mtu : 1024;
}

#endif
