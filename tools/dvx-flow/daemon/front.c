/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Edits of rules that are compiled to codes: entries before the codes, which decide for the packets
 * of the rules that change. For each such rule there are the entries of all rules that take one of
 * these packets first, as far as they are about them; doc/design/0065 says why that is enough.
 */
#include <stdlib.h>
#include <string.h>

#include "generation_edit.h"
#include "rules/shape.h"

/* Each packet pays for a matcher; rules are built anew instead of more, or of so many entries. */
#define FRONT_MATCHERS 24u
#define FRONT_ENTRIES  4096u
#define FRONT_REGIONS  256u

/* The packets of an entry of a rule that changes. */
struct front_region {
	const struct shape *shape;
	const uint64_t *value;
	uint32_t rule;
	bool goes;  /* else the rule comes, and earlier ones matter */
	bool taken; /* no later rule takes any of them */
};

struct front {
	struct generation_edit *e;
	uint32_t table;
	struct front_region *region;
	size_t n, room;
	struct arena *memory; /* of the regions */
	bool *going;	      /* the rules that go: their entries cover nothing */
	uint32_t rule;	      /* that is expanded */
};

static struct built_table *front_table(const struct front *f)
{
	return &f->e->gen->table[f->table];
}

static const uint64_t *front_keep(struct arena **memory, const struct shape *shape,
				  const uint64_t *value)
{
	uint64_t *kept;

	if (!*memory)
		*memory = arena_new();
	kept = *memory ? arena_get(*memory, (shape->n + 1u) * sizeof(*kept)) : NULL;
	return kept ? memcpy(kept, value, shape->n * sizeof(*kept)) : NULL;
}

/* --- regions ----------------------------------------------------------------------------------- */

static int front_add_region(void *arg, const struct shape *shape, const uint64_t *value)
{
	struct front *f = arg;
	struct front_region r = {.rule = f->rule, .goes = f->e->gen->hold[f->rule].goes};

	r.shape = live_keep_shape(&front_table(f)->live, shape);
	r.value = front_keep(&f->memory, shape, value);
	if (!r.shape || !r.value ||
	    !array_grow((void **)&f->region, f->n, &f->room, sizeof(*f->region)))
		return edit_no_memory(f->e);
	f->region[f->n++] = r;
	return f->n > FRONT_REGIONS ? EDIT_REBUILD : 0;
}

static int front_regions(struct front *f)
{
	const struct generation *gen = f->e->gen;
	int ret = 0;

	for (f->rule = 0; f->rule < gen->set.n && !ret; f->rule++) {
		const struct holding *h = &gen->hold[f->rule];

		if (h->table == f->table && (h->came || h->goes))
			ret = rule_expand(&gen->set.rule[f->rule], front_add_region, f);
	}
	return ret;
}

/* --- entries ----------------------------------------------------------------------------------- */

static bool front_full(const struct built_table *h)
{
	size_t n = 0;

	for (size_t m = 0; m < h->live.nmatchers; m++)
		n += h->live.matcher[m].shape != NULL;
	return n > FRONT_MATCHERS || h->live.n > FRONT_ENTRIES;
}

/* Entries of a rule that came later go with it. */
static struct arena **front_memory(struct front *f, uint32_t rule)
{
	struct holding *hold = rule == LIVE_REST ? NULL : &f->e->gen->hold[rule];

	return hold && hold->memory ? &hold->memory : &front_table(f)->memory;
}

/* An entry that one before it covers is left out. */
static int front_put(struct front *f, uint32_t rule, const struct shape *shape,
		     const uint64_t *value)
{
	struct built_table *h = front_table(f);
	struct live_spot spot = live_find(&h->live, &f->e->gen->set, f->going, rule, shape, value);
	struct covered_entry c = {.rule = rule};
	int ret;

	if (spot.place == LIVE_COVERED)
		return 0;
	c.shape = live_keep_shape(&h->live, shape);
	c.value = front_keep(front_memory(f, rule), shape, value);
	if (!c.shape || !c.value)
		return edit_no_memory(f->e);
	ret = edit_put(f->e, h, &c, spot);
	return !ret && front_full(h) ? EDIT_REBUILD : ret;
}

