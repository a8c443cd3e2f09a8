/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_SLOT_CRC_H
#define DVX_COPY_SLOT_CRC_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "options.h"
#include "tools/cli/crc32c.h"

static inline uint64_t slot_crc_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Of a slot's bytes; what it costs is counted. */
static inline uint32_t slot_crc(const void *p, size_t n, struct copy_counts *counts)
{
	const uint64_t began = slot_crc_now();
	uint32_t crc = crc32c(p, n);

	counts->crc_ns += slot_crc_now() - began;
	return crc;
}

#endif
