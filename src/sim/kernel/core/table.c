/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "table.h"

static int id_table_grow(struct id_table *t)
{
	uint32_t n = t->n ? t->n * 2 : 64;
	void **at = reallocarray(t->at, n, sizeof(*at));
	uint32_t *freed = reallocarray(t->freed, n, sizeof(*freed));

	if (at)
		t->at = at;
	if (freed)
		t->freed = freed;
	if (!at || !freed)
		return -ENOMEM;
	memset(at + t->n, 0, (n - t->n) * sizeof(*at));
	t->n = n;
	return 0;
}

/* Removes the lowest from the heap: the last one takes its place and sinks. */
static uint32_t id_table_pop(struct id_table *t)
{
	uint32_t lowest = t->freed[0], last = t->freed[--t->nfreed], at = 0, below;

	for (; (below = 2 * at + 1) < t->nfreed; at = below) {
		if (below + 1 < t->nfreed && t->freed[below + 1] < t->freed[below])
			below++;
		if (last <= t->freed[below])
			break;
		t->freed[at] = t->freed[below];
	}
	t->freed[at] = last;
	return lowest;
}

int id_table_add(struct id_table *t, void *what, uint32_t *number)
{
	if (!t->nfreed && t->used == t->n && id_table_grow(t))
		return -ENOMEM;
	*number = t->nfreed ? id_table_pop(t) : t->used++;
	t->at[*number] = what;
	return 0;
}

void *id_table_find(const struct id_table *t, uint64_t number)
{
	return number < t->n ? t->at[number] : NULL;
}

void id_table_del(struct id_table *t, uint32_t number)
{
	uint32_t at = t->nfreed++, above;

	t->at[number] = NULL;
	for (; at && t->freed[above = (at - 1) / 2] > number; at = above)
		t->freed[at] = t->freed[above];
	t->freed[at] = number;
}

void id_table_free(struct id_table *t)
{
	free(t->at);
	free(t->freed);
	*t = (struct id_table){0};
}
