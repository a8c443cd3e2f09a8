/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_STEER_PACKET_H
#define SIM_STEER_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * One Ethernet packet on its way through the tables, and what was understood of it. Both kinds of
 * tables read this: the masked compare of firmware's tables (params.c) and the STE walk (tag1.c).
 */
struct packet_headers {
	bool present;
	uint16_t l2, l3, l4; /* offsets in the packet; l4 0: none, or a later fragment */
	uint8_t vlans;       /* 0, 1 or 2 tags */
	bool svlan, cvlan;   /* kind of the first tag: 0x88a8, 0x8100 */
	uint16_t vlan[2];    /* TCI, host order */
	uint16_t ethertype;  /* after the tags, host order */
	uint8_t ip_version;  /* 0, 4 or 6 */
	uint8_t ip_protocol; /* of the last extension header */
	uint8_t dscp, ecn, ttl, ihl;
	bool frag;
	bool l3_ok, l4_ok;   /* checksums */
	bool truncated;      /* a header goes on past the packet's end: nothing after it is known */
};

struct packet {
	uint8_t *data; /* Ethernet header first, no FCS */
	uint32_t len;
	uint32_t headroom, tailroom; /* bytes before and behind, for actions that push */
	struct packet_headers outer, inner; /* inner: inside a tunnel that is understood */
	/* what travels beside the bytes */
	uint16_t source_vhca;
	uint32_t source_sqn;
	uint32_t reg_a, reg_b, reg_c[8];
	uint32_t flow_tag;
};

/* Fills outer and inner from the bytes; called again after actions changed them. Never fails. */
void packet_parse_headers(struct packet *);

#endif
