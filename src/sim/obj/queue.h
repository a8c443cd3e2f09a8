/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_OBJ_QUEUE_H
#define SIM_OBJ_QUEUE_H

#include "obj.h"
#include "ring.h"

/* Values of qpc.state. A raw packet queue is in RST, RTS (its RDY) or ERR. */
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

/* A send queue and the device's position in its ring (queue/sq.c changes it). */
struct sq {
	struct queue *q;  /* queue that it belongs to */
	struct cq *cq;	  /* referenced */
	uint64_t offset;  /* in the ring */
	uint8_t log_size; /* in blocks of 64 bytes */
	uint16_t pi;	  /* last counter read from the record */
	uint16_t ci;	  /* next block to fetch */
	uint16_t done;	  /* next block to complete */
	/* READs and atomics of up to this length have their data in the CQE: qpc.cs_req */
	uint8_t inline_most;
	bool held;   /* by its transport, until that calls sq_more() */
	bool waits;  /* held by a WAIT (queue/cross.c) */
	bool master; /* cd_master: its requests may enable WQEs of other queues */
	/* cd_slave_send: runs up to its record, and to what other queues enable */
	bool managed;
	uint16_t rung; /* managed: the last value read from the record */
	/* syndrome of the first request that failed since RST, and its index; 0: none */
	uint8_t failed;
	uint16_t failed_wqe;
	struct sq_priv *priv;
};

/* A receive queue (queue/rq.c). */
struct rq {
	struct queue *q;
	struct cq *cq;	 /* referenced */
	struct srq *srq; /* source of its entries; referenced. NULL: its own ring */
	uint64_t offset;
	uint8_t log_size, log_stride; /* stride = 16 << log_stride bytes */
	/* Raw packets: an entry is this many strides, and each packet takes some of them. */
	uint8_t log_stride_bytes; /* 0: an entry takes one packet */
	uint8_t log_strides;
	uint8_t shift; /* bytes left free before each packet */
	bool managed;  /* cd_slave_receive: receives up to `enabled` */
	uint16_t pi, ci, enabled;
	uint8_t inline_most; /* a SEND of up to this length has its data in the CQE: qpc.cs_res */
	struct rq_priv *priv;
};

/*
 * The mkey that a queue used last, if its memory is one piece that the device reaches itself: what
 * mkey_bytes() found and checked. It is true until device.mkey_changes or the pages change.
 */
struct mkey_view {
	uint64_t start, len;
	uint8_t *at;	  /* of the mkey's first byte */
	uint64_t changes; /* mkey_changes_of(); 0: empty */
	uint32_t key, pdn;
	uint8_t rights;
};
/* Uses of mkeys, each with its own view. */
enum mkey_use { MKEY_BY_REQUEST, MKEY_BY_RECEIVE, MKEY_BY_PEER, MKEY_USES };

/*
 * A QP with a send and a receive queue (obj/qp.h), or a single queue for raw packets
 * (obj/raw_queue.h). Either has one ring, one doorbell record, one state.
 */
struct queue {
	struct obj o;
	const struct transport *transport;
	uint8_t state; /* enum qp_state */
	bool flush_silent; /* flush_in_error_en is clear: no CQEs in ERR */
	bool drain_sigerr; /* a wrong signature in data that it sends or reads stops it (SQD) */
	bool utc;	   /* ts_format: CQEs have the time of day instead of a counter */
	uint32_t pdn;
	uint32_t uar;
	uint32_t user_index;
	struct obj *pd, *uar_obj; /* referenced */
	struct obj *tis;	  /* of a raw SQ; referenced */
	struct ring ring;	  /* of a QP: RQ first, then SQ */
	bus_t dbrec;		  /* rcv counter, snd counter */
	struct dma_place dbrec_place;
	struct umem *dbr_umem;	  /* referenced, if the record lies in one */
	struct sq *sq;		  /* NULL: it has none */
	struct rq *rq;
	struct queue_priv *priv;
	struct q_counter *counter;   /* qpc, rqc: counter_set_id; referenced. NULL: it is 0 */
	struct queue_stats *stats;   /* counters in use */
	struct sched_leaves *leaves; /* obj/sched_elem.h; NULL: no scheduling element */
	void *conn;		     /* connection state, private to the transport */
	struct mkey_view view[MKEY_USES]; /* by use */
	uint8_t ctx[256];	     /* qpc, sqc or rqc as commands set it, for QUERY */
};

#endif
