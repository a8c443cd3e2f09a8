/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_ESWITCH_ESWITCH_H
#define SIM_ESWITCH_ESWITCH_H

#include <stdbool.h>
#include <stdint.h>
#include "obj/device.h"
#include "port/port.h"
#include "port/roce.h"
#include "steer/steer.h"

struct frame;

/*
 * The chip's switch between its functions and its port; it decides which function gets a frame.
 * Without a root table of the FDB, legacy.c switches by MAC address: frames that a function sends
 * pass the port, where faults, taps and captures see them, come back here, and are switched. With a
 * root, fdb.c decides before a frame passes the port (doc/design/0085).
 */
struct eswitch;

/* Calls to the rooms above, registered by the composition root. */
struct eswitch_ops {
	/* Takes a RoCE packet for one of the function's GIDs, or forced back to it. */
	void (*roce)(struct vhca *, const struct roce_packet *);
	/* Takes any other Ethernet frame; the callee copies what it keeps. */
	void (*ethernet)(struct vhca *, const struct frame *);
	/* Returns true if the function's network interface takes frames for this address. */
	bool (*netdev)(const struct vhca *, const uint8_t mac[6]);
};

/* Returns an e-switch that is connected to dev->port; NULL if there is no memory. */
struct eswitch *eswitch_new(struct device *, const struct eswitch_ops *);
void eswitch_free(struct eswitch *);

/* Takes a function's frame, as bytes, and owns it; NULL does nothing. */
void eswitch_switch(struct vhca *from, struct frame *);
/* Takes a function's frame. It is dropped if the port is full, even for senders that can't wait. */
static inline void eswitch_send(struct vhca *from, struct frame *f)
{
	if (f && !f->burst.npkts && !f->forced && steer_has_fdb(from->dev))
		eswitch_switch(from, f);
	else
		port_send(from->dev->port, f);
}

/* Callbacks of steering (steer_ops): packets that leave the NIC TX tables, or the FDB. */
void eswitch_transmit(struct vhca *, const struct packet *);
void eswitch_to_vport(struct device *, struct vhca *to, const struct packet *);

/*
 * Returns the function at the end of this path if messages may stay descriptors, as the `to` of the
 * descriptor. Returns NULL if each packet must be bytes (roce_encode()).
 */
struct vhca *eswitch_find_path(struct roce_path *);
static inline struct vhca *eswitch_direct(struct roce_path *path)
{
	return path->resolved == path->from->dev->paths ? path->to : eswitch_find_path(path);
}

/* Drops frames under way to this queue, so that a later queue with its number does not get them. */
void eswitch_purge(const struct vhca *, uint32_t qpn);

#endif
