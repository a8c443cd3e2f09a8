/* SPDX-License-Identifier: BSD-2-Clause */
#include "dest.h"

#include <errno.h>
#include <stdlib.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <sys/vfs.h>
#include <unistd.h>

/* --- on a worker --- */

/* Steps of place_file() besides writing the data. */
enum { PLACE_CLOSE = 1, PLACE_SYNC = 2, PLACE_NAME = 4, PLACE_UNNAMED = 8 };

static int place_fail(struct dest_file *file, const char *why)
{
	file->err = errno;
	file->why = why;
	return -1;
}

int place_bytes(int fd, const void *from, size_t n, uint64_t off)
{
	for (const char *p = from; n;) {
		ssize_t done = pwrite(fd, p, n, (off_t)off);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return -1;
		p += done;
		off += (uint64_t)done;
		n -= (size_t)done;
	}
	return 0;
}

static int place_open(const struct dest_file *file, const char *name, int flags)
{
	return openat(file->dir->fd, name, flags | O_WRONLY | O_CLOEXEC,
		      file->meta.has_mode ? file->meta.mode : 0600);
}

static int place_fill(struct dest_file *file, const void *bytes, unsigned int how)
{
	if (place_bytes(file->fd, bytes, file->size, 0))
		return place_fail(file, "written");
	if (meta_apply_plain(file->fd, &file->meta, &file->owner_stays))
		file->meta_err = errno;
	return how & PLACE_SYNC && fsync(file->fd) ? place_fail(file, "synced") : 0;
}

static void place_named(struct dest_file *file, const void *bytes, unsigned int how)
{
	if (!temp_name(file->temp))
		file->fd = place_open(file, file->temp, O_CREAT | O_EXCL);
	file->made = file->fd >= 0;
	if (!file->made)
		place_fail(file, "made");
	else if (place_fill(file, bytes, how))
		return;
	else if (how & PLACE_CLOSE && file_close(file))
		place_fail(file, "written");
	else if (how & PLACE_NAME && commit_rename(file))
		place_fail(file, FAULT_NAME);
}

/* Names a file that has no name. Before Linux 6.10 linking by descriptor needs a privilege. */
static int place_link(const struct dest_file *file)
{
	char path[32];

	if (!linkat(file->fd, "", file->dir->fd, file->name, AT_EMPTY_PATH))
		return 0;
	if (errno != ENOENT)
		return -1;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", file->fd);
	return linkat(AT_FDCWD, path, file->dir->fd, file->name, AT_SYMLINK_FOLLOW);
}

/* Makes the file without a name (O_TMPFILE). Returns whether that is possible here. */
static bool place_unnamed(struct dest_file *file, const void *bytes, unsigned int how)
{
	file->fd = place_open(file, ".", O_TMPFILE);
	if (file->fd < 0)
		return false;
	if (place_fill(file, bytes, how))
		return true;
	file->made = !place_link(file);
	return file_close(file) ? place_fail(file, "written") : file->made;
}

/*
 * Makes a whole small file. Any thread may call it: of the file it changes only fd, made, temp,
 * owner_stays, named_only, and why and err if it fails.
 *
 * With UNNAMED (and NAME) a file that is new in its directory has no name until it is complete.
 * This costs less than a temporary name and a rename, and a killed copy leaves nothing behind. If
 * it is not possible here, a temporary name is used, and named_only is set.
 */
static void place_file(struct dest_file *file, const void *bytes, unsigned int how)
{
	const bool unnamed = how & PLACE_UNNAMED && how & PLACE_NAME && file->is_new;

	if (unnamed && place_unnamed(file, bytes, how))
		return;
	file->named_only = unnamed;
	place_named(file, bytes, how);
}

/*
 * Whether the file system is one on which O_TMPFILE was measured to be faster, and on which close()
 * can't fail: the file has its name by then.
 */
static bool place_may_unname(struct dest_dir *dir)
{
	struct statfs fs;

	if (dir->unnamed == UNNAMED_UNKNOWN)
		dir->unnamed = !fstatfs(dir->fd, &fs) && (fs.f_type == EXT4_SUPER_MAGIC ||
							  fs.f_type == TMPFS_MAGIC)
				       ? UNNAMED_YES
				       : UNNAMED_NO;
	return dir->unnamed == UNNAMED_YES;
}

struct write_job {
	struct worker_job job;
	unsigned int how; /* of place_file() */
	uint32_t slot, n;
	struct write_piece pieces[];
};

