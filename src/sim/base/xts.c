/* SPDX-License-Identifier: BSD-2-Clause */
/* AES is nettle's. Its XTS takes only whole data units, but packets bring pieces. */
#include "xts.h"

#include <stdlib.h>
#include <string.h>
#include <nettle/aes.h>
#include <nettle/nettle-meta.h>
#include <nettle/nist-keywrap.h>

#define TWEAK_POLYNOMIAL 0x87u
#define WRAP_IV		 8u

union aes {
	struct aes128_ctx narrow;
	struct aes256_ctx wide;
};

struct xts {
	const struct nettle_cipher *aes;
	union aes encrypt, decrypt, tweak;
};

struct xts *xts_new(const uint8_t *keys, size_t bytes)
{
	struct xts *x = calloc(1, sizeof(*x));

	if (!x)
		return NULL;
	x->aes = bytes == XTS_KEY_MOST ? &nettle_aes256 : &nettle_aes128;
	x->aes->set_encrypt_key(&x->encrypt, keys);
	x->aes->set_decrypt_key(&x->decrypt, keys);
	x->aes->set_encrypt_key(&x->tweak, keys + bytes);
	return x;
}

void xts_free(struct xts *x)
{
	free(x);
}

/* Makes the next block's tweak: this one times x, lowest byte first. */
static void xts_double(uint8_t t[XTS_BLOCK])
{
	unsigned int carry = 0;

	for (unsigned int i = 0; i < XTS_BLOCK; i++) {
		const unsigned int v = (unsigned int)t[i] << 1 | carry;

		t[i] = (uint8_t)v;
		carry = v >> 8;
	}
	t[0] ^= (uint8_t)(carry * TWEAK_POLYNOMIAL);
}

static void xts_block(const struct xts *x, const uint8_t t[XTS_BLOCK], uint8_t *p, bool encrypt)
{
	for (unsigned int i = 0; i < XTS_BLOCK; i++)
		p[i] ^= t[i];
	if (encrypt)
		x->aes->encrypt(&x->encrypt, XTS_BLOCK, p, p);
	else
		x->aes->decrypt(&x->decrypt, XTS_BLOCK, p, p);
	for (unsigned int i = 0; i < XTS_BLOCK; i++)
		p[i] ^= t[i];
}

/* Handles a whole block and a shorter rest; decryption swaps the two tweaks. */
static void xts_steal(const struct xts *x, const uint8_t t[XTS_BLOCK], uint8_t *p, size_t rest,
		      bool encrypt)
{
	uint8_t next[XTS_BLOCK], last[XTS_BLOCK];

	memcpy(next, t, sizeof(next));
	xts_double(next);
	xts_block(x, encrypt ? t : next, p, encrypt);
	memcpy(last, p + XTS_BLOCK, rest);
	memcpy(last + rest, p + rest, XTS_BLOCK - rest);
	memcpy(p + XTS_BLOCK, p, rest);
	xts_block(x, encrypt ? next : t, last, encrypt);
	memcpy(p, last, sizeof(last));
}

void xts_run(const struct xts *x, const uint8_t tweak[XTS_BLOCK], unsigned int first, uint8_t *p,
	     size_t len, bool encrypt)
{
	uint8_t t[XTS_BLOCK];

	x->aes->encrypt(&x->tweak, XTS_BLOCK, t, tweak);
	while (first--)
		xts_double(t);
	for (; len >= 2 * XTS_BLOCK || len == XTS_BLOCK; p += XTS_BLOCK, len -= XTS_BLOCK) {
		xts_block(x, t, p, encrypt);
		xts_double(t);
	}
	if (len > XTS_BLOCK)
		xts_steal(x, t, p, len - XTS_BLOCK, encrypt);
}

bool aes_unwrap(const uint8_t key[16], const uint8_t *wrapped, uint8_t *to, size_t len)
{
	uint8_t iv[WRAP_IV];
	struct aes128_ctx aes;

	memset(iv, 0xa6, sizeof(iv));
	aes128_set_decrypt_key(&aes, key);
	return aes128_keyunwrap(&aes, iv, len, to, wrapped);
}
