/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_PORT_UDP_H
#define SIM_PORT_UDP_H

#include <stdint.h>

struct device;
struct vhca;
struct wire;

/*
 * The wire to the network of the machine: RoCEv2 by a UDP socket at this address (IPv4 or IPv6
 * text), which becomes the first function's. NULL after a sentence in why[WIRE_WHY].
 */
struct wire *udp_open(struct device *, const char *address, char *why);
/* One more function's address, of the same family: 0 or -errno. */
int udp_give_address(struct wire *, struct vhca *, const uint8_t gid[16]);

#endif
