/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_PORT_PEER_H
#define SIM_PORT_PEER_H

struct device;
struct wire;

/*
 * The wire to a switch of the machine: chips with the same folder reach each other. The functions
 * get addresses that no other chip there has, so this comes before anybody sees them. NULL after a
 * sentence in why[WIRE_WHY].
 */
struct wire *peer_open(struct device *, const char *folder, char *why);

#endif
