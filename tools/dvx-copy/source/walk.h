/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_WALK_H
#define DVX_COPY_WALK_H

#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>

#include "base/fault.h"

/*
 * Walks a tree entry by entry, depth first, with one stat for each. A directory stays open as long
 * as it has references: a listed file is read later, relative to its directory. No symbolic link is
 * followed.
 */
struct walk_dir {
	struct walk_dir *up;
	unsigned int users, *n_open;
	int fd;
	char rel[]; /* path from the start of the walk, as messages and lists show it */
};

void walk_hold(struct walk_dir *dir);
void walk_release(struct walk_dir *dir);

enum walk_event {
	WALK_END,  /* the walk is over */
	WALK_DIR,  /* a directory begins: the next events are inside it */
	WALK_UP,   /* the directory ends */
	WALK_FILE, /* a regular file; not opened */
	WALK_LINK,
	WALK_SPECIAL,
	WALK_SKIP,   /* an entry that can't be walked, and why */
	WALK_HIDDEN, /* an entry that the filter leaves out */
};

struct walk_item {
	enum walk_event event;
	struct walk_dir *dir; /* the directory that holds the entry; NULL above the top entry */
	const char *name;    /* valid up to the next call; of the top entry, its path in messages */
	const char *fs_name; /* its name in dir */
	struct stat st;
	bool whole;	       /* UP: all entries of the directory were found */
	const char *why;       /* SKIP */
	char target[PATH_MAX]; /* LINK */
	size_t target_len;
};

struct walk_level;
struct walk {
	struct walk_level *level;   /* the innermost directory */
	unsigned int depth, n_open; /* n_open: directories that the walk or an entry holds */
	struct walk_dir *base;
	bool begun, into_dirs;
	bool one_fs;	       /* mount points below the top are listed and not entered */
	dev_t dev;	       /* of the top */
	struct filter *filter; /* entries to pass over; or NULL */
	char name[NAME_MAX + 1];
	char top[NAME_MAX + 1];
};

/*
 * Begins a walk at an entry of an open directory. `rel` is its path in messages; "" for a directory
 * of which only the contents count. Without into_dirs directories are skipped. dir is not closed.
 */
int walk_start(struct walk *w, int dir, const char *name, const char *rel, bool into_dirs,
	       struct copy_fault *f);
void walk_stop(struct walk *w);

/* Takes the next step. -1 if the walk can't go on: it is short of descriptors or memory. */
int walk_step(struct walk *w, struct walk_item *item, struct copy_fault *f);

#endif
