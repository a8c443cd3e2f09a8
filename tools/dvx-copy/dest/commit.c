/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * When files get their names, and when they are on the disk. With groups, the default: all files of
 * a group are written, one syncfs() makes them durable, and then they are renamed. The names become
 * durable with the next group, or at the end.
 */
#include "commit.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "journal.h"
#include "meta.h"

#define GROUP_FILES 4096u
#define GROUP_BYTES (256u << 20)

/* So few are synced one by one: syncfs() would write what others have in the cache. */
#define SINGLE_FILES 16u

static int commit_publish(struct dest *d, struct dest_file *file, struct copy_fault *f)
{
	if (file->temp[0] && renameat(file->dir->fd, file->temp, file->dir->fd, file->name))
		return dest_fault(file->dir, "renaming to", file->name, f);
	file->temp[0] = '\0';
	file_end_journal(d, file, false);
	d->counts->files++;
	d->renamed++;
	file->dir->dirty = true;
	file_unlink_from(file);
	return file_drop(d, file, f);
}

/* A disk takes its time: the other end hears meanwhile that this one lives. */
struct commit_wait {
	int fd, err;
	bool all; /* of the file system */
};

static void *commit_call(void *arg)
{
	struct commit_wait *w = arg;

	w->err = (w->all ? syncfs(w->fd) : fsync(w->fd)) ? errno : 0;
	return NULL;
}

/* Whether the thread still runs after a while. */
static bool commit_timed_join(pthread_t thread)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += ALIVE_SECONDS;
	return pthread_timedjoin_np(thread, NULL, &until) == ETIMEDOUT;
}

/* 1 if the disk could not: errno. */
static int commit_sync_fd(struct dest *d, int fd, bool all)
{
	struct commit_wait w = {.fd = fd, .all = all};
	int lost = 0;
	pthread_t thread;

	if (pthread_create(&thread, NULL, commit_call, &w)) {
		commit_call(&w);
	} else {
		/* The thread needs w: it is waited for even if the connection is lost. */
		while (commit_timed_join(thread))
			if (!lost)
				lost = alive_tick(&d->alive);
	}
	errno = w.err;
	return w.err ? 1 : lost;
}

static int commit_sync(struct dest *d, struct dest_file *file, struct copy_fault *f)
{
	int bad = commit_sync_fd(d, file->fd, false);

	return bad > 0 ? dest_fault(file->dir, "syncing", file->name, f) : bad;
}

/* syncfs() does not reach what is mounted below. */
static bool commit_each(const struct dest *d)
{
	return d->options.fsync == FSYNC_EACH || (d->other_fs && d->options.fsync != FSYNC_NONE);
}

/* With few new entries by itself, else all of them at the end. */
int commit_dir(struct dest *d, int fd, const char *where, struct copy_fault *f)
{
	int bad;

	if (!commit_each(d) && (d->options.fsync != FSYNC_GROUP || d->renamed > SINGLE_FILES))
		return 0;
	bad = commit_sync_fd(d, fd, false);
	return bad > 0 ? copy_fail(f, COPY_IO, "syncing %s: %s", where, strerror(errno)) : bad;
}

int commit_add(struct dest *d, struct dest_file *file, struct copy_fault *f)
{
	/* Mode and times are set before the sync, so that they are durable, too. */
	if (meta_apply(d, file->dir, file->name, file->fd, &file->meta, f))
		return -1;
	if (commit_each(d) && commit_sync(d, file, f))
		return -1;
	if (commit_each(d) || d->options.fsync != FSYNC_GROUP)
		return commit_publish(d, file, f);
	d->ready_bytes += file->size;
	/* A part stays open: it is locked by that. */
	if (++d->ready_files > SINGLE_FILES && !file->journal) {
		close(file->fd);
		file->fd = -1;
	}
	return dest_commit(d, false, f);
}

static int commit_sync_all(struct dest *d, struct copy_fault *f)
{
	int bad = commit_sync_fd(d, d->base, true);

	if (bad <= 0)
		return bad;
	return copy_fail(f, COPY_IO, "syncing the destination: %s", strerror(errno));
}

static int commit_sync_group(struct dest *d, struct copy_fault *f)
{
	if (d->ready_files > SINGLE_FILES)
		return commit_sync_all(d, f);
	for (struct dest_file *file = d->ready; file; file = file->next)
		if (commit_sync(d, file, f))
			return -1;
	return 0;
}

int dest_commit(struct dest *d, bool force, struct copy_fault *f)
{
	if (!d->ready || (!force && d->ready_files < GROUP_FILES && d->ready_bytes < GROUP_BYTES))
		return 0;
	if (commit_sync_group(d, f))
		return -1;
	while (d->ready)
		if (commit_publish(d, d->ready, f))
			return -1;
	d->ready_files = 0;
	d->ready_bytes = 0;
	return 0;
}

int commit_end(struct dest *d, struct copy_fault *f)
{
	bool all = d->options.fsync == FSYNC_END ||
		   (d->options.fsync == FSYNC_GROUP && d->renamed > SINGLE_FILES);

	return all && d->base >= 0 && !(d->options.bits & OPTION_DRY) ? commit_sync_all(d, f) : 0;
}
