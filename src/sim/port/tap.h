/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_PORT_TAP_H
#define SIM_PORT_TAP_H

#include <stdbool.h>
#include <stdint.h>

/*
 * A TAP interface: the kernel's network stack is at its other end. Frames are Ethernet without FCS,
 * one for each read() and write() of the descriptor, which never blocks. The interface lives in the
 * network namespace of the caller, and as long as the descriptor.
 */
#define TAP_WHY 160

/*
 * A new one, or with `attach` also one that is there and that nobody has open. -1 and a sentence:
 * there is no such device, no privilege, or the name is taken or too long.
 */
int tap_open(const char *name, bool attach, char why[TAP_WHY]);
/* Sets its MTU, and its address (NULL: the kernel's), and brings it up. -errno */
int tap_configure(const char *name, const uint8_t mac[6], unsigned int mtu);
/* -errno */
int tap_address(const char *name, uint8_t mac[6]);
unsigned int tap_mtu(const char *name); /* 0: unknown */
/* Packets that the kernel sent, and that nobody read in time. */
uint64_t tap_missed(const char *name);
void tap_set_carrier(int fd, bool on);

#endif
