/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory that is freed all at once, and arrays that grow. */
#ifndef DVX_FLOW_ARENA_H
#define DVX_FLOW_ARENA_H

#include <stdbool.h>
#include <stddef.h>

struct arena;

struct arena *arena_new(void);
/* Moves all of *from's memory to `a`; *from becomes NULL. */
void arena_join(struct arena *a, struct arena **from);
void arena_free(struct arena *a);
/* Returns zeroed memory, aligned for any type; NULL: no memory. */
void *arena_get(struct arena *a, size_t bytes);
/* Returns a copy of bytes[0..n), ended by a NUL. */
char *arena_text(struct arena *a, const char *bytes, size_t n);

/* Return an array of n elements (at least one) that free() frees; NULL: no memory. */
void *array_new(size_t n, size_t size);
void *array_new_zeroed(size_t n, size_t size);
/* Makes room for element n of an array that doubles and that free() frees. False: no memory. */
bool array_grow(void **array, size_t n, size_t *room, size_t size);

#endif
