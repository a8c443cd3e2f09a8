/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Version 3, ConnectX-8: version 2 with wider anchors and offsets in the actions that remove and
 * insert headers.
 */
#include "v1.h"

#define V1_REG_C 0x90

static bool v3_remove_by_size(struct steer_walk *w, const uint8_t *a, unsigned int *changed)
{
	const struct move_place from = {
		prm_ste_single_action_remove_header_size_v3_get_start_anchor(a),
		prm_ste_single_action_remove_header_size_v3_get_start_offset(a)};

	return move_remove_words(
		w, from, prm_ste_single_action_remove_header_size_v3_get_remove_size(a), changed);
}

static bool v3_remove_headers(struct steer_walk *w, const uint8_t *a, unsigned int *changed)
{
	return move_remove_between(w, prm_ste_single_action_remove_header_v3_get_start_anchor(a),
				   prm_ste_single_action_remove_header_v3_get_end_anchor(a),
				   prm_ste_single_action_remove_header_v3_get_decap(a), changed);
}

static bool v3_insert_inline(struct steer_walk *w, const uint8_t *a, unsigned int *changed)
{
	const struct move_place place = {
		prm_ste_double_action_insert_with_inline_v3_get_start_anchor(a),
		prm_ste_double_action_insert_with_inline_v3_get_start_offset(a)};

	return move_insert_dword(w, place, a + STE_INLINE_DATA, changed);
}

static bool v3_insert_pointer(struct steer_walk *w, const uint8_t *a, unsigned int *changed)
{
	const struct move_place place = {
		prm_ste_double_action_insert_with_ptr_v3_get_start_anchor(a),
		prm_ste_double_action_insert_with_ptr_v3_get_start_offset(a)};
	const struct move_context header = {
		prm_ste_double_action_insert_with_ptr_v3_get_pointer(a),
		prm_ste_double_action_insert_with_ptr_v3_get_size(a),
		prm_ste_double_action_insert_with_ptr_v3_get_attributes(a)};

	return move_insert_context(w, place, header, changed);
}

static ste_action_fn *const v3_moves[STE_MOVES] = {v3_remove_by_size, v3_remove_headers,
						   v3_insert_inline, v3_insert_pointer};

static const uint8_t v3_dwords[UINT8_MAX + 1] = {
#define DWORD(number, dword) [number] = REWRITE_##dword,
#include "v1_dwords.def"
};
#undef V1_REG_C

static uint64_t v3_walk(struct steer_walk *w, uint64_t addr)
{
	return ste_walk_entries(&ste_v3, w, addr);
}

const struct ste_version ste_v3 = {
	V1_FUNCTIONS, .format = 3, .dwords = v3_dwords, .moves = v3_moves, .walk = v3_walk,
};
