/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Renames files and makes them durable. With groups, the default, all files of a group are written,
 * one syncfs() makes them durable, and then they are renamed. The renames become durable with the
 * next group, or at the end.
 */
#include "dest.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define GROUP_FILES 4096u
#define COMMIT_MOST 128u /* renames in one job */
#define GROUP_BYTES (256u << 20)

/* Groups up to this size are synced by file: syncfs() also writes other programs' pages. */
#define SINGLE_FILES 16u

int commit_rename(struct dest_file *file)
{
	if (file->temp[0] && renameat(file->dir->fd, file->temp, file->dir->fd, file->name))
		return -1;
	file->temp[0] = '\0';
	return 0;
}

/* Gives the file its name. Returns NULL, or what failed, and sets errno. */
static const char *commit_name(struct dest_file *file)
{
	if (file_close(file))
		return "written";
	return commit_rename(file) ? FAULT_NAME : NULL;
}

int commit_named(struct dest *d, struct dest_file *file)
{
	d->counts->files++;
	d->counts->taken += file->taken;
	d->renamed++;
	file_unlink_from(file);
	return file_drop(d, file);
}

static int commit_publish(struct dest *d, struct dest_file *file)
{
	const char *why = commit_name(file);

	return why ? dest_fault(d, file->dir, why, file->name) : commit_named(d, file);
}

/* A sync in a thread, so that this thread can send MSG_ALIVE meanwhile: a disk takes its time. */
struct commit_wait {
	int fd, err;
	bool all; /* the whole file system */
	sem_t ended;
};

static void *commit_call(void *arg)
{
	struct commit_wait *w = arg;

	w->err = (w->all ? syncfs(w->fd) : fsync(w->fd)) ? errno : 0;
	sem_post(&w->ended);
	return NULL;
}

/* Waits a while for the sync. Returns whether it still runs. */
static bool commit_runs(struct commit_wait *w)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += ALIVE_SECONDS;
	return sem_clockwait(&w->ended, CLOCK_MONOTONIC, &until);
}

/* Syncs fd or its file system. Returns 1 if that failed, and sets errno. */
static int commit_sync_fd(struct dest *d, int fd, bool all)
{
	struct commit_wait w = {.fd = fd, .all = all};
	int lost = 0;
	pthread_t thread;

	sem_init(&w.ended, 0, 0);
	if (pthread_create(&thread, NULL, commit_call, &w)) {
		commit_call(&w);
	} else {
		/* The thread uses w, so wait for it even if the connection is lost. */
		while (commit_runs(&w))
			if (!lost)
				lost = alive_tick(&d->alive);
		pthread_join(thread, NULL);
	}
	errno = w.err;
	return w.err ? 1 : lost;
}

static int commit_sync(struct dest *d, struct dest_file *file)
{
	int bad = commit_sync_fd(d, file->fd, false);

	return bad > 0 ? dest_fault(d, file->dir, "synced", file->name) : bad;
}

/* Each by itself also if part of the tree is on another file system: syncfs() does not reach it. */
bool commit_each(const struct dest *d)
{
	return d->options.fsync == FSYNC_EACH || (d->other_fs && d->options.fsync != FSYNC_NONE);
}

bool commit_is_single(const struct dest *d)
{
	return d->ready_files + d->flying_files < SINGLE_FILES;
}

/* Syncs the directory at once if there are few new entries, else all directories at the end. */
int commit_dir(struct dest *d, int fd, const char *where)
{
	int bad;

	if (!commit_each(d) && (d->options.fsync != FSYNC_GROUP || d->renamed > SINGLE_FILES))
		return 0;
	bad = commit_sync_fd(d, fd, false);
	return bad > 0 && dest_fault_at(d, fd, where, "synced") > 0 ? 0 : bad;
}

int commit_add(struct dest *d, struct dest_file *file)
{
	/* Set mode and times before the sync, so that they become durable too. */
	int bad = meta_apply(d, file->dir, file->name, file->fd, &file->meta);

	if (bad < 0)
		return -1;
	if (commit_each(d) && (bad = commit_sync(d, file)) != 0)
		return bad;
	if (commit_each(d) || d->options.fsync != FSYNC_GROUP)
		return commit_publish(d, file);
	return commit_ready(d, file);
}

int commit_ready(struct dest *d, struct dest_file *file)
{
	/* A part stays open, because its lock belongs to the open file. */
	if (d->ready_files >= SINGLE_FILES && !file->is_part && file_close(file))
		return dest_fault(d, file->dir, "written", file->name);
	d->ready_bytes += file->size;
	d->ready_files++;
	d->ready_closed |= file->fd < 0;
	return dest_commit(d, false);
}

static int commit_sync_all(struct dest *d)
{
	int bad = commit_sync_fd(d, d->base, true);

	if (bad <= 0)
		return bad;
	return copy_fail(d->f, COPY_IO, "syncing the destination: %s", strerror(errno));
}

