/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_TRANSPORT_SENDER_H
#define SIM_TRANSPORT_SENDER_H

#include <stdbool.h>
#include "sched.h"

struct qp;
struct queue;
struct send_wr;

/*
 * The requester of transports without acknowledgements: a request is done when its last packet is
 * sent. It is the first member of the queue's conn; its functions are rows of struct transport.
 */
enum sender_step {
	SENDER_WAITS, /* nothing was sent: the port has no room */
	SENDER_SENT,  /* a part was sent; its end is wr.progress */
	SENDER_DONE,  /* the rest was sent, or wr.error is set */
};
struct sender {
	struct qp *qp;
	struct sched *sched;
	struct sched_job job;
	struct send_wr *head, **tail; /* requests that wait for the port */
	unsigned int n;
	bool sending; /* RTS */
	enum sender_step (*send)(struct queue *, struct send_wr *);
};

/* Makes a conn of `size` bytes, which begins with a sender. Returns 0 or -ENOMEM. */
int sender_start(struct queue *, size_t size,
		 enum sender_step (*send)(struct queue *, struct send_wr *));
void sender_stop(struct queue *);
unsigned int sender_room(const struct queue *);
void sender_post(struct queue *, struct send_wr *);
bool sender_run(struct queue *);
bool sender_ready(const struct queue *);
void sender_resume(struct queue *);
struct send_wr *sender_abort(struct queue *);

#endif
