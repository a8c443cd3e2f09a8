/* SPDX-License-Identifier: BSD-2-Clause */
/* Directories, and the names of entries in them. */
#include "dest.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/filter.h"

bool dest_name_ok(struct copy_bytes name)
{
	if (name.n == 0 || name.n > NAME_MAX)
		return false;
	if (memchr(name.p, '/', name.n) || memchr(name.p, '\0', name.n))
		return false;
	return !(name.p[0] == '.' && (name.n == 1 || (name.n == 2 && name.p[1] == '.')));
}

/* Copies the name of an entry below the top one, and checks it. */
static int dest_inner_name(struct dest *d, const struct copy_msg *m, char to[NAME_MAX + 1])
{
	int seen;

	if (!d->now || !d->now->parent)
		return dest_breach(d, "sent %s beside the tree", msg_name(m->type));
	if (!dest_name_ok(m->name))
		return dest_breach(d, "sent the name \"%s\", which no entry may have",
				   QUOTED(m->name.p, m->name.n));
	/* path_join() would cut it, and another entry could have the path that is left. */
	if (strlen(d->now->path) + m->name.n + 2 > PATH_MAX)
		return dest_breach(d, "sent a path of more than %u bytes", PATH_MAX - 1);
	memcpy(to, m->name.p, m->name.n);
	to[m->name.n] = '\0';
	seen = seen_add(d, to, m->type == MSG_DIR);
	if (seen || d->now->origin == ORIGIN_LOST)
		return seen < 0 ? -1 : 1;
	return xattr_report_lost(d, to);
}

int dest_keep(struct dest *d, const struct copy_msg *m)
{
	char name[NAME_MAX + 1];

	return dest_inner_name(d, m, name) < 0 ? -1 : 0;
}

/* Refuses a name that the next copy would take for a killed copy's temporary file, and remove. */
static int dest_refuse_reserved(struct dest *d, const struct copy_msg *m, const char *name)
{
	if (m->type == MSG_DIR || !temp_is_reserved(name))
		return 0;
	return dest_skip(d, d->now, name, "has a name of dvx-copy's temporary files: rename it")
		       ? -1
		       : 1;
}

/* Copies the entry's local name. The top entry's came with TOP. */
int dest_name(struct dest *d, const struct copy_msg *m, char to[NAME_MAX + 1])
{
	int left;

	if (!d->now)
		return dest_breach(d, "sent %s outside of a source", msg_name(m->type));
	if (!d->top_done && m->name.n == 0) {
		d->top_done = true;
		strcpy(to, d->top);
		if (xattr_report_lost(d, to))
			return -1;
		left = seen_add(d, to, m->type == MSG_DIR);
	} else {
		left = dest_inner_name(d, m, to);
	}
	return left ? left : dest_refuse_reserved(d, m, to);
}

const char *dest_where(char to[520], const struct dest_dir *dir, const char *name)
{
	char link[40], path[PATH_MAX + NAME_MAX + 2];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", dir->fd);
	n = readlink(link, path, PATH_MAX);
	if (n <= 0 || n > 400) /* a long path would push the name out of the message */
		n = 0;
	else
		path[n++] = '/';
	strcpy(path + n, name);
	return quote(to, 520, path, strlen(path));
}

int dest_remember(struct dest *d, size_t n)
{
	d->remembered += dest_weight(n);
	if (d->remembered <= REMEMBER_MOST)
		return 0;
	return copy_fail(d->f, COPY_IO,
			 "the names that this copy has to remember need more than %u GiB",
			 (unsigned int)(REMEMBER_MOST >> 30));
}

/* --- directories --- */

static struct dest_dir *new_dir(struct dest_dir *parent, int fd, const char *path)
{
	size_t n = strlen(path);
	struct dest_dir *dir = calloc(1, sizeof(*dir) + n + 1);

