/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Edits of rules that are compiled to codes. Entries placed before the codes decide for the packets
 * of the rules that change. For each such rule, the overlay has the entries of all rules that take
 * one of these packets first, cut to these packets; doc/design/0065 explains why that is enough.
 */
#include <stdlib.h>
#include <string.h>

#include "generation_edit.h"
#include "rules/shape.h"

/* Limits of an overlay, which slows each packet; beyond a limit the rules are rebuilt. */
#define OVERLAY_MATCHERS 24u
#define OVERLAY_ENTRIES	 4096u
#define OVERLAY_REGIONS	 256u

/* The packets of one entry of a rule that changes. */
struct overlay_region {
	const struct shape *shape;
	const uint64_t *value;
	uint32_t rule;
	bool leaving; /* false: the rule arrives, so only earlier rules matter */
	bool taken;   /* no later rule takes any of these packets */
};

struct overlay {
	struct generation_edit *e;
	uint32_t table;
	struct overlay_region *region;
	size_t n, room;
	struct arena *memory; /* of the regions */
	bool *leaving;	      /* by rule: it leaves, so its entries cover nothing */
	uint32_t rule;	      /* the rule that is being expanded */
};

static struct built_table *overlay_table(const struct overlay *f)
{
	return &f->e->gen->table[f->table];
}

static const uint64_t *overlay_keep(struct arena **memory, const struct shape *shape,
				    const uint64_t *value)
{
	uint64_t *kept;

	if (!*memory)
		*memory = arena_new();
	kept = *memory ? arena_get(*memory, (shape->n + 1u) * sizeof(*kept)) : NULL;
	return kept ? memcpy(kept, value, shape->n * sizeof(*kept)) : NULL;
}

/* --- regions ----------------------------------------------------------------------------------- */

static int overlay_add_region(void *arg, const struct shape *shape, const uint64_t *value)
{
	struct overlay *f = arg;
	struct overlay_region r = {.rule = f->rule, .leaving = f->e->gen->hold[f->rule].leaving};

	r.shape = live_keep_shape(&overlay_table(f)->live, shape);
	r.value = overlay_keep(&f->memory, shape, value);
	if (!r.shape || !r.value ||
	    !array_grow((void **)&f->region, f->n, &f->room, sizeof(*f->region)))
		return edit_no_memory(f->e);
	f->region[f->n++] = r;
	return f->n > OVERLAY_REGIONS ? EDIT_REBUILD : 0;
}

static int overlay_regions(struct overlay *f)
{
	const struct generation *gen = f->e->gen;
	int ret = 0;

	for (f->rule = 0; f->rule < gen->set.n && !ret; f->rule++) {
		const struct rule_state *h = &gen->hold[f->rule];

		if (h->table == f->table && (h->arriving || h->leaving))
			ret = rule_expand(&gen->set.rule[f->rule], overlay_add_region, f);
	}
	return ret;
}

/* --- entries ----------------------------------------------------------------------------------- */

static bool overlay_full(const struct built_table *h)
{
	size_t n = 0;

	for (size_t m = 0; m < h->live.nmatchers; m++)
		n += h->live.matcher[m].shape != NULL;
	return n > OVERLAY_MATCHERS || h->live.n > OVERLAY_ENTRIES;
}

/* Returns the arena for a rule's entry. Entries of an added rule are freed with the rule. */
static struct arena **overlay_memory(struct overlay *f, uint32_t rule)
{
	struct rule_state *hold = rule == LIVE_REST ? NULL : &f->e->gen->hold[rule];

	return hold && hold->memory ? &hold->memory : &overlay_table(f)->memory;
}

