/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parses tunnels and the headers inside them, one level deep. Geneve's options are looked for when
 * a rule compares them (flex.h).
 */
#include <string.h>
#include "parse.h"

#define PROTO_IPIP     4
#define PROTO_UDP      17u
#define PROTO_IPV6     41
#define PROTO_GRE      47

#define PORT_VXLAN     4789 /* firmware's default; ADD_VXLAN_UDP_DPORT adds others */
#define PORT_VXLAN_GPE 4790
#define PORT_GENEVE    6081

#define VXLAN_BYTES    8u
#define GENEVE_BYTES   8u
#define GENEVE_VERSION 0xc0
#define GENEVE_OPTIONS 0x3f /* in words */

/* GTP-U headers: 3GPP TS 29.281, 5.1 and 5.2. [I] Extension headers are skipped. */
#define PORT_GTPU      2152
#define GTPU_BYTES     8u
#define GTPU_VERSION   0xf0 /* and the bit that tells GTP from GTP' */
#define GTPU_1	       0x30
#define GTPU_FIELDS    0x07 /* one of them is there, so the word for all three is */
#define GTPU_EXTENSION 0x04
#define GTPU_PACKET    255 /* message type: a user's packet follows */

#define PORT_MPLS      6635 /* RFC 7510 */
#define LABEL_BYTES    4u
#define LABEL_END      1u /* of its third byte: the stack's bottom */

/* GRE headers: RFC 2784, RFC 2890, and RFC 1701's routing, behind which nothing is parsed. */
#define GRE_BYTES    4u
#define GRE_OPTION   4u
#define GRE_CHECKSUM 0x8000
#define GRE_ROUTING  0x4000
#define GRE_KEY	     0x2000
#define GRE_SEQUENCE 0x1000
#define GRE_VERSION  0x0006 /* bits of versions 2 to 7; rdma-core's tests end tunnels of version 1 */

/* Length of a tunnel's header with its options, and the EtherType of its payload, or 0. */
struct tunnel_header {
	uint32_t bytes;
	uint16_t inner;
};

/* Reads the fixed part of the header, which lies in the packet; the rest of the header may not. */
typedef struct tunnel_header tunnel_read_fn(struct packet *, const uint8_t *header);

/* Reads VXLAN. [I] The port alone decides: flags and fragmentation do not matter. */
static struct tunnel_header tunnel_vxlan(struct packet *p, const uint8_t *header)
{
	p->tunnel_vni = packet_load32(header + 4) >> 8;
	return (struct tunnel_header){VXLAN_BYTES, ETHERTYPE_TEB};
}

static struct tunnel_header tunnel_vxlan_gpe(struct packet *p, const uint8_t *header)
{
	static const uint16_t next[] = {0, ETHERTYPE_IPV4, ETHERTYPE_IPV6, ETHERTYPE_TEB};
	uint8_t protocol = header[3];

	p->tunnel_vni = packet_load32(header + 4) >> 8;
	return (struct tunnel_header){
		VXLAN_BYTES, protocol < sizeof(next) / sizeof(next[0]) ? next[protocol] : 0};
}

static struct tunnel_header tunnel_geneve(struct packet *p, const uint8_t *header)
{
	p->tunnel_vni = packet_load32(header + 4) >> 8;
	return (struct tunnel_header){GENEVE_BYTES + 4u * (header[0] & GENEVE_OPTIONS),
				      header[0] & GENEVE_VERSION ? 0 : packet_load16(header + 2)};
}

/* Returns the header's length with its extensions; 0: it is not whole. */
static uint32_t gtpu_bytes(const uint8_t *header, uint32_t room)
{
	uint32_t bytes = GTPU_BYTES + (header[0] & GTPU_FIELDS ? 4u : 0u), more;

	if (bytes > room)
		return 0;
	while (header[0] & GTPU_EXTENSION && header[bytes - 1]) {
		more = bytes < room ? 4u * header[bytes] : 0;
		if (!more || more > room - bytes)
			return 0;
		bytes += more;
	}
	return bytes;
}

static struct tunnel_header tunnel_gtpu(struct packet *p, const uint8_t *header)
{
	uint32_t room = (uint32_t)(p->data + p->outer.l3_end - header);
	uint32_t bytes = gtpu_bytes(header, room);
	struct tunnel_header h = {bytes ? bytes : GTPU_BYTES, 0};
	uint8_t version = bytes && bytes < room ? header[bytes] >> 4 : 0;

	if ((header[0] & GTPU_VERSION) == GTPU_1 && header[1] == GTPU_PACKET)
		h.inner = version == 4 ? ETHERTYPE_IPV4 : version == 6 ? ETHERTYPE_IPV6 : 0;
	return h;
}

/* Returns the EtherType of the IP packet at `at`, by its version; 0: there is none. */
static uint16_t tunnel_ip_type(const struct packet *p, uint32_t at)
{
	uint8_t version = parse_room(at, 1, p->outer.l3_end) ? p->data[at] >> 4 : 0;

	return version == 4 ? ETHERTYPE_IPV4 : version == 6 ? ETHERTYPE_IPV6 : 0;
}

/*
 * Notes the first label behind `bytes` of a tunnel's header, and reads the IP packet behind the stack
 * as parse_mpls() does. [I] The labels are the tunnel's: they are not those of the inner headers.
 */
static struct tunnel_header tunnel_labels(struct packet *p, const uint8_t *header, uint32_t bytes)
{
	uint32_t at = (uint32_t)(header - p->data) + bytes, end = p->outer.l3_end, n = 0;
	bool last = false;

