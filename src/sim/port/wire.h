/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_PORT_WIRE_H
#define SIM_PORT_WIRE_H

#include <stdbool.h>
#include <stdint.h>
#include "frame.h"

/*
 * A wire, to which the port is attached: other chips, or a network of the machine. Frames for
 * addresses that no function of the chip has, and for groups, are sent there. Frames that come in
 * go to port_receive(). No call blocks.
 */
struct gid_entry;
struct wire;

struct wire_ops {
	/* Sends a frame, which stays the caller's. */
	void (*send)(struct wire *, const struct frame *);
	/* Returns false if senders that can wait must wait. */
	bool (*room)(struct wire *);
	/*
	 * Sends frames that send() gathered. Returns true if there were any. NULL: send() does not
	 * gather.
	 */
	bool (*flush)(struct wire *);
	/* Receives frames and sends the backlog, in each turn. Returns true if it did something. */
	bool (*run)(struct wire *);
	/*
	 * Finds the MAC address of a GID beyond the wire. Returns 0 or -errno, as device_resolve().
	 */
	int (*resolve)(struct wire *, const struct gid_entry *from, const uint8_t gid[16],
		       uint8_t mac[6]);
	/* Handles a change of the chip's GIDs; NULL: no messages are sent. */
	void (*gids_changed)(struct wire *);
	/* Returns the number of packets lost before run() could read them; NULL: never any. */
	uint64_t (*missed)(struct wire *);
	void (*close)(struct wire *);
};

#define WIRE_NAME 64
struct wire {
	const struct wire_ops *ops;
	char name[WIRE_NAME]; /* as in --wire */
	int fd;		      /* readable when run() has work */
	uint64_t sent, received;
	uint64_t lost;	 /* the other side took nothing for too long, or the network refused them */
	uint64_t bad;	 /* received, but no valid packet */
	bool gone;	 /* there is nothing more to read, and fd stays readable */
	uint32_t others; /* number of other chips on the same switch */
};

#define WIRE_WHY 200

#endif
