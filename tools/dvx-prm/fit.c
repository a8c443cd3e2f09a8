/* SPDX-License-Identifier: BSD-2-Clause */
#include "fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "walk.h"

/* In nats: firmware newer than the table sets about two of a thousand reserved bits. */
#define STRAY_COST 6.2

/*
 * Returns how surprising it is that exactly these k of n bits are set if nothing is known about
 * their number: the logarithm of (n + 1) * (n over k). So a sparse page does not count against a
 * dense layout.
 */
static double field_cost(size_t n, size_t k)
{
	return lgamma((double)n + 2) - lgamma((double)k + 1) - lgamma((double)(n - k) + 1);
}

static size_t fit_ones(uint8_t byte)
{
	return (size_t)__builtin_popcount(byte);
}

static struct fit fit_one(const struct prm_struct *s, const uint8_t *p, size_t len)
{
	uint8_t *covered = walk_cover(s, p, len);
	struct fit fit = {.s = s};
	size_t fields = 0;

	if (!covered)
		return fit;
	for (size_t i = 0; i < len; i++) {
		fields += fit_ones(covered[i]);
		fit.set += fit_ones(covered[i] & p[i]);
		fit.strays += fit_ones((uint8_t)(p[i] & ~covered[i]));
	}
	free(covered);
	fit.surprise =
		lround(100 * (field_cost(fields, fit.set) + STRAY_COST * (double)fit.strays));
	return fit;
}

void fit_offer(struct fits *f, const struct prm_struct *s, const uint8_t *p, size_t len,
	       size_t strays)
{
	struct fit fit = fit_one(s, p, len);
	size_t at = f->count;

	if (fit.strays > strays)
		return;
	for (size_t i = 0; i < f->count; i++)
		if (f->best[i].s == s)
			return;
	while (at && f->best[at - 1].surprise > fit.surprise)
		at--;
	if (at == FIT_MOST)
		return;
	if (f->count < FIT_MOST)
		f->count++;
	memmove(&f->best[at + 1], &f->best[at], (f->count - 1 - at) * sizeof(fit));
	f->best[at] = fit;
}

long fit_lead(const struct fits *f)
{
	return f->count > 1 ? f->best[1].surprise - f->best[0].surprise : FIT_ALONE;
}
