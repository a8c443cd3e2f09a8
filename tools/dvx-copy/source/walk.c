/* SPDX-License-Identifier: BSD-2-Clause */
#include "walk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/filter.h"
#include "base/options.h"
#include "base/path.h"

struct walk_level {
	struct walk_level *up;
	struct walk_dir *dir;
	bool whole, ended;
	int err;	 /* why reading ended early, or 0 */
	size_t at, have; /* of names */
	_Alignas(struct dirent64) char names[16384];
};

void walk_hold(struct walk_dir *dir)
{
	dir->users++;
}

void walk_release(struct walk_dir *dir)
{
	while (dir && !--dir->users) {
		struct walk_dir *up = dir->up;

		--*dir->n_open;
		close(dir->fd);
		free(dir);
		dir = up;
	}
}

/* Makes a directory. Takes the descriptor. */
static struct walk_dir *walk_dir_new(struct walk *w, struct walk_dir *up, int fd, const char *rel)
{
	size_t n = strlen(rel);
	struct walk_dir *dir = malloc(sizeof(*dir) + n + 1);

	if (!dir) {
		close(fd);
		return NULL;
	}
	*dir = (struct walk_dir){.up = up, .users = 1, .n_open = &w->n_open, .fd = fd};
	w->n_open++;
	memcpy(dir->rel, rel, n + 1);
	if (up)
		walk_hold(up);
	return dir;
}

int walk_start(struct walk *w, int dir, const char *name, const char *rel, bool into_dirs,
	       struct copy_fault *f)
{
	int fd = fcntl(dir, F_DUPFD_CLOEXEC, 0);

	*w = (struct walk){.into_dirs = into_dirs};
	if (fd >= 0)
		w->base = walk_dir_new(w, NULL, fd, "");
	if (!w->base)
		return copy_fail(f, COPY_IO, "walking %s: %s", SHOWN(name), strerror(errno));
	strcpy(w->name, name);
	strcpy(w->top, rel);
	return 0;
}

static void walk_leave(struct walk *w)
{
	struct walk_level *level = w->level;

	w->level = level->up;
	w->depth--;
	walk_release(level->dir);
	free(level);
}

void walk_stop(struct walk *w)
{
	while (w->level)
		walk_leave(w);
	walk_release(w->base);
	w->base = NULL;
}

static int walk_skip(struct walk_item *item, const char *why)
{
	item->event = WALK_SKIP;
	item->why = why;
	return 0;
}

/*
 * Sets the reason of a skipped entry. -1 if it does not concern this entry alone: without
 * descriptors or memory, half a tree must not look whole.
 */
static int walk_errno(struct walk_item *item, struct copy_fault *f)
{
	int err = errno;
	char path[PATH_MAX];

	if (err != EMFILE && err != ENFILE && err != ENOMEM)
		return walk_skip(item, strerror(err));
	path_join(path, item->dir->rel, item->name);
	return copy_fail(f, COPY_IO, "%s: %s", SHOWN(path), strerror(err));
}

static int walk_symlink(const struct walk_dir *dir, const char *name, struct walk_item *item,
			struct copy_fault *f)
{
	ssize_t n = readlinkat(dir->fd, name, item->target, sizeof(item->target));

	if (n < 0)
		return walk_errno(item, f);
	if (n == 0 || (size_t)n >= sizeof(item->target))
		return walk_skip(item, "its target is too long");
	item->target[n] = '\0';
	item->target_len = (size_t)n;
	item->event = WALK_LINK;
	return 0;
}

static int walk_enter(struct walk *w, struct walk_dir *dir, const char *name, const char *rel,
		      struct walk_item *item, struct copy_fault *f)
{
	struct walk_level *level;
	int fd;

