/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Chains of tc and tables of Open vSwitch as named tables. A rule leads to one table and does not
 * come back. A packet that none of its rules takes goes on as it does in tc, or is dropped by a
 * rule at the table's end (Open vSwitch). Rules that lead to a table without rules are left out.
 */
#include <stdlib.h>

#include "draft.h"
#include "rules/rule.h"

/* The rules of one table, which stand together. */
struct import_table {
	uint32_t number;
	size_t first, n;
	bool entered, done; /* on the present way; done: with all tables that it leads to */
};

struct import_tables {
	struct import_result *out;
	struct import_table *table;
	size_t n;
	bool changed;
};

static void tables_leave(struct import_tables *t, struct import_item *item,
			 enum import_reason reason)
{
	item->rule = NULL;
	item->reason = reason;
	item->word = item->more = NULL;
	t->out->left_out++;
	t->changed = true;
}

static struct import_table *tables_find(const struct import_tables *t, uint32_t number)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->table[i].number == number)
			return &t->table[i];
	return NULL;
}

static bool tables_has_rule(const struct import_tables *t, const struct import_table *of)
{
	for (size_t i = of->first; i < of->first + of->n; i++)
		if (t->out->item[i].rule)
			return true;
	return false;
}

/* Follows all ways from the table; `deep` tables are on the way to it. */
static void tables_follow(struct import_tables *t, struct import_table *from, unsigned int deep)
{
	from->entered = true;
	for (size_t i = from->first; i < from->first + from->n; i++) {
		struct import_item *item = &t->out->item[i];
		struct import_table *to;

		if (!item->rule || !item->leads)
			continue;
		to = tables_find(t, item->go);
		if (!to || to->entered || deep == TABLES_DEEP || !tables_has_rule(t, to))
			tables_leave(t, item, REASON_NOWHERE);
		else if (!to->done)
			tables_follow(t, to, deep + 1);
	}
	from->entered = false;
	from->done = true;
}

static bool tables_list(struct import_tables *t)
{
	t->table = calloc(t->out->n + 1, sizeof(*t->table));
	for (size_t i = 0; t->table && i < t->out->n; i++) {
		uint32_t number = t->out->item[i].table;

		if (!t->n || t->table[t->n - 1].number != number)
			t->table[t->n++] = (struct import_table){.number = number, .first = i};
		t->table[t->n - 1].n++;
	}
	return t->table;
}

/*
 * Leaves out rules that lead to an empty table. A rule that is removed may have been its table's
 * last one.
 */
static void tables_settle(struct import_tables *t)
{
	do {
		t->changed = false;
		for (size_t i = 0; i < t->n; i++)
			t->table[i].done = false;
		if (t->n && !t->table[0].number)
			tables_follow(t, &t->table[0], 0);
	} while (t->changed);
	for (size_t i = 0; i < t->n; i++)
		for (size_t k = t->table[i].first;
		     !t->table[i].done && k < t->table[i].first + t->table[i].n; k++)
			if (t->out->item[k].rule)
				tables_leave(t, &t->out->item[k], REASON_UNREACHED);
}

bool import_tables(struct import_result *out)
{
	struct import_tables t = {.out = out};

	if (!out->n || (!out->item[out->n - 1].table && !out->any_leads))
		return true;
	if (!tables_list(&t))
		return false;
	tables_settle(&t);
	free(t.table);
	return true;
}
