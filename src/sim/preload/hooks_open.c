/* SPDX-License-Identifier: BSD-2-Clause */
/* Opening: the device node is the client's, class/infiniband* is the tree's, the rest is libc's. */
#include "client.h"
#include "real.h"

#include <errno.h>
#include <limits.h>
#include <linux/netlink.h>
#include <stdarg.h>
#include <string.h>

static int opened(int fd)
{
	if (fd >= 0)
		return fd;
	errno = -fd;
	return -1;
}

static mode_t mode_arg(int flags, va_list ap)
{
	bool wanted = (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE;

	return wanted ? va_arg(ap, mode_t) : 0;
}

static int open_any(int dir, const char *path, int flags, mode_t mode)
{
	char buf[PATH_MAX];
	int fd;

	if (client_is_cdev(path))
		return opened(client_open(flags));
	path = client_path(path, buf);
	fd = client_counter(path, flags);
	return fd >= 0 ? fd : real()->openat(dir, path, flags, mode);
}

#define OPEN_HOOK(name)                                       \
	int name(const char *path, int flags, ...)            \
	{                                                     \
		va_list ap;                                   \
		mode_t mode;                                  \
                                                              \
		va_start(ap, flags);                          \
		mode = mode_arg(flags, ap);                   \
		va_end(ap);                                   \
		return open_any(AT_FDCWD, path, flags, mode); \
	}

#define OPENAT_HOOK(name)                                   \
	int name(int dir, const char *path, int flags, ...) \
	{                                                   \
		va_list ap;                                 \
		mode_t mode;                                \
                                                            \
		va_start(ap, flags);                        \
		mode = mode_arg(flags, ap);                 \
		va_end(ap);                                 \
		return open_any(dir, path, flags, mode);    \
	}

OPEN_HOOK(open)
OPEN_HOOK(open64)
OPENAT_HOOK(openat)
OPENAT_HOOK(openat64)

int __open_2(const char *path, int flags)
{
	return open_any(AT_FDCWD, path, flags, 0);
}

int __open64_2(const char *path, int flags)
{
	return open_any(AT_FDCWD, path, flags, 0);
}

int __openat_2(int dir, const char *path, int flags)
{
	return open_any(dir, path, flags, 0);
}

int __openat64_2(int dir, const char *path, int flags)
{
	return open_any(dir, path, flags, 0);
}

static FILE *stream_any(const char *path, const char *mode, __typeof__(&fopen) real_fopen)
{
	bool reads = mode[0] == 'r' && !strchr(mode, '+');
	char buf[PATH_MAX];
	FILE *f;
	int fd;

	path = client_path(path, buf);
	fd = client_counter(path, reads ? (strchr(mode, 'e') ? O_CLOEXEC : 0) : O_RDWR);
	if (fd < 0)
		return real_fopen(path, mode);
	f = fdopen(fd, mode);
	if (!f)
		real()->close(fd);
	return f;
}

FILE *fopen(const char *path, const char *mode)
{
	return stream_any(path, mode, real()->fopen);
}

FILE *fopen64(const char *path, const char *mode)
{
	return stream_any(path, mode, real()->fopen64);
}

DIR *opendir(const char *path)
{
	char buf[PATH_MAX];

	return real()->opendir(client_path(path, buf));
}

/* An RDMA netlink socket that answers nothing would keep libibverbs from reading sysfs. */
int socket(int domain, int type, int protocol)
{
	if (domain == AF_NETLINK && protocol == NETLINK_RDMA) {
		client_sysfs();
		errno = EPROTONOSUPPORT;
		return -1;
	}
	return real()->socket(domain, type, protocol);
}
