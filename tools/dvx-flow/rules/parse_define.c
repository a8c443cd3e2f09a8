/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Variables: `define NAME = LIST`, and $NAME where a value or a list can stand. This is a layer
 * between scanner and grammar: a variable's tokens take its place, at its place in the text.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "rules/grammar.h"
#include "tools/cli/names.h"

struct define_token {
	int token;
	FLOW_STYPE value;
};

enum define_kind { KIND_NONE, KIND_NUMBER, KIND_IPV4, KIND_IPV6, KIND_MAC };

static const char *const define_kinds[] = {
	[KIND_NUMBER] = "a number or a name",
	[KIND_IPV4] = "an IPv4 address",
	[KIND_IPV6] = "an IPv6 address",
	[KIND_MAC] = "a MAC address",
};

struct parse_define {
	const char *name, *text; /* text: with commas and without blanks */
	struct define_token *token;
	size_t n, room, text_len, text_room;
	enum define_kind kind;
	bool is_list, bad; /* bad: it has a mistake, which was reported */
	uint32_t line;
};

/* The line of a definition while it is read. */
struct define_line {
	struct rule_parser *ps;
	struct parse_define *d;
	struct source_range *at;
	void *scanner;
	FLOW_STYPE value;
	int token, before; /* this one and the one before it; before 0: none of the set */
	bool ends_with_list, in_braces, closed;
	struct source_range brace;
};

/* --- known ones --------------------------------------------------------------------------------- */

static struct parse_define *define_find(const struct rule_parser *ps, const char *name)
{
	const struct map_slot *s = map_get(&ps->vars.names, map_mix_text(1, name));
	struct parse_define *d = s ? ps->vars.define[s->what] : NULL;

	return d && !strcmp(d->name, name) ? d : NULL;
}

static bool define_keep(struct rule_parser *ps, struct parse_define *d)
{
	struct parse_vars *v = &ps->vars;

	if (!array_grow((void **)&v->define, v->n, &v->room, sizeof(*v->define)) ||
	    !map_put(&v->names, map_mix_text(1, d->name), (uint32_t)v->n))
		return false;
	v->define[v->n++] = d;
	return true;
}

