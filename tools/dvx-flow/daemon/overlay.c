/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Edits of a table that never changes, because its rules are codes. A list before it decides for
 * the packets of the rules that change. For each such rule, the list has the entries of all rules
 * that take one of these packets first, cut to these packets; doc/design/0066 explains why that is
 * enough.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "flow_list.h"
#include "dvx-flow.h"
#include "rules/shape.h"

/* Limits of an overlay, which slows each packet; beyond a limit the rules are rebuilt. */
#define OVERLAY_MATCHERS 24u
#define OVERLAY_ENTRIES	 4096u
#define OVERLAY_REGIONS	 256u

/* The packets of one entry of a rule that changes. */
struct overlay_region {
	struct covered_entry is;
	bool leaving; /* false: the rule arrives, so only earlier rules matter */
	bool taken;   /* no later rule takes any of these packets */
};

/* An edit. */
struct overlay {
	struct flow_list *l;
	struct generation_edit *e;
	struct overlay_region *region;
	size_t n, room;
	struct arena *memory; /* of the regions */
	uint32_t rule;	      /* the rule that is being expanded */
};

/* --- regions ---------------------------------------------------------------------------------- */

static int overlay_add_region(void *arg, const struct shape *shape, const uint64_t *value)
{
	struct overlay *f = arg;
	struct overlay_region r = {.is = {.rule = f->rule}, .leaving = f->e->leaving[f->rule]};

	if (!flow_list_keep(f->l, &f->memory, shape, value, &r.is) ||
	    !array_grow((void **)&f->region, f->n, &f->room, sizeof(*f->region)))
		return edit_no_memory(f->e);
	f->region[f->n++] = r;
	return f->n > OVERLAY_REGIONS ? EDIT_REBUILD : 0;
}

/* Calls `each` for the entries of the table's rules, in their order, that change or that stay. */
static int overlay_expand(struct overlay *f, bool change, entry_fn each)
{
	const struct generation *gen = f->e->gen;
	int ret = 0;

	for (f->rule = 0; f->rule < gen->set.n && !ret; f->rule++) {
		bool leaves = f->e->leaving[f->rule];

		if (gen->hold[f->rule].table == f->l->table &&
		    (change ? leaves || gen->hold[f->rule].arriving : !leaves))
			ret = rule_expand(&gen->set.rule[f->rule], each, f);
	}
	return ret;
}

/* --- entries ---------------------------------------------------------------------------------- */

static bool overlay_full(const struct live_table *l)
{
	size_t n = 0;

	for (size_t m = 0; m < l->nmatchers; m++)
		n += l->matcher[m].shape != NULL;
	return n > OVERLAY_MATCHERS || l->n > OVERLAY_ENTRIES;
}

/* Returns the arena for a rule's entry. Entries of an added rule are freed with the rule. */
static struct arena **overlay_memory(struct overlay *f, uint32_t rule)
{
	struct rule_state *hold = rule == LIVE_REST ? NULL : &f->e->gen->hold[rule];

	return hold && hold->memory ? &hold->memory : &f->l->memory;
}

/* Adds an entry, unless an earlier one covers it. */
static int overlay_put(struct overlay *f, uint32_t rule, const struct shape *shape,
		       const uint64_t *value)
{
	struct live_table *live = &f->l->live;
	struct live_spot spot = live_find(live, &f->e->gen->set, f->e->leaving, rule, shape, value);
	struct covered_entry c = {.rule = rule};
	int ret;

	if (spot.place == LIVE_COVERED)
		return 0;
	if (!flow_list_keep(f->l, overlay_memory(f, rule), shape, value, &c))
		return edit_no_memory(f->e);
	ret = flow_list_put(f->l, f->e, &c, spot);
	return !ret && overlay_full(live) ? EDIT_REBUILD : ret;
}

/* Adds the part of a rule's entry that lies in the region. */
static int overlay_meet(struct overlay *f, struct overlay_region *r, const struct shape *shape,
			const uint64_t *value)
{
	struct shape_common common;
	uint64_t both[MATCH_KEYS];
	struct shape meet;

	if (r->taken || (!r->leaving && f->rule > r->is.rule))
		return 0;
	shape_meet(&common, shape, r->is.shape);
	if (!shape_agree(&common, value, r->is.value))
		return 0;
	r->taken = shape_is_wider(shape, r->is.shape);
	shape_both(&meet, both, shape, value, r->is.shape, r->is.value);
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

		if (r->leaving || r->taken || f->rule >= r->is.rule ||
		    !shape_is_wider(shape, r->is.shape))
			continue;
		shape_meet(&common, shape, r->is.shape);
		r->taken = shape_agree(&common, value, r->is.value);
	}
	return 0;
}

/* Makes the entries. Packets that no rule takes go the default way. */
static int overlay_entries(struct overlay *f)
{
	int ret = overlay_expand(f, false, overlay_shadow);

	if (!ret)
		ret = overlay_expand(f, false, overlay_entry);
	for (size_t i = 0; i < f->n && !ret; i++)
		if (f->region[i].leaving && !f->region[i].taken)
			ret = overlay_put(f, LIVE_REST, f->region[i].is.shape,
					  f->region[i].is.value);
	return ret;
}

static int overlay_place(void *list, struct generation_edit *e)
{
	struct overlay f = {.l = list, .e = e};
	int ret = flow_list_edit_begin(list, e);

	if (!ret)
		ret = overlay_expand(&f, true, overlay_add_region);
	e->overlay |= f.n != 0;
	if (!ret && f.n)
		ret = overlay_entries(&f);
	free(f.region);
	arena_free(f.memory);
	return ret;
}

static int overlay_build(struct generation_build *b, void **out)
{
	struct flow_list *l = flow_list_new(b->gen, b->table);

	if (!l)
		return flow_fault_set(b->fault, EXIT_INPUT, "%s", strerror(ENOMEM));
	l->live.last = TABLE_FIRST;
	*out = l;
	return 0;
}

static int overlay_cost(const void *list, struct cost_sum *s)
{
	const struct flow_list *l = list;

	return cost_add_before(s, l->table, &l->live);
}

const struct table_ops overlay_ops = {
	.build = overlay_build,
	.free = flow_list_free,
	.renumber = flow_list_renumber,
	.cost = overlay_cost,
	.entries = flow_list_entries,
	.place = overlay_place,
	.write = flow_list_edit_write,
	.finish = flow_list_edit_finish,
	.undo = flow_list_edit_undo,
};
