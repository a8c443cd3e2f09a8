/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_OBJ_Q_COUNTER_H
#define SIM_OBJ_Q_COUNTER_H

#include <stdbool.h>
#include "obj.h"
#include "vhca.h"
#include "base/port_stats.h"

/* A set of Q counters, which counts events of the queues that name it. */
struct q_counter {
	struct obj o;
	bool of_port; /* the driver's set: counts on the port's page, which programs read */
	struct queue_stats own;
};

static inline struct queue_stats *q_counter_stats(struct q_counter *n)
{
	return n->of_port ? &n->o.vhca->stats->queues : &n->own;
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
