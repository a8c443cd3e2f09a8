/* SPDX-License-Identifier: BSD-2-Clause */
/* Actions of version 1: flow tag and rewrites of fields; by number, those of v1_move.c and v1_aso.c. */
#include <inttypes.h>
#include <string.h>
#include "obj/aso.h"
#include "obj/vhca.h"
#include "steer/priv.h"
#include "steer/rewrite.h"
#include "v1.h"

#define LIST_UNIT   64u
#define LIST_ACTION 8u
#define DWORD_SHIFT 32u /* shifts count in 64 bits, of which the named dword is the high half */
#define DWORD_BITS  32u

#define V1_ACCELERATED(a) \
	prm_ste_double_action_accelerated_modify_action_list_v1_get_number_of_modify_actions(a)

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

static bool v1_set(struct steer_walk *w, const uint8_t *a, unsigned int *changed)
{
	struct rewrite_bits to;

	if (!v1_destination(w, a, &to))
		return false;
	rewrite_set(w->packet, to, prm_ste_double_action_set_v1_get_inline_data(a), changed);
	return true;
}

static bool v1_add(struct steer_walk *w, const uint8_t *a, unsigned int *changed)
{
	struct rewrite_bits to;

	if (!v1_destination(w, a, &to))
		return false;
	rewrite_add(w->packet, to, prm_ste_double_action_add_v1_get_add_value(a), changed);
	return true;
}

static bool v1_copy(struct steer_walk *w, const uint8_t *a, unsigned int *changed)
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

static bool v1_flow_tag(struct steer_walk *w, const uint8_t *a, unsigned int *changed)
{
	(void)changed;
	w->packet->flow_tag = prm_ste_single_action_flow_tag_v1_get_flow_tag(a);
	return true;
}

static bool v1_nop(struct steer_walk *w, const uint8_t *a, unsigned int *changed)
{
	(void)w;
	(void)a;
	(void)changed;
	return true;
}

/* Removes or inserts a header, in the layout of the version. */
static bool v1_move(struct steer_walk *w, const uint8_t *a, unsigned int *changed)
{
	return w->version->moves[a[0] - PRM_STE_ACTION_REMOVE_BY_SIZE](w, a, changed);
}

static ste_action_fn v1_modify_list, v1_accelerated_list;

static const struct v1_action {
	uint8_t bytes;
	ste_action_fn *run;
} v1_actions[] = {
	[PRM_STE_ACTION_NOP] = {4, v1_nop},
	[PRM_STE_ACTION_COPY] = {8, v1_copy},
	[PRM_STE_ACTION_SET] = {8, v1_set},
	[PRM_STE_ACTION_ADD] = {8, v1_add},
	[PRM_STE_ACTION_REMOVE_BY_SIZE] = {4, v1_move},
	[PRM_STE_ACTION_REMOVE_HEADER_TO_HEADER] = {4, v1_move},
	[PRM_STE_ACTION_INSERT_INLINE] = {8, v1_move},
	[PRM_STE_ACTION_INSERT_POINTER] = {8, v1_move},
	[PRM_STE_ACTION_FLOW_TAG] = {4, v1_flow_tag},
	[PRM_STE_ACTION_ACCELERATED_LIST] = {8, v1_accelerated_list},
	[PRM_STE_ACTION_MODIFY_LIST] = {4, v1_modify_list},
	[PRM_STE_ACTION_ASO] = {8, ste_v1_aso},
};

static const struct v1_action *v1_action_row(const struct steer_walk *w, const uint8_t *a,
					     unsigned int left)
{
	const struct v1_action *row = a[0] < sizeof(v1_actions) / sizeof(v1_actions[0]) ? &v1_actions[a[0]] : NULL;

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

/* Executes one action of a list. */
static bool v1_list_action(struct steer_walk *w, const uint8_t *a, unsigned int *changed)
{
	const struct v1_action *row = v1_action_row(w, a, LIST_ACTION);

	if (!row)
		return false;
	if (row->run == v1_modify_list || row->run == v1_accelerated_list)
		return steer_lost(w, "a list of rewrites names another one");
	return row->run(w, a, changed);
}

/* Executes a list of actions of 8 bytes. v1_charge_list() has charged them to the walk. */
static bool v1_modify_list(struct steer_walk *w, const uint8_t *a, unsigned int *changed)
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
	for (; n; n--, list += LIST_ACTION)
		if (!v1_list_action(w, list, changed))
			return false;
	return true;
}

/* Returns action i's part of the argument objects from `id` on; NULL: there is no such object. */
static const uint8_t *v1_argument(const struct steer_walk *w, uint32_t id, unsigned int i)
{
	const unsigned int each = ASO_BYTES / LIST_ACTION;
	const struct pd_object *a = obj_find(w->vhca, OBJ_ARGUMENT, id + i / each);

	return a ? a->context + (size_t)LIST_ACTION * (i % each) : NULL;
}

/* Executes a pattern, a list whose values are 0, with the bits of its arguments. */
static bool v1_accelerated_list(struct steer_walk *w, const uint8_t *a, unsigned int *changed)
{
	uint64_t at =
		icm_addr(ICM_PATTERN, 0) +
		(uint64_t)LIST_UNIT *
			prm_ste_double_action_accelerated_modify_action_list_v1_get_modify_actions_pattern_pointer(
				a);
	uint32_t id =
		prm_ste_double_action_accelerated_modify_action_list_v1_get_modify_actions_argument_pointer(
			a);
	unsigned int n = V1_ACCELERATED(a);
	const uint8_t *pattern = icm_bytes(w->vhca, at, (size_t)n * LIST_ACTION);

	if (n && !pattern)
		return steer_lost(w,
				  "an entry's pattern of %u rewrites at 0x%" PRIx64
				  " is not in allocated steering memory",
				  n, at);
	for (unsigned int i = 0; i < n; i++) {
		const uint8_t *argument = v1_argument(w, id, i);
		uint64_t bits, of;

		if (!argument)
			return steer_lost(
				w, "an entry's argument 0x%x of %u rewrites does not exist", id, n);
		memcpy(&bits, pattern + (size_t)i * LIST_ACTION, sizeof(bits));
		memcpy(&of, argument, sizeof(of));
		bits |= of;
		if (!v1_list_action(w, (const uint8_t *)&bits, changed))
			return false;
	}
	return true;
}

static bool v1_charge_list(struct steer_walk *w, ste_action_fn *run, const uint8_t *a)
{
	if (run == v1_accelerated_list)
		return ste_charge(w, V1_ACCELERATED(a));
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
			action += v1_actions[PRM_STE_ACTION_NOP].bytes;
			continue;
		}
		row = v1_action_row(w, action, (unsigned int)(end - action));
		if (!row || !v1_charge_list(w, row->run, action) || !row->run(w, action, changed))
			return false;
		action += row->bytes;
	}
	return true;
}
