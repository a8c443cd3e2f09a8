/* SPDX-License-Identifier: BSD-2-Clause */
/* Relations of the bits that two shapes compare. */
#ifndef DVX_FLOW_SHAPE_H
#define DVX_FLOW_SHAPE_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "compile.h"

static inline bool shape_same(const struct shape *a, const struct shape *b)
{
	return a->n == b->n && !memcmp(a->key, b->key, a->n) &&
	       !memcmp(a->mask, b->mask, a->n * sizeof(a->mask[0]));
}

/* The bits that both shapes compare. */
struct shape_common {
	uint8_t n, mine[MATCH_KEYS], theirs[MATCH_KEYS]; /* indexes of the values */
	uint64_t mask[MATCH_KEYS];
};

void shape_meet(struct shape_common *out, const struct shape *mine, const struct shape *theirs);

/* Returns whether some packet has both values. */
static inline bool shape_agree(const struct shape_common *c, const uint64_t *mine,
			       const uint64_t *theirs)
{
	for (unsigned int i = 0; i < c->n; i++)
		if ((mine[c->mine[i]] ^ theirs[c->theirs[i]]) & c->mask[i])
			return false;
	return true;
}

/* Returns whether `wide` compares only bits that `narrow` compares. */
bool shape_is_wider(const struct shape *wide, const struct shape *narrow);

/* Writes the intersection of two values, which agree. */
void shape_both(struct shape *out, uint64_t *values, const struct shape *a, const uint64_t *of_a,
		const struct shape *b, const uint64_t *of_b);

/* The bits that all values of a shape have in common. Most searches end there. */
struct shape_constant {
	const uint64_t *value; /* the first one; NULL: there is none yet */
	uint64_t *mask;	       /* of each key */
};

/* Takes one more value of n keys, which stays where it is. Returns false if there is no memory. */
bool shape_constant_add(struct shape_constant *c, unsigned int n, const uint64_t *value);
static inline void shape_constant_free(struct shape_constant *c)
{
	free(c->mask);
}

/* Adds a key in its place: keys of a shape are ascending. A mask of 0 adds nothing. */
void shape_put(struct shape *s, uint64_t *values, unsigned int key, uint64_t value, uint64_t mask);

#endif
