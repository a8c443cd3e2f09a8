/* SPDX-License-Identifier: BSD-2-Clause */
/* Receive side scaling: the hash that picks a queue of an RQ table. */
#include <string.h>
#include <dvx/prm/eth.h>
#include "raw.h"
#include "obj/tir.h"
#include "steer/packet.h"

#define SRC_IP	 0x1u /* rx_hash_field_select.selected_fields */
#define DST_IP	 0x2u
#define SRC_PORT 0x4u
#define DST_PORT 0x8u
#define SPI	  0x10u
#define INPUT	  36u /* bytes of two IPv6 addresses, and two ports or an SPI */
#define PROTO_ESP 50u
_Static_assert(INPUT + 4 <= TIR_KEY_BYTES, "the key is as long as the longest input needs");

/* Returns the Toeplitz hash over len bytes; the key must have 4 bytes more. */
static uint32_t toeplitz(const uint8_t *key, const uint8_t *data, size_t len)
{
	uint32_t window = packet_load32(key), hash = 0;

	for (size_t i = 0; i < len; i++)
		for (unsigned int bit = 0; bit < 8; bit++) {
			if (data[i] & 0x80u >> bit)
				hash ^= window;
			window = window << 1 | (key[i + 4] >> (7 - bit) & 1);
		}
	return hash;
}

struct input {
	uint8_t bytes[INPUT];
	size_t n;
};

static void rss_add(struct input *in, const uint8_t *p, size_t len)
{
	memcpy(in->bytes + in->n, p, len);
	in->n += len;
}

/*
 * Adds a pair of fields of one size. Symmetric hashing uses source | destination and source ^
 * destination instead (ethtool's RXH_XFRM_SYM_OR_XOR, which is what mlx5's bit means).
 */
static void rss_add_pair(struct input *in, const uint8_t *src, const uint8_t *dst, size_t len,
			 uint32_t which, bool symmetric)
{
	if (which == 3 && symmetric) {
		for (size_t i = 0; i < len; i++) {
			in->bytes[in->n + i] = src[i] | dst[i];
			in->bytes[in->n + len + i] = src[i] ^ dst[i];
		}
		in->n += 2 * len;
		return;
	}
	if (which & 1)
		rss_add(in, src, len);
	if (which & 2)
		rss_add(in, dst, len);
}

/* Returns the hash type; source and destination alike: 1 IPv4, 2 IPv6; 1 TCP, 2 UDP. */
static uint8_t type_of(const struct tir_fields *f)
{
	const uint8_t ip = f->ipv6 ? 2 : 1, l4 = f->udp ? 2 : 1;
	uint32_t s = f->selected;

	return (uint8_t)((s & SRC_IP ? ip : 0) | (s & DST_IP ? ip << 2 : 0) |
			 (s & SRC_PORT ? l4 << 4 : 0) | (s & DST_PORT ? l4 << 6 : 0));
}

/* Checks for the selected headers. [I] Without one, no hash: the packet goes to the first queue. */
static bool has_fields(const struct tir_fields *f, const struct packet_headers *h)
{
	if (f->selected & (SRC_IP | DST_IP) && h->ip_version != (f->ipv6 ? 6 : 4))
		return false;
	if (f->selected & SPI && (h->frag || !h->l4 || h->ip_protocol != PROTO_ESP))
		return false;
	if (!(f->selected & (SRC_PORT | DST_PORT)))
		return true;
	return !h->frag && h->l4 && h->l4_type == (f->udp ? PACKET_UDP : PACKET_TCP);
}

/* Returns the XOR hash. [I] Its bits above the lowest 8, and the byte order. */
static uint32_t inverted_xor8(const uint8_t *p, size_t len)
{
	uint8_t x = 0;

	for (size_t i = 0; i < len; i++)
		x ^= p[i];
	return (uint8_t)~x;
}

struct rss rss_of(const struct tir *tir, const struct packet *p)
{
	const struct tir_fields *f = &tir->outer;
	const struct packet_headers *h = &p->outer;
	const uint8_t *ip = p->data + h->l3, *l4 = p->data + h->l4;
	struct input in = {.n = 0};

	if (tir->hash_fn == PRM_RX_HASH_FN_NONE || !f->selected || !has_fields(f, h))
		return (struct rss){0};
	if (f->ipv6)
		rss_add_pair(&in, ip + 8, ip + 24, 16, f->selected & 3, tir->symmetric);
	else
		rss_add_pair(&in, ip + 12, ip + 16, 4, f->selected & 3, tir->symmetric);
	rss_add_pair(&in, l4, l4 + 2, 2, f->selected >> 2 & 3, tir->symmetric);
	if (f->selected & SPI && !(f->selected & (SRC_PORT | DST_PORT)))
		rss_add(&in, l4, 4);
	return (struct rss){tir->hash_fn == PRM_RX_HASH_FN_TOEPLITZ
				    ? toeplitz(tir->key, in.bytes, in.n)
				    : inverted_xor8(in.bytes, in.n),
			    type_of(f)};
}
