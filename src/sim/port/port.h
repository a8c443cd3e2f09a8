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
 * The chip's port, through which frames go between functions and to the wire. It is a loop: frames
 * that a function sends come back to the e-switch, which decides where they go. A wire may be
 * attached.
 */
struct port;

enum { PORT_INSIDE = 1u << 0, PORT_OUTSIDE = 1u << 1 };

/* Calls to the e-switch. */
struct port_ops {
	/*
	 * Returns the destinations of a frame from a function: PORT_INSIDE, PORT_OUTSIDE, or both.
	 */
	unsigned int (*route)(void *ctx, const struct frame *);
	/* Takes a frame that came back or came by the wire; the port keeps the frame. */
	void (*receive)(void *ctx, const struct frame *);
};

struct port *port_new(struct device *);
/* Sets the callbacks, before the first frame. */
void port_set_ops(struct port *, const struct port_ops *, void *ctx);
void port_free(struct port *);

/* Returns a frame with room for so many bytes, to be filled; NULL: out of memory. */
struct frame *port_frame(struct port *, size_t room);
/*
 * Sends a frame and owns it; NULL does nothing. The frame is dropped if the port is full even for
 * senders that can't wait.
 */
void port_send(struct port *, struct frame *);
/*
 * Returns a frame of a function's Ethernet packet, padded to 60 bytes; NULL: the packet is too long
 * or memory is out, and it is counted as dropped. port_transmit() sends the frame.
 */
struct frame *port_packet(struct vhca *, const uint8_t *bytes, uint32_t len);
void port_transmit(struct vhca *, const uint8_t *bytes, uint32_t len);
/*
 * Injects an Ethernet packet from outside. Returns 0; -EAGAIN: no room, try again after a turn;
 * -EMSGSIZE: outside PORT_PACKET_MIN..MAX; -ENOMEM; -ENETDOWN. Faults are not applied, so that its
 * result is known.
 */
int port_inject(struct port *, const void *bytes, size_t len);
/* Returns the results of all injected packets; the e-switch adds those of each packet. */
const struct port_results *port_injected(const struct port *);
void port_count_injected(struct port *, const struct port_results *);
/* Returns the number of Ethernet frames that no function took. */
uint64_t port_unclaimed(const struct port *);

/*
 * Sets the port's wire (wire.h) and owns it; NULL: none. Paths between functions of the chip stay
 * inside.
 */
void port_set_wire(struct port *, struct wire *);
struct wire *port_wire(const struct port *);
/*
 * Takes a packet from the wire; the caller keeps the bytes. port_room_in() returns whether there is
 * room. icrc_good: a RoCE packet whose ICRC is right.
 */
void port_receive(struct port *, const void *bytes, size_t len, bool icrc_good);
bool port_room_in(const struct port *);
/* Reads from the wire and sends the backlog, in each turn. Returns true if it did something. */
bool port_run_wire(struct port *);

/* Sends packets that were gathered in a turn, at its end. Returns true if there were any. */
bool port_flush_wire(struct port *);

/* Returns the destinations of a frame that was sent: PORT_INSIDE, PORT_OUTSIDE, or both. */
unsigned int port_route(const struct port *, const struct frame *);
/* Returns false while senders that can wait must wait. */
bool port_room(const struct port *);
/* Returns true while frames are under way. */
bool port_busy(const struct port *);
/* Delivers the oldest frame; false if there is none. */
bool port_run(struct port *);
/* Drops the frames under way that match. */
void port_purge(struct port *, bool (*match)(const struct frame *, const void *), const void *arg);

/* Invalidates results of eswitch_direct(), and announces the chip's addresses beyond the wire. */
void port_gids_changed(struct port *);

/* Returns true while a hook, a tap, faults or a link that is down need frames as bytes. */
bool port_observed(const struct port *);

/* Sets the faults of the wire (fault.h). */
void port_set_faults(struct port *, const struct fault_rates *);
/* Called when base/inject.h has other faults. */
void port_faults_changed(struct port *);
void port_faults(const struct port *, struct fault_rates *, struct fault_counts *);
/* Sets the link state, device.link_down. While the link is down, only forced loopback arrives. */
void port_set_link(struct port *, bool up);

/*
 * A hook for tests: takes each frame instead of the queue, and owns it. It may port_queue() it now,
 * later, twice or changed, or frame_free() it.
 */
typedef void (*port_hook)(void *ctx, struct port *, struct frame *);
void port_set_hook(struct port *, port_hook, void *ctx);
void port_queue(struct port *, struct frame *);

/*
 * A tap gets each frame that a wire would get, and must copy it. While it has no room, port_room()
 * is false.
 */
struct port_tap {
	void *ctx;
	void (*frame)(void *ctx, const struct frame *);
	bool (*room)(void *ctx);
};
void port_set_tap(struct port *, const struct port_tap *); /* NULL: none */

#endif
