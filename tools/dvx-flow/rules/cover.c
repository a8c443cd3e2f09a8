/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds covered entries. An entry is covered by one of the same shape, or of a shape that compares
 * only some of its bits, if both agree in these. Each shape keeps its entries in a hash table, so
 * an entry needs one lookup for each wider shape, however many rules are between; and none where a
 * bit that all of these have tells it apart, or where they rise, as most lists of addresses do.
 */
#include <errno.h>
#include <stdlib.h>

#include "arena.h"
#include "cover.h"

/* Folds the bits that a shape compares. Keys begin at odd distances, so that few bits coincide. */
static void fold(struct cover_shape *s)
{
	for (unsigned int i = 0; i < s->shape->n; i++) {
		unsigned int by = s->shape->key[i] * 23u % 64;
		uint64_t m = s->shape->mask[i];

		s->bits[s->shape->key[i] & 1] |= m << by | (by ? m >> (64 - by) : 0);
	}
}

/* Hashes the values of an entry of shape `of`, under the bits that `wide` compares. */
static uint64_t cover_hash(const struct shape *wide, const struct shape *of, const uint64_t *value)
{
	uint64_t h = 1;
	unsigned int j = 0;

	for (unsigned int i = 0; i < wide->n; i++) {
		while (of->key[j] < wide->key[i])
			j++;
		h = map_mix(h, value[j] & wide->mask[i]);
	}
	return h;
}

/* Compares the bits, not their hash; only those of `mask`, if it is not NULL. */
static bool cover_agrees(const struct shape *wide, const uint64_t *its, const uint64_t *mask,
			 const struct shape *of, const uint64_t *value)
{
	unsigned int j = 0;

	for (unsigned int i = 0; i < wide->n; i++) {
		while (of->key[j] < wide->key[i])
			j++;
		if (((value[j] & wide->mask[i]) ^ its[i]) & (mask ? mask[i] : UINT64_MAX))
			return false;
	}
	return true;
}

bool cover_add_shape(struct cover *c, const struct shape *shape)
{
	if (!array_grow((void **)&c->shape, c->n, &c->room, sizeof(*c->shape)))
		return false;
	c->shape[c->n] = (struct cover_shape){.shape = shape};
	fold(&c->shape[c->n++]);
	return true;
}

/* Returns whether the value is above that of the last entry. */
static bool cover_is_above(const struct cover_entries *e, unsigned int n, const uint64_t *value)
{
	unsigned int i = 0;

	if (!e->n)
		return true;
	while (i < n && value[i] == e->entry[e->n - 1].value[i])
		i++;
	return i < n && value[i] > e->entry[e->n - 1].value[i];
}

bool cover_add(struct cover *c, enum rule_dir dir, size_t shape, struct rule_entry entry)
{
	const struct shape *s = c->shape[shape].shape;
	struct cover_entries *e = &c->shape[shape].of[dir];

	if (!array_grow((void **)&e->entry, e->n, &e->room, sizeof(*e->entry)) ||
	    !shape_constant_add(&e->constant, s->n, entry.value))
		return false;
	e->rising = (e->rising || !e->n) && cover_is_above(e, s->n, entry.value);
	e->entry[e->n++] = entry;
	return true;
}

/* Adds the entries to the hash table that came since its last search. */
static bool cover_fill(struct cover_entries *e, const struct shape *s)
{
	for (; e->filled < e->n; e->filled++) {
		uint64_t h = cover_hash(s, s, e->entry[e->filled].value);
		struct map_slot *slot;

		while ((slot = map_put(&e->seen, h, (uint32_t)e->filled)) &&
		       slot->what != e->filled)
			h = map_again(h);
		if (!slot)
			return false;
	}
	return true;
}

/* Finds the wider shapes of earlier rules among the shapes added since the last call. */
static bool find_wider(const struct cover *c, struct cover_shape *s)
{
	for (; s->compared < c->settled; s->compared++) {
		const struct cover_shape *w = &c->shape[s->compared];

		if (w->bits[0] & ~s->bits[0] || w->bits[1] & ~s->bits[1] ||
		    !shape_is_wider(w->shape, s->shape))
			continue;
		if (!array_grow((void **)&s->wider, s->nwider, &s->room, sizeof(*s->wider)))
			return false;
		s->wider[s->nwider++] = (uint32_t)s->compared;
	}
	return true;
}

/* Finds an entry of shape w that takes all packets of an entry of shape s. False: no memory. */
static bool cover_entry(struct cover_entries *e, const struct shape *w, const struct shape *s,
			const uint64_t *value, const struct rule_entry **found)
{
	const struct map_slot *slot;
	uint64_t h;

	*found = NULL;
	if (!e->n || !cover_agrees(w, e->constant.value, e->constant.mask, s, value) ||
	    (e->rising && w == s && cover_is_above(e, s->n, value)))
		return true;
	if (!cover_fill(e, w))
		return false;
	h = cover_hash(w, s, value);
	for (; !*found && (slot = map_get(&e->seen, h)); h = map_again(h))
		if (cover_agrees(w, e->entry[slot->what].value, NULL, s, value))
			*found = &e->entry[slot->what];
	return true;
}

int cover_find(struct cover *c, enum rule_dir dir, size_t shape, const uint64_t *value,
	       uint32_t *by)
{
	struct cover_shape *s = &c->shape[shape];
	const struct rule_entry *e;
	bool fine = cover_entry(&s->of[dir], s->shape, s->shape, value, &e);
	bool look = fine && !e && c->steps <= c->most;

	c->steps += look ? c->settled - s->compared : 0;
	if (look)
		fine = find_wider(c, s);
	for (size_t i = 0; look && fine && i < s->nwider && !e; i++) {
		struct cover_shape *w = &c->shape[s->wider[i]];

		fine = cover_entry(&w->of[dir], w->shape, s->shape, value, &e);
		c->steps++;
	}
	if (e)
		*by = e->rule;
	return fine ? e != NULL : -ENOMEM;
}

void cover_free(struct cover *c)
{
	for (size_t i = 0; i < c->n; i++) {
		for (int d = 0; d < RULE_DIRS; d++) {
			map_free(&c->shape[i].of[d].seen);
			shape_constant_free(&c->shape[i].of[d].constant);
			free(c->shape[i].of[d].entry);
		}
		free(c->shape[i].wider);
	}
	free(c->shape);
	*c = (struct cover){0};
}
