/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_COMMIT_H
#define DVX_COPY_COMMIT_H

#include "dest.h"

/* Takes a file whose data is complete; it is on the ready list. 1: told, and nothing came of it. */
int commit_add(struct dest *d, struct dest_file *file, struct copy_fault *f);

/* The same of one that has its mode and times; the workers may have closed it. */
int commit_ready(struct dest *d, struct dest_file *file, struct copy_fault *f);

/* For any thread: gives it its name. The temporary one is forgotten at once, as the copy may end now. */
int commit_rename(struct dest_file *file);

/* It has its name. */
int commit_named(struct dest *d, struct dest_file *file, struct copy_fault *f);

/* Whether files are synced one by one as they come, and whether the next one may have to be. */
bool commit_each(const struct dest *d);
bool commit_is_single(const struct dest *d);

/* A finished job that is not one of write_give(). */
int commit_settle(struct dest *d, struct worker_job *job, struct copy_fault *f);

/* A directory that has new entries: their names become durable here, or at the end. */
int commit_dir(struct dest *d, int fd, const char *where, struct copy_fault *f);

/* At the end of a source: the names of its files become durable. */
int commit_end(struct dest *d, struct copy_fault *f);

/* --- of file.c --- */

void file_link_to(struct dest_file **list, struct dest_file *file);
void file_unlink_from(struct dest_file *file);
uint32_t file_first_mode(const struct dest *d, struct dest_file *file);
int file_drop(struct dest *d, struct dest_file *file, struct copy_fault *f);

/* Takes it off its list, and drops it: it is not copied. */
int file_leave(struct dest *d, struct dest_file *file, struct copy_fault *f);

/* Before a file gets its name: -1 and errno if the file system has lost some of it. */
int file_close(struct dest_file *file);

#endif
