/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_PERF_ENGINE_H
#define DVX_PERF_ENGINE_H

#include <stdatomic.h>
#include "far.h"
#include "histogram.h"
#include "params.h"

/* A queue in a loop. */
struct perf_lane {
	void *queue;	     /* the engine's */
	uint32_t left;	     /* messages to post */
	uint32_t out;	     /* posted and not known to be done */
	uint32_t unsignaled; /* posted since the last signaled one */
};

/* What the peer has for a queue: windows, of which each message invalidates the next, or its XRC SRQ. */
struct perf_keys {
	const uint32_t *key;
	uint32_t n, at;
};

static inline struct perf_keys keys_of(const struct perf_ends *far, uint32_t lane)
{
	return (struct perf_keys){.key = far->keys ? &far->keys[lane * far->lane_keys] : NULL,
				  .n = far->lane_keys};
}

static inline uint32_t keys_next(struct perf_keys *k)
{
	uint32_t key = k->key[k->at];

	k->at = k->at + 1 < k->n ? k->at + 1 : 0;
	return key;
}

struct perf_session;

/* A thread's part of a measurement. */
struct perf_thread {
	const struct perf_params *p;
	const struct perf_session *session;
	struct perf_lane *lane;
	uint32_t lanes;
	void *set;	     /* the engine's: where completions come from */
	struct far_set *far; /* receives to post again; NULL: none here */
	uint64_t sent;
	uint32_t rated;		   /* messages of the last loop_rate() */
	atomic_uint_fast32_t seen; /* those done of the measurement that goes on: for progress */
	struct histogram latency, post; /* ticks: post to completion seen, inside the post alone */
	uint64_t began, ended;		/* of the last loop_rate(): ticks */
};

/*
 * One way to drive a queue. A near end has a queue for each lane of the parameters, and one set of
 * them for each thread.
 */
struct perf_engine {
	const char *word; /* on the command line */
	const char *name;
	uint32_t ops[PERF_TRANSPORTS]; /* PERF_OP_BIT(), of those that the transport has */
	/* The most of these options that it can do; 0: any. */
	uint32_t inline_max, sges, signal;
	/* These return 0, or an exit code after a sentence. open() fills *ends but for the memory.
	 */
	int (*open)(const struct perf_params *, void **near, struct perf_ends *ends);
	int (*connect)(void *near, const struct perf_ends *far);
	/* Takes over the parameters' size, which must not exceed what open() saw. */
	void (*resize)(void *near);
	void *(*queue)(void *near, uint32_t lane);
	void *(*set)(void *near, uint32_t thread);
	/* 0, or negative after a sentence. */
	int (*latency)(struct perf_thread *);
	int (*rate)(struct perf_thread *);
	void (*close)(void *near);
};

extern const struct perf_engine engine_dvx, engine_template, engine_wr, engine_post_send;

#endif
