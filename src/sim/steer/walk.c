/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The walk through entries of format 1 that software wrote. Each names its lookup type (what it
 * compares), where to go when that differs, and where to go when it agrees: a table whose index is
 * a hash, or a single address. Nothing of an entry is trusted; the two bounds of struct steer_walk
 * end every loop.
 */
#include <inttypes.h>
#include <string.h>
#include "ste1.h"
#include "obj/counter.h"
#include "obj/vhca.h"

#define STE_BYTES    PRM_STE_BWC_V1_BYTES
#define MASK_AT	     32u
#define TAG_AT	     48u
#define BWC_ACTION   24u
#define MATCH_ACTION 20u
#define ALWAYS_HIT   0x0fu /* in place of a definer: an entry that only acts */

/* The tag of the last lookup type: the entries of a chain, and often the next table, share it. */
struct tag {
	uint16_t lookup;
	bool valid;
	_Alignas(8) uint8_t bytes[STE_TAG_BYTES];
};

struct walk {
	struct steer_walk *w;
	struct tag tag;
};

/* [I] The GVMI above bit 47 of both addresses is not looked at. */
static uint64_t miss_address(const uint8_t *ste)
{
	return (uint64_t)prm_ste_match_bwc_v1_get_miss_address_39_32(ste) << 32 |
	       (uint64_t)prm_ste_match_bwc_v1_get_miss_address_31_6(ste) << 6;
}

static uint16_t lookup_type(const uint8_t *ste)
{
	return (uint16_t)(prm_ste_match_bwc_v1_get_entry_format(ste) << 8 |
			  prm_ste_match_bwc_v1_get_match_definer_ctx_idx(ste));
}

static uint16_t next_lookup_type(const uint8_t *ste)
{
	return (uint16_t)(prm_ste_match_bwc_v1_get_next_entry_format(ste) << 8 |
			  prm_ste_match_bwc_v1_get_hash_definer_ctx_idx(ste));
}

/* The packet as this lookup type shows it; NULL: no such type. */
static const uint8_t *packet_tag(struct walk *k, uint16_t lookup)
{
	ste_tag_fn *fill;

	if (k->tag.valid && k->tag.lookup == lookup)
		return k->tag.bytes;
	fill = ste_tag1(lookup);
	if (!fill)
		return NULL;
	memset(k->tag.bytes, 0, sizeof(k->tag.bytes));
	fill(k->w, k->tag.bytes);
	k->tag.lookup = lookup;
	k->tag.valid = true;
	return k->tag.bytes;
}

/* (packet & mask) == tag, so that a tag with a bit outside its mask never agrees. */
static bool tag_agrees(const uint8_t *packet, const uint8_t *ste)
{
	uint64_t p[2], m[2], t[2];

	memcpy(p, packet, sizeof(p));
	memcpy(m, ste + MASK_AT, sizeof(m));
	memcpy(t, ste + TAG_AT, sizeof(t));
	return !((p[0] & m[0]) ^ t[0]) && !((p[1] & m[1]) ^ t[1]);
}

/* An entry of zeros, as memory is at first, leads nowhere. */
static uint64_t lead(struct walk *k, uint64_t addr, uint64_t next)
{
	return next ? next : steer_lost(k->w, "the entry at 0x%" PRIx64 " leads to 0x0", addr);
}

/* 1 hit, 0 miss, -1 after steer_lost(). */
static int steer_walk_compare(struct walk *k, uint64_t addr, const uint8_t *ste)
{
	uint16_t lookup = lookup_type(ste);
	const uint8_t *tag;
	bool agrees;

	if (lookup >> 8 == PRM_STE_FORMAT_MATCH) {
		if ((lookup & 0xff) == ALWAYS_HIT)
			return 1;
		steer_lost(k->w,
			   "the entry at 0x%" PRIx64 " matches by definer %u, and there are no"
			   " definers (match_definer_format_supported is 0)",
			   addr, lookup & 0xff);
		return -1;
	}
	tag = packet_tag(k, lookup);
	if (!tag) {
		steer_lost(k->w,
			   "the entry at 0x%" PRIx64 " has lookup type 0x%04x, which is not"
			   " implemented",
			   addr, lookup);
		return -1;
	}
	agrees = tag_agrees(tag, ste);
	return agrees != prm_ste_match_bwc_v1_get_match_polarity(ste);
}

/*
 * The next table's address and size are one number in units of 32 bytes: its lowest one is the
 * size in entries, and the rest is where it lies.
 */
