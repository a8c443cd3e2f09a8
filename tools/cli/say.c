/* SPDX-License-Identifier: BSD-2-Clause */
#include "say.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

static const char *name;

void say_as(const char *tool)
{
	name = tool;
}

void say(const char *fmt, ...)
{
	va_list args;

	flockfile(stderr); /* one line, whatever other threads say */
	fprintf(stderr, "%s: ", name ? name : program_invocation_short_name);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputc('\n', stderr);
	funlockfile(stderr);
}
