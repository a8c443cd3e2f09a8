/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_RESOLVE_H
#define DVX_COPY_RESOLVE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"

/* The entry that a path leads to, in an open directory. */
struct source_entry {
	int dir;
	char entry[NAME_MAX + 1]; /* "." if it is the directory itself */
	char name[NAME_MAX + 1];  /* name at the destination; "" for a directory's contents */
};

/*
 * Resolves a path that a client requested, beneath root. Refuses paths that are absolute, contain
 * "..", or leave the root through a symbolic link. "/" and "." are the root itself.
 */
int source_resolve(struct source_entry *e, int root, const uint8_t *path, size_t len,
		   struct copy_fault *f);

/* Resolves a local path, as the user gave it. */
int source_local(struct source_entry *e, const char *path, struct copy_fault *f);

/* Whether the path as given ("dir/", "host:", "..") asks for the contents of a directory. */
bool source_is_contents(const char *arg);

void source_close(struct source_entry *e);

/* Whether the path contains *, ? or [. */
bool source_is_pattern(const uint8_t *path, size_t len);

typedef int (*source_each)(void *arg, const uint8_t *path, size_t len);

/*
 * Calls each() for the paths beneath root that match a pattern, sorted, and before that, with *f
 * set, for closed directories, which may hold matches. 1 if there are neither. A leading dot of a
 * name matches only a dot.
 */
int source_match(int root, const uint8_t *pattern, size_t len, source_each each, void *arg,
		 struct copy_fault *f);

#endif
