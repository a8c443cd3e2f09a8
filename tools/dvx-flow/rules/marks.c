/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "marks.h"

#define MARK	 "#line "
#define MARK_LEN (sizeof(MARK) - 1)

/* Returns the next line that begins like a mark, or NULL. */
static const char *mark_next(const char *text, const char *from, const char *end)
{
	while ((from = memmem(from, (size_t)(end - from), MARK, MARK_LEN))) {
		if (from == text || from[-1] == '\n')
			return from;
		from += MARK_LEN;
	}
	return NULL;
}

static uint32_t mark_lines(const char *from, const char *to)
{
	uint32_t n = 0;

	for (; (from = memchr(from, '\n', (size_t)(to - from))); from++)
		n++;
	return n;
}

/* Parses a mark; `p` is behind its word. Returns false if it is a comment. */
static bool mark_read(const char *p, const char *end, struct mark *m)
{
	const char *stop = memchr(p, '\n', (size_t)(end - p));

	stop = stop ? stop : end;
	*m = (struct mark){0};
	for (; p < stop && *p >= '0' && *p <= '9'; p++)
		m->at = m->at * 10 + (uint32_t)(*p - '0');
	if (!m->at)
		return false;
	if (p == stop)
		return true;
	if (stop - p < 4 || p[0] != ' ' || p[1] != '"' || stop[-1] != '"')
		return false;
	m->file = p + 2;
	m->file_len = (size_t)(stop - 1 - m->file);
	return true;
}

bool marks_find(const char *text, size_t len, struct marks *out)
{
	const char *end = text + len, *p = text, *counted = text;
	size_t room = 0;
	uint32_t line = 1;
	struct mark m;

	*out = (struct marks){0};
	for (; (p = mark_next(text, p, end)); p += MARK_LEN) {
		if (!mark_read(p + MARK_LEN, end, &m))
			continue;
		if (!array_grow((void **)&out->mark, out->n, &room, sizeof(m))) {
			marks_free(out);
			return false;
		}
		line += mark_lines(counted, p);
		counted = p;
		m.line = line + 1;
		out->mark[out->n++] = m;
	}
	return true;
}

void marks_free(struct marks *m)
{
	free(m->mark);
	*m = (struct marks){0};
}

struct mark_place marks_place(const struct marks *m, uint32_t line)
{
	size_t from = 0, to = m->n;
	const struct mark *k;

	while (from < to) {
		size_t mid = (from + to) / 2;

		if (m->mark[mid].line <= line)
			from = mid + 1;
		else
			to = mid;
	}
	if (!from)
		return (struct mark_place){.line = line};
	k = &m->mark[from - 1];
	return (struct mark_place){k->at + line - k->line, k->file, k->file_len};
}

void marks_name(const char *text, size_t len, uint32_t line, struct mark_name *out)
{
	struct mark_place p;
	struct marks m;

	marks_find(text, len, &m);
	p = marks_place(&m, line);
	out->line = p.line;
	snprintf(out->file, sizeof(out->file), "%.*s", (int)p.file_len, p.file_len ? p.file : "");
	marks_free(&m);
}

char *marks_plain(const char *text, size_t len, size_t *out_len)
{
	const char *end = text + len, *p = text, *taken = text;
	size_t n = 0;
	char *out, *to;

	while ((p = mark_next(text, p, end))) {
		n++;
		p += MARK_LEN;
	}
	to = out = malloc(len + n + 1);
	for (p = text; out && (p = mark_next(text, p, end)); p++) {
		/* behind the '#' */
		to = (char *)memcpy(to, taken, (size_t)(p + 1 - taken)) + (p + 1 - taken);
		*to++ = ' ';
		taken = p + 1;
	}
	if (out) {
		memcpy(to, taken, (size_t)(end - taken));
		out[len + n] = 0;
	}
	*out_len = len + n;
	return out;
}
