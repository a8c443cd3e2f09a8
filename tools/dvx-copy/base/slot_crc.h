/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_SLOT_CRC_H
#define DVX_COPY_SLOT_CRC_H

#include <stddef.h>
#include <stdint.h>

#include "clock.h"
#include "options.h"
#include "tools/cli/crc32c.h"

/* Computes the CRC32C of a slot's bytes, and counts the time that it takes. */
static inline uint32_t slot_crc(const void *p, size_t n, struct copy_counts *counts)
{
	const uint64_t began = clock_now_ns();
	uint32_t crc = crc32c(p, n);

	counts->crc_ns += clock_now_ns() - began;
	return crc;
}

#endif
