/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <string.h>
#include "counter.h"
#include "flow.h"

static uint64_t word_at(const uint8_t *bytes, unsigned int i)
{
	uint64_t w;

	memcpy(&w, bytes + 8ul * i, sizeof(w));
	return w;
}

void flow_mask_compile(struct flow_mask *m, const uint8_t criteria[FLOW_PARAM_BYTES],
		       uint8_t enable)
{
	m->enable = enable;
	m->n = 0;
	for (unsigned int i = 0; i < FLOW_PARAM_WORDS; i++) {
		uint64_t bits = word_at(criteria, i);

		if (!bits || !(enable >> i / (FLOW_PART_BYTES / 8) & 1))
			continue;
		m->at[m->n] = (uint8_t)i;
		m->bits[m->n++] = bits;
	}
}

void flow_mask_key(const struct flow_mask *m, const uint64_t *words, uint64_t *key)
{
	for (unsigned int i = 0; i < m->n; i++)
		key[i] = words[m->at[i]] & m->bits[i];
}

/* --- groups --------------------------------------------------------------------------------- */

static void note_parts(struct flow_table *t)
{
	t->enable = 0;
	for (const struct flow_group *g = t->groups; g; g = g->next)
		t->enable |= g->mask.enable;
}

bool flow_group_link(struct flow_group *g)
{
	struct flow_group **at = &g->table->groups;

	while (*at && (*at)->end < g->start)
		at = &(*at)->next;
	if (*at && (*at)->start <= g->end)
		return false;
	g->next = *at;
	*at = g;
	note_parts(g->table);
	return true;
}

void flow_group_unlink(struct flow_group *g)
{
	struct flow_group **at = &g->table->groups;

	while (*at != g)
		at = &(*at)->next;
	*at = g->next;
	note_parts(g->table);
}

/* --- entries -------------------------------------------------------------------------------- */

static size_t key_bytes(const struct flow_group *g)
{
	return g->mask.n * sizeof(uint64_t);
}

static struct flow_entry *find(const struct flow_group *g, const uint64_t *key)
{
	struct flow_entry *e;

	HASH_FIND(by_value, g->entries, key, key_bytes(g), e);
	return e;
}

/* The first of those with one value is the one in the hash. */
static void link_value(struct flow_entry *e)
{
	struct flow_group *g = e->group;
	struct flow_entry *first = find(g, e->key), **at;

	if (first && first->index < e->index) {
		for (at = &first->same; *at && (*at)->index < e->index; at = &(*at)->same)
			;
		e->same = *at;
		*at = e;
		return;
	}
	if (first)
		HASH_DELETE(by_value, g->entries, first);
	e->same = first;
	HASH_ADD_KEYPTR(by_value, g->entries, e->key, key_bytes(g), e);
}

static void unlink_value(struct flow_entry *e)
{
	struct flow_group *g = e->group;
	struct flow_entry *first = find(g, e->key), **at;

	if (first != e) {
		for (at = &first->same; *at != e; at = &(*at)->same)
			;
		*at = e->same;
		return;
	}
	HASH_DELETE(by_value, g->entries, e);
	if (e->same)
		HASH_ADD_KEYPTR(by_value, g->entries, e->same->key, key_bytes(g), e->same);
}

struct flow_entry *flow_entry_new(struct flow_group *g, uint32_t index, const uint8_t *value)
{
	struct flow_entry *e = calloc(1, sizeof(*e) + key_bytes(g));
	uint64_t words[FLOW_PARAM_WORDS];

	if (!e)
		return NULL;
	e->group = g;
	e->index = index;
	memcpy(e->value, value, sizeof(e->value));
	memcpy(words, value, sizeof(words));
	flow_mask_key(&g->mask, words, e->key);
	link_value(e);
	HASH_ADD(by_index, g->table->entries, index, sizeof(e->index), e);
	obj_get(&g->o);
	return e;
}

void flow_entry_free(struct flow_entry *e)
{
	unlink_value(e);
	HASH_DELETE(by_index, e->group->table->entries, e);
	obj_put(&e->group->o);
	flow_act_put(&e->act);
	free(e);
}

struct flow_entry *flow_entry_at(struct flow_table *t, uint32_t index)
{
	struct flow_entry *e;

	HASH_FIND(by_index, t->entries, &index, sizeof(index), e);
	return e;
}

void flow_act_put(struct flow_act *a)
{
	for (uint32_t i = 0; i < a->ndests; i++)
		obj_put(a->dests[i].obj);
	for (uint32_t i = 0; i < a->ncounters; i++)
		a->counters[i].counter->refs--;
	if (a->modify)
		obj_put(&a->modify->o);
	free(a->dests);
	free(a->counters);
	*a = (struct flow_act){0};
}

const struct flow_entry *flow_table_match(const struct flow_table *t, const uint64_t *words)
{
	uint64_t key[FLOW_PARAM_WORDS];

	for (const struct flow_group *g = t->groups; g; g = g->next) {
		const struct flow_entry *e;

		if (!g->entries)
			continue;
		flow_mask_key(&g->mask, words, key);
		e = find(g, key);
		if (e)
			return e;
	}
	return NULL;
}
