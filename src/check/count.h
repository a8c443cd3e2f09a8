/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CHECK_COUNT_H
#define CHECK_COUNT_H

#include <stdint.h>
#include "kinds.h"

/*
 * The program's side of dvx-sim stat: calls that a device does not see. The preload adds them up in
 * a file that the program maps (doc/design/0102).
 */
#define COUNT_ROWS     16384u /* calls of further queues are not counted */
#define COUNT_LOG_ROWS 14

enum count_kind { COUNT_POSTS, COUNT_POLLS };
enum count_posts {
	COUNT_CALLS,
	COUNT_REQUESTS,
	COUNT_BLUEFLAME
}; /* by the first request's opcode */
enum count_polls { COUNT_POLLED, COUNT_EMPTY, COUNT_COMPLETIONS, COUNT_ARMS };

struct count_row {
	uint64_t key; /* count_key(); 0: the row is free */
	uint64_t n[4];
};
struct count_file {
	uint64_t contexts;  /* devices that were opened */
	uint64_t exact;	    /* stores to registers are counted, in place of calls (exact.c) */
	uint64_t untrapped; /* pages of registers whose stores could not be counted */
	struct count_row rows[COUNT_ROWS];
};

/*
 * Number: a QP's, which is the only one of its function, or a CQ's handle, the only one of its open
 * device. Scope: count_function(), or the open device's number. Opcode: enum ibv_wr_opcode.
 */
static inline uint64_t count_key(enum count_kind kind, uint32_t scope, uint32_t opcode,
				 uint32_t number)
{
	return (uint64_t)scope << 32 | 1u << 31 | (uint32_t)kind << 30 | (opcode & 63) << 24 |
	       (number & 0xffffff);
}
static inline enum count_kind count_kind_of(uint64_t key)
{
	return (enum count_kind)(key >> 30 & 1);
}
static inline uint32_t count_scope_of(uint64_t key)
{
	return (uint32_t)(key >> 32);
}
static inline uint32_t count_opcode_of(uint64_t key)
{
	return key >> 24 & 63;
}
/* Tells functions apart by their node GUIDs. */
static inline uint32_t count_function(uint64_t guid)
{
	return (uint32_t)(guid ^ guid >> 32);
}

#endif
