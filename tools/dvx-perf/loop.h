/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_PERF_LOOP_H
#define DVX_PERF_LOOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "ticks.h"

#define INLINE_MAX 8 /* bytes that go into the WQE itself, in every engine */

/* The parameters of a run. */
struct perf_params {
	const char *device; /* NULL: the first one; its name once libdvx has opened it */
	uint32_t size;      /* bytes a message */
	uint32_t count;     /* messages a measurement */
	uint32_t window;    /* outstanding ones while the rate is measured */
	uint32_t rounds;    /* in which the engines take turns, so that noise affects all alike */
};

/* What one engine measured: ticks a message, and how long a burst of `count` took. */
struct samples {
	uint64_t *latency; /* post to completion seen */
	uint64_t *post;    /* inside the post call alone */
	uint32_t n;
	uint64_t burst_ticks, burst_count;
};

/*
 * One way to drive a queue. open() makes a queue that is connected to itself; the two loops below
 * are instantiated in the engine's own file, so that its post and poll are inlined in them.
 */
struct perf_engine {
	const char *name;
	int (*open)(const struct perf_params *,
		    void **ring); /* 0, or an exit code after a sentence */
	int (*latency)(void *ring, const struct perf_params *, struct samples *);
	int (*burst)(void *ring, const struct perf_params *, struct samples *);
	void (*close)(void *ring);
};

/* The name of the device that engine_dvx opened. */
const char *ring_device(const void *ring);

extern const struct perf_engine engine_dvx, engine_wr, engine_post_send;

/* Posts one signaled message: true if there was room. */
typedef bool post_fn(void *ring);
/* 1: a completion; 0: none yet; negative: it failed. */
typedef int poll_fn(void *ring);

static inline __attribute__((always_inline)) int loop_latency(void *ring,
							      const struct perf_params *p,
							      struct samples *s, post_fn *post,
							      poll_fn *poll)
{
	for (uint32_t i = 0; i < p->count; i++) {
		uint64_t t0 = ticks(), t1;
		int rc;

		if (!post(ring))
			return -1;
		t1 = ticks();
		while ((rc = poll(ring)) == 0)
			;
		if (rc < 0)
			return rc;
		s->latency[s->n] = ticks() - t0;
		s->post[s->n++] = t1 - t0;
	}
	return 0;
}

static inline __attribute__((always_inline)) int
loop_burst(void *ring, const struct perf_params *p, struct samples *s, post_fn *post, poll_fn *poll)
{
	uint32_t posted = 0, done = 0;
	uint64_t t0 = ticks();

	while (done < p->count) {
		int rc;

		while (posted < p->count && posted - done < p->window && post(ring))
			posted++;
		rc = poll(ring);
		if (rc < 0)
			return rc;
		done += (uint32_t)rc;
	}
	s->burst_ticks += ticks() - t0;
	s->burst_count += p->count;
	return 0;
}

#endif
