/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_BASE_LINE_H
#define SIM_BASE_LINE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * One line of the log or the trace, put together in memory and written at once. A line that is too
 * long is cut and marked; control characters (a program's own names may hold them) become '?'.
 */
#define LINE_MAX_BYTES 2048

struct log_line {
	size_t len;
	char text[LINE_MAX_BYTES];
};

void line_start(struct log_line *);
void line_vadd(struct log_line *, const char *fmt, va_list) __attribute__((format(printf, 2, 0)));
void line_add(struct log_line *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Returns false with errno if the line was not written completely. */
bool line_write(struct log_line *, int fd);

#endif
