/* SPDX-License-Identifier: BSD-2-Clause */
#include "flow_slow_spread.h"

/* The key in Microsoft's RSS documentation, with the values of its examples. */
static const uint8_t slow_key[HASH_KEY_BYTES] = {
	0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2, 0x41, 0x67, 0x25, 0x3d, 0x43, 0xa3,
	0x8f, 0xb0, 0xd0, 0xca, 0x2b, 0xcb, 0xae, 0x7b, 0x30, 0xb4, 0x77, 0xcb, 0x2d, 0xa3,
	0x80, 0x30, 0xf2, 0x0c, 0x6a, 0x42, 0xb7, 0x3b, 0xbe, 0xac, 0x01, 0xfa};

struct slow_hash {
	const uint8_t *key;
	unsigned int at; /* bits so far */
	uint32_t sum;
};

/* Hashes a value: each bit that is 1 adds the 32 bits of the key that begin at its place. */
static void slow_hash_add(struct slow_hash *h, u128 value, unsigned int bits)
{
	while (bits--) {
		for (unsigned int i = 0; value >> bits & 1 && i < 32; i++) {
			unsigned int place = h->at + i;

			h->sum ^= (uint32_t)(h->key[place / 8] >> (7 - place % 8) & 1) << (31 - i);
		}
		h->at++;
	}
}

static bool slow_spread_has(const struct rule_rss *r, unsigned int kind)
{
	return r->on & kind;
}

unsigned int slow_spread(const struct rule_rss *r, const struct fields *p)
{
	unsigned int width = p->value[F_L3] == 1 ? 32 : 128, n = r->last - r->first + 1;
	bool tcp = p->value[F_PROTO] == 6, udp = p->value[F_PROTO] == 17;
	struct slow_hash h = {.key = r->has_key ? r->key : slow_key};
	bool ports = !p->value[F_FRAG] && ((tcp && slow_spread_has(r, HASH_TCP)) ||
					   (udp && slow_spread_has(r, HASH_UDP)));

	if (!p->value[F_L3] || !slow_spread_has(r, width == 32 ? HASH_IPV4 : HASH_IPV6))
		return r->first;
	/* [I] A packet whose header is cut off is not hashed. */
	if (ports && !p->known[F_SPORT])
		return r->first;
	slow_hash_add(&h, p->value[F_SRC], width);
	slow_hash_add(&h, p->value[F_DST], width);
	if (ports) {
		slow_hash_add(&h, p->value[F_SPORT], 16);
		slow_hash_add(&h, p->value[F_DPORT], 16);
	}
	return r->first + (n & (n - 1) ? h.sum % 128 % n : h.sum % n);
}
