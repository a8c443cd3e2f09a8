/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_DEST_H
#define DVX_COPY_DEST_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <time.h>

#include "base/alive.h"
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

/* What is kept of an entry besides its data. */
struct dest_meta {
	uint32_t mode, uid, gid;
	struct timespec mtime;
	struct dest_xattr *xattrs;
	bool has_mode;	  /* the entry was made with its mode */
	bool xattrs_lost; /* it has more than is kept: those that are no ACLs stay behind */
};

struct dest_dir {
	struct dest_dir *parent;
	int fd; /* -1 in a dry run, where the directory would have to be made */
	unsigned int refs, depth;
	bool theirs; /* the user's DEST, which existed before: mode and times stay */
	bool opened; /* theirs, and writable for this copy only: meta.mode is its own */
	bool dirty;  /* an entry of it changed, or it did: there is something to finish */
	bool fresh;  /* made by this copy: nothing can be in the way */
	enum { ACL_UNKNOWN, ACL_NONE, ACL_SOME } acl; /* its default ACL, which new entries get */
	enum { UNNAMED_UNKNOWN, UNNAMED_NO, UNNAMED_YES } unnamed; /* of place_file() */
	bool again; /* an earlier source's: it keeps what that gave it */
	bool lost;  /* it could not be made or opened: what is in it is left out */
	struct dest_meta meta;
	char **names; /* listed entries, with --delete */
	size_t n_names, room_names;
	char path[]; /* from the directory that the copy began in */
};

struct dest_file {
	struct dest_file *next, **link;
	struct dest_dir *dir;
	int fd;
	bool made, ended, broken; /* broken: the sender could not read all of it */
	bool failed;		  /* told: what arrives of it is passed over */
	struct dest_meta meta;
	uint64_t size, at;	    /* at: how far pieces were announced */
	uint64_t expected, written; /* bytes announced, and those in the file */
	uint64_t behind;	    /* bytes since the disk was last told to write */
	uint64_t part;	       /* bytes of an earlier copy that the sender has not judged yet */
	uint64_t taken;	       /* bytes of an earlier copy that are the source's */
	struct timespec stamp; /* the source's time */
	char name[NAME_MAX + 1], temp[TEMP_BYTES];
	const char *why; /* the workers could not do this, and errno */
	int err;
	int meta_err;	  /* its attributes could not all be set */
	uint32_t hard;	  /* its number among files with several links, or 0 */
	bool owner_stays; /* it could not be given to its owner */
	bool is_new;	  /* when it was listed its name was free */
	bool named_only;  /* it could not be made without a name */
	bool is_part;	  /* the temporary is one that the next copy finds: part.h */
};

struct dest_hard;

struct dest {
	struct copy_options options;
	struct copy_counts *counts;
	struct dest_dir *now;			 /* the directory being listed */
	struct dest_file *open, *flying, *ready; /* flying: the workers have them */
	struct dest_file *synced;		 /* the group whose sync goes on */
	bool syncing;				 /* by a worker */
	unsigned int ready_files, flying_files;
	bool ready_closed; /* one of those that are ready is not open any more */
	struct workers *workers;
	unsigned int dirs_open, parts_open, most; /* of either, before those that wait are synced */
	uint64_t ready_bytes;
	uint64_t renamed;    /* entries of this source that have their names */
	uint64_t remembered; /* bytes of names, for --delete and of hard links */
	dev_t dev;	     /* of the base */
	bool other_fs;	     /* a directory lies on another file system */
	bool top_done, into; /* into: the top entry is DEST itself */
	int base;	     /* the directory that the copy began in */
	char top[NAME_MAX + 1];
	struct dest_xattr *xattrs; /* of the next entry */
	uint32_t xattr_bytes[2];   /* of these; of ACLs */
	bool xattrs_lost;	   /* they were too many */
	struct dest_hard **hard;   /* by id */
	uint32_t n_hard;
	struct dest_late *late; /* hard links to be made at the end */
	void *owners;		/* a tree of struct dest_owner */
	uint32_t n_owners;
	struct dest_seen *seen; /* of several sources that may have the same paths; or NULL */
	bool again;		/* the directory is one of an earlier source, too */
	uint32_t umask;
	/* Tells that an entry was not copied whole, or was deleted. */
	int (*skip)(void *arg, const char *path, const char *why);
	int (*gone)(void *arg, const char *path);
	/* A job of write_give() needs the slot no longer. */
	int (*slot_done)(void *arg, uint32_t slot);
	void *arg;
	struct alive alive;
	bool keep; /* unfinished files stay for the next copy, if they are parts */
};

