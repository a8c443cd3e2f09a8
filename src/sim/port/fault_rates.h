/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_PORT_FAULT_RATES_H
#define SIM_PORT_FAULT_RATES_H

#include <stdint.h>

#define FAULT_DELAY_MOST 60000000000u /* ns */
/*
 * Rates of the faults of a wire, in the port and in messages. Users write them as
 * "drop=P,dup=P,reorder=P,corrupt=P,delay=T,seed=N" (dvx-sim(1)).
 */
#define FAULT_ONE 1000000000u /* a rate of 1: every packet */
struct fault_rates {
	uint32_t drop, dup, reorder, corrupt; /* out of FAULT_ONE packets */
	uint64_t delay;			      /* ns, for each packet */
	uint64_t seed;			      /* seed of the random choice */
};

/* Numbers of packets with faults since the chip started. */
struct fault_counts {
	uint64_t dropped, doubled, reordered, corrupted, delayed;
	uint64_t down; /* dropped because the link was down */
};

/*
 * Parses rates. A rate that the text does not name is 0, the seed 1. Returns 0, or -1 with a
 * sentence in why[FAULT_WHY].
 */
#define FAULT_WHY 160
int fault_rates_parse(struct fault_rates *, const char *text, char why[FAULT_WHY]);

#endif
