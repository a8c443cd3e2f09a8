/* SPDX-License-Identifier: BSD-2-Clause */
/* The tokens of the grammar. A variable's definition: `define NAME = LIST`. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "define.h"

static const char *const define_kinds[] = {
	[KIND_NUMBER] = "a number or a name",
	[KIND_IPV4] = "an IPv4 address",
	[KIND_IPV6] = "an IPv6 address",
	[KIND_MAC] = "a MAC address",
};

/* The line of a definition while it is read. */
struct define_line {
	struct rule_parser *ps;
	struct parse_define *d;
	struct source_range *at;
	FLOW_STYPE value;
	int token, before; /* this token and the one before it; before 0: none of the set */
	bool ends_with_list, in_braces, closed;
	struct source_range brace;
};

static void define_wrong(struct define_line *l, const char *expected)
{
	const struct source_range *at = l->at;
	size_t n = at->end_byte - at->first_byte;

	l->d->bad = true;
	if (l->token == FLOW_error)
		return; /* the scanner has reported it */
	if (l->token == T_EOL)
		parse_mistake(l->ps, at, "expected %s, not the line's end", expected);
	else
		parse_mistake(l->ps, at, "expected %s, not \"%.*s\"", expected,
			      (int)(n > 40 ? 40 : n), l->ps->text + at->first_byte);
}

static void define_scan(struct define_line *l)
{
	l->token = flow_scan(&l->value, l->at, l->ps);
}

static void define_text(struct define_line *l, const char *bytes, size_t n)
{
	struct parse_define *d = l->d;
	void *text = (void *)(uintptr_t)d->text;

	while (d->text_room <= d->text_len + n) {
		if (!array_grow(&text, d->text_room, &d->text_room, 1)) {
			l->ps->no_memory = true;
			return;
		}
		d->text = text;
	}
	memcpy((char *)text + d->text_len, bytes, n);
	d->text_len += n;
	((char *)text)[d->text_len] = 0;
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

/* Adds a word's token. A word of the language that names a value, too, is added as that name. */
static void define_add_word(struct define_line *l, int token)
{
	const struct source_range *at = l->at;

	if (token == ',')
		define_text(l, ",", 1);
	else if (token == '-' && define_ends_with_name(l->d))
		define_text(l, " - ", 3);
	else
		define_text(l, l->ps->text + at->first_byte, at->end_byte - at->first_byte);
	define_add(l, token, &l->value);
	l->before = token;
	l->ends_with_list = false;
}

static enum define_kind define_kind_of(int token)
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

/*
 * Returns whether a word of the language is a value's name, too (proto tcp), as the grammar's
 * `keyword` has it.
 */
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
	return !define_kind_of(l->before);
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

/* Takes a variable in the definition of another one. */
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
	} else if (!define_count(l->ps, l->at, of)) {
		d->bad = true;
	} else {
		d->kind = d->kind ? d->kind : of->kind;
		define_text(l, of->text, of->text_len);
		for (size_t i = 0; i < of->n; i++)
			define_add(l, of->token[i].token, &of->token[i].value);
		l->before = T_NUMBER;
		l->ends_with_list = of->is_list;
	}
}

/* Takes a token between values. */
static void define_between(struct define_line *l)
{
	bool joins = l->token == '-' || l->token == '/';

	if (l->token == '!' ? define_may_value(l) && l->before != '!'
			    : define_kind_of(l->before) && !(joins && l->ends_with_list))
		define_add_word(l, l->token == T_OR ? ',' : l->token);
	else
		define_wrong(l, define_may_value(l) ? "a value" : "a comma or the end of the line");
}

static void define_token(struct define_line *l)
{
	enum define_kind kind = define_kind_of(l->token);

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

/* Returns whether the set ends here. */
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
		if (!define_name_char(p[i]))
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

/* Reads all of a definition's line and leaves its end for the next token. */
static int define_line(struct rule_parser *ps, struct source_range *at)
{
	struct define_line l = {.ps = ps, .at = at};

	l.d = calloc(1, sizeof(*l.d));
	if (!l.d) {
		ps->no_memory = true;
		return FLOW_error;
	}
	l.d->line = at->line;
	ps->vars.defining = true;
	define_read(&l);
	ps->vars.defining = false;
	ps->vars.pending = l.token;
	return T_DEFINE;
}

/* Returns the next token of a variable that was begun; 0: there is none. */
/* --- tokens: the scanner's, and those of variables ------------------------------------------- */

static int define_replay(struct parse_vars *v, FLOW_STYPE *value)
{
	const struct parse_define *d = v->now;

	if (!d || v->next == d->n)
		return 0;
	*value = d->token[v->next].value;
	return d->token[v->next++].token;
}

static int define_scanned(struct rule_parser *ps, FLOW_STYPE *value, struct source_range *at)
{
	struct parse_vars *v = &ps->vars;
	const struct parse_define *last = v->last;
	int token = flow_scan(value, at, ps), before = v->before;

	v->now = v->last = NULL;
	v->before = token;
	if (token == T_DEFINE && !v->in_line && ps->part) {
		parse_mistake(ps, at, "a definition belongs to a file of rules; apply the file");
		v->defining = true; /* its = and braces are no further mistakes */
		return FLOW_error;
	}
	if (token == T_DEFINE && !v->in_line)
		return define_line(ps, at);
	if (token == T_VARIABLE)
		return define_use(ps, at, value, before);
	if (last && last->is_list && (token == '-' || token == '/')) {
		parse_mistake(ps, at, "$%s is a list (%s); one value stands before \"%c\"",
			      last->name, last->text, token);
		return FLOW_error;
	}
	return token;
}

int flow_lex(FLOW_STYPE *value, struct source_range *at, struct rule_parser *ps)
{
	struct parse_vars *v = &ps->vars;
	int token = v->pending;

	v->pending = 0;
	if (!token)
		token = define_replay(v, value);
	if (!token) {
		if (!v->in_line)
			v->nuses = 0;
		token = define_scanned(ps, value, at);
	}
	v->in_line = token != T_EOL;
	return token;
}
