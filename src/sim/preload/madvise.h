/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_PRELOAD_MADVISE_H
#define SIM_PRELOAD_MADVISE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * What a program drops by madvise() it finds zero afterwards, while a NIC goes on with the pages
 * that it has pinned. Pages of a memfd would keep their bytes, so private memory takes their place:
 * an allocator may hand out as zero what it has dropped. It may also hold locks that the thread
 * waits for which has share.c's, so none is taken here: a piece that comes or goes at this moment
 * is seen or not.
 */
#define MADVISE_PIECES 1024u /* pieces */

/* A piece of share.c's by its number; len 0: it is none any more. */
void madvise_piece(unsigned int place, uint64_t va, uint64_t len, uint64_t inode, dev_t);
/* madvise() */
int madvise_hook(void *va, size_t len, int advice);

#endif
