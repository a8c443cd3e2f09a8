/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_BASE_PREFETCH_H
#define SIM_BASE_PREFETCH_H

#include <stddef.h>
#include <stdint.h>

#define CACHE_LINE 64u

/* Prefetches the lines of [p, p + len); p may be any address. */
static inline void prefetch(const void *p, size_t len)
{
	const uintptr_t end = (uintptr_t)p + len;

	for (uintptr_t at = (uintptr_t)p & ~(uintptr_t)(CACHE_LINE - 1); at < end; at += CACHE_LINE)
		__builtin_prefetch((const void *)at);
}

#endif
