/* SPDX-License-Identifier: BSD-2-Clause */
/* A hash table from a 64-bit hash to the first item that had it. */
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

/* Returns the hash to try next if another item has this one. */
static inline uint64_t map_again(uint64_t h)
{
	return map_mix(h, 1);
}

/* Returns the slot of this hash; a new slot gets `what`. NULL: no memory. */
struct map_slot *map_put(struct map *m, uint64_t hash, uint32_t what);
/* Returns NULL if nothing has this hash. */
const struct map_slot *map_get(const struct map *m, uint64_t hash);
void map_free(struct map *m);

/* Adds a text's bytes to the hash h. */
uint64_t map_mix_text(uint64_t h, const char *text);

#endif
