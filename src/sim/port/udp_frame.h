/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_PORT_UDP_FRAME_H
#define SIM_PORT_UDP_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A UDP datagram to port 4791, and what the socket returns of its headers. */
struct udp_from {
	bool ip4;
	uint8_t source[16], dest[16]; /* IPv4: the first 4 bytes */
	uint8_t mac[6];		      /* of the function that the frame is for */
	uint16_t port;		      /* source port */
	uint8_t tclass, hop_limit;
};

#define UDP_FRAME_ROOM 62u /* most bytes before the payload */

/* Makes a MAC address for a host beyond the wire, which has none here. */
void udp_frame_mac(const uint8_t *ip, bool ip4, uint8_t mac[6]);
/*
 * Writes the headers of a frame before the payload, where there are UDP_FRAME_ROOM free bytes.
 * Returns NULL if it is no RoCE packet. Sets *good if its ICRC is right.
 */
uint8_t *udp_frame_make(const struct udp_from *, uint8_t *payload, size_t len, size_t *frame_len,
			bool *good);

#endif
