/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_DEST_H
#define DVX_COPY_DEST_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <time.h>

#include "base/alive.h"
#include "base/idmap.h"
#include "base/workers.h"
#include "base/fault.h"
#include "base/options.h"
#include "base/verdict.h"
#include "temp.h"
#include "wire/msg.h"

/*
 * The tree that is written. A sender may be hostile: every name is checked to be one component,
 * every open is relative to a directory that this transfer holds open, and no symbolic link is
 * followed below DEST.
 *
 * Entries finish late: data of a file arrives after the next entries were listed, and a directory's
 * times must be set after everything in it. So a directory counts its users (itself while
 * it is listed, its subdirectories, its unfinished files) and is finished when there are none.
 */

/* An extended attribute that an entry has at the source; ACLs are two of them. */
struct dest_xattr {
	struct dest_xattr *next;
	uint32_t n;
	uint8_t *value;
	char name[256];
};

/* The attributes of an entry that are to be kept. */
struct dest_meta {
	uint32_t mode, uid, gid;
	struct timespec mtime;
	struct dest_xattr *xattrs;
	bool has_mode;	  /* the temporary was made with its final mode */
	bool xattrs_lost; /* the source has more than fits: those that are not ACLs stay behind */
};

/* How a directory came to be at the destination. */
enum dest_origin {
	ORIGIN_OLD,
	ORIGIN_NEW,  /* made by this copy, so its names are free */
	ORIGIN_SEEN, /* an earlier source has it, too: its mode and times stay that source's */
	ORIGIN_LOST, /* it could not be made or opened: its entries are left out */
};

/* The attributes that a directory gets when everything in it is finished. */
enum dest_end {
	END_AS_IS,
	END_OLD_MODE, /* meta.mode: it was made writable during the copy */
	END_OLD_META, /* the mode and time that it had before the entries in it changed */
	END_META,     /* the source's */
};

struct dest_dir {
	struct dest_dir *parent;
	int fd; /* -1 in a dry run, if the directory would have to be made */
	unsigned int refs, depth;
	uint32_t mark; /* of the last count by dest_held() */
	enum dest_origin origin;
	enum dest_end end;
	bool dirty; /* it or an entry of it changed, so it has to be finished */
	enum { ACL_UNKNOWN, ACL_NONE, ACL_SOME } acl; /* default ACL, for new entries */
	enum { UNNAMED_UNKNOWN, UNNAMED_NO, UNNAMED_YES } unnamed; /* place_may_unname()'s result */
	struct dest_meta meta;
	struct seen_entry *names; /* listed entries, with --delete of one source */
	char path[];		  /* from the copy's base */
};

struct dest_file {
	struct dest_file *next, **link;
	struct dest_dir *dir;
	int fd;
	bool made, ended, broken; /* broken: the sender could not read all of it */
	bool failed;		  /* reported; its further data is ignored */
	struct dest_meta meta;
	uint64_t size, at;	    /* at: end of the pieces announced so far */
	uint64_t expected, written; /* bytes announced, and bytes written to the file */
	uint64_t behind;	    /* bytes written since the last start of writeback */
	uint64_t part;		    /* bytes of an interrupted copy, not checked yet */
	uint64_t taken;		    /* bytes of these that the sender found right */
	struct timespec stamp;	    /* the source's modification time */
	char name[NAME_MAX + 1], temp[TEMP_BYTES];
	const char *why; /* what the workers failed to do, with errno in err */
	int err;
	int meta_err;	  /* errno of setting its attributes */
	uint32_t hard;	  /* its id among hard-linked files, or 0 */
	bool owner_stays; /* the owner could not be set */
	bool is_new;	  /* its name was free when it was listed */
	bool named_only;  /* O_TMPFILE failed */
	bool is_part;	  /* the temporary is one that the next copy continues: part.h */
};

struct dest_hard;

struct dest {
	struct copy_options options;
	struct copy_counts *counts;
	struct dest_dir *now;			 /* the directory being listed */
	struct dest_file *open, *flying, *ready; /* flying: the workers have them */
	struct dest_file *synced;		 /* the group that is being synced */
	bool syncing;				 /* by a worker */
	unsigned int ready_files, flying_files;
	bool ready_closed; /* a ready file was closed */
	struct workers *workers;
	unsigned int dirs_open, parts_open;
	unsigned int window; /* directories and large files that the sender may hold open */
	uint32_t mark;
	uint64_t ready_bytes;
	uint64_t renamed;    /* entries of this source that were renamed */
	uint64_t remembered; /* bytes of names kept for --delete and hard links */
	dev_t dev;	     /* of the base */
	bool other_fs;	     /* part of the tree is on another file system */
	bool top_done, into; /* into: the top entry is DEST itself */
	int base;	     /* the directory that the copy began in */
	char top[NAME_MAX + 1];
	struct dest_xattr *xattrs; /* of the next entry */
	uint32_t xattr_bytes[2];   /* of the next entry, in reverse order */
	bool xattrs_lost;	   /* there were too many */
	struct dest_hard **hard;   /* by id */
	uint32_t n_hard;
	struct dest_late *late; /* hard links to be made at the end */
	idmap owners;		/* the source's to this end's */
	uint32_t n_owners;
	struct dest_seen *seen;
	bool dir_seen;		/* the current directory also comes from an earlier source */
	uint32_t umask;
	/* Report an entry that was not copied whole, and one that was deleted. */
	int (*skip)(void *arg, const char *path, const char *why);
	int (*gone)(void *arg, const char *path);
	/* Called when a job of write_give() no longer needs the slot. */
	int (*slot_done)(void *arg, uint32_t slot);
	void *arg;
	struct alive alive;
	bool keep; /* unfinished parts are kept for the next copy */
};

