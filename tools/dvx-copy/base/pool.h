/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_POOL_H
#define DVX_COPY_POOL_H

#include <stddef.h>
#include <stdint.h>

#include "fault.h"
#include "alive.h"
#include "options.h"
#include "tools/cli/crc32c.h"

/* Slots of equal size in one mapping, which is registered once. */
struct pool {
	uint8_t *mem;
	size_t bytes;
	uint32_t slots, slot_bytes;
};

/* Returns the default number of slots: what the process may pin, with room for rings. */
uint32_t pool_slots(uint32_t slot_bytes);
int pool_make(struct pool *p, uint32_t slots, uint32_t slot_bytes, struct copy_fault *f);
void pool_free(struct pool *p);

static inline uint8_t *pool_slot(const struct pool *p, uint32_t i)
{
	return p->mem + (size_t)i * p->slot_bytes;
}

/* Computes the CRC32C of a slot's bytes, and counts the time that it takes. */
static inline uint32_t slot_crc(const void *p, size_t n, struct copy_counts *counts)
{
	const uint64_t began = clock_now_ns();
	uint32_t crc = crc32c(p, n);

	counts->crc_ns += clock_now_ns() - began;
	return crc;
}

#endif
