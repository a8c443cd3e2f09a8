/* SPDX-License-Identifier: BSD-2-Clause */
/* Opening: the device node is the client's, class/infiniband* is the tree's, the rest is libc's. */
#include "front/program/client.h"
#include "front/program/real.h"

#include <errno.h>
#include <limits.h>
#include <linux/netlink.h>
#include <stdarg.h>

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

	if (client_is_cdev(path))
		return opened(client_open(flags));
	return real()->openat(dir, client_path(path, buf), flags, mode);
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

FILE *fopen(const char *path, const char *mode)
{
	char buf[PATH_MAX];

	return real()->fopen(client_path(path, buf), mode);
}

FILE *fopen64(const char *path, const char *mode)
{
	char buf[PATH_MAX];

	return real()->fopen64(client_path(path, buf), mode);
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
