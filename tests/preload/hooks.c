/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Calls every libc function of the preload's table on the device's files: hooked functions find
 * them as below a real /sys, those listed as not hooked do not. hooks: runs the table. hooks list
 * served|unserved|all: prints its names.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <ftw.h>
#include <glob.h>
#include <linux/magic.h>
#include <linux/netlink.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/ipc.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>
#include <utime.h>
#include <wordexp.h>
#include "../../src/sim/preload/hooks.h"

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

extern char **environ;

#define CLASS  "/sys/class/infiniband"
#define DEV    CLASS "/mlx5_0"
#define TYPE   DEV "/node_type" /* a file with "1: CA" */
#define BRIDGE "/sys/devices/pci0000:03"
#define IBDEV  BRIDGE "/0000:03:00.0/infiniband/mlx5_0"
#define NODE   "/dev/infiniband/uverbs0"
#define LINK   "../../devices/pci0000:03/0000:03:00.0/infiniband/mlx5_0"

static int class_fd; /* of CLASS */
static void *volatile nowhere = (void *)8;
static union {
	struct stat st;
	struct stat64 st64;
	struct statx sx;
	struct statfs fs;
	struct statfs64 fs64;
	struct statvfs vfs;
	struct statvfs64 vfs64;
	char text[4096];
} u;

/* --- what is expected ------------------------------------------------------------------------- */

static bool is_type(int fd) /* a descriptor of node_type */
{
	char text[16] = "";
	bool ok = fd >= 0 && read(fd, text, sizeof(text)) == 6 && !strcmp(text, "1: CA\n");

	if (fd >= 0)
		close(fd);
	return ok;
}

static bool is_type_stream(FILE *f)
{
	char text[16] = "";
	bool ok = f && fgets(text, sizeof(text), f) && !strcmp(text, "1: CA\n");

	if (f)
		fclose(f);
	return ok;
}

/* Returns whether an opened node is the device: 231:192. */
static bool is_node(int fd)
{
	struct stat st;
	bool ok = fd >= 0 && !fstat(fd, &st) && st.st_rdev == makedev(231, 192);

	if (fd >= 0)
		close(fd);
	return ok;
}

static bool lists(DIR *d, const char *name)
{
	bool found = false;
	struct dirent *e;

	while (d && (e = readdir(d)))
		found |= !strcmp(e->d_name, name);
	if (d)
		closedir(d);
	return found;
}

static bool is_list(int n, struct dirent **const *list) /* of CLASS, dots included */
{
	return n == 3 && !strcmp((*list)[2]->d_name, "mlx5_0");
}

static bool refused(int rc)
{
	return rc == -1 && errno == (geteuid() ? EACCES : EPERM);
}

static bool is_text(const char *text, const char *wanted)
{
	return text && !strcmp(text, wanted);
}

static bool is_link(ssize_t n)
{
	return n == (ssize_t)strlen(LINK) && !memcmp(u.text, LINK, (size_t)n);
}

static bool is_dir(int rc)
{
	return !rc && S_ISDIR(u.st.st_mode);
}

static bool is_symlink(int rc)
{
	return !rc && S_ISLNK(u.st.st_mode);
}

static bool absent(int rc)
{
	return rc == -1 && errno == ENOENT;
}

static bool is_match(int rc, glob_t *g)
{
	return !rc && g->gl_pathc == 1 && !strcmp(g->gl_pathv[0], DEV "/ports/1/lid");
}

static bool child_fails(const posix_spawn_file_actions_t *actions)
{
	char *argv[] = {(char *)(size_t) "true", NULL};
	int status = 0;
	pid_t pid;

	return posix_spawnp(&pid, "true", actions, NULL, argv, environ) == ENOENT ||
	       (waitpid(pid, &status, 0) == pid && status);
}

static int took; /* files found by ftw's walk */
static int take_ftw(const char *path, const struct stat *st, int type)
{
	(void)path;
	(void)st;
	(void)type;
	return took++, 0;
}

static int take_nftw(const char *path, const struct stat *st, int type, struct FTW *f)
{
	(void)f;
	return take_ftw(path, st, type);
}

/* --- a call for each function ----------------------------------------------------------------- */