static void define_drop(struct parse_define *d)
{
	free(d->token);
	free((void *)(uintptr_t)d->text);
	free(d);
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

/* --- unknown ones ------------------------------------------------------------------------------ */

static bool name_char(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static const char *skip_blanks(const char *p, const char *end)
{
	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	return p;
}

/* Whether this line defines the variable. Sets the place behind its name. */
static bool line_defines(const char *p, const char *end, const char *name, const char **behind)
{
	size_t n = strlen(name);

	p = skip_blanks(p, end);
	if (end - p < 7 || strncasecmp(p, "define", 6) != 0 || (p[6] != ' ' && p[6] != '\t'))
		return false;
	p = skip_blanks(p + 6, end);
	if ((size_t)(end - p) < n || memcmp(p, name, n) || (p + n < end && name_char(p[n])))
		return false;
	*behind = p + n;
	return true;
}

/* The line behind byte `from` that defines the variable, or 0; *p to *end is what it says. */
static uint32_t later_line(const struct rule_parser *ps, const struct source_range *at,
			   const char *name, const char **p, const char **end)
{
	const char *line = ps->text + at->end_byte, *stop = ps->text + ps->len;

	for (uint32_t n = at->last_line; (line = memchr(line, '\n', (size_t)(stop - line)));) {
		n++;
		line++;
		*end = memchr(line, '\n', (size_t)(stop - line));
		if (!*end)
			*end = stop;
		if (line_defines(line, *end, name, p))
			return n;
	}
	return 0;
}

/* Whether the words name the variable. */
static bool says_variable(const char *p, const char *end, const char *name)
{
	size_t n = strlen(name);

	for (; (p = memchr(p, '$', (size_t)(end - p))); p++)
		if ((size_t)(end - p) > n && !memcmp(p + 1, name, n) &&
		    (p + 1 + n == end || !name_char(p[1 + n])))
			return true;
	return false;
}

/* `of`: the variable whose definition names this one; NULL: a rule does. */
static void define_unknown(struct rule_parser *ps, const struct source_range *at, const char *name,
			   const char *of)
{
	const char *p, *end, *near = define_near(ps, name);
	uint32_t line = later_line(ps, at, name, &p, &end);
	char where[64];

	if (of && !strcmp(of, name))
		parse_mistake(ps, at, "$%s is defined by itself; write its values", name);
	else if (line && of && says_variable(p, end, of))
		parse_mistake(ps, at,
			      "$%s and $%s (%s) are defined by each other; write the "
			      "values of one",
			      of, name, parse_line_name(ps, line, where, sizeof(where)));
	else if (line)
		parse_mistake(ps, at, "$%s is defined behind this line, in %s; define it before",
			      name, parse_line_name(ps, line, where, sizeof(where)));
	else if (ps->vars.n || !ps->part)
		parse_mistake(ps, at, "no variable is called \"%s\"%s%s%s", name,
			      near ? "; did you mean \"$" : "; write define NAME = VALUES above",
			      near ? near : "", near ? "\"?" : "");
	else
		parse_mistake(ps, at, "variables belong to a file; write the values of $%s instead",
			      name);
}

/* --- a definition's line ------------------------------------------------------------------------ */

static void define_wrong(struct define_line *l, const char *expected)
{
	const struct source_range *at = l->at;
	size_t n = at->end_byte - at->first_byte;

	l->d->bad = true;
	if (l->token == FLOW_error)
		return; /* the scanner reported it */
	if (l->token == T_EOL)
		parse_mistake(l->ps, at, "expected %s, not the line's end", expected);
	else
		parse_mistake(l->ps, at, "expected %s, not \"%.*s\"", expected,
			      (int)(n > 40 ? 40 : n), l->ps->text + at->first_byte);
}

static void define_scan(struct define_line *l)
{
	l->token = flow_scan(&l->value, l->at, l->scanner);
}

static bool define_text(struct define_line *l, const char *bytes, size_t n)
{
	struct parse_define *d = l->d;
	char *text = (char *)(uintptr_t)d->text;

	for (size_t i = 0; i <= n; i++)
		if (!array_grow((void **)&text, d->text_len + i, &d->text_room, 1)) {
			l->ps->no_memory = true;
			return false;
		} else {
			d->text = text;
		}
	memcpy(text + d->text_len, bytes, n);
	d->text_len += n;
	text[d->text_len] = 0;
	return true;
}

static void define_add(struct define_line *l, int token, const FLOW_STYPE *value)
{
	struct parse_define *d = l->d;

	if (!array_grow((void **)&d->token, d->n, &d->room, sizeof(*d->token))) {
		l->ps->no_memory = true;
		return;
	}
	d->is_list |= token == ',';
	d->token[d->n++] = (struct define_token){token, *value};
}

/* Its token is added as it is, or, for a word that is a value's name, too, as that name. */
static void define_add_word(struct define_line *l, int token)
{
	const struct source_range *at = l->at;

	if (token == ',')
		define_text(l, ",", 1);
	else
		define_text(l, l->ps->text + at->first_byte, at->end_byte - at->first_byte);
	define_add(l, token, &l->value);
	l->before = token;
	l->ends_with_list = false;
}

static enum define_kind kind_of(int token)
{
	switch (token) {
	case T_IPV4_ADDRESS:
		return KIND_IPV4;
	case T_IPV6_ADDRESS:
		return KIND_IPV6;
	case T_MAC:
		return KIND_MAC;
	case T_NUMBER:
	case T_NAME:
	case T_STRING:
	case T_DIGITS:
		return KIND_NUMBER;
	default:
		return KIND_NONE;
	}
}

/* Words of the language that are names of values, too (proto tcp): as in the grammar's `keyword`. */
static bool define_is_name(int token)
{
	static const int names[] = {T_IPV4, T_IPV6,  T_ARP,   T_TCP,	T_UDP, T_ICMP, T_ICMP6,
				    T_VLAN, T_SVLAN, T_VXLAN, T_GENEVE, T_GRE, T_MPLS};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i] == token)
			return true;
	return false;
}

static bool define_may_value(const struct define_line *l)
{
	return !kind_of(l->before);
}

