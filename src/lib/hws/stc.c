/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Action templates (STC), at offsets of the domain's range. A template says what happens and which
 * dword of a rule's entry has the operand; equal ones are one, so a domain has few.
 */
#include <dvx/prm/cap.h>
#include <dvx/prm/cmd.h>
#include "hws.h"

#define HWS_MODIFY_ALL 1u /* modify_field_select */

struct hws_template {
	UT_hash_handle hh; /* by stc */
	uint8_t stc[PRM_STC_BYTES];
	uint32_t offset, refs;
};

static const uint8_t hws_dword_of[HWS_SLOTS] = {
	[HWS_CTRL] = 0, [HWS_HIT] = 3,	[HWS_DW5] = 5,	[HWS_DW6] = 6,
	[HWS_DW7] = 7,	[HWS_PAIR] = 6, [HWS_TWICE] = 5};

/* Sets the template at an offset of a side's range. */
static int hws_stc_set_side(struct hws_domain *d, uint32_t side, uint32_t offset,
			    const uint8_t *stc)
{
	uint8_t in[PRM_CREATE_STC_IN_BYTES] = {0}, reply[PRM_GENERAL_OBJ_OUT_CMD_HDR_BYTES];

	prm_general_obj_in_cmd_hdr_set_opcode(in, PRM_OPCODE_MODIFY_GENERAL_OBJECT);
	prm_general_obj_in_cmd_hdr_set_obj_type(in, PRM_OBJ_TYPE_STC);
	prm_general_obj_in_cmd_hdr_set_obj_id(in, d->stcs.side[side].id);
	prm_general_obj_in_cmd_hdr_set_obj_offset(in, offset);
	memcpy(prm_create_stc_in_at_stc(in), stc, PRM_STC_BYTES);
	prm_stc_set_table_type(prm_create_stc_in_at_stc(in), d->side_type[side]);
	return dvx_obj_modify(d->stcs.side[side].obj, in, sizeof(in), reply, sizeof(reply));
}

/* Sets it on each side; on the second one it leads to entries of the range `other`. */
static int hws_stc_set(struct hws_domain *d, uint32_t offset, const uint8_t *stc, uint32_t other)
{
	int err = hws_stc_set_side(d, 0, offset, stc);
	uint8_t second[PRM_STC_BYTES];

	if (err || d->sides == 1)
		return err;
	memcpy(second, stc, sizeof(second));
	if (other)
		prm_stc_set_ste_obj_id(second, other);
	return hws_stc_set_side(d, 1, offset, second);
}

/* Finds an offset of the range for a new template; fails if there is none. */
static int hws_stc_take(const struct hws_domain *d, uint32_t *offset)
{
	while (*offset < HWS_STCS && d->template[*offset])
		++*offset;
	if (*offset == HWS_STCS)
		return dvx_fail(ENOMEM,
				"hardware steering: a domain has at most %u different actions",
				HWS_STCS - HWS_FIXED);
	return 0;
}

static int hws_stc_make(struct hws_domain *d, const uint8_t *stc, uint32_t other,
			struct hws_template **out)
{
	struct hws_template *t = calloc(1, sizeof(*t));
	int err;

	if (!t)
		return dvx_fail(ENOMEM, "no memory for an action");
	memcpy(t->stc, stc, sizeof(t->stc));
	err = hws_stc_take(d, &t->offset);
	if (!err)
		err = hws_stc_set(d, t->offset, stc, other);
	if (err) {
		free(t);
		return err;
	}
	d->template[t->offset] = t;
	HASH_ADD(hh, d->templates, stc, sizeof(t->stc), t);
	*out = t;
	return 0;
}

int dvx_hws_stc_get(struct hws_domain *d, enum hws_slot slot, uint8_t *stc, uint32_t other,
		    uint16_t *offset)
{
	struct hws_template *t;
	int err = 0;

	prm_stc_set_modify_field_select(stc, HWS_MODIFY_ALL);
	prm_stc_set_table_type(stc, d->side_type[0]);
	prm_stc_set_ste_action_offset(stc, hws_dword_of[slot]);
	/* Rules in a row have the same templates, with other operands. */
	t = d->template[d->last[slot]];
	if (!t || memcmp(t->stc, stc, sizeof(t->stc)) != 0)
		HASH_FIND(hh, d->templates, stc, PRM_STC_BYTES, t);
	if (!t)
		err = hws_stc_make(d, stc, other, &t);
	if (err)
		return err;
	t->refs++;
	d->last[slot] = (uint16_t)t->offset;
	*offset = (uint16_t)t->offset;
	return 0;
}

