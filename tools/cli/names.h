/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_PRM_NAMES_H
#define DVX_PRM_NAMES_H

#include <stddef.h>

#define NAMES_NEAR 4

/* The names that are most similar to a given one, nearest first. */
struct near {
	const char *name[NAMES_NEAR];
	unsigned int distance[NAMES_NEAR];
	size_t count;
};

/* Counts the letters to insert, delete, change or swap. Only the first 63 of a name count. */
unsigned int name_distance(const char *a, const char *b);

void near_offer(struct near *n, const char *wanted, const char *candidate);

/* Returns " (did you mean a, b or c?)", or "" if there is no similar name. */
const char *near_text(const struct near *n, char *buf, size_t size);

#endif
