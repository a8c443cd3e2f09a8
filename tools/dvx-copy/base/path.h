/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_PATH_H
#define DVX_COPY_PATH_H

#include <dirent.h>
#include <limits.h>
#include <stdbool.h>

#include "fault.h"

/* Takes the next component, of n bytes, off the front of a path. NULL: there are no more. */
const char *path_part(const char **path, size_t *n);

bool path_has_dotdot(const char *path);

/* Joins a directory's path, which may be "", and a name: only the name if they are too long. */
const char *path_join(char to[PATH_MAX], const char *dir, const char *name);

/* Opens a path beneath root. Fails with EXDEV or ELOOP if any part of it leads out. */
int beneath_open(int root, const char *path, int flags);

/* Fallback for kernels before 5.6, which lack openat2(): follows no symbolic link at all. */
int beneath_open_steps(int root, const char *path, int flags);

/* Opens a directory to list it. NULL, and errno, on failure. */
DIR *dir_list(int fd, const char *name);

/* Returns the next name except "." and "..", or NULL: at the end with errno 0. */
const char *dir_next(DIR *list);

/*
 * Checks that /proc is there: attributes of entries, and modes of files that are not open, are
 * reached through /proc/self/fd. Without /proc an ACL would go unnoticed, and the copy could grant
 * more than its source.
 */
int proc_need(struct copy_fault *f);

#endif
