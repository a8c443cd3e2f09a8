/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include "line.h"
#include "log.h"
#include "prm/reflect.h"

int sim_tracing;
static int trace_fd = -1;

int sim_trace_to(int fd)
{
	__atomic_store_n(&trace_fd, fd, __ATOMIC_RELAXED);
	__atomic_store_n(&sim_tracing, fd >= 0, __ATOMIC_RELAXED);
	return 0;
}

/* Adds nonzero fields by name, or plain dwords if no table has the structure. */
static void add_struct(struct log_line *line, const char *name, const uint8_t *p, size_t len)
{
	const struct prm_struct *s = prm_find_struct(name);
	char text[LINE_MAX_BYTES];
	size_t i;

	if (s) {
		prm_print_line(text, sizeof(text), s, p, len);
		line_add(line, " %s", text);
		return;
	}
	line_add(line, " %s", name);
	for (i = 0; i < len; i++)
		line_add(line, "%s%02x", i % 4 ? "" : " ", p[i]);
}

/* Ends the trace and logs it: a trace with gaps would mislead. */
static void end_trace(void)
{
	sim_refuse("the trace ends here, it can't be written: %s", strerror(errno));
	sim_trace_to(-1);
}

void sim_trace(const char *tag, const char *prm_struct, const void *bytes, size_t len,
	       const char *fmt, ...)
{
	int fd = __atomic_load_n(&trace_fd, __ATOMIC_RELAXED);
	int saved = errno;
	struct log_line line;
	va_list args;

	if (fd < 0)
		return;
	line_start(&line);
	line_add(&line, "%s ", tag);
	va_start(args, fmt);
	line_vadd(&line, fmt, args);
	va_end(args);
	if (prm_struct && bytes)
		add_struct(&line, prm_struct, bytes, len);
	if (!line_write(&line, fd) && errno != EAGAIN)
		end_trace();
	errno = saved;
}
