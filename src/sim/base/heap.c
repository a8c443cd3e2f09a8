/* SPDX-License-Identifier: BSD-2-Clause */
#include "heap.h"

#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#define HUGE ((uintptr_t)2 << 20)

#ifndef MADV_COLLAPSE /* Linux 6.1 */
#define MADV_COLLAPSE 25
#endif

/* From where the heap ended at the first call, up to here. */
static uintptr_t settled;

/* Only what is in use altogether: no byte is added to the process. Where it fails nothing changes. */
bool heap_settle(void)
{
	const uintptr_t end = (uintptr_t)sbrk(0);

	if (!settled || settled > end) /* it shrank */
		settled = end & ~(HUGE - 1);
	if (end - settled < HUGE)
		return false;
	madvise((void *)settled, HUGE, MADV_COLLAPSE);
	settled += HUGE;
	return true;
}
