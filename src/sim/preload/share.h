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
 * Pages of the program that the device maps, too (doc/design/0041). A NIC pins a queue's pages.
 * Here they move onto a memfd, at the address where they are, and back when the queue is gone,
 * while the program's threads go on using them; no store is lost. Small regions of a program with
 * one thread, or that were never touched, move as well. With threads and without a userfaultfd that
 * protects shared memory (a kernel before 5.19) nothing moves, and the device makes a system call
 * for each access.
 */

/*
 * backend->ioctl(), then the moves that its answer asks for. One request of the process at a time:
 * while pages move, the device must not write to them for another request.
 */
int share_ioctl(struct cfile *, const struct backend *, struct uverbs_request *);
/*
 * The file is closed: its pieces become private again. If they must stay, they do so when the last
 * file is closed.
 */
void share_close(struct cfile *, bool stays, bool last);

/* Blocks requests and moves of the process. */
void share_lock(struct lock_saved *);
void share_unlock(const struct lock_saved *);
/* In the child of a fork that was made with the lock held. */
void share_unlock_in_child(const struct lock_saved *);
/* Makes private copies of all pieces, with the lock held. */
void share_take_copies(void);

#endif
