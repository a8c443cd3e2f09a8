/* SPDX-License-Identifier: BSD-2-Clause */
#include "only.h"
#include "path.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

struct only_path {
	bool found;
	char text[]; /* "= PATH", "~ PATH" or "/ PATH" */
};

struct only {
	struct only_path **paths;
	size_t n, room, bytes;
	bool sorted;
};

/* Removes slashes at both ends, and "." components. */
static size_t only_clean(char *to, const char *from)
{
	const char *part;
	size_t n = 0, len;

	while ((part = path_part(&from, &len))) {
		if (len == 1 && *part == '.')
			continue;
		if (n)
			to[n++] = '/';
		memcpy(to + n, part, len);
		n += len;
	}
	to[n] = '\0';
	return n;
}

static int only_put(struct only *o, struct only_path *p)
{
	size_t room = o->room ? 2 * o->room : 64;
	struct only_path **more;

	if (o->n == o->room) {
		more = reallocarray(o->paths, room, sizeof(*more));
		if (!more)
			return -1;
		o->paths = more;
		o->room = room;
	}
	o->paths[o->n++] = p;
	o->bytes += strlen(p->text);
	o->sorted = false;
	return 0;
}

int only_add(struct only **list, const char *text, struct copy_fault *f)
{
	struct only *o = *list ? *list : calloc(1, sizeof(*o));
	char clean[PATH_MAX + 2];
	struct only_path *p;
	size_t n;

	*list = o;
	if (strlen(text) > PATH_MAX)
		return copy_fail(f, COPY_USAGE, "a path of the list is longer than %d bytes",
				 PATH_MAX);
	n = only_clean(clean, text + 2);
	if (!n || path_has_dotdot(clean))
		return copy_fail(
			f, COPY_USAGE,
			"the path \"%s\" of the list is %s the source: name what lies in it",
			SHOWN(text + 2), n ? "not within" : "all of");
	if (o && (o->n == ONLY_MAX || o->bytes > ONLY_BYTES_MAX))
		return copy_fail(f, COPY_USAGE, "the list has more than %u paths or %u MiB",
				 ONLY_MAX, ONLY_BYTES_MAX >> 20);
	p = o ? malloc(sizeof(*p) + n + 3) : NULL;
	if (p) {
		p->found = false;
		memcpy(p->text, text, 2);
		memcpy(p->text + 2, clean, n + 1);
	}
	if (!p || only_put(o, p)) {
		free(p);
		return copy_no_memory(f);
	}
	return 0;
}

void only_free(struct only *o)
{
	for (size_t i = 0; o && i < o->n; i++)
		free(o->paths[i]);
	if (o)
		free(o->paths);
	free(o);
}

static int only_compare(const void *a, const void *b)
{
	const struct only_path *const *x = a, *const *y = b;

	return strcmp((*x)->text + 2, (*y)->text + 2);
}

/* Sorts the paths and joins duplicates. */
static void only_sort(struct only *o)
{
	size_t n = 0;

	if (o->n && !o->sorted)
		qsort(o->paths, o->n, sizeof(struct only_path *), only_compare);
	for (size_t i = 0; i < o->n && !o->sorted; i++) {
		if (n && !only_compare(&o->paths[n - 1], &o->paths[i])) {
			if (o->paths[n - 1]->text[0] == '=')
				o->paths[n - 1]->text[0] = o->paths[i]->text[0];
			free(o->paths[i]);
		} else {
			o->paths[n++] = o->paths[i];
		}
	}
	o->n = o->sorted ? o->n : n;
	o->sorted = true;
}

/* Returns the index of the first path that is not before these n bytes. */
static size_t only_find(const struct only *o, const char *path, size_t n)
{
	size_t from = 0, to = o->n;

	while (from < to) {
		size_t mid = from + (to - from) / 2;
		int c = strncmp(o->paths[mid]->text + 2, path, n);

		if (c < 0)
			from = mid + 1;
		else
			to = mid;
	}
	return from;
}

/* Finds the path that equals these n bytes. It sorts before all paths that begin with them. */
static struct only_path *only_at(const struct only *o, const char *path, size_t n)
{
	size_t i = only_find(o, path, n);

	return i < o->n && !strncmp(o->paths[i]->text + 2, path, n) && !o->paths[i]->text[2 + n]
		       ? o->paths[i]
		       : NULL;
}

/* Whether a listed path lies below the directory. */
static bool only_has_below(const struct only *o, const char *path, size_t n)
{
	char dir[PATH_MAX + 1];
	size_t i;

	if (n + 1 > PATH_MAX)
		return false;
	memcpy(dir, path, n);
	dir[n] = '/';
	i = only_find(o, dir, n + 1);
	return i < o->n && !strncmp(o->paths[i]->text + 2, dir, n + 1);
}

/* Whether the path is below a listed one that is copied with its contents. */
static bool only_is_below(const struct only *o, const char *path)
{
	for (const char *slash = path; (slash = strchr(slash, '/')); slash++) {
		const struct only_path *p = only_at(o, path, (size_t)(slash - path));

		if (p && (p->text[0] == '~' || (p->text[0] == '/' && !strchr(slash + 1, '/'))))
			return true;
	}
	return false;
}

bool only_hides(struct only *o, const char *path, bool is_dir)
{
	const size_t n = strlen(path);
	struct only_path *own;

	only_sort(o);
	own = only_at(o, path, n);
	if (own)
		own->found = true;
	return !own && !(is_dir && only_has_below(o, path, n)) && !only_is_below(o, path);
}

const char *only_text(struct only *o, size_t i)
{
	if (o)
		only_sort(o);
	return o && i < o->n ? o->paths[i]->text : NULL;
}

const char *only_missing(struct only *o, size_t *i)
{
	while (o && *i < o->n)
		if (!o->paths[(*i)++]->found)
			return o->paths[*i - 1]->text + 2;
	return NULL;
}
