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
 * A stage of the wire that loses, doubles, reorders, damages and delays frames. The seed and the
 * frames' order determine the faults, no clock does: the same work meets the same faults.
 */
struct fault {
	struct device *dev;
	struct fault_rates rates;
	struct fault_counts counts;
	uint64_t random;
	struct frame *held;    /* waits until the next frames have overtaken it */
	unsigned int held_for; /* number of frames that still overtake it */
	bool overtaken;
	struct loop late; /* delayed frames, by due time */
	uint64_t last;	  /* due time of the latest delayed frame */
	struct timer timer;
	void (*out)(void *ctx, struct frame *); /* takes frames that passed, and owns them */
	void *ctx;
};

void fault_init(struct fault *, struct device *, void (*out)(void *, struct frame *), void *ctx);
void fault_fini(struct fault *);
void fault_set(struct fault *, const struct fault_rates *);
bool fault_active(const struct fault *);
/* Takes a frame. It comes out now, later, twice or never. */
void fault_pass(struct fault *, struct frame *);
/* Releases the frame that waits to be overtaken (`held`), as no other frame is under way. */
void fault_release(struct fault *);
/* Returns false if senders that can wait must wait. */
bool fault_room(const struct fault *);

#endif
