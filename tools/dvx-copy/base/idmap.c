/* SPDX-License-Identifier: BSD-2-Clause */
#include "idmap.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

struct idmap_entry {
	uint64_t pair[2];
	uint32_t id;
};

static int idmap_compare(const void *a, const void *b)
{
	const struct idmap_entry *x = a, *y = b;

	return memcmp(x->pair, y->pair, sizeof(x->pair));
}

uint32_t *idmap_find(const idmap *map, uint64_t a, uint64_t b)
{
	const struct idmap_entry key = {.pair = {a, b}};
	struct idmap_entry **at = tfind(&key, map, idmap_compare);

	return at ? &(*at)->id : NULL;
}

uint32_t *idmap_put(idmap *map, uint64_t a, uint64_t b)
{
	uint32_t *id = idmap_find(map, a, b);
	struct idmap_entry *e = id ? NULL : malloc(sizeof(*e));

	if (!e)
		return id;
	*e = (struct idmap_entry){.pair = {a, b}};
	if (tsearch(e, map, idmap_compare))
		return &e->id;
	free(e);
	return NULL;
}

void idmap_free(idmap *map)
{
	tdestroy(*map, free);
	*map = NULL;
}
