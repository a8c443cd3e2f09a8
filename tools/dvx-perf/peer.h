/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_PERF_PEER_H
#define DVX_PERF_PEER_H

/* The other end of a run: in this process, or a server's. */
#include "far.h"
#include "talk.h"

struct perf_peer {
	const struct perf_site *site;
	struct talk *talk; /* NULL: in this process */
	bool failed;	   /* there is nothing more to say to it */
};

/* The far end of one engine's queues. */
struct peer_far {
	struct far *here; /* NULL: at the server */
	struct perf_ends ends;
	uint64_t received; /* once it is closed */
};

/* All return 0, or an exit code after a sentence. */
/* Makes a far end and connects it to the near one's queues. */
int peer_begin(struct perf_peer *, const struct far_wish *, const struct perf_ends *near,
	       struct peer_far *);
/* The far end that was opened last, to which so many messages were sent: it counts those that came.
 */
int peer_finish(struct perf_peer *, struct peer_far *, uint64_t sent);
/* After a failure: the sentence of the server's own, if it has died or said one. */
int peer_complain(struct perf_peer *, int code);

/* Both ends' messages. */
json_t *ends_json(const struct perf_ends *);
int ends_take(const json_t *, struct perf_ends *); /* negative: a member is missing or wrong */

#endif
