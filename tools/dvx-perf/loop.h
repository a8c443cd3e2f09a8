/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_PERF_LOOP_H
#define DVX_PERF_LOOP_H

/*
 * The loops that are measured. Each engine instantiates them in its own file with its own post and
 * poll, once for each operation that engines are compared by (LOOP_SWITCH), so that everything is
 * inlined in them.
 */
#include "engine.h"
#include "stop.h"
#include "ticks.h"

/* Before the first post of a batch. */
typedef void begin_fn(void *queue);
/* Posts a message: false after a sentence if it can't. A signaled one completes with `cookie`. */
typedef bool post_fn(void *queue, enum perf_op op, bool signaled, uint64_t cookie);
/* The doorbell: false after a sentence. */
typedef bool ring_fn(void *queue);
/* 1: a completion and its cookie; 0: none yet; negative: it failed, after a sentence. */
typedef int poll_fn(void *set, uint64_t *cookie);

#define PERF_INLINE static inline __attribute__((always_inline))

/* A cookie: the queue, and how many messages the completion is for. */
PERF_INLINE uint64_t cookie_of(uint32_t lane, uint32_t messages)
{
	return (uint64_t)lane << 32 | messages;
}

/* Where the far end is in this process, the same thread plays its part. */
PERF_INLINE int loop_receive(const struct perf_thread *t)
{
	return t->far ? far_take(t->far) : 0;
}

/* A plain store: another thread reads it now and then. */
PERF_INLINE void loop_seen(struct perf_thread *t, uint32_t done)
{
	atomic_store_explicit(&t->seen, done, memory_order_relaxed);
}

/* Outside the measured time: on reliable queues all messages arrive. */
static inline int loop_settle(const struct perf_thread *t)
{
	uint32_t idle = 0;
	int rc = 0;

	while (t->far && t->p->transport->reliable && t->far->received < t->sent && rc >= 0)
		rc = site_hopeless(t->p->site, &idle) ? -1 : far_take(t->far);
	return rc < 0 ? rc : 0;
}

/* One message at a time, on the thread's queues in turn. */
PERF_INLINE int loop_latency(struct perf_thread *t, enum perf_op op, begin_fn *begin, post_fn *post,
			     ring_fn *ring, poll_fn *poll)
{
	uint32_t count = t->p->count, lane = 0, idle = 0;
	uint64_t cookie = 0;

	for (uint32_t i = 0; i < count && !stop_asked(); i++) {
		void *queue = t->lane[lane].queue;
		uint64_t t0 = ticks(), t1;
		int rc;

		begin(queue);
		if (!post(queue, op, true, 0) || !ring(queue))
			return -1;
		t1 = ticks();
		while ((rc = poll(t->set, &cookie)) == 0)
			if (site_hopeless(t->p->site, &idle))
				return -1;
		if (rc < 0)
			return rc;
		hist_add(&t->latency, ticks() - t0);
		hist_add(&t->post, t1 - t0);
		t->sent++;
		loop_seen(t, i + 1);
		lane = lane + 1 < t->lanes ? lane + 1 : 0;
		/* The next message finds its receive: nobody posts one while it waits. */
		if (loop_receive(t) < 0 || loop_settle(t) < 0)
			return -1;
	}
	return 0;
}

/* Posts batches to a queue while its window has room. The last message of all is signaled. */
PERF_INLINE bool loop_fill(struct perf_thread *t, uint32_t i, enum perf_op op, begin_fn *begin,
			   post_fn *post, ring_fn *ring)
{
	struct perf_lane *l = &t->lane[i];
	const struct perf_params *p = t->p;

	while (l->left) {
		uint32_t n = l->left < p->batch ? l->left : p->batch;

		if (l->out + n > p->window)
			break;
		l->out += n;
		l->left -= n;
		begin(l->queue);
		for (uint32_t last = l->left; n--;) {
			bool signaled = ++l->unsignaled == p->signal || !(n | last);

			if (!post(l->queue, op, signaled, cookie_of(i, l->unsignaled)))
				return false;
			l->unsignaled = signaled ? 0 : l->unsignaled;
		}
		if (!ring(l->queue))
			return false;
	}
	return true;
}

