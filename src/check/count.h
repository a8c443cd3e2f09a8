/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CHECK_COUNT_H
#define CHECK_COUNT_H

#include <stdint.h>
#include "kinds.h"

/*
 * The program's side of dvx-sim stat: calls that a device does not see. The preload adds them up in
 * a file that the program maps (doc/design/0102).
 */
#define COUNT_ROWS 16384u /* a power of two; calls of further queues are not counted */

enum count_kind { COUNT_POSTS, COUNT_POLLS };
enum count_posts {
	COUNT_CALLS,
	COUNT_REQUESTS,
	COUNT_BLUEFLAME
}; /* by the first request's opcode */
enum count_polls { COUNT_POLLED, COUNT_EMPTY, COUNT_COMPLETIONS, COUNT_ARMS };

struct count_row {
	uint32_t key; /* count_key(); 0: the row is free */
	uint32_t pad;
	uint64_t n[4];
};

/* Number: a QP's, or a CQ's handle. Opcode: enum ibv_wr_opcode. */
static inline uint32_t count_key(enum count_kind kind, uint32_t opcode, uint32_t number)
{
	return 1u << 31 | (uint32_t)kind << 30 | (opcode & 63) << 24 | (number & 0xffffff);
}
static inline enum count_kind count_kind_of(uint32_t key)
{
	return (enum count_kind)(key >> 30 & 1);
}
static inline uint32_t count_opcode_of(uint32_t key)
{
	return key >> 24 & 63;
}

#endif
