/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_PERF_PEER_H
#define DVX_PERF_PEER_H

/* The peer of a run: in this process, or a server. */
#include "responder.h"
#include "control.h"

struct perf_peer {
	const struct perf_site *site;
	struct control *control; /* NULL: in this process */
	bool failed;		 /* the connection can't be used any more */
};

/* The peer's side of one engine's queues. */
struct peer_responder {
	struct responder *here; /* NULL: in the server */
	struct perf_ends ends;
	uint64_t received; /* set when it is closed */
};

/*
 * Opens the peer's side and connects it to the engine's queues. Returns 0, or an exit code after an
 * error message.
 */
int peer_begin(struct perf_peer *, const struct responder_request *,
	       const struct perf_ends *requester, struct peer_responder *);
/*
 * Closes the side that was opened last, to which `sent` messages were sent, and sets how many were
 * received.
 */
int peer_finish(struct perf_peer *, struct peer_responder *, uint64_t sent);
/* Prints, after a failure, the server's error if it sent one or died. Returns an exit code. */
int peer_print_error(struct perf_peer *, int code);

/* Convert what both ends send of their queues. */
json_t *ends_json(const struct perf_ends *);
int ends_take(const json_t *, struct perf_ends *); /* negative: a member is missing or wrong */

#endif
