/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_DIGEST_H
#define DVX_COPY_DIGEST_H

#include <stdint.h>

#include "alive.h"

#define DIGEST_BYTES 32

/* Computes the SHA-256 of a regular file. -1: it can't be read. */
int digest_at(int dir, const char *name, uint8_t digest[DIGEST_BYTES], struct alive *alive);

/* Computes the SHA-256 of a part of a file. -1: it can't be read, or ends before. */
int digest_part(int fd, uint64_t off, uint64_t n, uint8_t digest[DIGEST_BYTES],
		struct alive *alive);

/* The first n bytes of a file are hashed in at most DIGEST_BLOCKS blocks of this size. */
#define DIGEST_BLOCKS	   128u
#define DIGEST_LEAST_BLOCK 65536u

static inline uint64_t digest_block(uint64_t n)
{
	const uint64_t each = (n + DIGEST_BLOCKS - 1) / DIGEST_BLOCKS;

	return (each + DIGEST_LEAST_BLOCK - 1) / DIGEST_LEAST_BLOCK * DIGEST_LEAST_BLOCK;
}

static inline uint32_t digest_blocks(uint64_t n)
{
	return n ? (uint32_t)((n - 1) / digest_block(n) + 1) : 0;
}

#endif