static void define_value(struct define_line *l, enum define_kind kind)
{
	struct parse_define *d = l->d;

	if (!define_may_value(l)) {
		define_wrong(l, "a comma or the end of the line");
	} else if (d->kind && d->kind != kind && l->before != '/') {
		d->bad = true;
		parse_mistake(l->ps, l->at,
			      "a set has values of one kind: this is %s, before it "
			      "stands %s",
			      define_kinds[kind], define_kinds[d->kind]);
	} else {
		d->kind = d->kind ? d->kind : kind;
		define_add_word(l, l->token);
	}
}

/* A variable in the definition of another one. */
static void define_variable(struct define_line *l)
{
	const struct parse_define *of = define_find(l->ps, l->value.name);
	struct parse_define *d = l->d;

	if (!define_may_value(l)) {
		define_wrong(l, "a comma or the end of the line");
	} else if (!of || of->bad) {
		d->bad = true;
		if (!of)
			define_unknown(l->ps, l->at, l->value.name, d->name);
	} else if (of->is_list && (l->before == '-' || l->before == '/')) {
		define_wrong(l, "one value");
	} else if (d->kind && d->kind != of->kind && l->before != '/') {
		d->bad = true;
		parse_mistake(l->ps, l->at,
			      "a set has values of one kind: $%s has %s, before it "
			      "stands %s",
			      of->name, define_kinds[of->kind], define_kinds[d->kind]);
	} else {
		d->kind = d->kind ? d->kind : of->kind;
		define_text(l, of->text, of->text_len);
		for (size_t i = 0; i < of->n; i++)
			define_add(l, of->token[i].token, &of->token[i].value);
		l->before = T_NUMBER;
		l->ends_with_list = of->is_list;
	}
}

/* What stands between values. */
static void define_between(struct define_line *l)
{
	bool joins = l->token == '-' || l->token == '/';

	if (l->token == '!' ? define_may_value(l) && l->before != '!'
			    : kind_of(l->before) && !(joins && l->ends_with_list))
		define_add_word(l, l->token == T_OR ? ',' : l->token);
	else
		define_wrong(l, define_may_value(l) ? "a value" : "a comma or the end of the line");
}

static void define_token(struct define_line *l)
{
	enum define_kind kind = kind_of(l->token);

	if (define_is_name(l->token)) {
		l->token = T_NAME;
		l->value.name = l->value.word->name;
		kind = KIND_NUMBER;
	}
	if (kind)
		define_value(l, kind);
	else if (l->token == T_VARIABLE)
		define_variable(l);
	else if (l->token == T_OR || (l->token > 0 && l->token < 128 && strchr(",-/!", l->token)))
		define_between(l);
	else
		define_wrong(l, define_may_value(l) ? "a value" : "a comma or the end of the line");
}

/* Whether the set ends here. */
static bool define_ends(struct define_line *l)
{
	if (l->token == '}' && l->in_braces && !l->closed) {
		l->closed = true;
		return false;
	}
	if (l->token == FLOW_EOF)
		return true;
	return l->token == T_EOL && (!l->in_braces || l->closed);
}

static void define_set_read(struct define_line *l)
{
	define_scan(l);
	if (l->token == '{') {
		l->in_braces = true;
		l->brace = *l->at;
		define_scan(l);
	}
	for (; !define_ends(l) && !l->d->bad; define_scan(l)) {
		if (l->token == '}' && l->closed)
			continue;
		if (l->closed)
			define_wrong(l, "the end of the line");
		else if (l->token != T_EOL)
			define_token(l);
	}
	if (l->d->bad)
		return;
	if (l->in_braces && !l->closed) {
		parse_mistake(l->ps, &l->brace, "the brace that ends this set is missing");
		l->d->bad = true;
	} else if (!l->d->n) {
		parse_mistake(l->ps, l->in_braces ? &l->brace : l->at,
			      "the set is empty; write define %s = VALUES, e.g. 80,443",
			      l->d->name);
		l->d->bad = true;
	} else if (define_may_value(l)) {
		define_wrong(l, "a value");
	}
}

static bool define_name_is_right(const char *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!name_char(p[i]))
			return false;
	return n && n <= RULE_NAME_MAX && isalpha((unsigned char)p[0]);
}