/* Unused by mkdir()'s row in builds with the thread sanitizer. */
#define TRY(function, ...)                                       \
	__attribute__((unused)) static bool try_##function(void) \
	{                                                        \
		__VA_ARGS__;                                     \
	}
#define IS(function, condition) TRY(function, return condition)

IS(opendir, lists(opendir(CLASS), "mlx5_0"))
TRY(scandir, struct dirent **l; return is_list(scandir(CLASS, &l, NULL, alphasort), &l))
TRY(scandir64, struct dirent64 **l;
    return is_list(scandir64(CLASS, &l, NULL, alphasort64), (void *)&l))
TRY(scandirat, struct dirent **l;
    return is_list(scandirat(class_fd, "../infiniband", &l, NULL, alphasort), &l))
TRY(scandirat64, struct dirent64 **l;
    return is_list(scandirat64(class_fd, ".", &l, NULL, alphasort64), (void *)&l))
IS(access, !access(TYPE, R_OK) && !access(NODE, R_OK | W_OK) && access(NODE, X_OK) &&
		   access(nowhere, F_OK) == -1 && errno == EFAULT)
IS(eaccess, !eaccess(TYPE, R_OK))
IS(euidaccess, !euidaccess(TYPE, R_OK))
IS(faccessat, !faccessat(class_fd, "mlx5_0/node_type", R_OK, AT_EACCESS))
IS(getxattr, getxattr(DEV, "user.x", NULL, 0) == -1 && errno != ENOENT)
IS(lgetxattr, lgetxattr(DEV, "user.x", NULL, 0) == -1 && errno != ENOENT)
IS(listxattr, listxattr(DEV, NULL, 0) != -1 || errno != ENOENT)
IS(llistxattr, llistxattr(DEV, NULL, 0) != -1 || errno != ENOENT)
IS(statfs, !statfs(DEV, &u.fs) && u.fs.f_type == SYSFS_MAGIC && absent(statfs(DEV "x", &u.fs)))
IS(statfs64, !statfs64(DEV, &u.fs64) && u.fs64.f_type == SYSFS_MAGIC)
IS(statvfs, !statvfs(DEV, &u.vfs))
IS(statvfs64, !statvfs64(DEV, &u.vfs64))
IS(pathconf, pathconf(DEV, _PC_NAME_MAX) == 255)
IS(ftok, ftok(DEV, 1) != -1)
TRY(inotify_add_watch, int fd = inotify_init1(IN_CLOEXEC);
    bool ok = inotify_add_watch(fd, DEV, IN_DELETE_SELF) > 0; close(fd); return ok)
TRY(name_to_handle_at, struct file_handle h = {0}; int mount;
    return name_to_handle_at(class_fd, "mlx5_0", &h, &mount, 0) == -1 && errno != ENOENT)

