/* SPDX-License-Identifier: BSD-2-Clause */
/* Interfaces that stand for vports: the kernel's names of them, and those that --port gives. */
#ifndef DVX_FLOW_IMPORT_IFACE_H
#define DVX_FLOW_IMPORT_IFACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rules/tunnels.h"

struct iface {
	uint32_t vport;
	/* The e-switch that the name shows: the device's port, and the uplink's name. -1, "": neither. */
	int port;
	const char *device;
	size_t device_bytes;
	bool has_hop; /* a tunnel's interface */
	uint64_t hop_src, hop_dst;
};

/*
 * Values of --port have blanks between them: NAME=VPORT, or NAME=VPORT,MAC,MAC for the interface of
 * a tunnel, with the source and destination MAC of its next hop. NULL: there are none.
 */
bool iface_port_is_right(const char *port);
/* Finds the vport of an interface by --port, else by the kernel's name. */
bool iface_find(const char *ports, const char *name, struct iface *i);
/* Returns whether two interfaces may be of one e-switch. */
bool iface_meets(const struct iface *a, const struct iface *b);
/* Finds the tunnel of an interface by its name, or of a UDP port. TUNNEL_NONE: neither. */
enum node_tunnel iface_tunnel(const char *name, uint64_t port);
/* Finds the name of a vport by --port, else, if `kernel`, the kernel's. */
bool iface_name(const char *ports, uint32_t vport, bool kernel, char *name, size_t size);
/* Finds the interface of a tunnel by the MACs of its next hop. */
bool iface_tunnel_name(const char *ports, enum node_tunnel tunnel, const uint8_t *src,
		       const uint8_t *dst, char *name, size_t size);

#endif
