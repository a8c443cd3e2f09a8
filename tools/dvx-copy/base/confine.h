/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_CONFINE_H
#define DVX_COPY_CONFINE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * A second fence, against mistakes in this program: from this call on the kernel lets neither this
 * thread nor those that it starts open files outside these directories. The first fence: a peer's
 * paths are resolved beneath a directory that is held open, component by component or by
 * openat2(RESOLVE_BENEATH).
 */
struct confine_dir {
	int fd; /* a directory's; O_PATH is enough */
	bool write;
};

struct confine {
	const struct confine_dir *dirs;
	size_t n;
	bool reads;   /* confines reading as well as writing */
	bool network; /* forbids new listening sockets and connections */
};

#define CONFINE_TEXT 80

/* Returns "by Landlock (version 7)", or "not by Landlock (why)", as the log shows it. */
const char *confine(const struct confine *c, char text[CONFINE_TEXT]);

/* Confines a client. A pull writes to DEST, or its parent to make it; a push nowhere (NULL). */
const char *confine_client(const char *dest, char text[CONFINE_TEXT]);

#endif
