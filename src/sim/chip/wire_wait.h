/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_CHIP_WIRE_WAIT_H
#define SIM_CHIP_WIRE_WAIT_H

#include <stdbool.h>
#include <stdint.h>

/*
 * How a chip with nothing to do waits for its wire (doc/design/0039). Each way to wait is a habit:
 * a failing one is tried less and less often, one that pays always.
 */
struct habit {
	uint8_t skip, skipped;
};

enum wire_waits {
	WIRE_QUIET, /* the wire needs no waiting */
	WIRE_CAME,  /* packets or a doorbell came, so more are likely */
	WIRE_LEFT,  /* packets left unasked, so an answer is likely */
	WIRE_NAPS,  /* as WIRE_LEFT, but the chip sleeps */
};

struct wire_wait {
	enum wire_waits what;
	bool slept; /* since the last turn, deaf to doorbells */
	uint64_t since, sent;
	struct habit spins[WIRE_NAPS]; /* by the state in which it waits */
	struct habit naps;
};

#define WIRE_WAIT_NONE UINT64_MAX

/* Reports a turn of the loop: doorbells, packets received, number of packets sent in all. */
void wire_wait_turn(struct wire_wait *, uint64_t now, bool rang, bool came, uint64_t sent);

/* Returns how long to sleep. 0: the loop turns. WIRE_WAIT_NONE: as a chip without a wire. */
uint64_t wire_wait_ns(struct wire_wait *, uint64_t now);

#endif
