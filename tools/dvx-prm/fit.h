/* SPDX-License-Identifier: BSD-2-Clause */
/* Which of many layouts bytes without a mark may have: the one by which they are least surprising.
 */
#ifndef DVX_PRM_FIT_H
#define DVX_PRM_FIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "src/prm/reflect.h"

#define FIT_MOST 8

struct fit {
	const struct prm_struct *s;
	size_t set;    /* bits that are set and belong to a field */
	size_t strays; /* bits that are set and belong to none */
	long surprise; /* in hundredths of nats: less is better */
};

struct fits {
	size_t count; /* the best ones, best first */
	struct fit best[FIT_MOST];
};

struct fit fit_one(const struct prm_struct *s, const uint8_t *p, size_t len);

/* Keeps it if it is one of the best, and not more than `strays` bits have no field. */
void fit_offer(struct fits *f, const struct prm_struct *s, const uint8_t *p, size_t len,
	       size_t strays);

/* By how much the best is better than the next; FIT_ALONE if there is no next. */
#define FIT_ALONE 100000
long fit_lead(const struct fits *f);

#endif
