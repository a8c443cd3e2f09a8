/* SPDX-License-Identifier: BSD-2-Clause */
#include "plan.h"

#include <errno.h>
#include <stdlib.h>

/* --- levels: a table of codes is several tables, one behind the other ------------------------- */

/* Puts `to` this many levels behind `from` and its codes. Returns whether it moved. */
static bool plan_deepen(const struct plan *p, const uint32_t *depth, uint32_t from, uint32_t to,
			uint32_t levels)
{
	uint32_t level = p->list.table[from].level, *its = &p->list.table[to].level;

	if (!level || !*its || *its >= level + depth[from] + levels)
		return false;
	*its = level + depth[from] + levels;
	return true;
}

/* Finds levels as rules_compile() did for the lists. The parser has refused circles. */
static void plan_levels(const struct plan *p, const struct ruleset *set, const uint32_t *depth)
{
	bool moved = true;

	while (moved) {
		moved = false;
		for (uint32_t t = 0; t < p->list.ntables; t++)
			if (p->list.table[t].next != TABLE_NONE)
				moved |= plan_deepen(p, depth, t, p->list.table[t].next,
						     p->list.table[t].next_levels);
		for (uint32_t i = 0; i < set->n; i++)
			if (set->rule[i].verdict == RULE_GOTO)
				moved |= plan_deepen(p, depth, p->list.where[i],
						     program_goto(&set->rule[i]),
						     rule_levels(&set->rule[i]));
	}
}

static bool plan_fits(const struct plan *p, const uint32_t *depth)
{
	for (uint32_t t = 0; t < p->list.ntables; t++)
		if (p->list.table[t].level + depth[t] > TABLES_DEEP)
			return false;
	return true;
}

/* --- codes ------------------------------------------------------------------------------------ */

/* The plan of one set while it is made. */
struct plan_work {
	struct plan *out;
	const struct ruleset *set;
	const char *no_codes;
	uint32_t *depth; /* by table: levels that its codes need beyond its own */
};

static void plan_too_deep(struct plan_work *w, uint32_t t)
{
	struct acl_refusal *refusal = &w->out->refusal[w->out->list.table[t].dir];
	uint32_t rule = 0;

	while (w->out->list.where[rule] != t)
		rule++;
	*refusal = (struct acl_refusal){
		rule, "codes of its table need more tables, one behind the other, than there are"};
}

/* Finds levels with the codes of table t; without enough levels, restores the former ones. */
static int plan_place(struct plan_work *w, uint32_t t)
{
	struct program *list = &w->out->list;
	uint32_t *before = malloc((list->ntables + 1) * sizeof(*before));

	if (!before)
		return -ENOMEM;
	for (uint32_t i = 0; i < list->ntables; i++)
		before[i] = list->table[i].level;
	plan_levels(w->out, w->set, w->depth);
	if (!plan_fits(w->out, w->depth)) {
		for (uint32_t i = 0; i < list->ntables; i++)
			list->table[i].level = before[i];
		w->depth[t] = 0;
		acl_free(&w->out->codes[t]);
		plan_too_deep(w, t);
	}
	free(before);
	return 0;
}

/* Keeps the codes if they make packets' path shorter. */
static int plan_keep(struct plan_work *w, uint32_t t)
{
	struct acl_program *codes = &w->out->codes[t];
	uint32_t *level = malloc((codes->n + 1) * sizeof(*level));
	struct acl_cost cost;
	int ret = level ? acl_cost(codes, &cost) : -ENOMEM;

	if (!ret && cost.longest_path < w->out->list.table[t].n + 1) {
		w->depth[t] = acl_levels(codes, level);
		ret = plan_place(w, t);
	} else {
		acl_free(codes);
	}
	free(level);
	return ret;
}

static const char in_switch[] = "in the e-switch the kernel uses c0 and c1, which codes need";

/* Plans a table. If its rules do not fit codes, it stays a list. */
static int plan_table(struct plan_work *w, uint32_t t)
{
	const struct table *table = &w->out->list.table[t];
	const struct acl_rules rules = {w->set, table->dir, w->out->list.where, t};
	const char *no_codes = table->dir == RULE_SWITCH ? in_switch : w->no_codes;
	struct acl_refusal refusal = {ACL_NONE, no_codes};
	int ret = no_codes ? -E2BIG : acl_compile(&rules, &w->out->codes[t], &refusal);

	if (ret == -E2BIG && !w->out->refusal[table->dir].why)
		w->out->refusal[table->dir] = refusal;
	return ret == -E2BIG ? 0 : ret ? ret : plan_keep(w, t);
}

/* Returns the table with the longest list, which has most to gain, if levels run out. */
static uint32_t plan_next(const struct plan *p, const bool *seen)
{
	uint32_t best = TABLE_NONE;

	for (uint32_t t = 0; t < p->list.ntables; t++)
		if (!seen[t] && p->list.table[t].level && p->list.table[t].n + 1 > PLAN_PATH &&
		    (best == TABLE_NONE || p->list.table[t].n > p->list.table[best].n))
			best = t;
	return best;
}

static int plan_tables(struct plan_work *w)
{
	bool *seen = calloc(w->out->list.ntables + 1, sizeof(*seen));
	int ret = seen ? 0 : -ENOMEM;
	uint32_t t;

	while (!ret && (t = plan_next(w->out, seen)) != TABLE_NONE) {
		seen[t] = true;
		ret = plan_table(w, t);
	}
	free(seen);
	return ret;
}

int plan_make(const struct ruleset *set, const char *no_codes, struct plan *out, size_t *wrong)
{
	struct plan_work w = {.out = out, .set = set, .no_codes = no_codes};
	int ret;

	*out = (struct plan){.list = {.memory = NULL}};
	ret = rules_compile(set, &out->list, wrong);
	if (ret)
		return ret;
	out->codes = calloc(out->list.ntables + 1, sizeof(*out->codes));
	w.depth = calloc(out->list.ntables + 1, sizeof(*w.depth));
	ret = out->codes && w.depth ? plan_tables(&w) : -ENOMEM;
	free(w.depth);
	if (ret)
		plan_free(out);
	return ret;
}

void plan_free(struct plan *p)
{
	for (size_t t = 0; p->codes && t < p->list.ntables; t++)
		acl_free(&p->codes[t]);
	free(p->codes);
	program_free(&p->list);
	*p = (struct plan){.list = {.memory = NULL}};
}

void plan_renumber(struct plan *p, const uint32_t *to)
{
	for (int d = 0; d < RULE_DIRS; d++) {
		struct acl_refusal *r = &p->refusal[d];

		if (!r->why || r->rule == ACL_NONE)
			continue;
		r->rule = to[r->rule];
		if (r->rule == ACL_NONE)
			r->why = NULL;
	}
}
