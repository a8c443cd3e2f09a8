/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_PORT_NEIGHBOUR_H
#define SIM_PORT_NEIGHBOUR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct device;

/*
 * Neighbours on a foreign Ethernet. Queries the MAC addresses of GIDs, and replies to queries for
 * the chip's GIDs, as a kernel does for a NIC. For a function with a network interface, that
 * interface's kernel replies. Messages are sent in the name of functions (port_transmit()).
 */
struct neighbours;

struct neighbours *neighbours_new(struct device *); /* NULL: no memory */
void neighbours_free(struct neighbours *);
/* Finds a MAC address; see device_resolve(). */
int neighbours_resolve(struct neighbours *, uint16_t vlan, const uint8_t gid[16], uint8_t mac[6]);
/* Reads a frame that came in, and replies if it is a query for the chip. */
void neighbours_take(struct neighbours *, const uint8_t *frame, size_t len);
/* Announces all addresses of the chip, because others may know old MAC addresses for them. */
void neighbours_announce(struct neighbours *);
/* Calls front_ops.neighbour if a query has ended since the last call. */
void neighbours_notify(struct neighbours *);

#endif