/* A rule that would still name a template that was given back drops its packets. */
int dvx_hws_stc_put(struct hws_domain *d, uint16_t *offset)
{
	struct hws_template *t = d->template[*offset];
	uint8_t drop[PRM_STC_BYTES] = {0};
	int err;

	if (!*offset)
		return 0;
	if (t->refs == 1) {
		prm_stc_set_modify_field_select(drop, HWS_MODIFY_ALL);
		prm_stc_set_ste_action_offset(drop, hws_dword_of[HWS_HIT]);
		prm_stc_set_action_type(drop, PRM_STC_ACTION_DROP);
		err = hws_stc_set(d, t->offset, drop, 0);
		if (err)
			return err;
		d->template[t->offset] = NULL;
		HASH_DEL(d->templates, t);
		free(t);
	} else {
		t->refs--;
	}
	*offset = 0;
	return 0;
}

int dvx_hws_stc_jump(struct hws_domain *d, const struct hws_pair *range, uint16_t *offset)
{
	uint8_t stc[PRM_STC_BYTES] = {0};
	const void *cap;
	int err = dvx_dev_cap_page(d->dev, PRM_HCA_CAP_TYPE_WQE_BASED_FLOW_TABLE, &cap);

	if (err)
		return err;
	prm_stc_set_action_type(stc, PRM_STC_ACTION_JUMP_TO_STE_TABLE);
	prm_stc_set_ste_obj_id(stc, range->side[0].id);
	prm_stc_set_match_definer_id(stc,
				     prm_wqe_based_flow_table_cap_get_trivial_match_definer(cap));
	prm_stc_set_log_hash_size(stc, 0);
	return dvx_hws_stc_get(d, HWS_HIT, stc, range->side[1].id, offset);
}

static int hws_stcs_range(struct hws_domain *d, uint32_t side)
{
	uint8_t in[PRM_CREATE_STC_IN_BYTES] = {0};

	prm_stc_set_table_type(prm_create_stc_in_at_stc(in), d->side_type[side]);
	return dvx_hws_object_create(d->dev, PRM_OBJ_TYPE_STC, dvx_log2_up(HWS_STCS), in,
				     sizeof(in), &d->stcs.side[side]);
}

int dvx_hws_stcs_create(struct hws_domain *d)
{
	static const enum hws_slot slots[HWS_FIXED] = {HWS_CTRL, HWS_DW5, HWS_DW6, HWS_DW7};
	int err = 0;

	for (uint32_t side = 0; side < d->sides && !err; side++)
		err = hws_stcs_range(d, side);
	for (uint32_t i = 0; i < HWS_FIXED && !err; i++) {
		uint8_t stc[PRM_STC_BYTES] = {0};
		uint16_t offset;

		prm_stc_set_action_type(stc, PRM_STC_ACTION_NOP);
		err = dvx_hws_stc_get(d, slots[i], stc, 0, &offset);
	}
	return err;
}

int dvx_hws_stcs_destroy(struct hws_domain *d)
{
	int err = dvx_hws_pair_destroy(&d->stcs);

	for (uint32_t i = 0; i < HWS_FIXED && !err && d->template[i]; i++) {
		HASH_DEL(d->templates, d->template[i]);
		free(d->template[i]);
		d->template[i] = NULL;
	}
	return err;
}

void dvx_hws_stcs_dump(const struct hws_domain *d, uint32_t type, FILE *to)
{
	for (uint32_t i = 0; i < HWS_STCS; i++) {
		if (!d->template[i])
			continue;
		fprintf(to, "%u,%u,", type, i);
		for (uint32_t k = 0; k < PRM_STC_BYTES; k++)
			fprintf(to, "%02x", d->template[i] -> stc[k]);
		putc('\n', to);
	}
}
