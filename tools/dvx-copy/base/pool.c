/* SPDX-License-Identifier: BSD-2-Clause */
#include "pool.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define HUGE_BYTES ((size_t)2 << 20)

/* Slots of 1 MiB hold the 4-KiB files that may be under way. More would only cost time. */
#define SLOTS 8u

/* CAP_IPC_LOCK lifts the limit. */
static bool pool_is_limited(struct rlimit *lim)
{
	struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct caps[_LINUX_CAPABILITY_U32S_3];

	if (getrlimit(RLIMIT_MEMLOCK, lim) || lim->rlim_cur == RLIM_INFINITY)
		return false;
	return syscall(SYS_capget, &head, caps) ||
	       !(caps[CAP_TO_INDEX(CAP_IPC_LOCK)].effective & CAP_TO_MASK(CAP_IPC_LOCK));
}

uint32_t pool_slots(uint32_t slot_bytes)
{
	struct rlimit lim;
	rlim_t fit;

	if (!pool_is_limited(&lim))
		return SLOTS;
	fit = lim.rlim_cur / 2 / slot_bytes;
	return fit < 1 ? 1 : fit < SLOTS ? (uint32_t)fit : SLOTS;
}

/*
 * Uses huge pages if some are reserved: the device needs few translations for them. Otherwise the
 * kernel may still use transparent ones.
 */
int pool_make(struct pool *p, uint32_t slots, uint32_t slot_bytes, struct copy_fault *f)
{
	size_t bytes = ((size_t)slots * slot_bytes + HUGE_BYTES - 1) & ~(HUGE_BYTES - 1);
	int flags = MAP_PRIVATE | MAP_ANONYMOUS;

	*p = (struct pool){.bytes = bytes, .slots = slots, .slot_bytes = slot_bytes};
	p->mem = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags | MAP_HUGETLB | MAP_POPULATE, -1,
		      0);
	if (p->mem != MAP_FAILED)
		return 0;
	p->mem = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
	if (p->mem == MAP_FAILED) {
		p->mem = NULL;
		return copy_fail(f, COPY_IO, "no memory for a pool of %zu MiB: %s", bytes >> 20,
				 strerror(errno));
	}
	madvise(p->mem, bytes, MADV_HUGEPAGE);
	return 0;
}

void pool_free(struct pool *p)
{
	if (p->mem)
		munmap(p->mem, p->bytes);
	p->mem = NULL;
}
