/* SPDX-License-Identifier: BSD-2-Clause */
#include "watch.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

_Atomic uint64_t watch_clock;

void watch_own_wait(void *_Atomic *owner)
{
	void *free = NULL;

	while (!atomic_compare_exchange_weak(owner, &free, watch_self())) {
		sched_yield();
		free = NULL;
	}
}

static atomic_bool watch_arrays_locked;

void watch_arrays_lock(void)
{
	while (atomic_exchange(&watch_arrays_locked, true))
		sched_yield();
}

void watch_arrays_unlock(void)
{
	atomic_store(&watch_arrays_locked, false);
}

/* Gives a ring other arrays. Returns the old ones, to be freed without locks: free() is a hook, too. */
static struct watch_ring watch_ring_replace(struct watch_ring *r, const struct watch_ring *by)
{
	const struct watch_ring old = *r;

	watch_arrays_lock();
	r->size = by->size;
	r->work = by->work;
	r->sge = by->sge;
	watch_arrays_unlock();
	return old;
}

static void watch_ring_free(const struct watch_ring *r)
{
	free(r->work);
	free(r->sge);
}

/* Makes arrays for a power of two. Without memory there are none. */
static struct watch_ring watch_ring_make(uint32_t size, uint32_t sges)
{
	struct watch_ring r = {.size = size,
			       .work = calloc(size, sizeof(*r.work)),
			       .sge = calloc((size_t)size * sges, sizeof(*r.sge))};

	if (!r.work || !r.sge) {
		watch_ring_free(&r);
		return (struct watch_ring){0};
	}
	for (uint32_t i = 0; i < size; i++)
		r.work[i].sge = &r.sge[(size_t)i * sges];
	return r;
}

void watch_ring_init(struct watch_ring *r, uint32_t depth, uint32_t sges)
{
	struct watch_ring made;
	uint32_t size = 16;

	while (size < depth && size < 1u << 20)
		size *= 2;
	r->sges = sges ? sges : 1;
	made = watch_ring_make(size, r->sges);
	(void)watch_ring_replace(r, &made);
}

void watch_ring_end(struct watch_ring *r)
{
	const bool locked = watch_lock(r);
	const struct watch_ring old = watch_ring_replace(r, &(struct watch_ring){0});

	r->head = r->tail = 0;
	watch_unlock(r, locked);
	watch_ring_free(&old);
}

/* Doubles a ring that is full and has been made: multi-packet receives, or completions that are not seen. */
bool watch_ring_grow(struct watch_ring *r)
{
	struct watch_ring more, old;

	if (!r->size || r->size >= 1u << 20)
		return false;
	more = watch_ring_make(r->size * 2, r->sges);
	if (!more.size)
		return false;
	for (uint32_t i = r->tail; i != r->head; i++) {
		struct watch_work *to = watch_work_at(&more, i);
		struct ibv_sge *sge = to->sge;

		*to = *watch_work_at(r, i);
		memcpy(sge, to->sge, r->sges * sizeof(*sge));
		to->sge = sge;
	}
	old = watch_ring_replace(r, &more);
	watch_ring_free(&old);
	return true;
}
