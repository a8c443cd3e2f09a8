/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_STEER_STE_WALK_H
#define SIM_STEER_STE_WALK_H

/*
 * The walk through entries that software wrote, as a template. A version includes it and calls
 * ste_walk_entries() with its table of functions, a constant, so that no call goes through a
 * pointer. Each entry has a lookup type (the fields that it compares), an address for a miss, and
 * for a hit a table whose index is a hash, or a single address. The contents of entries are not
 * trusted; the two bounds of struct steer_walk end every loop.
 */
#include <inttypes.h>
#include <string.h>
#include "obj/counter.h"
#include "obj/vhca.h"
#include "steer/priv.h"
#include "steer/rewrite.h"
#include "ste.h"

#define STE_INLINE static inline __attribute__((always_inline))
#define STE_ENTRY_MOVES 3u /* at most, of an entry beside its list: each parses the packet */

/*
 * Position in a walk. The version is a separate parameter, because compilers do not see a constant
 * through a pointer.
 */
struct ste_position {
	struct steer_walk *w;
	uint64_t addr;
	const uint8_t *ste; /* entry at addr */
	/*
	 * Tag of the last lookup type. The entries of a chain share it, and often the next table,
	 * too.
	 */
	uint16_t tag_lookup;
	bool tag_valid;
	_Alignas(8) uint8_t tag[STE_TAG_LONGEST];
};

/*
 * Returns true if (packet & mask) == tag, each of STE_TAG_BYTES. A tag with a bit outside its mask
 * never matches.
 */
STE_INLINE bool ste_tag_agrees(const uint8_t *packet_tag, const uint8_t *mask, const uint8_t *tag)
{
	uint64_t p[2], m[2], t[2];

	memcpy(p, packet_tag, sizeof(p));
	memcpy(m, mask, sizeof(m));
	memcpy(t, tag, sizeof(t));
	return !((p[0] & m[0]) ^ t[0]) && !((p[1] & m[1]) ^ t[1]);
}

/*
 * Decodes the next table's address and size, which are one number in units of 32 bytes: its lowest
 * set bit is the size in entries, the rest is the address.
 */
STE_INLINE struct ste_next ste_decode_next(uint64_t base)
{
	uint64_t n = base & -base;

	return (struct ste_next){.addr = (base ^ n) << 5, .entries = n};
}

/* Returns the packet's tag for this lookup type; NULL if there is no such type. */
STE_INLINE const uint8_t *ste_packet_tag(const struct ste_version *v, struct ste_position *at,
					 uint16_t lookup)
{
	if (at->tag_valid && at->tag_lookup == lookup)
		return at->tag;
	memset(at->tag, 0, STE_TAG_BYTES);
	at->tag_lookup = lookup;
	at->tag_valid = v->fill(at->w, lookup, at->tag);
	return at->tag_valid ? at->tag : NULL;
}

/* Checks an address. An entry of zeros, as memory is initially, leads nowhere. */
STE_INLINE uint64_t ste_check_next(const struct ste_position *at, uint64_t next)
{
	return next ? next : steer_lost(at->w, "the entry at 0x%" PRIx64 " leads to 0x0", at->addr);
}

/*
 * Returns 1 for a hit, 0 for a miss, -1 after steer_lost(). [I] Where the mask is 0, any lookup
 * type will do: libmlx5 44 fills tables behind a definer with such entries, which always miss.
 */
STE_INLINE int ste_compare(const struct ste_version *v, struct ste_position *at)
{
	static const uint8_t nothing[STE_TAG_LONGEST];
	enum ste_decision decision = v->decision(at->w, at->addr, at->ste);
	const uint8_t *tag;

	if (decision < STE_COMPARES)
		return decision == STE_ALWAYS_HITS ? 1 : -1;
	tag = ste_packet_tag(v, at, v->lookup(at->ste));
	if (!tag && !memcmp(at->ste + v->mask_at, nothing, STE_TAG_BYTES))
		tag = nothing;
	if (tag)
		return v->agrees(at->ste, tag, decision == STE_COMPARES_WIDE);
	steer_lost(at->w,
		   "the entry at 0x%" PRIx64 " has lookup type 0x%04x, which is not implemented",
		   at->addr, v->lookup(at->ste));
	return -1;
}

