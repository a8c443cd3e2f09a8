/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_PERF_SESSION_H
#define DVX_PERF_SESSION_H

/* The queues of one engine, both ends, ready for the loops. */
#include "engine.h"
#include "peer.h"

struct perf_session {
	const struct perf_engine *engine;
	const struct perf_params *p;
	void *near;
	struct peer_far far;
	struct perf_thread *thread; /* of each of its threads */
	struct perf_lane *lane;
	uint64_t rate_ticks, rate_messages; /* since session_reset() */
};

/* All return 0, or an exit code after a sentence. */
int session_open(struct perf_session *, const struct perf_engine *, const struct perf_params *,
		 struct perf_peer *);
/* The round is told on a terminal. */
int session_latency(struct perf_session *, const int *cpu, uint32_t round);
int session_rate(struct perf_session *, const int *cpu, uint32_t round);
/* After a run without errors it also says if messages were lost. */
int session_finish(struct perf_session *, struct perf_peer *, bool complete);

/* For another size: no results yet. */
void session_reset(struct perf_session *);

#endif
