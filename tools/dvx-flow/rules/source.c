/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <string.h>

#include "source.h"

size_t edit_count(const struct rules_edit *e)
{
	size_t n = e->set->n + e->more->n;

	for (size_t i = 0; e->gone && i < e->set->n; i++)
		n -= e->gone[i];
	return n;
}

void edit_origins(const struct rules_edit *e, uint32_t *from)
{
	size_t m = 0;

	for (uint32_t i = 0; i <= e->set->n; i++) {
		for (; m < e->more->n && e->at[m] == i; m++)
			*from++ = EDIT_NEW;
		if (i < e->set->n && !(e->gone && e->gone[i]))
			*from++ = i;
	}
}

/* A text that is being written; the old one is copied up to `taken`. */
struct source_copy {
	const char *text;
	size_t len, taken;
	char *out;
	size_t used;
	uint32_t more_lines; /* than were taken; modulo 2^32 */
	size_t counted;	     /* bytes whose lines were counted */
	uint32_t lines;
	struct source_place *place; /* of the next rule */
	size_t added;		    /* rules so far */
};

static void source_take(struct source_copy *c, size_t until)
{
	memcpy(c->out + c->used, c->text + c->taken, until - c->taken);
	c->used += until - c->taken;
	c->taken = until;
}

static void source_empty(struct source_copy *c, size_t until)
{
	for (; c->taken < until; c->taken++)
		if (c->text[c->taken] == '\n')
			c->out[c->used++] = '\n';
}

/* Returns the line of the next byte. */
static uint32_t source_line(struct source_copy *c)
{
	const char *p = c->out + c->counted, *end = c->out + c->used;

	while (p < end && (p = memchr(p, '\n', (size_t)(end - p)))) {
		c->lines++;
		p++;
	}
	c->counted = c->used;
	return c->lines + 1;
}

/* Sets the place of a rule that stays, as its line is about to be copied. */
static void source_place_of(struct source_copy *c, const struct rule *r)
{
	size_t moved = c->used - c->taken;

	*c->place++ =
		(struct source_place){(uint32_t)(r->first_byte + moved),
				      (uint32_t)(r->end_byte + moved), r->line + c->more_lines};
}

static size_t line_begin(const struct source_copy *c, size_t byte)
{
	while (byte && c->text[byte - 1] != '\n')
		byte--;
	return byte;
}

/*
 * Returns the place behind the end of the line, if it has one. `byte` is behind the last word of a
 * rule, whose line may go on without further words.
 */
static size_t line_end(const struct source_copy *c, size_t byte)
{
	const char *p = c->text + byte, *text_end = c->text + c->len, *end;
	bool goes_on;

	do {
		p += strspn(p, " \t\r\f");
		goes_on = *p == '\\';
		end = memchr(p, '\n', (size_t)(text_end - p));
		p = end ? end + 1 : text_end;
	} while (goes_on && end);
	return (size_t)(p - c->text);
}

/*
 * Returns whether the next rule, which is added before rule `at`, begins its table, or the file:
 * before the first rule stands the file's own comment, or the table's line.
 */
static bool source_adds_first(const struct source_copy *c, const struct rules_edit *e, size_t at)
{
	const struct rule *next = &e->set->rule[at];
	uint32_t table = e->more->rule[c->added].table;

	return at < e->set->n && (!at || (next->table == table && next[-1].table != table));
}

/* Returns whether what comes next would be in the last line: its end is missing, or behind a \. */
static bool source_line_open(const struct source_copy *c)
{
	size_t n = c->used;

	if (n && c->out[n - 1] == '\n' && c->taken == c->len) {
		n -= n > 1 && c->out[n - 2] == '\r' ? 2 : 1;
		return n && c->out[n - 1] == '\\';
	}
	return n && c->out[n - 1] != '\n';
}

/* Adds the rules of place `at`, from c->added on. Returns whether there are some. */
static bool source_more(struct source_copy *c, const struct rules_edit *e, size_t at)
{
	size_t first = c->added;

	for (; c->added < e->more->n && e->at[c->added] == at; c->added++) {
		const struct rule *r = &e->more->rule[c->added];
		size_t n = strlen(r->text);

		if (source_adds_first(c, e, at))
			source_take(c, line_begin(c, e->set->rule[at].first_byte));
		if (c->added == first && source_line_open(c))
			c->out[c->used++] = '\n';
		*c->place++ = (struct source_place){(uint32_t)c->used, (uint32_t)(c->used + n),
						    source_line(c)};
		memcpy(c->out + c->used, r->text, n);
		c->used += n;
		c->out[c->used++] = '\n';
		c->more_lines++;
	}
	return c->added > first;
}

/* Takes a rule of the set. `more`: others were added before it. */
static void source_rule(struct source_copy *c, const struct rules_edit *e, size_t i, bool more)
{
	const struct rule *r = &e->set->rule[i];

	if (!e->gone || !e->gone[i]) {
		source_place_of(c, r);
		source_take(c, line_end(c, r->end_byte));
		return;
	}
	source_take(c, line_begin(c, r->first_byte));
	source_empty(c, line_end(c, r->end_byte));
	/* A rule that replaces it takes one of its lines. */
	if (more && c->out[c->used - 1] == '\n') {
		c->used--;
		c->more_lines--;
	}
}

char *source_edit(const char *text, size_t len, const struct rules_edit *e,
		  struct source_place *place, size_t *out_len)
{
	struct source_copy c = {.text = text, .len = len, .place = place};
	/* A line's end may come before the rules of each place. */
	size_t room = len + 2;

	for (size_t m = 0; m < e->more->n; m++)
		room += strlen(e->more->rule[m].text) + 2;
	c.out = malloc(room);
	if (!c.out)
		return NULL;
	for (size_t i = 0; i < e->set->n; i++)
		source_rule(&c, e, i, source_more(&c, e, i));
	/* The file may end in a table without rules, which is not that of the added ones. */
	if (!e->set->last_table)
		source_take(&c, len);
	source_more(&c, e, e->set->n);
	source_take(&c, len);
	c.out[c.used] = 0;
	*out_len = c.used;
	return c.out;
}
