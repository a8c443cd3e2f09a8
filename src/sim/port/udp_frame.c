/* SPDX-License-Identifier: BSD-2-Clause */
#include "udp_frame.h"

#include <endian.h>
#include <string.h>
#include "base/crc32.h"
#include "packets.h"
#include "roce.h"

#define ETH_LEN	     14u
#define IP4_LEN	     20u
#define IP6_LEN	     40u
#define UDP_LEN	     8u
#define TYPE_IP4     0x0800u
#define TYPE_IP6     0x86ddu
#define PROTO_UDP    17u
#define PORT_ROCE_V2 4791u
#define IP4_ID	     4u /* offset in the header */
#define DONT_FRAG    0x4000u

static void udp_put16(uint8_t *p, size_t v)
{
	p[0] = (uint8_t)(v >> 8);
	p[1] = (uint8_t)v;
}

void udp_frame_mac(const uint8_t *ip, bool ip4, uint8_t mac[6])
{
	mac[0] = 0x02;
	mac[1] = 0xd8;
	memcpy(mac + 2, ip, 4);
	for (unsigned int i = 4; i < 16 && !ip4; i++)
		mac[2 + i % 4] ^= ip[i];
}

static void udp_put_ip4(const struct udp_from *from, uint8_t *ip, size_t len)
{
	memset(ip, 0, IP4_LEN);
	ip[0] = 0x45;
	ip[1] = from->tclass;
	udp_put16(ip + 2, IP4_LEN + len);
	udp_put16(ip + 6, DONT_FRAG);
	ip[8] = from->hop_limit;
	ip[9] = PROTO_UDP;
	memcpy(ip + 12, from->source, 4);
	memcpy(ip + 16, from->dest, 4);
}

static void udp_put_ip6(const struct udp_from *from, uint8_t *ip, size_t len)
{
	memset(ip, 0, 4); /* the flow label is unknown; the ICRC does not cover it */
	ip[0] = (uint8_t)(0x60 | from->tclass >> 4);
	ip[1] = (uint8_t)(from->tclass << 4);
	udp_put16(ip + 4, len);
	ip[6] = PROTO_UDP;
	ip[7] = from->hop_limit;
	memcpy(ip + 8, from->source, 16);
	memcpy(ip + 24, from->dest, 16);
}

/*
 * Finds the IPv4 Identification with which the ICRC is right. A socket does not return the
 * Identification, which the ICRC covers; Linux's rxe numbers its packets. The difference in the CRC
 * is linear, so the Identification is found by rewinding the CRC to its place. One wrong ICRC in
 * 65,536 passes as right.
 */
static bool udp_find_id(const struct roce_bytes *r, uint8_t *ip)
{
	const size_t behind = IP4_LEN - IP4_ID + UDP_LEN + r->len;
	uint32_t icrc, at;

	memcpy(&icrc, r->bth + r->len, sizeof(icrc));
	at = crc32_rewind(roce_icrc(r) ^ le32toh(icrc), behind);
	if (at > UINT16_MAX)
		return false;
	ip[IP4_ID] = (uint8_t)at;
	ip[IP4_ID + 1] = (uint8_t)(at >> 8);
	return true;
}

uint8_t *udp_frame_make(const struct udp_from *from, uint8_t *payload, size_t len,
			size_t *frame_len, bool *good)
{
	const uint32_t ip_len = from->ip4 ? IP4_LEN : IP6_LEN;
	uint8_t *udp = payload - UDP_LEN, *ip = udp - ip_len, *eth = ip - ETH_LEN;
	struct roce_bytes r = {
		.ether_type = from->ip4 ? TYPE_IP4 : TYPE_IP6, .net = ip, .bth = payload};

	*frame_len = ETH_LEN + ip_len + UDP_LEN + len;
	if (len < ROCE_BTH + ROCE_ICRC || *frame_len > PORT_PACKET_MAX)
		return NULL;
	r.len = (uint32_t)len - ROCE_ICRC;
	memcpy(eth, from->mac, 6);
	udp_frame_mac(from->source, from->ip4, eth + 6);
	udp_put16(eth + 12, r.ether_type);
	udp_put16(udp, from->port);
	udp_put16(udp + 2, PORT_ROCE_V2);
	udp_put16(udp + 4, UDP_LEN + len);
	udp_put16(udp + 6, 0);
	if (!from->ip4) {
		udp_put_ip6(from, ip, UDP_LEN + len);
		*good = roce_icrc_good(&r);
		return eth;
	}
	udp_put_ip4(from, ip, UDP_LEN + len);
	*good = udp_find_id(&r, ip);
	udp_put16(ip + 10, roce_ip4_checksum(ip));
	return eth;
}
