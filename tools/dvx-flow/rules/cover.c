/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds covered entries. An entry is covered by one of the same shape, or of a shape that compares
 * only some of its bits, if both agree in these. Each shape keeps its entries in a hash table, so
 * an entry needs one lookup for each wider shape, however many rules are between.
 */
#include <errno.h>
#include <stdlib.h>

#include "arena.h"
#include "cover.h"
#include "shape.h"

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

/* Compares the bits, not their hash. */
static bool cover_agrees(const struct shape *wide, const uint64_t *its, const struct shape *of,
			 const uint64_t *value)
{
	unsigned int j = 0;

	for (unsigned int i = 0; i < wide->n; i++) {
		while (of->key[j] < wide->key[i])
			j++;
		if ((value[j] & wide->mask[i]) != its[i])
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

bool cover_add(struct cover *c, enum rule_dir dir, size_t shape, struct rule_entry entry)
{
	struct cover_shape *s = &c->shape[shape];
	uint64_t h = cover_hash(s->shape, s->shape, entry.value);
	struct map_slot *slot;

	if (!array_grow((void **)&c->entry, c->nentries, &c->entry_room, sizeof(*c->entry)))
		return false;
	while ((slot = map_put(&s->seen[dir], h, (uint32_t)c->nentries)) &&
	       slot->what != c->nentries)
		h = map_again(h);
	if (slot)
		c->entry[c->nentries++] = entry;
	return slot;
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

/* Finds an entry of shape w that takes all packets of an entry of shape s. */
static const struct rule_entry *cover_entry(const struct cover *c, enum rule_dir dir,
					    const struct cover_shape *w, const struct shape *s,
					    const uint64_t *value)
{
	uint64_t h = cover_hash(w->shape, s, value);
	const struct map_slot *slot;

	for (; (slot = map_get(&w->seen[dir], h)); h = map_again(h))
		if (cover_agrees(w->shape, c->entry[slot->what].value, s, value))
			return &c->entry[slot->what];
	return NULL;
}

int cover_find(struct cover *c, enum rule_dir dir, size_t shape, const uint64_t *value,
	       uint32_t *by)
{
	struct cover_shape *s = &c->shape[shape];
	const struct rule_entry *e = cover_entry(c, dir, s, s->shape, value);
	bool look = !e && c->steps <= c->most;

	c->steps += look ? c->settled - s->compared : 0;
	if (look && !find_wider(c, s))
		return -ENOMEM;
	for (size_t i = 0; look && i < s->nwider && !e; i++) {
		e = cover_entry(c, dir, &c->shape[s->wider[i]], s->shape, value);
		c->steps++;
	}
	if (e)
		*by = e->rule;
	return e != NULL;
}

void cover_free(struct cover *c)
{
	for (size_t i = 0; i < c->n; i++) {
		for (int d = 0; d < RULE_DIRS; d++)
			map_free(&c->shape[i].seen[d]);
		free(c->shape[i].wider);
	}
	free(c->shape);
	free(c->entry);
	*c = (struct cover){0};
}
