/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_STEER_PARSE_H
#define SIM_STEER_PARSE_H

/* Shared by the two files of the parser: packet.c (headers) and tunnel.c. */
#include "packet.h"

#define ETHERTYPE_IPV4	  0x0800
#define ETHERTYPE_TEB	  0x6558 /* transparent Ethernet bridging, in GRE and Geneve */
#define ETHERTYPE_CVLAN	  0x8100
#define ETHERTYPE_IPV6	  0x86dd
#define ETHERTYPE_MPLS	  0x8847
#define ETHERTYPE_MPLS_MC 0x8848
#define ETHERTYPE_SVLAN	  0x88a8

#define PARSE_OFFSET_MAX \
	0xffffu /* offsets have 16 bits: a header that begins later is not parsed */

/* Returns true if n bytes at `at` lie before `end`. */
static inline bool parse_room(uint32_t at, uint32_t n, uint32_t end)
{
	return at <= PARSE_OFFSET_MAX && n <= end && at <= end - n;
}

/* Parse up to `end`, from an Ethernet header or from the header that an EtherType names. */
void parse_l2(const struct packet *, struct packet_headers *, uint32_t at, uint32_t end);
void parse_l3(const struct packet *, struct packet_headers *, uint16_t ethertype, uint32_t at,
	      uint32_t end);

#endif