IS(creat, creat(DEV "/x", 0600) == -1 && errno == EACCES)
IS(creat64, creat64(TYPE, 0600) == -1 && errno == EACCES)
IS(mkdir, refused(mkdir(CLASS "/x", 0700)) && mkdir(CLASS, 0700) == -1 && errno == EEXIST)
IS(mkdirat, refused(mkdirat(class_fd, "x", 0700)))
IS(mkfifo, refused(mkfifo(CLASS "/x", 0700)))
IS(mkfifoat, refused(mkfifoat(class_fd, "x", 0700)))
IS(mknod, refused(mknod(CLASS "/x", S_IFREG, 0)))
IS(mknodat, refused(mknodat(class_fd, "x", S_IFREG, 0)))
IS(rmdir, refused(rmdir(DEV "/ports")) && absent(rmdir(DEV "/x")))
IS(unlink, refused(unlink(DEV)))
IS(unlinkat, refused(unlinkat(class_fd, "mlx5_0", 0)))
IS(remove, refused(remove(TYPE)))
IS(symlink, refused(symlink("y", CLASS "/x")))
IS(symlinkat, refused(symlinkat("y", class_fd, "x")))
IS(truncate, refused(truncate(TYPE, 0)))
IS(truncate64, refused(truncate64(TYPE, 0)))
IS(chmod, refused(chmod(TYPE, 0600)))
IS(lchmod, refused(lchmod(TYPE, 0600)))
IS(fchmodat, refused(fchmodat(class_fd, "mlx5_0/node_type", 0600, 0)))
IS(chown, refused(chown(TYPE, 1, 1)))
IS(lchown, refused(lchown(DEV, 1, 1)))
IS(fchownat, refused(fchownat(class_fd, "mlx5_0", 1, 1, AT_SYMLINK_NOFOLLOW)))
IS(utime, refused(utime(TYPE, NULL)))
IS(utimes, refused(utimes(TYPE, NULL)))
IS(lutimes, refused(lutimes(DEV, NULL)))
IS(futimesat, refused(futimesat(class_fd, "mlx5_0", NULL)))
IS(utimensat, refused(utimensat(class_fd, "mlx5_0", NULL, 0)))
IS(setxattr, refused(setxattr(TYPE, "user.x", "", 0, 0)))
IS(lsetxattr, refused(lsetxattr(TYPE, "user.x", "", 0, 0)))
IS(removexattr, refused(removexattr(TYPE, "user.x")))
IS(lremovexattr, refused(lremovexattr(TYPE, "user.x")))
IS(rename, refused(rename(DEV, "/tmp/x")) && refused(rename("/tmp/x", CLASS "/x")))
IS(renameat, refused(renameat(class_fd, "mlx5_0", AT_FDCWD, "/tmp/x")))
IS(renameat2, refused(renameat2(AT_FDCWD, "/tmp/x", class_fd, "x", 0)))
IS(link, refused(link(TYPE, "/tmp/x")))
IS(linkat, refused(linkat(AT_FDCWD, "/tmp", class_fd, "x", 0)))

IS(open, is_type(open(TYPE, O_RDONLY)) && is_node(open(NODE, O_RDWR | O_CLOEXEC)) &&
		 open(TYPE, O_WRONLY) == -1 && errno == EACCES)
IS(open64, is_type(open64("/.//sys/bus/../class/./infiniband//mlx5_0/node_type", O_RDONLY)))
IS(openat, is_type(openat(class_fd, "mlx5_0/device/infiniband/mlx5_0/node_type", O_RDONLY)))
IS(openat64, is_type(openat64(AT_FDCWD,
			      IBDEV "/device/../../pci0000:03/0000:03:00.0/infiniband/"
				    "mlx5_0/node_type",
			      O_RDONLY)))
IS(__open_2, is_type(__open_2(TYPE, O_RDONLY)))
IS(__open64_2, is_type(__open64_2(TYPE, O_RDONLY)))
IS(__openat_2, is_type(__openat_2(class_fd, "mlx5_0/node_type", O_RDONLY)))
IS(__openat64_2, is_type(__openat64_2(class_fd, "mlx5_0/node_type", O_RDONLY)))
IS(fopen, is_type_stream(fopen(TYPE, "re")) && !fopen(TYPE, "w") && errno == EACCES)
IS(fopen64, is_type_stream(fopen64(TYPE, "r")))
IS(freopen, is_type_stream(freopen(TYPE, "r", fopen("/dev/null", "r"))))
IS(freopen64, is_type_stream(freopen64(TYPE, "r", fopen("/dev/null", "r"))))

IS(stat, is_dir(stat(DEV, &u.st)) && absent(stat(DEV "x", &u.st)))
IS(stat64, is_dir(stat64(DEV "/", &u.st64)))
IS(lstat, is_symlink(lstat(DEV, &u.st)) && is_dir(lstat(DEV "/", &u.st)))
IS(lstat64, is_symlink(lstat64(DEV, &u.st64)))
IS(fstat, is_dir(fstat(class_fd, &u.st)))
IS(fstat64, is_dir(fstat64(class_fd, &u.st64)))
IS(fstatat, is_symlink(fstatat(class_fd, "mlx5_0", &u.st, AT_SYMLINK_NOFOLLOW)))
IS(fstatat64, is_dir(fstatat64(class_fd, "", &u.st64, AT_EMPTY_PATH)))
IS(statx, !statx(AT_FDCWD, NODE, 0, STATX_TYPE, &u.sx) && S_ISCHR(u.sx.stx_mode) &&
		  u.sx.stx_rdev_minor == 192)
