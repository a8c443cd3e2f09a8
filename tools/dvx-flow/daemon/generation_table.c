/* SPDX-License-Identifier: BSD-2-Clause */
/* Builds a generation's tables. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <dvx/cmd.h>

#include "acl_tables.h"
#include "generation_priv.h"
#include "dvx-flow.h"

int built_table_make_matcher(struct built_table *h, size_t m, size_t expected, const uint64_t *like)
{
	const struct live_matcher *its = &h->live.matcher[m];
	struct dvx_flow_match match = {0};
	struct dvx_flow_matcher_attr attr = {.size = sizeof(attr),
					     .priority = its->priority,
					     .match = &match,
					     .expected_rules = (uint32_t)expected};

	fill_match(match.mask, its->shape, its->shape->mask);
	/*
	 * The value has the IP version. Without it, the device looks each packet up under IPv4,
	 * even if only IPv6 arrives.
	 */
	fill_match(match.value, its->shape, like);
	return dvx_flow_matcher_create(h->table, &attr, &h->matcher[m]);
}

static int make_matcher(struct generation_build *b, size_t i)
{
	const struct matcher *m = &b->now->matcher[i];

	return built_table_make_matcher(b->into, i, m->n, m->entry->value);
}

/* Reports a refused matcher; of several, the one of the file's first rule. */
static int locate_matcher_error(struct generation_build *b, size_t refused)
{
	for (size_t i = 0; i <= refused; i++)
		if (make_matcher(b, i))
			return locate_match_error(
				b->fault, &b->gen->set.rule[b->now->matcher[i].entry->rule]);
	return flow_fault_device(b->fault);
}

/* Returns the destination of packets that no rule of the table takes. */
static struct dvx_flow_action *table_rest(const struct generation *gen, size_t table)
{
	const struct table *t = &gen->plan.list.table[table];

	return t->next == TABLE_NONE ? gen->base->side[t->dir].back : gen->table[t->next].to_table;
}

/* Makes the last matcher. It sends unmatched packets the default way, or to the next table. */
static int make_last(struct generation_build *b)
{
	static const struct dvx_flow_match all;
	struct built_table *h = b->into;
	struct dvx_flow_action *rest = table_rest(b->gen, (size_t)(b->into - b->gen->table));
	struct dvx_flow_matcher_attr attr = {
		.size = sizeof(attr), .priority = LIVE_LAST, .match = &all, .expected_rules = 1};
	struct dvx_flow_rule_attr rule = {
		.size = sizeof(rule), .match = &all, .actions = &rest, .action_count = 1};

	if (dvx_flow_matcher_create(h->table, &attr, &h->last_matcher))
		return -1;
	rule.matcher = h->last_matcher;
	return dvx_flow_rule_create(&rule, &h->last);
}

/*
 * Makes the matchers from the last to the first: libmlx5 searches for a matcher's place from the
 * front of the table's list.
 */
static int make_matchers(struct generation_build *b)
{
	struct built_table *h = b->into;
	size_t n = b->now->n;

	h->matcher = calloc(n + 1, sizeof(*h->matcher));
	if (!h->matcher || !live_begin(&h->live, b->now))
		return flow_fault_set(b->fault, EXIT_INPUT, "%s", strerror(ENOMEM));
	h->matcher_room = n + 1;
	if (make_last(b))
		return flow_fault_device(b->fault);
	for (size_t i = n; i-- > 0;)
		if (make_matcher(b, i))
			return locate_matcher_error(b, i);
	return 0;
}

