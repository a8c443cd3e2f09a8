/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_OBJ_QP_H
#define SIM_OBJ_QP_H

#include "obj.h"
#include "ring.h"

/* qpc.state */
enum qp_state {
	QP_RST = 0,
	QP_INIT = 1,
	QP_RTR = 2,
	QP_RTS = 3,
	QP_SQER = 4,
	QP_SQD = 5,
	QP_ERR = 6,
	QP_SQ_DRAINING = 7,
};

struct cq;
struct qp_priv;
struct transport;

/*
 * A queue pair: context fields that firmware commands set (fw/qp.c writes them, with references
 * on PD, CQs, UAR, umems), and where the device stands in its rings (dp writes those).
 */
struct qp {
	struct obj o;
	const struct transport *transport;
	uint8_t state; /* enum qp_state */
	uint32_t pdn;
	struct obj *pd; /* referenced, as are the CQs and the UAR */
	struct cq *scq, *rcq;
	struct obj *uar_obj;
	uint32_t uar;
	uint32_t user_index;
	struct ring ring;		    /* RQ first, then SQ */
	bus_t dbrec;			    /* rcv counter, snd counter */
	struct umem *dbr_umem;		    /* referenced, if the record lies in one */
	uint8_t log_rq_stride, log_rq_size; /* stride = 16 << log_rq_stride bytes */
	uint8_t log_sq_size;		    /* in 64-byte blocks */
	uint64_t rq_offset, sq_offset;
	bool no_rq, no_sq, has_srq;
	bool fl;	    /* force loopback */
	bool mmo;	    /* qpc_ext.mmo */
	bool rre, rwe, rae; /* what the peer may do */
	uint32_t srqn;
	/* the connection */
	uint32_t remote_qpn;
	uint8_t mtu; /* PRM: 1=256 .. 5=4096 */
	uint8_t log_msg_max;
	uint8_t min_rnr_nak, retry_count, rnr_retry, ack_timeout;
	uint8_t log_rra_max, log_sra_max;
	uint32_t next_send_psn, next_rcv_psn;
	uint8_t gid_index, rgid[16], rmac[6];
	uint16_t udp_sport;
	uint8_t hop_limit, tclass;
	uint16_t pkey_index;
	/* dp */
	uint16_t sq_pi;	  /* last counter seen in the record */
	uint16_t sq_ci;	  /* next block to fetch */
	uint16_t sq_done; /* next block to complete */
	uint16_t rq_pi, rq_ci;
	struct qp_priv *priv; /* dp's own part */
	void *conn;	      /* the transport's part */
	/* A queue of raw packets (OBJ_SQ, OBJ_RQ): one half. RST, RTS for RDY, and ERR are its states. */
	uint8_t slow; /* a packet's way through the tables was long: so many are sent one by one */
	bool flush_silent; /* flush_in_error_en is clear: in ERR no CQE tells */
	bool strip_vlan;   /* rqc.vsd is clear */
	uint8_t min_inline; /* sqc.min_wqe_inline_mode */
	struct obj *tis;   /* referenced */
	uint8_t qpc[256];  /* as the commands left it (qpc, sqc or rqc), for QUERY */
};

#endif
