/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Variables, and $NAME in the place of a value or a list. A layer between scanner and grammar: a
 * variable's tokens take its place, at its place in the text.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "define.h"
#include "marks.h"
#include "tools/cli/names.h"

/* --- known variables -------------------------------------------------------------------------- */

struct parse_define *define_find(const struct rule_parser *ps, const char *name)
{
	uint64_t h = map_mix_text(1, name);
	const struct map_slot *s;

	for (; (s = map_get(&ps->vars.names, h)); h = map_again(h))
		if (!strcmp(ps->vars.define[s->what]->name, name))
			return ps->vars.define[s->what];
	return NULL;
}

bool define_keep(struct rule_parser *ps, struct parse_define *d)
{
	struct parse_vars *v = &ps->vars;
	uint64_t h = map_mix_text(1, d->name);
	struct map_slot *s;

	if (!array_grow((void **)&v->define, v->n, &v->room, sizeof(*v->define)))
		return false;
	while ((s = map_put(&v->names, h, (uint32_t)v->n)) && s->what != v->n)
		h = map_again(h);
	if (s)
		v->define[v->n++] = d;
	return s;
}

void define_drop(struct parse_define *d)
{
	free(d->token);
	free((void *)(uintptr_t)d->text);
	free(d);
}

void parse_vars_begin(struct rule_parser *ps)
{
	struct parse_vars *v = &ps->vars;

	v->now = v->last = NULL;
	v->nuses = 0;
	v->pending = v->before = 0;
	v->in_line = v->defining = false;
}

void parse_vars_free(struct rule_parser *ps)
{
	for (size_t i = 0; i < ps->vars.n; i++)
		define_drop(ps->vars.define[i]);
	free(ps->vars.define);
	free(ps->vars.use);
	map_free(&ps->vars.names);
}

static const char *define_near(const struct rule_parser *ps, const char *name)
{
	const char *best = NULL;
	unsigned int nearest = 3;

	for (size_t i = 0; i < ps->vars.n; i++) {
		unsigned int d = name_distance(name, ps->vars.define[i]->name);

		if (d < nearest) {
			nearest = d;
			best = ps->vars.define[i]->name;
		}
	}
	return best;
}

/* --- unknown variables ------------------------------------------------------------------------ */

