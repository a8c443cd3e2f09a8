/* SPDX-License-Identifier: BSD-2-Clause */
/* Named tables: which one a rule belongs to, and whether packets reach it. */
#include <stdlib.h>
#include <string.h>

#include "build.h"
#include "tools/cli/names.h"

/* A table of the file. */
struct build_table {
	struct source_range at; /* first use of its name */
	bool has[RULE_DIRS];	/* rules of this direction; of no interest in the first table */
};

static bool build_table_add(struct rule_build *b, const struct source_range *at, const char *name)
{
	struct ruleset *set = b->ps->set;

	if (!array_grow((void **)&set->table, set->ntables, &b->names_room, sizeof(*set->table)) ||
	    !array_grow((void **)&b->table, set->ntables, &b->table_room, sizeof(*b->table)))
		return false;
	set->table[set->ntables] = (struct rule_table){name};
	b->table[set->ntables++] = (struct build_table){.at = *at};
	return true;
}

static size_t build_table_find(const struct rule_build *b, const char *name)
{
	size_t i = 0;

	while (i < b->ps->set->ntables && strcmp(b->ps->set->table[i].name, name))
		i++;
	return i;
}

bool build_tables_begin(struct rule_build *b)
{
	return build_table_add(b, &(struct source_range){0}, TABLE_MAIN);
}

void build_table(struct rule_build *b, const struct source_range *at, const char *name)
{
	size_t i = build_table_find(b, name);

	if (b->ps->part)
		parse_mistake(b->ps, at,
			      "a table begins in a file of rules; to add to it, insert the rule "
			      "before one of the table");
	else if (i == TABLES_MAX)
		parse_mistake(b->ps, at, "a file has at most %u tables", TABLES_MAX);
	else if (i == b->ps->set->ntables && !build_table_add(b, at, name))
		b->ps->no_memory = true;
	else
		b->in_table = (uint32_t)i;
}

bool build_tables_keep(struct rule_build *b)
{
	b->table[b->in_table].has[b->rule.dir] = true;
	if (!b->go.name)
		return true;
	if (!array_grow((void **)&b->gotos, b->ngotos, &b->goto_room, sizeof(*b->gotos)))
		return false;
	b->gotos[b->ngotos] = b->go;
	b->gotos[b->ngotos++].rule = b->ps->set->n;
	return true;
}

void build_tables_free(struct rule_build *b)
{
	free(b->table);
	free(b->gotos);
}

/* --- at the file's end --------------------------------------------------------------------------- */

static const char *build_table_near(const struct rule_build *b, const char *name)
{
	for (size_t i = 1; i < b->ps->set->ntables; i++)
		if (name_distance(name, b->ps->set->table[i].name) < 3)
			return b->ps->set->table[i].name;
	return NULL;
}

static void build_goto_find(struct rule_build *b, const struct build_goto *go)
{
	struct rule *r = &b->ps->set->rule[go->rule];
	size_t to = build_table_find(b, go->name);
	const char *near = to == b->ps->set->ntables ? build_table_near(b, go->name) : NULL;

	if (near)
		parse_mistake(b->ps, &go->at, "no table is called \"%s\"; did you mean \"%s\"?",
			      go->name, near);
	else if (to == b->ps->set->ntables)
		parse_mistake(b->ps, &go->at,
			      "no table is called \"%s\": write a line `table %s' and its rules "
			      "behind it",
			      go->name, go->name);
	else if (!to)
		parse_mistake(b->ps, &go->at,
			      "packets begin in the table \"%s\"; no rule leads back there",
			      TABLE_MAIN);
	else if (!b->table[to].has[r->dir])
		parse_mistake(b->ps, &go->at, "the table \"%s\" has no rule for %s packets",
			      go->name, rule_dirs[r->dir].packets);
	else
		r->go = (uint32_t)to;
}

