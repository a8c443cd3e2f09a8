/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <dvx/cmd.h>

#include "dvx-flow.h"
#include "fault.h"
#include "tools/cli/library.h"

int flow_fault_set(struct flow_fault *f, int code, const char *fmt, ...)
{
	va_list ap;

	f->code = code;
	f->line = f->column = 0;
	va_start(ap, fmt);
	vsnprintf(f->text, sizeof(f->text), fmt, ap);
	va_end(ap);
	return -1;
}

static const char *fault_without(const char *text, const char *start)
{
	const char *end = strstr(text, ": ");

	return end && !strncmp(text, start, strlen(start)) ? end + 2 : text;
}

const char *device_last_error(void)
{
	return fault_without(fault_without(library_error(), "rule "), "dvx_");
}

int flow_fault_device(struct flow_fault *f)
{
	return flow_fault_set(f, EXIT_DEVICE, "%s", device_last_error());
}

int flow_fault_at(struct flow_fault *f, const struct rule *r, struct source_location at)
{
	f->line = r->line + at.line;
	f->column = at.column;
	return -1;
}

void flow_fault_place(struct flow_fault *f)
{
	struct flow_fault bare = *f;

	if (f->line)
		flow_fault_set(f, bare.code, "line %u, column %u: %.560s", bare.line, bare.column,
			       bare.text);
}
