/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_JOURNAL_H
#define DVX_COPY_JOURNAL_H

#include "dest.h"

/*
 * A large file has a journal beside its temporary: which pieces are written, with their CRC32C. If
 * the copy is killed the next one reads those again, compares, and goes on behind them.
 */
#define JOURNAL_LEAST (4u << 20) /* bytes: a smaller file is sent again */

/* Takes up or begins the temporary of a file that is wanted. *from: how much of it is there. */
int journal_open(struct dest_file *file, uint64_t *from, struct alive *alive, struct copy_fault *f);

/* A piece was written. Its number is its order in the file. */
void journal_add(struct dest_file *file, uint32_t number, uint64_t off, const void *p, size_t n);

/* With keep the temporary and its journal stay for the next copy. */
void journal_close(struct dest_file *file, bool keep);

#endif
