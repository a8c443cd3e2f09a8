/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_STEER_STE_STE_H
#define SIM_STEER_STE_STE_H

#include <stdbool.h>
#include <stdint.h>

struct steer_walk;

/*
 * Steering entries (STEs) that software writes. A version, PRM steering_format_version, is a table
 * of functions that read one entry. The walk from entry to entry (walk.h) knows no version; each
 * version compiles a walk of its own from it, so its functions are inlined there.
 */
#define STE_TAG_BYTES 16u

/* Fills a zeroed tag with the packet's fields, as one lookup type lays them out. */
typedef void ste_tag_fn(const struct steer_walk *, uint8_t tag[STE_TAG_BYTES]);

/* How an entry decides. STE_REFUSED: it is not implemented, steer_lost() was called. */
enum ste_decision { STE_REFUSED, STE_ALWAYS_HITS, STE_COMPARES };

/* Where a hit leads: one address, or a table of entries that is indexed by a hash of a tag. */
struct ste_next {
	uint64_t addr;
	uint64_t entries;	    /* 1: addr is the next address; 0 is invalid */
	bool hashed;		    /* by the bytes of lookup's tag that byte_mask names */
	uint16_t lookup, byte_mask; /* byte_mask: bit 15 is byte 0 */
};

/* What an entry's actions changed of the packet; see also enum rewrite_change. */
#define STE_MOVED (1u << 2) /* headers lie elsewhere, they were parsed again */

struct ste_version {
	uint8_t format; /* PRM steering_format_version */
	uint16_t entry_bytes;
	uint16_t (*lookup)(const uint8_t *ste);
	enum ste_decision (*decision)(const struct steer_walk *, uint64_t addr, const uint8_t *ste);
	/* NULL: the version has no such lookup type, or it is not implemented */
	ste_tag_fn *(*tag)(uint16_t lookup);
	bool (*agrees)(const uint8_t *ste, const uint8_t packet_tag[STE_TAG_BYTES]);
	uint64_t (*miss)(const uint8_t *ste);
	struct ste_next (*next)(const uint8_t *ste);
	uint32_t (*counter)(const uint8_t *ste); /* 0: none */
	/* The packet's headers are to be parsed again after the actions. */
	bool (*reparse)(const uint8_t *ste);
	/* Executes the actions in order; false after steer_lost(). */
	bool (*act)(struct steer_walk *, const uint8_t *ste, unsigned int *changed);
	/* enum rewrite_dword by the number that a rewrite names; 0: not implemented */
	const uint8_t *dwords;
	/* ste_walk_entries() of this version. */
	uint64_t (*walk)(struct steer_walk *, uint64_t addr);
};

extern const struct ste_version ste_v1;

/* By steering_format_version; NULL: there is none. */
const struct ste_version *ste_version_find(uint8_t format);

/* The index of a tag in a table of n entries (a power of two). All versions hash alike. */
uint32_t ste_hash(const uint8_t tag[STE_TAG_BYTES], uint16_t byte_mask, uint32_t n);

/*
 * Takes from the walk's steps the cost of n actions, each of which may parse the packet's headers
 * again. False after steer_lost().
 */
bool ste_pay(struct steer_walk *, unsigned int n);

/* Removes or inserts n bytes at an offset; the packet is parsed again. False after steer_lost(). */
bool ste_remove(const struct steer_walk *, uint32_t at, uint32_t n, unsigned int *changed);
bool ste_insert(const struct steer_walk *, uint32_t at, const void *bytes, uint32_t n,
		unsigned int *changed);

#endif
