/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_OBJ_QUEUE_H
#define SIM_OBJ_QUEUE_H

#include "obj.h"
#include "ring.h"

/* qpc.state. A send or receive queue of its own is in RST, RTS (its RDY) or ERR. */
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
struct q_counter;
struct queue;
struct sched_leaves;
struct queue_stats;
struct srq;
struct transport;

/* A send queue, and where the device stands in its ring (queue/sq.c moves that). */
struct sq {
	struct queue *q;  /* whose it is */
	struct cq *cq;	  /* referenced */
	uint64_t offset;  /* in the ring */
	uint8_t log_size; /* in blocks of 64 bytes */
	uint16_t pi;	  /* last counter seen in the record */
	uint16_t ci;	  /* next block to fetch */
	uint16_t done;	  /* next block to complete */
	uint8_t inline_most; /* a READ or atomic that brings no more has it in its CQE: qpc.cs_req
			      */
	bool held;	  /* by its transport, which calls sq_more() when it may go on */
	bool waits;	  /* a WAIT holds it (queue/cross.c) */
	bool master;	  /* cd_master: its requests may start other queues */
	bool managed;	  /* cd_slave_send: other queues' requests start it, and its record */
	uint16_t rung;	  /* managed: the last record that was read */
	struct sq_priv *priv;
};

/* A receive queue (queue/rq.c). */
struct rq {
	struct queue *q;
	struct cq *cq;	 /* referenced */
	struct srq *srq; /* its entries come from there; referenced. NULL: from its own ring */
	uint64_t offset;
	uint8_t log_size, log_stride; /* stride = 16 << log_stride bytes */
	/* Of raw packets: an entry is this many strides, and each packet takes some of them. */
	uint8_t log_stride_bytes; /* 0: an entry is for one packet */
	uint8_t log_strides;
	uint8_t shift; /* bytes that are left free before each packet */
	bool managed; /* cd_slave_receive: it receives up to `enabled` */
	uint16_t pi, ci, enabled;
	uint8_t inline_most; /* a SEND that brings no more has it in its CQE: qpc.cs_res */
	struct rq_priv *priv;
};

/*
 * A QP with a send and a receive queue (obj/qp.h), or a single queue for raw packets
 * (obj/raw_queue.h). It has one ring, one doorbell record, one state.
 */
struct queue {
	struct obj o;
	const struct transport *transport;
	uint8_t state; /* enum qp_state */
	bool flush_silent; /* flush_in_error_en is clear: no CQEs in ERR */
	bool drain_sigerr; /* a wrong signature in what it sends or reads stops it (SQD) */
	bool utc; /* ts_format: the time of day instead of a counter in CQEs */
	uint32_t pdn;
	uint32_t uar;
	uint32_t user_index;
	struct obj *pd, *uar_obj; /* referenced */
	struct obj *tis;	  /* of an SQ of its own; referenced */
	struct ring ring;	  /* of a QP: RQ first, then SQ */
	bus_t dbrec;		  /* rcv counter, snd counter */
	struct dma_place dbrec_place;
	struct umem *dbr_umem;	  /* referenced, if the record lies in one */
	struct sq *sq;		  /* NULL: it has none */
	struct rq *rq;
	struct queue_priv *priv;
	struct q_counter *counter;   /* qpc, rqc: counter_set_id; referenced. NULL: it is 0 */
	struct queue_stats *stats;   /* where it counts */
	struct sched_leaves *leaves; /* obj/sched_elem.h; NULL: no scheduling element */
	void *conn;	  /* the transport's part */
	uint8_t ctx[256]; /* qpc, sqc or rqc as the commands left it, for QUERY */
};

#endif
