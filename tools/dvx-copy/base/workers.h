/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_WORKERS_H
#define DVX_COPY_WORKERS_H

#include <stdbool.h>

#include "fault.h"

/*
 * Threads that make a role's file-system calls. A job belongs to the workers from workers_give()
 * until workers_take() returns it: no other thread touches its data meanwhile. One thread gives and
 * takes.
 */
struct workers;

struct worker_job {
	struct worker_job *next;
	void (*run)(struct worker_job *job);
	const void *lane; /* its directory: threads that make entries in one wait for each other */
};

#define WORKERS_MOST 64u

/* Returns the default number of threads. */
unsigned int workers_usual(void);

/* Makes the workers. With one thread or none, workers_give() does the work itself. */
int workers_make(struct workers **c, unsigned int threads, struct copy_fault *f);
void workers_free(struct workers *c); /* all jobs have been taken */

void workers_give(struct workers *c, struct worker_job *job);

/* Returns a finished job, in any order, or NULL if there is none within wait_ms. */
struct worker_job *workers_take(struct workers *c, int wait_ms);

/* Cancels jobs that no thread has begun; workers_take() returns them unchanged. */
void workers_cancel(struct workers *c);

/* Returns the number of jobs given and not yet taken. */
unsigned int workers_busy(const struct workers *c);

/* Returns the number of threads. 0: workers_give() does the work itself. */
unsigned int workers_threads(const struct workers *c);

/* Returns a descriptor that is readable while there may be finished jobs. */
int workers_fd(const struct workers *c);

#endif
