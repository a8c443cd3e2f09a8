/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_ESWITCH_ESWITCH_H
#define SIM_ESWITCH_ESWITCH_H

#include <stdbool.h>
#include <stdint.h>
#include "obj/device.h"
#include "port/port.h"
#include "port/roce.h"

struct frame;

/*
 * The chip's switch between its functions and its port: it decides who gets a frame. Frames that a
 * function sends pass the port, where faults, taps and captures see them, and come back here.
 * legacy.c switches by MAC address, as an e-switch without flow tables does.
 */
struct eswitch;

/* The ways up, registered by the composition root. */
struct eswitch_ops {
	/* A RoCE packet for one of the function's GIDs, or forced back to it. */
	void (*roce)(struct vhca *, const struct roce_packet *);
	/* Any other Ethernet frame; the callee copies what it keeps. */
	void (*ethernet)(struct vhca *, const struct frame *);
	/* The function's network interface takes frames for this address. */
	bool (*netdev)(const struct vhca *, const uint8_t mac[6]);
};

/* Connects itself to dev->port. NULL: no memory. */
struct eswitch *eswitch_new(struct device *, const struct eswitch_ops *);
void eswitch_free(struct eswitch *);

/* Takes a function's frame; drops it if the port is full even for those that can't wait. */
static inline void eswitch_send(const struct vhca *from, struct frame *f)
{
	port_send(from->dev->port, f);
}

/* True while somebody sees frames on their way: messages have to be bytes then. */
static inline bool eswitch_observed(const struct device *dev)
{
	return port_observed(dev->port);
}

/*
 * Returns the function at the end of this path, if messages may stay descriptors on the way there;
 * NULL: each packet has to be bytes (roce_encode()). A descriptor's `to` is this function.
 */
struct vhca *eswitch_find_path(struct roce_path *);
static inline struct vhca *eswitch_direct(struct roce_path *path)
{
	return path->resolved == path->from->dev->paths ? path->to : eswitch_find_path(path);
}

/* Drops what is under way to this queue: it is not for the number's next life. */
void eswitch_purge(const struct vhca *, uint32_t qpn);

#endif
