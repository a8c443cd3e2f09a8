/* SPDX-License-Identifier: BSD-2-Clause */
/* What rules cost: the look-ups of a packet, and the rules that make them many. */
#include <errno.h>
#include <stdlib.h>

#include "compile.h"

/* The most look-ups that a packet has had before it comes to a table. */
static void cost_before(const struct program *p, const struct ruleset *set, const struct table *t,
			size_t *before)
{
	size_t here = before[t - p->table] + t->n + 1;

	if (t->next != TABLE_NONE && before[t->next] < here)
		before[t->next] = here;
	for (size_t m = 0; m < t->n; m++)
		for (size_t e = 0; e < t->matcher[m].n; e++) {
			uint32_t to = program_goto(&set->rule[t->matcher[m].entry[e].rule]);

			here = before[t - p->table] + m + 1;
			if (to != TABLE_NONE && before[to] < here)
				before[to] = here;
		}
}

static void cost_add(const struct table *t, size_t before, struct table_cost *out)
{
	for (size_t m = 0; m < t->n; m++)
		out->mean_path += (double)(before + m + 1) * (double)t->matcher[m].n;
	out->tables++;
	out->entries += t->entries;
	out->matchers += t->n;
	if (out->longest_path < before + t->n + 1)
		out->longest_path = before + t->n + 1;
}

int program_cost(const struct program *p, const struct ruleset *set, enum rule_dir dir,
		 struct table_cost *out)
{
	size_t *before = calloc(p->ntables, sizeof(*before));

	*out = (struct table_cost){0};
	if (!before)
		return -ENOMEM;
	for (uint32_t level = 1; level <= TABLES_DEEP; level++)
		for (size_t i = 0; i < p->ntables; i++) {
			const struct table *t = &p->table[i];

			if (t->dir != dir || t->level != level)
				continue;
			cost_before(p, set, t, before);
			cost_add(t, before[i], out);
		}
	if (out->entries)
		out->mean_path /= (double)out->entries;
	free(before);
	return 0;
}

/* Entries stand in the order of their rules. */
static void cost_count(const struct matcher *m, struct rule_cost *cost)
{
	if (m->n)
		cost[m->entry[0].rule].matchers++;
	for (size_t e = 0; e < m->n; e++)
		cost[m->entry[e].rule].entries++;
}

static int cost_order(const void *one, const void *other)
{
	const struct rule_cost *a = one, *b = other;

	if (a->matchers != b->matchers)
		return a->matchers < b->matchers ? 1 : -1;
	if (a->entries != b->entries)
		return a->entries < b->entries ? 1 : -1;
	return (a->rule > b->rule) - (a->rule < b->rule);
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

size_t rule_costs_most(struct rule_cost *cost, size_t nrules, struct rule_cost *out, size_t room)
{
	size_t n = 0;

	qsort(cost, nrules, sizeof(*cost), cost_order);
	for (; n < room && n < nrules && (cost[n].matchers || cost[n].entries > 1); n++)
		out[n] = cost[n];
	return n;
}
