/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An entry's changes to a packet: rewrites of fields, removal and insertion of headers. A packet is
 * a frame's bytes, or only the fields that its words gave.
 */
#ifndef DVX_FLOW_CHANGE_H
#define DVX_FLOW_CHANGE_H

#include "fields.h"

/* Dwords of the parsed headers, of which a rewrite names bits. */
enum change_dword {
	DW_NONE,
	DW_DMAC_HIGH,
	DW_DMAC_LOW, /* bits 31:16; EtherType in 15:0 */
	DW_VLAN,
	DW_SMAC_HIGH,
	DW_SMAC_LOW, /* bits 31:16; EtherType in 15:0 */
	DW_CLASS_TTL,
	DW_PORTS,
	DW_TCP_FLAGS,
	DW_IPV4_SRC,
	DW_IPV4_DST,
	DW_IPV6_SRC, /* four, the high end first */
	DW_IPV6_DST = DW_IPV6_SRC + 4,
	/* Format 0: IPv4's destination, or IPv6's bits 127:96; its source, or IPv6's 95:64. */
	DW_L3_0_HIGH = DW_IPV6_DST + 4,
	DW_L3_0_LOW,
	DW_TCP_SEQ,
	DW_TCP_ACK,
	DW_REG_A,
	DW_REG_B, /* nothing matches it */
	DW_REG_C, /* six */
	DW_COUNT = DW_REG_C + 6
};

struct change_bits {
	uint8_t dword, low, bits;
};

enum packet_change_kind {
	PACKET_NOTHING,
	PACKET_SET,
	PACKET_ADD,
	PACKET_COPY,
	PACKET_REMOVE,	  /* `bytes`, from `offset` behind an anchor on */
	PACKET_REMOVE_TO, /* from an anchor to another one */
	PACKET_INSERT,	  /* four bytes, at `offset` behind an anchor */
	PACKET_ENCAP,	  /* a tunnel's header, in front of all */
	PACKET_OBJECT,	  /* the result of the rule's object (ASO), into a register */
	PACKET_LIST,	  /* the rule's list of rewrites */
	PACKET_UNKNOWN,	  /* of an unknown kind */
};

struct packet_change {
	enum packet_change_kind kind;
	struct change_bits to, from;
	uint32_t value;	     /* set, add, insert */
	uint8_t anchor, end; /* PRM ste_anchor */
	uint16_t offset, bytes;
	const uint8_t *header; /* of PACKET_ENCAP: `bytes`, of which the device fills in lengths */
	bool inlined; /* the rule's list, of one rewrite, in the entry itself */
};

/* The packet as it is after some changes. */
struct changing_packet {
	struct fields f;
	bool framed; /* it has bytes */
	uint8_t *bytes;
	size_t len, room;
	struct frame_places at;
};

/* Copies the packet; frame may be NULL. Returns 0 or -ENOMEM. */
int changing_packet_begin(struct changing_packet *p, const struct fields *f, const uint8_t *frame,
			  size_t len);
void changing_packet_end(struct changing_packet *p);

/*
 * Changes the packet. Returns 0, -ENOMEM, or -EINVAL with the reason why it is impossible: a device
 * loses such a packet.
 */
int packet_change(struct changing_packet *p, const struct packet_change *c, const char **why);

/* Reads a program's rewrite (8 bytes), as PRM set_add_copy_action_in_auto has it. */
void change_of_prm(struct packet_change *c, const uint8_t *action);
/*
 * Reads a rewrite as entries of a format have it; format -1: 1 or later, the dump does not name it.
 * These number registers c0 to c5 differently: PACKET_UNKNOWN where that decides.
 */
void change_of_entry(struct packet_change *c, const uint8_t *action, int format);

/* --- for change*.c and frame_fields.c --- */

enum change_header { NO_HEADER, ETHERNET, TYPE, TAG, IPV4, IPV6, PORTS, TCP };

/* Some bits of a dword, and their place in a frame and among the fields. */
struct change_part {
	uint8_t dword, low, bits;
	uint8_t header, at, bytes, shift; /* of `bytes` bytes as a number */
	uint8_t field, above;		  /* explain's field, and the lowest bit in it */
};

extern const struct change_part change_parts[]; /* the last one has no bits */

static inline uint32_t frame_number(const uint8_t *at, unsigned int n)
{
	uint32_t v = 0;

	while (n--)
		v = v << 8 | *at++;
	return v;
}

static inline uint32_t change_mask(unsigned int bits)
{
	return bits < 32 ? (1u << bits) - 1 : UINT32_MAX;
}

int frame_store(struct changing_packet *p, const struct change_part *part, uint32_t value);
int frame_resize(struct changing_packet *p, const struct packet_change *c, const char **why);
int frame_encap(struct changing_packet *p, const struct packet_change *c);
int words_encap(struct changing_packet *p, const struct packet_change *c);

#endif