/* Adds an entry, unless an earlier one covers it. */
static int overlay_put(struct overlay *f, uint32_t rule, const struct shape *shape,
		       const uint64_t *value)
{
	struct built_table *h = overlay_table(f);
	struct live_spot spot =
		live_find(&h->live, &f->e->gen->set, f->leaving, rule, shape, value);
	struct covered_entry c = {.rule = rule};
	int ret;

	if (spot.place == LIVE_COVERED)
		return 0;
	c.shape = live_keep_shape(&h->live, shape);
	c.value = overlay_keep(overlay_memory(f, rule), shape, value);
	if (!c.shape || !c.value)
		return edit_no_memory(f->e);
	ret = edit_put(f->e, h, &c, spot);
	return !ret && overlay_full(h) ? EDIT_REBUILD : ret;
}

/* Adds the part of a rule's entry that lies in the region. */
static int overlay_meet(struct overlay *f, struct overlay_region *r, const struct shape *shape,
			const uint64_t *value)
{
	struct shape_common common;
	uint64_t both[MATCH_KEYS];
	struct shape meet;

	if (r->taken || (!r->leaving && f->rule > r->rule))
		return 0;
	shape_meet(&common, shape, r->shape);
	if (!shape_agree(&common, value, r->value))
		return 0;
	r->taken = shape_is_wider(shape, r->shape);
	shape_both(&meet, both, shape, value, r->shape, r->value);
	return overlay_put(f, f->rule, &meet, both);
}

static int overlay_entry(void *arg, const struct shape *shape, const uint64_t *value)
{
	struct overlay *f = arg;
	int ret = 0;

	for (size_t i = 0; i < f->n && !ret; i++)
		ret = overlay_meet(f, &f->region[i], shape, value);
	return ret;
}

/* Marks the regions of arriving rules that an earlier rule's entry takes as a whole. */
static int overlay_shadow(void *arg, const struct shape *shape, const uint64_t *value)
{
	struct overlay *f = arg;
	struct shape_common common;

	for (size_t i = 0; i < f->n; i++) {
		struct overlay_region *r = &f->region[i];

		if (r->leaving || r->taken || f->rule >= r->rule ||
		    !shape_is_wider(shape, r->shape))
			continue;
		shape_meet(&common, shape, r->shape);
		r->taken = shape_agree(&common, value, r->value);
	}
	return 0;
}

/* Expands the rules after the edit, in their order. */
static int overlay_expand(struct overlay *f, entry_fn each)
{
	const struct generation *gen = f->e->gen;
	int ret = 0;

	for (f->rule = 0; f->rule < gen->set.n && !ret; f->rule++) {
		const struct rule_state *h = &gen->hold[f->rule];

		if (h->table == f->table && !h->leaving)
			ret = rule_expand(&gen->set.rule[f->rule], each, f);
	}
	return ret;
}

/* Makes the entries. Packets that no rule takes go the default way. */
static int overlay_entries(struct overlay *f)
{
	int ret = overlay_expand(f, overlay_shadow);

	if (!ret)
		ret = overlay_expand(f, overlay_entry);
	for (size_t i = 0; i < f->n && !ret; i++)
		if (f->region[i].leaving && !f->region[i].taken)
			ret = overlay_put(f, LIVE_REST, f->region[i].shape, f->region[i].value);
	return ret;
}

static int overlay_make(struct generation_edit *e, uint32_t table)
{
	size_t n = e->gen->set.n;
	struct overlay f = {.e = e, .table = table, .leaving = calloc(n + 1, sizeof(*f.leaving))};
	int ret = f.leaving ? overlay_regions(&f) : edit_no_memory(e);

	for (size_t i = 0; i < n && !ret; i++)
		f.leaving[i] = e->gen->hold[i].leaving;
	e->overlay |= f.n != 0;
	if (!ret && f.n)
		ret = overlay_entries(&f);
	free(f.region);
	arena_free(f.memory);
	free(f.leaving);
	return ret;
}

int edit_overlay(struct generation_edit *e)
{
	int ret = 0;

	for (uint32_t t = 0; t < e->gen->ntables && !ret; t++)
		if (e->gen->table[t].codes)
			ret = overlay_make(e, t);
	return ret;
}

int edit_overlay_undo(struct generation_edit *e, uint32_t table)
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
