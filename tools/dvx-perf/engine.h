/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_PERF_ENGINE_H
#define DVX_PERF_ENGINE_H

#include <stdatomic.h>
#include "responder.h"
#include "histogram.h"
#include "params.h"

/* A queue as a loop sees it. */
struct perf_lane {
	void *queue;	     /* belongs to the engine */
	uint32_t left;	     /* messages to post */
	uint32_t out;	     /* posted, completion not seen yet */
	uint32_t unsignaled; /* posted since the last signaled one */
};

/*
 * Keys at the peer that a queue's messages need: its windows, which messages invalidate one after
 * the other, or the number of its XRC SRQ.
 */
struct perf_keys {
	const uint32_t *key;
	uint32_t n, at;
};

static inline struct perf_keys keys_of(const struct perf_ends *responder, uint32_t lane)
{
	return (struct perf_keys){
		.key = responder->keys ? &responder->keys[lane * responder->lane_keys] : NULL,
		.n = responder->lane_keys};
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
	void *set;			 /* belongs to the engine: the source of completions */
	struct responder_set *responder; /* receives to repost; NULL: the peer is another process */
	uint64_t sent;
	uint32_t rated;		   /* messages of the last loop_rate() */
	atomic_uint_fast32_t seen; /* messages done so far, for progress */
	struct histogram latency, post; /* ticks: post to completion seen, inside the post alone */
	uint64_t began, ended;		/* of the last loop_rate(): ticks */
};

/*
 * One way to drive queues. An engine has a queue for each lane of the parameters, and one set of
 * queues for each thread.
 */
struct perf_engine {
	const char *word; /* on the command line */
	const char *name;
	uint32_t ops[PERF_TRANSPORTS]; /* PERF_OP_BIT() of the supported operations, by transport */
	/* The largest supported values; 0: no limit. */
	uint32_t inline_max, sges, signal;
	/*
	 * These return 0, or an exit code after an error message. open() fills *ends except the
	 * memory's part.
	 */
	int (*open)(const struct perf_params *, void **requester, struct perf_ends *ends);
	int (*connect)(void *requester, const struct perf_ends *responder);
	/* Takes over a new size from the parameters, which must not exceed open()'s. */
	void (*resize)(void *requester);
	void *(*queue)(void *requester, uint32_t lane);
	void *(*set)(void *requester, uint32_t thread);
	/* Return 0, or a negative number after an error message. */
	int (*latency)(struct perf_thread *);
	int (*rate)(struct perf_thread *);
	void (*close)(void *requester);
};

extern const struct perf_engine engine_dvx, engine_template, engine_wr, engine_post_send;

#endif
