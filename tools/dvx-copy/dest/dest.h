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
#include "base/path.h"
#include "base/verdict.h"
#include "wire/role.h"

/*
 * The tree that is written. A sender may be hostile: every name is checked to be one component,
 * every open is relative to a directory that this transfer holds open, and no symbolic link is
 * followed below DEST.
 *
 * Entries finish late: data of a file arrives after the next entries were listed, and a directory's
 * times must be set after everything in it. So a directory counts its users (itself while
 * it is listed, its subdirectories, its unfinished files) and is finished when there are none.
 */

#define TEMP_PREFIX ".dvx-copy."
#define TEMP_PART   ".part"
#define TEMP_BYTES  40

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
	struct copy_role *role;
	struct copy_options options; /* the role's, without what only root can do */
	struct copy_counts *counts;
	struct copy_fault *f;
	struct dest_dir *now;			 /* the directory being listed */
	struct dest_file *open, *flying, *ready; /* flying: the workers have them */
	struct dest_file *synced;		 /* the group that is being synced */
	bool syncing;				 /* by a worker */
	unsigned int ready_files, flying_files;
	bool ready_closed; /* a ready file was closed */
	struct workers *workers;
	unsigned int dirs_open, parts_open;
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
	bool dir_seen; /* the current directory also comes from an earlier source */
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

/* The result for an entry: a verdict, and the file to be written if its data is wanted. */
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
	       bool is_dir);

/* Opens DEST itself, if it is a directory. */
int dest_open(const struct dest_plan *plan);

int dest_add_dir(struct dest *d, const struct copy_msg *m, struct dest_found *found);
int dest_up(struct dest *d, const struct copy_msg *m);
int dest_keep(struct dest *d, const struct copy_msg *m);
int dest_add_link(struct dest *d, const struct copy_msg *m, struct dest_found *found);
int dest_add_special(struct dest *d, const struct copy_msg *m, struct dest_found *found);
int dest_add_file(struct dest *d, const struct copy_msg *m, struct dest_found *found);
int dest_add_xattr(struct dest *d, const struct copy_msg *m);
int dest_add_owner(struct dest *d, const struct copy_msg *m);

/* Checks that a piece lies within the file, which is unfinished until dest_write() gets it. */
int dest_expect(const struct dest *d, struct dest_file *file, const struct msg_piece *p);
int dest_write(struct dest *d, struct dest_file *file, const void *p, size_t n, uint64_t off);
int dest_end_file(struct dest *d, struct dest_file *file, bool broken);

/* Settles jobs that the workers have finished. Returns their number. */
int dest_reap(struct dest *d);

/* Whether a full group waits for the sync of the one before: nothing may be written until then. */
bool dest_is_full(const struct dest *d);

/* Syncs and renames the complete files; without force only if there are enough of them. */
int dest_commit(struct dest *d, bool force);

/* Ends a source that was listed and written completely. */
int dest_finish(struct dest *d);

/* Removes unfinished files. Does nothing after dest_finish(). */
void dest_abort(struct dest *d);

bool dest_name_ok(struct copy_bytes name);

/* --- shared by the files of this folder --- */

