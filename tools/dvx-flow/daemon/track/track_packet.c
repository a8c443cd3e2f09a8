/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the SYNs and SYN-ACKs that begin connections. */
#include <string.h>

#include "track_priv.h"

#define MACS	   12u
#define TYPE_VLAN  0x8100u
#define TYPE_IPV4  0x0800u
#define TYPE_IPV6  0x86ddu
#define PROTO_TCP  6u
#define IPV4_LEAST 20u
#define IPV6_BYTES 40u
#define TCP_LEAST  20u
#define FLAG_SYN   0x02u
#define FLAG_ACK   0x10u
#define FLAGS	   0x17u   /* and FIN and RST, which exclude it */
#define MORE_PARTS 0x3fffu /* of an IPv4 datagram: it is a fragment */

enum track_option { OPTION_END = 0, OPTION_NOP = 1, OPTION_SCALE = 3, OPTION_SACK = 4 };

static uint16_t get16(const uint8_t *p)
{
	return (uint16_t)(p[0] << 8 | p[1]);
}

static uint32_t get32(const uint8_t *p)
{
	return (uint32_t)get16(p) << 16 | get16(p + 2);
}

/* A part of the frame that is read from its beginning. */
struct track_rest {
	const uint8_t *p;
	size_t n;
};

static bool rest_skip(struct track_rest *r, size_t n)
{
	if (r->n < n)
		return false;
	r->p += n;
	r->n -= n;
	return true;
}

static bool read_ipv4(struct track_rest *r, struct track_key *k)
{
	size_t header = r->n ? (r->p[0] & 0xfu) * 4 : 0;

	if (r->n < IPV4_LEAST || header < IPV4_LEAST || r->p[0] >> 4 != 4 || r->p[9] != PROTO_TCP ||
	    get16(r->p + 6) & MORE_PARTS || get16(r->p + 2) > r->n || get16(r->p + 2) < header)
		return false;
	r->n = get16(r->p + 2); /* without the padding of short frames */
	k->family = 4;
	memcpy(k->src, r->p + 12, 4);
	memcpy(k->dst, r->p + 16, 4);
	return rest_skip(r, header);
}

static bool read_ipv6(struct track_rest *r, struct track_key *k)
{
	if (r->n < IPV6_BYTES || r->p[0] >> 4 != 6 || r->p[6] != PROTO_TCP ||
	    get16(r->p + 4) > r->n - IPV6_BYTES)
		return false;
	r->n = IPV6_BYTES + get16(r->p + 4);
	k->family = 6;
	memcpy(k->src, r->p + 8, 16);
	memcpy(k->dst, r->p + 24, 16);
	return rest_skip(r, IPV6_BYTES);
}

static void read_options(struct track_rest r, struct dvx_connection_side *side)
{
	while (r.n && r.p[0] != OPTION_END) {
		size_t len = r.p[0] == OPTION_NOP ? 1 : r.n > 1 ? r.p[1] : 0;

		if (!len || (len < 2 && r.p[0] != OPTION_NOP) || len > r.n)
			return;
		if (r.p[0] == OPTION_SCALE && len == 3)
			side->scale = r.p[2] < 14 ? r.p[2] : 14; /* RFC 7323 */
		else if (r.p[0] == OPTION_SACK)
			side->sack = 1;
		rest_skip(&r, len);
	}
}

static bool read_tcp(struct track_rest *r, struct track_packet *p)
{
	size_t header = r->n < TCP_LEAST ? 0 : (size_t)(r->p[12] >> 4) * 4;
	uint8_t flags;

	if (header < TCP_LEAST || header > r->n)
		return false;
	flags = r->p[13] & FLAGS;
	if (flags != FLAG_SYN && flags != (FLAG_SYN | FLAG_ACK))
		return false;
	memcpy(p->key.sport, r->p, 2);
	memcpy(p->key.dport, r->p + 2, 2);
	p->answers = flags & FLAG_ACK;
	p->ack = get32(r->p + 8);
	p->bytes = (uint32_t)(r->n - header);
	p->side = (struct dvx_connection_side){.seq = get32(r->p + 4),
					       .window = get16(r->p + 14),
					       .scale = DVX_CONNECTION_NO_SCALE};
	read_options((struct track_rest){r->p + TCP_LEAST, header - TCP_LEAST}, &p->side);
	return true;
}

/* Makes the key of a SYN-ACK that of the SYN. */
static void turn_key(struct track_key *k)
{
	const struct track_key was = *k;

	memcpy(k->src, was.dst, sizeof(k->src));
	memcpy(k->dst, was.src, sizeof(k->dst));
	memcpy(k->sport, was.dport, sizeof(k->sport));
	memcpy(k->dport, was.sport, sizeof(k->dport));
}

/* Reads the mark. */
static bool read_mark(struct track_rest *r, struct track_packet *p)
{
	if (r->n < MACS + TRACK_MARK)
		return false;
	rest_skip(r, MACS);
	if (get16(r->p) != TRACK_TAG || (get16(r->p + 2) & TRACK_VID) != TRACK_VID ||
	    get16(r->p + 4) != TRACK_TAG)
		return false;
	p->from = get16(r->p + 6);
	p->skip = TRACK_MARK;
	return rest_skip(r, TRACK_MARK);
}

bool track_packet_read(const uint8_t *frame, size_t len, struct track_packet *p)
{
	struct track_rest r = {frame, len};
	uint16_t type = 0;
	bool good;

	*p = (struct track_packet){.bytes = 0};
	if (!read_mark(&r, p))
		return false;
	while (r.n >= 2 && ((type = get16(r.p)) == TYPE_VLAN || type == TRACK_TAG))
		if (!rest_skip(&r, 4))
			return false;
	if (!rest_skip(&r, 2))
		return false;
	good = type == TYPE_IPV4 ? read_ipv4(&r, &p->key)
				 : type == TYPE_IPV6 && read_ipv6(&r, &p->key);
	if (!good || !read_tcp(&r, p))
		return false;
	if (p->answers)
		turn_key(&p->key);
	return true;
}
