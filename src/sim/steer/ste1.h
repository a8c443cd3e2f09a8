/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_STEER_STE1_H
#define SIM_STEER_STE1_H

#include <stdbool.h>
#include <stdint.h>
#include <dvx/prm/ste.h>
#include <dvx/prm/ste1.h>
#include "priv.h"

/* Steering entries of format 1: what the files of the walk share. */
#define STE_TAG_BYTES PRM_STE_ETH_L2_DST_V1_BYTES

/* Fills a zeroed tag with what a lookup type says of the packet. */
typedef void ste_tag_fn(const struct steer_walk *, uint8_t *tag);
/* By format << 8 | index; NULL: no such lookup type here. */
ste_tag_fn *ste_tag1(uint16_t lookup);

/* The index that a table of n (a power of two) entries has for a tag's bytes. */
uint32_t ste_hash(const uint8_t tag[STE_TAG_BYTES], uint16_t byte_mask, uint32_t n);

/* What actions changed: then the tag is stale, and the headers perhaps too. */
enum {
	STE_REGISTERS = 1 << 0,
	STE_HEADERS = 1 << 1, /* bytes of headers, which lie where they did */
	STE_MOVED = 1 << 2,   /* headers lie elsewhere: they were parsed again */
};

/*
 * Takes from the walk's steps what n actions cost that may have to understand the packet's headers
 * again. False after steer_lost().
 */
bool ste_pay(struct steer_walk *, unsigned int n);

/* The actions of an entry, in order: false after steer_lost(). */
bool ste_actions(struct steer_walk *, const uint8_t *action, unsigned int bytes,
		 unsigned int *changed);

/* One rewrite of 8 bytes (set, add or copy). False after steer_lost(). */
bool ste_rewrite(const struct steer_walk *, const uint8_t *action, unsigned int *changed);

#endif
