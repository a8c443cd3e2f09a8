/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_PORT_NEIGHBOUR_MSG_H
#define SIM_PORT_NEIGHBOUR_MSG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Who has an IP address: ARP (RFC 826) and IPv6's neighbour discovery (RFC 4861) as one thing. */
struct neighbour_msg {
	bool asks;	    /* who has target; else: target is at mac */
	bool has_mac;	    /* it names a sender: mac and, if it asks, sender */
	bool overrides;	    /* an answer that replaces another MAC address */
	uint8_t sender[16]; /* as GIDs have it; zeros: none */
	uint8_t target[16];
	uint8_t mac[6];
	uint16_t vlan; /* of its tag; 0: none */
};

#define NEIGHBOUR_FRAME 90u

/* False: the frame is none of these, or a wrong one. */
bool neighbour_msg_read(const uint8_t *frame, size_t len, struct neighbour_msg *);
/*
 * The frame of a message from this MAC address; to: who asked, NULL: all. The number of its bytes.
 */
size_t neighbour_msg_write(const struct neighbour_msg *, const uint8_t to_mac[6],
			   const uint8_t to[16], uint8_t frame[NEIGHBOUR_FRAME]);

#endif
