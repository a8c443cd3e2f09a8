/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Adds and removes rules entry by entry, in tables that packets are in. At each moment a packet
 * gets the verdict of the rules before the edit or of those after it; doc/design/0065 explains why.
 *
 *	merge		puts arriving rules into the list, without entries
 *	insert		finds places for their entries
 *	uncover		finds places for entries that only a leaving rule covered
 *	write		inserts these entries on the device, from the first rule's to the last one's
 *	finish		removes the leaving rules' entries, from the last rule's to the first one's
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "generation_edit.h"
#include "acl_tables.h"
#include "dvx-flow.h"

/* --- the list of rules ------------------------------------------------------------------------ */

/* Renumbers the rules of a program, from which costs are counted. */
static void edit_renumber_codes(struct acl_program *p, const uint32_t *to)
{
	for (size_t t = 0; t < p->n; t++)
		for (size_t m = 0; m < p->table[t].n; m++)
			for (size_t i = 0; i < p->table[t].matcher[m].n; i++) {
				struct acl_entry *entry = &p->table[t].matcher[m].entry[i];

				if (entry->rule != ACL_NONE)
					entry->rule = to[entry->rule];
			}
}

static void edit_renumber(struct generation *gen, const uint32_t *to)
{
	for (size_t t = 0; t < gen->ntables; t++) {
		live_renumber(&gen->table[t].live, to);
		if (gen->table[t].codes)
			acl_tables_renumber(gen->table[t].codes, to);
	}
	for (size_t t = 0; t < gen->ntables; t++)
		edit_renumber_codes(&gen->plan.codes[t], to);
	for (int d = 0; d < RULE_DIRS; d++) {
		struct acl_refusal *why = &gen->plan.refusal[d];

		if (!why->why || why->rule == ACL_NONE)
			continue;
		why->rule = to[why->rule];
		if (why->rule == ACL_NONE)
			why->why = NULL;
	}
}

static bool edit_grow(struct generation *gen, size_t n)
{
	size_t room = n + n / 8 + 64;
	struct rule *rule;
	struct rule_state *hold;

	if (n <= gen->room)
		return true;
	rule = reallocarray(gen->set.rule, room, sizeof(*rule));
	gen->set.rule = rule ? rule : gen->set.rule;
	hold = rule ? reallocarray(gen->hold, room, sizeof(*hold)) : NULL;
	gen->hold = hold ? hold : gen->hold;
	gen->room = hold ? room : gen->room;
	return hold;
}

/* Puts arriving rules among the others, from the last one on. */
static int edit_merge(struct generation_edit *e, const struct generation_change *c)
{
	struct generation *gen = e->gen;
	size_t m = c->nmore, k = gen->set.n + m;

	if (!edit_grow(gen, k))
		return edit_no_memory(e);
	for (size_t i = gen->set.n + 1; i-- > 0;) {
		if (i < gen->set.n) {
			e->to[i] = (uint32_t)--k;
			if (k != i) {
				gen->set.rule[k] = gen->set.rule[i];
				gen->hold[k] = gen->hold[i];
			}
			gen->hold[k].leaving = c->gone && c->gone[i];
		}
		for (; m && c->before[m - 1] == i; m--) {
			gen->set.rule[--k] = c->more[m - 1];
			gen->hold[k] = (struct rule_state){.arriving = true, .table = e->in[m - 1]};
		}
	}
	edit_renumber(gen, e->to);
	gen->set.n += c->nmore;
	return 0;
}

/*
 * Frees a rule's objects. Codes keep entries of rules that they were built with, so those rules'
 * objects are retired instead; edit_new() has made room for them.
 */
static void edit_retire(struct generation *gen, struct rule_state *h, bool arriving)
{
	if (!arriving && gen->table[h->table].codes && !h->memory)
		gen->retired[gen->nretired++] = *h;
	else
		rule_state_free(h);
}

/* Removes the arriving rules from the list, or the leaving ones. Their entries are gone already. */
static void edit_compact(struct generation_edit *e, bool arriving)
{
	struct generation *gen = e->gen;
	size_t n = 0;

	for (size_t i = 0; i < gen->set.n; i++) {
		struct rule_state *h = &gen->hold[i];

		if (arriving ? h->arriving : h->leaving) {
			edit_retire(gen, h, arriving);
			if (!arriving)
				arena_free(gen->set.rule[i].own);
			e->to[i] = UINT32_MAX;
			continue;
		}
		h->arriving = h->leaving = false;
		e->to[i] = (uint32_t)n;
		if (n != i) {
			gen->set.rule[n] = gen->set.rule[i];
			gen->hold[n] = *h;
		}
		n++;
	}
	gen->set.n = n;
	edit_renumber(gen, e->to);
}

/* Drops rules: first their entries, then counters and actions, which no packet meets then. */
static int edit_drop(struct generation_edit *e, bool arriving)
{
	int ret = edit_drop_entries(e, arriving);

	if (edit_sync(e))
		ret = -1;
	edit_compact(e, arriving);
	return ret;
}

/* --- objects of arriving rules ---------------------------------------------------------------- */

static int edit_take_counter(struct generation_edit *e, struct rule_state *h, const struct rule *r)
{
	struct generation *gen = e->gen;

	if (!r->count)
		return 0;
	if (gen->spare && gen->spare_used == bulk_size(gen->spare)) {
		bulk_drop(gen->spare);
		gen->spare = NULL;
	}
	if (!gen->spare) {
		gen->spare_used = 0;
		if (bulk_make(gen->base->dev, SPARE_COUNTERS, &gen->spare))
			return no_counter(r, e->fault);
	}
	bulk_hold(gen->spare);
	h->bulk = gen->spare;
	h->index = gen->spare_used++;
	return 0;
}

