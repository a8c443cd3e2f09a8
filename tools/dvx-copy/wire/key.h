/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_KEY_H
#define DVX_COPY_KEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"

/* The shared key as read from --key-file; n is 0 without one. */
struct key {
	uint8_t bytes[1024];
	size_t n;
};

/* Refuses a file that others can read, and one too short to resist guessing. */
int key_load(struct key *k, const char *path, struct copy_fault *f);
void key_wipe(struct key *k);

/* By what a client says which key it has: computed from the key, but does not give it away. */
#define KEY_ID 17
void key_id(const struct key *k, char id[KEY_ID]);

/* What TLS is given: 32 bytes, however long the key is. */
#define KEY_PSK 32
void key_psk(const struct key *k, uint8_t psk[KEY_PSK]);

/* Where a server looks a client's key up; NULL: unknown. */
struct key_ring {
	const struct key *(*find)(const void *keys, const char *id);
	const void *keys;
	bool any; /* has keys at all: does not serve clients without one */
};

#endif
