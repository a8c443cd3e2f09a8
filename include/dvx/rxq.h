/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_RXQ_H
#define DVX_RXQ_H

/*
 * Receive queues of raw packets. A queue is an RQ, with the ring of rq.h, and a TIR, to which
 * steering rules send packets (flow.h). Packets come as they were on the wire, without their FCS.
 *
 *	for (...) dvx_rq_post(rq, &sge, 1, i);
 *	dvx_rq_ring(rq);
 *	while ((cqe = dvx_cq_peek(cq))) {
 *		i = dvx_rq_retire(rq);
 *		use(buffer[i], dvx_cqe_byte_count(cqe), dvx_cqe_flow_tag(cqe));
 *		dvx_cq_pop(cq);
 *		dvx_rq_post(rq, &sge[i], 1, i);
 *	}
 *	dvx_rq_ring(rq);
 *
 * The device drops packets while no receive is posted. A packet longer than its WQE's buffers
 * completes with an error, and the queue is in error.
 */
#include <dvx/cq.h>
#include <dvx/mem.h>
#include <dvx/rq.h>

DVX_BEGIN_DECLS

struct dvx_rxq;
struct dvx_rss;

enum dvx_rxq_flags {
	/* Removes a VLAN tag from the packet: dvx_cqe_vlan(), dvx_cqe_vlan_tci(). */
	DVX_RXQ_STRIP_VLAN = 1 << 0,
	/* Receives the frame check sequence, too. */
	DVX_RXQ_KEEP_FCS = 1 << 1,
	/* CQEs have the time of day (clock.h). */
	DVX_RXQ_REAL_TIME = 1 << 2,
	/* Counts packets that were dropped because no receive was posted: dvx_rxq_drops(). */
	DVX_RXQ_COUNT_DROPS = 1 << 3,
};

struct dvx_rxq_attr {
	uint32_t size;
	uint32_t flags; /* enum dvx_rxq_flags */
	struct dvx_pd *pd;
	struct dvx_cq *cq;   /* has an entry for each entry of the queue */
	uint32_t entries;    /* at least; rounded up to a power of two */
	uint32_t sge;	     /* pieces of one packet's buffer; 0: 1 */
	uint32_t user_index; /* in CQEs: dvx_cqe_user_index(); 24 bits, 0xffffff excluded */
	uint32_t reserved;
	struct dvx_place place; /* of the ring */
	/* For a striding queue, both powers of two; 0: each packet takes a receive of its own. */
	uint32_t strides;      /* per receive: 512 to 65536, on some devices from 8 on */
	uint32_t stride_bytes; /* 64 to 8192 */
};

/* Makes a queue that is ready to receive. PRM: CREATE_RQ, MODIFY_RQ to RDY, CREATE_TIR. */
int dvx_rxq_create(struct dvx_dev *dev, const struct dvx_rxq_attr *attr, struct dvx_rxq **out);

/*
 * Destroys a queue. -EBUSY while an action or a dvx_rss leads to it. Removes its CQEs from the CQ:
 * consume them before.
 */
int dvx_rxq_destroy(struct dvx_rxq *rxq);
struct dvx_rq *dvx_rxq_ring(struct dvx_rxq *rxq);

/* ---- Striding queues: a receive is a large buffer for many packets ---- */

/* A packet of a striding queue. */
struct dvx_strided {
	uint64_t wr_id;	 /* of its buffer, which must stay until all packets in it were used */
	uint32_t offset; /* of its first byte in the buffer */
	uint32_t bytes;
	bool last; /* the last packet in the buffer; the receive is retired, and can be reposted */
	uint8_t reserved[7];
};

/*
 * Finds the packet of a CQE that dvx_cq_peek() returned. Call it for each CQE of the queue, in
 * order, each time before dvx_cq_pop(). Returns 1; 0: no packet, the rest of a buffer was too short
 * for the next one (out->last is set); -EIO: the receive failed, and is retired. Receives are
 * posted with one piece of strides * stride_bytes. dvx_cq_poll() and dvx_rq_poll() refuse such a
 * queue.
 */
int dvx_rxq_take(struct dvx_rxq *rxq, const void *cqe, struct dvx_strided *out);

uint32_t dvx_rxq_rqn(const struct dvx_rxq *rxq);
uint32_t dvx_rxq_tirn(const struct dvx_rxq *rxq);
/* Ends reception, as a packet that is too long does: posted receives complete with "flushed"
 * errors. PRM: MODIFY_RQ to ERR. */
int dvx_rxq_to_err(struct dvx_rxq *rxq);
/* Empties the ring and begins to receive again. Consume the CQEs of old receives first. */
int dvx_rxq_reset(struct dvx_rxq *rxq);
/*
 * Returns how many packets for the queue the device dropped because no receive was posted. The
 * device's counter has 32 bits: ask at least once per 2^32 drops. -EINVAL without
 * DVX_RXQ_COUNT_DROPS. PRM: QUERY_Q_COUNTER.
 */
int dvx_rxq_drops(struct dvx_rxq *rxq, uint64_t *out);

/* ---- Several queues, chosen by a hash of the packet ---- */

/* Fields that the Toeplitz hash covers: PRM rx_hash_field_select.selected_fields. */
enum dvx_rss_fields {
	DVX_RSS_SRC_IP = 1 << 0,
	DVX_RSS_DST_IP = 1 << 1,
	DVX_RSS_SRC_PORT = 1 << 2,
	DVX_RSS_DST_PORT = 1 << 3,
};

struct dvx_rss_attr {
	uint32_t size;
	uint32_t queue_count;	       /* a power of two */
	struct dvx_rxq *const *queues; /* may repeat */
	uint32_t fields;	       /* enum dvx_rss_fields; 0: all four */
	bool ipv6;		       /* hash as IPv6 (else as IPv4) ... */
	bool udp;		       /* ... and as UDP (else as TCP) */
	bool symmetric;		       /* both directions of a connection hash alike */
	uint8_t reserved;
	/* 40 bytes; NULL: Microsoft's, which most systems use (6d 5a 56 da ...) */
	const uint8_t *key;
};

/*
 * Packets of a protocol other than the hash's have hash 0 and go to queues[0]: steer them elsewhere
 * by rules. PRM: CREATE_RQT, CREATE_TIR.
 */
int dvx_rss_create(struct dvx_dev *dev, const struct dvx_rss_attr *attr, struct dvx_rss **out);
int dvx_rss_destroy(struct dvx_rss *rss);
uint32_t dvx_rss_tirn(const struct dvx_rss *rss);

DVX_END_DECLS

#endif
