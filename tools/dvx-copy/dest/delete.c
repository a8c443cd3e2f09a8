/* SPDX-License-Identifier: BSD-2-Clause */
/* --delete: removes entries that the source does not have. */
#include "delete.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/filter.h"

#define DELETE_PATH (PATH_MAX + 1) /* with a slash behind it */

/* An entry that is to be deleted: its directory's descriptor, its path and its name. */
struct delete_item {
	int dir;
	char *path; /* one buffer, of DELETE_PATH bytes, for all entries below the first */
	const char *name;
	unsigned int depth;
	bool keeps;   /* it holds what the filter protects, or what is not to be deleted */
	bool in_way;  /* it is replaced, so no deletion is reported */
	bool refused; /* by the file system, which was reported */
};

static int delete_tree(struct dest *d, struct delete_item *e, struct copy_fault *f);

/*
 * Keeps the entry and goes on with the copy. Not inlined: its buffer would be in each frame of a
 * recursion 512 directories deep.
 */
__attribute__((noinline)) static int delete_fault(struct dest *d, struct delete_item *e,
						  struct copy_fault *f)
{
	e->keeps = e->refused = true;
	return dest_fault_at(d, e->dir, e->path, "deleted", f) < 0 ? -1 : 0;
}

static int delete_child(struct dest *d, struct delete_item *parent, int fd, const char *name,
			struct copy_fault *f)
{
	char *end = parent->path + strlen(parent->path);
	struct delete_item e = {
		.dir = fd, .path = parent->path, .name = name, .depth = parent->depth + 1};
	int bad;

	if ((size_t)(end - e.path) + strlen(name) + 2 > PATH_MAX || e.depth > DEPTH_MAX) {
		errno = ENAMETOOLONG;
		return delete_fault(d, parent, f);
	}
	*end = '/';
	strcpy(end + 1, name);
	bad = delete_tree(d, &e, f);
	*end = '\0';
	parent->keeps |= e.keeps;
	parent->refused |= e.refused;
	return bad;
}

/* Deletes everything in a directory. Takes the descriptor. */
static int delete_contents(struct dest *d, struct delete_item *e, int fd, struct copy_fault *f)
{
	DIR *list = fdopendir(fd);
	const struct dirent *de;
	struct stat st;
	bool opened;
	int bad = 0;

	if (!list) {
		close(fd);
		return delete_fault(d, e, f);
	}
	opened = !(d->options.bits & OPTION_DRY) && !fstat(fd, &st) && dest_make_writable(fd, &st);
	while (!bad && (de = readdir(list)))
		if (strcmp(de->d_name, ".") && strcmp(de->d_name, ".."))
			bad = delete_child(d, e, fd, de->d_name, f) || alive_tick(&d->alive) ? -1
											     : 0;
	if (opened && (bad || e->keeps))
		(void)!fchmod(fd, st.st_mode & 07777);
	closedir(list);
	return bad;
}

bool delete_is_mounted(const struct dest *d, int parent, int fd)
{
	struct stat out, in;

	return d->options.bits & OPTION_ONE_FS && !fstat(parent, &out) && !fstat(fd, &in) &&
	       out.st_dev != in.st_dev;
}

static int delete_dir(struct dest *d, struct delete_item *e, struct copy_fault *f)
{
	int fd = openat(e->dir, e->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), ret;

	if (fd < 0)
		return delete_fault(d, e, f);
	if (delete_is_mounted(d, e->dir, fd)) {
		e->keeps = true;
		close(fd);
		return 0;
	}
	if (delete_contents(d, e, fd, f))
		return -1;
	if (e->keeps)
		return 0;
	if (!(d->options.bits & OPTION_DRY) && unlinkat(e->dir, e->name, AT_REMOVEDIR))
		return delete_fault(d, e, f);
	if (e->in_way)
		return 0;
	strcat(e->path, "/");
	ret = d->gone(d->arg, e->path);
	e->path[strlen(e->path) - 1] = '\0';
	return ret;
}

static int delete_tree(struct dest *d, struct delete_item *e, struct copy_fault *f)
{
	struct stat st;

	if (fstatat(e->dir, e->name, &st, AT_SYMLINK_NOFOLLOW))
		return errno == ENOENT ? 0 : delete_fault(d, e, f);
	if (d->options.filter && filter_hides(d->options.filter, e->path, S_ISDIR(st.st_mode))) {
		e->keeps = true;
		return 0;
	}
	if (S_ISDIR(st.st_mode))
		return delete_dir(d, e, f);
	if (!(d->options.bits & OPTION_DRY) && unlinkat(e->dir, e->name, 0))
		return delete_fault(d, e, f);
	return d->gone(d->arg, e->path);
}

int delete_entry(struct dest *d, int dir, const char *path, const char *name, struct copy_fault *f)
{
	char below[DELETE_PATH];
	struct delete_item e = {.dir = dir, .path = strcpy(below, path), .name = name};

	return delete_tree(d, &e, f);
}

/* In a dry run: finds out whether the directory would stay. */
static int delete_find_kept(struct dest *d, struct delete_item *e, struct copy_fault *f)
{
	int fd = openat(e->dir, e->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *list = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *de;

	if (!list) {
		if (fd >= 0)
			close(fd);
		return delete_fault(d, e, f);
	}
	while (!e->keeps && (de = readdir(list)))
		e->keeps = strcmp(de->d_name, ".") && strcmp(de->d_name, "..");
	closedir(list);
	return 0;
}

/*
 * Without --delete a directory stays unless it is empty, which the kernel checks as it removes it.
 */
static int delete_if_empty(struct dest *d, struct delete_item *e, struct copy_fault *f)
{
	if (d->options.bits & OPTION_DRY)
		return delete_find_kept(d, e, f);
	if (!unlinkat(e->dir, e->name, AT_REMOVEDIR))
		return 0;
	e->keeps = errno == ENOTEMPTY || errno == EEXIST;
	return e->keeps ? 0 : delete_fault(d, e, f);
}

int delete_in_way(struct dest *d, const char *name, struct copy_fault *f)
{
	char path[DELETE_PATH];
	struct delete_item e = {.dir = d->now->fd, .path = path, .name = name, .in_way = true};

	dest_path(path, d->now, name);
	if (d->options.bits & OPTION_DELETE ? delete_dir(d, &e, f) : delete_if_empty(d, &e, f))
		return -1;
	if (!e.keeps) {
		d->now->dirty = true;
		return 1;
	}
	if (e.refused)
		return 0;
	return d->skip(d->arg, path,
		       d->options.bits & OPTION_DELETE
			       ? "not copied: a directory of this name holds what is excluded"
			       : "not copied: a directory of this name is not empty (--delete "
				 "replaces it)");
}

bool delete_is_temporary(const char *name)
{
	return !strncmp(name, TEMP_PREFIX, strlen(TEMP_PREFIX));
}