IS(__xstat, is_dir(__xstat(1, DEV, &u.st)))
IS(__xstat64, is_dir(__xstat64(1, DEV, &u.st64)))
IS(__lxstat, is_symlink(__lxstat(1, DEV, &u.st)))
IS(__lxstat64, is_symlink(__lxstat64(1, DEV, &u.st64)))
IS(__fxstat, is_dir(__fxstat(1, class_fd, &u.st)))
IS(__fxstat64, is_dir(__fxstat64(1, class_fd, &u.st64)))
IS(__fxstatat, is_dir(__fxstatat(1, class_fd, "mlx5_0", &u.st, 0)))
IS(__fxstatat64, is_dir(__fxstatat64(1, class_fd, "mlx5_0", &u.st64, 0)))
IS(fstatfs, !fstatfs(class_fd, &u.fs) && u.fs.f_type == SYSFS_MAGIC)
IS(fstatfs64, !fstatfs64(class_fd, &u.fs64) && u.fs64.f_type == SYSFS_MAGIC)
IS(fstatvfs, !fstatvfs(class_fd, &u.vfs))
IS(fstatvfs64, !fstatvfs64(class_fd, &u.vfs64))

IS(readlink, is_link(readlink(DEV, u.text, sizeof(u.text))) && readlink(DEV, u.text, 5) == 5 &&
		     readlink(DEV, u.text, 0) == -1 && errno == EINVAL)
IS(readlinkat, is_link(readlinkat(class_fd, "mlx5_0", u.text, sizeof(u.text))))
IS(__readlink_chk, is_link(__readlink_chk(DEV, u.text, 100, sizeof(u.text))))
IS(__readlinkat_chk, is_link(__readlinkat_chk(class_fd, "mlx5_0", u.text, 100, 100)))
IS(realpath, is_text(realpath(DEV "/device/infiniband/mlx5_0/", u.text), IBDEV) &&
		     !realpath(DEV "/x", NULL) && errno == ENOENT)
IS(__realpath_chk, is_text(__realpath_chk(DEV, u.text, sizeof(u.text)), IBDEV))
IS(canonicalize_file_name, is_text(canonicalize_file_name(DEV), IBDEV))

/* Changes there and back, for names relative to the working directory. */
TRY(chdir, bool ok = !chdir(DEV "/ports/1") && is_type(open("../../node_type", O_RDONLY)) &&
		     !chdir("../..") && is_type(open("node_type", O_RDONLY)) &&
		     !access("../../../../../class/net/lo", F_OK) && !chdir("/sys/class/net") &&
		     is_type(open("../infiniband/mlx5_0/node_type", O_RDONLY)) && !chdir("/") &&
		     is_type(open("sys/class/infiniband/mlx5_0/node_type", O_RDONLY)) &&
		     !chdir("/usr") && is_type(open(".." TYPE, O_RDONLY));
    return !chdir("/tmp") && ok)
TRY(fchdir, bool ok = !fchdir(class_fd) && is_type(open("mlx5_0/node_type", O_RDONLY)) &&
		      is_link(readlink("mlx5_0", u.text, sizeof(u.text)));
    return !chdir("/tmp") && ok)
TRY(getcwd, bool ok = !chdir(DEV) && is_text(getcwd(u.text, sizeof(u.text)), IBDEV) &&
		      is_text(getcwd(NULL, 0), IBDEV) && !getcwd(u.text, 4) && errno == ERANGE &&
		      !getcwd(u.text, 0) && errno == EINVAL && !chdir("..") &&
		      is_text(getcwd(NULL, 100), BRIDGE "/0000:03:00.0/infiniband");
    return !chdir("/tmp") && ok && is_text(getcwd(u.text, sizeof(u.text)), "/tmp"))
TRY(__getcwd_chk, bool ok = !chdir(DEV) && is_text(__getcwd_chk(u.text, 200, 200), IBDEV);
    return !chdir("/tmp") && ok)
TRY(get_current_dir_name, bool ok = !chdir(DEV) && is_text(get_current_dir_name(), IBDEV);
    return !chdir("/tmp") && ok)
TRY(glob, glob_t g; return is_match(glob(CLASS "/*/ports/*/lid", GLOB_NOSORT, NULL, &g), &g))
TRY(glob64, glob64_t g;
    return is_match(glob64(CLASS "/m*/por?s/[0-9]/lid", 0, NULL, &g), (void *)&g))

