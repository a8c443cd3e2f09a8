/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_PORT_PORT_H
#define SIM_PORT_PORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "fault_rates.h"
#include "frame.h"
#include "packets.h"

struct device;
struct vhca;
struct wire;

/*
 * The chip's port: the way that frames take between functions, and beyond the wire. It is a loop, so
 * that what a function sends comes back; a wire may lie beyond it. The e-switch decides where a frame
 * goes.
 */
struct port;

enum { PORT_INSIDE = 1u << 0, PORT_OUTSIDE = 1u << 1 };

/* The ways up, to the e-switch. */
struct port_ops {
	/* Returns where a frame of a function's goes: PORT_INSIDE, PORT_OUTSIDE, or both. */
	unsigned int (*route)(void *ctx, const struct frame *);
	/* Takes a frame that came back, or in by the wire; the frame stays the port's. */
	void (*receive)(void *ctx, const struct frame *);
};

struct port *port_new(struct device *);
/* Before the first frame. */
void port_set_ops(struct port *, const struct port_ops *, void *ctx);
void port_free(struct port *);

/* A frame to fill, with room for so many bytes. NULL: out of memory. */
struct frame *port_frame(struct port *, size_t room);
/* Takes the frame; drops it if the port is full even for those that can't wait. NULL: nothing. */
void port_send(struct port *, struct frame *);
/* A function's Ethernet packet; the port pads it to 60 bytes, and drops what is too long. */
void port_transmit(struct vhca *, const uint8_t *bytes, uint32_t len);
/*
 * An Ethernet packet enters from outside. 0; -EAGAIN: no room, try after a turn; -EMSGSIZE: outside
 * PORT_PACKET_MIN..MAX; -ENOMEM; -ENETDOWN. Faults leave it alone, so that its fate is known.
 */
int port_inject(struct port *, const void *bytes, size_t len);
/* What became of all that was injected; the e-switch adds what becomes of one. */
const struct port_fates *port_injected(const struct port *);
void port_count_injected(struct port *, const struct port_fates *);
/* Ethernet frames that no function took. */
uint64_t port_unclaimed(const struct port *);

/*
 * The port's wire (wire.h), which is the port's from here on. NULL: it is a loop. Paths to
 * functions of the chip stay inside it.
 */
void port_set_wire(struct port *, struct wire *);
struct wire *port_wire(const struct port *);
/*
 * A packet comes in from there; the bytes stay the caller's. Room for one is port_room_in().
 * icrc_good: a RoCE packet whose ICRC is right.
 */
void port_receive(struct port *, const void *bytes, size_t len, bool icrc_good);
bool port_room_in(const struct port *);
/* In each turn: what comes in, what had to wait. True: there was something. */
bool port_run_wire(struct port *);

/* At the end of a turn: what was sent in it leaves. True: there was something. */
bool port_flush_wire(struct port *);

/* A sender that can wait does so while this is false. */
bool port_room(const struct port *);
/* Frames are under way. */
bool port_busy(const struct port *);
/* Delivers the oldest frame. False: there is none. */
bool port_run(struct port *);
/* Drops frames under way that match. */
void port_purge(struct port *, bool (*match)(const struct frame *, const void *), const void *arg);

/* What eswitch_direct() found may be wrong now, and what chips beyond the wire know. */
void port_gids_changed(struct port *);

/* Somebody looks at frames: a hook, a tap, faults, a link that is down. They are bytes meanwhile.
 */
bool port_observed(const struct port *);

/* Frames on the wire are lost, doubled, reordered, damaged and delayed (fault.h). */
void port_set_faults(struct port *, const struct fault_rates *);
void port_faults(const struct port *, struct fault_rates *, struct fault_counts *);
/* While the link is down, nothing but forced loopback arrives. device.link_down says which. */
void port_set_link(struct port *, bool up);

/*
 * For tests: sees each frame instead of the queue and owns it; it may port_queue() it now, later,
 * twice, changed, or frame_free() it.
 */
typedef void (*port_hook)(void *ctx, struct port *, struct frame *);
void port_set_hook(struct port *, port_hook, void *ctx);
void port_queue(struct port *, struct frame *);

/*
 * A tap sees each frame that a wire would, and keeps nothing of it. While it has no room,
 * port_room() is false.
 */
struct port_tap {
	void *ctx;
	void (*frame)(void *ctx, const struct frame *);
	bool (*room)(void *ctx);
};
void port_set_tap(struct port *, const struct port_tap *); /* NULL: none */

#endif
