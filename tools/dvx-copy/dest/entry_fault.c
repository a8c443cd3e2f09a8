/* SPDX-License-Identifier: BSD-2-Clause */
/* Decides which failures concern one entry, and which end the copy (doc/design/0070). */
#include "dest.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>

/* Whether dir is on the destination's own file system, not on one mounted below. */
static bool fault_is_on_dest_fs(const struct dest *d, int dir)
{
	struct stat st;

	return dir < 0 || fstat(dir, &st) || st.st_dev == d->dev;
}

/* Whether the destination itself is read-only; a part of the tree may be mounted so. */
static bool fault_is_read_only(const struct dest *d)
{
	struct statvfs v;

	return d->base < 0 || fstatvfs(d->base, &v) || v.f_flag & ST_RDONLY;
}

/* Whether the next entry would fail as well. */
static bool fault_recurs(const struct dest *d, int dir, int err)
{
	switch (err) {
	case EMFILE:
	case ENFILE:
	case ENOMEM:
		return true;
	case ENOSPC:
	case EIO:
		return fault_is_on_dest_fs(d, dir);
	case EROFS:
		return fault_is_read_only(d);
	default:
		return false;
	}
}

int dest_skip(const struct dest *d, const struct dest_dir *dir, const char *name, const char *why)
{
	char path[PATH_MAX];

	return role_skip(d->role, path_join(path, dir->path, name), why);
}

int dest_fault(struct dest *d, const struct dest_dir *dir, const char *what, const char *name)
{
	int err = errno;
	char path[PATH_MAX];

	if (fault_recurs(d, dir->fd, err))
		return copy_fail(d->f, COPY_IO, "%s could not be %s: %s", DEST_WHERE(dir, name),
				 what, strerror(err));
	errno = err;
	return dest_fault_at(d, dir->fd, path_join(path, dir->path, strcmp(name, ".") ? name : ""),
			     what);
}

int dest_fault_at(struct dest *d, int dir, const char *path, const char *what)
{
	int err = errno;
	size_t n = strlen(path);
	char why[160];

	if (fault_recurs(d, dir, err))
		return copy_fail(d->f, COPY_IO, "%s could not be %s: %s", QUOTED(path, n), what,
				 strerror(err));
	snprintf(why, sizeof(why), "could not be %s at the destination: %s", what, strerror(err));
	return role_skip(d->role, path, why) ? -1 : 1;
}
