/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * In each pass, of an element's children that have something to send, those that have sent least
 * for their weight may send. A limit holds a queue until a timer fires.
 */
#include "shape.h"

#include "sched.h"
#include "transport.h"
#include "obj/queue.h"
#include "obj/sched_elem.h"
#include "obj/device.h"

#define SCALE 1024u /* unit of sched_elem.sent */
/* [I] An element that pauses for longer loses its unused share. */
#define PAUSE 64u /* passes */

/* A queue outside the list may be this far ahead, as others are found in the same turn. */
#define AHEAD (16384u * SCALE)

/* Returns the queue's leaf. Responses have their own. */
static struct sched_elem *shape_leaf(const struct queue *q)
{
	const struct transport *t = q->transport;
	const struct sched_leaves *sh = q->leaves;

	if (!sh)
		return NULL;
	return t->responds && t->responds(q) ? sh->responder : sh->requester;
}

uint64_t shape_due(const struct queue *q)
{
	uint64_t due = 0, d;

	for (const struct sched_elem *e = shape_leaf(q); e; e = e->parent) {
		d = pace_due(&e->pace, &e->rate);
		due = d > due ? d : due;
	}
	return due;
}

static void shape_mark(struct sched_elem *e, uint64_t pass)
{
	struct sched_elem *p = e->parent;

	if (e->pass + PAUSE < pass && e->sent < p->least)
		e->sent = p->least;
	e->pass = pass;
	if (p->least_pass != pass) {
		p->was_least = p->least;
		p->was_pass = p->least_pass;
	} else if (e->sent >= p->least) {
		return;
	}
	p->least_pass = pass;
	p->least = e->sent;
}

void shape_begin(struct sched *s)
{
	const struct sched_job *job;

	s->pass++;
	TAILQ_FOREACH(job, &s->run, run_link)
	{
		if (shape_due(job->q) > s->now)
			continue;
		for (struct sched_elem *e = shape_leaf(job->q); e && e->parent; e = e->parent)
			shape_mark(e, s->pass);
	}
}

/* Ends a hold. If the queue has nothing to send, its next request starts it. */
static void shape_resume(struct timer *t)
{
	struct sched_leaves *sh =
		(struct sched_leaves *)((char *)t - offsetof(struct sched_leaves, held));
	struct sched_job *job = sh->job;

	if (job->q->transport->ready(job->q))
		sched_want_run(job->q->o.vhca->dev->sched, job);
}

bool shape_may_send(struct sched *s, struct sched_job *job)
{
	const struct sched_elem *e = shape_leaf(job->q);
	struct sched_leaves *sh = job->q->leaves;
	uint64_t due = shape_due(job->q);

	if (due > s->now) {
		sh->job = job;
		sh->held.fire = shape_resume;
		return timer_set(&s->dev->timers, &sh->held, due); /* no memory: it may send */
	}
	for (; e && e->parent; e = e->parent) {
		if (e->parent->least_pass == s->pass && e->sent > e->parent->least) {
			sched_want_run(s, job);
			return false;
		}
	}
	return true;
}

bool shape_has_turn(struct sched *s, const struct queue *q)
{
	bool turn = true;

	for (struct sched_elem *e = shape_leaf(q); e && e->parent; e = e->parent) {
		const struct sched_elem *p = e->parent;

		shape_mark(e, s->pass);
		if (p->was_pass + 1 >= s->pass && e->sent > p->was_least + AHEAD)
			turn = false;
	}
	return turn;
}

void shape_sent(struct sched *s, struct queue *q, uint64_t bytes)
{
	for (struct sched_elem *e = shape_leaf(q); e; e = e->parent) {
		e->sent += bytes * SCALE / (e->bw_share ? e->bw_share : 1);
		pace_spend(&e->pace, &e->rate, bytes, s->now);
	}
}
