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

static int rule_states_take_counters(struct generation *gen, struct flow_fault *f)
{
	uint32_t wanted = 0, most = UINT32_MAX;
	int ret = 0;

	for (size_t i = 0; i < gen->set.n; i++)
		wanted += gen->set.rule[i].count && !gen->hold[i].bulk;
	for (size_t i = 0; i < gen->set.n && !ret; i++) {
		if (!gen->set.rule[i].count || gen->hold[i].bulk)
			continue;
		ret = rule_state_take_counter(gen, i, wanted < most ? wanted : most, f);
		/* The device would refuse a larger bulk again. */
		most = ret ? most : bulk_size(gen->hold[i].bulk);
		wanted--;
	}
	return ret;
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

static int rule_states_make_tags(struct generation *gen, struct flow_fault *f)
{
	struct map seen = {0};
	int ret = 0;

	gen->tag = calloc(gen->set.n ? gen->set.n : 1, sizeof(struct dvx_flow_action *));
	for (size_t i = 0; i < gen->set.n && !ret; i++) {
		const struct rule *r = &gen->set.rule[i];
		struct map_slot *slot;

		if (!r->has_tag)
			continue;
		slot = gen->tag ? map_put(&seen, r->tag, (uint32_t)gen->ntags) : NULL;
		if (!slot)
			ret = flow_fault_set(f, EXIT_INPUT, "%s", strerror(ENOMEM));
		else if (slot->what == gen->ntags &&
			 dvx_flow_action_create_tag(gen->base->side[r->dir].domain, r->tag,
						    &gen->tag[gen->ntags]))
			ret = locate_error(f, r, r->tag_at);
		else
			gen->ntags += slot->what == gen->ntags;
		gen->hold[i].tag = ret ? NULL : gen->tag[slot->what];
	}
	map_free(&seen);
	return ret;
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

/*
 * Numbers the rules. IDs belong to rules; if no old rule stays, they start at 1 again, so that a
 * file's rules are numbered in line order.
 */
static void rule_states_number(struct generation *gen, const struct generation *like,
			       const uint32_t *from)
{
	bool anew = true;

	for (size_t i = 0; like && anew && i < gen->set.n; i++)
		anew = from[i] == UINT32_MAX;
	gen->next_id = anew ? 1 : like->next_id;
	for (size_t i = 0; i < gen->set.n; i++)
		gen->hold[i].id =
			like && from[i] != UINT32_MAX ? like->hold[from[i]].id : gen->next_id++;
}

static void rule_states_keep_counters(struct generation *gen, const struct generation *like,
				      const uint32_t *from)
{
	for (size_t i = 0; i < gen->set.n; i++) {
		const struct rule_state *h;

		if (from[i] == UINT32_MAX)
			continue;
		h = &like->hold[from[i]];
		gen->hold[i].bulk = h->bulk;
		gen->hold[i].index = h->index;
		if (h->bulk)
			bulk_hold(h->bulk);
	}
}

int rule_states_make(struct generation *gen, const struct generation *like, const uint32_t *from,
		     struct flow_fault *f)
{
	int ret;

	rule_states_number(gen, like, from);
	if (like)
		rule_states_keep_counters(gen, like, from);
	ret = rule_states_take_counters(gen, f);
	for (size_t i = 0; i < gen->set.n && !ret; i++)
		ret = rule_state_make_count(gen, i, f);
	if (!ret)
		ret = rule_states_make_tags(gen, f);
	for (size_t i = 0; i < gen->set.n && !ret; i++)
		ret = option_hold(gen->base, &gen->set.rule[i], &gen->hold[i].option, f);
	for (size_t i = 0; i < gen->set.n && !ret; i++)
		ret = rule_state_make_changes(gen, i, f);
	for (size_t i = 0; i < gen->set.n && !ret; i++)
		ret = rule_state_make_spread(gen, i, f);
	if (!ret)
		ret = rule_objects_make(gen, like, from, f);
	return ret ? -1 : 0;
}
