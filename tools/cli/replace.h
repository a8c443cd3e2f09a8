/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes files so that each is there as a whole, or as it was before. */
#ifndef DVX_TOOLS_REPLACE_H
#define DVX_TOOLS_REPLACE_H

#include <stdio.h>

typedef void replace_fn(FILE *f, const void *what);

/*
 * Writes a file by put(), under another name first; a file that a link leads to is replaced where
 * it is. What is no regular file (a pipe, /dev/full, /dev/stdout) is written in place. Returns 0 or
 * an errno.
 */
int replace_file(const char *path, replace_fn *put, const void *what);

#endif
