/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_STEER_STEER_H
#define SIM_STEER_STEER_H

#include <stdbool.h>
#include <stdint.h>
#include "packet.h"

struct device;
struct tir;
struct vhca;

/*
 * Tables between queues and the wire. A packet that a function sends enters its NIC TX root table,
 * one that arrives enters its NIC RX root table. Upward calls are callbacks of datapath.c.
 */
enum steer_end {
	STEER_TIR,  /* delivered to a receive queue's owner */
	STEER_WIRE, /* TX: allowed out */
	STEER_DROP, /* a rule or a table's default says so */
	STEER_MISS, /* RX: no rule took it; on hardware the function's kernel gets it */
	STEER_LOST, /* hop limit, loop, garbage in ICM: dropped, with one sentence in the log */
	STEER_ENDS,
};

#define STEER_HEADROOM	128u	/* of each packet: more than any action pushes */
#define STEER_FROM_WIRE 0xffffu /* source_vhca of a packet that came in by the port */

struct steer_ops {
	/* The packet goes to this TIR; the callee copies what it keeps. */
	void (*to_tir)(struct tir *, const struct packet *);
	void (*to_wire)(struct vhca *, const struct packet *);
	/* RX: no rule took it. NULL: nobody does. */
	void (*to_kernel)(struct vhca *, const struct packet *);
};

struct steer_stats {
	uint64_t ends[STEER_ENDS];
};

struct steer *steer_new(struct device *);
void steer_free(struct steer *);
void steer_set_ops(struct steer *, const struct steer_ops *);

/* True if the function has an RX root table: packets of unknown and group addresses go to it. */
bool steer_has_rx_root(const struct vhca *);

/* The whole way of one packet; a packet with several destinations is counted at each. */
void steer_rx(struct vhca *, struct packet *);
void steer_tx(struct vhca *, struct packet *);
const struct steer_stats *steer_stats(const struct vhca *);
/*
 * The cost of all ways so far, in entries read; and the limit of one turn of the loop, about a
 * millisecond, so that doorbells and requests do not wait.
 */
uint64_t steer_work(const struct device *);
#define STEER_TURN (1u << 15)
static inline bool steer_enough(const struct device *dev, uint64_t from)
{
	return steer_work(dev) - from > STEER_TURN;
}

#endif
