/* SPDX-License-Identifier: BSD-2-Clause */
#include "watch.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

_Atomic uint64_t watch_clock;

/* A thread is its stack's end, which differs in each. */
static void *watch_self(void)
{
	return &watch_stack_end;
}

bool watch_lock(struct watch_ring *r)
{
	void *free = NULL;

	if (r->owner == watch_self())
		return false;
	while (!atomic_compare_exchange_weak(&r->owner, &free, watch_self())) {
		if (free)
			sched_yield();
		free = NULL;
	}
	return true;
}

void watch_unlock(struct watch_ring *r, bool locked)
{
	if (locked)
		r->owner = NULL;
}

void watch_ring_init(struct watch_ring *r, uint32_t depth, uint32_t sges)
{
	for (r->size = 16; r->size < depth && r->size < 1u << 20;)
		r->size *= 2;
	r->sges = sges ? sges : 1;
	r->work = calloc(r->size, sizeof(*r->work));
	r->sge = calloc((size_t)r->size * r->sges, sizeof(*r->sge));
	if (!r->work || !r->sge)
		watch_ring_end(r);
}

void watch_ring_end(struct watch_ring *r)
{
	free(r->work);
	free(r->sge);
	r->work = NULL;
	r->sge = NULL;
	r->head = r->tail = r->size = 0;
}

/* Doubles a ring that is full: multi-packet receives, or completions that are not seen. */
static bool watch_ring_grow(struct watch_ring *r)
{
	struct watch_ring more = {0};

	if (r->size >= 1u << 20)
		return false;
	watch_ring_init(&more, r->size * 2, r->sges);
	if (!more.size)
		return false;
	for (uint32_t i = r->tail; i != r->head; i++) {
		*watch_work_at(&more, i) = *watch_work_at(r, i);
		memcpy(watch_sges_at(&more, i), watch_sges_at(r, i), r->sges * sizeof(*r->sge));
	}
	free(r->work);
	free(r->sge);
	r->work = more.work;
	r->sge = more.sge;
	r->size = more.size;
	return true;
}

struct watch_work *watch_ring_push(struct watch_ring *r, uint64_t wr_id, const struct ibv_sge *sge,
				   uint32_t sges)
{
	struct watch_work *w;

	if (!r->size || (r->head - r->tail == r->size && !watch_ring_grow(r)))
		return NULL;
	w = watch_work_at(r, r->head);
	*w = (struct watch_work){
		.wr_id = wr_id, .posted = ++watch_clock, .sges = sges < r->sges ? sges : r->sges};
	for (uint32_t i = 0; i < w->sges; i++) {
		watch_sges_at(r, r->head)[i] = sge[i];
		w->bytes += sge[i].length;
	}
	r->head++;
	return w;
}
