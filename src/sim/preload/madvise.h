/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_PRELOAD_MADVISE_H
#define SIM_PRELOAD_MADVISE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Memory that a program drops by madvise() is zero afterwards, while a NIC keeps the pages that it
 * has pinned. Pages of a memfd would keep their bytes, so private memory takes their place: an
 * allocator may hand out dropped memory as zero. No lock is taken, because an allocator may hold a
 * lock that the holder of share.c's lock waits for. A piece that comes or goes at the same moment
 * is seen or not.
 */
/* Notes a piece by its number, below PIECES (pieces.h); len 0: it is gone. */
void madvise_piece(unsigned int place, uint64_t va, uint64_t len, uint64_t inode, dev_t);
/* madvise() */
int madvise_hook(void *va, size_t len, int advice);

#endif
