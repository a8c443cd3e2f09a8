/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include "clock.h"

/* The heap is binary, by time. Each timer has its position, so moving and cancelling are cheap. */
static void timer_place(struct timers *ts, struct timer *t, uint32_t slot)
{
	ts->heap[slot] = t;
	t->slot = slot;
}

static void sift_up(struct timers *ts, struct timer *t, uint32_t slot)
{
	while (slot) {
		uint32_t parent = (slot - 1) / 2;

		if (ts->heap[parent]->at <= t->at)
			break;
		timer_place(ts, ts->heap[parent], slot);
		slot = parent;
	}
	timer_place(ts, t, slot);
}

static void sift_down(struct timers *ts, struct timer *t, uint32_t slot)
{
	uint32_t child;

	while ((child = 2 * slot + 1) < ts->n) {
		if (child + 1 < ts->n && ts->heap[child + 1]->at < ts->heap[child]->at)
			child++;
		if (t->at <= ts->heap[child]->at)
			break;
		timer_place(ts, ts->heap[child], slot);
		slot = child;
	}
	timer_place(ts, t, slot);
}

static int timer_grow(struct timers *ts)
{
	uint32_t cap = ts->cap ? 2 * ts->cap : 16;
	struct timer **heap = reallocarray(ts->heap, cap, sizeof(*heap));

	if (!heap)
		return -ENOMEM;
	ts->heap = heap;
	ts->cap = cap;
	return 0;
}

int timer_set(struct timers *ts, struct timer *t, uint64_t at)
{
	timer_cancel(ts, t);
	if (ts->n == ts->cap && timer_grow(ts))
		return -ENOMEM;
	t->at = at;
	t->queued = 1;
	sift_up(ts, t, ts->n++);
	return 0;
}

void timer_cancel(struct timers *ts, struct timer *t)
{
	struct timer *last;

	if (!t->queued)
		return;
	t->queued = 0;
	last = ts->heap[--ts->n];
	if (last == t)
		return;
	if (t->slot && last->at < ts->heap[(t->slot - 1) / 2]->at)
		sift_up(ts, last, t->slot);
	else
		sift_down(ts, last, t->slot);
}

uint64_t timers_next(const struct timers *ts)
{
	return ts->n ? ts->heap[0]->at : UINT64_MAX;
}

/*
 * Fires at most as many timers as were queued at the start, so that a timer that sets itself for
 * now again does not block the loop.
 */
int timers_run(struct timers *ts, uint64_t now)
{
	uint32_t most = ts->n;
	int fired = 0;

	while (ts->n && most-- && ts->heap[0]->at <= now) {
		struct timer *t = ts->heap[0];

		timer_cancel(ts, t);
		t->fire(t);
		fired++;
	}
	return fired;
}

void timers_free(struct timers *ts)
{
	uint32_t i;

	for (i = 0; i < ts->n; i++)
		ts->heap[i]->queued = 0;
	free(ts->heap);
	*ts = (struct timers){0};
}
