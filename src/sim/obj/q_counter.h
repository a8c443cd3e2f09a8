/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_OBJ_Q_COUNTER_H
#define SIM_OBJ_Q_COUNTER_H

#include <stdbool.h>
#include "obj.h"
#include "vhca.h"
#include "base/port_stats.h"

/* Place of a set's counters: its own, or the page of the port's counters, which programs read. */
enum q_counter_place {
	Q_COUNTER_OWN,
	Q_COUNTER_PORT,	 /* the set of the function's driver */
	Q_COUNTER_BOUND, /* an administrator binds it to queue pairs */
};

/* A set of Q counters, which counts events of the queues that name it. */
struct q_counter {
	struct obj o;
	enum q_counter_place place;
	unsigned int slot; /* index in the page, for Q_COUNTER_BOUND */
	struct queue_stats own;
};

static inline struct queue_stats *q_counter_stats(struct q_counter *n)
{
	struct port_stats *page = n->o.vhca->stats;

	return n->place == Q_COUNTER_OWN    ? &n->own
	       : n->place == Q_COUNTER_PORT ? &page->queues
					    : &page->bound[n->slot];
}

/*
 * Returns the counters of a queue with this set. [I] Counts of a queue without a set are not
 * reported.
 */
static inline struct queue_stats *q_counter_of(struct vhca *v, struct q_counter *n)
{
	return n ? q_counter_stats(n) : &v->uncounted;
}

#endif
