/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_NET_RC_H
#define SIM_NET_RC_H

#include <sys/queue.h>
#include "transport/net.h"
#include "obj/qp.h"
#include "obj/vhca.h"
#include "transport/packet.h"
#include "base/clock.h"

/*
 * One reliable connection: a requester (our SQ against the peer's responder) and a responder.
 * Only net/ sees this.
 */
struct req {
	struct send_wr *head, **tail;
	unsigned int n;
	struct send_wr *cur; /* the next packet is this one's, from byte off on */
	uint64_t off;
	uint64_t sent; /* bytes, in this turn */
	uint32_t una, nxt, max; /* oldest unacknowledged; next to send; one past the newest sent */
	uint32_t ack_asked;     /* one past the last packet with AckReq */
	unsigned int reads;     /* asked for, and not answered in full */
	uint8_t retries, rnr_left;
	bool sending;      /* RTS */
	bool rnr_wait;
	bool gone_back;    /* since an out-of-order response: more of those say nothing new */
	uint64_t deadline; /* of the wait for progress, or for the peer's receiver */
	struct timer timer;
};

#define READ_JOBS 64u
struct read_job {
	uint64_t va, left;
	uint32_t rkey, psn;
	bool started;
};

struct resp {
	bool up; /* RTR or later */
	uint32_t epsn, msn;
	bool naked;  /* NAK sent, nothing is said again until epsn comes */
	uint8_t in;  /* op of the message that has begun */
	bool recv;   /* it has taken a receive entry */
	uint64_t off, left, va;
	uint32_t rkey;
	bool ack_due;
	uint8_t syndrome;
	bool fatal;  /* after the READ responses that come first */
	uint8_t fatal_nak, fatal_recv;
	struct read_job job[READ_JOBS];
	unsigned int first_job, njobs;
};

struct rc {
	struct net *net;
	struct qp *qp;
	uint32_t mtu;
	uint32_t overhead; /* roce_overhead() */
	TAILQ_ENTRY(rc) ack_link, run_link;
	bool in_ack, in_run;
	struct req req;
	struct resp resp;
};

TAILQ_HEAD(rc_list, rc);
struct frame_pool;
struct net {
	struct device *dev;
	struct frame_pool *pool;
	const struct net_ops *ops;
	struct net_port port;
	struct rc_list ack, run;
	uint64_t now;
};

/* net.c */
void net_want_run(struct rc *);
void net_want_ack(struct rc *);
uint32_t net_burst(const struct rc *); /* packets in one frame */
struct frame *net_frame(struct rc *, size_t payload);
void net_send(struct rc *, struct packet *, struct frame *);

/* requester */
bool req_run(struct rc *); /* true if it did something */
bool req_ready(const struct rc *);
void req_rx(struct rc *, struct packet *);
void req_start(struct rc *);
void req_timer(struct timer *);

/* self.c: true if the request of a queue that is its own peer is done */
#define SELF_BYTES (64u << 10)
bool self_step(struct rc *, struct send_wr *);

/* responder */
void resp_start(struct rc *);
void resp_rx(struct rc *, struct packet *);
bool resp_run(struct rc *);
void resp_ack(struct rc *); /* what is due */

static inline struct port_stats *net_stats(const struct rc *rc)
{
	return rc->qp->o.vhca->port;
}

static inline uint32_t packets_of(const struct rc *rc, uint64_t len)
{
	return len ? (uint32_t)((len + rc->mtu - 1) / rc->mtu) : 1;
}

/* Drops the first n packets of a burst that were there before. */
static inline void packet_skip(struct packet *p, uint32_t n, uint32_t mtu)
{
	p->psn = psn_add(p->psn, n);
	p->npkts -= n;
	p->data += (size_t)n * mtu;
	p->len -= n * mtu;
	p->starts = false;
}

#endif