static bool define_name(struct define_line *l)
{
	const struct source_range *at = l->at;
	size_t n = at->end_byte - at->first_byte;
	const char *p = l->ps->text + at->first_byte;
	const struct parse_define *other;
	char where[64];

	if (l->token == T_EOL || l->token == FLOW_error) {
		define_wrong(l, "a variable's name");
		return false;
	}
	if (!define_name_is_right(p, n)) {
		parse_mistake(
			l->ps, at,
			l->token == T_VARIABLE
				? "a definition names its variable without $"
				: "a variable's name is a letter, then letters, digits and _");
		return false;
	}
	l->d->name = arena_text(l->ps->set->memory, p, n);
	other = l->d->name ? define_find(l->ps, l->d->name) : NULL;
	if (other)
		parse_mistake(l->ps, at, "$%s is defined in %s, too; a variable has one definition",
			      other->name,
			      parse_line_name(l->ps, other->line, where, sizeof(where)));
	l->ps->no_memory |= !l->d->name;
	return l->d->name && !other;
}

static void define_read(struct define_line *l)
{
	bool named;

	define_scan(l);
	named = define_name(l);
	l->d->bad = !named;
	if (named) {
		define_scan(l);
		if (l->token == '=')
			define_set_read(l);
		else
			define_wrong(l, "=");
	}
	while (l->token != T_EOL && l->token != FLOW_EOF)
		define_scan(l);
	if (!named || !define_keep(l->ps, l->d)) {
		l->ps->no_memory |= named;
		define_drop(l->d);
	}
}

/* Reads all of the line and leaves its end for the next token. */
static int define_line(struct rule_parser *ps, struct source_range *at, void *scanner)
{
	struct define_line l = {.ps = ps, .at = at, .scanner = scanner};

	l.d = calloc(1, sizeof(*l.d));
	if (!l.d) {
		ps->no_memory = true;
		return FLOW_error;
	}
	l.d->line = at->first_line;
	ps->vars.defining = true;
	define_read(&l);
	ps->vars.defining = false;
	ps->vars.pending = l.token;
	return T_DEFINE;
}

/* --- a variable in a rule ----------------------------------------------------------------------- */

static int define_use(struct rule_parser *ps, const struct source_range *at, FLOW_STYPE *value,
		      int before)
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
	if (!array_grow((void **)&v->use, v->nuses, &v->use_room, sizeof(*v->use))) {
		ps->no_memory = true;
		return FLOW_error;
	}
	v->use[v->nuses++] = (struct parse_use){at->first_byte, at->end_byte, d->text, d->text_len};
	v->now = v->last = d;
	v->next = 1;
	*value = d->token[0].value;
	return d->token[0].token;
}

/* The next token of a variable that was begun; 0: there is none. */
static int define_replay(struct parse_vars *v, FLOW_STYPE *value)
{
	const struct parse_define *d = v->now;

	if (!d || v->next == d->n)
		return 0;
	*value = d->token[v->next].value;
	return d->token[v->next++].token;
}

static int define_scanned(struct rule_parser *ps, FLOW_STYPE *value, struct source_range *at,
			  void *scanner)
{
	struct parse_vars *v = &ps->vars;
	const struct parse_define *last = v->last;
	int token = flow_scan(value, at, scanner), before = v->before;

	v->now = v->last = NULL;
	v->before = token;
	if (token == T_DEFINE && !v->in_line)
		return define_line(ps, at, scanner);
	if (token == T_VARIABLE)
		return define_use(ps, at, value, before);
	if ((token == '-' || token == '/') && last && last->is_list) {
		parse_mistake(ps, at, "$%s is a list (%s); one value stands before \"%c\"",
			      last->name, last->text, token);
		return FLOW_error;
	}
	return token;
}

int flow_lex(FLOW_STYPE *value, struct source_range *at, void *scanner)
{
	struct rule_parser *ps = flow_get_extra(scanner);
	struct parse_vars *v = &ps->vars;
	int token = v->pending;

	v->pending = 0;
	if (!token)
		token = define_replay(v, value);
	if (!token) {
		if (!v->in_line)
			v->nuses = 0;
		token = define_scanned(ps, value, at, scanner);
	}
	v->in_line = token != T_EOL;
	return token;
}

#define SAID_MAX 40

const char *parse_variable_says(const struct rule_parser *ps, char *buf, size_t size)
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
