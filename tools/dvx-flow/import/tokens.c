/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <string.h>

#include "rules/arena.h"
#include "tokens.h"

static void token_step(struct token_reader *r)
{
	r->column += (*r->p & 0xc0) != 0x80;
	if (*r->p++ == '\n') {
		r->line++;
		r->column = 1;
	}
}

/* Returns the length of a \ and the end of its line, which join two lines. */
static size_t token_joint(const struct token_reader *r)
{
	if (r->end - r->p >= 2 && r->p[0] == '\\' && r->p[1] == '\n')
		return 2;
	return r->end - r->p >= 3 && !memcmp(r->p, "\\\r\n", 3) ? 3 : 0;
}

static void token_skip(struct token_reader *r)
{
	while (r->p < r->end) {
		size_t joint = token_joint(r);

		if (!joint && (!*r->p || !strchr(r->blanks, *r->p)))
			return;
		for (size_t i = joint ? joint : 1; i; i--)
			token_step(r);
	}
}

/* Returns the length of a word of marks: a character, or one of != <= >= ==. */
static size_t token_mark(const struct token_reader *r)
{
	if (!*r->p || !strchr(r->marks, *r->p))
		return 0;
	return strchr("!<>=", *r->p) && r->end - r->p > 1 && r->p[1] == '=' ? 2 : 1;
}

/* Copies a word without its quotes, unless `to` is NULL. Returns its length. */
static size_t token_copy(struct token_reader *r, char *to, bool *quoted)
{
	size_t n = 0;
	char quote = 0;

	for (; r->p < r->end && *r->p && *r->p != '\n'; token_step(r)) {
		if (quote ? *r->p == quote
			  : (*r->p == '"' || *r->p == '\'') && !strchr(r->blanks, *r->p)) {
			quote = quote ? 0 : *r->p;
			*quoted = true;
			continue;
		}
		if (!quote && (strchr(r->blanks, *r->p) || token_mark(r) || token_joint(r)))
			break;
		if (to)
			to[n] = *r->p;
		n++;
	}
	return n;
}

/* Reads a word, or a mark. A NUL byte is an empty word. */
static bool token_word(struct token_reader *r, struct tokens *t)
{
	struct token *k = &t->token[t->n];
	struct token_reader ahead = *r;
	bool quoted = false;
	size_t mark = token_mark(r), n = mark ? mark : token_copy(&ahead, NULL, &quoted);
	char *text = arena_get(r->memory, n + 1);

	*k = (struct token){text, r->line, r->column, quoted};
	if (!text)
		return false;
	if (mark)
		memcpy(text, r->p, mark);
	else
		token_copy(r, text, &quoted);
	for (; mark; mark--)
		token_step(r);
	if (!n && !quoted)
		token_step(r);
	t->n++;
	return true;
}

static bool tokens_end(struct token_reader *r, struct tokens *t)
{
	t->token[t->n] = (struct token){NULL, r->line, r->column, false};
	return true;
}

static bool tokens_fill(struct token_reader *r, struct tokens *t)
{
	while (array_grow((void **)&t->token, t->n + 1, &t->room, sizeof(*t->token))) {
		token_skip(r);
		if (r->p < r->end && *r->p == '#')
			while (r->p < r->end && *r->p != '\n')
				token_step(r);
		if (r->p == r->end || *r->p == '\n')
			return tokens_end(r, t);
		if (!token_word(r, t))
			break;
	}
	r->no_memory = true;
	return false;
}

/*
 * Returns the number of words of a prompt, or of sudo, at the line's start: "$", "root@host:~#",
 * "[root@host ~]#", "user@host ~ $".
 */
static size_t tokens_prompt(const struct tokens *t)
{
	const char *text = t->n ? t->token[0].text : "";
	size_t most = *text == '[' || strchr(text, '@') ? 3 : 1;

	if (token_among(&t->token[0], "sudo testpmd>"))
		return 1;
	for (size_t i = 0; i < t->n && i < most; i++) {
		size_t n = strlen(text = t->token[i].text);

		if (n && strchr("$#%", text[n - 1]) && !t->token[i].quoted)
			return i + 1;
	}
	return 0;
}

static void tokens_strip(struct tokens *t)
{
	for (size_t n; (n = tokens_prompt(t)); t->n -= n)
		memmove(t->token, t->token + n, (t->n - n + 1) * sizeof(*t->token));
}

bool tokens_line(struct token_reader *r, struct tokens *t)
{
	t->n = t->at = 0;
	while (r->p < r->end) {
		if (!tokens_fill(r, t))
			return false;
		if (r->p < r->end)
			token_step(r);
		tokens_strip(t);
		if (t->n)
			return true;
	}
	return false;
}

const struct token *tokens_peek(const struct tokens *t)
{
	return &t->token[t->at];
}

const struct token *tokens_next(struct tokens *t)
{
	const struct token *k = &t->token[t->at];

	t->at += k->text != NULL;
	return k;
}

bool token_is(const struct token *t, const char *word)
{
	return t->text && !strcmp(t->text, word);
}

bool tokens_take(struct tokens *t, const char *word)
{
	if (!token_is(tokens_peek(t), word))
		return false;
	t->at++;
	return true;
}

bool token_among(const struct token *t, const char *words)
{
	return t->text && names_index(words, t->text, strlen(t->text)) >= 0;
}

int names_index(const char *names, const char *text, size_t n)
{
	for (int i = 0; n && *names; i++) {
		size_t len = strcspn(names, " ");

		if (len == n && !memcmp(names, text, n))
			return i;
		names += len + (names[len] == ' ');
	}
	return -1;
}

bool names_begin(const char *names, const char *text)
{
	for (size_t n; *names; names += n + (names[n] == ' ')) {
		n = strcspn(names, " ");
		if (!strncmp(names, text, n))
			return true;
	}
	return false;
}

bool names_value(const char *names, const char *name, char value[16])
{
	size_t n = strlen(name), len;

	for (; *names; names += len + (names[len] == ' ')) {
		len = strcspn(names, " ");
		if (!n || strncmp(names, name, n) || names[n] != '=')
			continue;
		snprintf(value, 16, "%.*s", (int)(len - n - 1), names + n + 1);
		return true;
	}
	return false;
}
