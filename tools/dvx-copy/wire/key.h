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

/* Loads a key. Refuses a file that others can read, and a key too short to resist guessing. */
int key_load(struct key *k, const char *path, struct copy_fault *f);
void key_wipe(struct key *k);

/* Size of a key's id, by which a client names its key. It does not reveal the key. */
#define KEY_ID 17
void key_id(const struct key *k, char id[KEY_ID]);

/* Size of the secret that TLS gets, however long the key is. */
#define KEY_PSK 32
void key_psk(const struct key *k, uint8_t psk[KEY_PSK]);

/* Finds a client's key by its id, for a server. find() returns NULL if it is unknown. */
struct key_ring {
	const struct key *(*find)(const void *keys, const char *id);
	const void *keys;
	bool any; /* there are keys: clients without one are refused */
};

#endif
