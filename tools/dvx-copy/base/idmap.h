/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_IDMAP_H
#define DVX_COPY_IDMAP_H

#include <stdint.h>

/*
 * A map from pairs of numbers to a number: from an inode to the id of its links, from a user or
 * group to the number that it has at this end. It is a pointer, which begins as NULL.
 */
typedef void *idmap;

/* Returns the pair's number, which is 0 if the pair was not there; NULL without memory. */
uint32_t *idmap_put(idmap *map, uint64_t a, uint64_t b);

/* Returns the pair's number, or NULL if the pair is not there. */
uint32_t *idmap_find(const idmap *map, uint64_t a, uint64_t b);

void idmap_free(idmap *map);

#endif
