/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory that the device maps too, as preload/share.c makes it of a program's. */
#ifndef TESTS_PERF_MEM_H
#define TESTS_PERF_MEM_H

#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "tests/queue/queue_rig.h"

/* The pages from..to become a memfd's, at the address where they are. */
static inline void perf_mem_share(struct mm *mm, const void *from, const void *to)
{
	uintptr_t va = (uintptr_t)from & ~4095ul, end = ((uintptr_t)to + 4095) & ~4095ul;
	int fd = memfd_create("perf", MFD_ALLOW_SEALING);
	size_t len = end - va;
	void *map;

	assert_int_equal(ftruncate(fd, (off_t)len), 0);
	assert_int_equal(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK), 0);
	map = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_ptr_not_equal(map, MAP_FAILED);
	memcpy(map, (void *)va, len);
	assert_ptr_not_equal(mremap(map, len, len, MREMAP_MAYMOVE | MREMAP_FIXED, (void *)va),
			     MAP_FAILED);
	assert_int_equal(mm_share(mm, va, len, fd), 0);
	close(fd);
}

#endif
