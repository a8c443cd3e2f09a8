/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "mkey.h"
#include "device.h"
#include "base/hash.h"

/* Access that ALLOW_OTHER_VHCA_ACCESS granted: a row for each mkey, freed with the mkey. */
struct grant {
	uint64_t id; /* vhca << 32 | mkey index */
	uint64_t generation;
	uint8_t key[32];
	UT_hash_handle hh;
};

static uint64_t grant_id(const struct vhca *v, uint32_t index)
{
	return (uint64_t)v->id << 32 | index;
}

static struct grant *grant_find(const struct vhca *v, uint32_t index)
{
	uint64_t id = grant_id(v, index);
	struct grant *g;

	HASH_FIND(hh, v->dev->grants, &id, sizeof(id), g);
	return g;
}

int grant_set(struct vhca *v, uint32_t index, uint64_t generation, const uint8_t key[32])
{
	struct grant *g = grant_find(v, index);

	if (!g) {
		g = calloc(1, sizeof(*g));
		if (!g)
			return -ENOMEM;
		g->id = grant_id(v, index);
		HASH_ADD(hh, v->dev->grants, id, sizeof(g->id), g);
		if (!hash_has(g, hh)) {
			free(g);
			return -ENOMEM;
		}
	}
	g->generation = generation;
	memcpy(g->key, key, sizeof(g->key));
	return 0;
}

/*
 * Runs in constant time: a client can measure neither a missing grant nor the position of the first
 * wrong byte. A grant is void once its mkey is destroyed, even if another mkey has the index
 * (generation).
 */
bool grant_check(struct vhca *target, uint32_t index, const uint8_t key[32], uint64_t *generation)
{
	static const struct grant none = {.generation = 0};
	const struct grant *found = grant_find(target, index), *g = found ? found : &none;
	const struct obj *o = obj_find(target, OBJ_MKEY, index);
	volatile uint8_t diff = 0;

	for (unsigned int i = 0; i < sizeof(g->key); i++)
		diff = (uint8_t)(diff | (g->key[i] ^ key[i]));
	if (diff || !found || !o || o->generation != g->generation)
		return false;
	*generation = g->generation;
	return true;
}

void grant_drop(struct vhca *v, uint32_t index)
{
	struct grant *g = grant_find(v, index);

	if (!g)
		return;
	HASH_DEL(v->dev->grants, g);
	explicit_bzero(g->key, sizeof(g->key));
	free(g);
}

void grants_free(struct device *dev)
{
	struct grant *g, *next;

	HASH_ITER(hh, dev->grants, g, next)
	{
		HASH_DEL(dev->grants, g);
		free(g);
	}
}
