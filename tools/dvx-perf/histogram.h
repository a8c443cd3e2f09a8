/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_PERF_HISTOGRAM_H
#define DVX_PERF_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>

/*
 * Counts values in buckets that grow with the value, so that each value is known within 0.8 %:
 * exactly below 256, then 128 buckets for each power of two. Any run fits into the same 36 KiB,
 * and histograms of two threads add up.
 */
#define HIST_SUB_BITS 7
#define HIST_SUB      (1u << HIST_SUB_BITS)
#define HIST_TOP_BIT  42 /* larger values (an hour of a 1 GHz counter) go into the last bucket */
#define HIST_BUCKETS  ((HIST_TOP_BIT - HIST_SUB_BITS + 1) * HIST_SUB)

struct histogram {
	uint64_t n, min, max; /* min and max are exact */
	uint64_t bucket[HIST_BUCKETS];
};

/* Returns the logarithm of the bucket's width: 0 for exact buckets. */
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
/* Return the first and the last value of a bucket. */
uint64_t hist_low(uint32_t bucket);
uint64_t hist_high(uint32_t bucket);
/*
 * Returns the smallest bucket end that at least this share of the values does not exceed; at most
 * max.
 */
uint64_t hist_percentile(const struct histogram *, double share);

#endif
