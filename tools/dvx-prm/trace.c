/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST_PATH 256

bool trace_looks_like(const char *text, size_t len)
{
	const char *equals = memchr(text, '=', len);

	/* A reply with only zeros has no "=". */
	if (memmem(text, len, "cmd< ", 5) || memmem(text, len, "cmd> ", 5))
		return true;
	return equals && equals > text && equals + 1 < text + len &&
	       isalnum((unsigned char)equals[-1]);
}

/* Finds the structure: the last word before the first field. */
static const struct prm_struct *find_name(const char *text, size_t len, size_t *name_at, size_t *at)
{
	char name[64];
	size_t i = 0;

	while (i < len) {
		size_t start = i, n;

		while (i < len && text[i] != ' ')
			i++;
		n = i - start;
		if (memchr(text + start, '=', n))
			return NULL;
		if (n && n < sizeof(name)) {
			const struct prm_struct *s;

			memcpy(name, text + start, n);
			name[n] = 0;
			s = prm_find_struct(name);
			*name_at = start;
			*at = i;
			if (s)
				return s;
		}
		while (i < len && text[i] == ' ')
			i++;
	}
	return NULL;
}

/* Reads the value of "NAME(0x12)" or "0x12". */
static bool read_number(const char *word, uint64_t *v)
{
	const char *open = strchr(word, '(');
	char *end;

	if (open)
		word = open + 1;
	*v = strtoull(word, &end, 0);
	return end != word && !*(end + (*end == ')'));
}

static int trace_digit(char c)
{
	return isdigit((unsigned char)c) ? c - '0' : tolower((unsigned char)c) - 'a' + 10;
}

static bool put_hex(struct trace *t, uint64_t bit, const char *word)
{
	size_t n = strlen(word), at = (size_t)(bit / 8);

	if (n % 2 || strspn(word, "0123456789abcdef") != n || at + n / 2 > TRACE_MAX_BYTES)
		return false;
	for (size_t i = 0; i < n; i += 2)
		t->bytes[at + i / 2] =
			(uint8_t)(trace_digit(word[i]) << 4 | trace_digit(word[i + 1]));
	if (at + n / 2 > t->len)
		t->len = at + n / 2;
	return true;
}

static bool trace_put_field(struct trace *t, const char *path, const char *word)
{
	uint64_t bit, v, end;
	const struct prm_field *f = prm_find_field(t->s, path, &bit);

	if (!f || f->type)
		return false;
	if (f->bytes && (f->width > 64 || f->count != 1))
		return put_hex(t, bit, word);
	end = (bit + f->width + 7) / 8;
	if (!read_number(word, &v) || f->width > 64 || end > TRACE_MAX_BYTES ||
	    (f->width < 64 && v >> f->width))
		return false;
	prm_bits_set(t->bytes, bit, f->width, v);
	if (end > t->len)
		t->len = (size_t)end;
	return true;
}

/* Takes a word: "name={" enters a structure, "}" leaves it. The path follows. */
static bool take_word(struct trace *t, char *path, char *word)
{
	char *equals = strchr(word, '='), *dot;
	size_t base = strlen(path);
	bool ok;

	if (!strcmp(word, "}")) {
		if (!base)
			return false;
		path[base - 1] = 0; /* removes the dot at the end */
		dot = strrchr(path, '.');
		*(dot ? dot + 1 : path) = 0;
		return true;
	}
	if (!equals || base + (size_t)(equals - word) + 2 > LONGEST_PATH)
		return false;
	*equals = 0;
	strcat(path, word);
	if (!strcmp(equals + 1, "{")) {
		strcat(path, ".");
		return true;
	}
	ok = trace_put_field(t, path, equals + 1);
	path[base] = 0;
	return ok;
}

bool trace_read(struct trace *t, const char *text, size_t len)
{
	char path[LONGEST_PATH] = "";
	char word[1024];
	size_t at;

	while (len && isspace((unsigned char)text[len - 1]))
		len--;
	memset(t, 0, sizeof(*t));
	t->s = find_name(text, len, &t->label_len, &at);
	if (!t->s || t->s->bytes > TRACE_MAX_BYTES)
		return false;
	t->len = t->s->bytes;
	while (at < len) {
		size_t n = 0;

		while (at < len && text[at] == ' ')
			at++;
		while (at + n < len && text[at + n] != ' ')
			n++;
		if (!n)
			break;
		if (n >= sizeof(word) || text[at] == '(')
			return text[at] == '('; /* "(cut at N of M bytes)" */
		memcpy(word, text + at, n);
		word[n] = 0;
		at += n;
		if (!take_word(t, path, word))
			return false;
	}
	return !*path;
}
