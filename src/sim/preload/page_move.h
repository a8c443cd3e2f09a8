/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_PRELOAD_PAGE_MOVE_H
#define SIM_PRELOAD_PAGE_MOVE_H

#include <stddef.h>

/*
 * Replaces memory by other memory with the same bytes, at the same address, while the program's
 * threads use it. Loads go on. Stores wait for the replacement, so that none is lost.
 */

/* Who may store where pages move. */
enum stores {
	STORES_NONE,  /* this thread is the only one */
	STORES_USER,  /* other threads */
	STORES_KERNEL /* other threads, and the kernel for them (in a read()) */
};

/* A sealed memfd, which can be shared with the device; -1. */
int pages_memfd(size_t len);
/*
 * Private memory onto the memfd; and onto private memory with this protection. -errno: it did not
 * move.
 */
int pages_to_memfd(int memfd, void *va, size_t len, enum stores);
int pages_to_private(void *va, size_t len, int prot, enum stores);

#endif
