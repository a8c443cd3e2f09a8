/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_PORT_NEIGHBOUR_H
#define SIM_PORT_NEIGHBOUR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct device;

/*
 * The neighbours on an Ethernet of others: asks for the MAC addresses of GIDs, and answers for the
 * chip's own, as a kernel does for a NIC's. A function with a network interface has a kernel that
 * answers. What it sends, functions send (port_transmit()).
 */
struct neighbours;

struct neighbours *neighbours_new(struct device *); /* NULL: no memory */
void neighbours_free(struct neighbours *);
/* As device_resolve(). */
int neighbours_resolve(struct neighbours *, uint16_t vlan, const uint8_t gid[16], uint8_t mac[6]);
/* A frame came in: takes what it tells. */
void neighbours_take(struct neighbours *, const uint8_t *frame, size_t len);
/* Tells all the chip's addresses: somebody may know other MAC addresses of them. */
void neighbours_announce(struct neighbours *);
/* Tells front_ops.neighbour if there is something new. */
void neighbours_tell(struct neighbours *);

#endif
