/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Connections that a rule with `track` tracks (doc/design/0093). A packet of that rule is looked up
 * by its addresses and ports. The device judges a tracked connection's packet (ASO), and a register
 * gets the result. SYNs are copied to the daemon, SYN-ACKs are held back there until the connection
 * has its object and its entries. All this outlives the rules: they may change meanwhile.
 */
#ifndef DVX_FLOW_TRACK_H
#define DVX_FLOW_TRACK_H

#include <dvx/aso.h>

#include "daemon/generation.h"

struct track;

/* --- track.c: the tables --- */

/* Makes base->track, unless it exists. Returns 0 or libdvx's -errno; free it then, too. */
int track_make(struct base_tables *base);
/* Frees base->track with all connections. No entry may lead there any more. */
void track_free(struct base_tables *base);
/* Returns the action of the rule that tracks: it leads to the tables. */
struct dvx_flow_action *track_to(const struct track *t);
/* Makes packets go on by this action from now on. NULL: nowhere. Returns 0 or libdvx's -errno. */
int track_lead(struct track *t, struct dvx_flow_action *to);
void track_limit(struct track *t, const struct rule_track *limits);

/* Visits each entry's ID, the lists of rewrites, and the copies, as those of a generation. */
void track_entries(const struct track *t, uint32_t rule, entry_of_fn visit, void *arg);
void track_rewrites(const struct track *t, rewrites_fn visit, void *arg);
void track_copies(const struct track *t, mirror_fn visit, void *arg);

/* --- track_queue.c: packets on their way through the daemon --- */

/* Returns a descriptor that is readable when packets have come. */
int track_fd(const struct track *t);
/* Handles packets, and connections that have ended. Returns in how many ms to call it again. */
int track_run(struct track *t, uint64_t now);

struct track_count {
	uint64_t open, most;
	uint64_t begun, refused; /* refused: no object or entry was left for it */
	uint64_t stray;		 /* SYN-ACKs that answer no SYN */
};
struct track_count track_counts(const struct track *t);

#endif
