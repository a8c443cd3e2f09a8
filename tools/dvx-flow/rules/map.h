/* SPDX-License-Identifier: BSD-2-Clause */
/* A hash table from a 64-bit hash to the first thing that had it. */
#ifndef DVX_FLOW_MAP_H
#define DVX_FLOW_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct map_slot {
	uint64_t hash;
	uint32_t what;
	bool used, mixed; /* `mixed` is the user's */
};

struct map {
	struct map_slot *slot;
	size_t n, room;
};

/* Adds v to the hash h. */
static inline uint64_t map_mix(uint64_t h, uint64_t v)
{
	h = (h ^ v) * 0x9e3779b97f4a7c15ull;
	return h ^ h >> 29;
}

/* The hash to try next where another thing has this one. */
static inline uint64_t map_again(uint64_t h)
{
	return map_mix(h, 1);
}

/* The slot of this hash, with its old content or else with `what`. NULL: no memory. */
struct map_slot *map_put(struct map *m, uint64_t hash, uint32_t what);
/* NULL: nothing has this hash. */
const struct map_slot *map_get(const struct map *m, uint64_t hash);
void map_free(struct map *m);

/* The same of a text's bytes. */
uint64_t map_mix_text(uint64_t h, const char *text);

#endif
