/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_PRELOAD_PAGE_MOVE_H
#define SIM_PRELOAD_PAGE_MOVE_H

#include <stddef.h>

/*
 * Replaces memory by other memory with the same bytes, at the same address, while the program's
 * threads use it. Loads continue. Stores wait for the replacement, so that none is lost.
 */

/* Sources of stores while pages move. */
enum stores {
	STORES_NONE,  /* none: this thread is the only one */
	STORES_USER,  /* other threads */
	STORES_KERNEL /* other threads, and the kernel for them (in a read()) */
};

/* Returns a sealed memfd that can be shared with the device, or -1. */
int pages_memfd(size_t len);
/*
 * Move private memory onto the memfd, and back onto private memory with this protection. On -errno
 * nothing moved.
 */
int pages_to_memfd(int memfd, void *va, size_t len, enum stores);
int pages_to_private(void *va, size_t len, int prot, enum stores);

#endif
