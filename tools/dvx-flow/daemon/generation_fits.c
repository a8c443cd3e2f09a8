/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decides which changes can be made entry by entry. doc/design/0065 explains why each packet then
 * meets the rules before or those after the edit. That needs:
 *
 *	- The rules that change in a direction are in one table of the file. Else a packet on its way
 *	  from one table to the next would meet one change and not the other.
 *	- None of them is a mirror or has a rate, or it is the only change: a packet meets it and a
 *	  later rule.
 *	- An arriving rule leads to a table that exists and is behind its own, and is not between
 *	  two rules with a rate that share a table.
 */
#include <errno.h>
#include <stdlib.h>

#include "generation_edit.h"

/* The changes in one direction. */
struct fits_direction {
	size_t n, mirrors;
	uint32_t table; /* of the file: the last changed rule's */
	bool apart;	/* the changed rules are in several tables */
};

static void fits_add(struct fits_direction of[RULE_DIRS], const struct rule *r)
{
	struct fits_direction *f = &of[r->dir];

	f->apart |= f->n && f->table != r->table;
	f->table = r->table;
	f->mirrors += rule_goes_on(r);
	f->n++;
}

bool edit_leads_on(const struct generation *gen, const struct rule *r, uint32_t in)
{
	uint32_t to = program_goto(r);

	return to == TABLE_NONE || (gen->table[to].table && gen->plan.list.table[to].level >
								    gen->plan.list.table[in].level);
}

/* Returns whether the rule can be added to table `in` of the program. */
static bool fits_arriving(const struct generation *gen, const struct rule *r, uint32_t in)
{
	return gen->table[in].table && !rule_goes_on(r) && edit_leads_on(gen, r, in);
}

/* Returns whether an earlier rule of the table has a rate: its packets go on behind the table. */
static bool fits_behind_rate(const struct generation *gen, size_t before, uint32_t in)
{
	if (gen->plan.list.table[in].next == TABLE_NONE)
		return false;
	for (size_t i = 0; i < before && i < gen->set.n; i++)
		if (gen->set.rule[i].over && gen->hold[i].table == in)
			return true;
	return false;
}

/* Returns how many rules an edit may change; more need a new generation. */
static size_t fits_most(const struct generation *gen)
{
	return 64 + gen->set.n / 16;
}

bool edit_fits(const struct generation_edit *e, const struct generation_change *c)
{
	const struct generation *gen = e->gen;
	struct fits_direction of[RULE_DIRS] = {{0}};
	bool fits = !gen->stray_entry;
	size_t n = 0;

	for (size_t i = 0; i < c->nmore && fits; i++) {
		fits_add(of, &c->more[i]);
		fits = fits_arriving(gen, &c->more[i], e->in[i]) &&
		       !fits_behind_rate(gen, c->before[i], e->in[i]);
	}
	for (size_t i = 0; c->gone && i < gen->set.n; i++)
		if (c->gone[i]) {
			fits_add(of, &gen->set.rule[i]);
			fits &= !gen->set.rule[i].track;
		}
	for (int d = 0; d < RULE_DIRS; d++) {
		fits &= !of[d].apart && (!of[d].mirrors || of[d].n == 1);
		n += of[d].n;
	}
	return fits && n <= fits_most(gen);
}

/* --- which table ------------------------------------------------------------------------------ */

static uint32_t fits_first(const struct rule *r)
{
	return RULE_DIRS * r->table + (uint32_t)r->dir;
}

/* Returns the last part of a table that mirrors divide. */
static uint32_t fits_last(const struct generation *gen, uint32_t table)
{
	while (gen->plan.list.table[table].next != TABLE_NONE)
		table = gen->plan.list.table[table].next;
	return table;
}

int edit_find_tables(struct generation_edit *e, const struct generation_change *c)
{
	const struct generation *gen = e->gen;
	uint32_t *next = calloc(gen->ntables, sizeof(*next));
	size_t m = c->nmore;

	if (!next)
		return -ENOMEM;
	for (uint32_t t = 0; t < gen->ntables; t++)
		next[t] = fits_last(gen, t);
	for (size_t i = gen->set.n + 1; i-- > 0;) {
		if (i < gen->set.n)
			next[fits_first(&gen->set.rule[i])] = gen->hold[i].table;
		for (; m && c->before[m - 1] == i; m--)
			e->in[m - 1] = next[fits_first(&c->more[m - 1])];
	}
	free(next);
	return 0;
}
