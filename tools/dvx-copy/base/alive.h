/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_ALIVE_H
#define DVX_COPY_ALIVE_H

#include <signal.h>
#include <stdbool.h>
#include <time.h>

#define ALIVE_SECONDS 1

/*
 * Keeps the connection alive during long work: sends MSG_ALIVE once a second, and ends the work
 * when the user interrupts it.
 */
struct alive {
	int (*send)(void *arg); /* returns -1 also if *stop is set */
	void *arg;
	const volatile sig_atomic_t *stop; /* or NULL */
	time_t last;
};

/* Returns -1 if the message can't be sent, or if the user has interrupted the copy. */
static inline int alive_tick(struct alive *a)
{
	bool stop = a->stop && *a->stop;
	time_t now = time(NULL);

	if (!a->send || (!stop && now - a->last < ALIVE_SECONDS))
		return 0;
	a->last = now;
	return a->send(a->arg);
}

#endif