bool write_is_whole(const struct dest *d, const struct dest_file *file, uint64_t off, uint32_t len)
{
	const uint32_t by_hand =
		OPTION_INPLACE | OPTION_SPARSE | OPTION_ACLS | OPTION_XATTRS | OPTION_DRY;

	return !off && len == file->size && file->ended && !file->broken && !file->made &&
	       !file->is_part && !file->meta.xattrs && !(d->options.bits & by_hand);
}

static void write_files(struct worker_job *job)
{
	struct write_job *w = (struct write_job *)job;

	for (uint32_t i = 0; i < w->n; i++)
		place_file(w->pieces[i].file, w->pieces[i].bytes, w->how);
}

/* --- on the receiver's thread --- */

static unsigned int write_how(const struct dest *d, struct dest_dir *dir)
{
	const bool each = commit_each(d);

	if (!each && d->options.fsync == FSYNC_GROUP)
		return commit_is_single(d) ? 0 : PLACE_CLOSE;
	return PLACE_CLOSE | PLACE_NAME | (each ? PLACE_SYNC : 0) |
	       (place_may_unname(dir) ? PLACE_UNNAMED : 0);
}

int write_give(struct dest *d, uint32_t slot, const struct write_piece *pieces, uint32_t n)
{
	struct write_job *w = calloc(1, sizeof(*w) + n * sizeof(*pieces));

	if (!w)
		return copy_no_memory(d->f);
	*w = (struct write_job){.job = {.run = write_files, .lane = pieces[0].file->dir},
				.slot = slot,
				.n = n,
				.how = write_how(d, pieces[0].file->dir)};
	for (uint32_t i = 0; i < n; i++) {
		w->pieces[i] = pieces[i];
		file_first_mode(d, pieces[i].file);
		file_unlink_from(pieces[i].file);
		file_link_to(&d->flying, pieces[i].file);
	}
	d->flying_files += n;
	pieces[0].file->dir->dirty = true;
	workers_give(d->workers, &w->job);
	return 0;
}

/* Reports what the worker could not do. 1: the file is left out. */
static int write_settle_faults(struct dest *d, struct dest_file *file)
{
	errno = file->err;
	if (file->why)
		return dest_fault(d, file->dir, file->why, file->name);
	errno = file->meta_err;
	if (file->meta_err && dest_fault(d, file->dir, FAULT_META, file->name) < 0)
		return -1;
	return file->owner_stays ? dest_skip(d, file->dir, file->name, META_OWNER_STAYS) : 0;
}

static int write_settle_file(struct dest *d, struct dest_file *file, unsigned int how)
{
	int bad;

	file_unlink_from(file);
	file_link_to(&d->ready, file);
	d->flying_files--;
	if (!file->made)
		file->temp[0] = '\0';
	if (file->named_only)
		file->dir->unnamed = UNNAMED_NO;
	bad = write_settle_faults(d, file);
	if (!bad) {
		d->counts->bytes += file->size;
		bad = how & PLACE_NAME ? commit_named(d, file) : commit_ready(d, file);
	}
	return bad > 0 ? file_leave(d, file) : bad;
}

/* Settles a job. Even after a failure each file is on a list, so that dest_abort() finds it. */
static int write_settle(struct dest *d, struct write_job *w)
{
	int bad = 0;

	for (uint32_t i = 0; i < w->n; i++) {
		struct dest_file *file = w->pieces[i].file;

		if (!bad)
			bad = write_settle_file(d, file, w->how);
		else if (!file->made)
			file->temp[0] = '\0';
	}
	if (!bad)
		bad = d->slot_done(d->arg, w->slot);
	free(w);
	return bad;
}

static int write_settle_any(struct dest *d, struct worker_job *job)
{
	return job->run == write_files ? write_settle(d, (struct write_job *)job)
				       : commit_settle(d, job);
}

int dest_reap(struct dest *d)
{
	struct worker_job *job;
	int reaped = 0;

	while ((job = workers_take(d->workers, 0))) {
		reaped++;
		if (write_settle_any(d, job))
			return -1;
	}
	return reaped;
}

int write_drain(struct dest *d)
{
	while (workers_busy(d->workers)) {
		struct worker_job *job = workers_take(d->workers, ALIVE_SECONDS * 1000);

		if ((job && write_settle_any(d, job)) || alive_tick(&d->alive))
			return -1;
	}
	return 0;
}

void write_abandon(struct dest *d)
{
	struct worker_job *job;

	if (d->workers)
		workers_cancel(d->workers);
	while (d->workers && workers_busy(d->workers))
		if ((job = workers_take(d->workers, ALIVE_SECONDS * 1000)))
			free(job);
	for (struct dest_file *file = d->flying; file; file = file->next)
		if (!file->made)
			file->temp[0] = '\0';
}
