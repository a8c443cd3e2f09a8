/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_RESOLVE_H
#define DVX_COPY_RESOLVE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"

/* Where a path leads: an entry of an open directory. */
struct source_entry {
	int dir;
	char entry[NAME_MAX + 1]; /* "." for the directory itself */
	char name[NAME_MAX + 1];  /* at the destination; "" for a directory's contents */
};

/*
 * Of a path that a client asked for, beneath root. Refuses paths that are absolute, hold "..", or
 * leave the root through a symbolic link. "/" and "." mean the root itself.
 */
int source_resolve(struct source_entry *e, int root, const uint8_t *path, size_t len,
		   struct copy_fault *f);

/* Of a local path, as the user gave it. */
int source_local(struct source_entry *e, const char *path, struct copy_fault *f);

/* Whether the path as given ("dir/", "host:", "..") means what a directory holds. */
bool source_is_contents(const char *arg);

void source_close(struct source_entry *e);

/* Whether the path has *, ? or [. */
bool source_is_pattern(const uint8_t *path, size_t len);

/*
 * Calls each() for the paths beneath root that a pattern matches, sorted. 1 if there are none.
 * Names that begin with a dot are matched by a dot only.
 */
int source_match(int root, const uint8_t *pattern, size_t len,
		 int (*each)(void *arg, const uint8_t *path, size_t len), void *arg,
		 struct copy_fault *f);

#endif
