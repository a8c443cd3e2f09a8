/* SPDX-License-Identifier: BSD-2-Clause */
#include "madvise.h"

#include <errno.h>
#include <stdbool.h>
#include "base/maps.h"
#include "pieces.h"
#include "real.h"

#define PAGE 4096u

/* All atomic. */
static struct dropped {
	uint64_t va, len, inode, dev;
} dropped[PIECES];
static unsigned int dropped_end; /* no entry from here on was ever used */

/*
 * For each page, modulo 4 GiB, how many pieces it may be in. Most calls drop no piece, and this
 * table shows it.
 */
#define DROPPED_PAGES (1u << 20)
static uint16_t dropped_pages[DROPPED_PAGES];

static uint64_t dropped_get(const uint64_t *from)
{
	return __atomic_load_n(from, __ATOMIC_ACQUIRE);
}

static void dropped_set(uint64_t *to, uint64_t value)
{
	__atomic_store_n(to, value, __ATOMIC_RELEASE);
}

static void dropped_count_pages(uint64_t va, uint64_t len, int by)
{
	for (uint64_t page = va / PAGE; page < (va + len) / PAGE; page++)
		__atomic_fetch_add(&dropped_pages[page % DROPPED_PAGES], (uint16_t)by,
				   __ATOMIC_ACQ_REL);
}

void madvise_piece(unsigned int i, uint64_t va, uint64_t len, uint64_t inode, dev_t dev)
{
	struct dropped *p = &dropped[i];

	dropped_count_pages(p->va, p->len, -1);
	dropped_set(&p->len, 0);
	dropped_set(&p->inode, inode);
	dropped_set(&p->dev, dev);
	dropped_set(&p->va, va);
	dropped_set(&p->len, len);
	dropped_count_pages(va, len, 1);
	if (len && i >= __atomic_load_n(&dropped_end, __ATOMIC_RELAXED))
		__atomic_store_n(&dropped_end, i + 1, __ATOMIC_RELEASE);
}

static bool dropped_near_range(uint64_t va, uint64_t end)
{
	for (uint64_t page = va / PAGE; page < end / PAGE; page++)
		if (__atomic_load_n(&dropped_pages[page % DROPPED_PAGES], __ATOMIC_ACQUIRE))
			return true;
	return false;
}

/* Checks the range's pages or all pieces, whichever are fewer. True may be wrong. */
static bool dropped_any_in(uint64_t va, uint64_t end)
{
	unsigned int n = __atomic_load_n(&dropped_end, __ATOMIC_ACQUIRE);

	if ((end - va) / PAGE <= n)
		return dropped_near_range(va, end);
	for (unsigned int i = 0; i < n; i++) {
		uint64_t len = dropped_get(&dropped[i].len), at = dropped_get(&dropped[i].va);

		if (len && va < at + len && at < end)
			return true;
	}
	return false;
}

static bool is_piece(const struct mapping *m)
{
	unsigned int n = __atomic_load_n(&dropped_end, __ATOMIC_ACQUIRE);

	for (unsigned int i = 0; m->shared && i < n; i++)
		if (dropped_get(&dropped[i].len) && m->inode == dropped_get(&dropped[i].inode) &&
		    m->dev == dropped_get(&dropped[i].dev) &&
		    m->start - m->offset == dropped_get(&dropped[i].va))
			return true;
	return false;
}

/* Finds the first mapping that ends behind va; va only grows. */
static bool mapping_behind(struct maps *maps, uint64_t va, struct mapping *m)
{
	int found = maps_query(maps, va, m);

	while (found < 0 && maps_next(maps, m))
		if (m->end > va)
			return true;
	return found > 0;
}

/* Returns how many bytes of a range are shared. drop: makes them private zero pages. */
static uint64_t shared_in(uint64_t va, uint64_t end, bool drop)
{
	struct maps maps;
	struct mapping m;
	uint64_t sum = 0;

	if (maps_open(&maps, 0))
		return 0;
	for (uint64_t at = va; mapping_behind(&maps, at, &m) && m.start < end; at = m.end) {
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

int madvise_hook(void *at, size_t len, int advice)
{
	uint64_t va = (uintptr_t)at, end = va + ((len + PAGE - 1) & ~(size_t)(PAGE - 1));
	int rc = real()->madvise(at, len, advice), saved = errno;

	if (advice == MADV_DONTNEED && !rc && dropped_any_in(va, end))
		shared_in(va, end, true);
	/* MADV_FREE works for private memory only. It is lazy, so freeing nothing is allowed. */
	if (advice == MADV_FREE && rc && saved == EINVAL && dropped_any_in(va, end) &&
	    shared_in(va, end, false))
		rc = 0;
	errno = saved;
	return rc;
}
