/* SPDX-License-Identifier: BSD-2-Clause */
/* The cost of rules: lookups of a packet, and the rules that need most of them. */
#include <errno.h>
#include <stdlib.h>

#include "live.h"
#include "plan.h"

int cost_begin(struct cost_sum *s, const struct plan *p, const struct ruleset *set)
{
	*s = (struct cost_sum){.plan = p,
			       .set = set,
			       .table = calloc(p->list.ntables + 1, sizeof(*s->table)),
			       .rule = calloc(set->n + 1, sizeof(*s->rule)),
			       .compiled = {NULL}};
	for (int d = 0; d < RULE_DIRS; d++)
		s->compiled[d] = "list";
	for (uint32_t r = 0; r < set->n && s->rule; r++)
		s->rule[r].rule = r;
	return s->table && s->rule ? 0 : -ENOMEM;
}

/* Counts an entry of a rule, in a matcher at this place of a packet's path. */
static void cost_add_entry(struct cost_sum *s, uint32_t table, uint32_t rule, size_t path)
{
	struct rule_cost *r = &s->rule[rule];

	r->entries++;
	r->table = table;
	if (r->path < path)
		r->path = path;
}

/* --- a list of matchers ----------------------------------------------------------------------- */

/* The place of a matcher in a packet's path, and the first rule with an entry in it. */
struct cost_matcher {
	uint32_t path, first;
};

static int cost_by_priority(const void *a, const void *b, void *matchers)
{
	const struct live_matcher *m = matchers;
	uint32_t one = m[*(const uint32_t *)a].priority, other = m[*(const uint32_t *)b].priority;

	return (one > other) - (one < other);
}

/* Finds the matchers' places. Returns how many there are; edits leave gaps in their array. */
static size_t cost_find_paths(const struct live_table *l, uint32_t *order, struct cost_matcher *of)
{
	size_t n = 0;

	for (uint32_t m = 0; m < l->nmatchers; m++)
		if (l->matcher[m].shape)
			order[n++] = m;
	if (n)
		qsort_r(order, n, sizeof(*order), cost_by_priority, l->matcher);
	for (uint32_t i = 0; i < n; i++)
		of[order[i]] = (struct cost_matcher){i + 1, UINT32_MAX};
	return n;
}

/* Counts the entries. Returns the sum of the paths that lead to them. */
static double cost_add_entries(struct cost_sum *s, uint32_t table, const struct live_table *l,
			       struct cost_matcher *of)
{
	double sum = 0;

	for (size_t i = 0; i < l->n; i++) {
		const struct live_entry *e = &l->entry[i];
		struct cost_matcher *m = &of[e->matcher];

		sum += m->path;
		if (e->rule == LIVE_REST)
			continue;
		cost_add_entry(s, table, e->rule, m->path);
		if (e->rule < m->first)
			m->first = e->rule;
	}
	return sum;
}

static int cost_of_list(struct cost_sum *s, uint32_t table, const struct live_table *l,
			struct table_cost *out)
{
	uint32_t *order = calloc(l->nmatchers + 1, sizeof(*order));
	struct cost_matcher *of = calloc(l->nmatchers + 1, sizeof(*of));
	int ret = order && of ? 0 : -ENOMEM;

	*out = (struct table_cost){.tables = 1, .entries = l->n};
	if (!ret) {
		out->matchers = cost_find_paths(l, order, of);
		out->longest_path = out->matchers + 1;
		out->mean_path = cost_add_entries(s, table, l, of) / (l->n ? (double)l->n : 1);
		for (size_t i = 0; i < out->matchers; i++)
			if (of[order[i]].first != UINT32_MAX)
				s->rule[of[order[i]].first].matchers++;
	}
	free(order);
	free(of);
	return ret;
}

int cost_add_list(struct cost_sum *s, uint32_t table, const struct live_table *l)
{
	return cost_of_list(s, table, l, &s->table[table]);
}

int cost_add_before(struct cost_sum *s, uint32_t table, const struct live_table *l)
{
	struct table_cost *behind = &s->table[table], before;
	double entries = (double)behind->entries;
	int ret = cost_of_list(s, table, l, &before);

	if (ret || !before.entries)
		return ret;
	behind->mean_path = (behind->mean_path + (double)before.matchers) * entries +
			    before.mean_path * (double)before.entries;
	behind->mean_path /= entries + (double)before.entries;
	behind->entries += before.entries;
	behind->matchers += before.matchers;
	behind->longest_path += before.matchers;
	for (size_t i = 0; i < s->set->n; i++)
		if (s->rule[i].table == table && s->rule[i].path)
			s->rule[i].path = behind->longest_path;
	return 0;
}

/* --- codes ------------------------------------------------------------------------------------ */

int cost_add_codes(struct cost_sum *s, uint32_t table, const struct acl_program *p)
{
	struct acl_cost c;
	int ret = acl_cost(p, &c);

	s->table[table] =
		(struct table_cost){c.tables, c.entries, c.matchers, c.longest_path, c.mean_path};
	s->compiled[s->plan->list.table[table].dir] = "codes";
	for (size_t t = 0; t < p->n; t++)
		for (size_t m = 0; m < p->table[t].n; m++)
			for (size_t e = 0; e < p->table[t].matcher[m].n; e++)
				if (p->table[t].matcher[m].entry[e].rule != ACL_NONE)
					cost_add_entry(s, table,
						       p->table[t].matcher[m].entry[e].rule,
						       c.longest_path);
	return ret;
}

