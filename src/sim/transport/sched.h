/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_TRANSPORT_SCHED_H
#define SIM_TRANSPORT_SCHED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>
#include "obj/device.h"

struct queue;
struct device;

/* A queue's entry in the scheduler, part of its connection. */
struct sched_job {
	struct queue *q;
	TAILQ_ENTRY(sched_job) ack_link, run_link;
	bool in_ack, in_run;
	uint32_t round; /* the round in which it was put on `run` */
};
TAILQ_HEAD(sched_jobs, sched_job);

/* Gives a share to each queue whose transport has something to send. */
struct sched {
	struct device *dev;
	struct sched_jobs ack, run;
	uint32_t round; /* of shares */
	uint64_t now;
	uint64_t pass;		     /* shape.c's pass */
	uint64_t changes;	     /* RC: grows when a connection begins, changes or ends */
	struct direct_batch *direct; /* rc/direct_copy.c */
	uint32_t dc_connections;     /* number of the last connection */
	struct raw_batch *raw;	 /* raw/raw_send.c */
};

struct sched *sched_new(struct device *);
void sched_free(struct sched *);

/* Queues the job for a share (transport.run), or its acks, which go first (transport.answer). */
static inline void sched_want_run(struct sched *s, struct sched_job *job)
{
	if (job->in_run)
		return;
	job->in_run = true;
	job->round = s->round;
	TAILQ_INSERT_TAIL(&s->run, job, run_link);
}
void sched_want_ack(struct sched *, struct sched_job *);
void sched_leave(struct sched *, struct sched_job *);

/*
 * Sends acknowledgements, then gives each active queue its share. Most turns have none of either;
 * where queues have shares, raw ones wait for the next round, too.
 */
bool sched_run_jobs(struct sched *);
static inline bool sched_run(struct sched *s, uint64_t now)
{
	s->now = now;
	return (!TAILQ_EMPTY(&s->ack) || !TAILQ_EMPTY(&s->run) || s->dev->shapes) &&
	       sched_run_jobs(s);
}

#endif
