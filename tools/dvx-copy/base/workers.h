/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_WORKERS_H
#define DVX_COPY_WORKERS_H

#include <stdbool.h>

#include "fault.h"

/*
 * Threads that make a role's calls of files. A job belongs to the workers from workers_give() on until
 * workers_take() gives it back: nobody else touches what it works on. One thread gives and takes.
 */
struct workers;

struct worker_job {
	struct worker_job *next;
	void (*run)(struct worker_job *job);
	const void
		*lane; /* its directory: two threads that make entries of one wait for each other */
};

#define WORKERS_MOST 64u

/* How many threads unless the user says it. */
unsigned int workers_usual(void);

/* With one at most there are no threads: workers_give() does the work. */
int workers_make(struct workers **c, unsigned int threads, struct copy_fault *f);
void workers_free(struct workers *c); /* nothing is left to be taken */

void workers_give(struct workers *c, struct worker_job *job);

/* A finished job, in any order. NULL if there is none; with wait_ms: none within that time. */
struct worker_job *workers_take(struct workers *c, int wait_ms);

/* What no thread has begun is not done any more: workers_take() gives it back as it is. */
void workers_cancel(struct workers *c);

/* Jobs that were given and not taken. */
unsigned int workers_busy(const struct workers *c);

/* 0: workers_give() does the work. */
unsigned int workers_threads(const struct workers *c);

/* Readable while there may be finished jobs. */
int workers_fd(const struct workers *c);

#endif
