/* SPDX-License-Identifier: BSD-2-Clause */
#include "tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#define DEPTH_MAX 512 /* each level holds a descriptor and a frame of the stack */

struct tree_walk {
	const struct tree_calls *calls;
	void *arg;
	struct copy_fault *f;
	size_t rel_len;
	unsigned int depth;
	char rel[PATH_MAX];
};

static int visit(struct tree_walk *w, int dir, const char *name, const char *as);

static int copy_tree_skip(struct tree_walk *w, const char *why)
{
	return w->calls->skip(w->arg, w->rel, why);
}

static int skip_errno(struct tree_walk *w)
{
	int err = errno;

	/* Running out of descriptors is no property of this entry: half a tree must not look whole.
	 */
	if (err == EMFILE || err == ENFILE || err == ENOMEM)
		return copy_fail(w->f, COPY_IO, "%s: %s", QUOTED(w->rel, strlen(w->rel)),
				 strerror(err));
	return copy_tree_skip(w, strerror(err));
}

static int visit_file(struct tree_walk *w, int dir, const char *name, const char *as)
{
	/* O_NONBLOCK: the name may have become a FIFO since it was looked at. */
	int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat st;
	int ret;

	if (fd < 0)
		return skip_errno(w);
	if (fstat(fd, &st))
		ret = skip_errno(w);
	else if (!S_ISREG(st.st_mode))
		ret = copy_tree_skip(w, "was replaced by something else while it was copied");
	else
		ret = w->calls->file(w->arg, as, w->rel, fd, &st);
	close(fd);
	return ret;
}

static int visit_link(struct tree_walk *w, int dir, const char *name, const char *as,
		      const struct stat *st)
{
	char target[PATH_MAX];
	ssize_t n = readlinkat(dir, name, target, sizeof(target));

	if (n < 0)
		return skip_errno(w);
	if (n == 0 || (size_t)n >= sizeof(target))
		return copy_tree_skip(w, "its target is too long");
	return w->calls->link(w->arg, as, target, (size_t)n, st);
}

/* Appends a name to rel and visits the entry; rel is cut back after it. */
static int visit_child(struct tree_walk *w, int dir, const char *name)
{
	size_t old = w->rel_len, n = strlen(name);
	int ret;

	if (old + n + 2 > sizeof(w->rel))
		return copy_tree_skip(w, "holds a path that is too long");
	if (old)
		w->rel[w->rel_len++] = '/';
	memcpy(w->rel + w->rel_len, name, n + 1);
	w->rel_len += n;
	ret = visit(w, dir, name, name);
	w->rel_len = old;
	w->rel[old] = '\0';
	return ret;
}

static int visit_children(struct tree_walk *w, DIR *d)
{
	const struct dirent *de;

	for (;;) {
		errno = 0;
		de = readdir(d);
		if (!de)
			return errno ? skip_errno(w) : 0;
		if (!strcmp(de->d_name, ".") || !strcmp(de->d_name, ".."))
			continue;
		if (visit_child(w, dirfd(d), de->d_name))
			return -1;
	}
}

static int visit_dir(struct tree_walk *w, int dir, const char *name, const char *as)
{
	int fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;
	DIR *d;
	int ret;

	if (fd < 0)
		return skip_errno(w);
	d = fdopendir(fd);
	if (!d || fstat(fd, &st)) {
		ret = skip_errno(w);
		if (d)
			closedir(d);
		else
			close(fd);
		return ret;
	}
	w->depth++;
	ret = w->calls->dir(w->arg, as, &st) || visit_children(w, d) || w->calls->up(w->arg);
	w->depth--;
	closedir(d);
	return ret ? -1 : 0;
}

static int visit(struct tree_walk *w, int dir, const char *name, const char *as)
{
	struct stat st;

	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW))
		return skip_errno(w);
	switch (st.st_mode & S_IFMT) {
	case S_IFREG:
		return visit_file(w, dir, name, as);
	case S_IFLNK:
		return visit_link(w, dir, name, as, &st);
	case S_IFDIR:
		if (w->depth >= DEPTH_MAX)
			return copy_tree_skip(w, "lies more than 512 directories deep");
		return visit_dir(w, dir, name, as);
	}
	return copy_tree_skip(w, "is neither a file, a directory nor a symbolic link");
}

int tree_walk(const struct tree_entry *e, const struct tree_calls *calls, void *arg,
	      struct copy_fault *f)
{
	struct tree_walk w = {.calls = calls, .arg = arg, .f = f};

	return visit(&w, e->dir, e->name, "");
}
