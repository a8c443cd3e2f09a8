/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_COMMIT_H
#define DVX_COPY_COMMIT_H

#include "dest.h"

/* Takes a file whose data is complete; it is on the ready list. */
int commit_add(struct dest *d, struct dest_file *file, struct copy_fault *f);

/* A directory that has new entries: their names become durable here, or at the end. */
int commit_dir(struct dest *d, int fd, const char *where, struct copy_fault *f);

/* At the end of a source: the names of its files become durable. */
int commit_end(struct dest *d, struct copy_fault *f);

/* --- of file.c --- */

void file_link_to(struct dest_file **list, struct dest_file *file);
void file_unlink_from(struct dest_file *file);
void file_end_journal(struct dest *d, struct dest_file *file, bool keep);
int file_drop(struct dest *d, struct dest_file *file, struct copy_fault *f);

#endif
