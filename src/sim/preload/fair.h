/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_FRONT_FAIR_H
#define SIM_FRONT_FAIR_H

#include <signal.h>
#include <stdint.h>

/*
 * A ticket lock that sleeps. pthread mutexes are unfair: a thread that calls ioctl in a loop would
 * keep the others out. Signals and cancellation wait while it is held, so that a handler may call
 * ioctl too (in the kernel, nothing runs in the middle of one either).
 */
struct fair {
	uint32_t next, serving;
};

/* What the thread had before it took the lock. */
struct held {
	sigset_t mask;
	int cancel;
};

void fair_lock(struct fair *, struct held *);
void fair_unlock(struct fair *, const struct held *);

#endif
