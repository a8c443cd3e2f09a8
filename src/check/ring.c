/* SPDX-License-Identifier: BSD-2-Clause */
#include "watch.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

_Atomic uint64_t watch_clock;

void watch_lock_wait(struct watch_ring *r)
{
	void *free = NULL;

	while (!atomic_compare_exchange_weak(&r->owner, &free, watch_self())) {
		sched_yield();
		free = NULL;
	}
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
	for (uint32_t i = 0; i < r->size; i++)
		r->work[i].sge = &r->sge[(size_t)i * r->sges];
}

void watch_ring_end(struct watch_ring *r)
{
	free(r->work);
	free(r->sge);
	r->work = NULL;
	r->sge = NULL;
	r->head = r->tail = r->size = 0;
}

/* Doubles a ring that is full and has been made: multi-packet receives, or completions that are not seen. */
bool watch_ring_grow(struct watch_ring *r)
{
	struct watch_ring more = {0};

	if (!r->size || r->size >= 1u << 20)
		return false;
	watch_ring_init(&more, r->size * 2, r->sges);
	if (!more.size)
		return false;
	for (uint32_t i = r->tail; i != r->head; i++) {
		struct watch_work *to = watch_work_at(&more, i);
		struct ibv_sge *sge = to->sge;

		*to = *watch_work_at(r, i);
		memcpy(sge, to->sge, r->sges * sizeof(*sge));
		to->sge = sge;
	}
	free(r->work);
	free(r->sge);
	r->work = more.work;
	r->sge = more.sge;
	r->size = more.size;
	return true;
}
