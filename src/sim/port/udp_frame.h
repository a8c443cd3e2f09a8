/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_PORT_UDP_FRAME_H
#define SIM_PORT_UDP_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A UDP datagram to port 4791 as the frame that it came in, as far as a socket says. */
struct udp_from {
	bool ip4;
	uint8_t source[16], dest[16]; /* IPv4: the first 4 bytes */
	uint8_t mac[6];		      /* of the function that it is for */
	uint16_t port;		      /* where it came from */
	uint8_t tclass, hop_limit;
};

#define UDP_FRAME_ROOM 62u /* bytes before the payload, at most */

/* The MAC address that stands for one beyond the wire: hosts have none here. */
void udp_frame_mac(const uint8_t *ip, bool ip4, uint8_t mac[6]);
/*
 * Writes the headers before the payload, which has UDP_FRAME_ROOM bytes of room there. NULL: it is
 * no RoCE packet. *good: its ICRC is right.
 */
uint8_t *udp_frame_make(const struct udp_from *, uint8_t *payload, size_t len, size_t *frame_len,
			bool *good);

#endif
