/* SPDX-License-Identifier: BSD-2-Clause */
#include "resolve.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/path.h"
#include "base/wild.h"

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
		return copy_fail(f, COPY_IO, "%s: %s", SHOWN(name), strerror(ENAMETOOLONG));
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
	/* "link/" is the directory that it leads to, which has a path of its own. */
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
	if (path_has_dotdot(path))
		return copy_fail(f, COPY_REFUSED, "path %s holds \"..\"", shown);
	if (resolve_split(e, path, &dir, contents, f))
		return -1;
	e->dir = beneath_open(root, dir, O_PATH | O_DIRECTORY);
	if (e->dir >= 0)
		return resolve_check(e, shown, contents, f);
	if (errno == EXDEV || errno == ELOOP)
		return copy_fail(f, COPY_REFUSED,
				 "path %s leaves the served directory through a symbolic link",
				 SHOWN(dir));
	return copy_fail(f, COPY_IO, "%s: %s", SHOWN(dir), strerror(errno));
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
		return copy_fail(f, COPY_IO, "%s: %s", SHOWN(dir), strerror(errno));
	return resolve_check(e, SHOWN(arg), contents, f);
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

/* --- patterns: *, ? and [...], as in a shell --- */

#define MATCHES_MAX 65536u

bool source_is_pattern(const uint8_t *path, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (strchr("*?[", path[i]) && path[i])
			return true;
	return false;
}

struct match {
	int root;
	char path[PATH_MAX]; /* the path matched so far: one buffer for the whole recursion */
	char **paths;
	size_t n, room, lost;
	source_each each;
	void *arg;
	struct copy_fault *f;
};

static int match_room(struct match *w)
{
	size_t room = w->room ? 2 * w->room : 16;
	char **more;

	if (w->n < w->room)
		return 0;
	more = reallocarray(w->paths, room, sizeof(*more));
	if (!more)
		return copy_no_memory(w->f);
	w->paths = more;
	w->room = room;
	return 0;
}

/*
 * Handles a path that could not be opened. Where nothing is there, nothing matches. A closed
 * directory is lost, as a source of its name would be. Not inlined: its buffer would be in each
 * frame of the recursion.
 */
__attribute__((noinline)) static int match_failed(struct match *w)
{
	const int err = errno;
	const char *path = *w->path ? w->path : ".";

	if (err == ENOENT || err == ENOTDIR || err == ELOOP || err == EXDEV || err == ENAMETOOLONG)
		return 0;
	copy_fail(w->f, COPY_IO, "%s: %s", SHOWN(path), strerror(err));
	if (err != EACCES)
		return -1;
	w->lost++;
	return w->each(w->arg, (const uint8_t *)path, strlen(path));
}

/* Adds the path of a complete match. Only slashes are left of the pattern. */
static int match_add(struct match *w, const char *slashes)
{
	int fd = beneath_open(w->root, *w->path ? w->path : ".", O_PATH | O_NOFOLLOW);

	if (fd < 0)
		return match_failed(w);
	close(fd);
	if (strlen(w->path) + strlen(slashes) >= PATH_MAX)
		return 0;
	if (w->n == MATCHES_MAX)
		return copy_fail(w->f, COPY_IO, "the pattern matches more than %u entries",
				 MATCHES_MAX);
	if (match_room(w))
		return -1;
	if (asprintf(&w->paths[w->n], "%s%s", w->path, slashes) < 0)
		return copy_no_memory(w->f);
	w->n++;
	return 0;
}

/* Appends a name to the path. false: the path becomes too long. */
static bool match_push(struct match *w, const char *name, size_t n)
{
	size_t have = strlen(w->path);

	if (have + n + 2 > sizeof(w->path))
		return false;
	if (have)
		w->path[have++] = '/';
	memcpy(w->path + have, name, n);
	w->path[have + n] = '\0';
	return true;
}

static int match_at(struct match *w, const char *rest);

static int match_entry(struct match *w, const char *name, const char *rest)
{
	size_t n = strlen(w->path);
	int bad = match_push(w, name, strlen(name)) ? match_at(w, rest) : 0;

	w->path[n] = '\0';
	return bad;
}

/* Tries the entries that match one component of the pattern. */
static int match_entries(struct match *w, const char *from, size_t n, const char *rest)
{
	int fd = beneath_open(w->root, *w->path ? w->path : ".", O_RDONLY | O_DIRECTORY);
	DIR *list = fd < 0 ? NULL : dir_list(fd, ".");
	char part[NAME_MAX + 1];
	const char *name;
	int bad = list ? 0 : match_failed(w);

	memcpy(part, from, n);
	part[n] = '\0';
	if (fd >= 0)
		close(fd);
	if (!list)
		return bad;
	while (!bad && (name = dir_next(list)))
		if (wild_match_name(part, name))
			bad = match_entry(w, name, rest);
	if (!bad && errno)
		bad = match_failed(w);
	closedir(list);
	return bad;
}

/* Matches the rest of the pattern. Components without a wildcard are plain names. */
static int match_at(struct match *w, const char *rest)
{
	for (;;) {
		size_t n = strcspn(rest, "/"), slashes = strspn(rest + n, "/");

		if (!n && !rest[slashes])
			return match_add(w, rest);
		if (n > NAME_MAX)
			return 0;
		if (!rest[n + slashes]) /* "name/" needs a directory */
			slashes = 0;
		if (source_is_pattern((const uint8_t *)rest, n))
			return match_entries(w, rest, n, rest + n + slashes);
		if (n && !match_push(w, rest, n))
			return 0;
		rest += n + slashes;
	}
}

static int match_compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

int source_match(int root, const uint8_t *pattern, size_t len, source_each each, void *arg,
		 struct copy_fault *f)
{
	struct match w = {.root = root, .each = each, .arg = arg, .f = f};
	char text[PATH_MAX];
	int bad = 0;

	if (len >= sizeof(text) || memchr(pattern, '\0', len) || (len && pattern[0] == '/'))
		return 1;
	memcpy(text, pattern, len);
	text[len] = '\0';
	bad = match_at(&w, text);
	if (w.n)
		qsort(w.paths, w.n, sizeof(*w.paths), match_compare);
	for (size_t i = 0; i < w.n; i++) {
		if (!bad)
			bad = each(arg, (const uint8_t *)w.paths[i], strlen(w.paths[i]));
		free(w.paths[i]);
	}
	free(w.paths);
	return bad ? -1 : !w.n && !w.lost;
}
