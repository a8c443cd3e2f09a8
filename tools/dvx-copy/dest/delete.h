/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_DELETE_H
#define DVX_COPY_DELETE_H

#include "dest.h"

/* With --delete: notes that the source has this entry. */
int delete_keep(struct dest *d, struct dest_dir *dir, const char *name, struct copy_fault *f);

/* Deletes what the directory holds and the source's does not. */
int delete_others(struct dest *d, struct dest_dir *dir, struct copy_fault *f);

/* Deletes an entry of another kind where one is to be made: 1, or -1 if it can't be. */
int delete_in_way(struct dest *d, const char *name, struct copy_fault *f);

void delete_forget(struct dest_dir *dir);

#endif
