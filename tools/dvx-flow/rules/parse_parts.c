/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parses a large text in parts at once, each in a thread: lines of rules seldom depend on lines before
 * them. A part that does (part_stands_alone() says which) or has a mistake is parsed again, with all
 * behind it, when the parts before it are done.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "build.h"
#include "rules/grammar.h"

struct parse_part {
	const char *from;
	uint32_t line;
	struct rule_parser ps;
	struct rule_build build;
	struct ruleset set; /* its rules are in the array of the whole */
	size_t room;	    /* for rules: one of each line */
	pthread_t thread;
	bool started;
};

/* Returns the first line behind p that does not go on with the line before. */
static const char *part_line(const char *p, const char *end)
{
	do {
		p = memchr(p, '\n', (size_t)(end - p));
		p = p ? p + 1 : end;
	} while (p < end && (p[-2] == '\\' || (p[-2] == '\r' && p[-3] == '\\')));
	return p;
}

static uint32_t part_lines(const char *p, const char *end)
{
	uint32_t n = 0;

	while ((p = memchr(p, '\n', (size_t)(end - p)))) {
		p++;
		n++;
	}
	return n;
}

/* Sets where each part begins and ends, and the room for its rules. Returns the room for all. */
static size_t parts_cut(const struct rule_parser *ps, struct parse_part *part, unsigned int n)
{
	const char *from = ps->text;
	uint32_t line = 1;
	size_t room = 0;

	for (unsigned int k = 0; k < n; k++) {
		const char *at = ps->text + ps->len / n * (k + 1);
		const char *end = k + 1 == n ? ps->end : part_line(at < from ? from : at, ps->end);
		uint32_t lines = part_lines(from, end);

		part[k].from = from;
		part[k].line = line;
		part[k].ps = (struct rule_parser){.text = ps->text,
						  .len = ps->len,
						  .ascii = ps->ascii,
						  .next = from,
						  .end = end,
						  .counted = from,
						  .blanks = from,
						  .line = line,
						  .column = 1,
						  .set = &part[k].set,
						  .build = &part[k].build};
		part[k].build.ps = &part[k].ps;
		part[k].room = part[k].build.room = lines + 1;
		room += part[k].room;
		line += lines;
		from = end;
	}
	return room;
}

static void *part_run(void *arg)
{
	struct parse_part *p = arg;

	p->ps.no_memory |= flow_parse(&p->ps) != 0;
	return NULL;
}

static void part_start(struct parse_part *p, struct rule *room)
{
	p->set = (struct ruleset){.rule = room, .memory = arena_new()};
	p->started = p->set.memory && build_tables_begin(&p->build) &&
		     !pthread_create(&p->thread, NULL, part_run, p);
}

/* Waits for the part. Returns whether its rules mean the same behind any others of the first table. */
static bool part_stands_alone(struct parse_part *p)
{
	const struct rule_build *b = &p->build;

	if (!p->started)
		return false;
	pthread_join(p->thread, NULL);
	return !p->ps.mistakes && !p->ps.no_memory && !p->ps.vars.n && !b->nnamed && !b->ngotos &&
	       p->set.ntables == 1 && !p->set.rss && !b->option && !b->first_ct.line &&
	       !ruleset_track(&p->set);
}

static void part_append(struct rule_parser *ps, struct parse_part *p)
{
	memmove(&ps->set->rule[ps->set->n], p->set.rule, p->set.n * sizeof(struct rule));
	ps->set->n += p->set.n;
	arena_join(ps->set->memory, &p->set.memory);
}

static void part_free(struct parse_part *p)
{
	p->set.rule = NULL;
	p->set.n = 0;
	ruleset_free(&p->set);
	build_free(&p->build);
	parse_vars_free(&p->ps);
}

/* Goes on from where a part begins to the end of all. */
static int part_again(struct rule_parser *ps, const struct parse_part *p, const char *end,
		      size_t room)
{
	ps->next = ps->counted = ps->blanks = p->from;
	ps->line = p->line;
	ps->column = 1;
	ps->end = end;
	ps->ended = false;
	parse_vars_begin(ps);
	ps->build->room = room;
	return flow_parse(ps);
}

/* Parses the first part, and takes the others, or parses them again. */
static int parts_run(struct rule_parser *ps, struct parse_part *part, unsigned int n, size_t room)
{
	struct rule *next = ps->set->rule + part[0].room;
	const char *end = ps->end;
	unsigned int again = n;
	int ret;

	for (unsigned int k = 1; k < n; k++) {
		part_start(&part[k], next);
		next += part[k].room;
	}
	ps->end = part[0].ps.end;
	ps->build->room = part[0].room;
	ret = flow_parse(ps);
	for (unsigned int k = 1; k < n; k++) {
		bool alone = part_stands_alone(&part[k]);

		if (again == n && alone && !ret && !ps->mistakes && !ps->build->in_table)
			part_append(ps, &part[k]);
		else if (again == n)
			again = k;
	}
	if (again < n && !ret)
		ret = part_again(ps, &part[again], end, room);
	ps->build->room = room;
	return ret;
}

int parse_parts(struct rule_parser *ps, const struct parse_limits *limits)
{
	size_t n = ps->part ? 1 : ps->len / limits->part, room;
	struct parse_part *part;
	int ret;

	n = n < limits->threads ? n : limits->threads;
	/* Braces may reach over lines. */
	part = n > 1 && !memchr(ps->text, '{', ps->len) ? calloc(n, sizeof(*part)) : NULL;
	if (!part)
		return flow_parse(ps);
	room = parts_cut(ps, part, (unsigned int)n);
	ps->set->rule = array_new(room, sizeof(struct rule));
	ret = ps->set->rule ? parts_run(ps, part, (unsigned int)n, room) : flow_parse(ps);
	for (unsigned int k = 1; k < n; k++)
		part_free(&part[k]);
	free(part);
	return ret;
}
