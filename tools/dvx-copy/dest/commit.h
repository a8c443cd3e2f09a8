/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_COMMIT_H
#define DVX_COPY_COMMIT_H

#include "dest.h"

/* Takes a file whose data is complete; it is on the ready list. */
int commit_add(struct dest *d, struct dest_file *file, struct copy_fault *f);

/* Whether a finished directory is synced by itself. */
bool commit_each_dir(const struct dest *d);

/* At the end of a source: the names of its files become durable. */
int commit_end(struct dest *d, struct copy_fault *f);

/* --- of file.c --- */

void file_link_to(struct dest_file **list, struct dest_file *file);
void file_unlink_from(struct dest_file *file);
int file_drop(struct dest *d, struct dest_file *file, struct copy_fault *f);

#endif
