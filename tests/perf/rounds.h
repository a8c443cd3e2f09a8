/* SPDX-License-Identifier: BSD-2-Clause */
/* Parts of all programs that measure: an end with a reason, a clock, and rounds. */
#ifndef TESTS_PERF_ROUNDS_H
#define TESTS_PERF_ROUNDS_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <dvx/dvx.h>

/* Ends with this sentence if err is one. */
static inline void must(int err, const char *what)
{
	if (!err)
		return;
	fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, what, dvx_strerror(err));
	exit(1);
}

static inline double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static inline int by_size(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Orders whole nanoseconds. */
static inline int by_count(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Returns the time of a quiet round: on a loaded machine the others are the scheduler's. */
static inline double rounds_least(double *x, size_t n)
{
	qsort(x, n, sizeof(*x), by_size);
	return x[n / 10];
}

static inline double rounds_most(double *x, size_t n)
{
	qsort(x, n, sizeof(*x), by_size);
	return x[n - 1 - n / 10];
}

#endif
