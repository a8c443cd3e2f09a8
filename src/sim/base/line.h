/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_BASE_LINE_H
#define SIM_BASE_LINE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * One line of the log or the trace, put together in memory and written at once. What doesn't fit
 * is cut and marked; control characters (a program's own names may hold them) become '?'.
 */
#define LINE_MAX_BYTES 2048

struct line {
	size_t len;
	char text[LINE_MAX_BYTES];
};

void line_start(struct line *);
void line_vadd(struct line *, const char *fmt, va_list) __attribute__((format(printf, 2, 0)));
void line_add(struct line *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
bool line_write(struct line *, int fd); /* false, errno set: it is not there, or not all of it */

#endif
