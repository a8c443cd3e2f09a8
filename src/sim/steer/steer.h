/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_STEER_STEER_H
#define SIM_STEER_STEER_H

#include <stdbool.h>
#include <stdint.h>
#include "packet.h"
#include "obj/limits.h"
#include "obj/device.h"

struct tir;

/*
 * Tables between queues and the wire. A packet that a function sends enters its NIC TX root table;
 * one that arrives enters its NIC RX root table. Between both, a packet walks the FDB if it has a
 * root (eswitch/fdb.c). datapath.c registers the callbacks for their results.
 */
enum steer_end {
	STEER_TIR,	    /* delivered to the owner of a receive queue */
	STEER_WIRE,	    /* TX: sent; FDB: to the uplink */
	STEER_DROP,	    /* dropped by a rule or by a table's default */
	STEER_MISS,	    /* RX: no rule matched; on hardware the function's kernel gets it */
	STEER_VPORT,	    /* FDB: to a function */
	STEER_INGRESS_DROP, /* FDB: dropped by the access control list of its source */
	STEER_EGRESS_DROP,  /* FDB: by that of its destination */
	STEER_LOST, /* hop limit, loop, or garbage in ICM: dropped, with a sentence in the log */
	STEER_ENDS,
};

/* In front of each packet: two tunnels, or one and tags. [I] Hardware's limit is not known. */
#define STEER_HEADROOM	256u
#define STEER_FROM_WIRE 0xffffu /* source_vhca of a packet that arrived by the port */

/* Memory of a packet of any length, between room in front of it and behind. */
#define STEER_BUFFER	(STEER_HEADROOM + VHCA_FRAME_MAX + STEER_HEADROOM)
/* Returns a packet of `len` bytes in such memory, which begin behind the headroom. */
static inline struct packet steer_packet(uint8_t buf[STEER_BUFFER], uint32_t len)
{
	return (struct packet){
		.data = buf + STEER_HEADROOM,
		.len = len,
		.headroom = STEER_HEADROOM,
		.tailroom = (uint32_t)STEER_BUFFER - STEER_HEADROOM - len,
	};
}

struct steer_ops {
	/* Delivers the packet to this TIR; the callee copies what it keeps. */
	void (*to_tir)(struct tir *, const struct packet *);
	void (*to_wire)(struct vhca *, const struct packet *);
	/* Takes an RX packet that no rule matched; NULL: it is dropped. */
	void (*to_kernel)(struct vhca *, const struct packet *);
	/* Takes a packet from the FDB for a function's vport; NULL stands for the uplink. */
	void (*to_vport)(struct device *, struct vhca *, const struct packet *);
};

struct steer_stats {
	uint64_t ends[STEER_ENDS];
};

struct steer *steer_new(struct device *);
void steer_free(struct steer *);
void steer_set_ops(struct steer *, const struct steer_ops *);

/*
 * Returns true if the function has an RX root table. Such functions get packets of unknown and
 * group addresses.
 */
bool steer_has_rx_root(const struct vhca *);

/* Walks a packet to its end; a packet with several destinations is counted at each. */
void steer_rx(struct vhca *, struct packet *);
void steer_tx(struct vhca *, struct packet *);
/*
 * Walks a packet through the access control list of its source and the FDB, which must have a root
 * table, to that of its destination: on the FDB's TX side, if a function sent it, on the RX side, if
 * it came from the wire (NULL).
 */
void steer_fdb(struct device *, struct packet *, const struct vhca *from);
static inline bool steer_has_fdb(const struct device *dev)
{
	return dev->manager->flow_root[STEER_FDB];
}
const struct steer_stats *steer_stats(const struct vhca *);
/* Returns the ends in the FDB of packets that this function sent; NULL: from the wire. */
const struct steer_stats *steer_fdb_stats(const struct device *, const struct vhca *source);
/*
 * Returns whether walks have read enough entries since steer_work was `from`. STEER_TURN is the
 * limit of one turn of the loop, about a millisecond, so that doorbells and requests do not wait.
 */
#define STEER_TURN (1u << 15)
static inline bool steer_enough(const struct device *dev, uint64_t from)
{
	return dev->steer_work - from > STEER_TURN;
}

#endif
