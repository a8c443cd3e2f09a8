/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_TRANSPORT_SHAPE_H
#define SIM_TRANSPORT_SHAPE_H

#include <stdbool.h>
#include <stdint.h>

struct queue;
struct sched;
struct sched_job;

/*
 * Scheduling elements: decide which queues with a leaf may send in a pass of the scheduler. Queues
 * without a leaf always may.
 */
void shape_begin(struct sched *);
/* Returns false if the job must wait: it is scheduled again in the next pass or by a timer. */
bool shape_may_send(struct sched *, struct sched_job *);
void shape_sent(struct sched *, struct queue *, uint64_t bytes);

/* Like shape_may_send(), for a send queue outside the scheduler's list, which asks in each turn. */
bool shape_has_turn(struct sched *, const struct queue *);
/* Returns when its limits let it send again. */
uint64_t shape_due(const struct queue *);

#endif