static int destination(struct generation *gen, uint32_t rule, struct dvx_flow_action **out)
{
	const struct rule *r = &gen->set.rule[rule];

	switch (r->verdict) {
	case RULE_SEND:
		if (r->rss)
			return spread_action(gen->hold[rule].spread, gen->base, out);
		return base_tables_queue(gen->base, r->queue, out);
	case RULE_MIRROR:
		*out = gen->hold[rule].mirror;
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

int generation_actions(struct generation *gen, size_t table, uint32_t rule,
		       struct dvx_flow_action **out, uint32_t *n, bool *queue_refused)
{
	const struct rule_state *hold;
	int ret;

	*n = 0;
	*queue_refused = false;
	if (rule == LIVE_REST) {
		out[(*n)++] = table_rest(gen, table);
		return 0;
	}
	hold = &gen->hold[rule];
	if (hold->tag)
		out[(*n)++] = hold->tag;
	if (hold->count)
		out[(*n)++] = hold->count;
	for (uint32_t c = 0; hold->changes && c < hold->changes->n; c++)
		out[(*n)++] = hold->changes->action[c];
	ret = destination(gen, rule, &out[(*n)++]);
	*queue_refused = ret;
	return ret;
}

/*
 * Returns entries from the last matcher to the first: libdvx may make a second matcher here, for
 * the other IP version.
 */
static int next_entry(void *arg, size_t i, struct dvx_flow_rule_attr *attr)
{
	struct generation_build *b = arg;
	struct built_table *h = b->into;
	const struct live_entry *e = &h->live.entry[i];

	b->entry = e;
	memset(&b->match, 0, sizeof(b->match));
	fill_match(b->match.value, h->live.matcher[e->matcher].shape, e->value);
	attr->match = &b->match;
	attr->actions = b->actions;
	attr->matcher = h->matcher[e->matcher];
	return generation_actions(b->gen, (size_t)(b->into - b->gen->table), e->rule, b->actions,
				  &attr->action_count, &b->queue_refused);
}

static int generation_progress(void *arg, size_t done)
{
	struct generation_build *b = arg;

	if (dvx_flow_domain_has_room(b->base->side[b->now->dir].domain))
		b->cramped_at = 0;
	else if (!b->cramped_at)
		b->cramped_at = done;
	else if (done - b->cramped_at >= LAST_ENTRIES)
		return b->no_room = true;
	return b->built ? b->built(b->arg, b->before + done, b->total) : 0;
}

int no_room_fault(const struct rule *r, bool without_reason, struct flow_fault *f)
{
	flow_fault_set(f, EXIT_DEVICE,
		       "%s%sthe device has no steering memory left for these rules beside those in "
		       "effect",
		       without_reason ? "" : device_last_error(), without_reason ? "" : "; ");
	return flow_fault_at(f, r, r->at);
}

static int entry_fault(struct generation_build *b)
{
	bool empty = dvx_last_error()->err == ENOMEM;
	const struct rule *r;

	if (!b->entry)
		return flow_fault_device(b->fault);
	r = &b->gen->set.rule[b->entry->rule];
	if (b->queue_refused)
		return locate_error(b->fault, r, r->queue_at);
	if (!b->no_room && !empty)
		return locate_match_error(b->fault, r);
	return no_room_fault(r, b->no_room, b->fault);
}

static int insert_entries(struct generation_build *b)
{
	struct built_table *h = b->into;
	struct dvx_flow_bulk bulk = {.size = sizeof(bulk),
				     .next = next_entry,
				     .progress = generation_progress,
				     .arg = b};
	size_t n = h->live.n;

	h->rule = calloc(n + 1, sizeof(*h->rule));
	if (!h->rule)
		return flow_fault_set(b->fault, EXIT_INPUT, "%s", strerror(ENOMEM));
	h->rule_room = n + 1;
	b->entry = NULL;
	b->cramped_at = 0;
	if (!dvx_flow_rules_insert(&bulk, n, h->rule)) {
		b->before += n;
		return 0;
	}
	return entry_fault(b);
}

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
	if (!b->gen->table)
		return flow_fault_set(b->fault, EXIT_INPUT, "%s", strerror(ENOMEM));
	b->gen->ntables = p->ntables;
	for (size_t i = 0; i < p->ntables; i++) {
		const struct table *t = &p->table[i];
		struct direction_base *s = &b->base->side[t->dir];
		struct built_table *into = &b->gen->table[i];

		into->of = t->of;
		if (t->level &&
		    (dvx_flow_table_create(s->domain, t->level, &into->table) ||
		     dvx_flow_action_create_table(s->domain, into->table, &into->to_table)))
			return locate_table_error(b, t);
	}
	return 0;
}

/* Writes the actions for packets that a rule takes; ACL_NONE: that no rule takes. */
static int table_verdict(void *arg, uint32_t rule, struct dvx_flow_rule_attr *attr)
{
	struct generation_build *b = arg;

	attr->actions = b->actions;
	if (rule != ACL_NONE)
		return generation_actions(b->gen, (size_t)(b->into - b->gen->table), rule,
					  b->actions, &attr->action_count, &b->queue_refused);
	b->actions[0] = table_rest(b->gen, (size_t)(b->into - b->gen->table));
	attr->action_count = 1;
	return 0;
}

/*
 * Returns 0 if the table leads to tables of codes now. If the device refuses codes, e.g. for want
 * of memory, the list of matchers takes their place, or locates the error.
 */
static int make_codes(struct generation_build *b, size_t i)
{
	struct acl_program *p = &b->gen->plan.codes[i];
	struct acl_tables_attr attr = {.base = b->base,
				       .domain = b->base->side[b->now->dir].domain,
				       .first = b->into->table,
				       .level = b->now->level,
				       .program = p,
				       .verdict = table_verdict,
				       .progress = generation_progress,
				       .arg = b};

	if (!p->n)
		return -1;
	b->cramped_at = 0;
	if (!acl_tables_make(&attr, &b->into->codes)) {
		b->into->live.last = ACL_TABLES_FIRST;
		b->before += acl_tables_size(b->into->codes);
		return 0;
	}
	acl_free(p);
	b->codes_refused = true;
	b->no_room = false;
	return -1;
}

static int fill_table(struct generation_build *b, size_t i)
{
	b->now = &b->gen->plan.list.table[i];
	b->into = &b->gen->table[i];
	if (!b->into->table || !make_codes(b, i))
		return 0;
	return make_matchers(b) || insert_entries(b) ? -1 : 0;
}

static int table_fill_all(struct generation_build *b)
{
	for (size_t i = 0; i < b->gen->plan.list.ntables; i++)
		if (fill_table(b, i))
			return -1;
	for (int d = 0; d < RULE_DIRS; d++)
		if (b->gen->table[d].table && dvx_flow_domain_sync(b->base->side[d].domain))
			return flow_fault_device(b->fault);
	return 0;
}

/* --- mirrors --------------------------------------------------------------------------------- */

static int make_spreads(struct generation_build *b)
{
	for (size_t i = 0; i < b->gen->set.n; i++)
		if (rule_state_make_spread(b->gen, i, b->fault))
			return -1;
	return 0;
}

static int make_mirror(struct generation_build *b, uint32_t rule, uint32_t next)
{
	const struct rule *r = &b->gen->set.rule[rule];
	struct dvx_flow_action *to[] = {NULL, b->gen->table[next].to_table};

	if (base_tables_queue(b->base, r->queue, &to[0]) ||
	    dvx_flow_action_create_array(b->base->side[r->dir].domain, to, 2,
					 &b->gen->hold[rule].mirror))
		return locate_error(b->fault, r, r->queue_at);
	b->gen->hold[rule].next = next;
	return 0;
}

/* Makes the mirrors. A mirror is the last rule of its table. */
static int make_mirrors(struct generation_build *b)
{
	const struct program *p = &b->gen->plan.list;

	for (size_t i = 0; i < p->ntables; i++) {
		uint32_t last = 0;

		/* Without a level no packet reaches the table, and its copies have no table. */
		if (p->table[i].next == TABLE_NONE || !p->table[i].level)
			continue;
		for (size_t m = 0; m < p->table[i].n; m++) {
			const struct matcher *of = &p->table[i].matcher[m];

			if (of->entry[of->n - 1].rule > last)
				last = of->entry[of->n - 1].rule;
		}
		if (make_mirror(b, last, p->table[i].next))
			return -1;
	}
	return 0;
}

static void find_tables(struct generation *gen)
{
	for (size_t i = 0; i < gen->set.n; i++)
		gen->hold[i].table = gen->plan.list.where[i];
}

int generation_make_tables(struct generation_build *b)
{
	find_tables(b->gen);
	return make_spreads(b) || make_tables(b) || make_mirrors(b) || table_fill_all(b) ? -1 : 0;
}

static void free_entries(const struct base_tables *g, struct built_table *t)
{
	acl_tables_free(t->codes, g);
	arena_free(t->memory);
	dvx_flow_rule_destroy(t->last);
	if (t->rule)
		base_tables_delete(g, t->rule, t->live.n);
	for (size_t i = t->matcher ? t->live.nmatchers : 0; i-- > 0;)
		dvx_flow_matcher_destroy(t->matcher[i]);
	dvx_flow_matcher_destroy(t->last_matcher);
	live_free(&t->live);
	free(t->matcher);
	free(t->rule);
}

/* Frees the tables. Entries and mirrors lead to other tables, which are freed last. */
void generation_free_tables(struct generation *gen)
{
	for (int d = 0; d < RULE_DIRS; d++)
		dvx_flow_rule_destroy(gen->direction[d].attached);
	for (size_t i = 0; i < gen->ntables; i++)
		free_entries(gen->base, &gen->table[i]);
	for (size_t i = 0; i < gen->set.n; i++)
		rule_state_drop_mirror(&gen->hold[i]);
	for (size_t i = 0; i < gen->nretired; i++)
		rule_state_drop_mirror(&gen->retired[i]);
	for (size_t i = 0; i < RSS_MAX; i++)
		spread_free(gen->spread[i]);
	for (size_t i = 0; i < gen->ntables; i++) {
		dvx_flow_action_destroy(gen->table[i].to_table);
		dvx_flow_table_destroy(gen->table[i].table);
	}
	free(gen->table);
}
