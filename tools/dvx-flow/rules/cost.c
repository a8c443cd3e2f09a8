/* SPDX-License-Identifier: BSD-2-Clause */
/* What rules cost: the look-ups of a packet, and the rules that make them many. */
#include <errno.h>
#include <stdlib.h>

#include "compile.h"

void table_cost(const struct table *t, struct table_cost *out)
{
	double sum = 0;

	for (size_t m = 0; m < t->n; m++)
		sum += (double)(m + 1) * (double)t->matcher[m].n;
	*out = (struct table_cost){
		.entries = t->entries,
		.matchers = t->n,
		.longest_path = t->n ? t->n + 1 : 0,
		.mean_path = t->entries ? sum / (double)t->entries : 0,
	};
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

int program_costs(const struct program *p, size_t nrules, struct rule_cost *out, size_t room,
		  size_t *n)
{
	struct rule_cost *cost = calloc(nrules + 1, sizeof(*cost));

	*n = 0;
	if (!cost)
		return -ENOMEM;
	for (uint32_t r = 0; r < nrules; r++)
		cost[r].rule = r;
	for (int d = 0; d < RULE_DIRS; d++)
		for (size_t m = 0; m < p->table[d].n; m++)
			cost_count(&p->table[d].matcher[m], cost);
	qsort(cost, nrules, sizeof(*cost), cost_order);
	for (; *n < room && *n < nrules && cost[*n].matchers; ++*n)
		out[*n] = cost[*n];
	free(cost);
	return 0;
}
