/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_FRONT_REAL_H
#define SIM_FRONT_REAL_H

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

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

/* Every libc function that the preload takes over: what lies behind it. */
/* clang-format off */
#define REAL_FUNCTIONS(X)                                                                          \
	X(open) X(open64) X(openat) X(openat64) X(fopen) X(fopen64) X(opendir)                     \
	X(stat) X(stat64) X(lstat) X(lstat64) X(fstat) X(fstat64) X(fstatat) X(fstatat64) X(statx) \
	X(__xstat) X(__xstat64) X(__lxstat) X(__lxstat64) X(__fxstat) X(__fxstat64)                \
	X(__fxstatat) X(__fxstatat64)                                                              \
	X(access) X(faccessat) X(readlink) X(readlinkat) X(getxattr) X(lgetxattr)                  \
	X(ioctl) X(close) X(write) X(mmap) X(mmap64) X(munmap) X(madvise) X(socket)
/* clang-format on */

struct real {
#define X(fn) __typeof__(&fn) fn;
	REAL_FUNCTIONS(X)
#undef X
};

/*
 * Resolved at once by the constructor (a fork child could find the loader's lock held), or by the
 * first call of a library that runs before it.
 */
const struct real *real(void);

#endif