/* Fails as the sender broke the protocol. */
#define dest_breach(d, what, ...) \
	copy_fail((d)->f, COPY_PROTOCOL, "the sender " what, ##__VA_ARGS__)

/* Reports an entry of a directory that was not copied whole. */
int dest_skip(const struct dest *d, const struct dest_dir *dir, const char *name, const char *why);

/* 1: an earlier source has an entry of this path, which takes precedence. */
int dest_name(struct dest *d, const struct copy_msg *m, char to[NAME_MAX + 1]);

/* Makes a read-only directory writable. Returns whether the mode changed. */
bool dest_make_writable(int fd, const struct stat *st);

/*
 * Keeps descriptors free when a directory or a part was opened, of which `open` are. Files that wait
 * for the sync hold descriptors, so they are committed. A sender that holds more than the window is
 * refused.
 */
int dest_spare(struct dest *d, unsigned int open);

/* Drops one reference. The last one finishes the directory. */
int dest_dir_unref(struct dest *d, struct dest_dir *dir);

/* Formats the path of an entry for messages. */
#define DEST_WHERE(dir, name) dest_where((char[520]){0}, (dir), (name))
const char *dest_where(char to[520], const struct dest_dir *dir, const char *name);

/*
 * Handles a failure: an entry could not be WHAT ("written"), for the reason in errno. 1: it was
 * reported, and the copy goes on without the entry. -1: the next entry would fail as well, so the
 * copy ends.
 */
int dest_fault(struct dest *d, const struct dest_dir *dir, const char *what, const char *name);

#define FAULT_META "given its owner, mode, attributes or times"
#define FAULT_NAME "given its name"

/* Like dest_fault(), for an entry given by its path. dir is its directory's descriptor, or -1. */
int dest_fault_at(struct dest *d, int dir, const char *path, const char *what);

void dest_drop_files(struct dest *d);

#define REMEMBER_MOST (UINT64_C(4) << 30)

/* Returns the memory that a kept name of n bytes takes, with its bookkeeping. */
static inline uint64_t dest_weight(size_t n)
{
	return n + 96;
}

/* Counts a kept name against the limit: a sender can't exhaust the memory. */
int dest_remember(struct dest *d, size_t n);

/* --- temp.c --- */

/*
 * Returns an id of machine, boot and PID namespace, in which process numbers are unique. The first
 * call finds it, and has to come before confine(), which closes /proc.
 */
uint32_t temp_home(void);

/* Makes a name that is unique to this process. -1, and errno: there are no random bytes. */
int temp_name(char to[TEMP_BYTES]);

/* Makes the name that each copy of this version of a file uses, to continue the one before. */
void temp_part_name(char to[TEMP_BYTES], const char *name, uint64_t size,
		    const struct timespec *mtime);

/* Whether temp_clean() may remove a file of this name. */
bool temp_is_reserved(const char *name);

/* Removes what killed copies left in a directory. Returns whether there was anything. */
bool temp_clean(int dir);

/* --- meta.c --- */

/* Takes the attributes that are to be kept of an entry, with its pending extended attributes. */
void meta_take(struct dest *d, const struct copy_msg *m, struct dest_meta *meta);
void meta_free(struct dest_meta *meta);

/*
 * Settles mode and owner for this end: st is the existing entry's, or NULL. Returns, as verdict
 * bits, how that entry differs from the source's. name is the entry's in dir.
 */
uint32_t meta_compare(struct dest *d, const struct dest_dir *dir, const char *name,
		      const struct stat *st, struct dest_meta *meta);

/* Returns the mode bits that a directory keeps without -p: a shared group's set-group-id. */
uint32_t meta_inherited(const struct dest *d, const struct stat *st);

/* Whether a time of this end equals the source's, within --modify-window. */
bool meta_same_time(const struct dest *d, const struct timespec *theirs,
		    const struct timespec *ours);

/* Whether owner or group are to be set. */
bool meta_owned(const struct dest_meta *meta);

/* Sets them through an open descriptor. 1: not all could be set, which was reported. */
int meta_apply(struct dest *d, const struct dest_dir *dir, const char *name, int fd,
	       const struct dest_meta *meta);

/*
 * Sets them for a file that was just made and has no extended attributes to get. Any thread may
 * call it. *owner_stays: owner or group could not be set. -1, and errno: something else could not.
 */
int meta_apply_plain(int fd, const struct dest_meta *meta, bool *owner_stays);
/* Sets a directory's mode, unless somebody else's directory has it already. */
int meta_chmod_dir(int fd, uint32_t mode);
#define META_OWNER_STAYS "its owner or group can't be set here"

/* Like meta_apply(), for an entry that is not open, such as a symbolic link. */
int meta_apply_at(struct dest *d, const struct dest_dir *dir, const char *name, bool is_link,
		  const struct dest_meta *meta);

/* Returns the local number of the source's user or group. */
uint32_t meta_owner(const struct dest *d, uint32_t id, bool group);

/* Frees the pending attributes and the table of owners. */
void meta_forget(struct dest *d);

/* --- xattr.c --- */

/* Compares the entry's attributes with the wanted ones. Returns VERDICT_ACL and VERDICT_XATTR. */
uint32_t xattr_compare(const struct dest *d, const struct dest_dir *dir, const char *name,
		       const struct dest_meta *want);

/* Returns the mode until the ACL is set: without group bits that only its mask grants. */
uint32_t xattr_narrow(const struct dest *d, const struct dest_meta *want, uint32_t mode);

/*
 * Sets the ACLs, or the other attributes, through a path or, if that is NULL, a descriptor.
 * Failures are reported; -1 if the report failed.
 */
int xattr_apply(struct dest *d, const struct dest_dir *dir, const char *name, const char *path,
		int fd, int nofollow, const struct dest_meta *want, bool acls);

/* Reports the next entry if some of its attributes are not kept. */
int xattr_report_lost(struct dest *d, const char *name);

void xattr_free(struct dest_xattr *list);

/* --- commit.c --- */

/* Takes a file whose data is complete, on the ready list. 1: it failed, which was reported. */
int commit_add(struct dest *d, struct dest_file *file);

/* Like commit_add(), for a file whose attributes are set; workers may have closed it. */
int commit_ready(struct dest *d, struct dest_file *file);

/*
 * Gives the file its name. Any thread may call it. Clears file->temp at once, because the copy may
 * be given up before the file is settled.
 */
int commit_rename(struct dest_file *file);

/* Settles a file that has its name. */
int commit_named(struct dest *d, struct dest_file *file);

/* Whether each file is synced by itself, and whether the ready files are few enough for that. */
bool commit_each(const struct dest *d);
bool commit_is_single(const struct dest *d);

/* Settles a finished job of this file, not of write_give(). */
int commit_settle(struct dest *d, struct worker_job *job);

/* Makes the names of a directory's new entries durable, at once or at the end. */
int commit_dir(struct dest *d, int fd, const char *where);

/* Ends a source: makes the names of its files durable. */
int commit_end(struct dest *d);

/* --- file.c --- */

void file_link_to(struct dest_file **list, struct dest_file *file);
void file_unlink_from(struct dest_file *file);

/* Whether -u leaves the entry that is there alone. */
bool file_is_newer(const struct dest *d, const struct stat *st, const struct copy_msg *m);
uint32_t file_first_mode(const struct dest *d, struct dest_file *file);
int file_drop(struct dest *d, struct dest_file *file);

/* Takes the file off its list and drops it: it is not copied. */
int file_leave(struct dest *d, struct dest_file *file);

/* Flushes a file before it gets its name. -1, and errno: some of its data is lost. */
int file_close(struct dest_file *file);

/* --- write.c --- */

/*
 * Whole small files are written by the workers, many in one job: made, filled, given mode and
 * times, and named or left to the group's sync. The receiver's own thread writes all others.
 */

/* Whether this piece is a whole file that the workers can write. */
bool write_is_whole(const struct dest *d, const struct dest_file *file, uint64_t off, uint32_t len);

/* Gives these files of a slot to the workers in one job, which ends in d->slot_done(). */
struct write_piece {
	struct dest_file *file;
	const void *bytes;
};
#define WRITE_MOST 64u /* files in one job, all of one directory */
int write_give(struct dest *d, uint32_t slot, const struct write_piece *pieces, uint32_t n);

/* Waits for all jobs of the workers. */
int write_drain(struct dest *d);

/* Like write_drain(), for a copy that is given up: jobs that no thread has begun are cancelled. */
void write_abandon(struct dest *d);

/* Writes all bytes. -1, and errno: it failed. */
int place_bytes(int fd, const void *from, size_t n, uint64_t off);

/* --- parts, in file.c --- */

/*
 * Parts: a large file is written under a name that the next copy of the same version finds. Name,
 * size and time do not prove that it is the same version, so the receiver offers the part to the
 * sender by sums of its blocks, and the sender answers how much of it equals the source's.
 */

/* Opens the part of a wanted file, or makes it. file->part is the number of bytes already there. */
void part_open(struct dest_file *file);

/* Computes the sums of the part's DIGEST_BLOCKS blocks at most. Returns bytes, 0 on failure. */
uint32_t part_sums(const struct dest_file *file, uint8_t *sums, struct alive *alive);

/* --- hard.c --- */

/*
 * -H: the first listed link is copied; the others are linked to it when all files have their names.
 * 1: this entry is one of the others. 0: it is to be copied.
 */
int hard_later(struct dest *d, const struct copy_msg *m, const char *name,
	       struct dest_found *found);

/* Notes the verdict of the first link: it may be up to date, and stay, or be left out. */
void hard_judged(struct dest *d, uint32_t id, uint32_t verdict);

/* Notes that the first link could not be copied: the next one that is listed takes its place. */
void hard_lose(struct dest *d, uint32_t id);

/* Makes the links of a source. A later source may have more of them. */
int hard_finish(struct dest *d);
void hard_forget(struct dest *d);

/* --- seen.c --- */

/*
 * Remembers the paths of entries that the source has, for --delete: those of a directory until it
 * is finished.
 *
 * If several sources may have entries of one path ("a/ b/"), all paths are remembered. As with
 * rsync, directories are merged, of other entries the first one counts, and --delete deletes at the
 * end what none of the sources has.
 */
struct dest_seen;

/* merges: sources may have entries of one path. Returns NULL if there is no memory. */
struct dest_seen *seen_new(bool merges);
void seen_free(struct dest_seen *seen);

/*
 * Notes an entry. 1: an earlier source's takes precedence. 0: make this one; d->dir_seen tells
 * whether it is a directory that an earlier source has too.
 */
int seen_add(struct dest *d, const char *name, bool is_dir);

/* Whether an earlier source was the contents of a directory, so that DEST is that directory. */
bool seen_dest(const struct dest *d);

/* Ends a directory. whole: all of its entries were listed, so that others can be deleted. */
int seen_end(struct dest *d, struct dest_dir *dir, bool whole);

/* Frees the names of a directory, unless another source may have entries of their paths. */
void seen_forget(struct dest *d, struct dest_dir *dir);

/* Notes that a source could not be listed: nothing is deleted then. */
void seen_fail(struct dest *d);

/* Deletes, after the last of several sources, what none has. */
int seen_delete(struct dest *d, const struct dest_plan *plan);

/* --- delete.c --- */

/*
 * Removes a directory where an entry of another kind is to be made. As with rsync, the directory
 * has to be empty, unless --delete is given. 1: removed. 0: it stays, which was reported.
 */
int delete_in_way(struct dest *d, const char *name);

/* Deletes an entry and everything in it. path is the entry's, from the copy's base. */
int delete_entry(struct dest *d, int dir, const char *path, const char *name);

/* Whether -x protects the directory fd: its parent is on another file system. */
bool delete_is_mounted(const struct dest *d, int parent, int fd);

/* Whether the name is a temporary file's, which may belong to another running copy. */
bool delete_is_temporary(const char *name);

#endif
