/* SPDX-License-Identifier: BSD-2-Clause */
#include "raw.h"
#include "steer/packet.h"

#define IPV4_CSUM 10u
#define TCP_CSUM  16u
#define UDP_CSUM  6u
#define UDP_LEN	  4u

void csum_fill_l3(const struct packet *p, const struct packet_headers *h)
{
	uint8_t *ip = p->data + h->l3;

	if (h->ip_version != 4 || h->l3 + h->ihl * 4u > p->len)
		return;
	packet_store16(ip + IPV4_CSUM, 0);
	packet_store16(ip + IPV4_CSUM, (uint16_t)~packet_sum(ip, h->ihl * 4u, 0));
}

void csum_fill_l4(const struct packet *p, const struct packet_headers *h)
{
	uint8_t *l4 = p->data + h->l4;
	uint32_t len = h->l3_end - h->l4;
	uint16_t sum;

	if (!h->l4 || h->frag || (h->l4_type != PACKET_TCP && h->l4_type != PACKET_UDP))
		return;
	if (h->l4_type == PACKET_UDP && packet_load16(l4 + UDP_LEN) <= len)
		len = packet_load16(l4 + UDP_LEN);
	if (len < UDP_CSUM + 2)
		return;
	packet_store16(l4 + (h->l4_type == PACKET_TCP ? TCP_CSUM : UDP_CSUM), 0);
	sum = (uint16_t)~packet_sum(l4, len, packet_pseudo_header_sum(p, h, len));
	/* RFC 768: 0 would mean that there is no checksum */
	if (!sum && h->l4_type == PACKET_UDP)
		sum = 0xffff;
	packet_store16(l4 + (h->l4_type == PACKET_TCP ? TCP_CSUM : UDP_CSUM), sum);
}
