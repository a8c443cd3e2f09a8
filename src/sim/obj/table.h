/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_OBJ_TABLE_H
#define SIM_OBJ_TABLE_H

/* Tables of objects, for obj.c and for lookups made for each message, which are inlined. */
#include "obj.h"
#include "vhca.h"

/*
 * Objects by id: a radix tree of three levels of 256, because the data path looks up keys for every
 * packet and ids have at most 24 bits. A cursor goes round the whole id space before it reuses an
 * id, so that a stale handle stays invalid as long as possible.
 */
#define OBJ_FANOUT 256u

struct obj_leaf {
	struct obj *slot[OBJ_FANOUT];
	unsigned int live;
};

struct obj_branch {
	struct obj_leaf *leaf[OBJ_FANOUT];
	unsigned int live; /* leaves */
};

struct obj_table {
	struct obj_branch *branch[OBJ_FANOUT];
	uint32_t first, end; /* id space */
	uint32_t next;	     /* start of the search for a free id */
	uint32_t live;
};

static inline struct obj_leaf *obj_leaf_of(const struct obj_table *t, uint32_t id)
{
	const struct obj_branch *b = id < t->end ? t->branch[id >> 16] : NULL;

	return b ? b->leaf[(id >> 8) % OBJ_FANOUT] : NULL;
}

/* Like obj_find(), inlined. */
static inline void *obj_lookup(const struct vhca *v, enum obj_type type, uint32_t id)
{
	const struct obj_leaf *l = obj_leaf_of(v->tables[type], id);

	return l ? l->slot[id % OBJ_FANOUT] : NULL;
}

#endif
