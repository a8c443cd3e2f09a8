/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_PRELOAD_MADVISE_H
#define SIM_PRELOAD_MADVISE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Dropped memory of pieces. Memory that a program drops by madvise() is zero afterwards, while a
 * NIC keeps the pages that it has pinned. Pages of a memfd would keep their bytes, and an allocator
 * may hand out dropped memory as zero: so private memory takes their place. No lock is taken,
 * because an allocator may hold a lock that the holder of share.c's lock waits for. So a piece that
 * is added or removed at the same moment may be missed.
 */
/* Notes a piece by its number, below PIECES (pieces.h); len 0 removes it. */
void madvise_piece(unsigned int place, uint64_t va, uint64_t len, uint64_t inode, dev_t);
/* Takes the place of madvise(). */
int madvise_hook(void *va, size_t len, int advice);

#endif
