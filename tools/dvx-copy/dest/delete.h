/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_DELETE_H
#define DVX_COPY_DELETE_H

#include "dest.h"

/* With --delete: notes that the source has this entry. */
int delete_keep(struct dest *d, struct dest_dir *dir, const char *name, struct copy_fault *f);

/* Deletes what the directory holds and the source's does not. */
int delete_others(struct dest *d, struct dest_dir *dir, struct copy_fault *f);

/*
 * Removes a directory where an entry of another kind is to be made, as rsync does: if it is empty,
 * or with --delete. 1, or 0 if it stays, which is told, or -1.
 */
int delete_in_way(struct dest *d, const char *name, struct copy_fault *f);

/* Deletes one entry and what is in it; path is its own, for messages and the filter. */
int delete_entry(struct dest *d, int dir, const char *path, const char *name, struct copy_fault *f);

/* With -x: whether a directory is mounted, as it lies on another file system than the one it is in. */
bool delete_is_mounted(const struct dest *d, int parent, int fd);

/* Temporaries may be another copy's that is running. */
bool delete_is_temporary(const char *name);

void delete_forget(struct dest *d, struct dest_dir *dir);

#endif
