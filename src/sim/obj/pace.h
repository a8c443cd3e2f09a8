/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_OBJ_PACE_H
#define SIM_OBJ_PACE_H

#include <stdint.h>

/* A rate, for packet pacing and scheduling elements. */
struct pace_rate {
	uint64_t bps;	/* bits per second; 0: no limit */
	/* bytes that may be sent early; 0: the next packet waits for the last one */
	uint32_t burst;
};

/* A sender's account at a rate. */
struct pace {
	uint64_t paid; /* time until which the sent bytes take, in ns */
};

/* Returns the time at which the next packet may be sent. */
uint64_t pace_due(const struct pace *, const struct pace_rate *);
void pace_spend(struct pace *, const struct pace_rate *, uint64_t bytes, uint64_t now);

#endif
