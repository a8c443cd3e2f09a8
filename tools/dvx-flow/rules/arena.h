/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory that is freed all at once. */
#ifndef DVX_FLOW_ARENA_H
#define DVX_FLOW_ARENA_H

#include <stddef.h>

struct arena;

struct arena *arena_new(void);
void arena_free(struct arena *a);
/* Zeroed, aligned for any type; NULL: no memory. */
void *arena_get(struct arena *a, size_t bytes);
/* A copy of bytes[0..n), ended by a NUL. */
char *arena_text(struct arena *a, const char *bytes, size_t n);

#endif
