/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_PERF_SESSION_H
#define DVX_PERF_SESSION_H

/* The queues of one engine and the peer's side of them, ready for the loops. */
#include "engine.h"
#include "peer.h"

struct perf_session {
	const struct perf_engine *engine;
	const struct perf_params *p;
	void *requester;
	struct peer_responder responder;
	struct perf_thread *thread; /* one for each of its threads */
	struct perf_lane *lane;
	uint64_t rate_ticks, rate_messages; /* since session_reset() */
};

/* These return 0, or an exit code after an error message. */
int session_open(struct perf_session *, const struct perf_engine *, const struct perf_params *,
		 struct perf_peer *);
/* Measures latency. The round appears in the progress line. */
int session_latency(struct perf_session *, const int *cpu, uint32_t round);
int session_rate(struct perf_session *, const int *cpu, uint32_t round);
/* Closes both ends. After a complete run it also checks whether messages were lost. */
int session_finish(struct perf_session *, struct perf_peer *, bool complete);

/* Clears the results, for another size. */
void session_reset(struct perf_session *);

#endif
