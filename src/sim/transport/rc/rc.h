/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_TRANSPORT_RC_RC_H
#define SIM_TRANSPORT_RC_RC_H

#include "base/clock.h"
#include "base/prefetch.h"
#include "obj/qp.h"
#include "obj/device.h"
#include "eswitch/eswitch.h"
#include "queue/services.h"
#include "transport/message.h"
#include "transport/roce_port.h"
#include "transport/sched.h"
#include "transport/transport.h"

/* One reliable connection: a requester (our SQ against the peer's responder) and a responder. */
struct req {
	struct send_wr *head, **tail;
	unsigned int n, locals; /* requests of all kinds, and local operations */
	struct send_wr *cur;	/* the request that the next packet is of, from byte off on */
	uint64_t off;
	uint64_t sent; /* bytes, in this turn */
	uint32_t una, nxt, max; /* oldest unacknowledged; next to send; one past the newest sent */
	uint32_t ack_asked;     /* one past the last packet with AckReq */
	unsigned int reads;	/* READs and atomics: asked for, and not answered in full */
	uint8_t retries, rnr_left;
	uint32_t rnrs, rnr_psn; /* RNR NAKs in a row, of this PSN */
	bool sending;      /* RTS */
	bool rnr_wait;
	bool gone_back;	   /* since an out-of-order response: later such responses change nothing */
	uint64_t deadline; /* end of the wait for progress, or for the peer's receiver */
	struct timer timer;
};

#define READ_JOBS 64u
struct read_job {
	uint64_t va, left;
	uint32_t rkey, psn;
	uint32_t pdn; /* XRC: each SRQ has its own */
	bool started;
	bool atomic; /* an atomic was done already; va: the old value */
};

/* The result of an atomic, kept because a repeated request must not do it again. */
#define ATOMICS_KEPT (1u << VHCA_LOG_MAX_RA)
struct atomic_done {
	uint64_t old;
	uint32_t psn;
	bool valid;
};

struct resp {
	bool up; /* RTR or later */
	uint32_t epsn, msn;
	bool nak_sent; /* no more NAKs are sent until epsn comes */
	struct message msg;
	bool ack_due;
	uint8_t syndrome;
	bool fatal; /* set after an error, while READ responses that come first are sent */
	uint8_t fatal_nak, fatal_recv;
	struct read_job *job; /* READ_JOBS, in a buffer of the queues' while there are any */
	unsigned int first_job, njobs;
	struct atomic_done *atomic; /* ATOMICS_KEPT entries, allocated with the first atomic */
	unsigned int next_atomic;   /* the oldest entry, of qpc.log_rra_max */
};

struct rc;

/* Callbacks for connections that share their queue pair with others (DC). */
struct rc_owner {
	void (*send)(struct rc *, struct bth_packet *, struct frame *);
	void (*done)(struct rc *, struct send_wr *);
	void (*failed)(struct rc *, struct send_wr *, uint8_t syndrome, uint8_t vendor);
	void (*error)(struct rc *, uint8_t event); /* the responder failed */
};

/* The peer on the same chip, found by direct.c. */
struct direct {
	struct vhca *to;
	struct rc *peer;
	const struct qp *qp; /* the peer's queue pair */
	uint64_t changes;    /* sched.changes when the peer was found */
	/* kinds of requests, as bits, that may be copied from memory to memory; as they are fetched */
	uint8_t copied, at_once;
	/* Traffic of this turn: packets and bytes of requests, and of answers. */
	struct direct_traffic {
		uint32_t packets, answers;
		uint64_t bytes, back;
	} done;
};

struct rc {
	struct sched *sched;
	struct qp *qp;
	const struct rc_owner *owner; /* NULL: the queue pair owns the connection */
	struct sched_job *turn;	      /* the job whose turn is this connection's */
	struct sched_job job;
	uint32_t mtu;
	bool established;      /* in RTR: a request was taken, which was reported */
	bool ack_owed;	       /* to `direct`'s peer: one for all messages of this turn */
	struct roce_path path; /* from RTR on */
	struct direct direct;
	struct req req;
	struct resp resp;
};

static inline struct rc *rc_of(const struct queue *q)
{
	return q->conn;
}

