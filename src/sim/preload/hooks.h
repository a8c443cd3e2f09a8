/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_PRELOAD_HOOKS_H
#define SIM_PRELOAD_HOOKS_H

/*
 * Every libc function that the preload takes over, in one place: the hooks, the pointers to what
 * lies behind them (real.h) and the test that walks them (tests/preload/hooks.c) are made from it.
 *
 * HOOKS_PATH(X): functions of one path, served by what path_to() makes of it.
 * X(result, failure, function, parameters, arguments of libc's, directory, use of the path)
 * The parameter is called path; libc gets `to` in its place.
 */
/* clang-format off */
#ifdef __SANITIZE_THREAD__
/* The sanitizer makes its log's folder before a hook, which is instrumented code, can run. */
#define HOOKS_MKDIR(X)
#else
#define HOOKS_MKDIR(X) X(int, -1, mkdir, (const char *path, mode_t mode), (to, mode), AT_FDCWD, PATH_MAKE)
#endif
#define HOOKS_PATH(X)                                                                              \
	X(DIR *, NULL, opendir, (const char *path), (to), AT_FDCWD, PATH_FOLLOW)                   \
	X(int, -1, scandir, (const char *path, struct dirent ***list, dirent_filter f, dirent_order o), \
	  (to, list, f, o), AT_FDCWD, PATH_FOLLOW)                                                 \
	X(int, -1, scandir64, (const char *path, struct dirent64 ***list, dirent64_filter f, dirent64_order o), \
	  (to, list, f, o), AT_FDCWD, PATH_FOLLOW)                                                 \
	X(int, -1, scandirat, (int dir, const char *path, struct dirent ***list, dirent_filter f, dirent_order o), \
	  (dir, to, list, f, o), dir, PATH_FOLLOW)                                                 \
	X(int, -1, scandirat64, (int dir, const char *path, struct dirent64 ***list, dirent64_filter f, dirent64_order o), \
	  (dir, to, list, f, o), dir, PATH_FOLLOW)                                                 \
	X(int, -1, access, (const char *path, int mode), (to, mode), AT_FDCWD, PATH_FOLLOW)        \
	X(int, -1, eaccess, (const char *path, int mode), (to, mode), AT_FDCWD, PATH_FOLLOW)       \
	X(int, -1, euidaccess, (const char *path, int mode), (to, mode), AT_FDCWD, PATH_FOLLOW)    \
	X(int, -1, faccessat, (int dir, const char *path, int mode, int flags),                    \
	  (dir, to, mode, flags), dir, path_at(flags))                                             \
	X(ssize_t, -1, getxattr, (const char *path, const char *name, void *value, size_t size),   \
	  (to, name, value, size), AT_FDCWD, PATH_FOLLOW)                                          \
	X(ssize_t, -1, lgetxattr, (const char *path, const char *name, void *value, size_t size),  \
	  (to, name, value, size), AT_FDCWD, PATH_LINK)                                            \
	X(ssize_t, -1, listxattr, (const char *path, char *list, size_t size),                     \
	  (to, list, size), AT_FDCWD, PATH_FOLLOW)                                                 \
	X(ssize_t, -1, llistxattr, (const char *path, char *list, size_t size),                    \
	  (to, list, size), AT_FDCWD, PATH_LINK)                                                   \
	X(int, -1, statfs, (const char *path, struct statfs *fs), (to, fs), AT_FDCWD, PATH_MOUNT)  \
	X(int, -1, statfs64, (const char *path, struct statfs64 *fs), (to, fs), AT_FDCWD, PATH_MOUNT) \
	X(int, -1, statvfs, (const char *path, struct statvfs *fs), (to, fs), AT_FDCWD, PATH_MOUNT) \
	X(int, -1, statvfs64, (const char *path, struct statvfs64 *fs), (to, fs), AT_FDCWD, PATH_MOUNT) \
	X(long, -1, pathconf, (const char *path, int name), (to, name), AT_FDCWD, PATH_FOLLOW)     \
	X(key_t, -1, ftok, (const char *path, int id), (to, id), AT_FDCWD, PATH_FOLLOW)            \
	X(int, -1, inotify_add_watch, (int fd, const char *path, uint32_t mask), (fd, to, mask),   \
	  AT_FDCWD, mask & IN_DONT_FOLLOW ? PATH_LINK : PATH_FOLLOW)                               \
	X(int, -1, name_to_handle_at, (int dir, const char *path, struct file_handle *handle,      \
	  int *mount, int flags), (dir, to, handle, mount, flags), dir,                            \
	  flags & AT_SYMLINK_FOLLOW ? PATH_FOLLOW : PATH_LINK)                                     \
	HOOKS_MKDIR(X)                                                                             \
	X(int, -1, mkdirat, (int dir, const char *path, mode_t mode), (dir, to, mode), dir, PATH_MAKE) \
	X(int, -1, mkfifo, (const char *path, mode_t mode), (to, mode), AT_FDCWD, PATH_MAKE)     \
	X(int, -1, mkfifoat, (int dir, const char *path, mode_t mode), (dir, to, mode), dir, PATH_MAKE) \
	X(int, -1, mknod, (const char *path, mode_t mode, dev_t dev), (to, mode, dev), AT_FDCWD, PATH_MAKE) \
	X(int, -1, mknodat, (int dir, const char *path, mode_t mode, dev_t dev),                   \
	  (dir, to, mode, dev), dir, PATH_MAKE)                                                  \
	X(int, -1, rmdir, (const char *path), (to), AT_FDCWD, PATH_CHANGE)                         \
	X(int, -1, unlink, (const char *path), (to), AT_FDCWD, PATH_CHANGE)                        \
	X(int, -1, unlinkat, (int dir, const char *path, int flags), (dir, to, flags), dir, PATH_CHANGE) \
	X(int, -1, remove, (const char *path), (to), AT_FDCWD, PATH_CHANGE)                        \
	X(int, -1, symlink, (const char *text, const char *path), (text, to), AT_FDCWD, PATH_MAKE) \
	X(int, -1, symlinkat, (const char *text, int dir, const char *path), (text, dir, to), dir, PATH_MAKE) \
	X(int, -1, truncate, (const char *path, off_t size), (to, size), AT_FDCWD, PATH_CHANGE)    \
	X(int, -1, truncate64, (const char *path, off64_t size), (to, size), AT_FDCWD, PATH_CHANGE) \
	X(int, -1, chmod, (const char *path, mode_t mode), (to, mode), AT_FDCWD, PATH_CHANGE)      \
	X(int, -1, lchmod, (const char *path, mode_t mode), (to, mode), AT_FDCWD, PATH_CHANGE)     \
	X(int, -1, fchmodat, (int dir, const char *path, mode_t mode, int flags),                  \
	  (dir, to, mode, flags), dir, PATH_CHANGE)                                                \
	X(int, -1, chown, (const char *path, uid_t uid, gid_t gid), (to, uid, gid), AT_FDCWD, PATH_CHANGE) \
	X(int, -1, lchown, (const char *path, uid_t uid, gid_t gid), (to, uid, gid), AT_FDCWD, PATH_CHANGE) \
	X(int, -1, fchownat, (int dir, const char *path, uid_t uid, gid_t gid, int flags),         \
	  (dir, to, uid, gid, flags), dir, PATH_CHANGE)                                            \
	X(int, -1, utime, (const char *path, const struct utimbuf *t), (to, t), AT_FDCWD, PATH_CHANGE) \
	X(int, -1, utimes, (const char *path, const struct timeval t[2]), (to, t), AT_FDCWD, PATH_CHANGE) \
	X(int, -1, lutimes, (const char *path, const struct timeval t[2]), (to, t), AT_FDCWD, PATH_CHANGE) \
	X(int, -1, futimesat, (int dir, const char *path, const struct timeval t[2]), (dir, to, t), \
	  dir, PATH_CHANGE)                                                                        \
	X(int, -1, utimensat, (int dir, const char *path, const struct timespec t[2], int flags),  \
	  (dir, to, t, flags), dir, PATH_CHANGE)                                                   \
	X(int, -1, setxattr, (const char *path, const char *name, const void *value, size_t size, int flags), \
	  (to, name, value, size, flags), AT_FDCWD, PATH_CHANGE)                                   \
	X(int, -1, lsetxattr, (const char *path, const char *name, const void *value, size_t size, int flags), \
	  (to, name, value, size, flags), AT_FDCWD, PATH_CHANGE)                                   \
	X(int, -1, removexattr, (const char *path, const char *name), (to, name), AT_FDCWD, PATH_CHANGE) \
	X(int, -1, lremovexattr, (const char *path, const char *name), (to, name), AT_FDCWD, PATH_CHANGE)

