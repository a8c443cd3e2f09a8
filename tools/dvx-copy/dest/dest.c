/* SPDX-License-Identifier: BSD-2-Clause */
#include "dest.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool dest_name_ok(struct copy_bytes name)
{
	if (name.n == 0 || name.n > NAME_MAX)
		return false;
	if (memchr(name.p, '/', name.n) || memchr(name.p, '\0', name.n))
		return false;
	return !(name.p[0] == '.' && (name.n == 1 || (name.n == 2 && name.p[1] == '.')));
}

/* The entry's local name. The client chooses the top entry's name; the server sends none. */
int dest_name(struct dest *d, const struct copy_msg *m, char to[NAME_MAX + 1], struct copy_fault *f)
{
	if (!d->now)
		return copy_fail(f, COPY_PROTOCOL, "the server sent %s after the tree's end",
				 msg_name(m->type));
	if (d->file)
		return copy_fail(f, COPY_PROTOCOL, "the server sent %s within a file",
				 msg_name(m->type));
	if (!d->top_done && m->name.n == 0) {
		d->top_done = true;
		strcpy(to, d->top);
		return 0;
	}
	if (!d->now->parent)
		return copy_fail(f, COPY_PROTOCOL, "the server sent %s beside the tree",
				 msg_name(m->type));
	if (!dest_name_ok(m->name))
		return copy_fail(f, COPY_PROTOCOL,
				 "the server sent the name \"%s\", which no entry may have",
				 QUOTED(m->name.p, m->name.n));
	memcpy(to, m->name.p, m->name.n);
	to[m->name.n] = '\0';
	return 0;
}

static struct dest_dir *new_dir(struct dest_dir *parent, int fd)
{
	struct dest_dir *n = calloc(1, sizeof(*n));

	if (!n)
		return NULL;
	n->parent = parent;
	n->fd = fd;
	n->refs = 1;
	if (parent)
		parent->refs++;
	return n;
}

static int finish_dir(struct dest *d, struct dest_dir *dir, struct copy_fault *f)
{
	struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, dir->mtime};

	if (!dir->parent || dir->theirs) /* makes the entry's name durable, too */
		return fsync(dir->fd) ? copy_fail(f, COPY_IO, "syncing the destination: %s",
						  strerror(errno))
				      : 0;
	if (fchmod(dir->fd, dir->mode & 01777) || futimens(dir->fd, times) || fsync(dir->fd))
		return copy_fail(f, COPY_IO, "finishing a directory: %s", strerror(errno));
	d->dirs++;
	return 0;
}

int dest_put(struct dest *d, struct dest_dir *dir, struct copy_fault *f)
{
	int ret = 0;

	while (dir && --dir->refs == 0) {
		struct dest_dir *parent = dir->parent;

		if (finish_dir(d, dir, f))
			ret = -1;
		close(dir->fd);
		free(dir);
		dir = parent;
	}
	return ret;
}

static int dest_enter(struct dest *d, int fd, const char *path, struct copy_fault *f)
{
	struct dest_dir *n = fd < 0 ? NULL : new_dir(d->now, fd);

	if (n) {
		d->now = n;
		return 0;
	}
	if (fd >= 0)
		close(fd);
	return copy_fail(f, COPY_IO, "opening %s: %s", path, strerror(errno));
}

/* DEST will be the entry: opens its parent; its last component is the name. */
static int begin_named(struct dest *d, const struct dest_plan *plan, struct copy_fault *f)
{
	char path[PATH_MAX];
	size_t n = strlen(plan->dest);
	char *slash;
	const char *name, *parent;

	if (!n || n >= sizeof(path))
		return copy_fail(f, COPY_USAGE, "DEST is empty or too long");
	strcpy(path, plan->dest);
	while (n > 1 && path[n - 1] == '/')
		path[--n] = '\0';
	slash = strrchr(path, '/');
	name = slash ? slash + 1 : path;
	if (!dest_name_ok((struct copy_bytes){(const uint8_t *)name, (uint32_t)strlen(name)}))
		return copy_fail(f, COPY_IO, "%s: %s", plan->dest, strerror(ENOENT));
	strcpy(d->top, name);
	if (slash)
		slash[slash == path] = '\0';
	parent = slash ? path : ".";
	return dest_enter(d, open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC), parent, f);
}

