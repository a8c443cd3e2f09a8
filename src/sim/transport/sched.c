/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include "sched.h"
#include "shape.h"
#include "transport.h"
#include "obj/queue.h"
#include "obj/device.h"

struct sched *sched_new(struct device *dev)
{
	struct sched *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->dev = dev;
	s->now = dev->clock->now(dev->clock);
	s->changes = 1;
	/*
	 * The time, so that numbers are higher than those that peers remember of an earlier run,
	 * unless that made more than 950 connections a second: dct_is_late().
	 */
	s->dc_connections = (uint32_t)(dev->clock->utc(dev->clock) >> 20);
	TAILQ_INIT(&s->ack);
	TAILQ_INIT(&s->run);
	return s;
}

void sched_free(struct sched *s)
{
	if (!s)
		return;
	free(s->direct);
	free(s->raw);
	free(s);
}

void sched_want_ack(struct sched *s, struct sched_job *job)
{
	if (job->in_ack)
		return;
	job->in_ack = true;
	TAILQ_INSERT_TAIL(&s->ack, job, ack_link);
}

static void sched_leave_ack(struct sched *s, struct sched_job *job)
{
	if (job->in_ack)
		TAILQ_REMOVE(&s->ack, job, ack_link);
	job->in_ack = false;
}

static void sched_leave_run(struct sched *s, struct sched_job *job)
{
	if (job->in_run)
		TAILQ_REMOVE(&s->run, job, run_link);
	job->in_run = false;
}

void sched_leave(struct sched *s, struct sched_job *job)
{
	sched_leave_ack(s, job);
	sched_leave_run(s, job);
}

static bool run_acks(struct sched *s)
{
	struct sched_job *job;
	bool did = false;

	while ((job = TAILQ_FIRST(&s->ack))) {
		sched_leave_ack(s, job);
		job->q->transport->answer(job->q);
		did = true;
	}
	return did;
}

static bool run_shaped(struct sched *s, struct sched_job *job)
{
	const struct port_stats *stats = job->q->o.vhca->stats;
	uint64_t from = stats->xmit_bytes;
	bool did = job->q->transport->run(job->q);

	shape_sent(s, job->q, stats->xmit_bytes - from);
	return did;
}

/* Gives a share to each job that was active when the round began. A share may end other queues. */
static bool run_shares(struct sched *s)
{
	struct sched_job *job;
	bool did = false;

	s->round++;
	if (s->dev->shapes)
		shape_begin(s);
	while ((job = TAILQ_FIRST(&s->run)) && job->round != s->round) {
		const struct transport *t = job->q->transport;

		sched_leave_run(s, job);
		if (!job->q->leaves)
			did |= t->run(job->q);
		else if (shape_may_send(s, job))
			did |= run_shaped(s, job);
		else
			continue;
		if (t->ready(job->q))
			sched_want_run(s, job);
	}
	return did;
}

bool sched_run_jobs(struct sched *s)
{
	bool did = run_acks(s);

	return run_shares(s) || did;
}
