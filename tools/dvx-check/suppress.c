/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A file of findings that are not reported: lines of a kind and a function, in which * and ? match
 * as in names of files. The function is that of one of the two places. # begins a comment.
 */
#include "dvx-check.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct suppression {
	struct suppression *next;
	char *kind, *function;
};
static struct suppression *suppressions;

static bool suppress_knows(const char *kind)
{
	for (uint32_t i = 0; i < CHECK_KINDS; i++)
		if (!fnmatch(kind, kind_row(i)->name, 0))
			return true;
	return false;
}

static bool suppress_add(const char *kind, const char *function)
{
	struct suppression *s = calloc(1, sizeof(*s));

	if (!s)
		return false;
	s->kind = strdup(kind);
	s->function = strdup(function);
	s->next = suppressions;
	suppressions = s;
	return s->kind && s->function;
}

static bool suppress_wrong(const char *path, unsigned int line, size_t column, const char *why)
{
	message_set_place(path, line, (unsigned int)column);
	message_print("%s:%u:%zu: %s", path, line, column, why);
	return false;
}

static bool suppress_line(const char *path, unsigned int number, char *line)
{
	static const char blank[] = " \t\r\n";
	char *kind = line + strspn(line, blank), *function, *rest;

	line[strcspn(line, "#\n")] = 0;
	if (!*kind)
		return true;
	function = kind + strcspn(kind, blank);
	function += strspn(function, blank);
	rest = function + strcspn(function, blank);
	if (!*function)
		return suppress_wrong(path, number, (size_t)(function - line) + 1,
				      "a function was expected behind the kind (* for any)");
	kind[strcspn(kind, blank)] = 0;
	if (rest[strspn(rest, blank)])
		return suppress_wrong(path, number, (size_t)(rest - line) + 2,
				      "the end of the line was expected behind the function");
	*rest = 0;
	if (!suppress_knows(kind))
		return suppress_wrong(path, number, (size_t)(kind - line) + 1,
				      "no finding has this kind (man dvx-check lists them)");
	return suppress_add(kind, function);
}

bool suppress_read(const char *path)
{
	FILE *f = fopen(path, "re");
	unsigned int number = 0;
	char line[1024];
	bool ok = true;

	if (!f) {
		message_print("can't read %s: %s", path, strerror(errno));
		return false;
	}
	while (ok && fgets(line, sizeof(line), f))
		ok = suppress_line(path, ++number, line);
	fclose(f);
	return ok;
}

bool suppress_hits(const char *kind, const struct place places[2])
{
	for (const struct suppression *s = suppressions; s; s = s->next)
		for (unsigned int i = 0; !fnmatch(s->kind, kind, 0) && i < 2; i++)
			if (!fnmatch(s->function, places[i].symbol.function, 0))
				return true;
	return false;
}

void suppress_free(void)
{
	struct suppression *s;

	while ((s = suppressions)) {
		suppressions = s->next;
		free(s->kind);
		free(s->function);
		free(s);
	}
}
