/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_BASE_INTERVALS_H
#define SIM_BASE_INTERVALS_H

#include <stdint.h>

/*
 * A set of ranges of numbers, which may overlap and may be equal. Adding, removing and finding take
 * time in the logarithm of their number, in any order. Nothing is allocated: an interval is
 * embedded in its owner's struct. It must not change while it is in a set.
 */
struct interval {
	uint64_t from, end; /* the first number, and the number behind the last */
	/* private to the set */
	uint64_t most; /* the highest end in this subtree */
	struct interval *up, *left, *right;
	unsigned int height;
};

struct intervals {
	struct interval *root; /* NULL: the set is empty */
};

void intervals_add(struct intervals *, struct interval *);
/* Removes an interval, which must be in the set. */
void intervals_remove(struct intervals *, struct interval *);
/*
 * Returns the first interval that overlaps from..end, or the next after `last`, which overlaps it,
 * too; ordered by begin. NULL: no more.
 */
struct interval *intervals_over(const struct intervals *, uint64_t from, uint64_t end,
				const struct interval *last);

#endif
