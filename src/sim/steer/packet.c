/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parses a packet's headers. Each read follows a check that the header lies inside the packet,
 * because the bytes come from programs and captures.
 */
#include <string.h>
#include "packet.h"
#include "parse.h"

#define ETH_BYTES	 14u
#define VLAN_BYTES	 4u
#define MPLS_BYTES	 4u
#define MPLS_BOTTOM	 0x100

#define IPV4_BYTES	 20u
#define IPV4_MORE	 0x2000
#define IPV4_OFFSET	 0x1fff
#define IPV6_BYTES	 40u
#define IPV6_FRAG_OFFSET 0xfff8

#define PROTO_HOPOPTS	 0
#define PROTO_ICMP	 1
#define PROTO_TCP	 6
#define PROTO_UDP	 17u
#define PROTO_ROUTING	 43
#define PROTO_FRAGMENT	 44
#define PROTO_AH	 51
#define PROTO_ICMP6	 58
#define PROTO_NONE	 59
#define PROTO_DSTOPTS	 60

#define TCP_BYTES	 20u
#define UDP_BYTES	 8u
#define ICMP_BYTES	 8u

uint16_t packet_sum(const uint8_t *p, size_t len, uint32_t start)
{
	uint64_t sum = start;
	size_t i;

	for (i = 0; i + 1 < len; i += 2)
		sum += packet_load16(p + i);
	if (i < len)
		sum += (uint64_t)p[i] << 8;
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)sum;
}

/* --- layer 4 -------------------------------------------------------------------------------- */

static uint8_t steer_packet_l4_type(uint8_t protocol, uint8_t ip_version)
{
	switch (protocol) {
	case PROTO_TCP:
		return PACKET_TCP;
	case PROTO_UDP:
		return PACKET_UDP;
	case PROTO_ICMP:
		return ip_version == 4 ? PACKET_ICMP : PACKET_L4_OTHER;
	case PROTO_ICMP6:
		return ip_version == 6 ? PACKET_ICMP6 : PACKET_L4_OTHER;
	default:
		return PACKET_L4_OTHER;
	}
}

static uint32_t l4_bytes(uint8_t type)
{
	static const uint8_t bytes[] = {
		[PACKET_TCP] = TCP_BYTES,    [PACKET_UDP] = UDP_BYTES, [PACKET_ICMP] = ICMP_BYTES,
		[PACKET_ICMP6] = ICMP_BYTES, [PACKET_L4_OTHER] = 0,
	};

	return bytes[type];
}

static void parse_l4(const struct packet *p, struct packet_headers *h, uint32_t at)
{
	uint8_t type = steer_packet_l4_type(h->ip_protocol, h->ip_version);
	uint32_t n = l4_bytes(type);
	const uint8_t *l4 = p->data + at;

	if (!parse_room(at, n, h->l3_end)) {
		h->truncated = true;
		return;
	}
	h->l4_type = type;
	h->l4 = (uint16_t)at;
	h->end = (uint16_t)(at + n);
	if (type != PACKET_TCP && type != PACKET_UDP)
		return;
	h->sport = packet_load16(l4);
	h->dport = packet_load16(l4 + 2);
	if (type == PACKET_TCP)
		h->tcp_flags = packet_load16(l4 + 12) & 0x1ff;
}

/* --- layer 3 -------------------------------------------------------------------------------- */

static void steer_packet_traffic_class(struct packet_headers *h, uint8_t tc)
{
	h->dscp = tc >> 2;
	h->ecn = tc & 3;
}

/* Sets the end of the packet according to IP, which padding of short Ethernet frames may follow. */
static void set_l3_end(struct packet_headers *h, uint32_t len, uint32_t end)
{
	bool whole = h->l3 + len <= end;

	h->l3_end = whole ? h->l3 + len : end;
	h->l3_ok = whole;
}

