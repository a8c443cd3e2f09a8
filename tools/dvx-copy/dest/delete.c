/* SPDX-License-Identifier: BSD-2-Clause */
/* --delete: removes entries that the source does not have. */
#include "dest.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/filter.h"
#include "base/report.h"

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

static int delete_tree(struct dest *d, struct delete_item *e);

/* Keeps the entry. Not inlined: its buffer would be in each of 512 frames. */
__attribute__((noinline)) static int delete_fault(struct dest *d, struct delete_item *e)
{
	e->keeps = e->refused = true;
	return dest_fault_at(d, e->dir, e->path, "deleted") < 0 ? -1 : 0;
}

static int delete_child(struct dest *d, struct delete_item *parent, int fd, const char *name)
{
	char *end = parent->path + strlen(parent->path);
	struct delete_item e = {
		.dir = fd, .path = parent->path, .name = name, .depth = parent->depth + 1};
	int bad;

	if ((size_t)(end - e.path) + strlen(name) + 2 > PATH_MAX || e.depth > DEPTH_MAX) {
		errno = ENAMETOOLONG;
		return delete_fault(d, parent);
	}
	*end = '/';
	strcpy(end + 1, name);
	bad = delete_tree(d, &e);
	*end = '\0';
	parent->keeps |= e.keeps;
	parent->refused |= e.refused;
	return bad;
}

static int delete_contents(struct dest *d, struct delete_item *e, DIR *list)
{
	const int fd = dirfd(list);
	const char *name;
	struct stat st;
	bool opened =
		!(d->options.bits & OPTION_DRY) && !fstat(fd, &st) && dest_make_writable(fd, &st);
	int bad = 0;

	while (!bad && (name = dir_next(list)))
		bad = delete_child(d, e, fd, name) || alive_tick(&d->alive) ? -1 : 0;
	if (opened && (bad || e->keeps))
		(void)!fchmod(fd, st.st_mode & 07777);
	return bad;
}

bool delete_is_mounted(const struct dest *d, int parent, int fd)
{
	struct stat out, in;

	return d->options.bits & OPTION_ONE_FS && !fstat(parent, &out) && !fstat(fd, &in) &&
	       out.st_dev != in.st_dev;
}

static int delete_report(struct dest *d, const char *path)
{
	struct copy_msg m = {.type = MSG_GONE, .name = bytes_text(path)};

	if (m.name.n >= PATH_MAX) /* the longest path, with the slash of a directory */
		m.name.n = PATH_MAX - 1;
	d->counts->gone++;
	if (!d->role->report)
		return link_queue(d->role->link, &m, d->f);
	report_gone(d->role->report, m.name);
	return 0;
}

static int delete_dir(struct dest *d, struct delete_item *e)
{
	DIR *list = dir_list(e->dir, e->name);
	int ret = 0;

	if (!list)
		return delete_fault(d, e);
	if (delete_is_mounted(d, e->dir, dirfd(list)))
		e->keeps = true;
	else
		ret = delete_contents(d, e, list);
	closedir(list);
	if (ret)
		return -1;
	if (e->keeps)
		return 0;
	if (!(d->options.bits & OPTION_DRY) && unlinkat(e->dir, e->name, AT_REMOVEDIR))
		return delete_fault(d, e);
	if (e->in_way)
		return 0;
	strcat(e->path, "/");
	ret = delete_report(d, e->path);
	e->path[strlen(e->path) - 1] = '\0';
	return ret;
}

static int delete_tree(struct dest *d, struct delete_item *e)
{
	struct stat st;

	if (fstatat(e->dir, e->name, &st, AT_SYMLINK_NOFOLLOW))
		return errno == ENOENT ? 0 : delete_fault(d, e);
	if (d->options.filter && filter_hides(d->options.filter, e->path, S_ISDIR(st.st_mode))) {
		e->keeps = true;
		return 0;
	}
	if (S_ISDIR(st.st_mode))
		return delete_dir(d, e);
	if (!(d->options.bits & OPTION_DRY) && unlinkat(e->dir, e->name, 0))
		return delete_fault(d, e);
	return delete_report(d, e->path);
}

int delete_entry(struct dest *d, int dir, const char *path, const char *name)
{
	char below[DELETE_PATH];
	struct delete_item e = {.dir = dir, .path = strcpy(below, path), .name = name};

	return delete_tree(d, &e);
}

/* In a dry run: finds out whether the directory would stay. */
static int delete_find_kept(struct dest *d, struct delete_item *e)
{
	DIR *list = dir_list(e->dir, e->name);

	if (!list)
		return delete_fault(d, e);
	e->keeps = dir_next(list);
	closedir(list);
	return 0;
}

/* Without --delete only an empty directory goes; the kernel checks that as it removes it. */
static int delete_if_empty(struct dest *d, struct delete_item *e)
{
	if (d->options.bits & OPTION_DRY)
		return delete_find_kept(d, e);
	if (!unlinkat(e->dir, e->name, AT_REMOVEDIR))
		return 0;
	e->keeps = errno == ENOTEMPTY || errno == EEXIST;
	return e->keeps ? 0 : delete_fault(d, e);
}

int delete_in_way(struct dest *d, const char *name)
{
	char path[DELETE_PATH];
	struct delete_item e = {.dir = d->now->fd, .path = path, .name = name, .in_way = true};

	path_join(path, d->now->path, name);
	if (d->options.bits & OPTION_DELETE ? delete_tree(d, &e) : delete_if_empty(d, &e))
		return -1;
	if (!e.keeps) {
		d->now->dirty = true;
		return 1;
	}
	if (e.refused)
		return 0;
	return role_skip(d->role, path,
			 d->options.bits & OPTION_DELETE
				 ? "not copied: a directory of this name is excluded, or "
				   "holds what is"
				 : "not copied: a directory of this name is not empty (--delete "
				   "replaces it)");
}

bool delete_is_temporary(const char *name)
{
	return !strncmp(name, TEMP_PREFIX, strlen(TEMP_PREFIX));
}
