/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_STEER_PACKET_H
#define SIM_STEER_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * One Ethernet packet on its way through the tables, and its parsed headers. Both kinds of tables
 * read them: the masked compare of firmware's tables (params.c) and the STE walk. Numbers are in
 * host order. An offset is only set when the whole fixed header lies inside the packet, so that
 * header's bytes may be read; addresses are read from the packet.
 */
enum packet_l4 {
	PACKET_L4_NONE,
	PACKET_TCP,
	PACKET_UDP,
	PACKET_ICMP,
	PACKET_ICMP6,
	PACKET_L4_OTHER
};

#define PACKET_VLANS  2u
#define PACKET_LABELS 5u /* of an MPLS stack: as many as ste_mpls_v1 has */

struct packet_headers {
	bool present;  /* an Ethernet header, or IP inside a tunnel of layer 3 */
	bool ethernet; /* its 14 bytes are there, at l2 */
	uint16_t l2, l3,
		l4;	   /* offsets in the packet; l3 0: no IP; l4 0: none, or a later fragment */
	uint16_t mpls;	   /* offset of the first label; 0: none */
	uint8_t labels;	   /* whole ones, up to the bottom of the stack or PACKET_LABELS */
	uint16_t end;	   /* behind the last header that was understood */
	uint8_t vlans;	   /* 0, 1 or 2 tags */
	bool svlan, cvlan; /* kind of the first tag: 0x88a8, 0x8100 */
	bool svlan2, cvlan2;	     /* of the second */
	uint16_t vlan[PACKET_VLANS]; /* TCI */
	uint16_t ethertype;	     /* after the tags; the tunnel's, if there is no Ethernet */
	uint8_t ip_version;	     /* 0, 4 or 6 */
	uint8_t ip_protocol;	     /* of the last extension header */
	uint8_t dscp, ecn, ttl, ihl;
	uint32_t flow_label; /* IPv6 */
	bool frag;	     /* any fragment, the first one too */
	bool l3_ok;	     /* lengths agree, and IPv4's checksum */
	bool truncated;	 /* a header ends behind the packet or its IP packet; nothing after it is
			    parsed */
	uint8_t l4_type; /* enum packet_l4; NONE: no IP, a later fragment, or cut off */
	uint16_t sport, dport; /* of TCP and UDP */
	uint16_t tcp_flags;    /* 9 bits, as fte_match_set_lyr_2_4.tcp_flags */
	uint32_t l3_end;       /* the IP packet's end; at most the packet's length */
};

enum packet_tunnel {
	PACKET_NO_TUNNEL,
	PACKET_VXLAN,
	PACKET_VXLAN_GPE,
	PACKET_GENEVE,
	PACKET_GRE,
	PACKET_IPIP,
};

struct packet {
	uint8_t *data; /* Ethernet header first, no FCS */
	uint32_t len;
	uint32_t headroom, tailroom;	    /* bytes before and behind, for actions that push */
	struct packet_headers outer, inner; /* inner: inside a tunnel that is understood */
	uint8_t tunnel;			    /* enum packet_tunnel */
	uint16_t tunnel_at;  /* offset of its header, which is whole; IPIP has none */
	uint32_t tunnel_vni; /* VXLAN, VXLAN-GPE, Geneve */
	uint32_t gre_key;    /* 0: no key */
	/* metadata beside the bytes */
	uint16_t source_vhca;
	uint32_t source_sqn;
	uint32_t reg_a, reg_b, reg_c[8];
	uint32_t flow_tag;
};

/* Fills outer and inner from the bytes; call it again after the bytes changed. Never fails. */
void packet_parse_headers(struct packet *);
/*
 * True if the checksum of TCP, UDP or ICMP is right (UDP over IPv4 may have none); false for
 * fragments. It reads the whole packet, so it is not part of parsing: only completions need it.
 */
bool packet_l4_ok(const struct packet *, const struct packet_headers *);

/* One's complement sum of the 16-bit words in network order, folded, not inverted (RFC 1071). */
uint16_t packet_sum(const uint8_t *, size_t len, uint32_t start);
/* RFC 793, RFC 8200: addresses, protocol, length of layer 4. */
uint32_t packet_pseudo_header_sum(const struct packet *, const struct packet_headers *,
				  uint32_t len);

static inline uint16_t packet_load16(const uint8_t *p)
{
	return (uint16_t)(p[0] << 8 | p[1]);
}

/* The low 16 bits. */
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
