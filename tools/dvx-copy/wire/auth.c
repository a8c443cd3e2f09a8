/* SPDX-License-Identifier: BSD-2-Clause */
#include "auth.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>
#include <nettle/hmac.h>
#include <nettle/memops.h>

/*
 * Like HKDF (RFC 5869): extracts a secret from the shared key with the transcript in the place of
 * the salt, and expands it once per purpose. Each purpose has its own label, so a proof can neither
 * be reflected nor serve as a key; both nonces are in the transcript, so nothing can be replayed.
 */
static void expand(const uint8_t secret[32], const char *label, uint8_t out[32])
{
	struct hmac_sha256_ctx h;

	hmac_sha256_set_key(&h, 32, secret);
	hmac_sha256_update(&h, strlen(label), (const uint8_t *)label);
	hmac_sha256_digest(&h, 32, out);
	explicit_bzero(&h, sizeof(h));
}

static void auth_direction(struct seal *s, const uint8_t secret[32], const char *label)
{
	uint8_t key[CHACHA_POLY1305_KEY_SIZE];

	expand(secret, label, key);
	chacha_poly1305_set_key(&s->ctx, key);
	s->counter = 0;
	explicit_bzero(key, sizeof(key));
}

static void add_hello(struct hmac_sha256_ctx *h, struct hello_bytes hello)
{
	uint8_t n[2] = {(uint8_t)hello.n, (uint8_t)(hello.n >> 8)};

	hmac_sha256_update(h, sizeof(n), n);
	hmac_sha256_update(h, hello.n, hello.p);
}

void auth_derive(struct auth *a, const struct key *k, struct hello_bytes client,
		 struct hello_bytes server)
{
	static const char name[] = "dvx-copy control connection";
	struct hmac_sha256_ctx h;
	uint8_t secret[32];

	hmac_sha256_set_key(&h, k->n, k->bytes);
	hmac_sha256_update(&h, sizeof(name), (const uint8_t *)name);
	add_hello(&h, client);
	add_hello(&h, server);
	hmac_sha256_digest(&h, sizeof(secret), secret);
	explicit_bzero(&h, sizeof(h));

	expand(secret, "proof of the client", a->proof_client);
	expand(secret, "proof of the server", a->proof_server);
	auth_direction(&a->to_server, secret, "sealed to the server");
	auth_direction(&a->to_client, secret, "sealed to the client");
	explicit_bzero(secret, sizeof(secret));
}

void auth_wipe(struct auth *a)
{
	explicit_bzero(a, sizeof(*a));
}

int auth_nonce(uint8_t nonce[AUTH_NONCE], struct copy_fault *f)
{
	if (getrandom(nonce, AUTH_NONCE, 0) != AUTH_NONCE)
		return copy_fail(f, COPY_IO, "the kernel gives no random bytes: %s",
				 strerror(errno));
	return 0;
}

int auth_equal(const uint8_t a[AUTH_PROOF], const uint8_t b[AUTH_PROOF])
{
	return memeql_sec(a, b, AUTH_PROOF);
}

static void next_nonce(struct seal *s, const uint8_t head[4])
{
	uint8_t nonce[CHACHA_POLY1305_NONCE_SIZE] = {0};

	for (int i = 0; i < 8; i++)
		nonce[4 + i] = (uint8_t)(s->counter >> 8 * i);
	s->counter++;
	chacha_poly1305_set_nonce(&s->ctx, nonce);
	chacha_poly1305_update(&s->ctx, 4, head);
}

void seal_close(struct seal *s, const uint8_t head[4], uint8_t *body, size_t len)
{
	next_nonce(s, head);
	chacha_poly1305_encrypt(&s->ctx, len, body, body);
	chacha_poly1305_digest(&s->ctx, AUTH_TAG, body + len);
}

int seal_open(struct seal *s, const uint8_t head[4], uint8_t *body, size_t len)
{
	uint8_t tag[AUTH_TAG];

	next_nonce(s, head);
	chacha_poly1305_decrypt(&s->ctx, len, body, body);
	chacha_poly1305_digest(&s->ctx, AUTH_TAG, tag);
	return memeql_sec(tag, body + len, AUTH_TAG) ? 0 : -1;
}
