/* SPDX-License-Identifier: BSD-2-Clause */
/* Asking about files: the memfd behind the device looks like the kernel's character device. */
#include "client.h"
#include "real.h"
#include "sysfs.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/sysmacros.h>

_Static_assert(sizeof(struct stat) == sizeof(struct stat64), "one stat on 64-bit machines");

static int cdev(struct stat *st)
{
	memset(st, 0, sizeof(*st));
	client_cdev_stat(st);
	return 0;
}

static int stat_at(int dir, const char *path, struct stat *st, int flags)
{
	char buf[PATH_MAX];

	if (client_is_cdev(path))
		return cdev(st);
	return real()->fstatat(dir, client_path(path, buf), st, flags);
}

static int stat_fd(int fd, struct stat *st)
{
	int rc = real()->fstat(fd, st);

	if (!rc && !client_idle() && client_find(fd))
		client_cdev_stat(st);
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

static void cdev_statx(struct statx *sx)
{
	struct stat st;

	cdev(&st);
	memset(sx, 0, sizeof(*sx));
	sx->stx_mask = STATX_TYPE | STATX_MODE | STATX_NLINK | STATX_UID | STATX_GID;
	sx->stx_mode = (uint16_t)st.st_mode;
	sx->stx_nlink = 1;
	sx->stx_rdev_major = major(st.st_rdev);
	sx->stx_rdev_minor = minor(st.st_rdev);
}

int statx(int dir, const char *path, int flags, unsigned int mask, struct statx *sx)
{
	char buf[PATH_MAX];

	if (client_is_cdev(path)) {
		cdev_statx(sx);
		return 0;
	}
	return real()->statx(dir, client_path(path, buf), flags, mask, sx);
}

int access(const char *path, int mode)
{
	return faccessat(AT_FDCWD, path, mode, 0);
}

int faccessat(int dir, const char *path, int mode, int flags)
{
	char buf[PATH_MAX];

	if (!client_is_cdev(path))
		return real()->faccessat(dir, client_path(path, buf), mode, flags);
	if (!(mode & X_OK))
		return 0;
	errno = EACCES;
	return -1;
}

ssize_t readlink(const char *path, char *to, size_t size)
{
	return readlinkat(AT_FDCWD, path, to, size);
}

ssize_t readlinkat(int dir, const char *path, char *to, size_t size)
{
	char buf[PATH_MAX];

	return real()->readlinkat(dir, client_path(path, buf), to, size);
}

/* What ls -l asks of every path, for access control lists. */
ssize_t getxattr(const char *path, const char *name, void *value, size_t size)
{
	char buf[PATH_MAX];

	return real()->getxattr(client_path(path, buf), name, value, size);
}

ssize_t lgetxattr(const char *path, const char *name, void *value, size_t size)
{
	char buf[PATH_MAX];

	return real()->lgetxattr(client_path(path, buf), name, value, size);
}