int dest_begin(struct dest *d, const struct dest_plan *plan, struct copy_fault *f)
{
	struct stat st;

	d->now = NULL;
	d->file = NULL;
	d->top_done = d->into = false;
	if (stat(plan->dest, &st)) {
		if (errno != ENOENT)
			return copy_fail(f, COPY_IO, "%s: %s", plan->dest, strerror(errno));
		st.st_mode = S_IFREG;
	}
	/* A rename would replace the device by a file. */
	if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
		return copy_fail(f, COPY_IO, "%s is neither a file nor a directory", plan->dest);
	if (S_ISREG(st.st_mode)) {
		if (plan->many)
			return copy_fail(f, COPY_IO,
					 "%s is not a directory; several sources need one",
					 plan->dest);
		return begin_named(d, plan, f);
	}
	d->into = !*plan->base;
	strcpy(d->top, d->into ? "." : plan->base);
	return dest_enter(d, open(plan->dest, O_RDONLY | O_DIRECTORY | O_CLOEXEC), plan->dest, f);
}

static int dir_fault(struct dest *d, const char *what, const char *name, struct copy_fault *f)
{
	int err = errno;

	if (err == ENOTDIR || err == ELOOP)
		return copy_fail(
			f, COPY_IO,
			"%s exists and is not a directory, but a directory is to be copied there",
			DEST_WHERE(d->now, name));
	return copy_fail(f, COPY_IO, "%s %s: %s", what, DEST_WHERE(d->now, name), strerror(err));
}

static int open_dir(struct dest *d, const char *name, struct copy_fault *f)
{
	int fd, made = mkdirat(d->now->fd, name, 0700);

	if (made && errno != EEXIST)
		return dir_fault(d, "making directory", name, f);
	fd = openat(d->now->fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return dir_fault(d, "opening directory", name, f);
	/* A read-only directory of an earlier copy would refuse new entries. */
	if (made)
		(void)!fchmod(fd, 0700);
	return fd;
}

int dest_add_dir(struct dest *d, const struct copy_msg *m, struct copy_fault *f)
{
	char name[NAME_MAX + 1];
	bool into = d->into && !d->top_done;
	int fd;

	if (dest_name(d, m, name, f))
		return -1;
	fd = into ? openat(d->now->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
		  : open_dir(d, name, f);
	if (fd < 0 && f->code)
		return -1;
	if (dest_enter(d, fd, "the directory", f))
		return -1;
	d->now->theirs = into;
	d->now->mode = m->mode;
	d->now->mtime = (struct timespec){m->sec, m->nsec};
	return 0;
}

int dest_up(struct dest *d, struct copy_fault *f)
{
	struct dest_dir *dir = d->now;

	if (!dir || !dir->parent || d->file)
		return copy_fail(f, COPY_PROTOCOL,
				 "the server ended a directory that it had not started");
	d->now = dir->parent;
	return dest_put(d, dir, f);
}

int dest_add_link(struct dest *d, const struct copy_msg *m, struct copy_fault *f)
{
	struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, {m->sec, m->nsec}};
	char name[NAME_MAX + 1], target[PATH_MAX], temp[32];

	if (dest_name(d, m, name, f) || dest_temp_name(temp, f))
		return -1;
	if (memchr(m->text.p, '\0', m->text.n))
		return copy_fail(f, COPY_PROTOCOL,
				 "the server sent a link target with a zero byte");
	if (d->into && !d->now->parent)
		return copy_fail(f, COPY_IO, "the source is a symbolic link, not a directory");
	memcpy(target, m->text.p, m->text.n);
	target[m->text.n] = '\0';
	if (symlinkat(target, d->now->fd, temp))
		return dir_fault(d, "making symbolic link", name, f);
	if (utimensat(d->now->fd, temp, times, AT_SYMLINK_NOFOLLOW) ||
	    renameat(d->now->fd, temp, d->now->fd, name)) {
		dir_fault(d, "making symbolic link", name, f);
		unlinkat(d->now->fd, temp, 0);
		return -1;
	}
	d->links++;
	return 0;
}

int dest_finish(struct dest *d, struct copy_fault *f)
{
	struct dest_dir *base = d->now;

	if (d->file || d->open || !base || base->parent)
		return copy_fail(f, COPY_PROTOCOL, "the server ended the copy within the tree");
	if (dest_commit(d, true, f))
		return -1;
	d->now = NULL;
	return dest_put(d, base, f);
}

void dest_abort(struct dest *d)
{
	struct copy_fault ignored = {0};

	dest_drop_files(d);
	d->file = NULL;
	while (d->now) {
		struct dest_dir *dir = d->now;

		d->now = dir->parent;
		dest_put(d, dir, &ignored);
	}
}