	if (!parse_room(at, LABEL_BYTES, end))
		return (struct tunnel_header){bytes, 0};
	p->tunnel_mpls = (uint16_t)at;
	while (!last) {
		if (n == PACKET_LABELS * LABEL_BYTES || !parse_room(at + n, LABEL_BYTES, end))
			return (struct tunnel_header){bytes, 0};
		last = p->data[at + n + 2] & LABEL_END;
		n += LABEL_BYTES;
	}
	return (struct tunnel_header){bytes + n, tunnel_ip_type(p, at + n)};
}

static struct tunnel_header tunnel_mpls_udp(struct packet *p, const uint8_t *header)
{
	return tunnel_labels(p, header, 0);
}

static uint32_t gre_key_at(uint16_t flags)
{
	return GRE_BYTES + (flags & (GRE_CHECKSUM | GRE_ROUTING) ? GRE_OPTION : 0);
}

static struct tunnel_header tunnel_gre(struct packet *p, const uint8_t *header)
{
	uint16_t flags = packet_load16(header);
	uint32_t bytes = gre_key_at(flags);

	bytes += flags & GRE_KEY ? GRE_OPTION : 0;
	bytes += flags & GRE_SEQUENCE ? GRE_OPTION : 0;
	if (!(flags & (GRE_ROUTING | GRE_VERSION)) && packet_load16(header + 2) == ETHERTYPE_MPLS)
		return tunnel_labels(p, header, bytes);
	return (struct tunnel_header){
		bytes, flags & (GRE_ROUTING | GRE_VERSION) ? 0 : packet_load16(header + 2)};
}

static const struct tunnel_kind {
	uint8_t tunnel, protocol;
	uint16_t port; /* UDP destination port */
	uint8_t fixed; /* bytes that read() needs */
	tunnel_read_fn *read;
	uint16_t inner; /* EtherType of the payload, for a tunnel without a header */
} kinds[] = {
	{PACKET_VXLAN, PROTO_UDP, PORT_VXLAN, VXLAN_BYTES, tunnel_vxlan, 0},
	{PACKET_VXLAN_GPE, PROTO_UDP, PORT_VXLAN_GPE, VXLAN_BYTES, tunnel_vxlan_gpe, 0},
	{PACKET_GENEVE, PROTO_UDP, PORT_GENEVE, GENEVE_BYTES, tunnel_geneve, 0},
	{PACKET_GTPU, PROTO_UDP, PORT_GTPU, GTPU_BYTES, tunnel_gtpu, 0},
	{PACKET_MPLS_UDP, PROTO_UDP, PORT_MPLS, LABEL_BYTES, tunnel_mpls_udp, 0},
	{PACKET_GRE, PROTO_GRE, 0, GRE_BYTES, tunnel_gre, 0},
	{PACKET_IPIP, PROTO_IPIP, 0, 0, NULL, ETHERTYPE_IPV4},
	{PACKET_IPIP, PROTO_IPV6, 0, 0, NULL, ETHERTYPE_IPV6},
};

/* Returns whether software added the port to VXLAN's. */
static bool tunnel_port_added(const struct packet *p)
{
	const uint16_t *port = p->vxlan_ports;

	while (port && *port && *port != p->outer.dport)
		port++;
	return port && *port;
}

static const struct tunnel_kind *tunnel_kind_of(const struct packet *p)
{
	const struct packet_headers *o = &p->outer;

	/* Most packets are TCP without a tunnel */
	if (!o->l4 || o->l4_type == PACKET_TCP)
		return NULL;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (kinds[i].protocol == o->ip_protocol && kinds[i].port == o->dport)
			return &kinds[i];
	return o->l4_type == PACKET_UDP && tunnel_port_added(p) ? &kinds[0] : NULL;
}

static void tunnel_clear(struct packet *p)
{
	p->tunnel = PACKET_NO_TUNNEL;
	p->tunnel_at = 0;
	p->tunnel_mpls = 0;
	p->tunnel_vni = 0;
	p->gre_key = 0;
}

static void tunnel_note(struct packet *p, const struct tunnel_kind *k)
{
	const uint8_t *header = p->data + p->outer.end;

	p->tunnel = k->tunnel;
	/* Two words can be read there: a label is one. */
	p->tunnel_at = k->fixed && k->tunnel != PACKET_MPLS_UDP ? p->outer.end : 0;
	if (k->tunnel == PACKET_GRE && packet_load16(header) & GRE_KEY)
		p->gre_key = packet_load32(header + gre_key_at(packet_load16(header)));
}

static void parse_inner(struct packet *p, const struct tunnel_header *h)
{
	uint32_t at = p->outer.end + h->bytes;

	if (h->inner == ETHERTYPE_TEB)
		parse_l2(p, &p->inner, at, p->outer.l3_end);
	else if (h->inner == ETHERTYPE_IPV4 || h->inner == ETHERTYPE_IPV6)
		parse_l3(p, &p->inner, h->inner, at, p->outer.l3_end);
}

/* Finds the tunnel behind the outer headers, and parses the inner headers. */
static void parse_tunnel(struct packet *p)
{
	const struct packet_headers *o = &p->outer;
	const struct tunnel_kind *k = tunnel_kind_of(p);
	struct tunnel_header c = {0, k ? k->inner : 0};

	tunnel_clear(p);
	if (!k || !parse_room(o->end, k->fixed, o->l3_end))
		return;
	if (k->read)
		c = k->read(p, p->data + o->end);
	if (parse_room(o->end, c.bytes, o->l3_end)) {
		tunnel_note(p, k);
		parse_inner(p, &c);
	} else {
		tunnel_clear(p);
	}
}

void packet_parse_headers(struct packet *p)
{
	parse_l2(p, &p->outer, 0, p->len);
	p->inner.present = false;
	parse_tunnel(p);
	if (!p->inner.present)
		memset(&p->inner, 0, sizeof(p->inner));
}
