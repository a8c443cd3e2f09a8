/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The mappings of a client. Since 6.11 Linux can look one up. Before, it prints all from the first
 * on, a microsecond each, and a client may have thousands: so those read are kept.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "base/maps.h"
#include "host.h"
#include "pinnable.h"

struct mappings {
	struct mm *mm;
	struct mapping *seen; /* those read, by address */
	uint32_t nseen, cap;
	struct maps maps;   /* reader of the rest */
	struct mapping one; /* result of the last query */
};

/* Returns why the mappings of an existing process can't be read. */
static struct unpinnable mappings_unread(int err)
{
	switch (err) {
	case -EACCES:
	case -EPERM:
		return (struct unpinnable){
			-EFAULT, "can't be reached: the device may not read /proc/PID/maps of this "
				 "program (set-user-id, PR_SET_DUMPABLE 0, seccomp)"};
	case -ENOENT:
		return (struct unpinnable){
			-EFAULT, "can't be reached: the device finds no /proc/PID/maps of this "
				 "program (no /proc is mounted in this root, or another one)"};
	default:
		return (struct unpinnable){err, strerror(-err)};
	}
}

struct mappings *mappings_read(struct mm *mm, struct unpinnable *no)
{
	struct mappings *l = malloc(sizeof(*l));
	int err = mm->gone ? -ESRCH : l ? maps_open(&l->maps, mm->pid) : -ENOMEM;

	if (err) {
		*no = mm->gone ? (struct unpinnable){-EFAULT, "is of a program that has ended"}
			       : mappings_unread(err);
		free(l);
		return NULL;
	}
	l->mm = mm;
	l->seen = NULL;
	l->nseen = l->cap = 0;
	return l;
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

/* Returns mapping i, valid until the next call, or NULL behind the last. */
static const struct mapping *mappings_at(struct mappings *l, uint32_t i)
{
	while (l->nseen <= i) {
		if (!mappings_grow(l) || !maps_next(&l->maps, &l->seen[l->nseen]))
			return NULL;
		l->nseen++;
	}
	return &l->seen[i];
}

/* Returns the index of the first mapping read that ends behind va, or nseen. */
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

/* Returns the first mapping that ends behind va, valid until the next call, or NULL. */
static const struct mapping *mappings_behind(struct mappings *l, uint64_t va)
{
	int found = maps_query(&l->maps, va, &l->one);
	const struct mapping *m;
	uint32_t i;

	if (found >= 0)
		return found ? &l->one : NULL;
	for (i = mappings_seen(l, va); (m = mappings_at(l, i)) && m->end <= va; i++)
		;
	return m;
}

static bool mapping_is_own(const struct mapping *m)
{
	return m->plain && !m->shared && m->prot == (PROT_READ | PROT_WRITE);
}

/* Finds the mapping that holds `at`; returns what is wrong with its part before `end`. */
static struct unpinnable mappings_check_one(struct mappings *l, const struct mapping **m,
					    uint64_t at, uint64_t end, unsigned int need)
{
	*m = mappings_behind(l, at);
	if (!*m || (*m)->start > at)
		return (struct unpinnable){-EFAULT, "is not mapped"};
	if (need & MAPPINGS_WRITE && !((*m)->prot & PROT_WRITE))
		return (struct unpinnable){-EFAULT, "is not writable"};
	if (!((*m)->prot & PROT_READ))
		return (struct unpinnable){-EFAULT, "is not readable"};
	return mapping_unpinnable(l->mm, *m, end, need);
}

struct unpinnable mappings_check(struct mappings *l, uint64_t va, uint64_t len, unsigned int need,
				 bool *own)
{
	const uint64_t end = va + len;
	const struct mapping *m;
	struct unpinnable no;
	bool all_own = true;

	if (end < va || end > 1ull << BUS_SLOT_SHIFT)
		return (struct unpinnable){-EFAULT, "leaves the address space"};
	for (uint64_t at = va; at < end; at = m->end) {
		no = mappings_check_one(l, &m, at, end, need);
		if (no.err)
			return no;
		all_own = all_own && mapping_is_own(m);
	}
	if (own)
		*own = all_own;
	return (struct unpinnable){0};
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