STE_INLINE uint64_t ste_hit_address(const struct ste_version *v, struct ste_position *at)
{
	const struct ste_next next = v->next(at->ste);
	const uint8_t *tag;
	uint32_t slot;

	if (next.entries == 1)
		return ste_check_next(at, next.addr);
	if (!next.entries || !next.hashed)
		return steer_lost(at->w,
				  "the entry at 0x%" PRIx64 " leads to a table of %" PRIu64
				  " entries, which is not indexed by a tag (hash_type 0)",
				  at->addr, next.entries);
	tag = ste_packet_tag(v, at, next.lookup);
	if (!tag)
		return steer_lost(at->w,
				  "the entry at 0x%" PRIx64 " leads to a table of lookup type"
				  " 0x%04x, which is not implemented",
				  at->addr, next.lookup);
	slot = next.wide ? ste_hash_wide(tag, (uint32_t)next.entries)
			 : ste_hash(tag, next.byte_mask, (uint32_t)next.entries);
	return next.addr + v->entry_bytes * (uint64_t)slot;
}

/*
 * Parses the packet again if needed. [I] An entry that moves headers must have reparse set, or
 * later entries find no headers.
 */
STE_INLINE bool ste_reparse(const struct ste_version *v, struct ste_position *at,
			    unsigned int changed)
{
	bool wanted = v->reparse(at->ste);

	if (changed)
		at->tag_valid = false;
	if (changed & STE_MOVED && !wanted)
		return steer_lost(at->w,
				  "the entry at 0x%" PRIx64 " moves headers, and its reparse is 0",
				  at->addr);
	if (!(changed & (REWRITE_HEADERS | STE_MOVED) && wanted))
		return true;
	if (changed & REWRITE_HEADERS)
		packet_parse_headers(at->w->packet);
	return ste_charge(at->w, changed & STE_MOVED ? STE_ENTRY_MOVES : 1);
}

STE_INLINE uint64_t ste_hit(const struct ste_version *v, struct ste_position *at)
{
	uint32_t counter = v->counter(at->ste);
	unsigned int changed = 0;

	if (!at->w->hops)
		return steer_lost(at->w,
				  "it hit %u entries and tables, the last one at 0x%" PRIx64
				  ": more than any packet may",
				  STEER_HOPS, at->addr);
	at->w->hops--;
	if (counter)
		counter_hit(at->w->vhca, counter, at->w->packet->len);
	return v->act(at->w, at->ste, &changed) && ste_reparse(v, at, changed)
		       ? ste_hit_address(v, at)
		       : 0;
}

STE_INLINE uint64_t ste_step(const struct ste_version *v, struct ste_position *at)
{
	uint64_t next;
	int hits;

	at->ste = icm_bytes(at->w->vhca, at->addr, v->entry_bytes);
	if (!at->ste)
		return steer_lost(at->w,
				  "an entry leads to 0x%" PRIx64 ", where no steering memory "
				  "is allocated",
				  at->addr);
	if (!at->w->steps)
		return steer_lost(at->w,
				  "after %u entries and rewrites it is at 0x%" PRIx64
				  ": they lead in a circle",
				  STEER_STEPS, at->addr);
	at->w->steps--;
	hits = ste_compare(v, at);
	if (hits < 0)
		return 0;
	next = hits ? ste_hit(v, at) : ste_check_next(at, v->miss(at->ste));
	probe(PROBE_STEER, .steer = {PROBE_STE, v->lookup(at->ste), .addr = at->addr, .next = next,
				     .hit = hits});
	return next;
}

/*
 * Walks from an address of kind ICM_STE to the first address of another kind; returns 0 if the
 * packet is lost.
 */
STE_INLINE uint64_t ste_walk_entries(const struct ste_version *v, struct steer_walk *w,
				     uint64_t addr)
{
	struct ste_position at = {.w = w, .addr = addr};

	do
		at.addr = ste_step(v, &at);
	while (icm_kind(at.addr) == ICM_STE);
	return at.addr;
}

#endif
