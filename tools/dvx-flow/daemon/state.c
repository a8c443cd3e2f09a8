/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dvx-flow.h"
#include "holder.h"

#define PATH_ROOM 4200

static void temporary(const char *path, char out[PATH_ROOM])
{
	/* The file is removed without a look, so it has a name that no user would choose. */
	snprintf(out, PATH_ROOM, "%s.dvx-flow.new", path);
}

static int write_all(int fd, const char *p, size_t n)
{
	while (n) {
		ssize_t wrote = write(fd, p, n);

		if (wrote < 0 && errno == EINTR)
			continue;
		if (wrote < 0)
			return -errno;
		p += wrote;
		n -= (size_t)wrote;
	}
	return fsync(fd) ? -errno : 0;
}

int state_prepare(const char *path, const char *text, size_t len)
{
	char tmp[PATH_ROOM];
	int fd, ret;

	temporary(path, tmp);
	/* A leftover may be somebody's link, or a partial file of a daemon that died. */
	unlink(tmp);
	fd = open(tmp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return -errno;
	ret = write_all(fd, text, len);
	if (close(fd) && !ret)
		ret = -errno;
	if (ret)
		unlink(tmp);
	return ret;
}

static void sync_directory(const char *path)
{
	char copy[PATH_ROOM];
	int fd;

	snprintf(copy, sizeof(copy), "%s", path);
	fd = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return;
	fsync(fd);
	close(fd);
}

int state_commit(const char *path)
{
	char tmp[PATH_ROOM];

	temporary(path, tmp);
	if (rename(tmp, path))
		return -errno;
	sync_directory(path);
	return 0;
}

void state_abandon(const char *path)
{
	char tmp[PATH_ROOM];

	temporary(path, tmp);
	unlink(tmp);
}

int state_check(const char *path)
{
	char copy[PATH_ROOM];
	struct stat st;

	if (!stat(path, &st))
		return S_ISREG(st.st_mode) ? 0 : -EINVAL;
	if (errno != ENOENT)
		return -errno;
	snprintf(copy, sizeof(copy), "%s", path);
	return stat(dirname(copy), &st) ? -errno : S_ISDIR(st.st_mode) ? 0 : -ENOTDIR;
}

int state_read(const char *path, char **text, size_t *len)
{
	return access(path, F_OK) ? -errno : file_read(path, text, len);
}
