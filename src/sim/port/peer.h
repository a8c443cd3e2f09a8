/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_PORT_PEER_H
#define SIM_PORT_PEER_H

struct device;
struct wire;

/*
 * Opens the wire to a switch on this machine: chips with the same folder reach each other. It gives
 * the functions addresses that no other chip there has, so it must be called before the addresses
 * are read. Returns NULL with a sentence in why[WIRE_WHY].
 */
struct wire *peer_open(struct device *, const char *folder, char *why);

#endif
