/* SPDX-License-Identifier: BSD-2-Clause */
/* Named tables: which one a rule belongs to, and whether packets reach it. */
#include <stdlib.h>
#include <string.h>

#include "parse.h"
#include "tools/cli/names.h"

static bool parse_table_add(struct rule_parser *ps, const struct source_range *at, const char *name)
{
	struct ruleset *set = ps->set;

	if (!array_grow((void **)&set->table, set->ntables, &ps->names_room, sizeof(*set->table)) ||
	    !array_grow((void **)&ps->table, set->ntables, &ps->table_room, sizeof(*ps->table)))
		return false;
	set->table[set->ntables] = (struct rule_table){name};
	ps->table[set->ntables++] = (struct parse_table){.at = *at};
	return true;
}

static size_t parse_table_find(const struct rule_parser *ps, const char *name)
{
	size_t i = 0;

	while (i < ps->set->ntables && strcmp(ps->set->table[i].name, name))
		i++;
	return i;
}

bool parse_tables_begin(struct rule_parser *ps)
{
	return parse_table_add(ps, &(struct source_range){0}, TABLE_MAIN);
}

void parse_table(struct rule_parser *ps, const struct source_range *at, const char *name)
{
	size_t i = parse_table_find(ps, name);

	if (ps->part)
		parse_mistake(ps, at,
			      "a table begins in a file of rules; to add to it, insert the rule "
			      "before one of the table");
	else if (i == TABLES_MAX)
		parse_mistake(ps, at, "a file has at most %u tables", TABLES_MAX);
	else if (i == ps->set->ntables && !parse_table_add(ps, at, name))
		ps->no_memory = true;
	else
		ps->in_table = (uint32_t)i;
}

bool parse_tables_keep(struct rule_parser *ps)
{
	ps->table[ps->in_table].has[ps->rule.dir] = true;
	if (!ps->go.name)
		return true;
	if (!array_grow((void **)&ps->gotos, ps->ngotos, &ps->goto_room, sizeof(*ps->gotos)))
		return false;
	ps->gotos[ps->ngotos] = ps->go;
	ps->gotos[ps->ngotos++].rule = ps->set->n;
	return true;
}

void parse_tables_free(struct rule_parser *ps)
{
	free(ps->table);
	free(ps->gotos);
}

/* --- at the file's end --------------------------------------------------------------------------- */

static const char *const packets[RULE_DIRS] = {"incoming", "outgoing"};

static const char *parse_table_near(const struct rule_parser *ps, const char *name)
{
	for (size_t i = 1; i < ps->set->ntables; i++)
		if (name_distance(name, ps->set->table[i].name) < 3)
			return ps->set->table[i].name;
	return NULL;
}

static void parse_goto_find(struct rule_parser *ps, const struct parse_goto *go)
{
	struct rule *r = &ps->set->rule[go->rule];
	size_t to = parse_table_find(ps, go->name);
	const char *near = to == ps->set->ntables ? parse_table_near(ps, go->name) : NULL;

	if (near)
		parse_mistake(ps, &go->at, "no table is called \"%s\"; did you mean \"%s\"?",
			      go->name, near);
	else if (to == ps->set->ntables)
		parse_mistake(ps, &go->at,
			      "no table is called \"%s\": write a line `table %s' and its rules "
			      "behind it",
			      go->name, go->name);
	else if (!to)
		parse_mistake(ps, &go->at,
			      "packets begin in the table \"%s\"; no rule leads back there",
			      TABLE_MAIN);
	else if (!ps->table[to].has[r->dir])
		parse_mistake(ps, &go->at, "the table \"%s\" has no rule for %s packets", go->name,
			      packets[r->dir]);
	else
		r->go = (uint32_t)to;
}

/* The ways of one direction's packets to each table. */
struct parse_ways {
	enum rule_dir dir;
	int *depth;			/* tables before it; -1: no packet reaches it */
	const struct parse_goto **last; /* the last rule on the longest way to it */
	const struct parse_goto *deep;	/* behind so many tables; NULL: none */
};

