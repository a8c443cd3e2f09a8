/* SPDX-License-Identifier: BSD-2-Clause */
/* Hooks of stat(): the device's memfd has the attributes of the kernel's character device. */
#include "cfile.h"
#include "client.h"
#include "paths.h"
#include "real.h"
#include "sysfs/sysfs.h"

#include <string.h>
#include <sys/sysmacros.h>

_Static_assert(sizeof(struct stat) == sizeof(struct stat64), "one stat on 64-bit machines");

static bool place_is_cm(const struct path_place *p)
{
	return p->kind == PLACE_NODE && !strcmp(p->name, CM_PATH);
}

static int stat_at(int dir, const char *path, struct stat *st, int flags)
{
	struct path_place place;
	const char *to = path_to(dir, path, path_at(flags), &place);
	int rc = real()->fstatat(dir, to, st, flags);

	if (!rc && place.kind == PLACE_NODE)
		client_cdev_stat(st, place_is_cm(&place));
	return rc;
}

static int stat_fd(int fd, struct stat *st)
{
	int rc = real()->fstat(fd, st);
	struct cfile *cf = rc || client_idle() ? NULL : client_find_stat(st);

	if (!rc && !cf)
		cf = client_adopt(fd, st);
	if (!rc && cf)
		client_cdev_stat(st, cf->cm);
	return rc;
}

static struct stat *narrow(struct stat64 *st)
{
	return (void *)st;
}

int stat(const char *path, struct stat *st)
{
	return stat_at(AT_FDCWD, path, st, 0);
}

int stat64(const char *path, struct stat64 *st)
{
	return stat_at(AT_FDCWD, path, narrow(st), 0);
}

int lstat(const char *path, struct stat *st)
{
	return stat_at(AT_FDCWD, path, st, AT_SYMLINK_NOFOLLOW);
}

int lstat64(const char *path, struct stat64 *st)
{
	return stat_at(AT_FDCWD, path, narrow(st), AT_SYMLINK_NOFOLLOW);
}

static bool is_empty(const char *path)
{
	return path && !*path;
}

int fstatat(int dir, const char *path, struct stat *st, int flags)
{
	if ((flags & AT_EMPTY_PATH) && is_empty(path) && dir >= 0)
		return stat_fd(dir, st);
	return stat_at(dir, path, st, flags);
}

int fstatat64(int dir, const char *path, struct stat64 *st, int flags)
{
	return fstatat(dir, path, narrow(st), flags);
}

int fstat(int fd, struct stat *st)
{
	return stat_fd(fd, st);
}

int fstat64(int fd, struct stat64 *st)
{
	return stat_fd(fd, narrow(st));
}

/* The versioned forms: on 64-bit machines every version means the same structure. */
int __xstat(int ver, const char *path, struct stat *st)
{
	(void)ver;
	return stat_at(AT_FDCWD, path, st, 0);
}

int __xstat64(int ver, const char *path, struct stat64 *st)
{
	(void)ver;
	return stat_at(AT_FDCWD, path, narrow(st), 0);
}

int __lxstat(int ver, const char *path, struct stat *st)
{
	(void)ver;
	return stat_at(AT_FDCWD, path, st, AT_SYMLINK_NOFOLLOW);
}

int __lxstat64(int ver, const char *path, struct stat64 *st)
{
	(void)ver;
	return stat_at(AT_FDCWD, path, narrow(st), AT_SYMLINK_NOFOLLOW);
}

int __fxstat(int ver, int fd, struct stat *st)
{
	(void)ver;
	return stat_fd(fd, st);
}

int __fxstat64(int ver, int fd, struct stat64 *st)
{
	(void)ver;
	return stat_fd(fd, narrow(st));
}

int __fxstatat(int ver, int dir, const char *path, struct stat *st, int flags)
{
	(void)ver;
	return fstatat(dir, path, st, flags);
}

int __fxstatat64(int ver, int dir, const char *path, struct stat64 *st, int flags)
{
	(void)ver;
	return fstatat(dir, path, narrow(st), flags);
}

static void cdev_statx(struct statx *sx, bool cm)
{
	struct stat st;

	client_cdev_stat(&st, cm);
	sx->stx_mode = (uint16_t)st.st_mode;
	sx->stx_nlink = (uint32_t)st.st_nlink;
	sx->stx_size = sx->stx_blocks = 0;
	sx->stx_rdev_major = major(st.st_rdev);
	sx->stx_rdev_minor = minor(st.st_rdev);
}

int statx(int dir, const char *path, int flags, unsigned int mask, struct statx *sx)
{
	struct path_place place;
	const char *to = path_to(dir, path, path_at(flags), &place);
	bool of_fd = flags & AT_EMPTY_PATH && is_empty(path) && !client_idle();
	struct cfile *cf = of_fd ? client_find(dir) : NULL;
	int rc = real()->statx(dir, to, flags, mask, sx);

	if (!rc && (cf || place.kind == PLACE_NODE))
		cdev_statx(sx, cf ? cf->cm : place_is_cm(&place));
	return rc;
}

#define FSTATFS_HOOK(name, by_path, type)                                                        \
	int name(int fd, struct type *fs)                                                        \
	{                                                                                        \
		return path_is_tree_fd(fd) ? real()->by_path("/sys", fs) : real()->name(fd, fs); \
	}

FSTATFS_HOOK(fstatfs, statfs, statfs)
FSTATFS_HOOK(fstatfs64, statfs64, statfs64)
FSTATFS_HOOK(fstatvfs, statvfs, statvfs)
FSTATFS_HOOK(fstatvfs64, statvfs64, statvfs64)
