/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_PORT_UDP_H
#define SIM_PORT_UDP_H

#include <stdint.h>

struct device;
struct vhca;
struct wire;

/*
 * Opens the wire to the machine's network: RoCEv2 by a UDP socket with this address (IPv4 or IPv6
 * text), which becomes the first function's address. Returns NULL with a sentence in why[WIRE_WHY].
 */
struct wire *udp_open(struct device *, const char *address, char *why);
/* Opens the address of one more function, of the same family. Returns 0 or -errno. */
int udp_give_address(struct wire *, struct vhca *, const uint8_t gid[16]);

#endif
