/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_TRANSPORT_RAW_RSS_H
#define SIM_TRANSPORT_RAW_RSS_H

#include <stddef.h>
#include <stdint.h>

struct packet;
struct tir;

struct rss {
	uint32_t hash;
	uint8_t type; /* cqe64.rss_hash_type; 0: not hashed */
};

/* Toeplitz over len bytes: the key must have 4 more. */
uint32_t toeplitz(const uint8_t *key, const uint8_t *data, size_t len);
struct rss rss_of(const struct tir *, const struct packet *);

#endif
