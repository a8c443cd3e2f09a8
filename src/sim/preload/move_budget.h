/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_PRELOAD_MOVE_BUDGET_H
#define SIM_PRELOAD_MOVE_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

/*
 * A budget for moving regions' pages. A move costs more than a few messages, a waste if a program
 * registers memory for each message. So the bytes of ended regions count against 64 MiB, which
 * refill by 8 MiB a second. While they are used up, no region's pages are copied.
 */
#define MOVE_NS_OF_BYTE 119u /* 1 s / 8 MiB */
#define MOVE_BUDGET_NS	((uint64_t)MOVE_NS_OF_BYTE * (64u << 20))

struct move_budget {
	uint64_t full_at; /* time when it is full again, ns */
};

static inline void move_budget_spend(struct move_budget *b, uint64_t now, uint64_t bytes)
{
	b->full_at = (b->full_at > now ? b->full_at : now) + bytes * MOVE_NS_OF_BYTE;
}

static inline bool move_budget_left(const struct move_budget *b, uint64_t now)
{
	return b->full_at < now + MOVE_BUDGET_NS;
}

#endif
