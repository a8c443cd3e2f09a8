/* SPDX-License-Identifier: BSD-2-Clause */
#include "message.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

static const char *name;
static char record[4096];
static size_t recorded;
static char last[512];
static struct message_place placed;

void message_set_name(const char *tool)
{
	name = tool;
}

static void message_keep(const char *fmt, va_list args)
{
	size_t room = sizeof(record) - recorded;
	int n = recorded && room > 2 ? snprintf(record + recorded, room, "\n") : 0;

	vsnprintf(last, sizeof(last), fmt, args);
	n += snprintf(record + recorded + n, room - (size_t)n, "%s", last);
	recorded = (size_t)n < room ? recorded + (size_t)n : sizeof(record) - 1;
}

void message_record(const char *fmt, ...)
{
	va_list args;

	flockfile(stderr);
	va_start(args, fmt);
	message_keep(fmt, args);
	va_end(args);
	funlockfile(stderr);
}

void message_set_place(const char *file, unsigned int line, unsigned int column)
{
	if (placed.line)
		return;
	placed.line = line;
	placed.column = column;
	snprintf(placed.file, sizeof(placed.file), "%s", file ? file : "");
}

struct message_place message_get_place(void)
{
	return placed;
}

const char *message_recorded(void)
{
	return record;
}

const char *message_last(void)
{
	return last;
}

void message_print(const char *fmt, ...)
{
	va_list args;

	flockfile(stderr); /* keeps the lines of several threads apart */
	fprintf(stderr, "%s: ", name ? name : program_invocation_short_name);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputc('\n', stderr);
	va_start(args, fmt);
	message_keep(fmt, args);
	va_end(args);
	funlockfile(stderr);
}
