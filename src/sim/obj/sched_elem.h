/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_OBJ_SCHED_ELEM_H
#define SIM_OBJ_SCHED_ELEM_H

#include <stdbool.h>
#include "obj.h"
#include "pace.h"
#include "base/clock.h"

struct sched_job;

/* A node or leaf of a tree that shares bandwidth among queue pairs (transport/shape.c). */
struct sched_elem {
	struct obj o;
	struct sched_elem *parent; /* referenced; NULL: a root */
	bool leaf;		   /* queue pairs may be attached to it */
	uint8_t depth;
	uint32_t bw_share; /* weight among the parent's children */
	uint32_t mbps;	   /* max_average_bw */
	struct pace_rate rate;
	struct pace pace;
	uint64_t sent;	/* bytes, divided by the weight */
	uint64_t least; /* lowest `sent` of the children that have data to send */
	uint64_t pass;	/* last pass of the scheduler in which it had data to send */
	uint64_t least_pass;
	uint64_t was_least, was_pass; /* least and its pass, of an earlier pass */
};

/* Leaves of a queue pair; either may be NULL. */
struct sched_leaves {
	struct sched_elem *requester, *responder; /* referenced */
	struct sched_job *job;			  /* waits for the timer */
	struct timer held;
};

#endif