	if (!dir)
		return NULL;
	memcpy(dir->path, path, n + 1);
	dir->parent = parent;
	dir->fd = fd;
	dir->refs = 1;
	if (parent)
		parent->refs++;
	return dir;
}

static int dest_set_meta(struct dest *d, const struct dest_dir *dir)
{
	const bool times = dir->end == END_OLD_META && d->options.bits & OPTION_TIMES;
	const struct timespec old[2] = {{.tv_nsec = UTIME_OMIT}, dir->meta.mtime};

	if (dir->end == END_AS_IS)
		return 0;
	if (dir->end == END_META)
		return meta_apply(d, dir, ".", dir->fd, &dir->meta);
	if (!meta_chmod_dir(dir->fd, dir->meta.mode) && (!times || !futimens(dir->fd, old)))
		return 0;
	return dest_fault(d, dir, FAULT_META, ".");
}

static int finish_dir(struct dest *d, struct dest_dir *dir)
{
	if (dir->fd < 0 || d->options.bits & OPTION_DRY || !dir->dirty)
		return 0;
	if (dest_set_meta(d, dir) < 0)
		return -1;
	return commit_dir(d, dir->fd, DEST_WHERE(dir, "."));
}

int dest_dir_unref(struct dest *d, struct dest_dir *dir)
{
	int ret = 0;

	while (dir && --dir->refs == 0) {
		struct dest_dir *parent = dir->parent;

		if (finish_dir(d, dir))
			ret = -1;
		if (dir->fd >= 0)
			close(dir->fd);
		d->dirs_open--;
		seen_forget(d, dir);
		meta_free(&dir->meta);
		free(dir);
		dir = parent;
	}
	return ret;
}

/* Enters a directory. fd is -1 in a dry run. */
static int dest_enter(struct dest *d, int fd, const char *path)
{
	bool deep = d->now->depth == DEPTH_MAX;
	struct dest_dir *dir = deep ? NULL : new_dir(d->now, fd, path);

	if (dir) {
		dir->depth = d->now->depth + 1;
		d->now = dir;
		d->dirs_open++;
		return 0;
	}
	if (fd >= 0)
		close(fd);
	if (deep)
		return dest_breach(d, "sent directories more than %u deep", DEPTH_MAX);
	return copy_no_memory(d->f);
}

/* Reports a directory that can't be made or opened. Nothing is copied into it. */
static int dest_lose_dir(struct dest *d, const char *what, const char *name,
			 struct dest_found *found)
{
	found->verdict = VERDICT_LEFT;
	d->now->dirty = true; /* it may be made, and not opened */
	return dest_fault(d, d->now, what, name);
}

