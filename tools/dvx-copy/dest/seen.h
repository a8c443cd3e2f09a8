/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_SEEN_H
#define DVX_COPY_SEEN_H

#include "dest.h"

/*
 * Remembers the paths of entries that the source has, for --delete: those of a directory until it
 * is finished.
 *
 * If several sources may have entries of one path ("a/ b/"), all paths are remembered. As with
 * rsync, directories are merged, of other entries the first one counts, and --delete deletes at the
 * end what none of the sources has.
 */
struct dest_seen;

/* merges: sources may have entries of one path. Returns NULL if there is no memory. */
struct dest_seen *seen_new(bool merges);
void seen_free(struct dest_seen *seen);

/*
 * Notes an entry. 1: an earlier source's takes precedence. 0: make this one; d->dir_seen tells
 * whether it is a directory that an earlier source has too.
 */
int seen_add(struct dest *d, const char *name, bool is_dir, struct copy_fault *f);

/* Whether an earlier source was the contents of a directory, so that DEST is that directory. */
bool seen_dest(const struct dest *d);

/*
 * Ends a directory. whole: all of its entries were listed. If no other source may have more of
 * them, it deletes the others.
 */
int seen_end(struct dest *d, struct dest_dir *dir, bool whole, struct copy_fault *f);

/* Frees the names of a directory, unless another source may have entries of their paths. */
void seen_forget(struct dest *d, struct dest_dir *dir);

/* Notes that a source could not be listed: nothing is deleted then. */
void seen_fail(struct dest *d);

/* Deletes, after the last of several sources, what none has. */
int seen_delete(struct dest *d, const struct dest_plan *plan, struct copy_fault *f);

#endif
