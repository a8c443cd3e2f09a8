/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of a rule beside its entries: ID, counter, tag, changes and destination. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "generation_priv.h"
#include "dvx-flow.h"
#include "rules/map.h"

int rule_state_take_counter(struct generation *gen, size_t i, uint32_t want, struct flow_fault *f)
{
	struct rule_state *h = &gen->hold[i];
	const struct rule *r = &gen->set.rule[i];

	if (!r->count || h->bulk)
		return 0;
	if (!gen->spare && bulk_make(gen->base->dev, want, &gen->spare)) {
		flow_fault_set(f, EXIT_DEVICE, "no counter: %s", device_last_error());
		return flow_fault_at(f, r, r->count_at);
	}
	bulk_hold(gen->spare);
	h->bulk = gen->spare;
	h->index = gen->spare_used++;
	if (gen->spare_used == bulk_size(gen->spare)) {
		bulk_drop(gen->spare);
		gen->spare = NULL;
		gen->spare_used = 0;
	}
	return 0;
}

int rule_state_make_count(struct generation *gen, size_t i, struct flow_fault *f)
{
	struct rule_state *h = &gen->hold[i];
	const struct rule *r = &gen->set.rule[i];

	if (h->bulk && dvx_flow_action_create_count(gen->base->side[r->dir].domain,
						    bulk_counter(h->bulk), h->index, &h->count))
		return locate_error(f, r, r->count_at);
	return 0;
}

int rule_state_make_changes(struct generation *gen, size_t i, struct flow_fault *f)
{
	const struct rule *r = &gen->set.rule[i];
	struct rule_state *h = &gen->hold[i];

	if (!r->nchanges)
		return 0;
	h->changes = calloc(1, sizeof(*h->changes));
	if (!h->changes)
		return flow_fault_set(f, EXIT_INPUT, "%s", strerror(ENOMEM));
	return changes_make(gen->base->side[r->dir].domain, r, h->changes, f);
}

/* Finds or makes the rule's spread. Rules that spread alike share one. */
int rule_state_make_spread(struct generation *gen, size_t i, struct flow_fault *f)
{
	const struct rule_rss *rss = gen->set.rule[i].rss;
	struct spread **of = NULL;

	if (!rss)
		return 0;
	for (size_t s = RSS_MAX; s-- > 0;)
		if (!gen->spread[s])
			of = &gen->spread[s];
	for (size_t s = 0; s < RSS_MAX; s++)
		if (gen->spread[s] && spread_is(gen->spread[s], rss))
			of = &gen->spread[s];
	if (!of)
		return EDIT_REBUILD;
	if (!*of)
		*of = spread_new(rss);
	if (!*of)
		return flow_fault_set(f, EXIT_INPUT, "%s", strerror(ENOMEM));
	gen->hold[i].spread = *of;
	return 0;
}

void generation_drop_spreads(struct generation *gen)
{
	for (size_t s = 0; s < RSS_MAX; s++) {
		bool used = !gen->spread[s];

		for (size_t i = 0; i < gen->set.n && !used; i++)
			used = gen->hold[i].spread == gen->spread[s];
		for (size_t i = 0; i < gen->nretired && !used; i++)
			used = gen->retired[i].spread == gen->spread[s];
		if (used)
			continue;
		spread_free(gen->spread[s]);
		gen->spread[s] = NULL;
	}
}

/* They lead to a table, which must be destroyed after them. */
void rule_state_drop_onward(struct rule_state *h)
{
	dvx_flow_action_destroy(h->mirror);
	limit_free(h->limit);
	h->mirror = NULL;
	h->limit = NULL;
}

void rule_state_free(struct rule_state *h)
{
	rule_state_drop_onward(h);
	rule_object_free(h);
	option_drop(h->option);
	dvx_flow_action_destroy(h->count);
	dvx_flow_action_destroy(h->own_tag);
	changes_free(h->changes);
	bulk_drop(h->bulk);
	arena_free(h->memory);
}

/* --- all rules -------------------------------------------------------------------------------- */

/* Needs of the rules whose states are to be made. */
struct rule_needs {
	uint32_t counters, most; /* most: the device refuses a larger bulk */
	uint32_t objects[2];	 /* by enum dvx_aso_kind */
	struct map tags;	 /* those that are made */
};

