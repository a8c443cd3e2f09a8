/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_PORT_REPLAY_H
#define SIM_PORT_REPLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "packets.h"

struct port;

/*
 * Packets of files on their way into the port: batch after batch, in order, as fast as the port
 * takes them, without loss. One batch at a time, so that its fates are its own.
 */
struct port_replay;

struct replay_batch {
	struct replay_batch *next;
	const uint8_t *at, *end; /* port_packets */
	struct port_fates fates;
	int result;			     /* 0, or -ENOMEM: fates say how many came in before */
	void (*done)(struct replay_batch *); /* it is out of the queue by then */
};

struct port_replay *replay_new(struct port *);
void replay_free(struct port_replay *);
/* Are these bytes port_packets that the port would take? */
bool replay_check(const uint8_t *bytes, size_t len);
void replay_post(struct port_replay *,
		 struct replay_batch *); /* checked before; the caller's memory */
void replay_cancel(struct port_replay *, struct replay_batch *);
bool replay_run(struct port_replay *); /* in each turn, after the datapath */

#endif
