/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads a frame's fields. Nothing of the device's own parser is used here: explain checks it
 * independently.
 */
#include <string.h>
#include "change.h"

enum { ETH_IPV4 = 0x0800, ETH_IPV6 = 0x86dd, ETH_CVLAN = 0x8100, ETH_SVLAN = 0x88a8 };
enum { ETH_BRIDGED = 0x6558, ETH_MPLS = 0x8847, ETH_MPLS_MULTICAST = 0x8848 };
enum { IP_ICMP = 1, IP_TCP = 6, IP_UDP = 17, IP_FRAGMENT = 44, IP_AH = 51, IP_ICMP6 = 58 };
enum { IP_IPV4 = 4, IP_IPV6 = 41, IP_GRE = 47 };
enum {
	PORT_VXLAN = 4789,
	PORT_VXLAN_GPE = 4790,
	PORT_GENEVE = 6081,
	PORT_GTPU = 2152,
	PORT_MPLS = 6635
};
enum { LABELS_MAX = 5 };

struct frame_reader {
	const uint8_t *p;
	size_t len, at;
	struct fields *out;
	struct frame_places *places;
	bool inner;
};

static void frame_fields_put(struct frame_reader *c, enum field f, u128 value)
{
	if (c->inner)
		f = F_INNER(f);
	c->out->value[f] = value;
	c->out->known[f] = true;
}

static uint32_t frame_fields_number(const struct frame_reader *c, size_t at, unsigned int bytes)
{
	return frame_number(c->p + at, bytes);
}

/* Reads the fields of a header that rewrites know, too. */
static void frame_fields_read(struct frame_reader *c, enum change_header header, size_t at)
{
	for (const struct change_part *p = change_parts; p->bits; p++) {
		enum field f = c->inner ? F_INNER(p->field) : (enum field)p->field;
		u128 v = p->header == header ? frame_number(c->p + at + p->at, p->bytes) : 0;

		c->out->value[f] |= (v >> p->shift & change_mask(p->bits)) << p->above;
		c->out->known[f] = c->out->known[f] || p->header == header;
	}
}

static bool frame_fields_has(const struct frame_reader *c, size_t bytes)
{
	return c->len - c->at >= bytes;
}

static void ethernet(struct frame_reader *c);
static void layer3(struct frame_reader *c, uint32_t type);

static void ports(struct frame_reader *c, unsigned int l4)
{
	if (!c->inner) {
		c->places->l4 = c->at;
		c->places->end = c->len;
	}
	frame_fields_put(c, F_L4, l4);
	frame_fields_read(c, PORTS, c->at);
}

static void tcp(struct frame_reader *c)
{
	if (!frame_fields_has(c, 20))
		return;
	ports(c, 1);
	frame_fields_read(c, TCP, c->at);
}

/* --- tunnels: one level --- */

static void words(struct frame_reader *c, size_t n)
{
	frame_fields_put(c, F_TUNNEL_0, frame_fields_number(c, c->at, 4));
	if (n > 4)
		frame_fields_put(c, F_TUNNEL_1, frame_fields_number(c, c->at + 4, 4));
}

static void inside(struct frame_reader *c, size_t header, uint32_t type)
{
	c->at += header;
	if (type != ETH_BRIDGED && type != ETH_IPV4 && type != ETH_IPV6)
		return;
	c->inner = true;
	if (type == ETH_BRIDGED)
		ethernet(c);
	else
		layer3(c, type);
}

static void vxlan(struct frame_reader *c)
{
	words(c, 8);
	frame_fields_put(c, F_VNI, frame_fields_number(c, c->at + 4, 4));
	inside(c, 8, ETH_BRIDGED);
}

static void vxlan_gpe(struct frame_reader *c)
{
	uint32_t next = c->p[c->at + 3];

	words(c, 8);
	frame_fields_put(c, F_GPE_FLAGS, c->p[c->at]);
	frame_fields_put(c, F_GPE_NEXT, next);
	frame_fields_put(c, F_GPE_VNI, frame_fields_number(c, c->at + 4, 3));
	inside(c, 8, next == 1 ? ETH_IPV4 : next == 2 ? ETH_IPV6 : next == 3 ? ETH_BRIDGED : 0);
}