/*
 * Returns the first new ID. IDs belong to rules; if no old rule stays, they start at 1 again, so that
 * a file's rules are numbered in line order.
 */
static uint32_t rule_states_first_id(const struct generation *gen, const struct generation *like,
				     const uint32_t *from)
{
	bool anew = true;

	for (size_t i = 0; like && anew && i < gen->set.n; i++)
		anew = from[i] == UINT32_MAX;
	return anew ? 1 : like->next_id;
}

/* Gives a rule its ID, its table, the old one's counter, and finds what it needs besides. */
static void rule_state_begin(struct generation *gen, size_t i, const struct rule_state *old,
			     struct rule_needs *needs)
{
	const struct rule *r = &gen->set.rule[i];
	struct rule_state *h = &gen->hold[i];

	h->id = old ? old->id : gen->next_id++;
	h->table = gen->plan.list.where[i];
	if (old && old->bulk) {
		h->bulk = old->bulk;
		h->index = old->index;
		bulk_hold(h->bulk);
	}
	needs->counters += r->count && !h->bulk;
	if (rule_has_object(r))
		needs->objects[rule_object_kind(r)]++;
}

static int rule_state_make_counter(struct generation *gen, size_t i, struct rule_needs *needs,
				   struct flow_fault *f)
{
	uint32_t want = needs->counters < needs->most ? needs->counters : needs->most;

	if (gen->set.rule[i].count && !gen->hold[i].bulk) {
		if (rule_state_take_counter(gen, i, want, f))
			return -1;
		needs->most = bulk_size(gen->hold[i].bulk);
		needs->counters--;
	}
	return rule_state_make_count(gen, i, f);
}

static int rule_state_make_tag(struct generation *gen, size_t i, struct rule_needs *needs,
			       struct flow_fault *f)
{
	const struct rule *r = &gen->set.rule[i];
	struct map_slot *slot;

	if (!r->has_tag)
		return 0;
	slot = gen->tag ? map_put(&needs->tags, r->tag, (uint32_t)gen->ntags) : NULL;
	if (!slot)
		return flow_fault_set(f, EXIT_INPUT, "%s", strerror(ENOMEM));
	if (slot->what == gen->ntags && dvx_flow_action_create_tag(gen->base->side[r->dir].domain,
								   r->tag, &gen->tag[gen->ntags]))
		return locate_error(f, r, r->tag_at);
	gen->ntags += slot->what == gen->ntags;
	gen->hold[i].tag = gen->tag[slot->what];
	return 0;
}

static int rule_state_make(struct generation *gen, size_t i, const struct rule_state *old,
			   struct rule_needs *needs, struct flow_fault *f)
{
	const struct rule *r = &gen->set.rule[i];
	int ret = rule_state_make_counter(gen, i, needs, f);

	if (!ret)
		ret = rule_state_make_tag(gen, i, needs, f);
	if (!ret)
		ret = option_hold(gen->base, r, &gen->hold[i].option, f);
	if (!ret)
		ret = rule_state_make_changes(gen, i, f);
	if (!ret)
		ret = rule_state_make_spread(gen, i, f);
	if (!ret && rule_has_object(r))
		ret = rule_object_make(gen, i, old, needs->objects[rule_object_kind(r)], f);
	return ret;
}

static const struct rule_state *rule_state_old(const struct generation *like, const uint32_t *from,
					       size_t i)
{
	return like && from[i] != UINT32_MAX ? &like->hold[from[i]] : NULL;
}

int rule_states_make(struct generation *gen, const struct generation *like, const uint32_t *from,
		     struct flow_fault *f)
{
	struct rule_needs needs = {.most = UINT32_MAX};
	int ret = 0;

	gen->next_id = rule_states_first_id(gen, like, from);
	gen->tag = calloc(gen->set.n ? gen->set.n : 1, sizeof(struct dvx_flow_action *));
	for (size_t i = 0; i < gen->set.n; i++)
		rule_state_begin(gen, i, rule_state_old(like, from, i), &needs);
	for (size_t i = 0; i < gen->set.n && !ret; i++)
		ret = rule_state_make(gen, i, rule_state_old(like, from, i), &needs, f);
	map_free(&needs.tags);
	return ret ? -1 : 0;
}
