/* SPDX-License-Identifier: BSD-2-Clause */
#include "alias.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "device.h"
#include "base/hash.h"

/* Access that ALLOW_OTHER_VHCA_ACCESS granted: a row for each object, freed with it. */
struct grant {
	uint64_t id; /* vhca << 40 | type << 32 | index */
	uint64_t generation;
	uint8_t key[32];
	UT_hash_handle hh;
};

static uint64_t grant_id(const struct vhca *v, unsigned int type, uint32_t index)
{
	return (uint64_t)v->id << 40 | (uint64_t)type << 32 | index;
}

static struct grant *grant_find(const struct vhca *v, unsigned int type, uint32_t index)
{
	uint64_t id = grant_id(v, type, index);
	struct grant *g;

	HASH_FIND(hh, v->dev->grants, &id, sizeof(id), g);
	return g;
}

int grant_set(const struct obj *o, const uint8_t key[32])
{
	struct grant *g = grant_find(o->vhca, o->type, o->id);

	if (!g) {
		g = calloc(1, sizeof(*g));
		if (!g)
			return -ENOMEM;
		g->id = grant_id(o->vhca, o->type, o->id);
		HASH_ADD(hh, o->vhca->dev->grants, id, sizeof(g->id), g);
		if (!hash_has(g, hh)) {
			free(g);
			return -ENOMEM;
		}
	}
	g->generation = o->generation;
	memcpy(g->key, key, sizeof(g->key));
	return 0;
}

/*
 * Runs in constant time: a client can measure neither a missing grant nor the position of the first
 * wrong byte. A grant is void once its object is destroyed, even if another one has the index
 * (generation).
 */
const struct obj *grant_check(const struct vhca *target, enum obj_type type, uint32_t index,
			      const uint8_t key[32])
{
	static const struct grant none = {.generation = 0};
	const struct grant *found = grant_find(target, type, index), *g = found ? found : &none;
	const struct obj *o = obj_find(target, type, index);
	volatile uint8_t diff = 0;

	for (unsigned int i = 0; i < sizeof(g->key); i++)
		diff = (uint8_t)(diff | (g->key[i] ^ key[i]));
	return !diff && found && o && o->generation == g->generation ? o : NULL;
}

void grant_drop(const struct obj *o)
{
	struct grant *g = grant_find(o->vhca, o->type, o->id);

	if (!g)
		return;
	HASH_DEL(o->vhca->dev->grants, g);
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

void *alias_follow(void *obj)
{
	const struct alias *a = obj;
	struct obj *o = obj;

	if (!o->alias)
		return o;
	o = obj_find(a->target, (enum obj_type)o->type, a->index);
	return o && o->generation == a->generation ? o : NULL;
}
