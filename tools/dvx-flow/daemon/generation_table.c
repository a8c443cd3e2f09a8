/* SPDX-License-Identifier: BSD-2-Clause */
/* Builds a generation's tables. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <dvx/cmd.h>

#include "generation_priv.h"
#include "track/track.h"
#include "dvx-flow.h"

struct dvx_flow_domain *generation_domain(const struct generation *gen, uint32_t table)
{
	return gen->base->side[gen->plan.list.table[table].dir].domain;
}

/* --- actions ---------------------------------------------------------------------------------- */

/* Returns the destination of packets that no rule of the table takes. */
static struct dvx_flow_action *table_rest(const struct generation *gen, size_t table)
{
	const struct table *t = &gen->plan.list.table[table];

	return t->next == TABLE_NONE ? gen->base->side[t->dir].back : gen->table[t->next].to_table;
}

static int destination(struct generation *gen, uint32_t rule, struct dvx_flow_action **out)
{
	const struct rule *r = &gen->set.rule[rule];

	switch (r->verdict) {
	case RULE_SEND:
		if (r->rss)
			return spread_action(gen->hold[rule].spread, gen->base, out);
		return base_tables_to(gen->base, r, out);
	case RULE_MIRROR:
		*out = gen->hold[rule].mirror;
		return 0;
	case RULE_TRACK:
		*out = track_to(gen->base->track);
		return 0;
	case RULE_GOTO:
		*out = gen->table[program_goto(r)].to_table;
		return 0;
	case RULE_DROP:
		*out = gen->base->side[r->dir].drop;
		return 0;
	default:
		*out = gen->base->side[r->dir].back;
		return 0;
	}
}

int generation_rule_actions(struct generation *gen, uint32_t rule, struct table_entry *x,
			    struct dvx_flow_rule_attr *attr)
{
	const struct rule_state *hold = &gen->hold[rule];
	uint32_t n = 0;

	attr->actions = x->actions;
	if (hold->change_object && !hold->limit)
		x->actions[n++] = hold->change_object;
	if (hold->tag)
		x->actions[n++] = hold->tag;
	if (hold->count)
		x->actions[n++] = hold->count;
	for (uint32_t c = 0; hold->changes && c < hold->changes->n; c++)
		x->actions[n++] = hold->changes->action[c];
	attr->action_count = n + 1;
	x->queue_refused = destination(gen, rule, &x->actions[n]);
	return x->queue_refused ? -dvx_last_error()->err : 0;
}

int generation_actions(struct generation *gen, uint32_t table, uint32_t rule, struct table_entry *x,
		       struct dvx_flow_rule_attr *attr)
{
	attr->actions = x->actions;
	attr->action_count = 1;
	x->queue_refused = false;
	if (rule == LIVE_REST) {
		x->actions[0] = table_rest(gen, table);
		return 0;
	}
	if (!gen->hold[rule].limit)
		return generation_rule_actions(gen, rule, x, attr);
	attr->action_count = 2;
	x->actions[0] = gen->hold[rule].change_object;
	x->actions[1] = limit_to(gen->hold[rule].limit);
	return 0;
}

/* --- entries ---------------------------------------------------------------------------------- */

static int generation_progress(void *arg, size_t done)
{
	struct generation_build *b = arg;

	if (dvx_flow_domain_has_room(generation_domain(b->gen, b->table)))
		b->cramped_at = 0;
	else if (!b->cramped_at)
		b->cramped_at = done;
	else if (done - b->cramped_at >= LAST_ENTRIES)
		return b->no_room = true;
	return b->built ? b->built(b->arg, b->gen->built + done, b->total) : 0;
}

int generation_insert(struct generation_build *b,
		      int (*next)(void *b, size_t i, struct dvx_flow_rule_attr *attr), void *into,
		      size_t n, struct dvx_flow_rule **out)
{
	struct dvx_flow_bulk bulk = {
		.size = sizeof(bulk), .next = next, .progress = generation_progress, .arg = b};
	int ret;

	b->into = into;
	b->rule = LIVE_REST;
	b->cramped_at = 0;
	b->no_room = false;
	ret = dvx_flow_rules_insert(&bulk, n, out);
	if (!ret)
		b->gen->built += n;
	return ret;
}

int no_room_fault(const struct rule *r, bool without_reason, struct flow_fault *f)
{
	flow_fault_set(f, EXIT_DEVICE,
		       "%s%sthe device has no steering memory left for these rules beside those in "
		       "effect",
		       without_reason ? "" : device_last_error(), without_reason ? "" : "; ");
	return flow_fault_at(f, r, r->at);
}

/* --- tables ----------------------------------------------------------------------------------- */

/*
 * Sets the fault at the first rule of the table. A table without rules is behind a mirror, and has
 * the same `of`.
 */
static int locate_table_error(struct generation_build *b, const struct table *t)
{
	const struct rule *r = b->gen->set.rule;

	while (r->dir != t->dir || r->table != t->of)
		r++;
	return locate_error(b->fault, r, r->dir_at);
}

static int make_tables(struct generation_build *b)
{
	const struct program *p = &b->gen->plan.list;

	b->gen->table = calloc(p->ntables, sizeof(*b->gen->table));
	b->gen->held = calloc(2 * p->ntables, sizeof(*b->gen->held));
	if (!b->gen->table || !b->gen->held)
		return flow_fault_set(b->fault, EXIT_INPUT, "%s", strerror(ENOMEM));
	b->gen->ntables = p->ntables;
	for (size_t i = 0; i < p->ntables; i++) {
		const struct table *t = &p->table[i];
		struct direction_base *s = &b->gen->base->side[t->dir];
		struct built_table *into = &b->gen->table[i];

		into->of = t->of;
		if (t->level &&
		    (dvx_flow_table_create(s->domain, t->level, &into->table) ||
		     dvx_flow_action_create_table(s->domain, into->table, &into->to_table)))
			return locate_table_error(b, t);
	}
	return 0;
}

