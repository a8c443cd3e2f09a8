/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_CONFINE_H
#define DVX_COPY_CONFINE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * A second fence, for mistakes in this program: from here on the kernel lets neither this thread
 * nor those that it starts open files elsewhere. The first one is that paths of a peer are resolved
 * beneath a directory that is held open, component by component or by openat2(RESOLVE_BENEATH).
 */
struct confine_dir {
	int fd; /* of a directory; O_PATH is enough */
	bool write;
};

struct confine {
	const struct confine_dir *dirs;
	size_t n;
	bool reads;   /* confines reading as well as writing */
	bool network; /* takes no further listening and no connecting */
};

#define CONFINE_TOLD 80

/* "by Landlock (version 7)", or "not by Landlock (why)": for the line that says so. */
const char *confine(const struct confine *c, char told[CONFINE_TOLD]);

/* A pull writes at DEST, or in DEST's directory if it is to be made; a push (NULL) nowhere. */
const char *confine_client(const char *dest, char told[CONFINE_TOLD]);

#endif
