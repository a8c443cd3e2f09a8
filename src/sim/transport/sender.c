/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include "roce_port.h"
#include "sender.h"
#include "transport.h"
#include "obj/qp.h"
#include "obj/device.h"
#include "queue/services.h"

#define OUTSTANDING  128u /* requests that wait for the port */
#define STEPS_A_TURN 32u
#define BYTES_A_TURN (128u << 10)

static struct sender *sender_of(const struct queue *q)
{
	return q->conn;
}

int sender_start(struct queue *q, size_t size,
		 enum sender_step (*send)(struct queue *, struct send_wr *))
{
	struct sender *s = calloc(1, size);

	if (!s)
		return -ENOMEM;
	s->qp = qp_of(q);
	s->sched = q->o.vhca->dev->sched;
	s->job.q = q;
	s->tail = &s->head;
	s->send = send;
	q->conn = s;
	return 0;
}

void sender_stop(struct queue *q)
{
	roce_port_purge(qp_of(q));
	free(q->conn);
	q->conn = NULL;
}

unsigned int sender_room(const struct queue *q)
{
	const struct sender *s = sender_of(q);

	return s->sending && s->n < OUTSTANDING ? OUTSTANDING - s->n : 0;
}

void sender_post(struct queue *q, struct send_wr *wr)
{
	struct sender *s = sender_of(q);

	wr->next = NULL;
	*s->tail = wr;
	s->tail = &wr->next;
	s->n++;
	sched_want_run(s->sched, &s->job);
}

static struct send_wr *sender_pop(struct sender *s)
{
	struct send_wr *wr = s->head;

	s->head = wr->next;
	if (!s->head)
		s->tail = &s->head;
	s->n--;
	return wr;
}

static bool sender_step(struct sender *s)
{
	struct send_wr *wr = s->head;
	enum sender_step step;

	if (!wr)
		return false;
	if (wr->kind == SEND_LOCAL && !wr->error)
		wr->error = (uint8_t)sq_local(&s->qp->sq, wr);
	step = wr->error || wr->kind == SEND_LOCAL ? SENDER_DONE : s->send(s->job.q, wr);
	if (step != SENDER_DONE)
		return step == SENDER_SENT;
	sender_pop(s);
	if (wr->error)
		sq_failed(&s->qp->sq, wr, wr->error, wr->vendor);
	else
		sq_done(&s->qp->sq, wr);
	return true;
}

bool sender_run(struct queue *q)
{
	struct sender *s = sender_of(q);
	const struct port_stats *stats = q->o.vhca->stats;
	uint64_t from = stats->xmit_bytes;
	bool did = false;

	for (unsigned int i = 0;
	     i < STEPS_A_TURN && stats->xmit_bytes - from < BYTES_A_TURN && sender_step(s);
	     i++)
		did = true;
	if (s->sending && !s->head && q->state == QP_SQD)
		queue_drained(q);
	if (s->sending && s->n < OUTSTANDING / 2)
		sq_more(q->sq);
	return did;
}

bool sender_ready(const struct queue *q)
{
	return sender_of(q)->head;
}

void sender_resume(struct queue *q)
{
	sched_want_run(sender_of(q)->sched, &sender_of(q)->job);
}

struct send_wr *sender_abort(struct queue *q)
{
	struct sender *s = sender_of(q);
	struct send_wr *list = s->head;

	sched_leave(s->sched, &s->job);
	s->head = NULL;
	s->tail = &s->head;
	s->n = 0;
	return list;
}