/* Reads the first of n words of options that has the class and type of the one to look for. */
static void frame_fields_option(struct frame_reader *c, size_t n)
{
	size_t at = c->at + 8, end = at + 4 * n, bytes;

	for (; c->out->option && at < end; at += bytes) {
		bytes = 4 + 4u * (c->p[at + 3] & 0x1f);
		if (bytes > end - at)
			return;
		if (frame_fields_number(c, at, 3) != c->out->option >> 8)
			continue;
		if (bytes > 4)
			frame_fields_put(c, F_GENEVE_OPTION, frame_fields_number(c, at + 4, 4));
		return;
	}
}

static void geneve(struct frame_reader *c)
{
	size_t options = c->p[c->at] & 0x3f;
	uint32_t type = frame_fields_number(c, c->at + 2, 2);

	if (!frame_fields_has(c, 8 + 4 * options))
		return;
	words(c, 8);
	frame_fields_put(c, F_GENEVE_OPTIONS, options);
	frame_fields_option(c, options);
	frame_fields_put(c, F_GENEVE_OAM, c->p[c->at + 1] >> 7);
	frame_fields_put(c, F_GENEVE_PROTO, type);
	frame_fields_put(c, F_GENEVE_VNI, frame_fields_number(c, c->at + 4, 3));
	inside(c, 8 + 4 * options, c->p[c->at] >> 6 ? 0 : type);
}

/* Reads GTP-U; a packet of version 1 and type 255 has IP behind the extension headers. */
static void gtpu(struct frame_reader *c)
{
	uint32_t flags = c->p[c->at], type = c->p[c->at + 1];
	size_t n = flags & 7 ? 12 : 8, more = 1;

	words(c, 8);
	frame_fields_put(c, F_GTPU_TEID, frame_fields_number(c, c->at + 4, 4));
	while (frame_fields_has(c, n) && more && flags & 4 && c->p[c->at + n - 1]) {
		more = frame_fields_has(c, n + 1) ? 4u * c->p[c->at + n] : 0;
		n += more;
	}
	if (!more || !frame_fields_has(c, n + 1) || flags >> 4 != 3 || type != 255)
		return;
	inside(c, n,
	       c->p[c->at + n] >> 4 == 4   ? ETH_IPV4
	       : c->p[c->at + n] >> 4 == 6 ? ETH_IPV6
					   : 0);
}

/* Reads the IP packet behind n bytes and a stack of up to five labels. */
static void frame_fields_labels(struct frame_reader *c, size_t n)
{
	size_t most = n + 5 * sizeof(uint32_t);
	bool last = false;

	while (!last) {
		if (n == most || !frame_fields_has(c, n + 4))
			return;
		last = c->p[c->at + n + 2] & 1;
		n += 4;
	}
	if (frame_fields_has(c, n + 1))
		inside(c, n,
		       c->p[c->at + n] >> 4 == 4   ? ETH_IPV4
		       : c->p[c->at + n] >> 4 == 6 ? ETH_IPV6
						   : 0);
}

/* Reads GRE. RFC 2890; the word of a checksum is there for RFC 1701's routing, too. */
static void frame_fields_gre(struct frame_reader *c)
{
	uint32_t first, key, end, sum;

	if (!frame_fields_has(c, 4))
		return;
	first = frame_fields_number(c, c->at, 4);
	sum = first >> 30 ? 1 : 0;
	key = 4 + 4 * sum;
	end = key + 4 * (first >> 29 & 1) + 4 * (first >> 28 & 1);
	if (!frame_fields_has(c, end))
		return;
	words(c, key);
	frame_fields_put(c, F_GRE_SUM, first >> 31);
	frame_fields_put(c, F_GRE_HAS_KEY, first >> 29 & 1);
	frame_fields_put(c, F_GRE_SEQ, first >> 28 & 1);
	frame_fields_put(c, F_GRE_PROTO, first & 0xffff);
	if (first >> 29 & 1)
		frame_fields_put(c, F_GRE_KEY, frame_fields_number(c, c->at + key, 4));
	if ((first & 0x4006ffff) == ETH_MPLS)
		frame_fields_labels(c, end);
	else
		inside(c, end, (first & 0x40060000) ? 0 : first & 0xffff);
}

