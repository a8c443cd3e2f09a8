/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shared by expand.c, which expands the matches of a rule, and expand_not.c, which expands its
 * exceptions and fragments.
 */
#ifndef DVX_FLOW_EXPAND_H
#define DVX_FLOW_EXPAND_H

#include <string.h>

#include "compile.h"
#include "cubes.h"
#include "shape.h"

/* An entry that is being built. Copied with alternative_copy(): the arrays are mostly empty. */
struct alternative {
	bool inner; /* the current level */
	struct shape shape;
	uint64_t value[MATCH_KEYS]; /* of the shape's keys */
};

/* The lists in the order in which they multiply. HOST and PORT are tried on both sides. */
enum { LIST_SRC, LIST_DST, LIST_HOST, LIST_SPORT, LIST_DPORT, LIST_PORT, LISTS };

enum { SIDE_S, SIDE_D };

struct expansion {
	const struct rule *rule;
	struct exception *except; /* those of a value first */
	size_t of_value;	  /* number of exceptions of a value */
	entry_fn each;
	void *arg;
	size_t entries;
	size_t steps;		     /* from one exception to the next */
	struct cubes list[2][LISTS]; /* of the outer headers, and of the inner ones */
};

static inline void alternative_copy(struct alternative *to, const struct alternative *from)
{
	unsigned int n = from->shape.n;

	to->inner = from->inner;
	to->shape.n = from->shape.n;
	memcpy(to->shape.key, from->shape.key, n * sizeof(*to->shape.key));
	memcpy(to->shape.mask, from->shape.mask, n * sizeof(*to->shape.mask));
	memcpy(to->value, from->value, n * sizeof(*to->value));
}

/* Returns a copy in `room`, or the last time a itself: who gets an alternative may change it. */
static inline struct alternative *alternative_next(struct alternative *room, struct alternative *a,
						   bool last)
{
	if (last)
		return a;
	alternative_copy(room, a);
	return room;
}

/* Returns the key's index in the shape, or the one that it would have. */
static inline unsigned int alternative_at(const struct alternative *a, unsigned int key)
{
	unsigned int i = 0;

	while (i < a->shape.n && a->shape.key[i] < key)
		i++;
	return i;
}

/* Returns the value of a key; 0: the key is not compared. */
static inline uint64_t alternative_value(const struct alternative *a, unsigned int key)
{
	unsigned int i = alternative_at(a, key);

	return i < a->shape.n && a->shape.key[i] == key ? a->value[i] : 0;
}

/* Returns the key at the current level. */
static inline unsigned int alternative_key(const struct alternative *a, unsigned int key)
{
	if (!a->inner)
		return key;
	return key < KEY_PER_LEVEL ? (unsigned int)KEY_INNER(key) : MATCH_INNER(key);
}

/* Adds a condition. Returns false if no packet can meet both (src port 80, and 90). */
static inline bool alternative_add(struct alternative *a, unsigned int key, uint64_t value,
				   uint64_t mask)
{
	unsigned int i = alternative_at(a, key);

	if (i == a->shape.n || a->shape.key[i] != key) {
		shape_put(&a->shape, a->value, key, value, mask);
		return true;
	}
	if ((a->value[i] ^ value) & a->shape.mask[i] & mask)
		return false;
	a->value[i] |= value;
	a->shape.mask[i] |= mask;
	return true;
}

static inline bool alternative_add_here(struct alternative *a, unsigned int key, uint64_t value,
					uint64_t mask)
{
	return alternative_add(a, alternative_key(a, key), value, mask);
}

static inline bool alternative_add_net(struct alternative *a, unsigned int first_key,
				       uint8_t version, const struct cube *c)
{
	for (unsigned int i = version == 4 ? 3 : 0; i < 4; i++)
		if (!alternative_add_here(a, first_key + i, (uint32_t)(c->value >> 32 * (3 - i)),
					  (uint32_t)(c->mask >> 32 * (3 - i))))
			return false;
	return true;
}

static inline unsigned int expand_port_key(uint64_t proto, int side)
{
	if (proto == L4_TCP)
		return side == SIDE_S ? MATCH_TCP_SPORT : MATCH_TCP_DPORT;
	return side == SIDE_S ? MATCH_UDP_SPORT : MATCH_UDP_DPORT;
}

int expand_lists(struct cubes list[LISTS], const struct rule_headers *h);

/*
 * Prepares the exceptions of a rule, before its entries are made. expand_excepts() applies them to
 * an entry, from exception i on.
 */
int excepts_make(struct expansion *x, unsigned int stride);
int expand_excepts(struct expansion *x, const struct alternative *a, size_t i);
void excepts_free(struct expansion *x);

#endif