/* Builds the table in one of the ways to hold it. Returns as its function does. */
static int generation_build_table(struct generation_build *b, const struct table_ops *ops)
{
	struct held_table *h = &b->gen->held[b->gen->nheld];
	int ret = ops->build(b, &h->is);

	if (ret)
		return ret;
	h->ops = ops;
	h->table = b->table;
	b->gen->nheld++;
	if (!ops->before)
		return 0;
	b->gen->table[b->table].keeps_entries = true;
	return generation_build_table(b, ops->before);
}

/* Fills the table in the way that was planned, or in the next one if the device refuses that. */
static int generation_fill_table(struct generation_build *b, uint32_t table)
{
	static const struct table_ops *const ways[] = {&codes_ops, &flow_list_ops};
	int ret = TABLE_UNFIT;

	b->table = table;
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]) && ret == TABLE_UNFIT; i++)
		ret = generation_build_table(b, ways[i]);
	return ret;
}

static int generation_fill_tables(struct generation_build *b)
{
	struct generation *gen = b->gen;

	for (uint32_t t = 0; t < gen->ntables; t++)
		if (gen->table[t].table && generation_fill_table(b, t))
			return -1;
	for (int d = 0; d < RULE_DIRS; d++)
		if (gen->table[d].table && dvx_flow_domain_sync(gen->base->side[d].domain))
			return flow_fault_device(b->fault);
	return 0;
}

/* --- mirrors and rates ----------------------------------------------------------------------- */

static int make_mirror(struct generation_build *b, uint32_t rule, uint32_t next)
{
	const struct rule *r = &b->gen->set.rule[rule];
	struct dvx_flow_domain *domain = b->gen->base->side[r->dir].domain;
	struct dvx_flow_action *to[] = {NULL, b->gen->table[next].to_table};
	struct dvx_flow_action **mirror = &b->gen->hold[rule].mirror;

	if (base_tables_to(b->gen->base, r, &to[0]))
		return locate_error(b->fault, r, r->queue_at);
	if (r->sample && dvx_flow_action_create_sample(domain, r->sample, to[0],
						       b->gen->table[next].table, mirror))
		return locate_error(b->fault, r, r->sample_at);
	if (!r->sample && dvx_flow_action_create_array(domain, to, 2, mirror))
		return locate_error(b->fault, r, r->queue_at);
	b->gen->hold[rule].next = next;
	return 0;
}

/* Makes the tables of connections, unless they exist: they outlive a generation. */
static int make_track(struct generation_build *b, uint32_t rule, uint32_t next)
{
	const struct rule *r = &b->gen->set.rule[rule];

	b->gen->track_next = next;
	if (!track_make(b->gen->base))
		return 0;
	locate_error(b->fault, r, r->at);
	track_free(b->gen->base);
	return -1;
}

/* Makes what leads on from rule i, unless no packet reaches it. */
static int make_onward_of(struct generation_build *b, uint32_t i)
{
	const struct table *t = &b->gen->plan.list.table[b->gen->plan.list.where[i]];

	/* Without a level no packet reaches the table, and its copies have no table. */
	if (!rule_goes_on(&b->gen->set.rule[i]) || t->next == TABLE_NONE || !t->level)
		return 0;
	if (b->gen->set.rule[i].track)
		return make_track(b, i, t->next);
	return b->gen->set.rule[i].over ? limit_make(b->gen, i, t->next, b->fault)
					: make_mirror(b, i, t->next);
}

/*
 * Makes mirrors and the tables of rates. A rule that earlier ones cover has none: the table behind
 * its table is another rule's.
 */
static int make_onward(struct generation_build *b)
{
	const struct program *p = &b->gen->plan.list;
	size_t shadow = 0, t = 0;
	int ret = 0;

	while (t < p->ntables && p->table[t].next == TABLE_NONE)
		t++;
	if (t == p->ntables) /* no rule leads on */
		return 0;
	for (uint32_t i = 0; i < b->gen->set.n && !ret; i++)
		if (shadow < p->nshadows && p->shadow[shadow].rule == i)
			shadow++;
		else
			ret = make_onward_of(b, i);
	return ret;
}

int generation_make_tables(struct generation_build *b)
{
	return make_tables(b) || make_onward(b) || generation_fill_tables(b) ? -1 : 0;
}

/* Frees the tables. Entries and mirrors lead to other tables, which are freed last. */
void generation_free_tables(struct generation *gen)
{
	for (int d = 0; d < RULE_DIRS; d++)
		dvx_flow_rule_destroy(gen->direction[d].attached);
	for (size_t i = 0; i < gen->nheld; i++)
		gen->held[i].ops->free(gen->held[i].is);
	for (size_t i = 0; i < gen->set.n; i++)
		rule_state_drop_onward(&gen->hold[i]);
	for (size_t i = 0; i < gen->nretired; i++)
		rule_state_drop_onward(&gen->retired[i]);
	for (size_t i = 0; i < RSS_MAX; i++)
		spread_free(gen->spread[i]);
	for (size_t i = 0; i < gen->ntables; i++) {
		dvx_flow_action_destroy(gen->table[i].to_table);
		dvx_flow_table_destroy(gen->table[i].table);
	}
	free(gen->held);
	free(gen->table);
}