/* Describes DEST for dest_begin(). */
struct dest_plan {
	int root;	  /* DEST is relative to this directory and stays beneath it; or AT_FDCWD */
	const char *dest; /* as the user gave it */
	bool many;	  /* several sources: DEST has to be a directory */
	bool last;	  /* no connection after this one brings more */
	bool list;	  /* there is no DEST: a dry run lists what the source has */
	struct dest_seen *seen;
};

/*
 * The result of looking at an entry: a verdict, and the file to be written if its data is wanted.
 */
struct dest_found {
	uint32_t verdict;
	struct dest_file *file;
};

/*
 * Begins a source. As with rsync, a source goes into DEST under its own name, and the contents of a
 * directory ("dir/") go into DEST itself. DEST is made if it is missing. A single file may get the
 * name DEST instead.
 */
int dest_begin(struct dest *d, const struct dest_plan *plan, const struct copy_msg *top,
	       bool is_dir, struct copy_fault *f);

/* Opens DEST itself, if it is a directory. */
int dest_open(const struct dest_plan *plan);

int dest_add_dir(struct dest *d, const struct copy_msg *m, struct dest_found *found,
		 struct copy_fault *f);
int dest_up(struct dest *d, const struct copy_msg *m, struct copy_fault *f);
int dest_keep(struct dest *d, const struct copy_msg *m, struct copy_fault *f);
int dest_add_link(struct dest *d, const struct copy_msg *m, struct dest_found *found,
		  struct copy_fault *f);
int dest_add_special(struct dest *d, const struct copy_msg *m, struct dest_found *found,
		     struct copy_fault *f);
int dest_add_file(struct dest *d, const struct copy_msg *m, struct dest_found *found,
		  struct copy_fault *f);
int dest_add_xattr(struct dest *d, const struct copy_msg *m, struct copy_fault *f);
int dest_add_owner(struct dest *d, const struct copy_msg *m, struct copy_fault *f);

/*
 * Checks that a piece lies within the file. The file stays unfinished until dest_write() gets the
 * piece.
 */
int dest_expect(struct dest_file *file, const struct msg_piece *p, struct copy_fault *f);
int dest_write(struct dest *d, struct dest_file *file, const void *p, size_t n, uint64_t off,
	       struct copy_fault *f);
int dest_end_file(struct dest *d, struct dest_file *file, bool broken, struct copy_fault *f);

/* Settles jobs that the workers have finished. Returns their number. */
int dest_reap(struct dest *d, struct copy_fault *f);

/* Whether a full group waits for the sync of the one before: nothing may be written until then. */
bool dest_is_full(const struct dest *d);

/* Syncs and renames the complete files; without force only if there are enough of them. */
int dest_commit(struct dest *d, bool force, struct copy_fault *f);

/* Ends a source that was listed and written completely. */
int dest_finish(struct dest *d, struct copy_fault *f);

/* Removes unfinished files. Does nothing after dest_finish(). */
void dest_abort(struct dest *d);

bool dest_name_ok(struct copy_bytes name);

/* --- shared by the files of this folder --- */

/* 1: an earlier source has an entry of this path, which takes precedence. */
int dest_name(struct dest *d, const struct copy_msg *m, char to[NAME_MAX + 1],
	      struct copy_fault *f);

/*
 * Makes a read-only directory writable; copies may have made it read-only. Returns whether the mode
 * changed.
 */
bool dest_make_writable(int fd, const struct stat *st);

/*
 * Keeps descriptors free when a directory or a part was opened, of which `open` are. Files that wait
 * for the sync hold descriptors, so they are committed. A sender that holds more than the window is
 * refused.
 */
int dest_spare(struct dest *d, unsigned int open, struct copy_fault *f);

/* Drops one reference. The last one finishes the directory. */
int dest_dir_unref(struct dest *d, struct dest_dir *dir, struct copy_fault *f);

/* Formats the path of an entry for messages. */
#define DEST_WHERE(dir, name) dest_where((char[520]){0}, (dir), (name))
const char *dest_where(char to[520], const struct dest_dir *dir, const char *name);

/* Builds the path of an entry as lists show it; `to` has PATH_MAX bytes. */
const char *dest_path(char *to, const struct dest_dir *dir, const char *name);

/*
 * Handles a failure: an entry could not be WHAT ("written"), for the reason in errno. 1: it was
 * reported, and the copy goes on without the entry. -1: the next entry would fail as well, so the
 * copy ends.
 */
int dest_fault(struct dest *d, const struct dest_dir *dir, const char *what, const char *name,
	       struct copy_fault *f);

#define FAULT_META "given its owner, mode, attributes or times"
#define FAULT_NAME "given its name"

/* Like dest_fault(), for an entry given by its path. dir is its directory's descriptor, or -1. */
int dest_fault_at(struct dest *d, int dir, const char *path, const char *what,
		  struct copy_fault *f);

void dest_drop_files(struct dest *d);

#define REMEMBER_MOST (UINT64_C(4) << 30)

/* Returns the memory that a kept name of n bytes takes, with its bookkeeping. */
static inline uint64_t dest_weight(size_t n)
{
	return n + 96;
}

/* Counts a kept name against the limit: a sender can't exhaust the memory. */
int dest_remember(uint64_t *have, size_t n, struct copy_fault *f);

#endif
