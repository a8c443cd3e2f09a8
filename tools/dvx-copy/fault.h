/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_FAULT_H
#define DVX_COPY_FAULT_H

#include <stdarg.h>
#include <stddef.h>

/* Exit codes; doc/man/dvx-copy.1 tells them to users. The numbers also travel in ERROR messages. */
enum copy_exit {
	COPY_OK = 0,
	COPY_PARTIAL = 1,
	COPY_USAGE = 2,
	COPY_CONNECT = 3,
	COPY_AUTH = 4,
	COPY_PEER = 5,
	COPY_PROTOCOL = 6,
	COPY_REFUSED = 7,
	COPY_IO = 8,
	COPY_INTEGRITY = 9,
	COPY_DEVICE = 10,
	COPY_INTERRUPTED = 130,
};

/* What went wrong, in one sentence. The first fault is the cause, so later ones don't replace it.
 */
struct fault {
	int code;
	char text[640];
};

/* Returns -1, so that a function can end with `return fault(...)`. */
int fault(struct fault *f, enum copy_exit code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Short word for a code, as --json gives it. */
const char *fault_word(int code);

/* A name of any bytes as printable text: escapes keep a peer from writing to the terminal. */
const char *quote(char *to, size_t room, const void *bytes, size_t len);

/* quote() of a string into a buffer of the caller's frame. */
#define QUOTED(s, n) quote((char[520]){0}, 520, (s), (n))

#endif
