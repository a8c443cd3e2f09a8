/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_CHIP_WIRE_WAIT_H
#define SIM_CHIP_WIRE_WAIT_H

#include <stdbool.h>
#include <stdint.h>

/*
 * How a chip with nothing to do waits for its wire (doc/design/0039). Each way to wait is a habit:
 * one that fails is tried ever more rarely, one that pays always.
 */
struct habit {
	uint8_t skip, skipped;
};

enum wire_waits {
	WIRE_QUIET, /* the wire is no reason to stay awake */
	WIRE_CAME,  /* something came in, so more is likely, or a doorbell */
	WIRE_LEFT,  /* something left that nothing on the wire asked for: an answer is likely */
	WIRE_NAPS,  /* as WIRE_LEFT, but the chip sleeps */
};

struct wire_wait {
	enum wire_waits what;
	bool slept; /* since the last turn, and deaf to doorbells */
	uint64_t since, sent;
	struct habit spins[WIRE_NAPS]; /* by what it waits in */
	struct habit naps;
};

#define WIRE_WAIT_NONE UINT64_MAX

/* What a turn of the loop found: doorbells, packets, how many have left in all. */
void wire_wait_turn(struct wire_wait *, uint64_t now, bool rang, bool came, uint64_t sent);

/* How long to sleep now. 0: the loop turns. WIRE_WAIT_NONE: as a chip without a wire. */
uint64_t wire_wait_ns(struct wire_wait *, uint64_t now);

#endif
