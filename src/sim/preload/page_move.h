/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_PRELOAD_PAGE_MOVE_H
#define SIM_PRELOAD_PAGE_MOVE_H

#include <stddef.h>

/*
 * One memory in the place of another, at the same address and with the same bytes, while the
 * program's threads go on using it. Loads go on; a store waits for the moment that the place
 * changes hands, so that none is lost.
 */

/* Who may store where pages move. */
enum stores {
	STORES_NONE,  /* this thread is the only one */
	STORES_USER,  /* other threads */
	STORES_KERNEL /* and the kernel for them, in a read() say */
};

/* A memfd that may be shared with the device: sealed. -1: can't be had. */
int pages_memfd(size_t len);
/* Private memory onto the memfd; onto private memory of this protection. 0 or -errno: it stays. */
int pages_to_memfd(int memfd, void *va, size_t len, enum stores);
int pages_to_private(void *va, size_t len, int prot, enum stores);

#endif
