/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_CLOCK_H
#define DVX_COPY_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Returns nanoseconds of the monotonic clock. */
static inline uint64_t clock_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

#endif
