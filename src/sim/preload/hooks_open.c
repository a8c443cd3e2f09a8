/* SPDX-License-Identifier: BSD-2-Clause */
/* Hooks of opening. The character device and the counters have no file that libc could open. */
#include "client.h"
#include "paths.h"
#include "real.h"
#include "sysfs/sysfs.h"

#include <errno.h>
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

/* Refuses to make a file, or to open one for writing, as sysfs does. */
static bool open_refused(const char *to, int flags)
{
	bool exists = !real()->access(to, F_OK);

	if (!exists && !(flags & O_CREAT))
		errno = ENOENT;
	else if (!exists || flags & (O_WRONLY | O_RDWR | O_TRUNC))
		errno = EACCES;
	else
		return false;
	return true;
}

/*
 * Replaces empty GID table entries by a namespace's file: both can be opened, and reading fails
 * with EINVAL.
 */
static const char *open_instead(const char *to)
{
	struct stat st;

	return strstr(to, "/gid_attrs/") && !real()->stat(to, &st) && S_ISREG(st.st_mode) &&
			       !st.st_size
		       ? "/proc/self/ns/uts"
		       : to;
}

static int open_any(int dir, const char *path, int flags, mode_t mode)
{
	enum path_use use = flags & O_NOFOLLOW ? PATH_LINK : PATH_FOLLOW;
	struct path_place place;
	const char *to = path_to(dir, path, use, &place);
	int fd;

	if (place.kind == PLACE_NODE && !(flags & O_DIRECTORY))
		return opened(client_open(flags, !strcmp(place.name, CM_PATH)));
	if (place.kind == PLACE_MACHINE)
		return real()->openat(dir, to, flags, mode);
	if (open_refused(to, flags))
		return -1;
	fd = client_counter(to, flags);
	return fd >= 0 ? fd : real()->openat(dir, open_instead(to), flags, mode);
}

#define OPEN_HOOK(name, dir, ...)                        \
	int name(__VA_ARGS__, int flags, ...)            \
	{                                                \
		va_list ap;                              \
		mode_t mode;                             \
                                                         \
		va_start(ap, flags);                     \
		mode = mode_arg(flags, ap);              \
		va_end(ap);                              \
		return open_any(dir, path, flags, mode); \
	}

OPEN_HOOK(open, AT_FDCWD, const char *path)
OPEN_HOOK(open64, AT_FDCWD, const char *path)
OPEN_HOOK(openat, at, int at, const char *path)
OPEN_HOOK(openat64, at, int at, const char *path)

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

int creat(const char *path, mode_t mode)
{
	return open_any(AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, mode);
}

int creat64(const char *path, mode_t mode)
{
	return creat(path, mode);
}

/* The path to a descriptor that is open already, for libc to open again. */
struct reopened {
	int fd;
	char path[32];
};

/*
 * Returns the path to open a stream on: the device and the counters have a descriptor, not a file.
 * Returns NULL with errno on failure.
 */
static const char *stream_path(const char *path, const char *mode, struct reopened *again,
			       struct path_place *place)
{
	bool reads = mode[0] == 'r' && !strchr(mode, '+');
	const char *to = path_to(AT_FDCWD, path, PATH_FOLLOW, place);

	again->fd = -1;
	if (place->kind == PLACE_MACHINE)
		return to;
	if (place->kind == PLACE_NODE || !reads)
		again->fd = open_any(AT_FDCWD, path, (reads ? O_RDONLY : O_RDWR) | O_CLOEXEC, 0);
	else
		again->fd = client_counter(to, O_CLOEXEC);
	if (again->fd < 0)
		return reads && place->kind == PLACE_TREE ? open_instead(to) : NULL;
	snprintf(again->path, sizeof(again->path), "/proc/self/fd/%d", again->fd);
	return again->path;
}

#define STREAM_HOOK(name, params, args)                                   \
	FILE *name params                                                 \
	{                                                                 \
		struct reopened again;                                    \
		struct path_place place;                                  \
		const char *to = stream_path(path, mode, &again, &place); \
		FILE *stream = to || !path ? real()->name args : NULL;    \
                                                                          \
		if (again.fd >= 0)                                        \
			close(again.fd);                                  \
		return stream;                                            \
	}

STREAM_HOOK(fopen, (const char *path, const char *mode), (to, mode))
STREAM_HOOK(fopen64, (const char *path, const char *mode), (to, mode))
STREAM_HOOK(freopen, (const char *path, const char *mode, FILE *old), (to, mode, old))
STREAM_HOOK(freopen64, (const char *path, const char *mode, FILE *old), (to, mode, old))
