/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_PERF_LOOP_H
#define DVX_PERF_LOOP_H

/*
 * The measured loops. Each engine instantiates them in its own file with its own post and poll,
 * once for each operation that engines are compared by (LOOP_SWITCH), so that everything is
 * inlined.
 */
#include "engine.h"
#include "stop.h"
#include "ticks.h"

/* Called before the first post of a batch. */
typedef void begin_fn(void *queue);
/*
 * Posts a message. A signaled one completes with `cookie`. false: it failed, after an error
 * message.
 */
typedef bool post_fn(void *queue, enum perf_op op, bool signaled, uint64_t cookie);
/* Rings the doorbell. false: it failed, after an error message. */
typedef bool ring_fn(void *queue);
/* Polls: 1 for a completion and its cookie, 0 for none yet, negative after an error message. */
typedef int poll_fn(void *set, uint64_t *cookie);

/* A build with sanitizers is not measured: it compiles each post once, not once a loop. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define PERF_INLINE static inline
#define LOOP_CASE(loop, t, op, ...)
#else
#define PERF_INLINE static inline __attribute__((always_inline))
#define LOOP_CASE(loop, t, op, ...) \
	case op:                    \
		return loop(t, op, __VA_ARGS__)
#endif

/* Returns the cookie of a completion: the queue, and the number of messages that it completes. */
PERF_INLINE uint64_t cookie_of(uint32_t lane, uint32_t messages)
{
	return (uint64_t)lane << 32 | messages;
}

/* Reposts receives if the peer's side is in this process: the same thread plays the peer. */
PERF_INLINE int loop_receive(const struct perf_thread *t)
{
	return t->responder ? responder_take(t->responder) : 0;
}

/* Publishes the number of messages done. A plain store: another thread reads it now and then. */
PERF_INLINE void loop_seen(struct perf_thread *t, uint32_t done)
{
	atomic_store_explicit(&t->seen, done, memory_order_relaxed);
}

/* Waits until all messages of reliable queues have arrived. Not part of the measured time. */
static inline int loop_settle(const struct perf_thread *t)
{
	uint32_t idle = 0;
	int rc = 0;

	while (t->responder && t->p->transport->reliable && t->responder->received < t->sent &&
	       rc >= 0)
		rc = site_must_give_up(t->p->site, &idle) ? -1 : responder_take(t->responder);
	return rc < 0 ? rc : 0;
}

/* Measures latency: one message at a time, on the thread's queues in turn. */
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
			if (site_must_give_up(t->p->site, &idle))
				return -1;
		if (rc < 0)
			return rc;
		hist_add(&t->latency, ticks() - t0);
		hist_add(&t->post, t1 - t0);
		t->sent++;
		loop_seen(t, i + 1);
		lane = lane + 1 < t->lanes ? lane + 1 : 0;
		/*
		 * Repost the receive now, before the next message: in loop_latency() no other
		 * thread does it.
		 */
		if (loop_receive(t) < 0 || loop_settle(t) < 0)
			return -1;
	}
	return 0;
}

/* Posts batches to a queue while its window has room. The last message is signaled. */
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
 * Ends the measurement early, after Ctrl-C: each queue posts at most one more message, a signaled
 * one if unsignaled ones are outstanding. Returns how many messages there will be in all.
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

/*
 * Returns a lane that has room: first each lane once, then the one whose messages completed.
 * Negative on failure.
 */
PERF_INLINE int64_t loop_next(struct perf_thread *t, uint32_t *fresh, uint32_t *done,
			      uint32_t *idle, poll_fn *poll)
{
	uint64_t cookie = 0;
	int rc;

	if (*fresh)
		return t->lanes - (*fresh)--;
	do {
		rc = poll(t->set, &cookie);
		if (rc < 0 || loop_receive(t) < 0 || (!rc && site_must_give_up(t->p->site, idle)))
			return -1;
	} while (!rc);
	*done += (uint32_t)cookie;
	loop_seen(t, *done);
	t->lane[cookie >> 32].out -= (uint32_t)cookie;
	return (int64_t)(cookie >> 32);
}

/*
 * Measures the rate: as many messages as the windows allow, on all queues of the thread. The loop
 * is compiled for each operation, so it contains each kind of post only once.
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

/* Runs a loop for the operations without a case (LOOP_CASE), with the operation as a variable. */
#define LOOP_REST(loop, t, ...) \
	default:                \
		return loop(t, (t)->p->op, __VA_ARGS__)

/* The loop of an engine, with a case for each operation that engines are compared by. */
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

/* LOOP_SWITCH() for transports whose messages carry an address, and whose posts differ. */
#define LOOP_ADDRESSED(loop, t, ...)                         \
	switch ((t)->p->op) {                                \
		LOOP_CASE(loop, t, PERF_SEND, __VA_ARGS__);  \
		LOOP_CASE(loop, t, PERF_WRITE, __VA_ARGS__); \
		LOOP_CASE(loop, t, PERF_READ, __VA_ARGS__);  \
		LOOP_REST(loop, t, __VA_ARGS__);             \
	}

#endif
