/* SPDX-License-Identifier: BSD-2-Clause */
#include "roce.h"

#include <endian.h>
#include <string.h>
#include "base/crc32.h"
#include "frame.h"
#include "obj/device.h"

#define ETH_LEN	     14u
#define IP4_LEN	     20u
#define IP6_LEN	     40u
#define UDP_LEN	     8u
#define TYPE_IP4     0x0800u
#define TYPE_IP6     0x86ddu
#define TYPE_ROCE    0x8915u
#define TYPE_VLAN    0x8100u
#define VLAN_LEN     4u
#define VLAN_ID	     0xfffu
#define PROTO_UDP    17u
#define PROTO_BTH    0x1bu /* GRH.NxtHdr */
#define PORT_ROCE_V2 4791u
#define DONT_FRAG    0x4000u

static void roce_put16(uint8_t *p, uint32_t v)
{
	p[0] = (uint8_t)(v >> 8);
	p[1] = (uint8_t)v;
}

static uint32_t roce_get16(const uint8_t *p)
{
	return (uint32_t)p[0] << 8 | p[1];
}

static const uint8_t ip4_mapped[12] = {[10] = 0xff, [11] = 0xff};

static uint16_t ether_type(const struct roce_path *p)
{
	if (p->source->type == GID_ROCE_V1)
		return TYPE_ROCE;
	return gid_is_ip4(p->source->gid) && gid_is_ip4(p->dgid) ? TYPE_IP4 : TYPE_IP6;
}

/* Returns the bytes between Ethernet and BTH. */
static uint32_t net_len(uint32_t type)
{
	switch (type) {
	case TYPE_ROCE:
		return IP6_LEN;
	case TYPE_IP4:
		return IP4_LEN + UDP_LEN;
	default:
		return IP6_LEN + UDP_LEN;
	}
}

uint16_t roce_tci(const struct roce_path *p)
{
	return p->source->vlan ? (uint16_t)((p->prio & 7) << 13 | p->source->vlan) : 0;
}

/* Returns the bytes before the network header. */
static uint32_t eth_len(const struct roce_path *p)
{
	return ETH_LEN + (p->source->vlan ? VLAN_LEN : 0);
}

uint32_t roce_overhead(const struct roce_path *p)
{
	return eth_len(p) + net_len(ether_type(p)) + ROCE_BTH + ROCE_ICRC;
}

uint16_t roce_ip4_checksum(const uint8_t *ip)
{
	uint32_t sum = 0;

	for (unsigned int i = 0; i < IP4_LEN; i += 2)
		sum += roce_get16(ip + i);
	sum = (sum & 0xffff) + (sum >> 16);
	sum += sum >> 16;
	return (uint16_t)~sum;
}

/*
 * Writes an IPv4 header; len: bytes behind it. [I] Identification is 0, as Don't Fragment is set.
 */
static uint8_t *put_ip4(const struct roce_path *p, uint8_t *ip, uint32_t len)
{
	memset(ip, 0, IP4_LEN);
	ip[0] = 0x45;
	ip[1] = p->tclass;
	roce_put16(ip + 2, IP4_LEN + len);
	roce_put16(ip + 6, DONT_FRAG);
	ip[8] = p->hop_limit;
	ip[9] = PROTO_UDP;
	memcpy(ip + 12, p->source->gid + 12, 4);
	memcpy(ip + 16, p->dgid + 12, 4);
	roce_put16(ip + 10, roce_ip4_checksum(ip));
	return ip + IP4_LEN;
}

/* Writes an IPv6 header, or GRH, which is the same with another next header. */
static uint8_t *put_ip6(const struct roce_path *p, uint8_t *ip, uint8_t next, uint32_t len)
{
	const uint32_t word = htobe32(6u << 28 | (uint32_t)p->tclass << 20 | p->flow_label);

	memcpy(ip, &word, sizeof(word));
	roce_put16(ip + 4, len);
	ip[6] = next;
	ip[7] = p->hop_limit;
	memcpy(ip + 8, p->source->gid, 16);
	memcpy(ip + 24, p->dgid, 16);
	return ip + IP6_LEN;
}

/*
 * Writes a UDP header without a checksum, over IPv6 too [I] (as Linux's rxe): the ICRC covers more.
 */
static uint8_t *roce_put_udp(const struct roce_path *p, uint8_t *udp, uint32_t len)
{
	const uint16_t fixed = p->from->dev->udp_sport;

	roce_put16(udp, fixed ? fixed : p->udp_sport);
	roce_put16(udp + 2, PORT_ROCE_V2);
	roce_put16(udp + 4, UDP_LEN + len);
	roce_put16(udp + 6, 0);
	return udp + UDP_LEN;
}