/*
 * Interrupted: each queue posts no more than a signaled message behind unsignaled ones. Returns how
 * many messages it will have been.
 */
static inline uint32_t loop_cut(struct perf_thread *t, uint32_t done)
{
	for (uint32_t i = 0; i < t->lanes; i++) {
		struct perf_lane *l = &t->lane[i];

		l->left = l->left && l->unsignaled ? 1 : 0;
		done += l->out + l->left;
	}
	return done;
}

/* A lane that has room: at first each of them, then the one whose messages are done. Negative: none. */
PERF_INLINE int64_t loop_next(struct perf_thread *t, uint32_t *fresh, uint32_t *done,
			      uint32_t *idle, poll_fn *poll)
{
	uint64_t cookie = 0;
	int rc;

	if (*fresh)
		return t->lanes - (*fresh)--;
	do {
		rc = poll(t->set, &cookie);
		if (rc < 0 || loop_receive(t) < 0 || (!rc && site_hopeless(t->p->site, idle)))
			return -1;
	} while (!rc);
	*done += (uint32_t)cookie;
	loop_seen(t, *done);
	t->lane[cookie >> 32].out -= (uint32_t)cookie;
	return (int64_t)(cookie >> 32);
}

/*
 * As many as the windows allow, on all queues of the thread. Posts stand in it once: the loop is
 * compiled for each operation.
 */
PERF_INLINE int loop_rate(struct perf_thread *t, enum perf_op op, begin_fn *begin, post_fn *post,
			  ring_fn *ring, poll_fn *poll)
{
	uint32_t count = t->p->count, done = 0, idle = 0, fresh = t->lanes;
	bool stopped = false;

	t->began = ticks();
	while (done < count) {
		int64_t lane = loop_next(t, &fresh, &done, &idle, poll);

		if (lane < 0)
			return -1;
		if (stop_asked() && !stopped) {
			stopped = true;
			count = loop_cut(t, done);
			fresh = t->lanes;
		}
		if (!loop_fill(t, (uint32_t)lane, op, begin, post, ring))
			return -1;
	}
	t->ended = ticks();
	t->sent += count;
	t->rated = count;
	return loop_settle(t);
}

/* A loop with the operation as a constant ... */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define LOOP_CASE(loop, t, op, ...) /* no figures to spoil, and a third of the time to compile */
#else
#define LOOP_CASE(loop, t, op, ...) \
	case op:                    \
		return loop(t, op, __VA_ARGS__)
#endif

/* ... or as a variable: of those that no case is for. It takes less time to compile. */
#define LOOP_REST(loop, t, ...) \
	default:                \
		return loop(t, (t)->p->op, __VA_ARGS__)

/* A loop of an engine: a case for each operation that engines are compared by. */
#define LOOP_SWITCH(loop, t, ...)                                \
	switch ((t)->p->op) {                                    \
		LOOP_CASE(loop, t, PERF_SEND, __VA_ARGS__);      \
		LOOP_CASE(loop, t, PERF_SEND_IMM, __VA_ARGS__);  \
		LOOP_CASE(loop, t, PERF_WRITE, __VA_ARGS__);     \
		LOOP_CASE(loop, t, PERF_WRITE_IMM, __VA_ARGS__); \
		LOOP_CASE(loop, t, PERF_READ, __VA_ARGS__);      \
		LOOP_CASE(loop, t, PERF_FAA, __VA_ARGS__);       \
		LOOP_CASE(loop, t, PERF_CAS, __VA_ARGS__);       \
		LOOP_REST(loop, t, __VA_ARGS__);                 \
	}

/* The same of transports whose messages say where they go, and whose posts are others. */
#define LOOP_ADDRESSED(loop, t, ...)                         \
	switch ((t)->p->op) {                                \
		LOOP_CASE(loop, t, PERF_SEND, __VA_ARGS__);  \
		LOOP_CASE(loop, t, PERF_WRITE, __VA_ARGS__); \
		LOOP_CASE(loop, t, PERF_READ, __VA_ARGS__);  \
		LOOP_REST(loop, t, __VA_ARGS__);             \
	}

#endif
