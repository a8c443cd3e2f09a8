/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts the cost of the tables as edits have left them: edits make and remove matchers. */
#include "generation_priv.h"

static int generation_add_cost(const struct generation *gen, struct cost_sum *s, uint32_t table)
{
	const struct built_table *h = &gen->table[table];
	int ret = 0;

	if (!h->codes)
		return cost_add_list(s, table, &h->live);
	ret = cost_add_codes(s, table, &gen->plan.codes[table]);
	return ret ? ret : cost_add_before(s, table, &h->live);
}

const struct plan_cost *generation_cost(struct generation *gen)
{
	struct cost_sum s;
	int ret;

	if (!gen->edited)
		return &gen->cost;
	ret = cost_begin(&s, &gen->plan, &gen->set);
	for (uint32_t t = 0; t < gen->ntables && !ret; t++)
		ret = generation_add_cost(gen, &s, t);
	ret = cost_end(&s, ret, &gen->cost);
	gen->edited = ret;
	return ret ? NULL : &gen->cost;
}