/* How DEST names the entries to be made; see dest_begin. */
struct dest_plan {
	int root;	  /* DEST is relative to this directory and stays beneath it; or AT_FDCWD */
	const char *dest; /* as the user gave it */
	bool many;	  /* several sources: DEST has to be a directory */
	bool last;	  /* no more of them come after this connection */
	bool list;	  /* there is no DEST: a dry run shows what the source has */
	struct dest_seen *seen;
};

/* Of an entry: what was found, and the file to be written if its data is wanted. */
struct dest_found {
	uint32_t verdict;
	struct dest_file *file;
};

/*
 * As rsync: a source goes into DEST under its own name, and the contents of a directory ("dir/")
 * go into DEST itself; DEST is made if it is missing. A single file may be called DEST instead.
 */
int dest_begin(struct dest *d, const struct dest_plan *plan, const struct copy_msg *top,
	       bool is_dir, struct copy_fault *f);

/* DEST itself, if it is a directory. */
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

/* Checks that a piece lies in the file. The file waits for it until dest_write(). */
int dest_expect(struct dest_file *file, const struct msg_piece *p, struct copy_fault *f);
int dest_write(struct dest *d, struct dest_file *file, const void *p, size_t n, uint64_t off,
	       struct copy_fault *f);
int dest_end_file(struct dest *d, struct dest_file *file, bool broken, struct copy_fault *f);

/* Looks after what the workers have finished: how many jobs. */
int dest_reap(struct dest *d, struct copy_fault *f);

/* A group waits for the sync of the one before: no more is to be written. */
bool dest_is_full(const struct dest *d);

/* Syncs and renames the complete files; without force only if there are enough of them. */
int dest_commit(struct dest *d, bool force, struct copy_fault *f);

/* Finishes a source: everything has been listed and written. */
int dest_finish(struct dest *d, struct copy_fault *f);

/* Removes unfinished files. Harmless after dest_finish. */
void dest_abort(struct dest *d);

bool dest_name_ok(struct copy_bytes name);

/* --- what the files of this folder share --- */

/* 1: an earlier source has an entry of this path, which counts. */
int dest_name(struct dest *d, const struct copy_msg *m, char to[NAME_MAX + 1],
	      struct copy_fault *f);

/* A read-only directory, as copies make them too, refuses changes. Whether its mode was changed. */
bool dest_make_writable(int fd, const struct stat *st);

/* Releases one use of the directory. */
int dest_put(struct dest *d, struct dest_dir *dir, struct copy_fault *f);

/* Printable path of an entry, for messages. */
#define DEST_WHERE(dir, name) dest_where((char[520]){0}, (dir), (name))
const char *dest_where(char to[520], const struct dest_dir *dir, const char *name);

/* Path of an entry as lists give it; `to` has PATH_MAX bytes. */
const char *dest_path(char *to, const struct dest_dir *dir, const char *name);

/*
 * An entry could not be WHAT ("written"): errno. 1: the user was told, and the copy goes on without
 * it. -1: the next one would fare no better, and the copy ends.
 */
int dest_fault(struct dest *d, const struct dest_dir *dir, const char *what, const char *name,
	       struct copy_fault *f);

#define FAULT_META "given its owner, mode, attributes or times"
#define FAULT_NAME "given its name"

/* The same of an entry by its path. dir is the descriptor of its directory, or -1. */
int dest_fault_at(struct dest *d, int dir, const char *path, const char *what,
		  struct copy_fault *f);

void dest_drop_files(struct dest *d);

#define REMEMBER_MOST (UINT64_C(4) << 30)

/* What a name of n bytes takes in memory, with what is kept beside it. */
static inline uint64_t dest_weight(size_t n)
{
	return n + 96;
}

/* Counts a name that is kept: a sender can't fill the memory. */
int dest_remember(uint64_t *have, size_t n, struct copy_fault *f);

#endif
