/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_PORT_TAP_H
#define SIM_PORT_TAP_H

#include <stdbool.h>
#include <stdint.h>

/*
 * A TAP interface, whose other end is the kernel's network stack. Each read() and write() of the
 * descriptor, which never block, is one Ethernet frame without FCS. The interface is in the network
 * namespace of the caller, and exists as long as the descriptor.
 */
#define TAP_WHY 160

/*
 * Creates an interface or, with `attach`, opens an existing one that is not open elsewhere. Returns
 * -1 with a sentence if there is no such device, no privilege, or the name is taken or too long.
 */
int tap_open(const char *name, bool attach, char why[TAP_WHY]);
/* Sets MTU and address (NULL: the kernel's), and brings the interface up. Returns 0 or -errno. */
int tap_configure(const char *name, const uint8_t mac[6], unsigned int mtu);
/* Returns 0 or -errno. */
int tap_address(const char *name, uint8_t mac[6]);
unsigned int tap_mtu(const char *name); /* 0: unknown */
/* Returns the number of packets that the kernel sent and that were not read in time. */
uint64_t tap_missed(const char *name);
void tap_set_carrier(int fd, bool on);

#endif
