/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Adds and removes rules entry by entry, in tables that packets are in. At each moment a packet
 * gets the verdict of the rules before the edit or of those after it; doc/design/0065 explains why.
 *
 *	merge		puts arriving rules into the list, without entries
 *	place		finds places for their entries, and for those that only a leaving rule covered
 *	write		inserts these entries on the device, from the first rule's to the last one's
 *	finish		removes the leaving rules' entries, from the last rule's to the first one's
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <dvx/cmd.h>

#include "generation_edit.h"
#include "dvx-flow.h"

/* --- the list of rules ------------------------------------------------------------------------ */

static void edit_renumber(struct generation *gen, const uint32_t *to)
{
	for (size_t i = 0; i < gen->nheld; i++)
		gen->held[i].ops->renumber(gen->held[i].is, to);
	plan_renumber(&gen->plan, to);
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
			e->leaving[k] = c->gone && c->gone[i];
		}
		for (; m && c->before[m - 1] == i; m--) {
			gen->set.rule[--k] = c->more[m - 1];
			gen->hold[k] = (struct rule_state){.arriving = true, .table = e->in[m - 1]};
			e->arriving[m - 1] = (uint32_t)k;
		}
	}
	edit_renumber(gen, e->to);
	gen->set.n += c->nmore;
	return 0;
}

/*
 * Frees a rule's objects. Where its table keeps its entries, its objects are retired instead;
 * edit_new() has made room for them.
 */
