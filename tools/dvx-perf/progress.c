/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>
#include "progress.h"
#include "ticks.h"

#define EVERY_NS 100000000u

static bool wanted, shown;
static uint64_t shown_at;

void progress_begin(bool quiet)
{
	wanted = !quiet && isatty(STDERR_FILENO);
}

void progress_show(const char *fmt, ...)
{
	va_list args;

	if (!wanted || (shown && ticks_now_ns() - shown_at < EVERY_NS))
		return;
	fputs("\r\033[K", stderr);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fflush(stderr);
	shown = true;
	shown_at = ticks_now_ns();
}

void progress_clear(void)
{
	if (shown)
		fputs("\r\033[K", stderr);
	shown = false;
}