/*
 * Functions that change two names. X(function, parameters, arguments, directory and name of each)
 * The names are called from and path; libc gets `was` and `to`.
 */
#define HOOKS_PATHS(X)                                                                             \
	X(rename, (const char *from, const char *path), (was, to), AT_FDCWD, AT_FDCWD)             \
	X(renameat, (int dir, const char *from, int dir2, const char *path), (dir, was, dir2, to), \
	  dir, dir2)                                                                               \
	X(renameat2, (int dir, const char *from, int dir2, const char *path, unsigned int flags),  \
	  (dir, was, dir2, to, flags), dir, dir2)                                                  \
	X(link, (const char *from, const char *path), (was, to), AT_FDCWD, AT_FDCWD)               \
	X(linkat, (int dir, const char *from, int dir2, const char *path, int flags),              \
	  (dir, was, dir2, to, flags), dir, dir2)

/* Functions of paths with written hooks: hooks_open.c, hooks_stat.c and hooks_dir.c. */
#define HOOKS_WRITTEN(X)                                                                           \
	X(open) X(open64) X(openat) X(openat64) X(creat) X(creat64)                                           \
	X(__open_2) X(__open64_2) X(__openat_2) X(__openat64_2)                                    \
	X(fopen) X(fopen64) X(freopen) X(freopen64)                                                \
	X(stat) X(stat64) X(lstat) X(lstat64) X(fstat) X(fstat64) X(fstatat) X(fstatat64) X(statx) \
	X(__xstat) X(__xstat64) X(__lxstat) X(__lxstat64) X(__fxstat) X(__fxstat64)                \
	X(__fxstatat) X(__fxstatat64)                                                              \
	X(fstatfs) X(fstatfs64) X(fstatvfs) X(fstatvfs64)                                          \
	X(readlink) X(readlinkat) X(__readlink_chk) X(__readlinkat_chk)                            \
	X(realpath) X(__realpath_chk) X(canonicalize_file_name)                                    \
	X(chdir) X(fchdir) X(getcwd) X(__getcwd_chk) X(get_current_dir_name)                       \
	X(glob) X(glob64)

/* Functions of descriptors and of memory: hooks_fd.c; of RDMA netlink: hooks_netlink.c;
 * of signals: hooks_signal.c. */
#define HOOKS_FD(X)                                                                                \
	X(ioctl) X(close) X(write) X(mmap) X(mmap64) X(munmap) X(madvise)   \
	X(socket) X(send) X(sendto) X(sendmsg) X(sendmmsg) X(recvmsg) X(writev) X(sigaction) X(signal)

/*
 * Functions of paths without a hook: libc reaches these files by internal calls, which see the
 * machine's. X(function)
 */
#define HOOKS_NONE(X)                                                                              \
	X(ftw) X(ftw64) X(nftw) X(nftw64) X(fts_open) X(wordexp) X(mkstemp) X(mkdtemp)             \
	X(chroot) X(mount) X(umount) X(fanotify_mark) X(posix_spawn_file_actions_addopen)          \
	X(posix_spawn_file_actions_addchdir_np) X(execve) X(dlopen) X(syscall)
/* clang-format on */

#endif
