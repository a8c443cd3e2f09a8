/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_STEER_RULES_SELECT_H
#define SIM_STEER_RULES_SELECT_H

/*
 * Definers of format 61, which select dwords and bytes of the parsed headers (PRM definer_hl) for
 * the tags of hardware steering.
 */
#include <stdbool.h>
#include <stdint.h>

struct steer_walk;
struct select;

#define SELECT_DWORDS 9u
#define SELECT_OCTETS 8u
#define SELECT_BYTES  44u /* of a tag: dwords 8 to 0, then octets 7 to 0 */
#define SELECT_RANGES 4u  /* dwords with ranges, at the end of a tag */

/*
 * Makes a selection by its selectors and mask. Returns NULL, or the name of a field under the mask
 * that is not implemented; *s is NULL if there is no memory.
 */
const char *select_make(struct select **s, const uint8_t dwords[SELECT_DWORDS],
			const uint8_t octets[SELECT_OCTETS], const uint8_t mask[SELECT_BYTES]);
/*
 * Returns whether a rule's selection can be hashed by another one: it has its selectors, and its mask. Sets `key` to the
 * rule's tag under the other's mask.
 */
bool select_hash_key(const struct select *hash, const struct select *rule,
		     const uint8_t tag[SELECT_BYTES], uint8_t key[SELECT_BYTES]);
/* Returns whether a selection takes nothing but the last four dwords of tags, as ranges do. */
bool select_is_ranges(const struct select *);
/* Sets the tag to the packet's fields under the mask. */
void select_fill(const struct select *, struct steer_walk *, uint8_t tag[SELECT_BYTES]);

#endif
