/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Removal and insertion of headers, in the layout of versions 1 and 2. Version 3 has a layout of its
 * own for these four actions (v3.c).
 */
#include <string.h>
#include "obj/flow.h"
#include "obj/vhca.h"
#include "steer/reformat.h"
#include "v1.h"

#define WORD	  2u /* unit of offsets and sizes */
#define MAC_BYTES 12u

/* --- anchors --------------------------------------------------------------------------------- */

/* Sets *at to the beginning of a header; false if the packet lacks it. */
static bool v1_anchor_at(const struct packet *p, unsigned int anchor, uint32_t *at)
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
static bool v1_find_place(const struct steer_walk *w, struct ste_place place, uint32_t *at)
{
	if (!v1_anchor_at(w->packet, place.anchor, at))
		return steer_lost(
			w, "an action counts from anchor 0x%02x, which the packet does not have",
			place.anchor);
	*at += WORD * place.words;
	return true;
}

/* --- moves ----------------------------------------------------------------------------------- */

bool ste_v1_remove_words(const struct steer_walk *w, struct ste_place from, uint32_t words,
			 unsigned int *changed)
{
	uint32_t at;

	return v1_find_place(w, from, &at) && ste_remove(w, at, WORD * words, changed);
}

bool ste_v1_remove_between(const struct steer_walk *w, unsigned int start, unsigned int end,
			   bool decap, unsigned int *changed)
{
	uint32_t from, to;

	if (decap && !reformat_has_side(w, true))
		return false;
	if (!v1_find_place(w, (struct ste_place){start, 0}, &from) ||
	    !v1_find_place(w, (struct ste_place){end, 0}, &to))
		return false;
	if (to < from)
		return steer_lost(w, "an action removes headers up to one that comes before");
	if (end == PRM_STE_ANCHOR_IPV6_IPV4)
		reformat_note_flow(w->packet);
	return ste_remove(w, from, to - from, changed);
}

bool ste_v1_insert_dword(const struct steer_walk *w, struct ste_place place, const uint8_t *dword,
			 unsigned int *changed)
{
	uint32_t at;

	return v1_find_place(w, place, &at) && ste_insert(w, at, dword, sizeof(uint32_t), changed);
}

/* Values of an insertion's attributes. */
enum { V1_INSERT_PLAIN, V1_INSERT_ENCAP };

bool ste_v1_insert_bytes(const struct steer_walk *w, struct ste_place place, const uint8_t *bytes,
			 uint32_t n, unsigned int attributes, unsigned int *changed)
{
	uint32_t at;

	if (!v1_find_place(w, place, &at))
		return false;
	if (attributes == V1_INSERT_PLAIN)
		return ste_insert(w, at, bytes, n, changed);
	if (attributes == V1_INSERT_ENCAP && !at)
		return reformat_encap(w, bytes, n, changed);
	return steer_lost(
		w,
		"an insertion with attributes %u at %u is not implemented: a tunnel's header "
		"begins the packet",
		attributes, at);
}

bool ste_v1_insert_header(const struct steer_walk *w, struct ste_place place,
			  struct ste_header header, unsigned int *changed)
{
	const uint32_t n = WORD * header.words;
	const struct flow_reformat *r = reformat_find(w, header.id, n);

	return r && ste_v1_insert_bytes(w, place, r->data, n, header.attributes, changed);
}

/* --- layouts --------------------------------------------------------------------------------- */

static bool v1_remove_by_size(const struct steer_walk *w, const uint8_t *a, unsigned int *changed)
{
	const struct ste_place from = {
		prm_ste_single_action_remove_header_size_v1_get_start_anchor(a),
		prm_ste_single_action_remove_header_size_v1_get_start_offset(a)};

	return ste_v1_remove_words(
		w, from, prm_ste_single_action_remove_header_size_v1_get_remove_size(a), changed);
}

static bool v1_remove_headers(const struct steer_walk *w, const uint8_t *a, unsigned int *changed)
{
	return ste_v1_remove_between(w, prm_ste_single_action_remove_header_v1_get_start_anchor(a),
				     prm_ste_single_action_remove_header_v1_get_end_anchor(a),
				     prm_ste_single_action_remove_header_v1_get_decap(a), changed);
}

static bool v1_insert_inline(const struct steer_walk *w, const uint8_t *a, unsigned int *changed)
{
	const struct ste_place place = {
		prm_ste_double_action_insert_with_inline_v1_get_start_anchor(a),
		prm_ste_double_action_insert_with_inline_v1_get_start_offset(a)};

	return ste_v1_insert_dword(w, place, a + STE_INLINE_DATA, changed);
}

static bool v1_insert_pointer(const struct steer_walk *w, const uint8_t *a, unsigned int *changed)
{
	const struct ste_place place = {
		prm_ste_double_action_insert_with_ptr_v1_get_start_anchor(a),
		prm_ste_double_action_insert_with_ptr_v1_get_start_offset(a)};
	const struct ste_header header = {
		prm_ste_double_action_insert_with_ptr_v1_get_pointer(a),
		prm_ste_double_action_insert_with_ptr_v1_get_size(a),
		prm_ste_double_action_insert_with_ptr_v1_get_attributes(a)};

	return ste_v1_insert_header(w, place, header, changed);
}

ste_action_fn *const ste_v1_moves[STE_MOVES] = {v1_remove_by_size, v1_remove_headers,
						v1_insert_inline, v1_insert_pointer};
