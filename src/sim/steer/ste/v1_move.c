/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Removal and insertion of headers, in the layout of versions 1 and 2. Version 3 has a layout of its
 * own for these four actions (v3.c).
 */
#include "v1.h"

static bool v1_remove_by_size(struct steer_walk *w, const uint8_t *a, unsigned int *changed)
{
	const struct move_place from = {
		prm_ste_single_action_remove_header_size_v1_get_start_anchor(a),
		prm_ste_single_action_remove_header_size_v1_get_start_offset(a)};

	return move_remove_words(
		w, from, prm_ste_single_action_remove_header_size_v1_get_remove_size(a), changed);
}

static bool v1_remove_headers(struct steer_walk *w, const uint8_t *a, unsigned int *changed)
{
	return move_remove_between(w, prm_ste_single_action_remove_header_v1_get_start_anchor(a),
				   prm_ste_single_action_remove_header_v1_get_end_anchor(a),
				   prm_ste_single_action_remove_header_v1_get_decap(a), changed);
}

static bool v1_insert_inline(struct steer_walk *w, const uint8_t *a, unsigned int *changed)
{
	const struct move_place place = {
		prm_ste_double_action_insert_with_inline_v1_get_start_anchor(a),
		prm_ste_double_action_insert_with_inline_v1_get_start_offset(a)};

	return move_insert_dword(w, place, a + STE_INLINE_DATA, changed);
}

static bool v1_insert_pointer(struct steer_walk *w, const uint8_t *a, unsigned int *changed)
{
	const struct move_place place = {
		prm_ste_double_action_insert_with_ptr_v1_get_start_anchor(a),
		prm_ste_double_action_insert_with_ptr_v1_get_start_offset(a)};
	const struct move_context header = {
		prm_ste_double_action_insert_with_ptr_v1_get_pointer(a),
		prm_ste_double_action_insert_with_ptr_v1_get_size(a),
		prm_ste_double_action_insert_with_ptr_v1_get_attributes(a)};

	return move_insert_context(w, place, header, changed);
}

ste_action_fn *const ste_v1_moves[STE_MOVES] = {v1_remove_by_size, v1_remove_headers,
						v1_insert_inline, v1_insert_pointer};
