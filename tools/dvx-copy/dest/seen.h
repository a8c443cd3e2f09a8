/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_SEEN_H
#define DVX_COPY_SEEN_H

#include "dest.h"

/*
 * Remembers the paths of several sources that may have entries of one path ("a/ b/"). As with
 * rsync, directories are merged, of other entries the first one counts, and --delete deletes at the
 * end what none of the sources has.
 */
struct dest_seen;

/* Returns NULL if there is no memory. */
struct dest_seen *seen_new(void);
void seen_free(struct dest_seen *seen);

/*
 * Notes an entry. 1: an earlier source's takes precedence. 0: make this one; d->dir_seen tells
 * whether it is a directory that an earlier source has too.
 */
int seen_add(struct dest *d, const char *name, bool is_dir, struct copy_fault *f);

/* Whether an earlier source was the contents of a directory, so that DEST is that directory. */
bool seen_dest(const struct dest *d);

/* Ends a directory. whole: all of its entries were listed. */
void seen_end(struct dest *d, const struct dest_dir *dir, bool whole);

/* Notes that a source could not be listed: nothing is deleted then. */
void seen_fail(struct dest *d);

/* Deletes, after the last source, what no source has. */
int seen_delete(struct dest *d, const struct dest_plan *plan, struct copy_fault *f);

#endif
