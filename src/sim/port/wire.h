/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_PORT_WIRE_H
#define SIM_PORT_WIRE_H

#include <stdbool.h>
#include <stdint.h>
#include "frame.h"

/*
 * What the port is plugged into, if not only into itself: other chips, or a network of the machine.
 * Frames for addresses that no function of the chip has, and for groups, go there. What comes in
 * goes to port_receive(). Nothing here blocks.
 */
struct gid_entry;
struct wire;

struct wire_ops {
	/* The frame stays the caller's. */
	void (*send)(struct wire *, const struct frame *);
	/* For those that can wait. */
	bool (*room)(struct wire *);
	/* What send() has gathered leaves. True: there was something. NULL: it gathers nothing. */
	bool (*flush)(struct wire *);
	/* In each turn: takes what came in, sends what had to wait. True: there was something. */
	bool (*run)(struct wire *);
	/* The MAC address behind a GID beyond the wire: 0 or -errno, as device_resolve(). */
	int (*resolve)(struct wire *, const struct gid_entry *from, const uint8_t gid[16],
		       uint8_t mac[6]);
	/* The chip has other GIDs than before; NULL: nobody beyond is told. */
	void (*gids_changed)(struct wire *);
	/* Packets that came in and were lost before run() took them; NULL: none ever is. */
	uint64_t (*missed)(struct wire *);
	void (*close)(struct wire *);
};

#define WIRE_NAME 64
struct wire {
	const struct wire_ops *ops;
	char name[WIRE_NAME]; /* as --wire has it */
	int fd;		      /* readable when run() has something to do */
	uint64_t sent, received;
	uint64_t lost;	 /* the other side took nothing for too long, or the network refused it */
	uint64_t bad;	 /* came in, and is no packet */
	uint32_t others; /* chips on the same switch */
};

#define WIRE_WHY 200

#endif
