/* SPDX-License-Identifier: BSD-2-Clause */
#include <time.h>
#include "clock.h"

static uint64_t monotonic_now(struct clock *clock)
{
	struct timespec t;

	(void)clock;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

struct clock clock_monotonic = {.now = monotonic_now};
