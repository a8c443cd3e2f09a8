/* SPDX-License-Identifier: BSD-2-Clause */
/* An mkey with signatures or encryption, and a queue that moves data between it and plain memory. */
#ifndef DVX_VERIFY_SIGNED_H
#define DVX_VERIFY_SIGNED_H

#include <string.h>
#include "verify.h"

#define SIGNED_BLOCK 512u
#define SIGNED_BYTES (3 * SIGNED_BLOCK)
#define SIGNED_THERE \
	4096u /* where in the buffer plain data arrive; the mkey's are at its beginning */

struct signed_pair {
	struct bench *b;
	struct bench_pair p;
	struct dvx_mkey *mkey;
	uint8_t data[SIGNED_BYTES]; /* numbered bytes, as in the buffer */
};

/* Makes both; flags: enum dvx_mkey_sig_flags. */
void signed_open(struct bench *, struct signed_pair *, uint32_t flags);
/* Posts the description of the buffer's first bytes without a doorbell. */
void signed_post(struct signed_pair *, uint32_t bytes, const struct dvx_sig *,
		 const struct dvx_crypt *);
/* Describes the buffer's first bytes. */
void signed_describe(struct signed_pair *, uint32_t bytes, const struct dvx_sig *,
		     const struct dvx_crypt *);
/* Starts a WRITE from the mkey to plain memory. */
void signed_write(struct signed_pair *, uint64_t at, uint32_t len);
/* Expects a report of a wrong signature, and returns it. */
struct dvx_sig_error signed_wrong(struct signed_pair *, struct dvx_cq *, const char *what);
/* Computes the reflected CRC of a block, complemented. */
uint64_t signed_crc(uint64_t polynomial, uint64_t seed, const uint8_t *data);
/* Expects that the next completion is good, and reports no wrong signature. */
void signed_good(struct signed_pair *, const char *what);

#endif
