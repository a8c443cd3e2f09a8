/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_PORT_NEIGHBOUR_MSG_H
#define SIM_PORT_NEIGHBOUR_MSG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A query or reply about an IP address: ARP (RFC 826) and IPv6's neighbour discovery (RFC 4861) in
 * one form.
 */
struct neighbour_msg {
	bool is_query;	    /* query for target; else: target is at mac */
	bool has_mac;	    /* names a sender: mac and, in a query, sender */
	bool overrides;	    /* a reply that replaces another MAC address */
	uint8_t sender[16]; /* in GID form; zeros: none */
	uint8_t target[16];
	uint8_t mac[6];
	uint16_t vlan; /* of the VLAN tag; 0: none */
};

#define NEIGHBOUR_FRAME 90u

/* Decodes a frame. Returns false if it is no such message, or a wrong one. */
bool neighbour_msg_read(const uint8_t *frame, size_t len, struct neighbour_msg *);
/*
 * Writes the frame of a message from this MAC address; to: the address that sent the query, NULL:
 * all. Returns its length.
 */
size_t neighbour_msg_write(const struct neighbour_msg *, const uint8_t to_mac[6],
			   const uint8_t to[16], uint8_t frame[NEIGHBOUR_FRAME]);

#endif