static void udp(struct frame_reader *c)
{
	uint32_t port;

	if (!frame_fields_has(c, 8))
		return;
	ports(c, 2);
	if (c->inner || !frame_fields_has(c, 12))
		return;
	port = frame_fields_number(c, c->at + 2, 2);
	c->at += 8;
	if (port == PORT_MPLS)
		frame_fields_labels(c, 0);
	if (port == PORT_MPLS || !frame_fields_has(c, 8))
		return;
	switch (port) {
	case PORT_VXLAN:
		vxlan(c);
		break;
	case PORT_VXLAN_GPE:
		vxlan_gpe(c);
		break;
	case PORT_GENEVE:
		geneve(c);
		break;
	case PORT_GTPU:
		gtpu(c);
		break;
	default:
		break;
	}
}

static void frame_fields_other(struct frame_reader *c, unsigned int protocol)
{
	frame_fields_put(c, F_L4, 3);
	if (c->inner)
		return;
	if (protocol == IP_GRE)
		frame_fields_gre(c);
	else if (protocol == IP_IPV4 || protocol == IP_IPV6)
		inside(c, 0, protocol == IP_IPV4 ? ETH_IPV4 : ETH_IPV6);
}

static void frame_fields_icmp(struct frame_reader *c)
{
	frame_fields_put(c, F_L4, 3);
	if (!frame_fields_has(c, 8))
		return;
	frame_fields_put(c, F_ICMP_TYPE, c->p[c->at]);
	frame_fields_put(c, F_ICMP_CODE, c->p[c->at + 1]);
	frame_fields_put(c, F_ICMP_DATA, frame_fields_number(c, c->at + 4, 4));
}

static void layer4(struct frame_reader *c, unsigned int protocol, bool later_fragment)
{
	frame_fields_put(c, F_PROTO, protocol);
	if (later_fragment)
		return;
	if (protocol == IP_TCP)
		tcp(c);
	else if (protocol == IP_UDP)
		udp(c);
	else if (protocol == IP_ICMP || protocol == IP_ICMP6)
		frame_fields_icmp(c);
	else
		frame_fields_other(c, protocol);
}

static void frame_fields_place_l3(struct frame_reader *c)
{
	if (c->inner)
		c->places->inner_l3 = c->at;
	else
		c->places->l3 = c->at;
}

/* Ends the headers with the IP packet; Ethernet's padding is not part of it. */
static void ends_after(struct frame_reader *c, size_t bytes)
{
	if (bytes < c->len - c->at)
		c->len = c->at + bytes;
}

static void ipv4(struct frame_reader *c)
{
	size_t start = c->at, ihl;
	uint32_t frag;

	if (!frame_fields_has(c, 20) || c->p[start] >> 4 != 4 || (c->p[start] & 0xf) < 5)
		return;
	frame_fields_place_l3(c);
	ihl = (c->p[start] & 0xf) * 4u;
	frag = frame_fields_number(c, start + 6, 2);
	frame_fields_put(c, F_L3, 1);
	frame_fields_put(c, F_IHL, ihl / 4);
	frame_fields_read(c, IPV4, start);
	frame_fields_put(c, F_FRAG, (frag & 0x3fff) != 0);
	frame_fields_put(c, F_PROTO, c->p[start + 9]);
	ends_after(c, frame_fields_number(c, start + 2, 2));
	if (!frame_fields_has(c, ihl))
		return;
	c->at += ihl;
	layer4(c, c->p[start + 9], frag & 0x1fff);
}

/* Returns the length of the extension header here; 0: there is none. */
static size_t frame_fields_extension(const struct frame_reader *c, unsigned int protocol)
{
	switch (protocol) {
	case 0:
	case 43:
	case 60:
		return (c->p[c->at + 1] + 1u) * 8u;
	case IP_FRAGMENT:
		return 8;
	case IP_AH:
		return (c->p[c->at + 1] + 2u) * 4u;
	default:
		return 0;
	}
}

static bool frame_fields_is_extension(unsigned int protocol)
{
	return protocol == 0 || protocol == 43 || protocol == IP_FRAGMENT || protocol == IP_AH ||
	       protocol == 60;
}

/* Skips extension headers. Returns false if no layer 4 header follows. */
static bool extensions(struct frame_reader *c, unsigned int *protocol)
{
	while (frame_fields_is_extension(*protocol)) {
		bool later = false;
		size_t size;

		if (!frame_fields_has(c, 8) ||
		    !frame_fields_has(c, size = frame_fields_extension(c, *protocol)))
			return false;
		if (*protocol == IP_FRAGMENT) {
			frame_fields_put(c, F_FRAG, 1);
			later = frame_fields_number(c, c->at + 2, 2) >> 3;
		}
		*protocol = c->p[c->at];
		c->at += size;
		if (later)
			return false;
	}
	return true;
}

