/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_ESWITCH_PRIV_H
#define SIM_ESWITCH_PRIV_H

/* Private to this room. */
#include "eswitch.h"
#include "port/frame.h"

struct roce_bytes;

struct eswitch {
	struct device *dev;
	const struct eswitch_ops *ops;
	uint64_t transport; /* RoCE packets delivered as bytes */
};

/* legacy.c: switching by MAC address. */
/* Finds the function that a path leads to; NULL if it is none of this chip. */
struct vhca *legacy_find_path(const struct eswitch *, const struct roce_path *);
/*
 * Decodes a RoCE packet and finds the function that it is for; NULL if it is no RoCE packet, or for
 * none.
 */
struct vhca *legacy_find_roce(const struct eswitch *, const struct frame *, struct roce_bytes *);
/* Returns PORT_INSIDE, PORT_OUTSIDE or both, for a frame that a function sent. */
unsigned int legacy_route(const struct eswitch *, const struct frame *);
/* Delivers a frame to the functions that it is for. */
void legacy_deliver(struct eswitch *, const struct frame *);
/* Delivers a frame to this function, whatever its address is. */
void legacy_deliver_to(struct eswitch *, struct vhca *, const struct frame *);

/* fdb.c: switching by flow tables. */
/* Walks a frame from the wire. */
void fdb_receive(struct eswitch *, const struct frame *);

#endif
