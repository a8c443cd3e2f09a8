/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_OBJ_PACE_H
#define SIM_OBJ_PACE_H

#include <stdint.h>

/* Bytes per time: packet pacing, scheduling elements. */
struct pace_rate {
	uint64_t bps;	/* bits per second; 0: no limit */
	uint32_t burst; /* bytes that may leave early; 0: the next packet waits for the last one */
};

/* Who sends at a rate, and until when the bytes that it has sent take. */
struct pace {
	uint64_t paid; /* ns */
};

/* The time at which the next packet may leave. */
uint64_t pace_due(const struct pace *, const struct pace_rate *);
void pace_spend(struct pace *, const struct pace_rate *, uint64_t bytes, uint64_t now);

#endif
