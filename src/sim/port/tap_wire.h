/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_PORT_TAP_WIRE_H
#define SIM_PORT_TAP_WIRE_H

struct device;
struct wire;

/*
 * The wire whose other end is a network interface (TAP) of this name, new or there already. The
 * functions' MAC addresses follow from the interface's, so this comes before anybody sees them.
 * NULL after a sentence in why[WIRE_WHY].
 */
struct wire *tap_wire_open(struct device *, const char *name, char *why);

#endif