static void edit_retire(struct generation *gen, struct rule_state *h, bool arriving)
{
	if (!arriving && gen->table[h->table].keeps_entries && !h->memory)
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

		if (arriving ? h->arriving : e->leaving[i]) {
			edit_retire(gen, h, arriving);
			if (!arriving)
				arena_free(gen->set.rule[i].own);
			e->to[i] = UINT32_MAX;
			continue;
		}
		h->arriving = false;
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

/* --- objects of arriving rules ---------------------------------------------------------------- */

/* Gives the rule an ID and a counter: those of the leaving rule that it moves, or new ones. */
static int edit_identify(struct generation_edit *e, uint32_t rule, uint32_t like)
{
	struct rule_state *h = &e->gen->hold[rule];

	if (like == UINT32_MAX) {
		h->id = e->gen->next_id++;
		return rule_state_take_counter(e->gen, rule, SPARE_COUNTERS, e->fault);
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
	if (option_hold(e->gen->base, r, &h->option, e->fault) || edit_identify(e, rule, like) ||
	    rule_state_make_count(e->gen, rule, e->fault) ||
	    rule_state_make_changes(e->gen, rule, e->fault))
		return -1;
	ret = rule_state_make_spread(e->gen, rule, e->fault);
	if (ret)
		return ret;
	ret = rule_object_make(e->gen, rule, like == UINT32_MAX ? NULL : &e->gen->hold[like],
			       SPARE_COUNTERS, e->fault);
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
	int ret = 0;

	for (size_t i = 0; i < e->narriving && !ret; i++) {
		uint32_t like = c->from ? c->from[i] : UINT32_MAX;

		ret = edit_hold(e, e->arriving[i], like == UINT32_MAX ? like : e->to[like]);
	}
	return ret;
}

/* --- steps of the tables ---------------------------------------------------------------------- */

int edit_no_memory(struct generation_edit *e)
{
	return flow_fault_set(e->fault, EXIT_INPUT, "%s", strerror(ENOMEM));
}

int edit_sync(struct generation_edit *e)
{
	for (int d = 0; d < RULE_DIRS; d++)
		if (e->gen->table[d].table && dvx_flow_domain_sync(e->gen->base->side[d].domain))
			return flow_fault_device(e->fault);
	return 0;
}

bool edit_removes(const struct generation_edit *e, uint32_t rule)
{
	return rule != LIVE_REST && e->leaving[rule];
}

int edit_kept(struct generation_edit *e)
{
	e->gen->stray_entry = true;
	return flow_fault_set(
		e->fault, EXIT_DEVICE,
		"%s; the device keeps an entry of a rule that is no longer in the list: "
		"dvx-flow apply builds all of them anew",
		device_last_error());
}

/* Finds places for the entries. rule_expand() returns errnos without a fault. */
static int edit_place(struct generation_edit *e)
{
	int ret = 0;

	for (size_t i = 0; i < e->gen->nheld && !ret; i++)
		if (e->gen->held[i].ops->place)
			ret = e->gen->held[i].ops->place(e->gen->held[i].is, e);
	if (ret == -E2BIG)
		return EDIT_REBUILD;
	return ret == -ENOMEM ? edit_no_memory(e) : ret;
}

/*
 * Inserts the new entries. Tables behind mirrors follow the tables before the mirror, as their
 * rules do.
 */
static int edit_write(struct generation_edit *e)
{
	int ret = 0;

	e->rule = UINT32_MAX;
	for (size_t i = 0; i < e->gen->nheld && !ret; i++)
		if (e->gen->held[i].ops->write)
			ret = e->gen->held[i].ops->write(e->gen->held[i].is, e);
	return ret ? ret : edit_sync(e);
}

/* Removes later rules' entries first: tables behind mirrors before the tables before them. */
static int edit_remove_entries(struct generation_edit *e)
{
	int ret = 0;

	for (size_t i = e->gen->nheld; i-- > 0;)
		if (e->gen->held[i].ops->finish &&
		    e->gen->held[i].ops->finish(e->gen->held[i].is, e))
			ret = -1;
	return ret;
}

static void edit_undo_entries(struct generation_edit *e)
{
	for (size_t i = e->gen->nheld; i-- > 0;)
		if (e->gen->held[i].ops->undo)
			e->gen->held[i].ops->undo(e->gen->held[i].is, e);
}

/* --- the edit --------------------------------------------------------------------------------- */

static void edit_free(struct generation_edit *e)
{
	free(e->to);
	free(e->arriving);
	free(e->in);
	free(e->leaving);
	free(e);
}

/* Counters and actions go after the entries, when no packet meets them. */
void generation_edit_undo(struct generation_edit *e)
{
	struct flow_fault unused;

	e->fault = &unused;
	edit_undo_entries(e);
	if (edit_sync(e))
		edit_kept(e);
	edit_compact(e, true);
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
	size_t more = c->nmore, n = gen->set.n + more + 1;

	if (e) {
		*e = (struct generation_edit){.gen = gen,
					      .next_id = gen->next_id,
					      .to = calloc(n, sizeof(*e->to)),
					      .arriving = calloc(more + 1, sizeof(*e->arriving)),
					      .in = calloc(more + 1, sizeof(*e->in)),
					      .narriving = more,
					      .leaving = calloc(n, sizeof(*e->leaving)),
					      .fault = f};
		if (e->to && e->arriving && e->in && e->leaving &&
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
		ret = edit_place(e);
	return ret ? ret : edit_write(e);
}

/*
 * The device may have room for a new table even if it refuses entries before the old one. A matcher of
 * hardware steering that has grown to its most tables has room if it is made for all of its rules.
 */
static bool edit_fits_anew(const struct generation_edit *e)
{
	bool hardware = false;

	for (int d = 0; d < RULE_DIRS; d++)
		hardware |= e->gen->base->side[d].steering == STEERING_HWS;
	return e->overlay || (hardware && dvx_last_error()->err == ENOMEM);
}

int generation_edit_begin(struct generation *gen, const struct generation_change *c,
			  struct generation_edit **out, struct flow_fault *f)
{
	struct generation_edit *e = edit_new(gen, c, f);
	int ret = !e ? -1 : edit_find_tables(e, c) ? edit_no_memory(e) : 0;

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
	if (ret == -1 && edit_fits_anew(e)) {
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
	ret = edit_remove_entries(e);
	if (edit_sync(e))
		ret = edit_kept(e);
	edit_compact(e, false);
	generation_drop_spreads(e->gen);
	e->gen->changed = true;
	*written = e->written;
	edit_free(e);
	return ret;
}