/* Writes the headers before BTH; len: bytes from BTH to the end of the ICRC. */
static uint8_t *roce_put_headers(const struct roce_path *p, uint8_t *to, uint32_t len)
{
	const uint16_t type = ether_type(p);

	to = mempcpy(to, p->dmac, 6);
	to = mempcpy(to, p->source->mac, 6);
	if (p->source->vlan) {
		roce_put16(to, TYPE_VLAN);
		roce_put16(to + 2, roce_tci(p));
		to += VLAN_LEN;
	}
	roce_put16(to, type);
	to += 2;
	if (type == TYPE_ROCE)
		return put_ip6(p, to, PROTO_BTH, len);
	if (type == TYPE_IP4)
		return roce_put_udp(p, put_ip4(p, to, UDP_LEN + len), len);
	return roce_put_udp(p, put_ip6(p, to, PROTO_UDP, UDP_LEN + len), len);
}

/* Returns the bytes from BTH to the end of the ICRC. */
static uint32_t roce_inner_len(const struct frame *d)
{
	return d->burst.hdr_len + d->len + (-d->len & 3) + ROCE_ICRC;
}

void roce_make_grh(const struct roce_path *p, uint32_t len, uint8_t grh[ROCE_GRH])
{
	const uint16_t type = ether_type(p);

	if (type == TYPE_IP4) {
		memset(grh, 0, ROCE_GRH - IP4_LEN);
		put_ip4(p, grh + ROCE_GRH - IP4_LEN, UDP_LEN + len);
	} else if (type == TYPE_IP6) {
		put_ip6(p, grh, PROTO_UDP, UDP_LEN + len);
	} else {
		put_ip6(p, grh, PROTO_BTH, len);
	}
}

void roce_describe_grh(const struct roce_path *p, struct frame *d)
{
	d->burst.tci = roce_tci(p);
	roce_make_grh(p, roce_inner_len(d), d->grh);
}

enum roce_network roce_network(const uint8_t grh[ROCE_GRH])
{
	if (grh[0] >> 4 != 6)
		return ROCE_NETWORK_IPV4;
	return grh[6] == PROTO_UDP ? ROCE_NETWORK_IPV6 : ROCE_NETWORK_GRH;
}

void roce_grh_dgid(const uint8_t grh[ROCE_GRH], uint8_t gid[16])
{
	if (roce_network(grh) == ROCE_NETWORK_IPV4)
		gid_ipv4(gid, grh + 36);
	else
		memcpy(gid, grh + 24, 16);
}

struct frame *roce_encode(const struct roce_path *p, struct frame *d)
{
	const uint32_t pad = -d->len & 3, len = roce_inner_len(d);
	const uint32_t before = p->overhead - ROCE_BTH - ROCE_ICRC;
	struct frame *f = frame_new(d->pool, before + len);
	struct roce_bytes r;
	uint32_t icrc;
	uint8_t *at;

	if (f) {
		f->forced = p->forced;
		f->to = p->forced ? p->from : NULL;
		f->len = before + len;
		at = roce_put_headers(p, f->data, len);
		at = mempcpy(at, d->burst.hdr, d->burst.hdr_len);
		at = mempcpy(at, d->data, d->len);
		memset(at, 0, pad);
		r = (struct roce_bytes){.ether_type = ether_type(p),
					.net = f->data + eth_len(p),
					.bth = f->data + before,
					.len = len - ROCE_ICRC};
		icrc = htole32(roce_icrc(&r));
		memcpy(at + pad, &icrc, ROCE_ICRC);
		f->icrc_good = true;
	}
	frame_free(d);
	return f;
}

/*
 * Sets fields that routers or switches may change to ones, in the bytes from IP or GRH on
 * (A17.3.3).
 */
static void mask_net(uint8_t *net, uint32_t type)
{
	uint8_t *udp = net + (type == TYPE_IP4 ? IP4_LEN : IP6_LEN);

	if (type == TYPE_IP4) {
		net[1] = net[8] = 0xff;
		roce_put16(net + 10, 0xffff);
	} else {
		net[0] |= 0x0f;
		net[1] = net[2] = net[3] = net[7] = 0xff;
	}
	if (type != TYPE_ROCE)
		roce_put16(udp + 6, 0xffff);
}

