/* SPDX-License-Identifier: BSD-2-Clause */
#include "seen.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commit.h"
#include "delete.h"

struct seen_entry {
	bool is_dir, whole;
	char path[]; /* from DEST */
};

struct dest_seen {
	void *entries;	/* a tree of struct seen_entry */
	uint64_t bytes; /* of the paths */
	bool failed;
};

struct dest_seen *seen_new(void)
{
	return calloc(1, sizeof(struct dest_seen));
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

static struct seen_entry *seen_entry(const char *path, bool is_dir)
{
	size_t n = strlen(path) + 1;
	struct seen_entry *e = malloc(sizeof(*e) + n);

	if (!e)
		return NULL;
	*e = (struct seen_entry){.is_dir = is_dir, .whole = true};
	memcpy(e->path, path, n);
	return e;
}

/* Returns the entry of this path that was seen before, or the new one. */
static struct seen_entry *seen_put(struct dest_seen *s, struct seen_entry *e)
{
	struct seen_entry **at = e ? tsearch(e, &s->entries, seen_compare) : NULL;

	if (!at || *at != e)
		free(e);
	return at ? *at : NULL;
}

static struct seen_entry *seen_find(struct dest_seen *s, const char *path)
{
	struct seen_entry *key = seen_entry(path, false), **at;

	at = key ? tfind(key, &s->entries, seen_compare) : NULL;
	free(key);
	return at ? *at : NULL;
}

int seen_add(struct dest *d, const char *name, bool is_dir, struct copy_fault *f)
{
	struct seen_entry *new, *e;
	char path[PATH_MAX];

	d->dir_seen = false;
	if (!d->seen)
		return 0;
	new = seen_entry(dest_path(path, d->now, name), is_dir);
	e = seen_put(d->seen, new);
	if (!e)
		return copy_fail(f, COPY_IO, "out of memory");
	if (e == new)
		return dest_remember(&d->seen->bytes, strlen(path), f);
	d->dir_seen = is_dir && e->is_dir;
	e->is_dir |= is_dir; /* a directory of any source makes it a directory */
	return !is_dir;
}

bool seen_dest(const struct dest *d)
{
	return d->seen && seen_find(d->seen, "");
}

void seen_end(struct dest *d, const struct dest_dir *dir, bool whole)
{
	struct seen_entry *e = d->seen ? seen_find(d->seen, dir->path) : NULL;

	if (e)
		e->whole &= whole;
}

void seen_fail(struct dest *d)
{
	if (d->seen)
		d->seen->failed = true;
}

/* --- deleting what no source has --- */

/* path is one buffer, of PATH_MAX bytes, for all directories. */
static int seen_sweep(struct dest *d, int fd, char *path, unsigned int depth, struct copy_fault *f);

static int seen_child(struct dest *d, int fd, char *path, const char *name, bool deletes,
		      unsigned int depth, struct copy_fault *f)
{
	const struct seen_entry *e = seen_find(d->seen, path);
	int sub, ret;

	if (!e)
		return deletes && !delete_is_temporary(name) ? delete_entry(d, fd, path, name, f)
							     : 0;
	if (!e->is_dir || depth > DEPTH_MAX)
		return 0;
	sub = openat(fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (sub < 0) /* not a directory that the copy made: a dry run, or another program's doing */
		return 0;
	ret = delete_is_mounted(d, fd, sub) ? 0 : seen_sweep(d, sub, path, depth, f);
	close(sub);
	return ret;
}

/*
 * Restores the mode and time, which are the source's already. Not inlined: its message buffer would
 * be in each frame of a recursion 512 directories deep.
 */
__attribute__((noinline)) static int seen_restore(struct dest *d, int fd, const char *path,
						  const struct stat *before, struct copy_fault *f)
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
	return commit_dir(d, fd, QUOTED(path, strlen(path)), f);
}

static int seen_list(struct dest *d, int fd, char *path, DIR *list, unsigned int depth,
		     struct copy_fault *f)
{
	const struct seen_entry *e = seen_find(d->seen, path);
	const bool whole = e && e->whole;
	const size_t n = strlen(path);
	const struct dirent *de;
	int bad = 0;

	while (!bad && (de = readdir(list))) {
		if (!strcmp(de->d_name, ".") || !strcmp(de->d_name, "..") ||
		    n + strlen(de->d_name) + 2 > PATH_MAX)
			continue;
		strcpy(path + n, n ? "/" : "");
		strcat(path + n, de->d_name);
		bad = seen_child(d, fd, path, de->d_name, whole, depth + 1, f) ||
		      alive_tick(&d->alive);
		path[n] = '\0';
	}
	return bad;
}

__attribute__((noinline)) static int seen_unread(struct dest *d, int fd, const char *path,
						 struct copy_fault *f)
{
	return dest_fault_at(d, fd, path, "read", f) < 0 ? -1 : 0;
}

static int seen_sweep(struct dest *d, int fd, char *path, unsigned int depth, struct copy_fault *f)
{
	int copy = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), bad;
	DIR *list = copy < 0 ? NULL : fdopendir(copy);
	struct stat st;

	if (!list || fstat(fd, &st)) {
		bad = seen_unread(d, fd, path, f);
	} else {
		if (!(d->options.bits & OPTION_DRY))
			dest_make_writable(fd, &st);
		bad = seen_list(d, fd, path, list, depth, f);
		bad |= seen_restore(d, fd, path, &st, f);
	}
	if (list)
		closedir(list);
	else if (copy >= 0)
		close(copy);
	return bad ? -1 : 0;
}

int seen_delete(struct dest *d, const struct dest_plan *plan, struct copy_fault *f)
{
	char path[PATH_MAX] = "";
	int fd, ret;

	if (!d->seen || !plan->last || d->seen->failed || !(d->options.bits & OPTION_DELETE))
		return 0;
	fd = dest_open(plan);
	if (fd < 0) /* a dry run that would make it */
		return 0;
	ret = seen_sweep(d, fd, path, 0, f);
	close(fd);
	return ret;
}
