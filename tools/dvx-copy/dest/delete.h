/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_DELETE_H
#define DVX_COPY_DELETE_H

#include "dest.h"

/*
 * Removes a directory where an entry of another kind is to be made. As with rsync, the directory
 * has to be empty, unless --delete is given. 1: removed. 0: it stays, which was reported.
 */
int delete_in_way(struct dest *d, const char *name, struct copy_fault *f);

/*
 * Deletes one entry and everything in it. Messages and the filter use path, the entry's path from
 * the copy's base.
 */
int delete_entry(struct dest *d, int dir, const char *path, const char *name, struct copy_fault *f);

/*
 * Whether the directory fd is a mount point that -x protects: it is on another file system than its
 * parent.
 */
bool delete_is_mounted(const struct dest *d, int parent, int fd);

/* Whether the name is a temporary file's, which may belong to another running copy. */
bool delete_is_temporary(const char *name);

#endif