/* Not hooked: each finds nothing, as without a device. */
IS(ftw, absent(ftw(CLASS, take_ftw, 1)))
IS(ftw64, absent(ftw64(CLASS, (__ftw64_func_t)(void *)take_ftw, 1)))
IS(nftw, absent(nftw(CLASS, take_nftw, 1, 0)))
IS(nftw64, absent(nftw64(CLASS, (__nftw64_func_t)(void *)take_nftw, 1, 0)))
TRY(fts_open, char *paths[] = {(char *)(size_t)CLASS, NULL};
    FTS *f = fts_open(paths, FTS_PHYSICAL, NULL); FTSENT *e = f ? fts_read(f) : NULL;
    return e && e->fts_info == FTS_NS)
TRY(wordexp, wordexp_t w;
    return !wordexp(CLASS "/*", &w, WRDE_NOCMD) && is_text(w.we_wordv[0], CLASS "/*"))
TRY(mkstemp, char path[] = CLASS "/XXXXXX"; return absent(mkstemp(path)))
TRY(mkdtemp, char path[] = CLASS "/XXXXXX"; return !mkdtemp(path) && errno == ENOENT)
IS(chroot, chroot(DEV) == -1)
IS(mount, mount("none", DEV, "tmpfs", 0, NULL) == -1)
IS(umount, umount(DEV) == -1)
IS(fanotify_mark, true) /* needs privileges to be seen */
TRY(posix_spawn_file_actions_addopen, posix_spawn_file_actions_t a;
    posix_spawn_file_actions_init(&a); posix_spawn_file_actions_addopen(&a, 0, TYPE, O_RDONLY, 0);
    return child_fails(&a))
TRY(posix_spawn_file_actions_addchdir_np, posix_spawn_file_actions_t a;
    posix_spawn_file_actions_init(&a); posix_spawn_file_actions_addchdir_np(&a, DEV);
    return child_fails(&a))
IS(execve, absent(execve(TYPE, environ, environ)))
IS(dlopen, !dlopen(TYPE, RTLD_NOW))
IS(syscall, absent((int)syscall(SYS_openat, AT_FDCWD, TYPE, O_RDONLY)))

/* --- the walk --------------------------------------------------------------------------------- */

struct row {
	const char *name;
	bool (*try)(void); /* NULL: other tests do it */
};

#define X(function, ...)		       {#function, try_##function},
#define X_PATH(result, failure, function, ...) X(function)
#define X_FD(function)			       {#function, NULL},
static const struct row served[] = {HOOKS_PATH(X_PATH) HOOKS_PATHS(X) HOOKS_WRITTEN(X){NULL, NULL}};
static const struct row others[] = {HOOKS_FD(X_FD){NULL, NULL}};
static const struct row unserved[] = {HOOKS_NONE(X){NULL, NULL}};

static unsigned int failures;

static void list(const struct row *rows)
{
	for (; rows->name; rows++)
		puts(rows->name);
}

static void walk(const struct row *rows, const char *how)
{
	for (; rows->name; rows++) {
		errno = 0;
		if (rows->try())
			continue;
		printf("%s is not %s (%s)\n", rows->name, how, strerror(errno));
		failures++;
	}
}

/* An attribute of an empty GID can be opened in either way, but not read. */
static void walk_empty_gid(void)
{
	static const char path[] = CLASS "/mlx5_0/ports/1/gid_attrs/types/254";
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	FILE *f = fopen(path, "re");
	char text[16];

	if (fd < 0 || read(fd, text, sizeof(text)) != -1 || errno != EINVAL || !f ||
	    fgets(text, sizeof(text), f) || errno != EINVAL) {
		perror(path);
		failures++;
	}
	if (f)
		fclose(f);
	close(fd);
}

/* Ways to send to RDMA netlink: with the kernel's address, without, on a connected socket. */
enum {
	BY_SENDTO,
	BY_SENDTO_BARE,
	BY_SENDMSG,
	BY_SENDMSG_BARE,
	BY_SEND,
	BY_WRITE,
	BY_WRITEV,
	BY_SENDMMSG,
	WAYS
};

