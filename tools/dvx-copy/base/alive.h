/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_ALIVE_H
#define DVX_COPY_ALIVE_H

#include <time.h>

#define ALIVE_SECONDS 1

/* Long work tells the other end now and then that it goes on. */
struct alive {
	int (*tell)(void *arg);
	void *arg;
	time_t told;
};

/* -1 if the other end can't be told. */
static inline int alive_tick(struct alive *a)
{
	time_t now = time(NULL);

	if (!a->tell || now - a->told < ALIVE_SECONDS)
		return 0;
	a->told = now;
	return a->tell(a->arg);
}

#endif
