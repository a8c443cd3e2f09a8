/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Large sends: the headers of each packet that a request is cut into. Headers are copied from the
 * Ethernet segment; lengths, numbers and flags are set here, checksums by cs_flags.
 */
#include "raw.h"
#include "steer/packet.h"

#define IPV4_LENGTH 2u
#define IPV4_ID	    4u
#define IPV6_LENGTH 4u
#define IPV6_BYTES  40u
#define TCP_SEQ	    4u
#define TCP_DATA    12u
#define TCP_FLAGS   13u
#define TCP_FIN_PSH 0x09u
#define TCP_CWR	    0x80u
#define UDP_LENGTH  4u
#define UDP_BYTES   8u

/* [I] The identification grows by one per packet, as in Linux's own segmentation. */
static void lso_set_ip(const struct packet *p, const struct lso_cut *c)
{
	uint8_t *ip = p->data + p->outer.l3;
	uint32_t len = p->len - p->outer.l3;

	if (p->outer.ip_version == 6) {
		packet_store16(ip + IPV6_LENGTH, len - IPV6_BYTES);
		return;
	}
	packet_store16(ip + IPV4_LENGTH, len);
	packet_store16(ip + IPV4_ID, packet_load16(ip + IPV4_ID) + c->number);
}

/* Returns where the payload begins, or 0 if the headers allow no cutting. */
static uint32_t lso_payload_at(const struct packet *p)
{
	const struct packet_headers *h = &p->outer;

	if (!h->l4 || h->frag)
		return 0;
	if (h->l4_type == PACKET_UDP)
		return h->l4 + UDP_BYTES;
	return h->l4_type == PACKET_TCP ? h->l4 + (p->data[h->l4 + TCP_DATA] >> 4) * 4u : 0;
}

/* [I] FIN and PSH stay on the last packet, CWR on the first (RFC 3168, 6.1.2). */
static void lso_set_tcp(uint8_t *tcp, const struct lso_cut *c)
{
	uint32_t seq = packet_load32(tcp + TCP_SEQ) + c->at;

	packet_store16(tcp + TCP_SEQ, seq >> 16);
	packet_store16(tcp + TCP_SEQ + 2, seq);
	if (!c->last)
		tcp[TCP_FLAGS] &= (uint8_t)~TCP_FIN_PSH;
	if (c->at) /* the sequence number wraps */
		tcp[TCP_FLAGS] &= (uint8_t)~TCP_CWR;
}

const char *lso_headers(struct packet *p, const struct lso_cut *c)
{
	uint8_t *l4;

	packet_parse_headers(p);
	if (!p->outer.l3)
		return "a large send has no IP header inline";
	lso_set_ip(p, c);
	packet_parse_headers(p);
	if (lso_payload_at(p) != c->hdr)
		return "inline_hdr_sz of a large send is not the length of all headers up to TCP's "
		       "or UDP's";
	l4 = p->data + p->outer.l4;
	if (p->outer.l4_type == PACKET_TCP)
		lso_set_tcp(l4, c);
	else
		packet_store16(l4 + UDP_LENGTH, p->len - p->outer.l4);
	packet_parse_headers(p);
	return NULL;
}