static void parse_ipv4(const struct packet *p, struct packet_headers *h, uint32_t at, uint32_t end)
{
	const uint8_t *ip = p->data + at;
	uint32_t header;
	uint16_t frag;

	if (!parse_room(at, IPV4_BYTES, end)) {
		h->truncated = true;
		return;
	}
	header = (ip[0] & 0xfu) * 4;
	if (ip[0] >> 4 != 4 || header < IPV4_BYTES)
		return;
	h->l3 = (uint16_t)at;
	h->ip_version = 4;
	h->ihl = ip[0] & 0xf;
	steer_packet_traffic_class(h, ip[1]);
	h->ttl = ip[8];
	h->ip_protocol = ip[9];
	frag = packet_load16(ip + 6);
	h->frag = frag & (IPV4_MORE | IPV4_OFFSET);
	set_l3_end(h, packet_load16(ip + 2), end);
	h->end = (uint16_t)(at + IPV4_BYTES);
	if (!parse_room(at, header, h->l3_end)) {
		h->truncated = true;
		h->l3_ok = false;
		return;
	}
	h->end = (uint16_t)(at + header);
	h->l3_ok = h->l3_ok && packet_sum(ip, header, 0) == 0xffff;
	if (!(frag & IPV4_OFFSET))
		parse_l4(p, h, at + header);
}

/* Returns the length of an extension header in bytes; 0: the type is not an extension header. */
static uint32_t steer_packet_extension(const uint8_t *ext, uint8_t type)
{
	switch (type) {
	case PROTO_HOPOPTS:
	case PROTO_ROUTING:
	case PROTO_DSTOPTS:
		return (ext[1] + 1u) * 8;
	case PROTO_FRAGMENT:
		return 8;
	case PROTO_AH:
		return (ext[1] + 2u) * 4;
	default:
		return 0;
	}
}

static bool steer_packet_is_extension(uint8_t type)
{
	return type == PROTO_HOPOPTS || type == PROTO_ROUTING || type == PROTO_DSTOPTS ||
	       type == PROTO_FRAGMENT || type == PROTO_AH;
}

/*
 * Parses to the last extension header. [I] There is no limit, whereas a chip's parser stops at some
 * depth. Each header has at least 8 bytes, so the packet's length bounds the loop.
 */
static void parse_ipv6_chain(const struct packet *p, struct packet_headers *h, uint32_t at)
{
	bool later = false;

	while (steer_packet_is_extension(h->ip_protocol)) {
		const uint8_t *ext = p->data + at;
		uint32_t n = parse_room(at, 8, h->l3_end)
				     ? steer_packet_extension(ext, h->ip_protocol)
				     : 0;

		if (!n || !parse_room(at, n, h->l3_end)) {
			h->truncated = true;
			return;
		}
		if (h->ip_protocol == PROTO_FRAGMENT) {
			h->frag = true;
			later = packet_load16(ext + 2) & IPV6_FRAG_OFFSET;
		}
		h->ip_protocol = ext[0];
		at += n;
		h->end = (uint16_t)at;
		/* A later fragment has no further headers */
		if (later)
			return;
	}
	if (h->ip_protocol != PROTO_NONE)
		parse_l4(p, h, at);
}

static void parse_ipv6(const struct packet *p, struct packet_headers *h, uint32_t at, uint32_t end)
{
	const uint8_t *ip = p->data + at;
	uint32_t first;

	if (!parse_room(at, IPV6_BYTES, end)) {
		h->truncated = true;
		return;
	}
	first = packet_load32(ip);
	if (first >> 28 != 6)
		return;
	h->l3 = (uint16_t)at;
	h->ip_version = 6;
	steer_packet_traffic_class(h, (uint8_t)(first >> 20));
	h->flow_label = first & 0xfffff;
	h->ip_protocol = ip[6];
	h->ttl = ip[7];
	h->end = (uint16_t)(at + IPV6_BYTES);
	set_l3_end(h, IPV6_BYTES + packet_load16(ip + 4), end);
	parse_ipv6_chain(p, h, at + IPV6_BYTES);
}

/* --- layer 2 -------------------------------------------------------------------------------- */

static bool is_vlan(uint16_t ethertype)
{
	return ethertype == ETHERTYPE_CVLAN || ethertype == ETHERTYPE_SVLAN;
}

static void note_vlan(struct packet_headers *h, uint16_t tci)
{
	bool service = h->ethertype == ETHERTYPE_SVLAN;

	if (h->vlans == 0) {
		h->svlan = service;
		h->cvlan = !service;
	} else {
		h->svlan2 = service;
		h->cvlan2 = !service;
	}
	h->vlan[h->vlans++] = tci;
}

