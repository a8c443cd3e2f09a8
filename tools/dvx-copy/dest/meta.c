/* SPDX-License-Identifier: BSD-2-Clause */
/* Modes, owners and times of entries. */
#include "dest.h"
#include "base/account.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NOT_KEPT UINT32_MAX /* tells chown() to keep the id */

void meta_take(struct dest *d, const struct copy_msg *m, struct dest_meta *meta)
{
	*meta = (struct dest_meta){.mode = m->mode,
				   .uid = m->uid,
				   .gid = m->gid,
				   .mtime = {m->sec, m->nsec},
				   .xattrs = d->xattrs,
				   .xattrs_lost = d->xattrs_lost};
	d->xattrs = NULL;
	d->xattrs_lost = false;
	d->xattr_bytes[0] = d->xattr_bytes[1] = 0;
}

void meta_free(struct dest_meta *meta)
{
	xattr_free(meta->xattrs);
	meta->xattrs = NULL;
}

/* A directory of a shared group keeps its set-group-id unless -p asks for the source's mode. */
uint32_t meta_inherited(const struct dest *d, const struct stat *st)
{
	const bool exact = d->options.bits & OPTION_PERMS && !(d->options.bits & OPTION_PLAIN);

	return st && S_ISDIR(st->st_mode) && !exact ? st->st_mode & S_ISGID : 0;
}

bool meta_same_time(const struct dest *d, const struct timespec *theirs,
		    const struct timespec *ours)
{
	const int64_t window = d->options.window, apart = theirs->tv_sec - ours->tv_sec;
	long unit = 1;

	if (!apart && theirs->tv_nsec == ours->tv_nsec) /* most files of a second copy */
		return true;
	if (window >= 0)
		return apart >= -window && apart <= window;
	/* The file system may store times in coarser units than nanoseconds. */
	while (window == WINDOW_DIGITS && unit < 1000000000 && ours->tv_nsec % (10 * unit) == 0)
		unit *= 10;
	return !apart && theirs->tv_nsec / unit == ours->tv_nsec / unit;
}

/*
 * Returns the mode to be set. Set-user-id and set-group-id are dropped unless the owner is kept:
 * they would grant the rights of the user who runs the copy.
 */
static uint32_t meta_mode(const struct dest *d, const struct dest_meta *meta, const struct stat *st)
{
	uint32_t bits = d->options.bits, keep = 01777;

	if (!(bits & OPTION_PERMS))
		return st ? st->st_mode & 07777 : meta->mode & 0777 & ~d->role->umask;
	if (bits & OPTION_PLAIN)
		return (meta->mode & keep) | meta_inherited(d, st);
	if (meta->uid != NOT_KEPT)
		keep |= 04000;
	if (meta->gid != NOT_KEPT)
		keep |= 02000;
	return meta->mode & keep;
}

bool meta_owned(const struct dest_meta *meta)
{
	return meta->uid != NOT_KEPT || meta->gid != NOT_KEPT;
}

uint32_t meta_compare(struct dest *d, const struct dest_dir *dir, const char *name,
		      const struct stat *st, struct dest_meta *meta)
{
	uint32_t bits = d->options.bits, v = 0;
	bool is_link = st && S_ISLNK(st->st_mode);

	meta->uid = bits & OPTION_OWNER ? meta_owner(d, meta->uid, false) : NOT_KEPT;
	meta->gid = bits & OPTION_GROUP ? meta_owner(d, meta->gid, true) : NOT_KEPT;
	meta->mode = meta_mode(d, meta, st);
	if (!(bits & OPTION_TIMES))
		meta->mtime.tv_nsec = UTIME_OMIT;
	if (!st)
		return 0;
	if (bits & OPTION_TIMES && !meta_same_time(d, &meta->mtime, &st->st_mtim))
		v |= VERDICT_TIME;
	if (!is_link && (st->st_mode & 07777) != meta->mode)
		v |= VERDICT_PERMS;
	if (meta->uid != NOT_KEPT && st->st_uid != meta->uid)
		v |= VERDICT_OWNER;
	if (meta->gid != NOT_KEPT && st->st_gid != meta->gid)
		v |= VERDICT_GROUP;
	return v | xattr_compare(d, dir, name, meta);
}

/* The way to reach an entry: an open descriptor, or a path. */
struct meta_way {
	int fd;
	const char *path;
	int follow; /* AT_SYMLINK_NOFOLLOW or 0 */
};

static int meta_stat(const struct meta_way *w, struct stat *st)
{
	return w->path ? fstatat(AT_FDCWD, w->path, st, w->follow) : fstat(w->fd, st);
}

/* Sets owner and group. Somebody else's entry, which allows no call at all, may have them already. */
static int meta_chown(const struct meta_way *w, uint32_t uid, uint32_t gid)
{
	struct stat st;

	if (!(w->path ? fchownat(AT_FDCWD, w->path, uid, gid, w->follow) : fchown(w->fd, uid, gid)))
		return 0;
	return !meta_stat(w, &st) && (uid == NOT_KEPT || uid == st.st_uid) &&
			       (gid == NOT_KEPT || gid == st.st_gid)
		       ? 0
		       : -1;
}

/* Sets owner and group. A failure is only reported: the user may not be in the group. */
static int meta_own(struct dest *d, const struct dest_dir *dir, const char *name,
		    const struct meta_way *w, const struct dest_meta *meta, uint32_t *mode)
{
	if (!meta_owned(meta) || !meta_chown(w, meta->uid, meta->gid))
		return 0;
	*mode &= ~06000u;
	return dest_skip(d, dir, name, META_OWNER_STAYS);
}

