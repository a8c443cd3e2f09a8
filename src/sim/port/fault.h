/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_PORT_FAULT_H
#define SIM_PORT_FAULT_H

#include <stdbool.h>
#include <stdint.h>
#include "base/clock.h"
#include "fault_rates.h"
#include "frame.h"
#include "loop.h"

struct device;

/*
 * A stage of the wire that loses, doubles, reorders, damages and delays frames. Which ones depends
 * on the seed and on the frames' order, and on no clock: the same work meets the same faults.
 */
struct fault {
	struct device *dev;
	struct fault_rates rates;
	struct fault_counts counts;
	uint64_t random;
	struct frame *held;    /* overtaken by the next frames */
	unsigned int held_for; /* so many of them */
	bool overtaken;
	struct loop late; /* by their time */
	uint64_t last;	  /* when the youngest of them is due */
	struct timer timer;
	void (*out)(void *ctx, struct frame *); /* what passed; the callee owns it */
	void *ctx;
};

void fault_init(struct fault *, struct device *, void (*out)(void *, struct frame *), void *ctx);
void fault_fini(struct fault *);
void fault_set(struct fault *, const struct fault_rates *);
bool fault_active(const struct fault *);
/* Takes the frame; it comes out now, later, twice or never. */
void fault_pass(struct fault *, struct frame *);
/* Nothing else is under way: what waits to be overtaken goes on. True: it did. */
bool fault_idle(struct fault *);
/* For those that can wait. */
bool fault_room(const struct fault *);

#endif
