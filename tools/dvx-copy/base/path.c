/* SPDX-License-Identifier: BSD-2-Clause */
#include "path.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

const char *path_part(const char **path, size_t *n)
{
	const char *part = *path + strspn(*path, "/");

	*n = strcspn(part, "/");
	*path = part + *n;
	return *n ? part : NULL;
}

bool path_has_dotdot(const char *path)
{
	const char *part;
	size_t n;

	while ((part = path_part(&path, &n)))
		if (n == 2 && !memcmp(part, "..", 2))
			return true;
	return false;
}

const char *path_join(char to[PATH_MAX], const char *dir, const char *name)
{
	size_t n = strlen(dir), more = strlen(name) + 1;

	if (n + 1 + more > PATH_MAX)
		n = 0;
	memcpy(to, dir, n);
	if (n)
		to[n++] = '/';
	memcpy(to + n, name, more);
	return to;
}

int beneath_open_steps(int root, const char *path, int flags)
{
	char name[NAME_MAX + 1];
	int at = fcntl(root, F_DUPFD_CLOEXEC, 0);
	const char *part;
	size_t n;

	while (at >= 0 && (part = path_part(&path, &n))) {
		int next = -1;

		snprintf(name, sizeof(name), "%.*s", (int)n, part);
		errno = n > NAME_MAX ? ENAMETOOLONG : EXDEV; /* ".." could lead out */
		if (n <= NAME_MAX && strcmp(name, "..") != 0)
			next = openat(at, name, flags | O_NOFOLLOW | O_CLOEXEC);
		close(at);
		at = next;
	}
	return at;
}

int beneath_open(int root, const char *path, int flags)
{
	struct open_how how = {
		.flags = (unsigned int)flags | O_CLOEXEC,
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS,
	};
	long fd = syscall(SYS_openat2, root, path, &how, sizeof(how));

	if (fd < 0 && errno == ENOSYS)
		return beneath_open_steps(root, path, flags);
	return (int)fd;
}

DIR *dir_list(int fd, const char *name)
{
	int list = openat(fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *dir = list < 0 ? NULL : fdopendir(list);

	if (!dir && list >= 0)
		close(list);
	return dir;
}

const char *dir_next(DIR *list)
{
	const struct dirent *de;

	while ((errno = 0, de = readdir(list)))
		if (strcmp(de->d_name, ".") && strcmp(de->d_name, ".."))
			return de->d_name;
	return NULL;
}

int proc_need(struct copy_fault *f)
{
	return access("/proc/self/fd", X_OK)
		       ? copy_fail(f, COPY_IO, "/proc is not mounted: dvx-copy needs /proc/self/fd")
		       : 0;
}
