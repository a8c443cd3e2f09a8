/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_PERF_HISTOGRAM_H
#define DVX_PERF_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>

/*
 * Counts of values in buckets that grow with the value, so that each is known within 0.8 %: exact
 * below 256, then 128 buckets for each power of two. Any run fits in the same few KiB, and two
 * threads' histograms add up.
 */
#define HIST_SUB_BITS 7
#define HIST_SUB      (1u << HIST_SUB_BITS)
#define HIST_TOP_BIT  42 /* longer values (an hour of a 1 GHz counter) are in the last bucket */
#define HIST_BUCKETS  ((HIST_TOP_BIT - HIST_SUB_BITS + 1) * HIST_SUB)

struct histogram {
	uint64_t n, min, max; /* min and max are exact */
	uint32_t bucket[HIST_BUCKETS];
};

/* The power of two between bucket and value: 0 where they are the same. */
static inline uint32_t hist_shift(uint64_t v)
{
	uint32_t top = 63u - (uint32_t)__builtin_clzll(v | HIST_SUB);

	return top - HIST_SUB_BITS;
}

static inline uint32_t hist_index(uint64_t v)
{
	uint32_t shift = hist_shift(v);
	uint32_t i = (shift << HIST_SUB_BITS) + (uint32_t)(v >> shift);

	return i < HIST_BUCKETS ? i : HIST_BUCKETS - 1;
}

static inline void hist_add(struct histogram *h, uint64_t v)
{
	h->bucket[hist_index(v)]++;
	if (v < h->min || !h->n)
		h->min = v;
	if (v > h->max)
		h->max = v;
	h->n++;
}

void hist_merge(struct histogram *to, const struct histogram *from);
/* The first and the last value that a bucket counts. */
uint64_t hist_low(uint32_t bucket);
uint64_t hist_high(uint32_t bucket);
/* No fewer than this share of the values are at most the result, which is max at most. */
uint64_t hist_percentile(const struct histogram *, double share);

#endif
