/* SPDX-License-Identifier: BSD-2-Clause */
/* Chooses among layouts for bytes without a tag: the one that makes them least surprising. */
#ifndef DVX_PRM_FIT_H
#define DVX_PRM_FIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "src/prm/reflect.h"

#define FIT_MOST 8

struct fit {
	const struct prm_struct *s;
	size_t set;    /* set bits that belong to a field */
	size_t strays; /* set bits that belong to no field */
	long surprise; /* in hundredths of nats; less is better */
};

struct fits {
	size_t count; /* number of entries, best first */
	struct fit best[FIT_MOST];
};

/*
 * Keeps the layout if it is one of the best and at most `strays` set bits belong to no field of it.
 */
void fit_offer(struct fits *f, const struct prm_struct *s, const uint8_t *p, size_t len,
	       size_t strays);

/* Returns the distance of the best layout to the next; FIT_ALONE if there is no next. */
#define FIT_ALONE 100000
long fit_lead(const struct fits *f);

#endif
