/* SPDX-License-Identifier: BSD-2-Clause */
#include "wild.h"

#include <ctype.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The result of a match. The last two let a star further left skip tries that must fail. */
enum wild {
	WILD_NO,
	WILD_YES,
	WILD_PAST_NAME, /* a "*" met the name's end: only a "**" to its left can help */
	WILD_PAST_TEXT, /* the text ran out: no star to its left can help */
};

static const struct {
	const char *word;
	int (*has)(int);
} words[] = {
	{"alnum", isalnum}, {"alpha", isalpha}, {"blank", isblank}, {"cntrl", iscntrl},
	{"digit", isdigit}, {"graph", isgraph}, {"lower", islower}, {"print", isprint},
	{"punct", ispunct}, {"space", isspace}, {"upper", isupper}, {"xdigit", isxdigit},
};

/* Tests whether c is in the class [:word:]. -1: unknown word. Only ASCII has classes. */
static int wild_word(const char *word, size_t n, uint8_t c)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strlen(words[i].word) == n && !memcmp(words[i].word, word, n))
			return c < 0x80 && words[i].has(c);
	return -1;
}

/* A bracket expression being read: whether c is in it, and the byte that may begin a range. */
struct wild_class {
	uint8_t c, before;
	bool in;
};

/* Reads [:word:] at p. Returns its "]", p if there is none here, NULL if malformed. */
static const uint8_t *wild_named(struct wild_class *k, const uint8_t *p)
{
	const char *word = (const char *)p + 2, *end;
	int has;

	if (p[0] != '[' || p[1] != ':')
		return p;
	end = strchr(word, ']');
	if (!end)
		return NULL;
	if (end == word || end[-1] != ':')
		return p;
	has = wild_word(word, (size_t)(end - word) - 1, k->c);
	k->in |= has > 0;
	return has < 0 ? NULL : (const uint8_t *)end;
}

/* Reads a byte, the "-z" of "a-z", or [:word:]. Returns its last byte, NULL if malformed. */
static const uint8_t *wild_member(struct wild_class *k, const uint8_t *p)
{
	uint8_t from = k->before;
	bool range = *p == '-' && from && p[1] && p[1] != ']';
	const uint8_t *named = range ? p : wild_named(k, p);

	k->before = 0;
	if (named != p)
		return named;
	p += range;
	p += *p == '\\';
	if (!*p)
		return NULL;
	if (!range)
		k->before = *p;
	k->in |= range ? k->c >= from && k->c <= *p : k->c == *p;
	return p;
}

/* p is behind the "[". Returns the "]", or NULL if the class is malformed. */
static const uint8_t *wild_class(const uint8_t *p, uint8_t c, bool *in)
{
	struct wild_class k = {.c = c};
	bool invert = *p == '!' || *p == '^';

	p += invert;
	do { /* a "]" that comes first is a member */
		p = wild_member(&k, p);
		if (!p)
			return NULL;
	} while (*++p != ']');
	*in = k.in != invert && c != '/';
	return p;
}

static enum wild wild_at(const uint8_t *p, const uint8_t *t);

/* Matches from p, the first star of a run. */
static enum wild wild_star(const uint8_t *p, const uint8_t *t)
{
	bool across = p[1] == '*';
	enum wild got;

	p += strspn((const char *)p, "*");
	if (!*p) {
		if (across || !strchr((const char *)t, '/'))
			return WILD_YES;
		return WILD_PAST_NAME;
	}
	for (; *t; t++) {
		got = wild_at(p, t);
		if (got != WILD_NO && !(across && got == WILD_PAST_NAME))
			return got;
		if (!across && *t == '/')
			return WILD_PAST_NAME;
	}
	return WILD_PAST_TEXT;
}

static enum wild wild_at(const uint8_t *p, const uint8_t *t)
{
	bool in;

	for (; *p; p++, t++) {
		if (*p == '*')
			return wild_star(p, t);
		if (!*t)
			return WILD_PAST_TEXT;
		if (*p == '[') {
			p = wild_class(p + 1, *t, &in);
			if (!p)
				return WILD_PAST_TEXT;
		} else if (*p == '?') {
			in = *t != '/';
		} else {
			p += *p == '\\';
			in = *p == *t;
		}
		if (!in)
			return WILD_NO;
	}
	return *t ? WILD_NO : WILD_YES;
}

bool wild_match(const char *pattern, const char *text)
{
	return wild_at((const uint8_t *)pattern, (const uint8_t *)text) == WILD_YES;
}

bool wild_match_name(const char *pattern, const char *name)
{
	const bool hidden = *name == '.', allowed = pattern[*pattern == '\\'] == '.';

	return (!hidden || allowed) && wild_match(pattern, name);
}
