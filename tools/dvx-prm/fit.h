/* SPDX-License-Identifier: BSD-2-Clause */
/* Chooses among layouts for bytes without a tag: the one in which they are least surprising.
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

/* Keeps the layout if it is one of the best and at most `strays` bits have no field in it. */
void fit_offer(struct fits *f, const struct prm_struct *s, const uint8_t *p, size_t len,
	       size_t strays);

/* The distance of the best to the next; FIT_ALONE if there is no next. */
#define FIT_ALONE 100000
long fit_lead(const struct fits *f);

#endif
