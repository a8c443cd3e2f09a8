/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_OBJ_COUNTER_H
#define SIM_OBJ_COUNTER_H

#include <stdbool.h>
#include <stdint.h>

struct vhca;

/*
 * Flow counters of a VHCA, found by number in O(1), because a walk counts at each hit. Number 0
 * means none. Counters are not struct obj: a bulk has consecutive numbers, and there are many.
 */
struct counter {
	uint64_t packets, octets;
	/* entries that refer to this counter; counters of a bulk have separate ones */
	uint32_t refs;
	/* first counter of a bulk: its size; 0: another counter of a bulk, or free */
	uint32_t n;
	uint32_t pd; /* of the queues that may read it; 0: any */
	uint16_t uid;
	bool live;
};

#define COUNTER_BULK_MIN	128u /* flow_counter_bulk: 128 << n */
#define COUNTER_LOG_GRANULARITY 2u   /* [I] rdma-core's test_counters_bulk_flow asks for 2^2 */

void counter_hit(struct vhca *, uint32_t id, uint32_t bytes);

/* Returns the live counter with this number, of any owner; NULL if there is none. */
struct counter *counter_find(const struct vhca *, uint32_t id);
/*
 * Allocates n counters with consecutive numbers; more than one begin a block of COUNTER_BULK_MIN.
 * Returns the first number; 0 if there is no room.
 */
uint32_t counter_new(struct vhca *, uint16_t uid, uint32_t pd, uint32_t n);
/* Frees the whole bulk that begins here. It must have no references. */
void counter_free(struct vhca *, uint32_t id);
/* Returns the first counter or bulk at or after `from` that this uid made; 0 if there is none. */
uint32_t counter_next(const struct vhca *, uint16_t uid, uint32_t from);
/*
 * Returns the number of entries that refer to a counter or to any counter of the bulk that begins
 * there.
 */
uint32_t counter_users(const struct vhca *, uint32_t id);
void counters_fini(struct vhca *);

#endif
