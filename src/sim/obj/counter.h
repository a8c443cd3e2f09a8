/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_OBJ_COUNTER_H
#define SIM_OBJ_COUNTER_H

#include <stdbool.h>
#include <stdint.h>

struct vhca;

/*
 * Flow counters of a VHCA, found by number in O(1): a walk counts at each hit. Number 0 means none.
 * Counters are not struct obj: a bulk has consecutive numbers, and there are many.
 */
struct counter {
	uint64_t packets, octets;
	uint32_t refs; /* entries that count here; of a bulk, each counter has its own */
	uint32_t n;    /* of a bulk's first counter: its size; 0: another one of a bulk, or free */
	uint16_t uid;
	bool live;
};

#define COUNTER_BULK_MIN 128u /* ALLOC_FLOW_COUNTER.flow_counter_bulk: 128 << n */

void counter_hit(struct vhca *, uint32_t id, uint32_t bytes);

/* A live counter of any owner, or NULL. */
struct counter *counter_find(const struct vhca *, uint32_t id);
/* n counters in a row (1, or a multiple of COUNTER_BULK_MIN): the first one's number, 0 if none. */
uint32_t counter_new(struct vhca *, uint16_t uid, uint32_t n);
/* Frees the whole bulk that begins here. It must have no references. */
void counter_free(struct vhca *, uint32_t id);
/* First counter or bulk at or after `from` that this uid made; 0: none. */
uint32_t counter_next(const struct vhca *, uint16_t uid, uint32_t from);
/* How many entries refer to a counter, or to any of the bulk that begins there. */
uint32_t counter_users(const struct vhca *, uint32_t id);
void counters_fini(struct vhca *);

#endif
