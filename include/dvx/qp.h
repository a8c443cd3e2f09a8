/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_QP_H
#define DVX_QP_H

#include <dvx/cq.h>
#include <dvx/mem.h>
#include <dvx/rq.h>
#include <dvx/sq.h>

DVX_BEGIN_DECLS

struct ibv_qp;

enum dvx_qp_flags {
	DVX_QP_MMO = 1 << 0,		/* dvx_post_dma() works on it */
	DVX_QP_FORCE_LOOPBACK = 1 << 1, /* packets stay inside the NIC */
};

/* Service types, as qpc.st has them. UC: SEND and WRITE only, losses are not reported. */
enum dvx_qp_type { DVX_QP_RC = 0, DVX_QP_UC = 1 };

/* A queue pair made by DevX; it starts in RST. */
struct dvx_qp_attr {
	uint32_t size;
	uint32_t flags; /* enum dvx_qp_flags */
	struct dvx_pd *pd;
	struct dvx_cq *send_cq;
	struct dvx_cq *recv_cq; /* NULL: send_cq */
	struct dvx_uar *uar;	/* the send queue's doorbell */
	uint32_t sq_blocks;	/* at least: one for each 64 bytes of WQE */
	uint32_t rq_entries;	/* at least; 0: no receive queue */
	uint32_t rq_sge;	/* pieces of one receive; 0: 1 */
	uint32_t user_index; /* what CQEs carry: dvx_cqe_user_index(); 24 bits, 0xffffff excluded */
	struct dvx_place place; /* of both rings */
	uint8_t type;		/* enum dvx_qp_type */
	uint8_t reserved[7];
};
int dvx_qp_create_layout(struct dvx_dev *dev, const struct dvx_qp_attr *attr, uint32_t layout,
			 struct dvx_qp **out);
DVX_INLINE int dvx_qp_create(struct dvx_dev *dev, const struct dvx_qp_attr *attr,
			     struct dvx_qp **out)
{
	return dvx_qp_create_layout(dev, attr, DVX_RING_LAYOUT, out);
}

/*
 * Takes over the rings of a verbs RC QP, in any state, before anything was posted to it (else
 * -EBUSY). From then on only libdvx posts. Its CQs must be adopted before: libmlx5's poll does not
 * know libdvx's WQEs. The caller keeps the ibv_qp, which must outlive the dvx_qp, and connects it
 * by ibv_modify_qp(); only the way to RST is dvx_qp_to_rst(), which dvx_qp_destroy() takes too.
 */
int dvx_qp_adopt_layout(struct dvx_dev *dev, struct ibv_qp *ibqp, uint32_t layout,
			struct dvx_qp **out);
DVX_INLINE int dvx_qp_adopt(struct dvx_dev *dev, struct ibv_qp *ibqp, struct dvx_qp **out)
{
	return dvx_qp_adopt_layout(dev, ibqp, DVX_RING_LAYOUT, out);
}

int dvx_qp_destroy(struct dvx_qp *qp);

uint32_t dvx_qp_number(const struct dvx_qp *qp);
struct dvx_sq *dvx_qp_sq(struct dvx_qp *qp);
struct dvx_rq *dvx_qp_rq(struct dvx_qp *qp); /* NULL without a receive queue */

#define DVX_RETRY_NONE 0xff /* retry_count, rnr_retry: fail at the first loss */

/*
 * What the QP is connected to. Zero members take the value in the comment. Two ends exchange
 * {qpn, psn, gid}; the rest may be left out.
 */
struct dvx_qp_peer {
	uint32_t size;
	uint32_t qpn;
	uint32_t psn;	    /* the peer's first; our rq_psn */
	uint32_t local_psn; /* our first */
	uint8_t gid[16];    /* the peer's */
	uint8_t mac[6];	    /* 0: resolved from gid (RoCE) */
	uint16_t lid;	    /* InfiniBand; 0: 1 */
	uint8_t port;	    /* local, 0: 1 */
	uint8_t gid_index;  /* local */
	uint8_t mtu_log;    /* 8..12; 0: 10, i.e. 1024 bytes */
	uint8_t sl;
	uint8_t traffic_class;
	uint8_t hop_limit;  /* 0: 64 */
	uint16_t udp_sport; /* RoCEv2; 0: 0xc000 | (qpn & 0x3fff) */
	uint16_t pkey_index;
	uint32_t access;       /* what the peer may do: DVX_REMOTE_READ | ... */
	uint8_t max_rd_atomic; /* reads in flight, both ways; 0: 16, or what the device can */
	uint8_t ack_timeout;   /* 4.096 us << n; 0: 14 */
	uint8_t retry_count;   /* 1 to 7, DVX_RETRY_NONE; 0: 7 */
	uint8_t rnr_retry;     /* 1 to 7 (for ever), DVX_RETRY_NONE; 0: 7 */
	uint8_t min_rnr_timer; /* IB code; 0: 12, 0.64 ms */
};

/* One state transition each (PRM) ... */
int dvx_qp_to_init(struct dvx_qp *qp, const struct dvx_qp_peer *peer);
int dvx_qp_to_rtr(struct dvx_qp *qp, const struct dvx_qp_peer *peer);
int dvx_qp_to_rts(struct dvx_qp *qp, const struct dvx_qp_peer *peer);
/* Everything outstanding is flushed with error CQEs. */
int dvx_qp_to_err(struct dvx_qp *qp);
/* Empties the rings too (CQEs of old work may still be in the CQ). */
int dvx_qp_to_rst(struct dvx_qp *qp);
/* ... and RST to RTS in one call. */
int dvx_qp_connect(struct dvx_qp *qp, const struct dvx_qp_peer *peer);
/* To itself; `access` is what its own WQEs may do. For copies inside the chip, and for tests. */
int dvx_qp_connect_self(struct dvx_qp *qp, uint32_t access);
/* enum prm_qp_state, as the device has it. */
int dvx_qp_query_state(struct dvx_qp *qp, uint8_t *state);

DVX_END_DECLS

#endif
