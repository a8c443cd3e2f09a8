/* SPDX-License-Identifier: BSD-2-Clause */
#include "refusal.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "errnum.h"
#include "forms.h"
#include "src/prm/reflect.h"

enum { NAME_WORDS = 4, SYNDROME_LEAST = 0x100 };

/* Returns the number behind a word of the line, maybe with "=", "(" or ":" before it; -1: none. */
static long long number_behind(const char *lower, const char *word)
{
	const char *p = strstr(lower, word);
	char *end;
	unsigned long long n;

	if (!p)
		return -1;
	p += strlen(word);
	p += strspn(p, " =:([");
	if (!isxdigit((unsigned char)*p))
		return -1;
	n = strtoull(p, &end, strcmp(word, "syndrome") ? 0 : 16);
	return end > p && n <= UINT32_MAX && !isalnum((unsigned char)*end) ? (long long)n : -1;
}

/*
 * Returns the opcode of a command by its name ("CREATE_RQ"); 0: none, as no command has opcode 0.
 */
static unsigned int command_named(const char *name)
{
	const struct prm_enum *e = prm_find_enum("opcode");

	for (size_t i = 0; i < e->count; i++)
		if (!strcasecmp(e->values[i].name, name))
			return (unsigned int)e->values[i].value;
	return 0;
}

/* Finds a command in one to four words from p on: "create rq" is CREATE_RQ. */
static unsigned int command_at(const char *p)
{
	char name[64];
	size_t n = 0;
	unsigned int found = 0;

	for (int words = 0; words < NAME_WORDS && n < sizeof(name) - 1; words++) {
		while ((isalnum((unsigned char)*p) || *p == '_') && n < sizeof(name) - 1)
			name[n++] = *p++;
		name[n] = 0;
		if (command_named(name))
			found = command_named(name);
		if (*p != ' ' || n == sizeof(name) - 1)
			break;
		name[n++] = '_';
		p++;
	}
	return found;
}

static unsigned int command_in(const char *lower)
{
	for (const char *p = lower; *p; p++)
		if (isalpha((unsigned char)*p) &&
		    (p == lower || (!isalnum((unsigned char)p[-1]) && p[-1] != '_')) &&
		    command_at(p))
			return command_at(p);
	return 0;
}

unsigned int command_of_call(const char *call)
{
	const char *object = strstr(call, "create(");
	char lower[96], name[64];
	size_t i = 0;

	for (; call[i] && i < sizeof(lower) - 1; i++)
		lower[i] = (char)tolower((unsigned char)call[i]);
	lower[i] = 0;
	if (command_in(lower) || !object)
		return command_in(lower);
	object += strlen("create(");
	snprintf(name, sizeof(name), "create_%.*s", (int)strcspn(object, " ,)"), object);
	return command_named(name);
}

/*
 * A command's syndrome is wider than a completion's, and no command is named next to a
 * completion's.
 */
bool refusal_find(struct failure *s, const char *line, const char *lower)
{
	long long syndrome = number_behind(lower, "syndrome"),
		  status = number_behind(lower, "status");
	unsigned int op;

	if (syndrome < 0 || strstr(lower, "vend") ||
	    !(strstr(lower, "fail") || strstr(lower, "err") || strstr(lower, "refus")))
		return false;
	op = command_in(lower);
	if (!op && (syndrome < SYNDROME_LEAST ||
		    !(status > 0 || strstr(lower, "devx") || strstr(lower, "command"))))
		return false;
	s->program = form_program(lower, TOPIC_NONE);
	if (op)
		failure_set(s, FAILURE_COMMAND, op);
	failure_set(s, FAILURE_FIRMWARE, (uint64_t)syndrome);
	if (status > 0 && status <= 0xff)
		failure_set(s, FAILURE_STATUS, (uint64_t)status);
	if (errnum_find(line, lower))
		failure_set(s, FAILURE_ERRNO, errnum_find(line, lower));
	return true;
}
