/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_TREE_H
#define DVX_COPY_TREE_H

#include <stdint.h>
#include <sys/stat.h>

#include "base/fault.h"

/* Where a path that a client asked for leads: an entry of an open directory beneath the root. */
struct tree_entry {
	int dir;
	char name[256]; /* "." for the directory itself */
};

/*
 * Refuses paths that are absolute, hold "..", or leave the root through a symbolic link. "/" and
 * "." mean the root itself.
 */
int tree_resolve(struct tree_entry *e, int root, const uint8_t *path, size_t len,
		 struct copy_fault *f);
void tree_close(struct tree_entry *e);

/* For kernels before 5.6, which lack openat2: follows no symbolic link at all. */
int tree_open_steps(int root, const char *path);

/*
 * Calls for what a walk meets; 0 goes on, -1 ends the walk (the callee has set its fault). The
 * first entry's name is "". file() owns nothing: fd is closed after it. rel is the path from the
 * entry that the walk began at, for sentences.
 */
struct tree_calls {
	int (*dir)(void *arg, const char *name, const struct stat *st);
	int (*up)(void *arg);
	int (*file)(void *arg, const char *name, const char *rel, int fd, const struct stat *st);
	int (*link)(void *arg, const char *name, const char *target, size_t len,
		    const struct stat *st);
	int (*skip)(void *arg, const char *rel, const char *why);
};

/* Never follows a symbolic link. An entry that can't be read is skipped, and said. */
int tree_walk(const struct tree_entry *e, const struct tree_calls *calls, void *arg,
	      struct copy_fault *f);

#endif
