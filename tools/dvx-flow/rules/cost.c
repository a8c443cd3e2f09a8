/* SPDX-License-Identifier: BSD-2-Clause */
/* The cost of rules: lookups of a packet, and the rules that need most of them. */
#include <errno.h>
#include <stdlib.h>

#include "compile.h"

struct cost_work {
	const struct program *p;
	const struct ruleset *set;
	const struct table_cost *other; /* by table; NULL: all are lists */
	size_t *before;			/* by table: the most lookups of a packet that reaches it */
};

/* Returns the cost of what replaces a list on the device; NULL: nothing does. */
static const struct table_cost *cost_other(const struct cost_work *w, const struct table *t)
{
	const struct table_cost *other = w->other ? &w->other[t - w->p->table] : NULL;

	return other && other->tables ? other : NULL;
}

static void cost_leads(const struct cost_work *w, uint32_t to, size_t here)
{
	if (to != TABLE_NONE && w->before[to] < here)
		w->before[to] = here;
}

static void cost_before(const struct cost_work *w, const struct table *t)
{
	const struct table_cost *other = cost_other(w, t);
	size_t before = w->before[t - w->p->table];

	cost_leads(w, t->next, before + (other ? other->longest_path : t->n + 1));
	for (size_t m = 0; m < t->n; m++)
		for (size_t e = 0; e < t->matcher[m].n; e++)
			cost_leads(w, program_goto(&w->set->rule[t->matcher[m].entry[e].rule]),
				   before + (other ? other->longest_path : m + 1));
}

static void cost_add(struct table_cost *out, const struct table_cost *t, size_t before)
{
	out->mean_path += ((double)before + t->mean_path) * (double)t->entries;
	out->tables += t->tables;
	out->entries += t->entries;
	out->matchers += t->matchers;
	if (out->longest_path < before + t->longest_path)
		out->longest_path = before + t->longest_path;
}

static struct table_cost cost_of_list(const struct table *t)
{
	struct table_cost c = {
		.tables = 1, .entries = t->entries, .matchers = t->n, .longest_path = t->n + 1};

	for (size_t m = 0; m < t->n; m++)
		c.mean_path += (double)(m + 1) * (double)t->matcher[m].n;
	c.mean_path /= t->entries ? (double)t->entries : 1;
	return c;
}

/* One pass suffices: tables lead to higher levels. */
int program_cost(const struct program *p, const struct ruleset *set, enum rule_dir dir,
		 const struct table_cost *other, struct table_cost *out)
{
	struct cost_work w = {p, set, other, calloc(p->ntables, sizeof(*w.before))};

	*out = (struct table_cost){0};
	if (!w.before)
		return -ENOMEM;
	for (uint32_t level = 1; level <= TABLES_DEEP; level++)
		for (size_t i = 0; i < p->ntables; i++) {
			const struct table *t = &p->table[i];
			struct table_cost list;

			if (t->dir != dir || t->level != level)
				continue;
			list = cost_of_list(t);
			cost_before(&w, t);
			cost_add(out, cost_other(&w, t) ? cost_other(&w, t) : &list, w.before[i]);
		}
	if (out->entries)
		out->mean_path /= (double)out->entries;
	free(w.before);
	return 0;
}

/* Counts a matcher's entries, which stand in the order of their rules. */
static void cost_count(const struct matcher *m, struct rule_cost *cost)
{
	if (m->n)
		cost[m->entry[0].rule].matchers++;
	for (size_t e = 0; e < m->n; e++)
		cost[m->entry[e].rule].entries++;
}

/* Returns whether the first rule is more expensive. */
static bool cost_more(const struct rule_cost *a, const struct rule_cost *b)
{
	if (a->matchers != b->matchers)
		return a->matchers > b->matchers;
	return a->entries != b->entries ? a->entries > b->entries : a->rule < b->rule;
}

struct rule_cost *rule_costs_new(size_t nrules)
{
	struct rule_cost *cost = calloc(nrules + 1, sizeof(*cost));

	for (uint32_t r = 0; r < nrules && cost; r++)
		cost[r].rule = r;
	return cost;
}

void table_costs_count(const struct table *t, struct rule_cost *cost)
{
	for (size_t m = 0; m < t->n; m++)
		cost_count(&t->matcher[m], cost);
}

size_t rule_costs_most(const struct rule_cost *cost, size_t nrules, struct rule_cost *out,
		       size_t room)
{
	size_t n = 0;

	for (size_t i = 0; i < nrules; i++) {
		size_t at = n;

		if (!cost[i].matchers && cost[i].entries < 2)
			continue;
		for (; at && cost_more(&cost[i], &out[at - 1]); at--)
			if (at < room)
				out[at] = out[at - 1];
		if (at < room)
			out[at] = cost[i];
		n += n < room;
	}
	return n;
}
