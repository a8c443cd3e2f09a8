/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_PORT_TAP_WIRE_H
#define SIM_PORT_TAP_WIRE_H

struct device;
struct wire;

/*
 * Opens the wire to a network interface (TAP) of this name, new or existing. The functions' MAC
 * addresses follow from the interface's, so it must be called before the addresses are read.
 * Returns NULL with a sentence in why[WIRE_WHY].
 */
struct wire *tap_wire_open(struct device *, const char *name, char *why);

#endif
