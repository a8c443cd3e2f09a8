/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The loop of each thread, compiled for each way to share, so that it has only the locks that it
 * needs.
 */
#include "hub.h"
#include "loop.h"
#include "tools/cli/message.h"

PERF_INLINE void hub_take(struct hub_lock *l, struct hub_waits *w)
{
	uint64_t t0, waited;

	w->takes++;
	if (pthread_mutex_trylock(&l->mutex) == 0)
		return;
	t0 = ticks();
	pthread_mutex_lock(&l->mutex);
	w->waits++;
	waited = ticks() - t0;
	w->ticks += waited;
	w->longest = waited > w->longest ? waited : w->longest;
}

/*
 * Called for an empty poll. true: stop waiting, because another thread has failed or the device is
 * gone.
 */
PERF_INLINE bool hub_must_give_up(struct hub_thread *t)
{
	return ++t->idle % SITE_IDLE == 0 &&
	       (atomic_load(&t->hub->failed) || site_gone(t->hub->request.site));
}

/* Polls a queue. The cookie of a completion is the thread that posted the message. */
PERF_INLINE int hub_poll(struct hub_thread *t, struct hub_queue *q)
{
	struct dvx_wc wc;
	int n = dvx_sq_poll(q->sq, &wc);

	if (n < 0)
		return site_failed("message", &wc);
	if (n) {
		q->out--;
		atomic_fetch_add_explicit(&t->hub->thread[wc.wr_id].done, 1, memory_order_release);
	}
	return n;
}

PERF_INLINE void hub_ring(struct hub_thread *t, struct hub_queue *q, enum hub_mode mode)
{
	uint64_t t0;

	if (mode == HUB_OWN)
		hub_take(&t->hub->register_lock, &t->register_lock);
	t0 = ticks();
	dvx_sq_ring_bf(q->sq);
	t->ringing += ticks() - t0;
	if (mode != HUB_OWN)
		return;
	dvx_sq_leave(q->sq);
	pthread_mutex_unlock(&t->hub->register_lock.mutex);
}

PERF_INLINE int hub_post(struct hub_thread *t, struct hub_queue *q, uint32_t connection,
			 enum hub_mode mode)
{
	const struct hub *h = t->hub;
	uint64_t at = (uint64_t)connection * h->request.size;
	struct dvx_sge sge = {h->from + at, h->request.size, h->key};
	int rc = 0;

	while (q->out == h->request.window && rc >= 0)
		rc = hub_must_give_up(t) ? -1 : hub_poll(t, q);
	if (rc < 0)
		return rc;
	rc = dvx_post_write(q->sq, h->to + at, h->key, &sge, 1, (uint64_t)(t - h->thread),
			    DVX_SIGNALED);
	if (rc) {
		message_print("libdvx refuses a message: %s", dvx_strerror(rc));
		return rc;
	}
	q->out++;
	t->posted++;
	hub_ring(t, q, mode);
	return 0;
}

PERF_INLINE int hub_use_queue(struct hub_thread *t, uint32_t queue, uint32_t connection, bool posts,
			      enum hub_mode mode)
{
	struct hub_queue *q = &t->queue[queue];
	int rc;

	if (mode == HUB_SHARED)
		hub_take(&q->lock, &t->queue_lock);
	rc = posts ? hub_post(t, q, connection, mode) : hub_poll(t, q);
	if (mode != HUB_SHARED)
		return rc;
	dvx_sq_leave(q->sq);
	pthread_mutex_unlock(&q->lock.mutex);
	return rc;
}

/* Posts a message on each connection, then waits for all completions. */
PERF_INLINE int hub_cycle(struct hub_thread *t, enum hub_mode mode)
{
	uint32_t queues = t->hub->request.queues;
	int rc = 0;

	for (uint32_t i = 0; i < t->connections && rc >= 0 && !stop_asked(); i++)
		rc = hub_use_queue(t, i % queues, t->first + i, true, mode);
	for (uint32_t i = 0;
	     rc >= 0 && atomic_load_explicit(&t->done, memory_order_acquire) < t->posted; i++)
		rc = hub_must_give_up(t) ? -1 : hub_use_queue(t, i % queues, 0, false, mode);
	return rc < 0 ? rc : 0;
}

PERF_INLINE int hub_run(struct hub_thread *t, enum hub_mode mode)
{
	int rc = 0;

	t->began = ticks();
	for (uint32_t i = 0; i < t->hub->request.cycles && !rc && !stop_asked(); i++)
		rc = hub_cycle(t, mode);
	t->ended = ticks();
	if (rc)
		atomic_store(&t->hub->failed, true);
	return rc;
}

int hub_cycles(void *thread)
{
	struct hub_thread *t = thread;

	switch (t->hub->request.mode) {
	case HUB_SHARED:
		return hub_run(t, HUB_SHARED);
	case HUB_OWN:
		return hub_run(t, HUB_OWN);
	default:
		return hub_run(t, HUB_REGISTERS);
	}
}
