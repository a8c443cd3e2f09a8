/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_STEER_REWRITE_H
#define SIM_STEER_REWRITE_H

#include <stdint.h>

struct packet;

/* Kinds of changes by a rewrite. They make tags and match parameters stale. */
enum rewrite_change {
	REWRITE_REGISTERS = 1 << 0,
	REWRITE_HEADERS = 1 << 1, /* bytes of headers, whose positions are unchanged */
};

/* Dwords of the parsed headers; a rewrite names bits of a dword. */
enum rewrite_dword {
	REWRITE_NONE,
	REWRITE_DMAC_47_16,
	REWRITE_DMAC_15_0, /* bits 31:16; EtherType in 15:0 */
	REWRITE_VLAN,
	REWRITE_SMAC_47_16,
	REWRITE_SMAC_15_0, /* bits 31:16; EtherType in 15:0 */
	REWRITE_CLASS_TTL, /* traffic class in bits 23:16; time to live or hop limit in 15:8 */
	REWRITE_PORTS,	   /* source port in bits 31:16 */
	REWRITE_TCP_FLAGS, /* bits 24:16 */
	REWRITE_IPV4_SRC,
	REWRITE_IPV4_DST,
	REWRITE_IPV6_SRC_127_96,
	REWRITE_IPV6_SRC_95_64,
	REWRITE_IPV6_SRC_63_32,
	REWRITE_IPV6_SRC_31_0,
	REWRITE_IPV6_DST_127_96,
	REWRITE_IPV6_DST_95_64,
	REWRITE_IPV6_DST_63_32,
	REWRITE_IPV6_DST_31_0,
	/* Words that IPv4 and IPv6 share: the destination, or bits 127:96 of IPv6's, ... */
	REWRITE_L3_0_HIGH,
	REWRITE_L3_0_LOW, /* ... and the source, or bits 95:64 of IPv6's destination */
	REWRITE_TCP_SEQ,
	REWRITE_TCP_ACK,
	REWRITE_REG_A,
	REWRITE_REG_B,
	REWRITE_REG_C0,
	REWRITE_REG_C1,
	REWRITE_REG_C2,
	REWRITE_REG_C3,
	REWRITE_REG_C4,
	REWRITE_REG_C5,
	REWRITE_DWORDS
};

/* Bits of a dword; the caller checks that low + bits is at most 32. */
struct rewrite_bits {
	enum rewrite_dword dword;
	unsigned int low, bits;
};

/*
 * Set, add to and copy bits. A field that the packet lacks stays unwritten and reads as 0.
 * Checksums are updated; the caller parses the packet again. Bits of enum rewrite_change are added
 * to *changed.
 */
void rewrite_set(struct packet *, struct rewrite_bits to, uint32_t value, unsigned int *changed);
void rewrite_add(struct packet *, struct rewrite_bits to, uint32_t value, unsigned int *changed);
void rewrite_copy(struct packet *, struct rewrite_bits to, struct rewrite_bits from,
		  unsigned int *changed);

#endif
