/* SPDX-License-Identifier: BSD-2-Clause */
#include "dest.h"

#include <errno.h>
#include <fcntl.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/idmap.h"

struct seen_entry {
	struct seen_entry *next;  /* of one directory */
	struct seen_entry *names; /* the directory's entries, if sources may merge */
	const char *path;	  /* from DEST */
	bool is_dir, whole;
	char text[];
};

struct dest_seen {
	void *entries;		  /* a tree of struct seen_entry */
	struct seen_entry *names; /* DEST's entries, if sources may merge */
	bool merges, failed;
};

struct dest_seen *seen_new(bool merges)
{
	struct dest_seen *seen = calloc(1, sizeof(*seen));

	if (seen)
		seen->merges = merges;
	return seen;
}

void seen_free(struct dest_seen *seen)
{
	if (seen)
		tdestroy(seen->entries, free);
	free(seen);
}

static int seen_compare(const void *a, const void *b)
{
	const struct seen_entry *x = a, *y = b;

	return strcmp(x->path, y->path);
}

static struct seen_entry *seen_find(struct dest_seen *s, const char *path)
{
	const struct seen_entry key = {.path = path};
	struct seen_entry **at = tfind(&key, &s->entries, seen_compare);

	return at ? *at : NULL;
}

static struct seen_entry *seen_put(struct dest_seen *s, const char *path, bool is_dir)
{
	size_t n = strlen(path) + 1;
	struct seen_entry *e = malloc(sizeof(*e) + n);

	if (!e)
		return NULL;
	*e = (struct seen_entry){.path = e->text, .is_dir = is_dir, .whole = true};
	memcpy(e->text, path, n);
	if (tsearch(e, &s->entries, seen_compare))
		return e;
	free(e);
	return NULL;
}

/* Returns the list of a directory's entries. NULL: no source has the directory. */
static struct seen_entry **seen_names(struct dest *d, const char *dir)
{
	struct seen_entry *e;

	if (!d->seen->merges)
		return &d->now->names;
	if (!*dir)
		return &d->seen->names;
	e = seen_find(d->seen, dir);
	return e ? &e->names : NULL;
}

static int seen_note(struct dest *d, const char *path, bool is_dir)
{
	struct seen_entry **names = seen_names(d, d->now->path);
	struct seen_entry *e = seen_put(d->seen, path, is_dir);

	if (!e)
		return copy_no_memory(d->f);
	if (names) {
		e->next = *names;
		*names = e;
	}
	return dest_remember(d, strlen(path));
}

int seen_add(struct dest *d, const char *name, bool is_dir)
{
	struct seen_entry *e;
	char path[PATH_MAX];

	d->dir_seen = false;
	if (!d->seen->merges && !(d->options.bits & OPTION_DELETE))
		return 0;
	e = seen_find(d->seen, path_join(path, d->now->path, name));
	if (!e)
		return seen_note(d, path, is_dir);
	if (!d->seen->merges)
		return 0;
	d->dir_seen = is_dir && e->is_dir;
	e->is_dir |= is_dir; /* a directory of any source makes it a directory */
	return !is_dir;
}

void seen_forget(struct dest *d, struct dest_dir *dir)
{
	struct seen_entry *e;

	while ((e = dir->names)) {
		dir->names = e->next;
		d->remembered -= dest_weight(strlen(e->path));
		tdelete(e, &d->seen->entries, seen_compare);
		free(e);
	}
}

bool seen_dest(const struct dest *d)
{
	return d->seen->merges && seen_find(d->seen, "");
}

void seen_fail(struct dest *d)
{
	d->seen->failed = true;
}

/* --- deleting what no source has --- */

/* A directory of the destination. path is one buffer, of PATH_MAX bytes, for all directories. */
struct seen_level {
	int fd;
	char *path;
	unsigned int depth;
	bool deletes, deleted;
	struct seen_entry **names; /* that the sources have */
	idmap ids;		   /* their inodes, from the first candidate on */
	bool has_ids;
};

static int seen_sweep(struct dest *d, int fd, char *path, unsigned int depth);

static int seen_below(struct dest *d, const struct seen_level *l, const char *name)
{
	int sub = openat(l->fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), ret;

	if (sub < 0) /* not a directory that the copy made: a dry run, or another program's doing */
		return 0;
	ret = delete_is_mounted(d, l->fd, sub) ? 0 : seen_sweep(d, sub, l->path, l->depth + 1);
	close(sub);
	return ret;
}

static int seen_add_ids(struct dest *d, struct seen_level *l)
{
	struct stat st;

	l->has_ids = true;
	for (const struct seen_entry *e = *l->names; e; e = e->next) {
		const char *slash = strrchr(e->path, '/');

		if (alive_tick(&d->alive))
			return -1;
		if (!fstatat(l->fd, slash ? slash + 1 : e->path, &st, AT_SYMLINK_NOFOLLOW) &&
		    !idmap_put(&l->ids, st.st_dev, st.st_ino))
			return copy_no_memory(d->f);
	}
	return 0;
}

