/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds where a source goes: to DEST, or to an entry of DEST. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/path.h"
#include "dest.h"

static int begin_open(const struct dest_plan *plan, const char *path, int flags)
{
	if (plan->root == AT_FDCWD)
		return open(path, flags | O_CLOEXEC);
	return beneath_open(plan->root, *path ? path : ".", flags);
}

int dest_open(const struct dest_plan *plan)
{
	return begin_open(plan, plan->dest, O_RDONLY | O_DIRECTORY);
}

static int begin_fault(const struct dest *d, const char *path)
{
	if (errno == EXDEV)
		return copy_fail(d->f, COPY_REFUSED, "path %s leaves the served directory",
				 SHOWN(path));
	return copy_fail(d->f, COPY_IO, "opening %s: %s", SHOWN(path), strerror(errno));
}

/* Opens DEST's parent, and splits off DEST's name. */
static int begin_parent(const struct dest *d, const struct dest_plan *plan, char name[NAME_MAX + 1])
{
	char path[PATH_MAX];
	size_t n = strlen(plan->dest);
	const char *last, *parent;
	char *slash;
	int fd;

	if (n >= sizeof(path))
		return copy_fail(d->f, COPY_USAGE, "DEST is too long");
	strcpy(path, plan->dest);
	while (n > 1 && path[n - 1] == '/')
		path[--n] = '\0';
	slash = strrchr(path, '/');
	last = slash ? slash + 1 : path;
	if (!dest_name_ok((struct copy_bytes){(const uint8_t *)last, (uint32_t)strlen(last)}))
		return copy_fail(d->f, COPY_IO, "%s: %s", SHOWN(plan->dest), strerror(ENOENT));
	strcpy(name, last);
	if (slash)
		slash[slash == path] = '\0';
	parent = slash ? path : ".";
	fd = begin_open(plan, parent, O_RDONLY | O_DIRECTORY);
	return fd < 0 ? begin_fault(d, parent) : fd;
}

static int begin_base(struct dest *d, int fd, bool fresh)
{
	struct dest_dir *dir = calloc(1, sizeof(*dir) + 1);
	struct stat st = {0};

	d->other_fs = false;
	d->renamed = 0;
	d->dev = fd >= 0 && !fstat(fd, &st) ? st.st_dev : 0;
	if (!dir) {
		close(fd);
		return copy_no_memory(d->f);
	}
	dir->fd = fd;
	dir->refs = 1;
	dir->origin = fresh ? ORIGIN_NEW : fd >= 0 && seen_dest(d) ? ORIGIN_SEEN : ORIGIN_OLD;
	if (dir->origin == ORIGIN_SEEN && !(d->options.bits & OPTION_PLAIN))
		dir->end = END_OLD_META;
	dir->meta.mode = st.st_mode & 07777;
	dir->meta.mtime = st.st_mtim;
	d->dirs_open++;
	d->now = dir;
	d->base = fd;
	return 0;
}

/* Makes DEST, but not its parents, as rsync: a mistyped path must not make a tree. */
static int begin_make(struct dest *d, const struct dest_plan *plan)
{
	char name[NAME_MAX + 1];
	int parent = begin_parent(d, plan, name), fd = -1;
	bool made;

	if (parent < 0)
		return -1;
	if (d->options.bits & OPTION_DRY) {
		close(parent);
		return begin_base(d, -1, true);
	}
	made = !mkdirat(parent, name, 0777);
	if (made || errno == EEXIST)
		fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || begin_base(d, fd, made)) {
		if (!d->f->code)
			begin_fault(d, plan->dest);
		close(parent);
		return -1;
	}
	/* Makes DEST's name durable; DEST's entries are synced with its files. */
	fd = commit_dir(d, parent, plan->dest);
	close(parent);
	return fd ? -1 : 0;
}

/* Begins a copy to DEST as a file, which exists or is made. */
static int begin_named(struct dest *d, const struct dest_plan *plan)
{
	int fd = begin_parent(d, plan, d->top);

	return fd < 0 ? -1 : begin_base(d, fd, false);
}

static int begin_found(struct dest *d, const struct dest_plan *plan, const struct stat *st,
		       bool need_dir)
{
	const char *dest = SHOWN(plan->dest);
	int fd;

	if (S_ISDIR(st->st_mode)) {
		fd = dest_open(plan);
		return fd < 0 ? begin_fault(d, plan->dest) : begin_base(d, fd, false);
	}
	/* A rename would replace the device by a regular file. */
	if (!S_ISREG(st->st_mode))
		return copy_fail(d->f, COPY_IO, "%s is neither a file nor a directory", dest);
	if (need_dir)
		return copy_fail(d->f, COPY_IO, "%s is not a directory; %s need%s one", dest,
				 plan->many ? "several sources" : "the source",
				 plan->many ? "" : "s");
	return begin_named(d, plan);
}

int dest_begin(struct dest *d, const struct dest_plan *plan, const struct copy_msg *top,
	       bool is_dir)
{
	size_t n = plan->dest ? strlen(plan->dest) : 0;
	bool need_dir = plan->many || is_dir || !n || plan->dest[n - 1] == '/';
	int fd, err;
	struct stat st;

	d->top_done = false;
	d->into = top->flags & MSG_CONTENTS;
	if (d->into && !is_dir)
		return dest_breach(d, "sent the contents of what is no directory");
	if (!d->into && !dest_name_ok(top->name))
		return dest_breach(d, "sent the name \"%s\", which no entry may have",
				   QUOTED(top->name.p, top->name.n));
	memcpy(d->top, top->name.p, top->name.n);
	d->top[top->name.n] = '\0';
	if (plan->list)
		return begin_base(d, -1, true);
	fd = begin_open(plan, plan->dest, O_PATH);
	if (fd < 0 && errno != ENOENT)
		return begin_fault(d, plan->dest);
	if (fd < 0)
		return need_dir ? begin_make(d, plan) : begin_named(d, plan);
	err = fstat(fd, &st) ? errno : 0;
	close(fd);
	errno = err;
	return err ? begin_fault(d, plan->dest) : begin_found(d, plan, &st, need_dir);
}
