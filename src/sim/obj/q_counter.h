/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_OBJ_Q_COUNTER_H
#define SIM_OBJ_Q_COUNTER_H

#include <stdbool.h>
#include "obj.h"
#include "vhca.h"
#include "base/port_stats.h"

/* A set of Q counters: what the queues that name it have met. */
struct q_counter {
	struct obj o;
	bool shown; /* by the function's driver: it counts in the port's page, not in own */
	struct queue_stats own;
};

static inline struct queue_stats *q_counter_stats(struct q_counter *n)
{
	return n->shown ? &n->o.vhca->stats->queues : &n->own;
}

/* [I] A queue that names none is counted nowhere. */
static inline struct queue_stats *q_counter_of(struct vhca *v, struct q_counter *n)
{
	return n ? q_counter_stats(n) : &v->uncounted;
}

#endif