static void ipv6(struct frame_reader *c)
{
	size_t start = c->at;
	unsigned int protocol;
	bool later;

	if (!frame_fields_has(c, 40) || c->p[start] >> 4 != 6)
		return;
	frame_fields_place_l3(c);
	frame_fields_put(c, F_L3, 2);
	frame_fields_read(c, IPV6, start);
	frame_fields_put(c, F_FLOWLABEL, frame_fields_number(c, start, 4) & 0xfffff);
	frame_fields_put(c, F_FRAG, 0);
	ends_after(c, 40 + frame_fields_number(c, start + 4, 2));
	protocol = c->p[start + 6];
	c->at += 40;
	later = !extensions(c, &protocol);
	layer4(c, protocol, later);
}

static void frame_fields_mpls(struct frame_reader *c)
{
	uint32_t label = 0;

	for (unsigned int i = 0; !(label & 0x100); i++) {
		if (i == LABELS_MAX || !frame_fields_has(c, 4))
			return;
		label = frame_fields_number(c, c->at, 4);
		c->at += 4;
		if (i)
			continue;
		frame_fields_put(c, F_MPLS_LABEL, label >> 12);
		frame_fields_put(c, F_MPLS_TC, label >> 9 & 7);
		frame_fields_put(c, F_MPLS_BOTTOM, label >> 8 & 1);
		frame_fields_put(c, F_MPLS_TTL, label & 0xff);
	}
	if (frame_fields_has(c, 1) && c->p[c->at] >> 4 == 4)
		ipv4(c);
	else if (frame_fields_has(c, 1) && c->p[c->at] >> 4 == 6)
		ipv6(c);
}

static void layer3(struct frame_reader *c, uint32_t type)
{
	frame_fields_put(c, F_ETHERTYPE, type);
	frame_fields_put(c, F_L3, 0);
	frame_fields_put(c, F_L4, 0);
	if (type == ETH_IPV4)
		ipv4(c);
	else if (type == ETH_IPV6)
		ipv6(c);
	else if (type == ETH_MPLS || type == ETH_MPLS_MULTICAST)
		frame_fields_mpls(c);
}

static void vlan_tag(struct frame_reader *c, enum field kind, uint32_t type)
{
	uint32_t tci = frame_fields_number(c, c->at, 2);

	frame_fields_put(c, kind, type == ETH_SVLAN ? 1 : 2);
	frame_fields_put(c, (enum field)(kind + 1), tci & 0xfff);
	frame_fields_put(c, (enum field)(kind + 2), tci >> 12 & 1);
	frame_fields_put(c, (enum field)(kind + 3), tci >> 13);
}

static void ethernet(struct frame_reader *c)
{
	uint32_t type;

	if (!frame_fields_has(c, 14))
		return;
	frame_fields_read(c, ETHERNET, c->at);
	type = frame_fields_number(c, c->at + 12, 2);
	if (c->inner)
		c->places->inner_l2 = c->at;
	c->at += 14;
	frame_fields_put(c, F_VLAN_KIND, 0);
	frame_fields_put(c, F_VLAN2_KIND, 0);
	for (unsigned int tags = 0; tags < 2; tags++) {
		if ((type != ETH_CVLAN && type != ETH_SVLAN) || !frame_fields_has(c, 4))
			break;
		vlan_tag(c, tags ? F_VLAN2_KIND : F_VLAN_KIND, type);
		type = frame_fields_number(c, c->at + 2, 2);
		c->at += 4;
	}
	if (!c->inner)
		c->places->type = c->at - 2;
	layer3(c, type);
}

void fields_of_frame_at(struct fields *out, struct frame_places *at, const uint8_t *frame,
			size_t len)
{
	struct frame_reader c = {.p = frame, .len = len, .out = out, .places = at};

	*out = (struct fields){.option = out->option};
	memset(at, 0, sizeof(*at));
	ethernet(&c);
}

void fields_of_frame(struct fields *out, const uint8_t *frame, size_t len)
{
	struct frame_places at;

	fields_of_frame_at(out, &at, frame, len);
}
