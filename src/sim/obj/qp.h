/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_OBJ_QP_H
#define SIM_OBJ_QP_H

#include "queue.h"

/* A queue pair: what its context says of the connection (fw/qp.c and fw/qp_state.c write it). */
struct qp {
	struct queue q; /* first: transports get here from it */
	struct sq sq;
	struct rq rq;
	bool fl;	    /* force loopback */
	bool mmo;	    /* qpc_ext.mmo */
	bool rre, rwe, rae; /* what the peer may do */
	uint32_t remote_qpn;
	struct obj *xrcd; /* of an XRC target, referenced */
	uint32_t qkey;
	bool block_lb_mc; /* its own multicasts do not come back to it */
	uint32_t ece;	  /* options of the connection that were agreed on */
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
	uint64_t cnp_at;			   /* when it sent the last CNP; 0: never */
	uint8_t log_dci_channels, log_dci_errored; /* DCI: of its channels, that many may fail */
};

static inline struct qp *qp_of(const struct queue *q)
{
	return (struct qp *)(uintptr_t)q;
}

/* In bytes. */
static inline uint32_t qp_mtu(const struct qp *qp)
{
	return qp->mtu >= 1 && qp->mtu <= 5 ? 128u << qp->mtu : 1024;
}

#endif
