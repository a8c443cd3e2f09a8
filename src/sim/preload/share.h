/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_PRELOAD_SHARE_H
#define SIM_PRELOAD_SHARE_H

#include <stdbool.h>
#include <stdint.h>

struct cfile;
struct lock_saved;
struct uverbs_request;

/*
 * Pages of the program that the device maps, too (doc/design/0041). A NIC pins a queue's pages.
 * Here they move onto a memfd, at the same address, and back when the queue is gone, while the
 * program's threads go on using them; no store is lost. Small regions also move if the program has
 * one thread or they were never touched. With threads and without a userfaultfd that protects
 * shared memory (a kernel before 5.19) nothing moves, and the device makes a system call for each
 * access.
 */

/*
 * Calls cfile_ioctl(), then makes the moves that its answer asks for. The process runs one
 * request at a time: while pages move, the device must not write to them for another request.
 */
int share_ioctl(struct cfile *, struct uverbs_request *);
/*
 * Makes the pieces of a closed file private again. If they must stay, they become private when the
 * last file is closed.
 */
void share_close(struct cfile *, bool stays, bool last);

/* Blocks requests and moves of the process. */
void share_lock(struct lock_saved *);
void share_unlock(const struct lock_saved *);
/* Releases the lock in the child of a fork that was made with the lock held. */
void share_unlock_in_child(const struct lock_saved *);
/* Makes private copies of all pieces. Called with the lock held. */
void share_take_copies(void);

#endif
