/* SPDX-License-Identifier: BSD-2-Clause */
#include <time.h>
#include "clock.h"

static uint64_t nanoseconds(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static uint64_t monotonic_now(struct clock *clock)
{
	(void)clock;
	return nanoseconds(CLOCK_MONOTONIC);
}

static uint64_t utc_now(struct clock *clock)
{
	(void)clock;
	return nanoseconds(CLOCK_REALTIME);
}

struct clock clock_monotonic = {.now = monotonic_now, .utc = utc_now};
