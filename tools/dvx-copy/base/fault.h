/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_FAULT_H
#define DVX_COPY_FAULT_H

#include "tools/cli/exit.h"
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

/* Exit codes; dvx(7) lists them. The numbers also travel in ERROR messages. */
enum copy_exit {
	COPY_OK = EXIT_DONE,
	COPY_PARTIAL = EXIT_NO,
	COPY_USAGE = EXIT_USAGE,
	COPY_IO = EXIT_INPUT,
	COPY_DEVICE = EXIT_DEVICE,
	COPY_PROTOCOL = 6,
	COPY_REFUSED = 7,
	COPY_PEER = 8,
	COPY_INTEGRITY = 9,
	COPY_CONNECT = 10,
	COPY_AUTH = 11,
	COPY_INTERRUPTED = 130,
};

/* The reason of a failure, in one sentence. The first is the cause: later ones are dropped. */
struct copy_fault {
	int code;
	char text[640];
};

/* Returns -1, so that a function can end with `return copy_fail(...)`. */
int copy_fail(struct copy_fault *f, enum copy_exit code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Returns the short word for a code, as --json shows it. */
const char *fault_word(int code);

/* Makes any bytes printable: escapes keep a peer's names from controlling the terminal. */
const char *quote(char *to, size_t room, const void *bytes, size_t len);

/* Quotes a string into a buffer in the caller's frame. */
#define QUOTED(s, n)	  quote((char[520]){0}, 520, (s), (n))
#define SHOWN(s)	  QUOTED(s, strlen(s))

#define copy_no_memory(f) copy_fail(f, COPY_IO, "out of memory")

#endif
