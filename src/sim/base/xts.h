/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_BASE_XTS_H
#define SIM_BASE_XTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* AES-XTS (IEEE 1619), in pieces of a data unit; and AES key wrap (RFC 3394, NIST SP 800-38F). */
#define XTS_BLOCK    16u
#define XTS_KEY_MOST 32u /* bytes of each of the two keys */

struct xts;
/* bytes: of each key, 16 or 32; keys: the data's, then the tweak's. NULL: no memory. */
struct xts *xts_new(const uint8_t *keys, size_t bytes);
void xts_free(struct xts *);

/*
 * Works in place on a data unit from its AES block `first` on. Only the unit's last piece may have
 * a length that is no multiple of 16, and more than 16 bytes: ciphertext is stolen from its last
 * whole block.
 */
void xts_run(const struct xts *, const uint8_t tweak[XTS_BLOCK], unsigned int first, uint8_t *,
	     size_t len, bool encrypt);

/* Unwraps a key of len bytes; wrapped it has 8 more. Returns false if `key` did not wrap it. */
bool aes_unwrap(const uint8_t key[16], const uint8_t *wrapped, uint8_t *to, size_t len);

#endif