/* The ways of one direction's packets to each table. */
struct build_ways {
	enum rule_dir dir;
	int *depth;			/* tables before it; -1: no packet reaches it */
	const struct build_goto **last; /* the last rule on the longest way to it */
	const struct build_goto *deep;	/* behind so many tables; NULL: none */
};

static const struct rule *build_goto_rule(const struct rule_build *b, const struct build_goto *go)
{
	return &b->ps->set->rule[go->rule];
}

/* Follows each rule one step. Returns whether a way became longer. */
static bool build_ways_step(struct rule_build *b, struct build_ways *w)
{
	bool longer = false;

	for (size_t i = 0; i < b->ngotos && !w->deep; i++) {
		const struct rule *r = build_goto_rule(b, &b->gotos[i]);

		if (r->dir != w->dir || w->depth[r->table] < 0 ||
		    w->depth[r->go] > w->depth[r->table])
			continue;
		w->depth[r->go] = w->depth[r->table] + 1;
		w->last[r->go] = &b->gotos[i];
		if (w->depth[r->go] == (int)TABLES_DEEP)
			w->deep = &b->gotos[i];
		longer = true;
	}
	return longer;
}

/* Returns the rule before `go` on the longest way; NULL: packets begin in the table of `go`. */
static const struct build_goto *build_ways_before(const struct rule_build *b,
						  const struct build_ways *w,
						  const struct build_goto *go)
{
	return w->last[build_goto_rule(b, go)->table];
}

/* Reports a way of more rules than there are tables: it ends in a circle, or is too long. */
static void build_ways_long(struct rule_build *b, const struct build_ways *w)
{
	const struct build_goto *go = w->deep, *begin, *closing;

	for (size_t i = 0; i < b->ps->set->ntables && go; i++)
		go = build_ways_before(b, w, go);
	if (!go) {
		parse_mistake(b->ps, &w->deep->at,
			      "packets pass at most %u tables one after the other", TABLES_DEEP);
		return;
	}
	/* Reports the circle's last rule of the file. */
	begin = closing = go;
	while ((go = build_ways_before(b, w, go)) != begin)
		closing = go->rule > closing->rule ? go : closing;
	parse_mistake(b->ps, &closing->at,
		      "the tables lead in a circle: \"%s\" leads to \"%s\" again",
		      b->ps->set->table[build_goto_rule(b, closing)->table].name, closing->name);
}

static void build_ways_unused(struct rule_build *b, const struct build_ways *w)
{
	for (size_t i = 1; i < b->ps->set->ntables; i++)
		if (b->table[i].has[w->dir] && w->depth[i] < 0)
			parse_mistake(b->ps, &b->table[i].at,
				      "the table \"%s\" has rules for %s packets, but no such rule "
				      "leads here: write `send %s any goto %s' in another table",
				      b->ps->set->table[i].name, rule_dirs[w->dir].packets,
				      rule_dirs[w->dir].name, b->ps->set->table[i].name);
}

static void build_ways_check(struct rule_build *b, enum rule_dir dir)
{
	size_t n = b->ps->set->ntables;
	struct build_ways w = {.dir = dir,
			       .depth = malloc(n * sizeof(*w.depth)),
			       .last = calloc(n, sizeof(struct build_goto *))};

	if (w.depth && w.last) {
		memset(w.depth, 0xff, n * sizeof(*w.depth));
		w.depth[0] = 0;
		while (build_ways_step(b, &w))
			;
		if (w.deep)
			build_ways_long(b, &w);
		else
			build_ways_unused(b, &w);
	} else {
		b->ps->no_memory = true;
	}
	free(w.depth);
	free(w.last);
}

void build_tables_end(struct rule_build *b)
{
	b->ps->set->last_table = b->in_table;
	for (size_t i = 0; i < b->ngotos && !b->ps->mistakes; i++)
		build_goto_find(b, &b->gotos[i]);
	for (int d = 0; d < RULE_DIRS && !b->ps->mistakes; d++)
		if (b->ps->set->ntables > 1)
			build_ways_check(b, (enum rule_dir)d);
}