static uint64_t hit_address(struct walk *k, uint64_t addr, const uint8_t *ste)
{
	uint64_t base = (uint64_t)prm_ste_match_bwc_v1_get_next_table_base_39_32_size(ste) << 27 |
			prm_ste_match_bwc_v1_get_next_table_base_31_5_size(ste);
	uint64_t n = base & -base;
	uint64_t table = (base ^ n) << 5;
	const uint8_t *tag;

	if (n == 1)
		return lead(k, addr, table);
	if (!n || prm_ste_match_bwc_v1_get_entry_format(ste) == PRM_STE_FORMAT_MATCH ||
	    prm_ste_match_bwc_v1_get_hash_type(ste))
		return steer_lost(k->w,
				  "the entry at 0x%" PRIx64 " leads to a table of %" PRIu64
				  " entries, and not by byte_mask and hash_type 0",
				  addr, n);
	tag = packet_tag(k, next_lookup_type(ste));
	if (!tag)
		return steer_lost(k->w,
				  "the entry at 0x%" PRIx64 " leads to a table of lookup type"
				  " 0x%04x, which is not implemented",
				  addr, next_lookup_type(ste));
	return table + STE_BYTES * (uint64_t)ste_hash(
					   tag, (uint16_t)prm_ste_match_bwc_v1_get_byte_mask(ste),
					   (uint32_t)n);
}

/* [I] Where headers are that moved, nobody may ask of an entry that doesn't have them reparsed. */
static bool reparse(struct walk *k, uint64_t addr, const uint8_t *ste, unsigned int changed)
{
	bool wanted = prm_ste_match_bwc_v1_get_reparse(ste);

	if (changed)
		k->tag.valid = false;
	if (changed & STE_MOVED && !wanted)
		return steer_lost(k->w,
				  "the entry at 0x%" PRIx64 " moves headers, and its reparse is 0",
				  addr);
	if (!(changed & STE_HEADERS && wanted))
		return true;
	packet_parse_headers(k->w->packet);
	return ste_pay(k->w, 1);
}

static bool act(struct walk *k, uint64_t addr, const uint8_t *ste)
{
	bool match = prm_ste_match_bwc_v1_get_entry_format(ste) == PRM_STE_FORMAT_MATCH;
	const uint8_t *action = ste + (match ? MATCH_ACTION : BWC_ACTION);
	uint32_t counter = prm_ste_match_bwc_v1_get_counter_id(ste);
	unsigned int changed = 0;

	if (counter)
		counter_hit(k->w->vhca, counter, k->w->packet->len);
	return ste_actions(k->w, action, (unsigned int)(ste + MASK_AT - action), &changed) &&
	       reparse(k, addr, ste, changed);
}

static uint64_t hit(struct walk *k, uint64_t addr, const uint8_t *ste)
{
	if (!k->w->hops)
		return steer_lost(k->w,
				  "it hit %u entries and tables, the last one at 0x%" PRIx64
				  ": more than any packet may",
				  STEER_HOPS, addr);
	k->w->hops--;
	return act(k, addr, ste) ? hit_address(k, addr, ste) : 0;
}

static uint64_t steer_walk_step(struct walk *k, uint64_t addr)
{
	const uint8_t *ste = icm_bytes(k->w->vhca, addr, STE_BYTES);
	uint64_t next;
	int hits;

	if (!ste)
		return steer_lost(k->w,
				  "an entry leads to 0x%" PRIx64 ", where no steering memory "
				  "is allocated",
				  addr);
	if (!k->w->steps)
		return steer_lost(k->w,
				  "after %u entries and rewrites it is at 0x%" PRIx64
				  ": they lead in a circle",
				  STEER_STEPS, addr);
	k->w->steps--;
	hits = steer_walk_compare(k, addr, ste);
	if (hits < 0)
		return 0;
	next = hits ? hit(k, addr, ste) : lead(k, addr, miss_address(ste));
	steer_trace("ste 0x%" PRIx64 " lu 0x%04x %s -> 0x%" PRIx64, addr, lookup_type(ste),
		    hits ? "hit" : "miss", next);
	return next;
}

uint64_t ste_walk(struct steer_walk *w, uint64_t addr)
{
	struct walk k = {.w = w};

	do
		addr = steer_walk_step(&k, addr);
	while (icm_kind(addr) == ICM_STE);
	return addr;
}
