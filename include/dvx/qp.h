/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_QP_H
#define DVX_QP_H

#include <dvx/connect.h>
#include <dvx/cq.h>
#include <dvx/mem.h>
#include <dvx/rq.h>
#include <dvx/sq.h>

DVX_BEGIN_DECLS

struct ibv_qp;

enum dvx_qp_flags {
	DVX_QP_MMO = 1 << 0,		/* dvx_post_dma() works on it */
	DVX_QP_FORCE_LOOPBACK = 1 << 1, /* packets stay inside the NIC */
	DVX_QP_REAL_TIME = 1 << 2,	/* CQEs have the time of day (clock.h) */
	/* Cross-channel (cross.h), if the device has it (PRM: cd). */
	DVX_QP_MASTER = 1 << 3,	      /* its requests may start managed queues */
	DVX_QP_MANAGED_SEND = 1 << 4, /* requests of a master set how far it sends ... */
	DVX_QP_MANAGED_RECV = 1 << 5, /* ... and receives */
};

/*
 * Service types; the values are those of PRM qpc.st. UC: SEND and WRITE only, losses are not
 * reported. UD: datagrams of up to the port's MTU, each with its own destination (ud.h). DCI: sends
 * only, each request names its target (dc.h). XRC_INI: sends only, can only be adopted (xrc.h).
 */
enum dvx_qp_type {
	DVX_QP_RC = 0,
	DVX_QP_UC = 1,
	DVX_QP_UD = 2,
	DVX_QP_XRC_INI = 3,
	DVX_QP_DCI = 5
};

/* Attributes of a queue pair made by DevX; it starts in state RST. PRM: CREATE_QP. */
struct dvx_qp_attr {
	uint32_t size;
	uint32_t flags; /* enum dvx_qp_flags */
	struct dvx_pd *pd;
	struct dvx_cq *send_cq;
	struct dvx_cq *recv_cq; /* NULL: send_cq */
	struct dvx_uar *uar;	/* the send queue's doorbell */
	uint32_t sq_blocks;	/* at least; one for each 64 bytes of WQE */
	uint32_t rq_entries;	/* at least; 0: no receive queue */
	uint32_t rq_sge;	/* pieces of one receive; 0: 1 */
	uint32_t user_index;	/* in CQEs: dvx_cqe_user_index(); 24 bits, 0xffffff excluded */
	struct dvx_place place; /* of both rings */
	uint8_t type;		/* enum dvx_qp_type */
	/* DCI: log2 of its streams, and of how many may fail before the queue does */
	uint8_t log_dci_streams;
	uint8_t log_dci_errored;
	uint8_t reserved[5];
	struct dvx_srq *srq; /* shared receive queue; then rq_entries and rq_sge are 0 */
};
int dvx_qp_create(struct dvx_dev *dev, const struct dvx_qp_attr *attr, struct dvx_qp **out);

/*
 * Takes over the rings of a verbs QP (RC, UC, UD, DCI or XRC_INI), in any state, before anything
 * was posted to it (else -EBUSY). From then on only libdvx posts. Adopt its CQs before: libmlx5's
 * poll does not know libdvx's WQEs. The caller keeps the ibv_qp, which must outlive the dvx_qp, and
 * connects it by ibv_modify_qp(). For a reset call dvx_qp_to_rst() instead; dvx_qp_destroy() resets
 * the QP, too.
 */
int dvx_qp_adopt(struct dvx_dev *dev, struct ibv_qp *ibqp, struct dvx_qp **out);

/* Destroys a created queue pair, or releases an adopted one (its ibv_qp stays, in RST). */
int dvx_qp_destroy(struct dvx_qp *qp);

uint32_t dvx_qp_number(const struct dvx_qp *qp);
struct dvx_sq *dvx_qp_sq(struct dvx_qp *qp);
struct dvx_rq *dvx_qp_rq(struct dvx_qp *qp); /* NULL without a receive queue of its own */

/* Make one state transition each (PRM: RST2INIT_QP, ...). peer is NULL for UD and DCI. */
int dvx_qp_to_init(struct dvx_qp *qp, const struct dvx_qp_local *local);
int dvx_qp_to_rtr(struct dvx_qp *qp, const struct dvx_qp_local *local,
		  const struct dvx_qp_peer *peer);
int dvx_qp_to_rts(struct dvx_qp *qp, const struct dvx_qp_local *local,
		  const struct dvx_qp_peer *peer);
/* To ERR: all outstanding requests are flushed with error CQEs. */
int dvx_qp_to_err(struct dvx_qp *qp);
/* To RST: empties the rings, and removes the queue's CQEs from its CQs. */
int dvx_qp_to_rst(struct dvx_qp *qp);
/*
 * Brings a UC or UD queue from SQER back to RTS. It is in SQER after one of its sends failed: it
 * still receives, but does not send. Poll all flushed completions first. An RC queue goes to ERR
 * instead, which it can leave only to RST.
 */
int dvx_qp_sqerr_to_rts(struct dvx_qp *qp);
/* Makes all transitions from RST to RTS. */
int dvx_qp_connect(struct dvx_qp *qp, const struct dvx_qp_local *local,
		   const struct dvx_qp_peer *peer);
/*
 * Connects an RC or UC queue to itself, for copies inside the chip and for tests. `access` (enum
 * dvx_access) are the rights of its own WQEs.
 */
int dvx_qp_connect_self(struct dvx_qp *qp, uint32_t access);
/* Asks the device for the queue's state, an enum prm_qp_state. PRM: QUERY_QP. */
int dvx_qp_query_state(struct dvx_qp *qp, uint8_t *state);

DVX_END_DECLS

#endif
