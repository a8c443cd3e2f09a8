/* SPDX-License-Identifier: BSD-2-Clause */
#include "dest.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

/* Files are synced in groups: a journal commits a group for about the price of one. */
#define GROUP_FILES 128u
#define GROUP_BYTES (64u << 20)

/* The disk starts to write while more arrives, so that the final sync is short.
 */
#define WRITE_BEHIND (8u << 20)

int dest_temp_name(char to[32], struct copy_fault *f)
{
	uint64_t r;

	if (getrandom(&r, sizeof(r), 0) != sizeof(r))
		return copy_fail(f, COPY_IO, "the kernel gives no random bytes: %s",
				 strerror(errno));
	snprintf(to, 32, ".dvx-copy.%016" PRIx64, r);
	return 0;
}

const char *dest_where(char to[520], const struct dest_dir *dir, const char *name)
{
	char link[40], path[PATH_MAX + NAME_MAX + 2];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", dir->fd);
	n = readlink(link, path, PATH_MAX);
	if (n <= 0 || n > 400) /* a long path would push the name out of the sentence */
		n = 0;
	else
		path[n++] = '/';
	strcpy(path + n, name);
	return quote(to, 520, path, strlen(path));
}

static void unlink_from(struct dest_file *file)
{
	*file->link = file->next;
	if (file->next)
		file->next->link = file->link;
}

static void link_to(struct dest_file **list, struct dest_file *file)
{
	file->next = *list;
	file->link = list;
	if (*list)
		(*list)->link = &file->next;
	*list = file;
}

static int file_fault(struct dest_file *file, const char *what, struct copy_fault *f)
{
	int err = errno;

	return copy_fail(f, COPY_IO, "%s %s: %s", what, DEST_WHERE(file->dir, file->name),
			 strerror(err));
}

/* The entry is on no list; its temporary file is removed unless it was renamed. */
static int dest_file_drop(struct dest *d, struct dest_file *file, struct copy_fault *f)
{
	struct dest_dir *dir = file->dir;

	if (file->temp[0])
		unlinkat(dir->fd, file->temp, 0);
	close(file->fd);
	free(file);
	return dest_put(d, dir, f);
}

int dest_add_file(struct dest *d, const struct copy_msg *m, struct copy_fault *f)
{
	struct dest_file *file = calloc(1, sizeof(*file));

	if (!file)
		return copy_fail(f, COPY_IO, "out of memory");
	if (dest_name(d, m, file->name, f) || dest_temp_name(file->temp, f))
		goto refuse;
	if (d->into && !d->now->parent) {
		copy_fail(f, COPY_IO, "the source is a file, not a directory");
		goto refuse;
	}
	file->dir = d->now;
	file->fd = openat(d->now->fd, file->temp,
			  O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (file->fd < 0) {
		file_fault(file, "making", f);
		goto refuse;
	}
	file->dir->refs++;
	file->mode = m->mode;
	file->size = m->size;
	file->mtime = (struct timespec){m->sec, m->nsec};
	link_to(&d->open, file);
	d->file = file;
	/* Sets the size now, so that holes need no writing. */
	return ftruncate(file->fd, (off_t)file->size) ? file_fault(file, "sizing", f) : 0;
refuse:
	free(file);
	return -1;
}

struct dest_file *dest_expect(struct dest *d, const struct copy_msg *m, struct copy_fault *f)
{
	struct dest_file *file = d->file;

	if (!file) {
		copy_fail(f, COPY_PROTOCOL, "the server sent a chunk outside of a file");
		return NULL;
	}
	if (m->off > file->size || m->len > file->size - m->off) {
		copy_fail(f, COPY_PROTOCOL, "the server sent a chunk past the end of %s",
			  QUOTED(file->name, strlen(file->name)));
		return NULL;
	}
	file->sent++;
	return file;
}

/* A file whose end came and whose chunks are all written is ready. */
static int dest_file_settle(struct dest *d, struct dest_file *file, struct copy_fault *f)
{
	if (!file->ended || file->written < file->sent)
		return 0;
	unlink_from(file);
	if (file->broken)
		return dest_file_drop(d, file, f);
	link_to(&d->ready, file);
	d->ready_files++;
	d->ready_bytes += file->size;
	return dest_commit(d, false, f);
}

int dest_write(struct dest *d, struct dest_file *file, const void *p, size_t n, uint64_t off,
	       struct copy_fault *f)
{
	const char *from = p;

	while (n) {
		ssize_t done = pwrite(file->fd, from, n, (off_t)off);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return file_fault(file, "writing", f);
		from += done;
		off += (uint64_t)done;
		n -= (size_t)done;
		d->bytes += (uint64_t)done;
		file->behind += (uint64_t)done;
	}
	if (file->behind >= WRITE_BEHIND) {
		sync_file_range(file->fd, 0, 0, SYNC_FILE_RANGE_WRITE);
		file->behind = 0;
	}
	file->written++;
	return dest_file_settle(d, file, f);
}

int dest_end_file(struct dest *d, const struct copy_msg *m, struct copy_fault *f)
{
	struct dest_file *file = d->file;

	if (!file)
		return copy_fail(f, COPY_PROTOCOL,
				 "the server ended a file that it had not started");
	if (m->chunks != file->sent)
		return copy_fail(f, COPY_PROTOCOL, "the server miscounted the chunks of %s",
				 QUOTED(file->name, strlen(file->name)));
	d->file = NULL;
	file->ended = true;
	file->broken = m->flags & MSG_BROKEN;
	return dest_file_settle(d, file, f);
}

/* Mode and times are set before the sync, so that they are durable, too. */
static int dress(struct dest_file *file, struct copy_fault *f)
{
	struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, file->mtime};

	/* Set-user-id would grant the rights of whoever runs the copy, not of the owner. */
	if (fchmod(file->fd, file->mode & 0777) || futimens(file->fd, times))
		return file_fault(file, "finishing", f);
	sync_file_range(file->fd, 0, 0, SYNC_FILE_RANGE_WRITE);
	return 0;
}

static int publish(struct dest *d, struct dest_file *file, struct copy_fault *f)
{
	if (renameat(file->dir->fd, file->temp, file->dir->fd, file->name))
		return file_fault(file, "renaming to", f);
	file->temp[0] = '\0';
	d->files++;
	unlink_from(file);
	return dest_file_drop(d, file, f);
}

/*
 * Step by step for the whole group: all writes are started before the first wait, and no rename
 * comes between two syncs, which would make each of them a separate journal commit.
 */
int dest_commit(struct dest *d, bool force, struct copy_fault *f)
{
	struct dest_file *file;

	if (!force && d->ready_files < GROUP_FILES && d->ready_bytes < GROUP_BYTES)
		return 0;
	for (file = d->ready; file; file = file->next)
		if (dress(file, f))
			return -1;
	for (file = d->ready; file; file = file->next)
		if (fsync(file->fd))
			return file_fault(file, "syncing", f);
	while (d->ready)
		if (publish(d, d->ready, f))
			return -1;
	d->ready_files = 0;
	d->ready_bytes = 0;
	return 0;
}

void dest_drop_files(struct dest *d)
{
	struct copy_fault ignored = {0};

	for (int i = 0; i < 2; i++) {
		struct dest_file **list = i ? &d->ready : &d->open;

		while (*list) {
			struct dest_file *file = *list;

			unlink_from(file);
			dest_file_drop(d, file, &ignored);
		}
	}
}
