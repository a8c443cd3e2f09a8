/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdbool.h>
#include <string.h>
#include "bth.h"
#include "roce.h"
#include "base/crc32.h"

#define ETH_LEN	     14u
#define IP4_LEN	     20u
#define IP6_LEN	     40u
#define UDP_LEN	     8u
#define NET_LEN_MAX  (IP6_LEN + UDP_LEN)
#define ICRC_LEN     4u
#define TYPE_IP4     0x0800u
#define TYPE_IP6     0x86ddu
#define TYPE_ROCE    0x8915u
#define PROTO_UDP    17u
#define PROTO_BTH    0x1bu /* GRH.NxtHdr */
#define PORT_ROCE_V2 4791u
#define DONT_FRAG    0x4000u

static void put16(uint8_t *p, uint32_t v)
{
	p[0] = (uint8_t)(v >> 8);
	p[1] = (uint8_t)v;
}

static bool is_ip4(const uint8_t gid[16])
{
	static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};

	return !memcmp(gid, mapped, sizeof(mapped));
}

static uint16_t ether_type(const struct frame *f)
{
	if (f->roce_v1)
		return TYPE_ROCE;
	return is_ip4(f->sgid) && is_ip4(f->dgid) ? TYPE_IP4 : TYPE_IP6;
}

static uint32_t pad_of(const struct frame *f)
{
	return -f->len & 3;
}

/* BTH to ICRC. */
static uint32_t transport_len(const struct frame *f)
{
	return f->hdr_len + f->len + pad_of(f) + ICRC_LEN;
}

static uint16_t ip4_checksum(const uint8_t *ip)
{
	uint32_t sum = 0;

	for (unsigned int i = 0; i < IP4_LEN; i += 2)
		sum += (uint32_t)ip[i] << 8 | ip[i + 1];
	sum = (sum & 0xffff) + (sum >> 16);
	sum += sum >> 16;
	return (uint16_t)~sum;
}

/* [I] Identification 0: nobody may fragment it. */
static uint8_t *put_ip4(const struct frame *f, uint8_t *ip)
{
	memset(ip, 0, IP4_LEN);
	ip[0] = 0x45;
	ip[1] = f->tclass;
	put16(ip + 2, IP4_LEN + UDP_LEN + transport_len(f));
	put16(ip + 6, DONT_FRAG);
	ip[8] = f->hop_limit;
	ip[9] = PROTO_UDP;
	memcpy(ip + 12, f->sgid + 12, 4);
	memcpy(ip + 16, f->dgid + 12, 4);
	put16(ip + 10, ip4_checksum(ip));
	return ip + IP4_LEN;
}

/* GRH is IPv6's header with another name and next header. */
static uint8_t *put_ip6(const struct frame *f, uint8_t *ip, uint8_t next, uint32_t len)
{
	bth_put32(ip, 6u << 28 | (uint32_t)f->tclass << 20);
	put16(ip + 4, len);
	ip[6] = next;
	ip[7] = f->hop_limit;
	memcpy(ip + 8, f->sgid, 16);
	memcpy(ip + 24, f->dgid, 16);
	return ip + IP6_LEN;
}

/* Without a checksum, over IPv6 too [I] (Linux's rxe sends none): the ICRC covers more. */
static uint8_t *put_udp(const struct frame *f, uint8_t *udp)
{
	put16(udp, f->udp_sport);
	put16(udp + 2, PORT_ROCE_V2);
	put16(udp + 4, UDP_LEN + transport_len(f));
	put16(udp + 6, 0);
	return udp + UDP_LEN;
}

/* What stands between Ethernet and BTH. */
static size_t put_net(const struct frame *f, uint8_t *to)
{
	const uint8_t *start = to;

	switch (ether_type(f)) {
	case TYPE_ROCE:
		to = put_ip6(f, to, PROTO_BTH, transport_len(f));
		break;
	case TYPE_IP4:
		to = put_udp(f, put_ip4(f, to));
		break;
	default:
		to = put_udp(f, put_ip6(f, to, PROTO_UDP, UDP_LEN + transport_len(f)));
		break;
	}
	return (size_t)(to - start);
}

/* Whatever a router or switch may change counts as ones (A17.3.3). */
static void mask_net(uint8_t *net, uint16_t type)
{
	uint8_t *udp = net + (type == TYPE_IP4 ? IP4_LEN : IP6_LEN);

	if (type == TYPE_IP4) {
		net[1] = net[8] = 0xff;
		put16(net + 10, 0xffff);
	} else {
		net[0] |= 0x0f;
		net[1] = net[2] = net[3] = net[7] = 0xff;
	}
	if (type != TYPE_ROCE)
		put16(udp + 6, 0xffff);
}

uint32_t roce_icrc(const struct frame *f)
{
	static const uint8_t ones[8] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, zeros[3];
	uint8_t net[NET_LEN_MAX], bth[FRAME_HDR];
	uint32_t crc = crc32_add(~0u, ones, sizeof(ones)); /* for the LRH that is not there */
	size_t len = put_net(f, net);

	mask_net(net, ether_type(f));
	memcpy(bth, f->hdr, f->hdr_len);
	if (f->hdr_len > 4)
		bth[4] = 0xff; /* FECN, BECN, reserved */
	crc = crc32_add(crc, net, len);
	crc = crc32_add(crc, bth, f->hdr_len);
	crc = crc32_add(crc, f->data, f->len);
	return ~crc32_add(crc, zeros, pad_of(f));
}

static uint32_t net_len(const struct frame *f)
{
	switch (ether_type(f)) {
	case TYPE_ROCE:
		return IP6_LEN;
	case TYPE_IP4:
		return IP4_LEN + UDP_LEN;
	default:
		return IP6_LEN + UDP_LEN;
	}
}

uint32_t roce_overhead(const struct frame *f)
{
	return ETH_LEN + net_len(f) + BTH_LEN + ICRC_LEN;
}

/* hdr has what the first and the last packet have beside a BTH; the last READ response an AETH. */
uint64_t roce_octets(const struct frame *f)
{
	bool read = f->npkts > 1 && f->last_opcode == BTH_READ_RESP_LAST &&
		    f->hdr[0] == BTH_READ_RESP_FIRST;

	return (uint64_t)f->npkts * roce_overhead(f) + (f->hdr_len - BTH_LEN) +
	       (read ? AETH_LEN : 0) + f->len + pad_of(f);
}

static uint8_t *put_ethernet(const struct frame *f, uint8_t *to)
{
	memcpy(to, f->dmac, 6);
	memcpy(to + 6, f->smac, 6);
	put16(to + 12, ether_type(f));
	return to + ETH_LEN;
}

size_t roce_encode(const struct frame *f, uint8_t to[ROCE_MAX])
{
	uint32_t icrc = htole32(f->has_icrc ? f->icrc : roce_icrc(f));
	uint8_t *at = to;

	if (f->npkts != 1 || ETH_LEN + NET_LEN_MAX + transport_len(f) > ROCE_MAX)
		return 0;
	at = put_ethernet(f, at);
	at += put_net(f, at);
	at = mempcpy(at, f->hdr, f->hdr_len);
	at = mempcpy(at, f->data, f->len);
	memset(at, 0, pad_of(f));
	at = mempcpy(at + pad_of(f), &icrc, ICRC_LEN);
	return (size_t)(at - to);
}
