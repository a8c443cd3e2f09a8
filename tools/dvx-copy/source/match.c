/* SPDX-License-Identifier: BSD-2-Clause */
/* Patterns in the paths that a client asks for: *, ? and [...], as a shell's. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/beneath.h"
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
	char **paths;
	size_t n, room;
	struct copy_fault *f;
};

static int match_add(struct match *w, const char *path)
{
	if (w->n == MATCHES_MAX)
		return copy_fail(w->f, COPY_IO, "the pattern matches more than %u entries",
				 MATCHES_MAX);
	if (w->n == w->room) {
		size_t room = w->room ? 2 * w->room : 16;
		char **more = reallocarray(w->paths, room, sizeof(*more));

		if (!more)
			return copy_fail(w->f, COPY_IO, "out of memory");
		w->paths = more;
		w->room = room;
	}
	w->paths[w->n] = strdup(path);
	return w->paths[w->n++] ? 0 : copy_fail(w->f, COPY_IO, "out of memory");
}

static int match_at(struct match *w, const char *done, const char *rest);

static int match_joined(struct match *w, const char *done, const char *name, const char *rest)
{
	char path[PATH_MAX];
	size_t a = strlen(done), b = strlen(name);

	if (a + b + 2 > sizeof(path))
		return 0;
	memcpy(path, done, a);
	if (a)
		path[a++] = '/';
	memcpy(path + a, name, b + 1);
	return match_at(w, path, rest);
}

static int match_entries(struct match *w, const char *done, const char *part, const char *rest)
{
	int fd = beneath_open(w->root, *done ? done : ".", O_RDONLY | O_DIRECTORY);
	DIR *list = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *de;
	int bad = 0;

	if (!list && fd >= 0)
		close(fd);
	while (list && !bad && (errno = 0, de = readdir(list)))
		if (strcmp(de->d_name, ".") && strcmp(de->d_name, "..") &&
		    !fnmatch(part, de->d_name, FNM_PERIOD))
			bad = match_joined(w, done, de->d_name, rest);
	if (list && !bad && errno)
		bad = copy_fail(w->f, COPY_IO, "reading directory %s: %s",
				*done ? QUOTED(done, strlen(done)) : ".", strerror(errno));
	if (list)
		closedir(list);
	return bad;
}

/* `done` is matched; rest is what is left of the pattern. */
static int match_at(struct match *w, const char *done, const char *rest)
{
	char part[NAME_MAX + 1], whole[PATH_MAX];
	size_t n = strcspn(rest, "/"), a = strlen(done);
	int fd;

	if (!*rest || strspn(rest, "/") == strlen(rest)) {
		fd = beneath_open(w->root, *done ? done : ".", O_PATH | O_NOFOLLOW);
		if (fd < 0 || a + strlen(rest) >= sizeof(whole))
			return 0;
		close(fd);
		strcpy(whole, done);
		return match_add(w, strcat(whole, rest));
	}
	if (n > NAME_MAX)
		return 0;
	memcpy(part, rest, n);
	part[n] = '\0';
	rest += n;
	if (*rest && rest[strspn(rest, "/")]) /* a slash at the end says something */
		rest += strspn(rest, "/");
	if (!n)
		return match_at(w, done, rest);
	return source_is_pattern((const uint8_t *)part, n) ? match_entries(w, done, part, rest)
							   : match_joined(w, done, part, rest);
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
		return each(arg, pattern, len); /* it is refused there */
	memcpy(text, pattern, len);
	text[len] = '\0';
	bad = match_at(&w, "", text);
	if (w.n)
		qsort(w.paths, w.n, sizeof(*w.paths), match_compare);
	for (size_t i = 0; i < w.n; i++) {
		if (!bad)
			bad = each(arg, (const uint8_t *)w.paths[i], strlen(w.paths[i]));
		free(w.paths[i]);
	}
	free(w.paths);
	return bad || w.n ? bad : each(arg, pattern, len);
}
