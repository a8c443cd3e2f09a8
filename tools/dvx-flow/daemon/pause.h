/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pauses in a long change, in which the daemon answers clients that change nothing, and ends when
 * asked to. All work but pure computation is done by the daemon's one thread.
 */
#ifndef DVX_FLOW_PAUSE_H
#define DVX_FLOW_PAUSE_H

struct pause {
	/* Serves others until fd is readable; does not wait if fd is -1. NULL: there are none. */
	void (*wait)(void *arg, int fd);
	void *arg;
};

/* Serves the requests that wait already. */
void pause_now(const struct pause *p);
/*
 * Runs a function in a thread of its own, serves others meanwhile, and returns when it has ended.
 * The function must not share data with the daemon's thread.
 */
void pause_for(const struct pause *p, void (*run)(void *arg), void *arg);

#endif
