/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_WRITE_H
#define DVX_COPY_WRITE_H

#include "dest.h"

/*
 * Whole small files are written by the workers, many in one job: made, filled, given mode and
 * times, and named or left to the group's sync. The receiver's own thread writes all others.
 */

/* Whether this piece is a whole file that the workers can write. */
bool write_is_whole(const struct dest *d, const struct dest_file *file, uint64_t off, uint32_t len);

/*
 * Gives these files to the workers in one job. Their bytes lie in a slot; when the job is done,
 * d->slot_done() is called once.
 */
struct write_piece {
	struct dest_file *file;
	const void *bytes;
};
#define WRITE_MOST 64u /* files in one job, all of one directory */
int write_give(struct dest *d, uint32_t slot, const struct write_piece *pieces, uint32_t n,
	       struct copy_fault *f);

/* Waits for all jobs of the workers. */
int write_drain(struct dest *d, struct copy_fault *f);

/* Like write_drain(), for a copy that is given up: jobs that no thread has begun are cancelled. */
void write_abandon(struct dest *d);

#endif
