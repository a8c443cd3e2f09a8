/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_COMMIT_H
#define DVX_COPY_COMMIT_H

#include "dest.h"

/* Takes a file whose data is complete, on the ready list. 1: it failed, which was reported. */
int commit_add(struct dest *d, struct dest_file *file, struct copy_fault *f);

/*
 * Like commit_add(), for a file whose mode and times are set already; the workers may have closed
 * it.
 */
int commit_ready(struct dest *d, struct dest_file *file, struct copy_fault *f);

/*
 * Gives the file its name. Any thread may call it. Clears file->temp at once, because the copy may
 * be given up before the file is settled.
 */
int commit_rename(struct dest_file *file);

/* Settles a file that has its name. */
int commit_named(struct dest *d, struct dest_file *file, struct copy_fault *f);

/* Whether each file is synced by itself, and whether the ready files are few enough for that. */
bool commit_each(const struct dest *d);
bool commit_is_single(const struct dest *d);

/* Settles a finished job of this file, not of write_give(). */
int commit_settle(struct dest *d, struct worker_job *job, struct copy_fault *f);

/* Makes the names of a directory's new entries durable, at once or at the end. */
int commit_dir(struct dest *d, int fd, const char *where, struct copy_fault *f);

/* Ends a source: makes the names of its files durable. */
int commit_end(struct dest *d, struct copy_fault *f);

/* --- of file.c --- */

void file_link_to(struct dest_file **list, struct dest_file *file);
void file_unlink_from(struct dest_file *file);
uint32_t file_first_mode(const struct dest *d, struct dest_file *file);
int file_drop(struct dest *d, struct dest_file *file, struct copy_fault *f);

/* Takes the file off its list and drops it: it is not copied. */
int file_leave(struct dest *d, struct dest_file *file, struct copy_fault *f);

/*
 * Flushes a file before it gets its name. -1, and errno, if the file system has lost some of its
 * data.
 */
int file_close(struct dest_file *file);

#endif