/* Gives the rule an ID and a counter: those of the leaving rule that it moves, or new ones. */
static int edit_identify(struct generation_edit *e, uint32_t rule, uint32_t like)
{
	struct rule_state *h = &e->gen->hold[rule];

	if (like == UINT32_MAX) {
		h->id = e->gen->next_id++;
		return edit_take_counter(e, h, &e->gen->set.rule[rule]);
	}
	h->id = e->gen->hold[like].id;
	h->bulk = e->gen->hold[like].bulk;
	h->index = e->gen->hold[like].index;
	if (h->bulk)
		bulk_hold(h->bulk);
	return 0;
}

static int edit_hold(struct generation_edit *e, uint32_t rule, uint32_t like)
{
	struct rule_state *h = &e->gen->hold[rule];
	const struct rule *r = &e->gen->set.rule[rule];
	int ret;

	h->memory = arena_new();
	if (!h->memory)
		return edit_no_memory(e);
	if (edit_identify(e, rule, like) || rule_state_make_count(e->gen, rule, e->fault) ||
	    rule_state_make_changes(e->gen, rule, e->fault))
		return -1;
	ret = rule_state_make_spread(e->gen, rule, e->fault);
	if (ret)
		return ret;
	if (r->has_tag &&
	    dvx_flow_action_create_tag(e->gen->base->side[r->dir].domain, r->tag, &h->own_tag))
		return locate_error(e->fault, r, r->tag_at);
	h->tag = h->own_tag;
	return 0;
}

static int edit_hold_all(struct generation_edit *e, const struct generation_change *c)
{
	size_t m = 0;
	int ret = 0;

	for (uint32_t i = 0; i < e->gen->set.n && !ret; i++)
		if (e->gen->hold[i].arriving) {
			uint32_t like = c->from ? c->from[m] : UINT32_MAX;

			ret = edit_hold(e, i, like == UINT32_MAX ? like : e->to[like]);
			m++;
		}
	return ret;
}

/* --- the edit --------------------------------------------------------------------------------- */

static void edit_free(struct generation_edit *e)
{
	free(e->uncovered);
	free(e->entries);
	free(e->in);
	free(e->to);
	free(e->drop);
	free(e);
}

void generation_edit_undo(struct generation_edit *e)
{
	struct flow_fault unused;

	e->fault = &unused;
	edit_cover_again(e);
	edit_drop(e, true);
	generation_drop_spreads(e->gen);
	e->gen->next_id = e->next_id;
	edit_free(e);
}

static size_t edit_count_leaving(const struct generation *gen, const struct generation_change *c)
{
	size_t n = 0;

	for (size_t i = 0; c->gone && i < gen->set.n; i++)
		n += c->gone[i];
	return n;
}

static bool edit_grow_retired(struct generation *gen, size_t more)
{
	size_t room = gen->nretired + more;
	struct rule_state *grown;

	if (room <= gen->retired_room)
		return true;
	grown = reallocarray(gen->retired, room, sizeof(*grown));
	gen->retired = grown ? grown : gen->retired;
	gen->retired_room = grown ? room : gen->retired_room;
	return grown;
}

static struct generation_edit *edit_new(struct generation *gen, const struct generation_change *c,
					struct flow_fault *f)
{
	struct generation_edit *e = calloc(1, sizeof(*e));
	size_t more = c->nmore;

	if (e) {
		*e = (struct generation_edit){.gen = gen, .next_id = gen->next_id, .fault = f};
		e->entries = calloc(gen->ntables, sizeof(*e->entries));
		for (size_t t = 0; t < gen->ntables && e->entries; t++) {
			e->entries[t] = gen->table[t].live.n;
			if (e->drop_room < e->entries[t])
				e->drop_room = e->entries[t];
		}
		e->drop = calloc(++e->drop_room, sizeof(*e->drop));
		e->to = calloc(gen->set.n + more + 1, sizeof(*e->to));
		e->in = calloc(more + 1, sizeof(*e->in));
		if (e->entries && e->drop && e->to && e->in &&
		    edit_grow_retired(gen, edit_count_leaving(gen, c)))
			return e;
		edit_free(e);
	}
	flow_fault_set(f, EXIT_INPUT, "%s", strerror(ENOMEM));
	return NULL;
}

/* Runs all steps. The device is unchanged until the last one. */
static int edit_all(struct generation_edit *e, const struct generation_change *c)
{
	int ret = edit_hold_all(e, c);

	if (!ret)
		ret = edit_insert(e);
	if (!ret)
		ret = edit_uncover(e);
	if (!ret)
		ret = edit_overlay(e);
	return ret ? ret : edit_write(e);
}

int generation_edit_begin(struct generation *gen, const struct generation_change *c,
			  struct generation_edit **out, struct flow_fault *f)
{
	struct generation_edit *e = edit_new(gen, c, f);
	int ret = e ? edit_find_tables(e, c) : -1;

	if (!ret && !edit_fits(e, c))
		ret = EDIT_REBUILD;
	if (!ret)
		ret = edit_merge(e, c);
	if (ret) {
		if (e)
			edit_free(e);
		return ret;
	}
	ret = edit_all(e, c);
	/* The device may have room for new codes even if it refuses an overlay. */
	if (ret == -1 && e->overlay) {
		*f = (struct flow_fault){0};
		ret = EDIT_REBUILD;
	}
	if (ret)
		generation_edit_undo(e);
	else
		*out = e;
	return ret;
}

int generation_edit_finish(struct generation_edit *e, size_t *written, struct flow_fault *f)
{
	int ret;

	e->fault = f;
	ret = edit_drop(e, false);
	generation_drop_spreads(e->gen);
	e->gen->edited = true;
	*written = e->written;
	edit_free(e);
	return ret;
}
