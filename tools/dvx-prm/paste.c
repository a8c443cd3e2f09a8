/* SPDX-License-Identifier: BSD-2-Clause */
#include "paste.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

enum { ESCAPE = 033 };

/* Returns the length of "ESC [ ... letter", or 1 for the escape alone. */
static size_t escape_length(const char *text, size_t len)
{
	size_t n = 2;

	if (len < 2 || text[1] != '[')
		return 1;
	while (n < len && (isdigit((unsigned char)text[n]) || strchr(";:?", text[n])))
		n++;
	return n < len && isalpha((unsigned char)text[n]) ? n + 1 : n;
}

size_t paste_plain(char *text, size_t len)
{
	size_t out = 0;

	if (!memchr(text, ESCAPE, len))
		return len;
	for (size_t at = 0; at < len;)
		if (text[at] == ESCAPE)
			at += escape_length(text + at, len - at);
		else
			text[out++] = text[at++];
	return out;
}

static size_t quote_prefix(const char *text, size_t len)
{
	size_t n = 0;

	while (n < len && (text[n] == '>' || (n && text[n] == ' ')))
		n++;
	return n;
}

/*
 * Returns the length of a prefix of Open MPI's --tag-output, maybe after a date: "Tue Feb 27
 * 20:11:35 2018[1,371]<stderr>:".
 */
static size_t mpirun_prefix(const char *text, size_t len)
{
	static const char *const ends[] = {"]<stdout>:", "]<stderr>:", "]<stddiag>:"};

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		size_t n = strlen(ends[i]);
		const char *p = memmem(text, len < 80 ? len : 80, ends[i], n);

		if (p && memchr(text, '[', (size_t)(p - text)))
			return (size_t)(p - text) + n;
	}
	return 0;
}

/* Returns the length of a prefix like "web-1  | ". A name of hex digits only could be an offset. */
static size_t compose_prefix(const char *text, size_t len)
{
	bool name = false;
	size_t n = 0;

	while (n < len && n < 64 && (isalnum((unsigned char)text[n]) || strchr("-_.", text[n])))
		name |= !isxdigit((unsigned char)text[n++]);
	if (!name || n == len || text[n] != ' ')
		return 0;
	while (n < len && text[n] == ' ')
		n++;
	return n + 1 < len && text[n] == '|' && text[n + 1] == ' ' ? n + 2 : 0;
}

size_t paste_prefix(const char *text, size_t len)
{
	size_t n = quote_prefix(text, len);

	n += mpirun_prefix(text + n, len - n);
	return n + compose_prefix(text + n, len - n);
}
