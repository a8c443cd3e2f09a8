/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_ALIVE_H
#define DVX_COPY_ALIVE_H

#include <signal.h>
#include <stdbool.h>
#include <time.h>

#define ALIVE_SECONDS 1

/* Long work tells the other end now and then that it goes on, and ends when the user wants it. */
struct alive {
	int (*tell)(void *arg); /* -1 if *stop is set, too */
	void *arg;
	const volatile sig_atomic_t *stop; /* or NULL */
	time_t told;
};

/* -1 if the other end can't be told, or the user has interrupted the copy. */
static inline int alive_tick(struct alive *a)
{
	bool stop = a->stop && *a->stop;
	time_t now = time(NULL);

	if (!a->tell || (!stop && now - a->told < ALIVE_SECONDS))
		return 0;
	a->told = now;
	return a->tell(a->arg);
}

#endif
