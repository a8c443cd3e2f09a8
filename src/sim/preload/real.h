/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_PRELOAD_REAL_H
#define SIM_PRELOAD_REAL_H

#include <dirent.h>
#include <fcntl.h>
#include <glob.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/xattr.h>
#include <unistd.h>
#include <utime.h>
#include "hooks.h"

/* Entry points of glibc before 2.33, and of programs built with _FORTIFY_SOURCE. */
int __xstat(int ver, const char *path, struct stat *st);
int __lxstat(int ver, const char *path, struct stat *st);
int __fxstat(int ver, int fd, struct stat *st);
int __fxstatat(int ver, int dir, const char *path, struct stat *st, int flags);
int __xstat64(int ver, const char *path, struct stat64 *st);
int __lxstat64(int ver, const char *path, struct stat64 *st);
int __fxstat64(int ver, int fd, struct stat64 *st);
int __fxstatat64(int ver, int dir, const char *path, struct stat64 *st, int flags);
int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
int __openat_2(int dir, const char *path, int flags);
int __openat64_2(int dir, const char *path, int flags);
ssize_t __readlink_chk(const char *path, char *to, size_t size, size_t room);
ssize_t __readlinkat_chk(int dir, const char *path, char *to, size_t size, size_t room);
char *__realpath_chk(const char *path, char *to, size_t room);
char *__getcwd_chk(char *buf, size_t size, size_t room);

typedef int (*dirent_filter)(const struct dirent *);
typedef int (*dirent_order)(const struct dirent **, const struct dirent **);
typedef int (*dirent64_filter)(const struct dirent64 *);
typedef int (*dirent64_order)(const struct dirent64 **, const struct dirent64 **);

/* The functions behind the hooks. */
struct real {
#define X(function, ...)		       __typeof__(&function) function;
#define X_PATH(result, failure, function, ...) X(function)
	HOOKS_PATH(X_PATH) HOOKS_PATHS(X) HOOKS_WRITTEN(X) HOOKS_FD(X)
#undef X_PATH
#undef X
};

/*
 * Returns the table, which is filled by the constructor (a fork child could find the loader's lock
 * held) or by the first call of a library that runs before it.
 */
const struct real *real(void);

#endif