bool define_name_char(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static const char *define_blanks(const char *p, const char *end)
{
	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	return p;
}

/* Returns whether this line defines the variable. Sets the place behind its name. */
static bool define_in_line(const char *p, const char *end, const char *name, const char **behind)
{
	size_t n = strlen(name);

	p = define_blanks(p, end);
	if (end - p < 7 || strncasecmp(p, "define", 6) != 0 || (p[6] != ' ' && p[6] != '\t'))
		return false;
	p = define_blanks(p + 6, end);
	if ((size_t)(end - p) < n || memcmp(p, name, n) || (p + n < end && define_name_char(p[n])))
		return false;
	*behind = p + n;
	return true;
}

/* Finds a line behind byte `from` that defines the variable, or 0; its value is *p to *end. */
static uint32_t define_later_line(const struct rule_parser *ps, const struct source_range *at,
				  const char *name, const char **p, const char **end)
{
	const char *line = ps->text + at->end_byte, *stop = ps->text + ps->len;

	for (uint32_t n = at->line; (line = memchr(line, '\n', (size_t)(stop - line)));) {
		n++;
		line++;
		*end = memchr(line, '\n', (size_t)(stop - line));
		if (!*end)
			*end = stop;
		if (define_in_line(line, *end, name, p))
			return n;
	}
	return 0;
}

/* Returns whether the words name the variable. */
static bool define_mentions(const char *p, const char *end, const char *name)
{
	size_t n = strlen(name);

	for (; (p = memchr(p, '$', (size_t)(end - p))); p++)
		if ((size_t)(end - p) > n && !memcmp(p + 1, name, n) &&
		    (p + 1 + n == end || !define_name_char(p[1 + n])))
			return true;
	return false;
}

void define_unknown(struct rule_parser *ps, const struct source_range *at, const char *name,
		    const char *of)
{
	const char *p, *end, *near = define_near(ps, name);
	uint32_t line = define_later_line(ps, at, name, &p, &end);
	char where[64];

	if (of && !strcmp(of, name))
		parse_mistake(ps, at, "$%s is defined by itself; write its values", name);
	else if (line && of && define_mentions(p, end, of))
		parse_mistake(ps, at,
			      "$%s and $%s (%s) are defined by each other; write the "
			      "values of one",
			      of, name, parse_line_name(ps, line, where, sizeof(where)));
	else if (line)
		parse_mistake(ps, at, "$%s is defined behind this line, in %s; define it before",
			      name, parse_line_name(ps, line, where, sizeof(where)));
	else if (near)
		parse_mistake(ps, at, "no variable is called \"%s\"; did you mean \"$%s\"?", name,
			      near);
	else if (ps->part)
		parse_mistake(ps, at,
			      "the rules in effect define no variable \"%s\"; write its values, or "
			      "apply a file that defines it",
			      name);
	else
		parse_mistake(ps, at,
			      "no variable is called \"%s\"; write define NAME = VALUES above",
			      name);
}

/* --- too many values ---------------------------------------------------------------------------- */

bool define_count(struct rule_parser *ps, const struct source_range *at,
		  const struct parse_define *d)
{
	struct parse_vars *v = &ps->vars;

	/* Only the first use that exceeds it is a mistake: others follow from it. */
	if (v->copied <= DEFINE_BYTES_MAX && d->text_len > DEFINE_BYTES_MAX - v->copied)
		parse_mistake(ps, at,
			      "with $%s here, the values of variables have more than %lu bytes "
			      "where they are used; use it in fewer places",
			      d->name, DEFINE_BYTES_MAX);
	v->copied += d->text_len;
	return v->copied <= DEFINE_BYTES_MAX;
}

/* --- a variable in a rule ----------------------------------------------------------------------- */

const char *parse_line_name(const struct rule_parser *ps, uint32_t line, char *buf, size_t size)
{
	struct mark_name n;

	if (line == DEFINE_KNOWN) {
		snprintf(buf, size, "the rules in effect");
		return buf;
	}
	marks_name(ps->text, ps->len, line, &n);
	snprintf(buf, size, n.file[0] ? "line %u of %s" : "line %u", n.line, n.file);
	return buf;
}

int define_use(struct rule_parser *ps, const struct source_range *at, FLOW_STYPE *value, int before)
{
	struct parse_vars *v = &ps->vars;
	struct parse_define *d = define_find(ps, value->name);

	if (!d)
		define_unknown(ps, at, value->name, NULL);
	if (!d || d->bad)
		return FLOW_error;
	if (d->is_list && (before == '-' || before == '/')) {
		parse_mistake(ps, at, "$%s is a list (%s); one value stands here", d->name,
			      d->text);
		return FLOW_error;
	}
	if (!define_count(ps, at, d))
		return FLOW_error;
	if (!array_grow((void **)&v->use, v->nuses, &v->use_room, sizeof(*v->use))) {
		ps->no_memory = true;
		return FLOW_error;
	}
	v->use[v->nuses++] = (struct parse_use){at->first_byte, at->end_byte, d->text, d->text_len,
						define_ends_with_name(d)};
	v->now = v->last = d;
	v->next = 1;
	*value = d->token[0].value;
	return d->token[0].token;
}

#define SAID_MAX 40

const char *parse_variable_origin(const struct rule_parser *ps, char *buf, size_t size)
{
	const struct parse_define *d = ps->vars.last;
	char where[64];

	buf[0] = 0;
	if (d)
		snprintf(buf, size, ", which is %.*s%s (%s)", SAID_MAX, d->text,
			 d->text_len > SAID_MAX ? "..." : "",
			 parse_line_name(ps, d->line, where, sizeof(where)));
	return buf;
}

/* --- variables that are kept with the rules ------------------------------------------------------ */

bool parse_vars_keep(struct rule_parser *ps)
{
	struct ruleset *set = ps->set;

	set->define = arena_get(set->memory, ps->vars.n * sizeof(*set->define));
	if (!set->define)
		return false;
	for (size_t i = 0; i < ps->vars.n; i++) {
		const struct parse_define *d = ps->vars.define[i];
		const char *text = arena_text(set->memory, d->text, d->text_len);

		if (!text)
			return false;
		set->define[set->ndefines++] = (struct rule_define){d->name, text};
	}
	return true;
}

char *defines_text(const struct ruleset *of, size_t *len)
{
	char *text = NULL;
	FILE *f = open_memstream(&text, len);

	if (!f)
		return NULL;
	for (size_t i = 0; i < of->ndefines; i++)
		fprintf(f, "define %s = %s\n", of->define[i].name, of->define[i].text);
	if (!fclose(f))
		return text;
	free(text);
	return NULL;
}

void parse_vars_known(struct rule_parser *ps)
{
	for (size_t i = 0; i < ps->vars.n; i++)
		ps->vars.define[i]->line = DEFINE_KNOWN;
}
