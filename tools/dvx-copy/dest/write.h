/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_WRITE_H
#define DVX_COPY_WRITE_H

#include "dest.h"

/*
 * Whole small files are written by the workers, many in one job: made, filled, given mode and times,
 * and named or left to the group's sync. Everything else the receiver's own thread writes.
 */

/* Whether this piece is a file that the workers can write. */
bool write_is_whole(const struct dest *d, const struct dest_file *file, uint64_t off, uint32_t len);

/* Gives these files, whose bytes lie in a slot, to the workers in one job. When it is done,
 * d->slot_done() is called once. */
struct write_piece {
	struct dest_file *file;
	const void *bytes;
};
#define WRITE_MOST 64u /* files in one job: they are of one directory */
int write_give(struct dest *d, uint32_t slot, const struct write_piece *pieces, uint32_t n,
	       struct copy_fault *f);

/* Waits for all that the workers have. */
int write_drain(struct dest *d, struct copy_fault *f);

/* The same when the copy is given up; what no thread has begun is not done any more. */
void write_abandon(struct dest *d);

#endif
