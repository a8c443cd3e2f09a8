/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a packet says, field by field, as entries of a device compare it. Numbers of up to 128 bits;
 * a field that a packet lacks is 0 there, as in hardware.
 */
#ifndef DVX_FLOW_FIELDS_H
#define DVX_FLOW_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

__extension__ typedef unsigned __int128 u128;

enum field {
	F_DMAC,
	F_SMAC,
	F_ETHERTYPE, /* after all VLAN tags */
	F_VLAN_KIND, /* first tag: 0 none, 1 0x88a8, 2 0x8100 */
	F_VLAN_ID,
	F_VLAN_DEI,
	F_VLAN_PCP,
	F_VLAN2_KIND,
	F_VLAN2_ID,
	F_VLAN2_DEI,
	F_VLAN2_PCP,
	F_L3, /* 0 none, 1 IPv4, 2 IPv6 */
	F_L4, /* 0 none, 1 TCP, 2 UDP, 3 other */
	F_SRC,
	F_DST,
	F_PROTO,
	F_DSCP,
	F_ECN,
	F_TTL,
	F_IHL,
	F_FRAG,
	F_FLOWLABEL,
	F_SPORT,
	F_DPORT,
	F_TCP_FLAGS,
	F_TCP_SEQ,
	F_TCP_ACK,
	F_ICMP_TYPE,
	F_ICMP_CODE,
	F_ICMP_DATA, /* what follows the ICMP checksum */
	F_L3_OK,
	F_L4_OK,
	F_IPV4_SUM_OK,
	F_L4_SUM_OK,
	F_MPLS_LABEL, /* the first of the stack */
	F_MPLS_TC,
	F_MPLS_BOTTOM,
	F_MPLS_TTL,
	F_PER_LEVEL, /* the ones before are there twice: outer and inner headers */
	F_VNI = 2 * F_PER_LEVEL, /* VXLAN's, with the byte behind it */
	F_GPE_VNI,
	F_GPE_NEXT,
	F_GPE_FLAGS,
	F_GENEVE_VNI,
	F_GENEVE_OAM,
	F_GENEVE_OPTIONS, /* their length in words */
	F_GENEVE_PROTO,
	F_GRE_SUM, /* there is a checksum, a key, a sequence number */
	F_GRE_HAS_KEY,
	F_GRE_SEQ,
	F_GRE_PROTO,
	F_GRE_KEY,
	F_TUNNEL_0, /* a tunnel's header by words */
	F_TUNNEL_1,
	F_REG_A,
	F_REG_C0,
	F_REG_C7 = F_REG_C0 + 7,
	F_SOURCE, /* VHCA (a match parameter says vport) the packet came from */
	F_SQN,
	F_LOOPED, /* looped back between functions */
	F_COUNT,
	F_NONE = 255
};
#define F_INNER(f) ((enum field)((f) < F_PER_LEVEL ? (f) + F_PER_LEVEL : (f)))

struct fields {
	u128 value[F_COUNT];
	bool known[F_COUNT]; /* the packet has it, or it was written down */
};

/* Words of the rule language: "ipv4 dst". Inner ones are preceded by "inner". */
const char *field_words(enum field f, char *buf, size_t size);

/*
 * "ipv4 dst 10.0.0.0/8", "tcp port 80 mask 0xfff0": a value of which the mask's bits count; an
 * address is IPv6 if l3 is 2. All of a field's bits: no mask is said.
 */
size_t field_say(char *buf, size_t size, enum field f, u128 value, u128 mask, unsigned int l3);
unsigned int field_width(enum field f);
u128 field_full(enum field f);

/* The value alone, as a person writes it. */
size_t field_value(char *buf, size_t size, enum field f, u128 value, unsigned int l3);

/* One line that tells a packet: "ipv4 10.0.0.1 > 10.0.0.2 tcp 1234 > 80". */
size_t fields_line(char *buf, size_t size, const struct fields *p);

/* --- packet.c --- */

/* An Ethernet frame's fields; bytes after len are not there. Registers are 0. */
void fields_of_frame(struct fields *out, const uint8_t *frame, size_t len);

#endif
