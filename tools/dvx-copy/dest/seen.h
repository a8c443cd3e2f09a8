/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_SEEN_H
#define DVX_COPY_SEEN_H

#include "dest.h"

/*
 * Several sources whose entries may have one path ("a/ b/"): as with rsync directories are merged,
 * of other entries the first one counts, and --delete deletes what none of the sources has. So all
 * paths are remembered, over all sources, and deleted is at the end.
 */
struct dest_seen;

/* NULL: no memory. */
struct dest_seen *seen_new(void);
void seen_free(struct dest_seen *seen);

/* 1 if an earlier source's entry counts, 0 if this one is to be made, -1. Sets d->again. */
int seen_add(struct dest *d, const char *name, bool is_dir, struct copy_fault *f);

/* Whether an earlier source was the contents of a directory, which DEST stands for. */
bool seen_dest(const struct dest *d);

/* A directory ends; whole: all of its entries were listed. */
void seen_end(struct dest *d, const struct dest_dir *dir, bool whole);

/* A source could not be listed: nothing is deleted. */
void seen_fail(struct dest *d);

/* After the last source. */
int seen_delete(struct dest *d, const struct dest_plan *plan, struct copy_fault *f);

#endif