static int commit_sync_group(struct dest *d, bool all)
{
	if (all)
		return commit_sync_all(d);
	for (struct dest_file *file = d->synced, *next; file; file = next) {
		int bad = commit_sync(d, file);

		next = file->next;
		if (bad < 0 || (bad > 0 && file_leave(d, file)))
			return -1;
	}
	return 0;
}

/* --- the names of a group --- */

struct commit_job {
	struct worker_job job;
	uint32_t n;
	struct dest_file *files[COMMIT_MOST];
};

static void commit_run(struct worker_job *job)
{
	struct commit_job *c = (struct commit_job *)job;

	for (uint32_t i = 0; i < c->n; i++)
		if ((c->files[i]->why = commit_name(c->files[i])))
			c->files[i]->err = errno;
}

/* Takes ready files of one directory. */
static struct commit_job *commit_take(struct dest *d)
{
	struct commit_job *c = malloc(sizeof(*c));
	struct dest_file *file;

	if (!c)
		return NULL;
	c->job = (struct worker_job){.run = commit_run, .lane = d->synced->dir};
	c->n = 0;
	while ((file = d->synced) && file->dir == c->job.lane && c->n < COMMIT_MOST) {
		c->files[c->n++] = file;
		file_unlink_from(file);
		file_link_to(&d->flying, file);
		d->flying_files++;
	}
	return c;
}

/* Leaves out the files that could not get their names. */
static int commit_settle_names(struct dest *d, struct commit_job *c)
{
	int bad = 0;

	for (uint32_t i = 0; i < c->n; i++) {
		struct dest_file *file = c->files[i];

		file_unlink_from(file);
		file_link_to(&d->ready, file);
		d->flying_files--;
		errno = file->err;
		if (!file->why)
			bad |= commit_named(d, file);
		else if (dest_fault(d, file->dir, file->why, file->name) < 0 || file_leave(d, file))
			bad = -1;
	}
	free(c);
	return bad;
}

/* Gives the files of the synced group their names. */
static int commit_names(struct dest *d)
{
	while (d->synced) {
		struct commit_job *c = commit_take(d);

		if (!c)
			return copy_no_memory(d->f);
		workers_give(d->workers, &c->job);
	}
	return 0;
}

/* --- the sync of a group --- */

struct sync_job {
	struct worker_job job;
	struct commit_wait wait;
};

static void commit_run_sync(struct worker_job *job)
{
	commit_call(&((struct sync_job *)job)->wait);
}

/* Hands the sync to a worker. The next group is written meanwhile. */
static int commit_give_sync(struct dest *d)
{
	struct sync_job *s = malloc(sizeof(*s));

	if (!s)
		return copy_no_memory(d->f);
	*s = (struct sync_job){.job = {.run = commit_run_sync},
			       .wait = {.fd = d->base, .all = true}};
	d->syncing = true;
	workers_give(d->workers, &s->job);
	return 0;
}

static int commit_settle_sync(struct dest *d, struct sync_job *s)
{
	int err = s->wait.err;

	free(s);
	d->syncing = false;
	if (err)
		return copy_fail(d->f, COPY_IO, "syncing the destination: %s", strerror(err));
	return commit_names(d) || dest_commit(d, false) ? -1 : 0;
}

int commit_settle(struct dest *d, struct worker_job *job)
{
	return job->run == commit_run ? commit_settle_names(d, (struct commit_job *)job)
				      : commit_settle_sync(d, (struct sync_job *)job);
}

static bool commit_is_full(const struct dest *d)
{
	return d->ready_files >= GROUP_FILES || d->ready_bytes >= GROUP_BYTES;
}

bool dest_is_full(const struct dest *d)
{
	return d->syncing && commit_is_full(d);
}

/* Makes the ready files the group that is synced. */
static int commit_group(struct dest *d)
{
	bool all = d->ready_closed;

	d->synced = d->ready;
	d->synced->link = &d->synced;
	d->ready = NULL;
	d->ready_files = 0;
	d->ready_bytes = 0;
	d->ready_closed = false;
	if (all && workers_threads(d->workers))
		return commit_give_sync(d);
	return commit_sync_group(d, all) || commit_names(d) ? -1 : 0;
}

int dest_commit(struct dest *d, bool force)
{
	if (force && write_drain(d))
		return -1;
	if (!d->ready || d->synced || (!force && !commit_is_full(d)))
		return 0;
	if (commit_group(d))
		return -1;
	return force ? write_drain(d) : 0;
}

int commit_end(struct dest *d)
{
	bool all = d->options.fsync == FSYNC_END ||
		   (d->options.fsync == FSYNC_GROUP && d->renamed > SINGLE_FILES);

	return all && d->base >= 0 && !(d->options.bits & OPTION_DRY) ? commit_sync_all(d) : 0;
}