/*
 * Whether a name of the sources leads to this entry: the file system folds case or normalizes
 * Unicode, and has the entry under the name that it was made with.
 */
static int seen_folded(struct dest *d, struct seen_level *l, const char *name)
{
	struct stat st;

	if (!l->names || fstatat(l->fd, name, &st, AT_SYMLINK_NOFOLLOW) ||
	    (!S_ISDIR(st.st_mode) && st.st_nlink > 1)) /* it has two names */
		return 0;
	if (!l->has_ids && seen_add_ids(d, l))
		return -1;
	return !!idmap_find(&l->ids, st.st_dev, st.st_ino);
}

static int seen_child(struct dest *d, struct seen_level *l, const char *name)
{
	const struct seen_entry *e = seen_find(d->seen, l->path);
	int folded;

	if (e && d->seen->merges && e->is_dir && l->depth < DEPTH_MAX)
		return seen_below(d, l, name);
	if (e || !l->deletes || delete_is_temporary(name))
		return 0;
	folded = seen_folded(d, l, name);
	if (folded)
		return folded < 0 ? -1 : 0;
	l->deleted = true;
	return delete_entry(d, l->fd, l->path, name);
}

/* Restores mode and time, the source's. Not inlined: its buffer would be in 512 frames. */
__attribute__((noinline)) static int seen_restore(struct dest *d, int fd, const char *path,
						  const struct stat *before)
{
	const struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, before->st_mtim};
	struct stat now;

	if (d->options.bits & OPTION_DRY || fstat(fd, &now))
		return 0;
	if (now.st_mode != before->st_mode)
		(void)!fchmod(fd, before->st_mode & 07777);
	if (now.st_mtim.tv_sec == before->st_mtim.tv_sec &&
	    now.st_mtim.tv_nsec == before->st_mtim.tv_nsec)
		return 0;
	if (d->options.bits & OPTION_TIMES && seen_find(d->seen, path))
		(void)!futimens(fd, times);
	return commit_dir(d, fd, SHOWN(path));
}

/* Not inlined: its message buffer would be in each frame of a recursion 512 directories deep. */
__attribute__((noinline)) static int seen_unread(struct dest *d, const struct seen_level *l)
{
	return dest_fault_at(d, l->fd, l->path, "read") < 0 ? -1 : 0;
}

static int seen_list(struct dest *d, struct seen_level *l)
{
	DIR *list = dir_list(l->fd, ".");
	const size_t n = strlen(l->path);
	const char *name;
	int bad = 0;

	if (!list)
		return seen_unread(d, l);
	l->names = seen_names(d, l->path);
	while (!bad && (name = dir_next(list))) {
		if (n + strlen(name) + 2 > PATH_MAX)
			continue;
		strcpy(l->path + n, n ? "/" : "");
		strcat(l->path + n, name);
		bad = seen_child(d, l, name) || alive_tick(&d->alive) ? -1 : 0;
		l->path[n] = '\0';
	}
	closedir(list);
	idmap_free(&l->ids);
	return bad;
}

static int seen_sweep(struct dest *d, int fd, char *path, unsigned int depth)
{
	const struct seen_entry *e = seen_find(d->seen, path);
	struct seen_level l = {.fd = fd, .path = path, .depth = depth, .deletes = e && e->whole};
	struct stat st;
	int bad;

	if (fstat(fd, &st))
		return seen_unread(d, &l);
	if (!(d->options.bits & OPTION_DRY))
		dest_make_writable(fd, &st);
	bad = seen_list(d, &l);
	return seen_restore(d, fd, path, &st) || bad ? -1 : 0;
}

int seen_end(struct dest *d, struct dest_dir *dir, bool whole)
{
	struct seen_entry *e = d->seen->merges ? seen_find(d->seen, dir->path) : NULL;
	char path[PATH_MAX];
	struct seen_level l = {.fd = dir->fd, .path = strcpy(path, dir->path), .deletes = true};
	int bad;

	if (e)
		e->whole &= whole;
	if (d->seen->merges || !whole || !(d->options.bits & OPTION_DELETE) ||
	    dir->origin == ORIGIN_NEW || dir->fd < 0 ||
	    (dir->parent && delete_is_mounted(d, dir->parent->fd, dir->fd)))
		return 0;
	bad = seen_list(d, &l);
	dir->dirty |= l.deleted;
	return bad;
}

int seen_delete(struct dest *d, const struct dest_plan *plan)
{
	char path[PATH_MAX] = "";
	int fd, ret;

	if (!d->seen->merges || !plan->last || d->seen->failed ||
	    !(d->options.bits & OPTION_DELETE))
		return 0;
	fd = dest_open(plan);
	if (fd < 0) /* a dry run that would make it */
		return 0;
	ret = seen_sweep(d, fd, path, 0);
	close(fd);
	return ret;
}
