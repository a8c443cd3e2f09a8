/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_PLACE_H
#define DVX_COPY_PLACE_H

#include "dest.h"

/* What is done with a file besides filling it. */
enum { PLACE_CLOSE = 1, PLACE_SYNC = 2, PLACE_NAME = 4, PLACE_UNNAMED = 8 };

/*
 * For any thread: makes a whole small file. Of dest_file it changes fd, made, temp, owner_stays, and
 * named_only. -1: why and err say what could not be done.
 *
 * With UNNAMED (and NAME) a file that is new in its directory has no name until it is complete. That
 * costs less than a temporary name and a rename, and a killed copy leaves nothing. If that can't be
 * done here, it is done the other way, and named_only is set.
 */
int place_file(struct dest_file *file, const void *bytes, unsigned int how);

/* Whether UNNAMED may be tried in this directory. */
bool place_may_unname(struct dest_dir *dir);

#endif
