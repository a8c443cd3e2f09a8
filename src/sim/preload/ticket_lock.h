/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_PRELOAD_TICKET_LOCK_H
#define SIM_PRELOAD_TICKET_LOCK_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * A fair lock that sleeps. pthread mutexes are unfair: a thread that calls ioctl in a loop would
 * keep others out. Signals and cancellation are blocked while it is held, so that a handler can
 * call ioctl, too, as with a kernel's device.
 */
struct ticket_lock {
	uint32_t next, serving;
};

/* The thread's state before it took the lock. */
struct lock_saved {
	sigset_t mask;
	int cancel;
};

void ticket_lock(struct ticket_lock *, struct lock_saved *);
bool ticket_try(struct ticket_lock *, struct lock_saved *); /* false: it is held */
void ticket_unlock(struct ticket_lock *, const struct lock_saved *);
void ticket_reset(struct ticket_lock *); /* in a fork child, which has no other thread */

#endif
