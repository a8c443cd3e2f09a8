/* SPDX-License-Identifier: BSD-2-Clause */
#include "drop.h"

#include <errno.h>
#include <stdbool.h>
#include "base/maps.h"
#include "real.h"

#define PAGE 4096u

/* All atomic. */
static struct place {
	uint64_t va, len, inode, dev;
} places[DROP_PLACES];
static unsigned int places_end; /* from here on none was ever used */

static uint64_t drop_get(const uint64_t *from)
{
	return __atomic_load_n(from, __ATOMIC_ACQUIRE);
}

static void drop_set(uint64_t *to, uint64_t value)
{
	__atomic_store_n(to, value, __ATOMIC_RELEASE);
}

void drop_place(unsigned int i, uint64_t va, uint64_t len, uint64_t inode, dev_t dev)
{
	struct place *p = &places[i];

	drop_set(&p->len, 0);
	drop_set(&p->inode, inode);
	drop_set(&p->dev, dev);
	drop_set(&p->va, va);
	drop_set(&p->len, len);
	if (len && i >= __atomic_load_n(&places_end, __ATOMIC_RELAXED))
		__atomic_store_n(&places_end, i + 1, __ATOMIC_RELEASE);
}

static bool any_in(uint64_t va, uint64_t end)
{
	unsigned int n = __atomic_load_n(&places_end, __ATOMIC_ACQUIRE);

	for (unsigned int i = 0; i < n; i++) {
		uint64_t len = drop_get(&places[i].len), at = drop_get(&places[i].va);

		if (len && va < at + len && at < end)
			return true;
	}
	return false;
}

static bool is_piece(const struct mapping *m)
{
	unsigned int n = __atomic_load_n(&places_end, __ATOMIC_ACQUIRE);

	for (unsigned int i = 0; m->shared && i < n; i++)
		if (drop_get(&places[i].len) && m->inode == drop_get(&places[i].inode) &&
		    m->dev == drop_get(&places[i].dev) &&
		    m->start - m->offset == drop_get(&places[i].va))
			return true;
	return false;
}

/* How many bytes of a range are shared; drop: until now. */
static uint64_t shared_in(uint64_t va, uint64_t end, bool drop)
{
	struct maps maps;
	struct mapping m;
	uint64_t sum = 0;

	if (maps_open(&maps, 0))
		return 0;
	while (maps_next(&maps, &m) && m.start < end) {
		uint64_t from = va > m.start ? va : m.start, to = end < m.end ? end : m.end;

		if (from >= to || !is_piece(&m))
			continue;
		sum += to - from;
		if (drop)
			real()->mmap((void *)(uintptr_t)from, to - from, m.prot,
				     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	}
	maps_close(&maps);
	return sum;
}

int drop_madvise(void *at, size_t len, int advice)
{
	uint64_t va = (uintptr_t)at, end = va + ((len + PAGE - 1) & ~(size_t)(PAGE - 1));
	int rc = real()->madvise(at, len, advice), saved = errno;

	if (advice == MADV_DONTNEED && !rc && any_in(va, end))
		shared_in(va, end, true);
	/* The kernel frees when it likes, private memory only: here it does not like to. */
	if (advice == MADV_FREE && rc && saved == EINVAL && any_in(va, end) &&
	    shared_in(va, end, false))
		rc = 0;
	errno = saved;
	return rc;
}
