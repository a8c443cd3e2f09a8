/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_BASE_INTERVALS_H
#define SIM_BASE_INTERVALS_H

#include <stdint.h>

/*
 * Ranges of numbers that may overlap and may be equal. Adding, removing and finding one take time
 * that grows with the logarithm of how many there are, whatever their order. Nothing is allocated:
 * an interval is a part of what it belongs to. It must not change while it is in a set.
 */
struct interval {
	uint64_t from, end; /* the first number, and the first behind the last */
	/* the set's own */
	uint64_t most; /* the highest end of it and all below it */
	struct interval *up, *left, *right;
	unsigned int height;
};

struct intervals {
	struct interval *root; /* NULL: the set is empty */
};

void intervals_add(struct intervals *, struct interval *);
/* It must be in the set. */
void intervals_remove(struct intervals *, struct interval *);
/*
 * Those that overlap from..end, in the order of their beginnings: the first one, or the next after
 * `last`, which overlaps it, too. NULL: there are no more.
 */
struct interval *intervals_over(const struct intervals *, uint64_t from, uint64_t end,
				const struct interval *last);

#endif
