/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "line.h"

static const char prefix[] = "dvx-sim: ";
static const char cut[] = " ...";

void line_start(struct log_line *line)
{
	memcpy(line->text, prefix, sizeof(prefix));
	line->len = sizeof(prefix) - 1;
}

/* Leaves room for the mark of a cut line, the newline and vsnprintf's NUL. */
void line_vadd(struct log_line *line, const char *fmt, va_list args)
{
	size_t room = LINE_MAX_BYTES - sizeof(cut) - 1 - line->len;
	int n = vsnprintf(line->text + line->len, room + 1, fmt, args);

	if (n < 0)
		return;
	if ((size_t)n > room) {
		line->len += room;
		memcpy(line->text + line->len - (sizeof(cut) - 1), cut, sizeof(cut) - 1);
		return;
	}
	line->len += (size_t)n;
}

void line_add(struct log_line *line, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	line_vadd(line, fmt, args);
	va_end(args);
}

bool line_write(struct log_line *line, int fd)
{
	ssize_t n;
	size_t i;

	for (i = 0; i < line->len; i++)
		if ((unsigned char)line->text[i] < ' ' || line->text[i] == 0x7f)
			line->text[i] = '?';
	line->text[line->len] = '\n';
	n = write(fd, line->text, line->len + 1);
	if (n >= 0)
		errno = ENOSPC; /* only a part of the line was written */
	return n == (ssize_t)line->len + 1;
}