static inline bool rc_port_room(const struct rc *rc)
{
	return port_room(rc->sched->dev->port);
}

static inline struct frame *rc_frame(struct rc *rc, size_t payload)
{
	return roce_port_frame(&rc->path, rc->mtu, payload);
}

static inline void rc_want_run(struct rc *rc)
{
	sched_want_run(rc->sched, rc->turn);
}

static inline void rc_want_ack(struct rc *rc)
{
	sched_want_ack(rc->sched, rc->turn);
}

static inline void rc_send(struct rc *rc, struct bth_packet *p, struct frame *f)
{
	if (rc->owner)
		rc->owner->send(rc, p, f);
	else
		roce_port_send(rc->qp, &rc->path, p, f);
}

/* Changes of RC and of XRC. */
#define RC_CHANGES 7
extern const struct qp_change rc_changes[RC_CHANGES];
int rc_start(struct queue *);
void rc_stop(struct queue *);
void rc_rtr(struct queue *);
void rc_rts(struct queue *);
void rc_resume(struct queue *);
struct send_wr *rc_abort(struct queue *);
void rc_psns(struct queue *);
enum drop rc_receive(struct queue *, struct bth_packet *);
void rc_answer(struct queue *);
bool rc_run(struct queue *);
bool rc_ready(const struct queue *);
bool rc_responds(const struct queue *);
void rc_waits(const struct queue *, struct transport_wait *); /* rc_waits.c */

/* Resets both machines to before the first packet. */
void rc_clear(struct rc *);

/* requester */
bool req_run(struct rc *); /* true if it did something */
bool req_ready(const struct rc *);
enum drop req_rx(struct rc *, struct bth_packet *);
void req_start(struct rc *, uint32_t psn);
void req_timer(struct timer *);
unsigned int req_room(const struct queue *);
void req_post(struct queue *, struct send_wr *);
struct send_wr *req_unsent(struct queue *);
void req_add(struct rc *, struct send_wr *); /* appends to the connection's list */
void req_queue(struct rc *, struct send_wr *); /* likewise, of a request that was just fetched */

/* Notes that the request is sent up to end and waits for an answer. */
void req_unanswered(struct rc *, uint32_t end, bool last);

/* direct.c: Returns true if it did the request or a part of it. */
#define DIRECT_BYTES (64u << 10)
bool direct_step(struct rc *, struct send_wr *);
void direct_begin(struct rc *, struct send_wr *); /* does a WRITE or READ at once, or queues it */
/* Counts the traffic of a turn at the port. */
void direct_count_turn(struct rc *);
static inline void direct_end_turn(struct rc *rc)
{
	if (rc->direct.done.packets || rc->direct.done.answers) /* later parts of a READ: no packet */
		direct_count_turn(rc);
}
/*
 * direct_copy.c: Does all of a WRITE or READ by system calls, or around writes that are posted.
 * Returns false if it can't, and does nothing.
 */
bool direct_copy(struct queue *, struct queue *peer, struct send_wr *);
/* Reads len bytes of a READ from off on, if they are one piece at both ends; false: not done. */
bool direct_read(struct queue *, struct queue *peer, struct send_wr *, uint64_t off, uint64_t len);
/* Does an atomic and stores the old value in *old. Returns false if it can't. */
bool direct_fetch(struct queue *peer, const struct send_wr *, uint64_t *old);
/* Returns a buffer of DIRECT_BYTES for a part of a message. */
uint8_t *direct_buffer(struct sched *);
/* Gathers small WRITEs of queues that are their own peer in one call; init: 0 or -ENOMEM. */
int direct_init(struct sched *);
void direct_note(struct rc *, struct send_wr *);
void direct_gather(struct queue *);

/* Responder. resp_clear() resets it to before the first packet. */
void resp_clear(struct rc *);
void resp_start(struct rc *, uint32_t psn);
enum drop resp_rx(struct rc *, struct bth_packet *);
bool resp_run(struct rc *);
void resp_ack(struct rc *); /* sends due answers */
/* Returns the result of the atomic just done, and marks it as answered. */
uint64_t resp_take_atomic(struct rc *);

static inline struct queue_stats *rc_stats(const struct rc *rc)
{
	return rc->qp->q.stats;
}

#endif
