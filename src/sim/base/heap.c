/* SPDX-License-Identifier: BSD-2-Clause */
#include "heap.h"

#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#define HUGE ((uintptr_t)2 << 20)

#ifndef MADV_COLLAPSE /* Linux 6.1 */
#define MADV_COLLAPSE 25
#endif

/* End of the part that was settled, which begins at the heap's end of the first call. */
static uintptr_t settled;

bool heap_has_more(void)
{
	const uintptr_t end = (uintptr_t)sbrk(0);

	if (!settled || settled > end) /* the heap shrank */
		settled = end & ~(HUGE - 1);
	return end - settled >= HUGE;
}

/* Collapses only memory that is used completely, so the process does not grow; may fail. */
void heap_settle(void)
{
	madvise((void *)settled, HUGE, MADV_COLLAPSE);
	settled += HUGE;
}
