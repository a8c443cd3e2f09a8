/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_PRELOAD_MOVE_BUDGET_H
#define SIM_PRELOAD_MOVE_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Moving a region's pages costs more than a few messages, which is wasted on a program that
 * registers its memory for each message. So the bytes of regions that end count against a budget
 * of 64 MiB, which refills by 8 MiB a second; while it is used up, no region's pages are copied.
 */
#define MOVE_NS_OF_BYTE 119u /* 1 s / 8 MiB */
#define MOVE_BUDGET_NS	((uint64_t)MOVE_NS_OF_BYTE * (64u << 20))

struct move_budget {
	uint64_t full_at; /* ns; when it is full again */
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
