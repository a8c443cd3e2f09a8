/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_CLOCK_H
#define DVX_CLOCK_H

/*
 * The device's clock: timestamps of completions (dvx_cqe_timestamp()) in nanoseconds since 1970.
 *
 *	dvx_clock_read(dev, &clock);
 *	ns = dvx_clock_ns(&clock, dvx_cqe_timestamp(cqe));
 *
 * The kernel keeps the clock's parameters in a page. A copy can be used until the clock has counted
 * half of its range, but it misses later corrections of the system's time: read it again about
 * every second.
 */
#include <dvx/common.h>

DVX_BEGIN_DECLS

struct dvx_dev;

struct dvx_clock {
	uint64_t ns;	/* time of day at ... */
	uint64_t ticks; /* ... this value of the device's clock */
	uint64_t frac;	/* of a nanosecond, in units of 2^-shift */
	uint64_t mask;	/* bits that the clock has */
	uint32_t mult;	/* units of 2^-shift ns in a tick */
	uint32_t shift;
};

/* Reads the kernel's page. -EOPNOTSUPP: the kernel offers none. */
int dvx_clock_read(struct dvx_dev *dev, struct dvx_clock *out);

/*
 * Converts a timestamp of the free-running clock, before or after `clock` was read, to nanoseconds
 * since 1970. The product needs 128 bits: half of the clock's range times a large mult.
 */
DVX_INLINE uint64_t dvx_clock_ns(const struct dvx_clock *clock, uint64_t timestamp)
{
	__extension__ unsigned __int128 since = (timestamp - clock->ticks) & clock->mask;

	if (since <= clock->mask / 2)
		return clock->ns + (uint64_t)((since * clock->mult + clock->frac) >> clock->shift);
	since = (clock->ticks - timestamp) & clock->mask;
	return clock->ns - (uint64_t)((since * clock->mult - clock->frac) >> clock->shift);
}

/*
 * Converts a timestamp of a queue with *_REAL_TIME (32 bits of seconds, then 32 of nanoseconds) to
 * nanoseconds since 1970.
 */
DVX_INLINE uint64_t dvx_real_time_ns(uint64_t timestamp)
{
	return (timestamp >> 32) * 1000000000u + (uint32_t)timestamp;
}

DVX_END_DECLS

#endif
