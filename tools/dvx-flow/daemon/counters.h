/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counters of rules. They are allocated in bulks. A bulk lives as long as a generation refers to
 * it, so a rule keeps its counter when others are replaced.
 */
#ifndef DVX_FLOW_COUNTERS_H
#define DVX_FLOW_COUNTERS_H

#include <dvx/flow.h>

struct bulk;

/*
 * Allocates up to `want` counters, fewer if the device has no bulks that large. Returns libdvx's
 * -errno.
 */
int bulk_make(struct dvx_dev *dev, uint32_t want, struct bulk **out);
void bulk_hold(struct bulk *b);
/* Drops a reference; the last one destroys the bulk. b may be NULL. */
void bulk_drop(struct bulk *b);
struct dvx_flow_counter *bulk_counter(const struct bulk *b);
uint32_t bulk_size(const struct bulk *b);

#endif