/* What an entry of a rule takes of a region. */
static int front_meet(struct front *f, struct front_region *r, const struct shape *shape,
		      const uint64_t *value)
{
	struct shape_common common;
	uint64_t both[MATCH_KEYS];
	struct shape meet;

	if (r->taken || (!r->goes && f->rule > r->rule))
		return 0;
	shape_meet(&common, shape, r->shape);
	if (!shape_agree(&common, value, r->value))
		return 0;
	r->taken = shape_is_wider(shape, r->shape);
	shape_both(&meet, both, shape, value, r->shape, r->value);
	return front_put(f, f->rule, &meet, both);
}

static int front_entry(void *arg, const struct shape *shape, const uint64_t *value)
{
	struct front *f = arg;
	int ret = 0;

	for (size_t i = 0; i < f->n && !ret; i++)
		ret = front_meet(f, &f->region[i], shape, value);
	return ret;
}

/* A rule that comes gets no packet that an entry of an earlier one takes anyway. */
static int front_shadow(void *arg, const struct shape *shape, const uint64_t *value)
{
	struct front *f = arg;
	struct shape_common common;

	for (size_t i = 0; i < f->n; i++) {
		struct front_region *r = &f->region[i];

		if (r->goes || r->taken || f->rule >= r->rule || !shape_is_wider(shape, r->shape))
			continue;
		shape_meet(&common, shape, r->shape);
		r->taken = shape_agree(&common, value, r->value);
	}
	return 0;
}

/* Of the rules behind the edit, in their order. */
static int front_expand(struct front *f, entry_fn each)
{
	const struct generation *gen = f->e->gen;
	int ret = 0;

	for (f->rule = 0; f->rule < gen->set.n && !ret; f->rule++) {
		const struct holding *h = &gen->hold[f->rule];

		if (h->table == f->table && !h->goes)
			ret = rule_expand(&gen->set.rule[f->rule], each, f);
	}
	return ret;
}

/* What no rule takes goes the default way. */
static int front_entries(struct front *f)
{
	int ret = front_expand(f, front_shadow);

	if (!ret)
		ret = front_expand(f, front_entry);
	for (size_t i = 0; i < f->n && !ret; i++)
		if (f->region[i].goes && !f->region[i].taken)
			ret = front_put(f, LIVE_REST, f->region[i].shape, f->region[i].value);
	return ret;
}

static int front_make(struct generation_edit *e, uint32_t table)
{
	size_t n = e->gen->set.n;
	struct front f = {.e = e, .table = table, .going = calloc(n + 1, sizeof(*f.going))};
	int ret = f.going ? front_regions(&f) : edit_no_memory(e);

	for (size_t i = 0; i < n && !ret; i++)
		f.going[i] = e->gen->hold[i].goes;
	e->front |= f.n != 0;
	if (!ret && f.n)
		ret = front_entries(&f);
	free(f.region);
	arena_free(f.memory);
	free(f.going);
	return ret;
}

int edit_front(struct generation_edit *e)
{
	int ret = 0;

	for (uint32_t t = 0; t < e->gen->ntables && !ret; t++)
		if (e->gen->table[t].codes)
			ret = front_make(e, t);
	return ret;
}

int edit_front_undo(struct generation_edit *e, uint32_t table)
{
	struct built_table *h = &e->gen->table[table];
	int ret = 0;

	while (h->live.n > e->entries[table]) {
		size_t i = h->live.n - 1;

		if (dvx_flow_rule_destroy(h->rule[i]))
			ret = edit_kept(e);
		edit_forget(h, i);
	}
	return ret;
}
