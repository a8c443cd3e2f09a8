/* SPDX-License-Identifier: BSD-2-Clause */
#include "plan.h"

#include <errno.h>
#include <stdlib.h>

/* Tables of a NIC have 64 levels; the daemon's are between the root and other programs' tables. */
#define PLAN_LEVELS 56u

/* Why a direction's rules can't be codes, whatever they compare. */
static const char *plan_obstacle(const struct ruleset *set, enum rule_dir dir, uint32_t *rule)
{
	for (uint32_t i = 0; i < set->n; i++) {
		const struct rule *r = &set->rule[i];

		*rule = i;
		if (r->dir != dir)
			continue;
		if (r->verdict == RULE_MIRROR)
			return "later rules judge what it mirrors";
		if (r->verdict == RULE_GOTO)
			return "it leads to another table";
	}
	return NULL;
}

/* Whether the device has levels for them, and their path is shorter than the list's. */
static int plan_better(const struct acl_program *codes, size_t path, bool *better)
{
	uint32_t *level = malloc(codes->n * sizeof(*level) + 1);
	struct acl_cost cost;
	int ret = level ? acl_cost(codes, &cost) : -ENOMEM;

	if (!ret)
		*better = cost.longest_path < path && acl_levels(codes, level) < PLAN_LEVELS;
	free(level);
	return ret;
}

/* path: of the list. A direction whose rules do not fit codes has none. */
static int plan_codes(const struct ruleset *set, enum rule_dir dir, size_t path,
		      struct acl_program *out, struct acl_refusal *refusal)
{
	bool better = false;
	int ret = acl_compile(set, dir, out, refusal);

	if (!ret)
		ret = plan_better(out, path, &better);
	if (!better)
		acl_free(out);
	return ret == -E2BIG ? 0 : ret;
}

static int plan_direction(const struct ruleset *set, enum rule_dir dir, struct plan *out)
{
	struct acl_refusal *refusal = &out->refusal[dir];
	struct table_cost cost;
	int ret = program_cost(&out->list, set, dir, &cost);

	if (ret || cost.longest_path <= PLAN_PATH)
		return ret;
	refusal->why = plan_obstacle(set, dir, &refusal->rule);
	return refusal->why ? 0
			    : plan_codes(set, dir, cost.longest_path, &out->codes[dir], refusal);
}

int plan_make(const struct ruleset *set, struct plan *out, size_t *wrong)
{
	int ret;

	*out = (struct plan){.list = {.memory = NULL}};
	ret = rules_compile(set, &out->list, wrong);
	if (ret)
		return ret;
	for (int d = 0; d < RULE_DIRS && !ret; d++)
		ret = plan_direction(set, (enum rule_dir)d, out);
	if (ret)
		plan_free(out);
	return ret;
}

void plan_free(struct plan *p)
{
	program_free(&p->list);
	for (int d = 0; d < RULE_DIRS; d++)
		acl_free(&p->codes[d]);
}

/* --- cost -------------------------------------------------------------------------------------- */

static int plan_codes_cost(const struct acl_program *p, struct table_cost *out)
{
	struct acl_cost c;
	int ret = acl_cost(p, &c);

	*out = (struct table_cost){c.tables, c.entries, c.matchers, c.longest_path, c.mean_path};
	return ret;
}

/* Entries that are made for a rule alone. */
static void plan_codes_count(const struct acl_program *p, struct rule_cost *cost)
{
	for (size_t t = 0; t < p->n; t++)
		for (size_t m = 0; m < p->table[t].n; m++)
			for (size_t e = 0; e < p->table[t].matcher[m].n; e++)
				if (p->table[t].matcher[m].entry[e].rule != ACL_NONE)
					cost[p->table[t].matcher[m].entry[e].rule].entries++;
}

static void plan_list_count(const struct program *p, int dir, struct rule_cost *cost)
{
	for (size_t t = 0; t < p->ntables; t++)
		if ((int)p->table[t].dir == dir)
			table_costs_count(&p->table[t], cost);
}

int plan_cost(const struct plan *p, const struct ruleset *set, struct plan_cost *out)
{
	struct rule_cost *cost = rule_costs_new(set->n);
	int ret = cost ? 0 : -ENOMEM;

	*out = (struct plan_cost){.ncostly = 0};
	for (int d = 0; d < RULE_DIRS && !ret; d++) {
		out->codes[d] = p->codes[d].n > 0;
		out->refusal[d] = p->refusal[d];
		if (out->codes[d]) {
			ret = plan_codes_cost(&p->codes[d], &out->table[d]);
			plan_codes_count(&p->codes[d], cost);
		} else {
			ret = program_cost(&p->list, set, (enum rule_dir)d, &out->table[d]);
			plan_list_count(&p->list, d, cost);
		}
	}
	if (!ret)
		out->ncostly = rule_costs_most(cost, set->n, out->costly, PLAN_COSTLY);
	free(cost);
	return ret;
}
