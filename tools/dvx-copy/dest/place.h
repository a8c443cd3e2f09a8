/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_PLACE_H
#define DVX_COPY_PLACE_H

#include "dest.h"

/* Steps of place_file() besides writing the data. */
enum { PLACE_CLOSE = 1, PLACE_SYNC = 2, PLACE_NAME = 4, PLACE_UNNAMED = 8 };

/*
 * Makes a whole small file. Any thread may call it: of the file it changes only fd, made, temp,
 * owner_stays, named_only, and why and err if it fails.
 *
 * With UNNAMED (and NAME) a file that is new in its directory has no name until it is complete.
 * This costs less than a temporary name and a rename, and a killed copy leaves nothing behind. If
 * it is not possible here, a temporary name is used, and named_only is set.
 */
void place_file(struct dest_file *file, const void *bytes, unsigned int how);

/* Writes all bytes. -1, and errno: it failed. */
int place_bytes(int fd, const void *from, size_t n, uint64_t off);

/* Whether UNNAMED may be tried in this directory. */
bool place_may_unname(struct dest_dir *dir);

#endif
