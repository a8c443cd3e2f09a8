/* SPDX-License-Identifier: BSD-2-Clause */
#include "move.h"

#include <dvx/prm/ste1.h>
#include "obj/flow.h"
#include "priv.h"
#include "reformat.h"

#define WORD	  2u /* unit of offsets and sizes */
#define MAC_BYTES 12u

/* --- anchors --------------------------------------------------------------------------------- */

/* Sets *at to the beginning of a header; false if the packet lacks it. */
static bool move_anchor_at(const struct packet *p, unsigned int anchor, uint32_t *at)
{
	switch (anchor) {
	case PRM_STE_ANCHOR_START_OUTER:
		*at = p->outer.l2;
		return p->outer.present;
	case PRM_STE_ANCHOR_1ST_VLAN:
		*at = p->outer.l2 + MAC_BYTES;
		return p->outer.present && p->outer.vlans;
	case PRM_STE_ANCHOR_IPV6_IPV4:
		*at = p->outer.l3;
		return p->outer.l3;
	case PRM_STE_ANCHOR_INNER_MAC:
		*at = p->inner.l2;
		return p->inner.ethernet;
	case PRM_STE_ANCHOR_INNER_IPV6_IPV4:
		*at = p->inner.l3;
		return p->inner.present && p->inner.l3;
	default:
		return false;
	}
}

/* Finds a place. [I] A packet without the header is lost; what hardware does is not known. */
static bool move_find_place(const struct steer_walk *w, struct move_place place, uint32_t *at)
{
	if (!move_anchor_at(w->packet, place.anchor, at))
		return steer_lost(
			w, "an action counts from anchor 0x%02x, which the packet does not have",
			place.anchor);
	*at += WORD * place.words;
	return true;
}

/* --- moves ----------------------------------------------------------------------------------- */

bool move_remove_words(const struct steer_walk *w, struct move_place from, uint32_t words,
		       unsigned int *changed)
{
	uint32_t at;

	return move_find_place(w, from, &at) && ste_remove(w, at, WORD * words, changed);
}

bool move_remove_between(const struct steer_walk *w, unsigned int start, unsigned int end,
			 bool decap, unsigned int *changed)
{
	uint32_t from, to;

	if (decap && !reformat_has_side(w, true))
		return false;
	if (!move_find_place(w, (struct move_place){start, 0}, &from) ||
	    !move_find_place(w, (struct move_place){end, 0}, &to))
		return false;
	if (to < from)
		return steer_lost(w, "an action removes headers up to one that comes before");
	if (end == PRM_STE_ANCHOR_IPV6_IPV4)
		reformat_note_flow(w->packet);
	return ste_remove(w, from, to - from, changed);
}

bool move_insert_dword(const struct steer_walk *w, struct move_place place, const uint8_t *dword,
		       unsigned int *changed)
{
	uint32_t at;

	return move_find_place(w, place, &at) &&
	       ste_insert(w, at, dword, sizeof(uint32_t), changed);
}

/* Values of an insertion's attributes. */
enum { MOVE_INSERT_PLAIN, MOVE_INSERT_ENCAP };

bool move_insert_bytes(const struct steer_walk *w, struct move_place place, const uint8_t *bytes,
		       uint32_t n, unsigned int attributes, unsigned int *changed)
{
	uint32_t at;

	if (!move_find_place(w, place, &at))
		return false;
	if (attributes == MOVE_INSERT_PLAIN)
		return ste_insert(w, at, bytes, n, changed);
	if (attributes == MOVE_INSERT_ENCAP && !at)
		return reformat_encap(w, bytes, n, changed);
	return steer_lost(
		w,
		"an insertion with attributes %u at %u is not implemented: a tunnel's header "
		"begins the packet",
		attributes, at);
}

bool move_insert_context(const struct steer_walk *w, struct move_place place,
			 struct move_context header, unsigned int *changed)
{
	const uint32_t n = WORD * header.words;
	const struct flow_reformat *r = reformat_find(w, header.id, n);

	return r && move_insert_bytes(w, place, r->data, n, header.attributes, changed);
}
