/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_PORT_UDP_H
#define SIM_PORT_UDP_H

struct device;
struct wire;

/*
 * The wire to the network of the machine: RoCEv2 by a UDP socket at this address (IPv4 or IPv6
 * text), which becomes the first function's. NULL after a sentence in why[WIRE_WHY].
 */
struct wire *udp_open(struct device *, const char *address, char *why);

#endif
