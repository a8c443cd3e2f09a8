/* SPDX-License-Identifier: BSD-2-Clause */
/* Matches patterns in requested paths: *, ? and [...], as in a shell. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/beneath.h"
#include "base/wild.h"
#include "resolve.h"

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
	size_t n, room;
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
		return copy_fail(w->f, COPY_IO, "out of memory");
	w->paths = more;
	w->room = room;
	return 0;
}

/* Adds the path of a complete match. Only slashes are left of the pattern. */
static int match_add(struct match *w, const char *slashes)
{
	int fd = beneath_open(w->root, *w->path ? w->path : ".", O_PATH | O_NOFOLLOW);

	if (fd < 0)
		return 0;
	close(fd);
	if (strlen(w->path) + strlen(slashes) >= PATH_MAX)
		return 0;
	if (w->n == MATCHES_MAX)
		return copy_fail(w->f, COPY_IO, "the pattern matches more than %u entries",
				 MATCHES_MAX);
	if (match_room(w))
		return -1;
	if (asprintf(&w->paths[w->n], "%s%s", w->path, slashes) < 0)
		return copy_fail(w->f, COPY_IO, "out of memory");
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

/*
 * Reports an unreadable directory. Not inlined: its buffer would be in each frame of the recursion.
 */
__attribute__((noinline)) static int match_unread(const struct match *w)
{
	int err = errno;
	const char *path = *w->path ? w->path : ".";

	return copy_fail(w->f, COPY_IO, "reading directory %s: %s", QUOTED(path, strlen(path)),
			 strerror(err));
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
	DIR *list = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *de;
	char part[NAME_MAX + 1];
	int bad = 0;

	memcpy(part, from, n);
	part[n] = '\0';
	if (!list && fd >= 0)
		close(fd);
	while (list && !bad && (errno = 0, de = readdir(list)))
		if (strcmp(de->d_name, ".") && strcmp(de->d_name, "..") &&
		    wild_match_name(part, de->d_name))
			bad = match_entry(w, de->d_name, rest);
	if (list && !bad && errno)
		bad = match_unread(w);
	if (list)
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

int source_match(int root, const uint8_t *pattern, size_t len,
		 int (*each)(void *arg, const uint8_t *path, size_t len), void *arg,
		 struct copy_fault *f)
{
	struct match w = {.root = root, .f = f};
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
	return bad ? -1 : !w.n;
}
