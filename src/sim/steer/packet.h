/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_STEER_PACKET_H
#define SIM_STEER_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * An Ethernet packet on its way through the tables, with its parsed headers. Both kinds of tables
 * read them: the masked compare of firmware's tables (params.c) and the STE walk. Numbers are in
 * host order. An offset is set only when the whole fixed part of the header lies inside the packet,
 * so that its bytes may be read. Addresses are read from the packet.
 */
enum packet_l4 {
	PACKET_L4_NONE,
	PACKET_TCP,
	PACKET_UDP,
	PACKET_ICMP,
	PACKET_ICMP6,
	PACKET_L4_OTHER
};

#define PACKET_VLANS	   2u
#define PACKET_LABELS	   5u /* of an MPLS stack, as in ste_mpls_v1 */
#define PACKET_REGISTERS_C 8u

struct packet_headers {
	bool present;  /* an Ethernet header, or IP inside a tunnel of layer 3 */
	bool ethernet; /* 14 bytes of it are present, at l2 */
	uint16_t l2, l3,
		l4;    /* offsets in the packet; l3 0: no IP; l4 0: none, or a later fragment */
	uint16_t mpls; /* offset of the first label; 0: none */
	/* number of whole labels, up to the bottom of the stack or PACKET_LABELS */
	uint8_t labels;
	uint16_t end;		     /* end of the last header that was parsed */
	uint8_t vlans;		     /* 0, 1 or 2 tags */
	bool svlan, cvlan;	     /* kind of the first tag: 0x88a8, 0x8100 */
	bool svlan2, cvlan2;	     /* kind of the second tag */
	uint16_t vlan[PACKET_VLANS]; /* TCI */
	uint16_t ethertype;	     /* after the tags; the tunnel's, if there is no Ethernet */
	uint8_t ip_version;	     /* 0, 4 or 6 */
	uint8_t ip_protocol;	     /* the one after the last extension header */
	uint8_t dscp, ecn, ttl, ihl;
	uint32_t flow_label; /* IPv6 */
	bool frag;	     /* fragment, the first one included */
	bool l3_ok;	     /* lengths agree, and IPv4's checksum is right */
	/* a header ends behind the packet or its IP packet; parsing stopped there */
	bool truncated;
	uint8_t l4_type;       /* enum packet_l4; NONE: no IP, a later fragment, or truncated */
	uint16_t sport, dport; /* of TCP and UDP */
	uint16_t tcp_flags;    /* 9 bits, as fte_match_set_lyr_2_4.tcp_flags */
	uint32_t l3_end;       /* end of the IP packet, at most the packet's length */
};

enum packet_tunnel {
	PACKET_NO_TUNNEL,
	PACKET_VXLAN,
	PACKET_VXLAN_GPE,
	PACKET_GENEVE,
	PACKET_GRE,
	PACKET_IPIP,
	PACKET_GTPU,
	PACKET_MPLS_UDP,
};

struct packet {
	uint8_t *data; /* begins with the Ethernet header; no FCS */
	uint32_t len;
	/* free bytes before and behind data, for actions that push */
	uint32_t headroom, tailroom;
	struct packet_headers outer, inner; /* inner: inside a tunnel that the parser knows */
	uint8_t tunnel;			    /* enum packet_tunnel */
	uint16_t tunnel_at;   /* offset of the tunnel's header, if it is whole; IPIP has none */
	uint16_t tunnel_mpls; /* offset of the first label behind GRE or UDP; 0: none */
	uint32_t tunnel_vni;  /* VXLAN, VXLAN-GPE, Geneve */
	uint32_t gre_key;     /* 0: no key */
	/* UDP source port of the next tunnel, while the packet has no Ethernet header; 0: none */
	uint16_t tunnel_sport;
	uint32_t geneve_option; /* device.geneve_option, on a walk */
	const struct flex_sample *samples; /* device.flex_sample, on a walk */
	const uint16_t *vxlan_ports;	   /* device.vxlan_ports; NULL: only 4789 */
	/* Metadata of the packet. */
	uint16_t source_vhca;
	uint16_t source_vport; /* its number for the tables' function, whose own is 0 */
	uint32_t source_sqn;
	uint32_t reg_a, reg_b, reg_c[PACKET_REGISTERS_C];
	uint32_t flow_tag;
};

/* Parses the bytes into outer and inner; to be called again when bytes changed. It never fails. */
void packet_parse_headers(struct packet *);
/*
 * Returns true if the checksum of TCP, UDP or ICMP is right (UDP over IPv4 may have none), and
 * false for fragments. It reads the whole packet, so it is no part of parsing: only completions
 * need it.
 */
bool packet_l4_ok(const struct packet *, const struct packet_headers *);

/*
 * Returns the one's complement sum of 16-bit words in network order, folded, not inverted (RFC
 * 1071).
 */
uint16_t packet_sum(const uint8_t *, size_t len, uint32_t start);
/*
 * Returns the sum of the pseudo header (RFC 793, RFC 8200): addresses, protocol, length of layer 4.
 */
uint32_t packet_pseudo_header_sum(const struct packet *, const struct packet_headers *,
				  uint32_t len);

static inline uint16_t packet_load16(const uint8_t *p)
{
	return (uint16_t)(p[0] << 8 | p[1]);
}

/* Stores the low 16 bits in network order. */
static inline void packet_store16(uint8_t *p, uint32_t v)
{
	p[0] = (uint8_t)(v >> 8);
	p[1] = (uint8_t)v;
}

static inline uint32_t packet_load32(const uint8_t *p)
{
	return (uint32_t)packet_load16(p) << 16 | packet_load16(p + 2);
}

#endif
