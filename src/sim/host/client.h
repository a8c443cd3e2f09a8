/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_HOST_CLIENT_H
#define SIM_HOST_CLIENT_H

#include <sys/types.h>
#include "mem.h"

/* A client process as the owner of memory (mem.h): what it may pin, its files, its shared pages. */

/*
 * Opens one client process. pidfd guards against a reused pid, and its descriptors are reached by
 * it; the mm owns it from here on (-1: none). Returns NULL with errno on failure.
 */
struct mm *mm_open(struct host *, pid_t pid, int pidfd);
/* Returns the process's pid. */
pid_t mm_pid(const struct mm *);
/* Returns whether the process has CAP_NET_RAW. */
bool mm_may_net_raw(const struct mm *);
/*
 * Checks that the process may pin so many pages by its RLIMIT_MEMLOCK, which CAP_IPC_LOCK lifts.
 * Returns 0; -ENOMEM if the limit is lower, *limit has it in bytes; -EPERM if it is 0.
 */
int mm_may_pin(const struct mm *, uint64_t pages, uint64_t *limit);
/*
 * Returns the chip's own descriptor for the client's event counter (eventfd), to be closed by the
 * caller; or -EBADF, -EINVAL if it is another file, or another -errno of the system.
 */
int mm_eventfd(struct mm *, int number);
/*
 * Returns the chip's own descriptor that keeps one of the client's files open, and can do nothing
 * else (O_PATH). Or -errno.
 */
int mm_hold_file(const struct mm *, int number);
/*
 * Opens the client's dma-buf as memory of the device: an address is an offset in it. Returns
 * -EBADF; -EINVAL if it is another file; -EOPNOTSUPP if it can't be mapped.
 */
int dmabuf_open(struct mm *of, int number, struct mm **buf);
uint64_t dmabuf_len(const struct mm *buf);
void dmabuf_close(struct mm *buf);
/* Adds 1. Never blocks: a full counter stays full. */
void eventfd_raise(struct host *, int fd);
/* Returns whether two clients are one process. */
bool mm_same_process(const struct mm *, const struct mm *);

/*
 * Shares these pages, which the client has put on this memfd (the caller's, sealed against
 * shrinking) from its first byte on: from here on the device maps them. An access that isn't wholly
 * in one such piece still goes by system calls; both see the same bytes. -EINVAL: not whole pages,
 * or too many; -EEXIST: some are shared already; -EPERM: no such memfd, or not all of its pages are
 * there; -ENOSPC, -ENOMEM.
 */
int mm_share(struct mm *, uint64_t va, uint64_t len, int memfd);
/* Drops the piece that begins at va. */
void mm_unshare(struct mm *, uint64_t va);
/* Adds `by` to the count of holders of each piece that overlaps a range. */
void mm_share_hold(struct mm *, uint64_t va, uint64_t len, int by);
/* Finds the first piece that overlaps a range; idle: that has no holders. Returns false if none. */
bool mm_share_over(const struct mm *, uint64_t va, uint64_t len, bool idle, uint64_t *first,
		   uint64_t *bytes);

/* Why bytes of a client can't be pinned: an errno, and the rest of a sentence. err 0: they can. */
struct unpinnable {
	int err;
	const char *why;
};

/*
 * Reads the mappings of a client, once for a request: reading may take milliseconds. NULL:
 * unreadable, or no memory.
 */
struct mappings;
struct mappings *mappings_read(struct mm *, struct unpinnable *);
void mappings_free(struct mappings *);
enum mappings_need {
	MAPPINGS_READ = 0,
	MAPPINGS_WRITE = 1 << 0,
	MAPPINGS_LONG = 1 << 1, /* pinned until an object ends, not only for the request */
};
/*
 * Checks that all bytes can be pinned. need: enum mappings_need. own, unless NULL: whether all of
 * it is writable memory of the client alone: no file, not shared, no stack.
 */
struct unpinnable mappings_check(struct mappings *, uint64_t va, uint64_t len, unsigned int need,
				 bool *own);
/*
 * Drops the pieces in a range that the client has replaced by other memory: the address means the
 * new memory from here on.
 */
void mm_unshare_replaced(struct mappings *, uint64_t va, uint64_t len);

#endif
