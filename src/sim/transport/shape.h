/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_TRANSPORT_SHAPE_H
#define SIM_TRANSPORT_SHAPE_H

#include <stdbool.h>
#include <stdint.h>

struct queue;
struct sched;
struct sched_job;

/*
 * Scheduling elements: which of the queues with a leaf may send in a pass of the scheduler. Those
 * without one always may.
 */
void shape_begin(struct sched *);
/* false: it has been told to come again, in the next pass or by a timer. */
bool shape_may_send(struct sched *, struct sched_job *);
void shape_sent(struct sched *, struct queue *, uint64_t bytes);

/* For a send queue that is not in the scheduler's list and asks in each turn. */
bool shape_has_turn(struct sched *, const struct queue *);
/* When its limits let it send again. */
uint64_t shape_due(const struct queue *);

#endif
