/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_PATIENCE_H
#define TESTS_PATIENCE_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* How long an expected result may take on any machine, by a clock that is never set. */
#define PATIENCE_SECONDS 300

static inline time_t patience_from_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + PATIENCE_SECONDS;
}

static inline bool patience_over(time_t end)
{
	return patience_from_now() - PATIENCE_SECONDS > end;
}

/* Returns nanoseconds since 1970. */
static inline uint64_t time_of_day(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

#endif
