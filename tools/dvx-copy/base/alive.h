/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_ALIVE_H
#define DVX_COPY_ALIVE_H

#include <stdint.h>
#include <time.h>
#include <signal.h>
#include <stdbool.h>

/* Return the monotonic clock's nanoseconds, and milliseconds. */
static inline uint64_t clock_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static inline int64_t clock_now_ms(void)
{
	return (int64_t)(clock_now_ns() / 1000000);
}

#define ALIVE_SECONDS 1

/* Sends MSG_ALIVE once a second during long work, and ends it when the user interrupts. */
struct alive {
	int (*send)(void *arg); /* returns -1 also if *stop is set */
	void *arg;
	const volatile sig_atomic_t *stop; /* or NULL */
	int64_t last;			   /* by the monotonic clock, in milliseconds */
};

/* Returns -1 if the message can't be sent, or if the user has interrupted the copy. */
static inline int alive_tick(struct alive *a)
{
	bool stop = a->stop && *a->stop;
	int64_t now = clock_now_ms();

	if (!a->send || (!stop && now - a->last < 1000 * ALIVE_SECONDS))
		return 0;
	a->last = now;
	return a->send(a->arg);
}

#endif