static int dest_open_at(const struct dest *d, const char *name, int *fd)
{
	*fd = openat(d->now->fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return *fd < 0;
}

/* Opens an existing directory. A file or link in the way is removed, as with rsync. */
static int dest_open_old(struct dest *d, const char *name, int *fd, struct dest_found *found)
{
	if (!dest_open_at(d, name, fd) || errno == ENOENT)
		return 0;
	if (errno != ENOTDIR && errno != ELOOP)
		return dest_lose_dir(d, "opened", name, found);
	d->now->dirty = true;
	if (!(d->options.bits & OPTION_DRY) && unlinkat(d->now->fd, name, 0))
		return dest_lose_dir(d, "replaced by a directory", name, found);
	return 0;
}

static int dest_make_dir(struct dest *d, const char *name, int *fd, struct dest_found *found)
{
	int made = mkdirat(d->now->fd, name, 0700);

	if (made && errno != EEXIST)
		return dest_lose_dir(d, "made", name, found);
	if (made) /* another program made it meanwhile: it may hold something */
		found->verdict &= ~(uint32_t)(VERDICT_NEW | VERDICT_MADE);
	return dest_open_at(d, name, fd) ? dest_lose_dir(d, "opened", name, found) : 0;
}

/* Opens or makes a directory. 1: it could not. *fd stays -1 in a dry run. */
static int open_dir(struct dest *d, const char *name, int *fd, struct dest_found *found)
{
	int bad = 0;

	if (d->now->origin != ORIGIN_NEW && d->now->fd >= 0)
		bad = dest_open_old(d, name, fd, found);
	if (bad || *fd >= 0)
		return bad;
	found->verdict |= VERDICT_NEW | VERDICT_MADE;
	return d->options.bits & OPTION_DRY ? 0 : dest_make_dir(d, name, fd, found);
}

bool dest_make_writable(int fd, const struct stat *st)
{
	return (st->st_mode & 0300) != 0300 && !fchmod(fd, (st->st_mode & 07777) | 0700);
}

/* Reaches the directory of a message. into: DEST itself. 1: it is left out. */
static int dest_reach_dir(struct dest *d, const struct copy_msg *m, bool into, char path[PATH_MAX],
			  int *fd, struct dest_found *found)
{
	char name[NAME_MAX + 1];
	int lost = dest_name(d, m, name);

	if (lost < 0)
		return -1;
	if (lost)
		found->verdict = VERDICT_LEFT;
	else if (!into)
		lost = open_dir(d, name, fd, found);
	else if (d->now->fd >= 0 && dest_open_at(d, ".", fd))
		return copy_fail(d->f, COPY_IO, "opening %s: %s", DEST_WHERE(d->now, "."),
				 strerror(errno));
	if (into)
		strcpy(path, d->now->path);
	else
		path_join(path, d->now->path, name);
	return lost;
}

/*
 * A DEST that existed keeps its mode and time if no one-letter option was given, and always if it
 * is the directory that -R or --files-from count from.
 */
static enum dest_end dest_dir_end(const struct dest *d, const struct dest_dir *dir, bool into)
{
	const bool listed = d->options.filter && d->options.filter->only;
	const bool stays = dir->origin != ORIGIN_NEW && d->options.bits & OPTION_PLAIN;

	if (into && (listed || stays))
		return END_AS_IS;
	return dir->origin == ORIGIN_SEEN ? END_OLD_META : END_META;
}

static void dest_set_origin(const struct dest *d, struct dest_dir *dir, bool into, bool lost,
			    struct dest_found *found)
{
	if (into && dir->parent->origin == ORIGIN_NEW)
		found->verdict |= VERDICT_NEW | VERDICT_MADE;
	if (lost)
		dir->origin = ORIGIN_LOST;
	else if (found->verdict & VERDICT_NEW)
		dir->origin = ORIGIN_NEW;
	else if (d->dir_seen)
		dir->origin = ORIGIN_SEEN;
	dir->end = dest_dir_end(d, dir, into);
}

/* Compares the directory with the one there. st is NULL if there is none. */
static void dest_compare_dir(struct dest *d, struct dest_dir *dir, const struct stat *st,
			     struct dest_found *found)
{
	if (st && dir->origin != ORIGIN_NEW)
		d->other_fs |= st->st_dev != d->dev;
	if (!st || dir->origin == ORIGIN_NEW) {
		meta_compare(d, dir, NULL, NULL, &dir->meta);
		dir->meta.mode |= meta_inherited(d, st);
	} else if (dir->origin == ORIGIN_SEEN) {
		dir->meta.mode = st->st_mode & 07777;
		dir->meta.mtime = st->st_mtim;
	} else if (dir->end != END_AS_IS) {
		found->verdict |= meta_compare(d, dir, NULL, st, &dir->meta);
	}
}

static void dest_open_for_writing(const struct dest *d, struct dest_dir *dir, const struct stat *st)
{
	if (!st || dir->origin == ORIGIN_NEW || d->options.bits & OPTION_DRY ||
	    !dest_make_writable(dir->fd, st))
		return;
	dir->dirty = true;
	if (dir->end == END_AS_IS) {
		dir->end = END_OLD_MODE;
		dir->meta.mode = st->st_mode & 07777;
	}
}

static void dest_note_dir(struct dest *d, struct dest_dir *dir, uint32_t verdict)
{
	dir->dirty |= !!verdict;
	if (verdict & VERDICT_NEW) {
		dir->parent->dirty = true;
		d->renamed++;
	}
}

/*
 * Counts what is open because the sender has not announced the end of files: parts, and directories
 * beside the path to the one being listed.
 */
static unsigned int dest_held(struct dest *d)
{
	const uint32_t mark = ++d->mark;
	unsigned int held = 0;

	for (struct dest_dir *dir = d->now; dir; dir = dir->parent)
		dir->mark = mark;
	for (const struct dest_file *file = d->open; file; file = file->next) {
		held += file->is_part && !file->ended;
		for (struct dest_dir *dir = file->dir; !file->ended && dir->mark != mark;
		     dir = dir->parent, held++)
			dir->mark = mark;
	}
	return held;
}

int dest_spare(struct dest *d, unsigned int open)
{
	if (open <= d->role->window + d->role->window / 2)
		return 0;
	if (dest_commit(d, true))
		return -1;
	if (dest_held(d) <= d->role->window)
		return 0;
	return dest_breach(d, "holds more than %u directories and large files open",
			   d->role->window);
}

int dest_add_dir(struct dest *d, const struct copy_msg *m, struct dest_found *found)
{
	const bool into = d->into && !d->top_done;
	int fd = -1, lost;
	char path[PATH_MAX];
	struct dest_dir *dir;
	struct stat st;

	lost = dest_reach_dir(d, m, into, path, &fd, found);
	if (lost < 0 || dest_enter(d, fd, path))
		return -1;
	dir = d->now;
	if (fd >= 0 && fstat(fd, &st))
		return copy_fail(d->f, COPY_IO, "%s: %s", DEST_WHERE(dir, "."), strerror(errno));
	dest_set_origin(d, dir, into, lost, found);
	meta_take(d, m, &dir->meta);
	dest_compare_dir(d, dir, fd < 0 ? NULL : &st, found);
	dest_open_for_writing(d, dir, fd < 0 ? NULL : &st);
	dest_note_dir(d, dir, found->verdict);
	return dest_spare(d, d->dirs_open);
}

/* Removes what killed copies left in the directory, except parts that this copy may continue. */
static void dest_clean(const struct dest *d, struct dest_dir *dir)
{
	if (dir->fd >= 0 && dir->origin != ORIGIN_NEW && !(d->options.bits & OPTION_DRY))
		dir->dirty |= temp_clean(dir->fd);
}

int dest_up(struct dest *d, const struct copy_msg *m)
{
	struct dest_dir *dir = d->now;

	if (!dir || !dir->parent)
		return dest_breach(d, "ended a directory that it had not started");
	if (seen_end(d, dir, m->flags & MSG_WHOLE))
		return -1;
	dest_clean(d, dir);
	d->now = dir->parent;
	return dest_dir_unref(d, dir);
}

int dest_finish(struct dest *d)
{
	struct dest_dir *base = d->now;

	if (d->open || !base || base->parent)
		return dest_breach(d, "ended the copy within the tree");
	if (dest_commit(d, true) || hard_finish(d))
		return -1;
	dest_clean(d, base);
	if (commit_end(d))
		return -1;
	d->now = NULL;
	d->base = -1;
	return dest_dir_unref(d, base);
}

void dest_abort(struct dest *d)
{
	struct copy_fault *f = d->f, ignored = {0};

	d->f = &ignored;
	write_abandon(d);
	dest_drop_files(d);
	while (d->now) {
		struct dest_dir *dir = d->now;

		d->now = dir->parent;
		dest_dir_unref(d, dir);
	}
	hard_forget(d);
	meta_forget(d);
	d->f = f;
}