/* Sets the mode, unless somebody else's entry has it already. */
static int meta_chmod(const struct meta_way *w, uint32_t mode)
{
	struct stat st;

	if (!(w->path ? chmod(w->path, mode) : fchmod(w->fd, mode)))
		return 0;
	return errno == EPERM && !meta_stat(w, &st) && (st.st_mode & 07777) == mode ? 0 : -1;
}

int meta_chmod_dir(int fd, uint32_t mode)
{
	return meta_chmod(&(struct meta_way){.fd = fd}, mode);
}

/* Makes a read-only file writable for its attributes. Its mode is set after them. */
static void meta_make_writable(const struct dest *d, const struct meta_way *w)
{
	struct stat st;

	if (d->options.bits & OPTION_XATTRS && !meta_stat(w, &st) && !(st.st_mode & 0200))
		(void)!meta_chmod(w, (st.st_mode & 07777) | 0200);
}

/* Sets attributes, the mode, then ACLs: the mode's group bits are the ACL's mask. */
static int meta_set_mode(struct dest *d, const struct dest_dir *dir, const char *name,
			 const struct meta_way *w, const struct dest_meta *meta, uint32_t mode)
{
	const bool sets = !w->follow && !meta->has_mode;

	if (sets)
		meta_make_writable(d, w);
	if (xattr_apply(d, dir, name, w->path, w->fd, w->follow, meta, false) ||
	    (sets && meta_chmod(w, mode)))
		return -1;
	return xattr_apply(d, dir, name, w->path, w->fd, w->follow, meta, true);
}

static int meta_set(struct dest *d, const struct dest_dir *dir, const char *name,
		    const struct meta_way *w, const struct dest_meta *meta)
{
	struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, meta->mtime};
	/* The ACL widens the mode to its mask. If it can't be set, the mode stays narrow. */
	uint32_t mode = xattr_narrow(d, meta, meta->mode);

	if (meta_own(d, dir, name, w, meta, &mode) || meta_set_mode(d, dir, name, w, meta, mode))
		return -1;
	if (meta->mtime.tv_nsec == UTIME_OMIT)
		return 0;
	return w->path ? utimensat(AT_FDCWD, w->path, times, w->follow) : futimens(w->fd, times);
}

/* Ends meta_apply(). A report that did not reach the other end has set the fault already. */
static int meta_end(struct dest *d, const struct dest_dir *dir, const char *name, int bad)
{
	return !bad ? 0 : d->f->code ? -1 : dest_fault(d, dir, FAULT_META, name);
}

int meta_apply(struct dest *d, const struct dest_dir *dir, const char *name, int fd,
	       const struct dest_meta *meta)
{
	const struct meta_way w = {.fd = fd};

	return meta_end(d, dir, name, meta_set(d, dir, name, &w, meta));
}

int meta_apply_plain(int fd, const struct dest_meta *meta, bool *owner_stays)
{
	struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, meta->mtime};
	uint32_t mode = meta->mode;

	*owner_stays = meta_owned(meta) && fchown(fd, meta->uid, meta->gid);
	if (*owner_stays)
		mode &= ~06000u;
	if (!meta->has_mode && fchmod(fd, mode))
		return -1;
	return meta->mtime.tv_nsec == UTIME_OMIT ? 0 : futimens(fd, times);
}

int meta_apply_at(struct dest *d, const struct dest_dir *dir, const char *name, bool is_link,
		  const struct dest_meta *meta)
{
	char path[PATH_MAX];
	struct meta_way w = {.path = path};
	int fd = -1, ret;

	if (is_link) {
		w.follow = AT_SYMLINK_NOFOLLOW;
		snprintf(path, sizeof(path), "/proc/self/fd/%d/%s", dir->fd, name);
	} else {
		/* O_NOFOLLOW: another program may have put a link there meanwhile. */
		fd = openat(dir->fd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
		if (fd < 0)
			return dest_fault(d, dir, "opened", name);
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	}
	ret = meta_end(d, dir, name, meta_set(d, dir, name, &w, meta));
	if (fd >= 0)
		close(fd);
	return ret;
}

/* --- users and groups --- */

#define OWNERS_MAX 65536u /* users and groups that a sender may name */

/* Maps by name, as rsync does; root stays root. */
int dest_add_owner(struct dest *d, const struct copy_msg *m)
{
	const bool group = m->flags & MSG_IS_GROUP;
	char name[ACCOUNT_ROOM];
	uint32_t *ours;

	if (d->n_owners++ == OWNERS_MAX)
		return dest_breach(d, "named more than %u owners", OWNERS_MAX);
	if (idmap_find(&d->owners, group, m->id)) /* the first name counts */
		return 0;
	ours = idmap_put(&d->owners, group, m->id);
	if (!ours)
		return copy_no_memory(d->f);
	memcpy(name, m->name.p, m->name.n);
	name[m->name.n] = '\0';
	*ours = m->id;
	if (m->id)
		account_id(name, group, ours);
	return 0;
}

uint32_t meta_owner(const struct dest *d, uint32_t id, bool group)
{
	const uint32_t *ours = idmap_find(&d->owners, group, id);

	return ours ? *ours : id;
}

void meta_forget(struct dest *d)
{
	idmap_free(&d->owners);
	xattr_free(d->xattrs);
	d->xattrs = NULL;
}
