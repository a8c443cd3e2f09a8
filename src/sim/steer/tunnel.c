/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tunnels, and the headers inside. One level: what is inside a tunnel is not looked through again.
 * MPLS inside GRE or UDP, GTP-U and Geneve's options want a flex parser, and there is none
 * (flex_parser_protocols).
 */
#include <string.h>
#include "parse.h"

#define PROTO_IPIP     4
#define PROTO_UDP      17
#define PROTO_IPV6     41
#define PROTO_GRE      47

#define PORT_VXLAN     4789 /* what firmware knows without ADD_VXLAN_UDP_DPORT */
#define PORT_VXLAN_GPE 4790
#define PORT_GENEVE    6081

#define VXLAN_BYTES    8u
#define GENEVE_BYTES   8u
#define GENEVE_VERSION 0xc0
#define GENEVE_OPTIONS 0x3f /* in words */

/* RFC 2784, 2890, and of RFC 1701 the routing, behind which nothing is looked at. */
#define GRE_BYTES    4u
#define GRE_OPTION   4u
#define GRE_CHECKSUM 0x8000
#define GRE_ROUTING  0x4000
#define GRE_KEY	     0x2000
#define GRE_SEQUENCE 0x1000
#define GRE_VERSION  0x0007

/* How long a tunnel's header is, options too, and what it carries: an EtherType, or 0. */
struct cover {
	uint32_t bytes;
	uint16_t inner;
};

/* The fixed part of the header is there. It tells of the whole, which may not be. */
typedef struct cover cover_fn(struct packet *, const uint8_t *header);

/* [I] The port alone tells: not the header's flags, nor whether fragments follow. */
static struct cover vxlan(struct packet *p, const uint8_t *header)
{
	p->tunnel_vni = packet_load32(header + 4) >> 8;
	return (struct cover){VXLAN_BYTES, ETHERTYPE_TEB};
}

static struct cover vxlan_gpe(struct packet *p, const uint8_t *header)
{
	static const uint16_t next[] = {0, ETHERTYPE_IPV4, ETHERTYPE_IPV6, ETHERTYPE_TEB};
	uint8_t protocol = header[3];

	p->tunnel_vni = packet_load32(header + 4) >> 8;
	return (struct cover){VXLAN_BYTES,
			      protocol < sizeof(next) / sizeof(next[0]) ? next[protocol] : 0};
}

static struct cover geneve(struct packet *p, const uint8_t *header)
{
	p->tunnel_vni = packet_load32(header + 4) >> 8;
	return (struct cover){GENEVE_BYTES + 4u * (header[0] & GENEVE_OPTIONS),
			      header[0] & GENEVE_VERSION ? 0 : packet_load16(header + 2)};
}

static uint32_t gre_key_at(uint16_t flags)
{
	return GRE_BYTES + (flags & (GRE_CHECKSUM | GRE_ROUTING) ? GRE_OPTION : 0);
}

static struct cover tunnel_gre(struct packet *p, const uint8_t *header)
{
	uint16_t flags = packet_load16(header);
	uint32_t bytes = gre_key_at(flags);

	(void)p;
	bytes += flags & GRE_KEY ? GRE_OPTION : 0;
	bytes += flags & GRE_SEQUENCE ? GRE_OPTION : 0;
	return (struct cover){bytes,
			      flags & (GRE_ROUTING | GRE_VERSION) ? 0 : packet_load16(header + 2)};
}

static const struct kind {
	uint8_t tunnel, protocol;
	uint16_t port; /* of UDP */
	uint8_t fixed; /* bytes that cover() reads */
	cover_fn *cover;
	uint16_t inner; /* without a header that tells */
} kinds[] = {
	{PACKET_VXLAN, PROTO_UDP, PORT_VXLAN, VXLAN_BYTES, vxlan, 0},
	{PACKET_VXLAN_GPE, PROTO_UDP, PORT_VXLAN_GPE, VXLAN_BYTES, vxlan_gpe, 0},
	{PACKET_GENEVE, PROTO_UDP, PORT_GENEVE, GENEVE_BYTES, geneve, 0},
	{PACKET_GRE, PROTO_GRE, 0, GRE_BYTES, tunnel_gre, 0},
	{PACKET_IPIP, PROTO_IPIP, 0, 0, NULL, ETHERTYPE_IPV4},
	{PACKET_IPIP, PROTO_IPV6, 0, 0, NULL, ETHERTYPE_IPV6},
};

static const struct kind *tunnel_kind_of(const struct packet_headers *o)
{
	/* Most packets are TCP's, and no tunnel. */
	if (!o->l4 || o->l4_type == PACKET_TCP)
		return NULL;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (kinds[i].protocol == o->ip_protocol && kinds[i].port == o->dport)
			return &kinds[i];
	return NULL;
}

static void tunnel_forget(struct packet *p)
{
	p->tunnel = PACKET_NO_TUNNEL;
	p->tunnel_at = 0;
	p->tunnel_vni = 0;
	p->gre_key = 0;
}

static void tunnel_note(struct packet *p, const struct kind *k)
{
	const uint8_t *header = p->data + p->outer.end;

	p->tunnel = k->tunnel;
	p->tunnel_at = k->fixed ? p->outer.end : 0;
	if (k->tunnel == PACKET_GRE && packet_load16(header) & GRE_KEY)
		p->gre_key = packet_load32(header + gre_key_at(packet_load16(header)));
}

static void parse_inner(struct packet *p, const struct cover *c)
{
	uint32_t at = p->outer.end + c->bytes;

	if (c->inner == ETHERTYPE_TEB)
		parse_l2(p, &p->inner, at, p->outer.l3_end);
	else if (c->inner == ETHERTYPE_IPV4 || c->inner == ETHERTYPE_IPV6)
		parse_l3(p, &p->inner, c->inner, at, p->outer.l3_end);
}

void parse_tunnel(struct packet *p)
{
	const struct packet_headers *o = &p->outer;
	const struct kind *k = tunnel_kind_of(o);
	struct cover c = {0, k ? k->inner : 0};

	tunnel_forget(p);
	if (!k || !parse_room(o->end, k->fixed, o->l3_end))
		return;
	if (k->cover)
		c = k->cover(p, p->data + o->end);
	if (parse_room(o->end, c.bytes, o->l3_end)) {
		tunnel_note(p, k);
		parse_inner(p, &c);
	} else {
		tunnel_forget(p);
	}
}
