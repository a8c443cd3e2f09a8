/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_BASE_CLOCK_H
#define SIM_BASE_CLOCK_H

#include <stdint.h>

/*
 * The chip's time and its timers. The clock is a parameter, so that tests control time. Nanoseconds
 * since an arbitrary start; never goes back.
 */
struct clock {
	uint64_t (*now)(struct clock *);
	uint64_t (*utc)(struct clock *); /* nanoseconds since 1970; may jump */
};

extern struct clock clock_monotonic;

/* A timer belongs to the struct that embeds it. It is idle if queued is 0. */
struct timer {
	uint64_t at;
	uint32_t slot; /* index in the heap */
	uint32_t queued;
	void (*fire)(struct timer *);
};

struct timers {
	struct timer **heap;
	uint32_t n, cap;
};

int timer_set(struct timers *, struct timer *, uint64_t at); /* 0 or -ENOMEM; moves a queued one */
void timer_cancel(struct timers *, struct timer *);
uint64_t timers_next(const struct timers *); /* UINT64_MAX if none */
int timers_run(struct timers *, uint64_t now); /* fires due timers; returns how many */
void timers_free(struct timers *);

#endif
