/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counters of rules. They are made many at a time, and a rule that stays while others go keeps its
 * own: a bulk lives as long as a generation holds it.
 */
#ifndef DVX_FLOW_COUNTERS_H
#define DVX_FLOW_COUNTERS_H

#include <dvx/flow.h>

struct bulk;

/* Up to `want` counters, fewer if the device has no bulks that large. -errno of libdvx. */
int bulk_make(struct dvx_dev *dev, uint32_t want, struct bulk **out);
void bulk_hold(struct bulk *b);
/* One holder less; the last one destroys it. NULL is fine. */
void bulk_drop(struct bulk *b);
struct dvx_flow_counter *bulk_counter(const struct bulk *b);
uint32_t bulk_size(const struct bulk *b);

#endif
