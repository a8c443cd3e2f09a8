/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_DEST_H
#define DVX_COPY_DEST_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>
#include "base/fault.h"
#include "wire/msg.h"

/*
 * The tree that is written. A server may be hostile: every name is checked to be one component,
 * every open is relative to a directory that this transfer holds open, and no symbolic link is
 * followed below DEST.
 *
 * Entries finish late: chunks of a file arrive after the next file has started, and a directory's
 * times must be set after everything in it. So a directory counts its users (itself while
 * it is listed, its subdirectories, its unfinished files) and is finished when there are none.
 */
struct dest_dir {
	struct dest_dir *parent;
	int fd;
	unsigned int refs;
	bool theirs; /* the user's DEST, which existed before: mode and times stay */
	uint32_t mode;
	struct timespec mtime;
};

struct dest_file {
	struct dest_file *next, **link;
	struct dest_dir *dir;
	int fd;
	bool ended, broken; /* broken: the server could not read all of it */
	uint32_t mode;
	uint64_t size, sent, written; /* chunks the server sent, and those in the file */
	uint64_t behind;	      /* bytes since the disk was last told to write */
	struct timespec mtime;
	char name[NAME_MAX + 1], temp[32];
};

struct dest {
	struct dest_dir *now;	/* the directory being listed */
	struct dest_file *file; /* the file that chunks belong to */
	struct dest_file *open, *ready;
	unsigned int ready_files;
	uint64_t ready_bytes;
	bool top_done, into; /* into: the top entry is DEST itself, which exists */
	char top[NAME_MAX + 1];
	uint64_t files, dirs, links, bytes; /* finished */
};

/* How DEST and the source's path name the entry to be made; see dest_begin. */
struct dest_plan {
	const char *dest; /* as the user gave it */
	const char *base; /* last component of the source, "" for all that a directory holds */
	bool many;	  /* several sources: DEST has to be a directory */
};

/*
 * As cp -r: into an existing directory DEST the entry goes under its own name, else it is called
 * DEST. The contents of a source directory ("." or "dir/.") go into DEST itself.
 */
int dest_begin(struct dest *d, const struct dest_plan *plan, struct copy_fault *f);

int dest_add_dir(struct dest *d, const struct copy_msg *m, struct copy_fault *f);
int dest_up(struct dest *d, struct copy_fault *f);
int dest_add_link(struct dest *d, const struct copy_msg *m, struct copy_fault *f);
int dest_add_file(struct dest *d, const struct copy_msg *m, struct copy_fault *f);

/* Checks that a chunk lies in the current file. The file waits for it until dest_write(). */
struct dest_file *dest_expect(struct dest *d, const struct copy_msg *m, struct copy_fault *f);
int dest_write(struct dest *d, struct dest_file *file, const void *p, size_t n, uint64_t off,
	       struct copy_fault *f);
int dest_end_file(struct dest *d, const struct copy_msg *m, struct copy_fault *f);

/* Syncs and renames the complete files; without force only if there are enough of them. */
int dest_commit(struct dest *d, bool force, struct copy_fault *f);

/* Finishes the tree: everything has been listed and written. */
int dest_finish(struct dest *d, struct copy_fault *f);

/* Removes unfinished files. Harmless after dest_finish. */
void dest_abort(struct dest *d);

bool dest_name_ok(struct copy_bytes name);

/* --- what dest.c and dest_file.c share --- */

int dest_name(struct dest *d, const struct copy_msg *m, char to[NAME_MAX + 1],
	      struct copy_fault *f);

/* Releases one use of the directory. */
int dest_put(struct dest *d, struct dest_dir *dir, struct copy_fault *f);

/* Printable path of an entry, for messages. */
#define DEST_WHERE(dir, name) dest_where((char[520]){0}, (dir), (name))
const char *dest_where(char to[520], const struct dest_dir *dir, const char *name);

int dest_temp_name(char to[32], struct copy_fault *f);

void dest_drop_files(struct dest *d);

#endif
