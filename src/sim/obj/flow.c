/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <string.h>
#include <dvx/prm/flow.h>
#include "counter.h"
#include "flow.h"

static uint64_t flow_word_at(const uint8_t *bytes, unsigned int i)
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
		uint64_t bits = flow_word_at(criteria, i);

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

/* Returns the cost of a lookup: to hash eight words takes about as long as to read one STE. */
static uint32_t cost_of(const struct flow_group *g)
{
	return 1 + g->mask.n / 8u;
}

static void flow_note(struct flow_table *t, const struct flow_group *g, uint32_t by)
{
	t->cost += by * cost_of(g);
	t->enable = 0;
	for (unsigned int i = 0; i < FLOW_PARTS; i++) {
		t->parts[i] += by * (g->mask.enable >> i & 1u);
		if (t->parts[i])
			t->enable = (uint8_t)(t->enable | 1u << i);
	}
}

/*
 * Links a group in index order. Most groups are created in that order, so the search begins at the
 * end.
 */
bool flow_group_link(struct flow_group *g)
{
	struct flow_table *t = g->table;
	struct flow_group *before = t->last_group;

	while (before && before->start > g->end)
		before = before->prev;
	if (before && before->end >= g->start)
		return false;
	g->prev = before;
	g->next = before ? before->next : t->groups;
	*(before ? &before->next : &t->groups) = g;
	*(g->next ? &g->next->prev : &t->last_group) = g;
	flow_note(t, g, 1);
	return true;
}

void flow_group_unlink(struct flow_group *g)
{
	struct flow_table *t = g->table;

	*(g->prev ? &g->prev->next : &t->groups) = g->next;
	*(g->next ? &g->next->prev : &t->last_group) = g->prev;
	flow_note(t, g, UINT32_MAX);
}

/* --- entries -------------------------------------------------------------------------------- */

static size_t key_bytes(const struct flow_group *g)
{
	return g->mask.n * sizeof(uint64_t);
}

static struct flow_value *flow_find(const struct flow_group *g, const uint64_t *key)
{
	struct flow_value *v;

	HASH_FIND(hh, g->values, key, key_bytes(g), v);
	return v;
}

/* Finds or adds a value; NULL if there is no memory. */
static struct flow_value *flow_value_of(struct flow_group *g, const uint8_t *value)
{
	uint64_t words[FLOW_PARAM_WORDS], key[FLOW_PARAM_WORDS];
	struct flow_value *v;

	memcpy(words, value, sizeof(words));
	flow_mask_key(&g->mask, words, key);
	v = flow_find(g, key);
	if (v)
		return v;
	v = calloc(1, sizeof(*v) + key_bytes(g));
	if (!v)
		return NULL;
	memcpy(v->key, key, key_bytes(g));
	HASH_ADD_KEYPTR(hh, g->values, v->key, key_bytes(g), v);
	if (hash_has(v, hh))
		return v;
	free(v);
	return NULL;
}

static void value_put(struct flow_group *g, struct flow_value *v)
{
	if (v->first)
		return;
	HASH_DELETE(hh, g->values, v);
	free(v);
}

static void link_value(struct flow_entry *e)
{
	struct flow_value *v = e->of;
	struct flow_entry *before = v->last;

	if (before && v->first->index > e->index)
		before = NULL;
	while (before && before->index > e->index)
		before = before->prev;
	e->prev = before;
	e->next = before ? before->next : v->first;
	*(before ? &before->next : &v->first) = e;
	*(e->next ? &e->next->prev : &v->last) = e;
}

/* Returns true if the entry exists on the side of vports (`local`) or of the uplink. */
static bool flow_entry_is_on(const struct flow_entry *e, bool local)
{
	return e->act.source != (local ? PRM_FLOW_SOURCE_UPLINK : PRM_FLOW_SOURCE_LOCAL_VPORT);
}

void flow_entry_show(struct flow_entry *e)
{
	for (unsigned int local = 0; local < 2; local++) {
		struct flow_entry **first = &e->of->side[local];

		if (flow_entry_is_on(e, local) && (!*first || (*first)->index > e->index))
			*first = e;
	}
}

void flow_entry_hide(struct flow_entry *e)
{
	for (unsigned int local = 0; local < 2; local++) {
		struct flow_entry **first = &e->of->side[local];

		if (*first != e)
			continue;
		do
			*first = (*first)->next;
		while (*first && !flow_entry_is_on(*first, local));
	}
}

static void unlink_value(struct flow_entry *e)
{
	struct flow_value *v = e->of;

	flow_entry_hide(e);
	*(e->prev ? &e->prev->next : &v->first) = e->next;
	*(e->next ? &e->next->prev : &v->last) = e->prev;
	value_put(e->group, v);
}

struct flow_entry *flow_entry_new(struct flow_group *g, uint32_t index, const uint8_t *value)
{
	struct flow_entry *e = calloc(1, sizeof(*e));

	if (!e)
		return NULL;
	e->group = g;
	e->index = index;
	memcpy(e->value, value, sizeof(e->value));
	e->of = flow_value_of(g, value);
	if (e->of)
		HASH_ADD(by_index, g->table->entries, index, sizeof(e->index), e);
	if (!e->of || !hash_has(e, by_index)) {
		if (e->of)
			value_put(g, e->of);
		free(e);
		return NULL;
	}
	link_value(e);
	obj_get(&g->o);
	return e;
}

void flow_entry_free(struct flow_entry *e)
{
	unlink_value(e);
	HASH_DELETE(by_index, e->group->table->entries, e);
	obj_put(&e->group->o);
	flow_actions_put(&e->act);
	free(e);
}

struct flow_entry *flow_entry_at(struct flow_table *t, uint32_t index)
{
	struct flow_entry *e;

	HASH_FIND(by_index, t->entries, &index, sizeof(index), e);
	return e;
}

void flow_actions_put(struct flow_actions *a)
{
	for (uint32_t i = 0; i < a->ndests; i++) {
		obj_put(a->dests[i].obj);
		obj_put(a->dests[i].reformat);
	}
	for (uint32_t i = 0; i < a->ncounters; i++)
		a->counters[i].counter->refs--;
	obj_put(a->modify);
	obj_put(a->reformat);
	obj_put(a->aso);
	free(a->dests);
	free(a->counters);
	*a = (struct flow_actions){0};
}

const struct flow_entry *flow_table_match(const struct flow_table *t, const uint64_t *words,
					  bool local)
{
	uint64_t key[FLOW_PARAM_WORDS];

	for (const struct flow_group *g = t->groups; g; g = g->next) {
		const struct flow_value *v;

		if (!g->values)
			continue;
		flow_mask_key(&g->mask, words, key);
		v = flow_find(g, key);
		if (v && v->side[local])
			return v->side[local];
	}
	return NULL;
}