static ssize_t netlink_send_by(unsigned int way, int fd, void *request, size_t len)
{
	struct sockaddr_nl to = {.nl_family = AF_NETLINK};
	struct iovec v[2] = {{request, 16}, {(char *)request + 16, len - 16}};
	struct mmsghdr m = {.msg_hdr = {.msg_iov = v, .msg_iovlen = 2}};

	switch (way) {
	case BY_SENDTO:
		return sendto(fd, request, len, 0, (struct sockaddr *)&to, sizeof(to));
	case BY_SENDTO_BARE:
		return sendto(fd, request, len, 0, NULL, 0);
	case BY_SENDMSG:
		m.msg_hdr.msg_name = &to;
		m.msg_hdr.msg_namelen = sizeof(to);
		return sendmsg(fd, &m.msg_hdr, 0);
	case BY_SENDMSG_BARE:
		return sendmsg(fd, &m.msg_hdr, 0);
	case BY_SEND:
		return send(fd, request, len, 0);
	case BY_WRITE:
		return write(fd, request, len);
	case BY_WRITEV:
		return writev(fd, v, 2);
	default:
		return sendmmsg(fd, &m, 1, 0) == 1 ? (ssize_t)m.msg_len : -1;
	}
}

static bool netlink_answers(unsigned int way, uint32_t peer, bool connects)
{
	struct {
		struct nlmsghdr head;
		uint16_t len, type;
		uint32_t index;
	} request = {{sizeof(request), 0x1401 /* RDMA_NLDEV_CMD_GET */, NLM_F_REQUEST, 7, 0},
		     8,
		     1 /* RDMA_NLDEV_ATTR_DEV_INDEX */,
		     0};
	struct sockaddr_nl to = {.nl_family = AF_NETLINK, .nl_pid = peer};
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_RDMA);
	char answer[4096];
	bool good = fd >= 0 && (!connects || !connect(fd, (struct sockaddr *)&to, sizeof(to))) &&
		    netlink_send_by(way, fd, &request, sizeof(request)) == sizeof(request) &&
		    recv(fd, answer, sizeof(answer), MSG_DONTWAIT) > (ssize_t)sizeof(request);

	close(fd);
	return good;
}

/* A socket with another peer than the kernel gets nothing from the kernel. */
static void walk_netlink(void)
{
	for (unsigned int way = 0; way < WAYS; way++) {
		if (netlink_answers(way, 0, false) && netlink_answers(way, 0, true) &&
		    !netlink_answers(way, 0x7ffffff0, true))
			continue;
		printf("RDMA netlink does not answer by way %u (%s)\n", way, strerror(errno));
		failures++;
	}
}

/* A full queue of another socket gives the kernel's error, by each way to send. */
static void walk_full_socket(void)
{
	char bytes[4096] = {0};
	int fd[2];

	for (unsigned int way = 0; way < WAYS; way++) {
		if (way == BY_SENDTO || way == BY_SENDMSG)
			continue;
		if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fd))
			return;
		while (netlink_send_by(way, fd[0], bytes, sizeof(bytes)) > 0)
			;
		if (errno != EAGAIN) {
			printf("a full socket gives \"%s\" by way %u\n", strerror(errno), way);
			failures++;
		}
		close(fd[0]);
		close(fd[1]);
	}
}

/* A message that can't be read is EFAULT, also on a socket of generic netlink. */
static void walk_unreadable(void)
{
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
	bool good = send(fd, nowhere, 32, 0) == -1 && errno == EFAULT;

	nowhere = NULL;
	if (!good || sendmsg(fd, nowhere, 0) != -1 || errno != EFAULT) {
		printf("sending from nowhere gives \"%s\"\n", strerror(errno));
		failures++;
	}
	close(fd);
}

int main(int argc, char **argv)
{
	const char *what = argc > 2 ? argv[2] : "";

	if (argc > 2) {
		if (strcmp(what, "unserved"))
			list(served);
		else
			list(unserved);
		if (!strcmp(what, "all"))
			list(others);
		return 0;
	}
	class_fd = open(CLASS, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (class_fd < 0 || chdir("/tmp")) {
		perror(CLASS);
		return 1;
	}
	walk(served, "served");
	walk(unserved, "out of the device's reach");
	walk_empty_gid();
	walk_netlink();
	walk_full_socket();
	walk_unreadable();
	return failures != 0;
}