static const struct rule *parse_goto_rule(const struct rule_parser *ps, const struct parse_goto *go)
{
	return &ps->set->rule[go->rule];
}

/* Follows each rule one step. Returns whether a way became longer. */
static bool parse_ways_step(struct rule_parser *ps, struct parse_ways *w)
{
	bool longer = false;

	for (size_t i = 0; i < ps->ngotos && !w->deep; i++) {
		const struct rule *r = parse_goto_rule(ps, &ps->gotos[i]);

		if (r->dir != w->dir || w->depth[r->table] < 0 ||
		    w->depth[r->go] > w->depth[r->table])
			continue;
		w->depth[r->go] = w->depth[r->table] + 1;
		w->last[r->go] = &ps->gotos[i];
		if (w->depth[r->go] == (int)TABLES_DEEP)
			w->deep = &ps->gotos[i];
		longer = true;
	}
	return longer;
}

/* Returns the rule before `go` on the longest way; NULL: packets begin in the table of `go`. */
static const struct parse_goto *parse_ways_before(const struct rule_parser *ps,
						  const struct parse_ways *w,
						  const struct parse_goto *go)
{
	return w->last[parse_goto_rule(ps, go)->table];
}

/* Reports a way of more rules than there are tables: it ends in a circle, or is too long. */
static void parse_ways_long(struct rule_parser *ps, const struct parse_ways *w)
{
	const struct parse_goto *go = w->deep, *begin, *closing;

	for (size_t i = 0; i < ps->set->ntables && go; i++)
		go = parse_ways_before(ps, w, go);
	if (!go) {
		parse_mistake(ps, &w->deep->at,
			      "packets pass at most %u tables one after the other", TABLES_DEEP);
		return;
	}
	/* Reports the circle's last rule of the file. */
	begin = closing = go;
	while ((go = parse_ways_before(ps, w, go)) != begin)
		closing = go->rule > closing->rule ? go : closing;
	parse_mistake(ps, &closing->at, "the tables lead in a circle: \"%s\" leads to \"%s\" again",
		      ps->set->table[parse_goto_rule(ps, closing)->table].name, closing->name);
}

static void parse_ways_unused(struct rule_parser *ps, const struct parse_ways *w)
{
	for (size_t i = 1; i < ps->set->ntables; i++)
		if (ps->table[i].has[w->dir] && w->depth[i] < 0)
			parse_mistake(ps, &ps->table[i].at,
				      "the table \"%s\" has rules for %s packets, but no such rule "
				      "leads here: write `send %s any goto %s' in another table",
				      ps->set->table[i].name, packets[w->dir],
				      w->dir == RULE_IN ? "in" : "out", ps->set->table[i].name);
}

static void parse_ways_check(struct rule_parser *ps, enum rule_dir dir)
{
	size_t n = ps->set->ntables;
	struct parse_ways w = {.dir = dir,
			       .depth = malloc(n * sizeof(*w.depth)),
			       .last = calloc(n, sizeof(struct parse_goto *))};

	if (w.depth && w.last) {
		memset(w.depth, 0xff, n * sizeof(*w.depth));
		w.depth[0] = 0;
		while (parse_ways_step(ps, &w))
			;
		if (w.deep)
			parse_ways_long(ps, &w);
		else
			parse_ways_unused(ps, &w);
	} else {
		ps->no_memory = true;
	}
	free(w.depth);
	free(w.last);
}

void parse_tables_end(struct rule_parser *ps)
{
	for (size_t i = 0; i < ps->ngotos && !ps->mistakes; i++)
		parse_goto_find(ps, &ps->gotos[i]);
	for (int d = 0; d < RULE_DIRS && !ps->mistakes; d++)
		if (ps->set->ntables > 1)
			parse_ways_check(ps, (enum rule_dir)d);
}