/*
 * Parses IP behind an MPLS stack, because mlx5_ib accepts rules on EtherType MPLS and IP together.
 * [I] The first four bits are the IP version (RFC 4928); nothing is parsed behind a deeper stack.
 */
static void parse_mpls(const struct packet *p, struct packet_headers *h, uint32_t at, uint32_t end)
{
	uint32_t label = 0;

	while (!(label & MPLS_BOTTOM)) {
		if (h->labels == PACKET_LABELS)
			return;
		if (!parse_room(at, MPLS_BYTES, end)) {
			h->truncated = true;
			return;
		}
		label = packet_load32(p->data + at);
		if (!h->labels++)
			h->mpls = (uint16_t)at;
		at += MPLS_BYTES;
		h->end = (uint16_t)at;
	}
	if (parse_room(at, 1, end) && p->data[at] >> 4 == 4)
		parse_ipv4(p, h, at, end);
	else if (parse_room(at, 1, end) && p->data[at] >> 4 == 6)
		parse_ipv6(p, h, at, end);
}

static void by_ethertype(const struct packet *p, struct packet_headers *h, uint32_t at,
			 uint32_t end)
{
	switch (h->ethertype) {
	case ETHERTYPE_IPV4:
		parse_ipv4(p, h, at, end);
		break;
	case ETHERTYPE_IPV6:
		parse_ipv6(p, h, at, end);
		break;
	case ETHERTYPE_MPLS:
	case ETHERTYPE_MPLS_MC:
		parse_mpls(p, h, at, end);
		break;
	default:
		break;
	}
}

void parse_l2(const struct packet *p, struct packet_headers *h, uint32_t at, uint32_t end)
{
	memset(h, 0, sizeof(*h));
	if (!parse_room(at, ETH_BYTES, end)) {
		h->truncated = true;
		return;
	}
	h->present = true;
	h->ethernet = true;
	h->l2 = (uint16_t)at;
	h->ethertype = packet_load16(p->data + at + 12);
	at += ETH_BYTES;
	while (h->vlans < PACKET_VLANS && is_vlan(h->ethertype)) {
		if (!parse_room(at, VLAN_BYTES, end)) {
			h->truncated = true;
			break;
		}
		note_vlan(h, packet_load16(p->data + at));
		h->ethertype = packet_load16(p->data + at + 2);
		at += VLAN_BYTES;
	}
	h->end = (uint16_t)at;
	if (!h->truncated)
		by_ethertype(p, h, at, end);
}

void parse_l3(const struct packet *p, struct packet_headers *h, uint16_t ethertype, uint32_t at,
	      uint32_t end)
{
	memset(h, 0, sizeof(*h));
	h->present = true;
	h->ethertype = ethertype;
	by_ethertype(p, h, at, end);
}

/* --- checksums ------------------------------------------------------------------------------ */

uint32_t packet_pseudo_header_sum(const struct packet *p, const struct packet_headers *h,
				  uint32_t len)
{
	const uint8_t *ip = p->data + h->l3;
	uint32_t sum = h->ip_version == 4 ? packet_sum(ip + 12, 8, 0) : packet_sum(ip + 8, 32, 0);

	return sum + h->ip_protocol + (len & 0xffff) + (len >> 16);
}

bool packet_l4_ok(const struct packet *p, const struct packet_headers *h)
{
	uint32_t len = h->l3_end - h->l4, sum = 0;
	const uint8_t *l4 = p->data + h->l4;

	if (!h->l4 || h->frag || !h->l3_ok || h->l4_type == PACKET_L4_OTHER)
		return false;
	if (h->l4_type == PACKET_UDP) {
		if (!packet_load16(l4 + 6))
			return h->ip_version == 4;
		if (packet_load16(l4 + 4) < UDP_BYTES || packet_load16(l4 + 4) > len)
			return false;
		len = packet_load16(l4 + 4);
	}
	if (h->l4_type != PACKET_ICMP)
		sum = packet_pseudo_header_sum(p, h, len);
	return packet_sum(l4, len, sum) == 0xffff;
}
