/* SPDX-License-Identifier: BSD-2-Clause */
#include "resolve.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/beneath.h"

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

/*
 * Removes trailing slashes and "." components, which leaves a path of the same entry. Returns
 * whether there were any: they ask for the entry's contents.
 */
static bool resolve_trim(char *path)
{
	size_t n = strlen(path), all = n;

	for (;;) {
		if (n && path[n - 1] == '/')
			n--;
		else if (n && path[n - 1] == '.' && (n == 1 || path[n - 2] == '/'))
			n--;
		else
			break;
	}
	path[n] = '\0';
	return n < all || !n;
}

/* Splits the path into its directory, "." if it has none, and the entry's name. */
static int resolve_split(struct source_entry *e, char *path, const char **dir, bool contents,
			 struct copy_fault *f)
{
	char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;

	if (strlen(name) > NAME_MAX)
		return copy_fail(f, COPY_IO, "%s: %s", QUOTED(name, strlen(name)),
				 strerror(ENAMETOOLONG));
	strcpy(e->entry, *name ? name : ".");
	strcpy(e->name, contents ? "" : name);
	*dir = !slash ? "." : slash == path ? "/" : path;
	if (slash && slash != path)
		*slash = '\0';
	return 0;
}

static int resolve_check(struct source_entry *e, const char *path, bool contents,
			 struct copy_fault *f)
{
	struct stat st;
	int err = 0;

	if (fstatat(e->dir, e->entry, &st, AT_SYMLINK_NOFOLLOW))
		err = errno;
	/*
	 * A symbolic link: "link/" is the directory that it leads to, which has a path of its own.
	 */
	else if (contents && !S_ISDIR(st.st_mode))
		err = ENOTDIR;
	if (!err)
		return 0;
	source_close(e);
	return copy_fail(f, COPY_IO, "%s: %s", path, strerror(err));
}

int source_resolve(struct source_entry *e, int root, const uint8_t *bytes, size_t len,
		   struct copy_fault *f)
{
	const char *dir, *shown = QUOTED(bytes, len);
	char path[PATH_MAX];
	bool contents;

	e->dir = -1;
	if (len >= sizeof(path) || memchr(bytes, '\0', len))
		return copy_fail(f, COPY_REFUSED, "path is too long or holds a zero byte");
	memcpy(path, bytes, len);
	path[len] = '\0';
	contents = resolve_trim(path);
	if (path[0] == '/')
		return copy_fail(f, COPY_REFUSED,
				 "path %s is absolute; paths begin at the served directory", shown);
	if (has_dotdot(path))
		return copy_fail(f, COPY_REFUSED, "path %s holds \"..\"", shown);
	if (resolve_split(e, path, &dir, contents, f))
		return -1;
	e->dir = beneath_open(root, dir, O_PATH | O_DIRECTORY);
	if (e->dir >= 0)
		return resolve_check(e, shown, contents, f);
	if (errno == EXDEV || errno == ELOOP)
		return copy_fail(f, COPY_REFUSED,
				 "path %s leaves the served directory through a symbolic link",
				 QUOTED(dir, strlen(dir)));
	return copy_fail(f, COPY_IO, "%s: %s", QUOTED(dir, strlen(dir)), strerror(errno));
}

int source_local(struct source_entry *e, const char *arg, struct copy_fault *f)
{
	char path[PATH_MAX];
	size_t n = strlen(arg);
	const char *dir = arg;
	bool contents;

	e->dir = -1;
	if (!n || n >= sizeof(path))
		return copy_fail(f, COPY_USAGE, "a source is empty or too long");
	strcpy(path, arg);
	contents = resolve_trim(path);
	/* "..", "dir/.." and "link/" end in another name than the directory's own. */
	contents = contents || source_is_contents(path);
	if (contents) {
		strcpy(e->entry, ".");
		e->name[0] = '\0';
	} else if (resolve_split(e, path, &dir, false, f)) {
		return -1;
	}
	e->dir = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (e->dir < 0)
		return copy_fail(f, COPY_IO, "%s: %s", QUOTED(dir, strlen(dir)), strerror(errno));
	return resolve_check(e, QUOTED(arg, strlen(arg)), contents, f);
}

bool source_is_contents(const char *arg)
{
	size_t n = strlen(arg);

	for (int dots = 0; n && arg[n - 1] == '.' && dots < 2; dots++)
		n--;
	return !n || arg[n - 1] == '/' || arg[n - 1] == ':';
}

void source_close(struct source_entry *e)
{
	if (e->dir >= 0)
		close(e->dir);
	e->dir = -1;
}
