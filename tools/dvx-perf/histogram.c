/* SPDX-License-Identifier: BSD-2-Clause */
#include "histogram.h"

void hist_merge(struct histogram *to, const struct histogram *from)
{
	if (!from->n)
		return;
	if (!to->n || from->min < to->min)
		to->min = from->min;
	if (from->max > to->max)
		to->max = from->max;
	to->n += from->n;
	for (size_t i = 0; i < HIST_BUCKETS; i++)
		to->bucket[i] += from->bucket[i];
}

uint64_t hist_low(uint32_t bucket)
{
	uint32_t row = bucket >> HIST_SUB_BITS, shift = row ? row - 1 : 0;

	return (uint64_t)(bucket - (shift << HIST_SUB_BITS)) << shift;
}

uint64_t hist_high(uint32_t bucket)
{
	return hist_low(bucket + 1) - 1;
}

uint64_t hist_percentile(const struct histogram *h, double share)
{
	uint64_t rank = (uint64_t)(share * (double)h->n), seen = 0;

	if ((double)rank < share * (double)h->n || !rank)
		rank++;
	for (uint32_t i = 0; i < HIST_BUCKETS; i++) {
		seen += h->bucket[i];
		if (seen >= rank && h->n)
			return hist_high(i) < h->max ? hist_high(i) : h->max;
	}
	return h->max;
}
