/* SPDX-License-Identifier: BSD-2-Clause */
#include "pace.h"

#define NS_A_SECOND 1000000000u
/*
 * [I] Time that a sender may catch up. The device's timers are late by about as much, which must
 * not make a queue slower than its rate.
 */
#define PACE_LATE 100000u

static uint64_t pace_time(const struct pace_rate *r, uint64_t bytes)
{
	return (uint64_t)((__uint128_t)bytes * 8 * NS_A_SECOND / r->bps);
}

uint64_t pace_due(const struct pace *p, const struct pace_rate *r)
{
	uint64_t early = r->bps ? pace_time(r, r->burst) : 0;

	return r->bps && p->paid > early ? p->paid - early : 0;
}

void pace_spend(struct pace *p, const struct pace_rate *r, uint64_t bytes, uint64_t now)
{
	if (!r->bps)
		return;
	if (p->paid + PACE_LATE < now)
		p->paid = now - PACE_LATE;
	p->paid += pace_time(r, bytes);
}
