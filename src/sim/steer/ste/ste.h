/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_STEER_STE_STE_H
#define SIM_STEER_STE_STE_H

#include <stdbool.h>
#include <stdint.h>

struct packet_headers;
struct steer_walk;

/*
 * Steering entries (STEs) that software writes. A version, PRM steering_format_version, is a table
 * of functions that decode one entry. The walk from entry to entry (walk.h) is common; each version
 * compiles a separate copy of it with its functions inlined.
 */
#define STE_TAG_BYTES	16u
#define STE_TAG_LONGEST 32u /* of a match definer */

/*
 * Kinds of entries. STE_REFUSED: not implemented, and steer_lost() was called. STE_COMPARES_WIDE:
 * all STE_TAG_LONGEST bytes of a tag.
 */
enum ste_decision { STE_REFUSED, STE_ALWAYS_HITS, STE_COMPARES, STE_COMPARES_WIDE };

/*
 * Next position after a hit: an address, or a table of entries that is indexed by the hash of a
 * tag.
 */
struct ste_next {
	uint64_t addr;
	uint64_t entries;	    /* 1: addr is the next address; 0: invalid */
	bool hashed;		    /* by the tag of `lookup`, masked by byte_mask */
	bool wide;		    /* by all STE_TAG_LONGEST bytes of the tag */
	uint16_t lookup, byte_mask; /* byte_mask: bit 15 is byte 0 */
};

/* Further changes of the packet by an entry's actions; continues enum rewrite_change. */
#define STE_MOVED (1u << 2) /* headers moved and were parsed again */

/* Executes an action; false after steer_lost(). */
typedef bool ste_action_fn(struct steer_walk *, const uint8_t *action, unsigned int *changed);
#define STE_MOVES 4u /* actions that remove or insert headers: their numbers are adjacent */

struct ste_version {
	uint8_t format; /* PRM steering_format_version */
	uint16_t entry_bytes;
	uint8_t mask_at; /* of STE_TAG_BYTES, in an entry */
	uint16_t (*lookup)(const uint8_t *ste);
	enum ste_decision (*decision)(const struct steer_walk *, uint64_t addr, const uint8_t *ste);
	/*
	 * Fills a tag, whose first STE_TAG_BYTES are 0, with the packet's fields, in the layout of
	 * a lookup type. Returns false if there is no such type, or it is not implemented.
	 */
	bool (*fill)(struct steer_walk *, uint16_t lookup, uint8_t tag[STE_TAG_LONGEST]);
	bool (*agrees)(const uint8_t *ste, const uint8_t packet_tag[STE_TAG_LONGEST], bool wide);
	uint64_t (*miss)(const uint8_t *ste);
	struct ste_next (*next)(const uint8_t *ste);
	uint32_t (*counter)(const uint8_t *ste); /* returns 0 for none */
	/* Returns true if the packet must be parsed again after the actions. */
	bool (*reparse)(const uint8_t *ste);
	/* Executes the actions in order; false after steer_lost(). */
	bool (*act)(struct steer_walk *, const uint8_t *ste, unsigned int *changed);
	/*
	 * Values of enum rewrite_dword, indexed by the number in a rewrite; 0: not implemented.
	 * Format 0 has no such numbers.
	 */
	const uint8_t *dwords;
	ste_action_fn *const *moves; /* STE_MOVES, by their numbers; format 0 has none */
	/* Runs ste_walk_entries() of this version. */
	uint64_t (*walk)(struct steer_walk *, uint64_t addr);
};

extern const struct ste_version ste_v0, ste_v1, ste_v2, ste_v3;

/* Returns the version with this steering_format_version; NULL if there is none. */
const struct ste_version *ste_version_find(uint8_t format);

/*
 * Returns the index of a tag in a table of n entries (a power of two). All versions use the same
 * hash.
 */
uint32_t ste_hash(const uint8_t tag[STE_TAG_BYTES], uint16_t byte_mask, uint32_t n);
/* Hashes the whole of a tag that is masked already. */
uint32_t ste_hash_wide(const uint8_t tag[STE_TAG_LONGEST], uint32_t n);

/*
 * Charges n actions to the walk's steps; each may parse the packet's headers again. Returns false
 * after steer_lost().
 */
bool ste_charge(struct steer_walk *, unsigned int n);

/*
 * Charges the checksum of layer 4, which reads the whole packet. Without steps the walk ends at its
 * next entry.
 */
void ste_charge_sum(struct steer_walk *, const struct packet_headers *);

/*
 * Remove or insert n bytes at an offset, and parse the packet again. Return false after
 * steer_lost().
 */
bool ste_remove(const struct steer_walk *, uint32_t at, uint32_t n, unsigned int *changed);
bool ste_insert(const struct steer_walk *, uint32_t at, const void *bytes, uint32_t n,
		unsigned int *changed);

#endif
