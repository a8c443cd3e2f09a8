/* SPDX-License-Identifier: BSD-2-Clause */
#include "tree.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int tree_open_steps(int root, const char *path)
{
	char part[NAME_MAX + 1];
	int at = fcntl(root, F_DUPFD_CLOEXEC, 0);

	while (at >= 0 && *path) {
		size_t n = strcspn(path, "/");
		int next;

		if (n > NAME_MAX) {
			close(at);
			errno = ENAMETOOLONG;
			return -1;
		}
		memcpy(part, path, n);
		part[n] = '\0';
		path += n;
		path += strspn(path, "/");
		if (!n)
			continue;
		next = openat(at, part, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		close(at);
		at = next;
	}
	return at;
}

/* The kernel refuses with EXDEV what would leave the root, however the path is built. */
static int open_beneath(int root, const char *path)
{
	struct open_how how = {
		.flags = O_PATH | O_DIRECTORY | O_CLOEXEC,
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS,
	};
	long fd = syscall(SYS_openat2, root, path, &how, sizeof(how));

	if (fd < 0 && errno == ENOSYS)
		return tree_open_steps(root, path);
	return (int)fd;
}

static bool has_dotdot(const char *path)
{
	while (*path) {
		size_t n = strcspn(path, "/");

		if (n == 2 && !memcmp(path, "..", 2))
			return true;
		path += n;
		path += strspn(path, "/");
	}
	return false;
}

/* Takes trailing slashes and "." components off: "a/./" and "a" are the same entry. */
static void trim(char *path)
{
	size_t n = strlen(path);

	for (;;) {
		if (n && path[n - 1] == '/')
			n--;
		else if (n && path[n - 1] == '.' && (n == 1 || path[n - 2] == '/'))
			n--;
		else
			break;
	}
	path[n] = '\0';
}

static int resolve_split(struct tree_entry *e, int root, char *path, struct copy_fault *f)
{
	char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path, *dir = ".";

	if (slash) {
		*slash = '\0';
		dir = path;
	}
	if (strlen(name) > NAME_MAX)
		return copy_fail(f, COPY_IO, "%s: %s", QUOTED(name, strlen(name)),
				 strerror(ENAMETOOLONG));
	strcpy(e->name, *name ? name : ".");
	e->dir = open_beneath(root, dir);
	if (e->dir >= 0)
		return 0;
	if (errno == EXDEV || errno == ELOOP)
		return copy_fail(f, COPY_REFUSED,
				 "path %s leaves the served directory through a symbolic link",
				 QUOTED(dir, strlen(dir)));
	return copy_fail(f, COPY_IO, "%s: %s", QUOTED(dir, strlen(dir)), strerror(errno));
}

int tree_resolve(struct tree_entry *e, int root, const uint8_t *bytes, size_t len,
		 struct copy_fault *f)
{
	char path[PATH_MAX];
	struct stat st;

	e->dir = -1;
	if (len >= sizeof(path) || memchr(bytes, '\0', len))
		return copy_fail(f, COPY_REFUSED, "path is too long or holds a zero byte");
	memcpy(path, bytes, len);
	path[len] = '\0';
	trim(path);
	if (path[0] == '/')
		return copy_fail(f, COPY_REFUSED,
				 "path %s is absolute; paths begin at the served directory",
				 QUOTED(bytes, len));
	if (has_dotdot(path))
		return copy_fail(f, COPY_REFUSED, "path %s holds \"..\"", QUOTED(bytes, len));
	if (resolve_split(e, root, path, f))
		return -1;
	if (!fstatat(e->dir, e->name, &st, AT_SYMLINK_NOFOLLOW))
		return 0;
	copy_fail(f, COPY_IO, "%s: %s", QUOTED(bytes, len), strerror(errno));
	tree_close(e);
	return -1;
}

void tree_close(struct tree_entry *e)
{
	if (e->dir >= 0)
		close(e->dir);
	e->dir = -1;
}
