/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_AUTH_H
#define DVX_COPY_AUTH_H

#include <stddef.h>
#include <stdint.h>
#include <nettle/chacha-poly1305.h>

#include "base/fault.h"

#define AUTH_NONCE 32
#define AUTH_PROOF 32
#define AUTH_TAG   16

/* The shared key as read from --key-file; n is 0 without one. */
struct key {
	uint8_t bytes[1024];
	size_t n;
};

/* Refuses a file that others can read, and one too short to resist guessing. */
int key_load(struct key *k, const char *path, struct copy_fault *f);
void key_wipe(struct key *k);

/* One direction of the connection: a key of its own, and a counter that is never reused. */
struct seal {
	struct chacha_poly1305_ctx ctx;
	uint64_t counter;
};

/* What both ends compute from the shared key and both HELLO messages as they were sent. */
struct auth {
	uint8_t proof_client[AUTH_PROOF], proof_server[AUTH_PROOF];
	struct seal to_server, to_client;
};

struct hello_bytes {
	const void *p;
	size_t n;
};

void auth_derive(struct auth *a, const struct key *k, struct hello_bytes client,
		 struct hello_bytes server);
void auth_wipe(struct auth *a);

int auth_nonce(uint8_t nonce[AUTH_NONCE], struct copy_fault *f);

/* Compares in constant time. */
int auth_equal(const uint8_t a[AUTH_PROOF], const uint8_t b[AUTH_PROOF]);

/* Encrypts len bytes in place and writes the tag behind them; head is covered by the tag too. */
void seal_close(struct seal *s, const uint8_t head[4], uint8_t *body, size_t len);

/* body holds len bytes and the tag. Returns 0 if they are authentic. */
int seal_open(struct seal *s, const uint8_t head[4], uint8_t *body, size_t len);

#endif