/* --- all tables ------------------------------------------------------------------------------- */

static void cost_leads(size_t *before, uint32_t to, size_t path)
{
	if (to != TABLE_NONE && before[to] < path)
		before[to] = path;
}

static void cost_add_table(struct table_cost *out, const struct table_cost *t, size_t before)
{
	out->mean_path += ((double)before + t->mean_path) * (double)t->entries;
	out->tables += t->tables;
	out->entries += t->entries;
	out->matchers += t->matchers;
	if (out->longest_path < before + t->longest_path)
		out->longest_path = before + t->longest_path;
}

/* A rate's table: what is over the rate is looked up in both matchers, the rest in one. */
#define COST_RATE 2u

static void cost_add_rates(const struct cost_sum *s, uint32_t level, size_t *before,
			   struct plan_cost *out)
{
	static const struct table_cost rate = {.tables = 1,
					       .entries = 2,
					       .matchers = 2,
					       .longest_path = COST_RATE,
					       .mean_path = 1.5};

	for (size_t r = 0; r < s->set->n; r++) {
		const struct table *t = &s->plan->list.table[s->rule[r].table];
		size_t path = before[s->rule[r].table] + s->rule[r].path;

		if (!s->set->rule[r].over || !s->rule[r].path || t->level != level)
			continue;
		cost_add_table(&out->table[t->dir], &rate, path);
		cost_leads(before, t->next, path + 1);
	}
}

/* Adds the tables of a level. before: by table, the most lookups of a packet that reaches it. */
static void cost_add_level(const struct cost_sum *s, uint32_t level, size_t *before,
			   struct plan_cost *out)
{
	const struct program *p = &s->plan->list;
	bool rates = false;

	for (size_t t = 0; t < p->ntables; t++)
		if (p->table[t].level == level) {
			rates |= p->table[t].next_levels > 1;
			cost_add_table(&out->table[p->table[t].dir], &s->table[t], before[t]);
			cost_leads(before, p->table[t].next, before[t] + s->table[t].longest_path);
		}
	if (rates)
		cost_add_rates(s, level, before, out);
	for (size_t r = 0; r < s->set->n && s->set->ntables > 1; r++)
		if (s->rule[r].path && p->table[s->rule[r].table].level == level)
			cost_leads(before, program_goto(&s->set->rule[r]),
				   before[s->rule[r].table] + s->rule[r].path +
					   (s->set->rule[r].over ? COST_RATE : 0));
}

/* Returns whether the first rule is more expensive. */
static bool cost_more(const struct rule_cost *a, const struct rule_cost *b)
{
	if (a->matchers != b->matchers)
		return a->matchers > b->matchers;
	return a->entries != b->entries ? a->entries > b->entries : a->rule < b->rule;
}

/* Finds the most expensive rules. A rule of one entry that begins no matcher is none. */
static void cost_find_most(const struct cost_sum *s, struct plan_cost *out)
{
	for (size_t i = 0; i < s->set->n; i++) {
		size_t at = out->ncostly;

		if (!s->rule[i].matchers && s->rule[i].entries < 2)
			continue;
		for (; at && cost_more(&s->rule[i], &out->costly[at - 1]); at--)
			if (at < PLAN_COSTLY)
				out->costly[at] = out->costly[at - 1];
		if (at < PLAN_COSTLY)
			out->costly[at] = s->rule[i];
		out->ncostly += out->ncostly < PLAN_COSTLY;
	}
}

int cost_end(struct cost_sum *s, int ret, struct plan_cost *out)
{
	size_t *before = ret ? NULL : calloc(s->plan->list.ntables + 1, sizeof(*before));

	*out = (struct plan_cost){.ncostly = 0};
	/* Tables lead to higher levels. */
	for (uint32_t level = 1; level <= TABLES_DEEP && before; level++)
		cost_add_level(s, level, before, out);
	for (int d = 0; d < RULE_DIRS && before; d++) {
		out->table[d].mean_path /=
			out->table[d].entries ? (double)out->table[d].entries : 1;
		out->compiled[d] = s->compiled[d];
		out->refusal[d] = s->plan->refusal[d];
	}
	if (before)
		cost_find_most(s, out);
	ret = before ? 0 : -ENOMEM;
	free(before);
	free(s->table);
	free(s->rule);
	return ret;
}

int plan_cost(const struct plan *p, const struct ruleset *set, struct plan_cost *out)
{
	struct cost_sum s;
	int ret = cost_begin(&s, p, set);

	for (uint32_t t = 0; t < p->list.ntables && !ret; t++) {
		struct live_table l = {0};

		if (p->codes[t].n)
			ret = cost_add_codes(&s, t, &p->codes[t]);
		else
			ret = live_begin(&l, &p->list.table[t]) ? cost_add_list(&s, t, &l)
								: -ENOMEM;
		live_free(&l);
	}
	return cost_end(&s, ret, out);
}
