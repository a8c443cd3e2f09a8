/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_PORT_REPLAY_H
#define SIM_PORT_REPLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "packets.h"

struct port;

/*
 * Replays packets of files into the port: batch after batch, in order, as fast as the port takes
 * them, without loss. Batches run one at a time, so that each has its own results.
 */
struct port_replay;

struct replay_batch {
	struct replay_batch *next;
	const uint8_t *at, *end; /* port_packets */
	struct port_results results;
	/* 0, or -ENOMEM: `results` has the packets injected before */
	int result;
	void (*done)(struct replay_batch *); /* called after the batch has left the queue */
};

struct port_replay *replay_new(struct port *);
void replay_free(struct port_replay *);
/* Returns true if the bytes are port_packets of valid lengths. */
bool replay_check(const uint8_t *bytes, size_t len);
void replay_post(struct port_replay *,
		 struct replay_batch *); /* checked before; stays the caller's */
void replay_cancel(struct port_replay *, struct replay_batch *);
bool replay_run(struct port_replay *); /* called in each turn, after the datapath */
/* Ends all batches with -ENETDOWN: the device has failed. */
void replay_fail(struct port_replay *);

#endif
