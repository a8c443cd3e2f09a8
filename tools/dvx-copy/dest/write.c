/* SPDX-License-Identifier: BSD-2-Clause */
#include "write.h"

#include <errno.h>
#include <stdlib.h>

#include "commit.h"
#include "meta.h"
#include "place.h"

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

int write_give(struct dest *d, uint32_t slot, const struct write_piece *pieces, uint32_t n,
	       struct copy_fault *f)
{
	struct write_job *w = calloc(1, sizeof(*w) + n * sizeof(*pieces));

	if (!w)
		return copy_fail(f, COPY_IO, "out of memory");
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
static int write_settle_faults(struct dest *d, struct dest_file *file, struct copy_fault *f)
{
	char path[PATH_MAX];

	errno = file->err;
	if (file->why)
		return dest_fault(d, file->dir, file->why, file->name, f);
	errno = file->meta_err;
	if (file->meta_err && dest_fault(d, file->dir, FAULT_META, file->name, f) < 0)
		return -1;
	return file->owner_stays
		       ? d->skip(d->arg, dest_path(path, file->dir, file->name), META_OWNER_STAYS)
		       : 0;
}

static int write_settle_file(struct dest *d, struct dest_file *file, unsigned int how,
			     struct copy_fault *f)
{
	int bad;

	file_unlink_from(file);
	file_link_to(&d->ready, file);
	d->flying_files--;
	if (!file->made)
		file->temp[0] = '\0';
	if (file->named_only)
		file->dir->unnamed = UNNAMED_NO;
	bad = write_settle_faults(d, file, f);
	if (!bad) {
		d->counts->bytes += file->size;
		bad = how & PLACE_NAME ? commit_named(d, file, f) : commit_ready(d, file, f);
	}
	return bad > 0 ? file_leave(d, file, f) : bad;
}

/* Settles a job. Even after a failure each file is on a list, so that dest_abort() finds it. */
static int write_settle(struct dest *d, struct write_job *w, struct copy_fault *f)
{
	int bad = 0;

	for (uint32_t i = 0; i < w->n; i++) {
		struct dest_file *file = w->pieces[i].file;

		if (!bad)
			bad = write_settle_file(d, file, w->how, f);
		else if (!file->made)
			file->temp[0] = '\0';
	}
	if (!bad)
		bad = d->slot_done(d->arg, w->slot);
	free(w);
	return bad;
}

static int write_settle_any(struct dest *d, struct worker_job *job, struct copy_fault *f)
{
	return job->run == write_files ? write_settle(d, (struct write_job *)job, f)
				       : commit_settle(d, job, f);
}

int dest_reap(struct dest *d, struct copy_fault *f)
{
	struct worker_job *job;
	int reaped = 0;

	while ((job = workers_take(d->workers, 0))) {
		reaped++;
		if (write_settle_any(d, job, f))
			return -1;
	}
	return reaped;
}

int write_drain(struct dest *d, struct copy_fault *f)
{
	while (workers_busy(d->workers)) {
		struct worker_job *job = workers_take(d->workers, ALIVE_SECONDS * 1000);

		if ((job && write_settle_any(d, job, f)) || alive_tick(&d->alive))
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
