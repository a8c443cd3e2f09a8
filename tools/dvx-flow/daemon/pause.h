/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a daemon does for others during a long change: it answers clients that only ask, and ends
 * when it is to end. Everything but pure computation stays in the daemon's one thread.
 */
#ifndef DVX_FLOW_PAUSE_H
#define DVX_FLOW_PAUSE_H

struct pause {
	/* Returns once fd is readable; at once if fd is -1. NULL: nobody waits. */
	void (*wait)(void *arg, int fd);
	void *arg;
};

/* Lets others have their turn. */
void pause_now(const struct pause *p);
/*
 * Runs a function, which reads and writes nothing that the daemon's thread does, in a thread of its
 * own while others have their turn. Returns when it has ended.
 */
void pause_for(const struct pause *p, void (*run)(void *arg), void *arg);

#endif