uint16_t roce_vlan(const struct roce_bytes *r)
{
	return r->tagged ? r->tci & VLAN_ID : 0;
}

bool roce_is_v1(const struct roce_bytes *r)
{
	return r->ether_type == TYPE_ROCE;
}

void roce_grh(const struct roce_bytes *r, uint8_t grh[ROCE_GRH])
{
	if (r->ether_type != TYPE_IP4) {
		memcpy(grh, r->net, IP6_LEN);
		return;
	}
	memset(grh, 0, ROCE_GRH - IP4_LEN);
	memcpy(grh + ROCE_GRH - IP4_LEN, r->net, IP4_LEN);
}

uint32_t roce_icrc(const struct roce_bytes *r)
{
	/* Ones stand for the LRH, which RoCE lacks */
	static const uint8_t ones[8] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
	uint8_t masked[IP6_LEN + UDP_LEN + ROCE_BTH];
	const uint32_t net = net_len(r->ether_type);
	uint32_t crc = crc32_add(~0u, ones, sizeof(ones));

	memcpy(masked, r->net, net);
	mask_net(masked, r->ether_type);
	memcpy(masked + net, r->bth, ROCE_BTH);
	masked[net + 4] = 0xff; /* FECN, BECN, reserved */
	crc = crc32_add(crc, masked, net + ROCE_BTH);
	return ~crc32_add(crc, r->bth + ROCE_BTH, r->len - ROCE_BTH);
}

bool roce_icrc_good(const struct roce_bytes *r)
{
	uint32_t icrc;

	memcpy(&icrc, r->bth + r->len, sizeof(icrc));
	return le32toh(icrc) == roce_icrc(r);
}

/*
 * Returns the payload bytes according to the IPv4 header, UDP's header included; 0 if it is not
 * UDP.
 */
static uint32_t ip4_payload(const uint8_t *ip, struct roce_bytes *r)
{
	const uint32_t len = roce_get16(ip + 2);

	if (ip[0] != 0x45 || ip[9] != PROTO_UDP || roce_get16(ip + 6) & 0x3fff || len < IP4_LEN ||
	    roce_ip4_checksum(ip))
		return 0;
	memcpy(r->sgid, ip4_mapped, sizeof(ip4_mapped));
	memcpy(r->sgid + 12, ip + 12, 4);
	memcpy(r->dgid, ip4_mapped, sizeof(ip4_mapped));
	memcpy(r->dgid + 12, ip + 16, 4);
	return len - IP4_LEN;
}

static uint32_t ip6_payload(const uint8_t *ip, struct roce_bytes *r)
{
	if (ip[0] >> 4 != 6 || ip[6] != (r->ether_type == TYPE_ROCE ? PROTO_BTH : PROTO_UDP))
		return 0;
	memcpy(r->sgid, ip + 8, 16);
	memcpy(r->dgid, ip + 24, 16);
	return roce_get16(ip + 4);
}

/*
 * Decodes a RoCE packet. A packet with a second or a provider's VLAN tag, IPv4 options or IPv6
 * extension headers is not for the transport. [I]
 */
bool roce_decode(const uint8_t *data, uint32_t len, struct roce_bytes *r)
{
	uint32_t type = roce_get16(data + 12), net;
	uint32_t after; /* behind IP's header or GRH */

	r->tagged = type == TYPE_VLAN && len >= ETH_LEN + VLAN_LEN;
	if (r->tagged) {
		r->tci = (uint16_t)roce_get16(data + ETH_LEN);
		data += VLAN_LEN;
		len -= VLAN_LEN;
		type = roce_get16(data + 12);
	}
	net = net_len(type);
	if ((type != TYPE_ROCE && type != TYPE_IP4 && type != TYPE_IP6) ||
	    len < ETH_LEN + net + ROCE_BTH + ROCE_ICRC)
		return false;
	r->ether_type = (uint16_t)type;
	r->net = data + ETH_LEN;
	r->bth = r->net + net;
	if (type != TYPE_ROCE && roce_get16(r->bth - UDP_LEN + 2) != PORT_ROCE_V2)
		return false;
	after = type == TYPE_IP4 ? ip4_payload(r->net, r) : ip6_payload(r->net, r);
	if (type != TYPE_ROCE) {
		if (roce_get16(r->bth - UDP_LEN + 4) != after || after < UDP_LEN)
			return false;
		after -= UDP_LEN;
	}
	if (after < ROCE_BTH + ROCE_ICRC || after > len - ETH_LEN - net)
		return false;
	r->len = after - ROCE_ICRC;
	return true;
}
