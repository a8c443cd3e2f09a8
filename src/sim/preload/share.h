/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_PRELOAD_SHARE_H
#define SIM_PRELOAD_SHARE_H

#include <stdbool.h>
#include <stdint.h>

struct cfile;
struct lock_saved;
struct uverbs_request;
struct backend;

/*
 * Pages of the program that the device maps too. A NIC pins a queue's pages; here they move onto a
 * memfd, at the address where they are, and back when the queue is gone, while the program's
 * threads go on using them: none of their stores is lost. So do small regions of a program with one
 * thread, or that nobody has touched yet. Where it can't be done (threads, and no userfaultfd that
 * protects shared memory: a kernel before 5.19) nothing moves, and the device makes a system call
 * for each access.
 */

/*
 * backend->ioctl(), and what its answer asks for. One request of the process at a time: while
 * pages move, the device must not write to them for the next one.
 */
int share_ioctl(struct cfile *, const struct backend *, struct uverbs_request *);
/*
 * The file is closed: what it has shared is the program's own again, unless it has to stay; then,
 * when the last file is closed.
 */
void share_close(struct cfile *, bool stays, bool last);

/* No request of the process from here on, and nothing moves. */
void share_lock(struct lock_saved *);
void share_unlock(const struct lock_saved *);
/* For the child of a fork that was made meanwhile. */
void share_unlock_in_child(const struct lock_saved *);
/* Everything becomes this process's own, with the lock held. */
void share_take_copies(void);
/* How much is shared. */
uint64_t share_bytes(void);

#endif