	if (!w->into_dirs)
		return walk_skip(item, "is a directory, and directories are copied with -r only");
	if (w->depth >= DEPTH_MAX)
		return walk_skip(item, "lies more than 512 directories deep");
	fd = openat(dir->fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &item->st)) {
		walk_errno(item, f);
		if (fd >= 0)
			close(fd);
		return f->code ? -1 : 0;
	}
	level = malloc(sizeof(*level));
	if (!level) {
		close(fd);
		return walk_errno(item, f);
	}
	level->dir = walk_dir_new(w, dir, fd, rel);
	if (!level->dir) {
		free(level);
		return walk_errno(item, f);
	}
	if (!w->level)
		w->dev = item->st.st_dev;
	level->ended = w->one_fs && item->st.st_dev != w->dev;
	level->whole = !level->ended;
	level->err = 0;
	level->at = level->have = 0;
	level->up = w->level;
	w->level = level;
	w->depth++;
	item->event = WALK_DIR;
	return 0;
}

static int walk_visit(struct walk *w, struct walk_dir *dir, const char *name, const char *rel,
		      struct walk_item *item, struct copy_fault *f)
{
	if (fstatat(dir->fd, name, &item->st, AT_SYMLINK_NOFOLLOW))
		return walk_errno(item, f);
	if (w->filter && *rel && filter_hides(w->filter, rel, S_ISDIR(item->st.st_mode))) {
		item->event = WALK_HIDDEN;
		return 0;
	}
	switch (item->st.st_mode & S_IFMT) {
	case S_IFDIR:
		return walk_enter(w, dir, name, rel, item, f);
	case S_IFLNK:
		return walk_symlink(dir, name, item, f);
	case S_IFREG:
		item->event = WALK_FILE;
		return 0;
	}
	item->event = WALK_SPECIAL;
	return 0;
}

/* Returns the next name of the innermost directory, NULL at its end. */
static const char *walk_name(struct walk_level *level)
{
	while (!level->ended) {
		const struct dirent64 *de;

		if (level->at == level->have) {
			ssize_t n = getdents64(level->dir->fd, level->names, sizeof(level->names));

			level->at = 0;
			level->have = n > 0 ? (size_t)n : 0;
			level->ended = n <= 0;
			level->whole &= n >= 0;
			level->err = n < 0 ? errno : 0;
			continue;
		}
		de = (const struct dirent64 *)(level->names + level->at);
		level->at += de->d_reclen;
		if (strcmp(de->d_name, ".") && strcmp(de->d_name, ".."))
			return de->d_name;
	}
	return NULL;
}

/* Ends the innermost directory. If it was not read to its end, that is a skip before. */
static int walk_end_dir(struct walk *w, struct walk_item *item)
{
	struct walk_level *level = w->level;

	if (level->err) {
		item->dir = level->dir;
		item->name = "";
		walk_skip(item, strerror(level->err));
		level->err = 0;
		return 0;
	}
	item->event = WALK_UP;
	item->dir = level->dir->up;
	item->whole = level->whole;
	walk_leave(w);
	return 0;
}

/* Skips an entry. --delete must not remove at the destination what can't be listed here. */
static int walk_lose(struct walk *w, struct walk_item *item, const char *why)
{
	w->level->whole = false;
	return walk_skip(item, why);
}

int walk_step(struct walk *w, struct walk_item *item, struct copy_fault *f)
{
	char rel[PATH_MAX];
	const char *name;

	if (!w->begun) {
		w->begun = true;
		item->dir = w->base;
		item->name = w->top;
		item->fs_name = w->name;
		return walk_visit(w, w->base, w->name, w->top, item, f);
	}
	if (!w->level) {
		item->event = WALK_END;
		return 0;
	}
	name = walk_name(w->level);
	if (!name)
		return walk_end_dir(w, item);
	item->dir = w->level->dir;
	item->name = name;
	if (strlen(name) > NAME_MAX) /* on exfat, vfat, CIFS: 255 characters of up to 3 bytes */
		return walk_lose(w, item, "has a name of more than 255 bytes");
	item->name = item->fs_name = strcpy(w->name, name);
	if (strlen(item->dir->rel) + strlen(name) + 2 > sizeof(rel))
		return walk_lose(w, item, "has a path that is too long");
	path_join(rel, item->dir->rel, name);
	if (walk_visit(w, w->level->dir, name, rel, item, f))
		return -1;
	return item->event == WALK_SKIP ? walk_lose(w, item, item->why) : 0;
}
