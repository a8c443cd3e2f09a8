/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_PRELOAD_TICKET_LOCK_H
#define SIM_PRELOAD_TICKET_LOCK_H

#include <signal.h>
#include <stdint.h>

/*
 * A ticket lock that sleeps. pthread mutexes are unfair: a thread that calls ioctl in a loop would
 * keep the others out. Signals and cancellation wait while it is held, so that a handler may call
 * ioctl too (in the kernel, nothing runs in the middle of one either).
 */
struct ticket_lock {
	uint32_t next, serving;
};

/* What the thread had before it took the lock. */
struct lock_saved {
	sigset_t mask;
	int cancel;
};

void ticket_lock(struct ticket_lock *, struct lock_saved *);
void ticket_unlock(struct ticket_lock *, const struct lock_saved *);

#endif
