/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_DEST_FILE_H
#define DVX_COPY_DEST_FILE_H

#include "dest.h"

/* Shared by dest.c and dest_file.c only. */

int dest_name(struct dest *d, const struct copy_msg *m, char to[NAME_MAX + 1],
	      struct copy_fault *f);

/* Releases one use of the directory. */
int dest_put(struct dest *d, struct dest_dir *dir, struct copy_fault *f);

/* Printable path of an entry, for messages. */
#define DEST_WHERE(dir, name) dest_where((char[520]){0}, (dir), (name))
const char *dest_where(char to[520], const struct dest_dir *dir, const char *name);

int dest_temp_name(char to[32], struct copy_fault *f);

void dest_drop_files(struct dest *d);

#endif
