/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The mappings of a client. Linux tells one since 6.11. Before, it prints all from the first on, a
 * microsecond each, and a client with many shared pages has thousands: what was read is kept.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include "base/maps.h"
#include "host.h"

struct mappings {
	struct mm *mm;
	struct mapping *seen; /* by address */
	uint32_t nseen, cap;
	struct maps maps; /* the rest */
	struct mapping one; /* told last */
};

struct mappings *mappings_read(struct mm *mm)
{
	struct mappings *l = mm->gone ? NULL : malloc(sizeof(*l));

	if (!l)
		return NULL;
	l->mm = mm;
	l->seen = NULL;
	l->nseen = l->cap = 0;
	if (!maps_open(&l->maps, mm->pid))
		return l;
	free(l);
	return NULL;
}

void mappings_free(struct mappings *l)
{
	if (!l)
		return;
	maps_close(&l->maps);
	free(l->seen);
	free(l);
}

static bool mappings_grow(struct mappings *l)
{
	uint32_t cap = l->cap ? 2 * l->cap : 64;
	struct mapping *seen;

	if (l->nseen < l->cap)
		return true;
	seen = reallocarray(l->seen, cap, sizeof(*seen));
	if (!seen)
		return false;
	l->seen = seen;
	l->cap = cap;
	return true;
}

/* Valid until the next call. NULL behind the last. */
static const struct mapping *mappings_at(struct mappings *l, uint32_t i)
{
	while (l->nseen <= i) {
		if (!mappings_grow(l) || !maps_next(&l->maps, &l->seen[l->nseen]))
			return NULL;
		l->nseen++;
	}
	return &l->seen[i];
}

/* The index of the first one seen that ends behind va; nseen: none does. */
static uint32_t mappings_seen(const struct mappings *l, uint64_t va)
{
	uint32_t low = 0, high = l->nseen;

	while (low < high) {
		uint32_t mid = (low + high) / 2;

		if (l->seen[mid].end <= va)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* The first mapping that ends behind va, until the next call; NULL: there is none. */
static const struct mapping *mappings_behind(struct mappings *l, uint64_t va)
{
	int told = maps_query(&l->maps, va, &l->one);
	const struct mapping *m;
	uint32_t i;

	if (told >= 0)
		return told ? &l->one : NULL;
	for (i = mappings_seen(l, va); (m = mappings_at(l, i)) && m->end <= va; i++)
		;
	return m;
}

static bool mapping_is_own(const struct mapping *m)
{
	return m->plain && !m->shared && m->prot == (PROT_READ | PROT_WRITE);
}

int mappings_check(struct mappings *l, uint64_t va, uint64_t len, bool write, bool *own)
{
	int need = PROT_READ | (write ? PROT_WRITE : 0);
	uint64_t at = va, end = va + len;
	const struct mapping *m;
	bool all_own = true;

	if (end < va || end > 1ull << BUS_SLOT_SHIFT)
		return -EFAULT;
	for (; at < end; at = m->end) {
		m = mappings_behind(l, at);
		if (!m || m->start > at || (m->prot & need) != need)
			return -EFAULT;
		all_own = all_own && mapping_is_own(m);
	}
	if (own)
		*own = all_own;
	return 0;
}

void mm_unshare_replaced(struct mappings *l, uint64_t va, uint64_t len)
{
	uint64_t end = va + len, first, bytes;
	const struct mapping *m;

	if (!mm_share_over(l->mm, va, len, false, &first, &bytes))
		return;
	for (uint64_t at = va; (m = mappings_behind(l, at)) && m->start < end; at = m->end)
		shares_replaced(l->mm, m, va > m->start ? va : m->start,
				end < m->end ? end : m->end);
}
