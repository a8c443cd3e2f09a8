/* SPDX-License-Identifier: BSD-2-Clause */
/* Actions of version 1: flow tag and rewrites of fields; by number, those of v1_move.c and v1_aso.c. */
#include <inttypes.h>
#include <string.h>
#include "obj/vhca.h"
#include "steer/priv.h"
#include "steer/rewrite.h"
#include "v1.h"

#define LIST_UNIT   64u
#define LIST_ACTION 8u
#define DWORD_SHIFT 32u /* shifts count in 64 bits, of which the named dword is the high half */
#define DWORD_BITS  32u

/* --- rewrites -------------------------------------------------------------------------------- */

/* Decodes the bits of a rewrite. length 0 stands for 32. Returns false after steer_lost(). */
static bool v1_bits(const struct steer_walk *w, unsigned int number, unsigned int shifter,
		    unsigned int length, struct rewrite_bits *b)
{
	*b = (struct rewrite_bits){.dword = w->version->dwords[number],
				   .low = shifter - DWORD_SHIFT,
				   .bits = length ? length : DWORD_BITS};
	if (!b->dword)
		return steer_lost(w, "a rewrite's dword 0x%02x of the headers is not implemented",
				  number);
	if (shifter < DWORD_SHIFT || b->bits > DWORD_BITS || b->low + b->bits > DWORD_BITS)
		return steer_lost(w, "a rewrite's shifter %u and length %u are not within a dword",
				  shifter, length);
	return true;
}

/* Decodes the destination, which set, add and copy have in the same place. */
static bool v1_destination(const struct steer_walk *w, const uint8_t *a, struct rewrite_bits *b)
{
	return v1_bits(w, prm_ste_double_action_set_v1_get_destination_dw_offset(a),
		       prm_ste_double_action_set_v1_get_destination_left_shifter(a),
		       prm_ste_double_action_set_v1_get_destination_length(a), b);
}

static bool v1_set(const struct steer_walk *w, const uint8_t *a, unsigned int *changed)
{
	struct rewrite_bits to;

	if (!v1_destination(w, a, &to))
		return false;
	rewrite_set(w->packet, to, prm_ste_double_action_set_v1_get_inline_data(a), changed);
	return true;
}

static bool v1_add(const struct steer_walk *w, const uint8_t *a, unsigned int *changed)
{
	struct rewrite_bits to;

	if (!v1_destination(w, a, &to))
		return false;
	rewrite_add(w->packet, to, prm_ste_double_action_add_v1_get_add_value(a), changed);
	return true;
}

static bool v1_copy(const struct steer_walk *w, const uint8_t *a, unsigned int *changed)
{
	struct rewrite_bits to, from;

	if (!v1_destination(w, a, &to) ||
	    !v1_bits(w, prm_ste_double_action_copy_v1_get_source_dw_offset(a),
		     prm_ste_double_action_copy_v1_get_source_right_shifter(a),
		     prm_ste_double_action_copy_v1_get_destination_length(a), &from))
		return false;
	rewrite_copy(w->packet, to, from, changed);
	return true;
}

/* --- by number ----------------------------------------------------------------------------- */

static bool v1_flow_tag(const struct steer_walk *w, const uint8_t *a, unsigned int *changed)
{
	(void)changed;
	w->packet->flow_tag = prm_ste_single_action_flow_tag_v1_get_flow_tag(a);
	return true;
}

static bool v1_nop(const struct steer_walk *w, const uint8_t *a, unsigned int *changed)
{
	(void)w;
	(void)a;
	(void)changed;
	return true;
}

/* Removes or inserts a header, in the layout of the version. */
static bool v1_move(const struct steer_walk *w, const uint8_t *a, unsigned int *changed)
{
	return w->version->moves[a[0] - PRM_STE_ACTION_REMOVE_BY_SIZE](w, a, changed);
}

static ste_action_fn v1_modify_list;

static const struct v1_action {
	uint8_t bytes;
	ste_action_fn *run;
} rows[] = {
	[PRM_STE_ACTION_NOP] = {4, v1_nop},
	[PRM_STE_ACTION_COPY] = {8, v1_copy},
	[PRM_STE_ACTION_SET] = {8, v1_set},
	[PRM_STE_ACTION_ADD] = {8, v1_add},
	[PRM_STE_ACTION_REMOVE_BY_SIZE] = {4, v1_move},
	[PRM_STE_ACTION_REMOVE_HEADER_TO_HEADER] = {4, v1_move},
	[PRM_STE_ACTION_INSERT_INLINE] = {8, v1_move},
	[PRM_STE_ACTION_INSERT_POINTER] = {8, v1_move},
	[PRM_STE_ACTION_FLOW_TAG] = {4, v1_flow_tag},
	[PRM_STE_ACTION_MODIFY_LIST] = {4, v1_modify_list},
	[PRM_STE_ACTION_ASO] = {8, ste_v1_aso},
};

static const struct v1_action *v1_action_row(const struct steer_walk *w, const uint8_t *a,
					     unsigned int left)
{
	const struct v1_action *row = a[0] < sizeof(rows) / sizeof(rows[0]) ? &rows[a[0]] : NULL;

	if (!row || !row->run) {
		steer_lost(w, "an entry's action 0x%02x is not implemented", a[0]);
		return NULL;
	}
	if (row->bytes > left) {
		steer_lost(w, "an entry's action 0x%02x of %u bytes begins in its last %u", a[0],
			   row->bytes, left);
		return NULL;
	}
	return row;
}

/* Executes a list of actions of 8 bytes. v1_charge_list() has charged them to the walk. */
static bool v1_modify_list(const struct steer_walk *w, const uint8_t *a, unsigned int *changed)
{
	uint64_t at = icm_addr(ICM_MODIFY, 0) +
		      LIST_UNIT * prm_ste_single_action_modify_list_v1_get_modify_actions_ptr(a);
	unsigned int n = prm_ste_single_action_modify_list_v1_get_num_of_modify_actions(a);
	const uint8_t *list = icm_bytes(w->vhca, at, n * LIST_ACTION);

	if (n && !list)
		return steer_lost(w,
				  "an entry's list of %u rewrites at 0x%" PRIx64
				  " is not in allocated steering memory",
				  n, at);
	for (; n; n--, list += LIST_ACTION) {
		const struct v1_action *row = v1_action_row(w, list, LIST_ACTION);

		if (!row)
			return false;
		if (row->run == v1_modify_list)
			return steer_lost(w, "a list of rewrites names another one");
		if (!row->run(w, list, changed))
			return false;
	}
	return true;
}

static bool v1_charge_list(struct steer_walk *w, ste_action_fn *run, const uint8_t *a)
{
	return run != v1_modify_list ||
	       ste_charge(w, prm_ste_single_action_modify_list_v1_get_num_of_modify_actions(a));
}

bool ste_v1_actions(struct steer_walk *w, const uint8_t *action, unsigned int bytes,
		    unsigned int *changed)
{
	const uint8_t *end = action + bytes;

	while (action < end) {
		const struct v1_action *row;

		if (action[0] == PRM_STE_ACTION_NOP) { /* most are NOPs */
			action += rows[PRM_STE_ACTION_NOP].bytes;
			continue;
		}
		row = v1_action_row(w, action, (unsigned int)(end - action));
		if (!row || !v1_charge_list(w, row->run, action) || !row->run(w, action, changed))
			return false;
		action += row->bytes;
	}
	return true;
}
