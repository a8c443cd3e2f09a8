/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Actions of a rule. Each template (STC) names an action, and the dword of the rule's entry that has
 * its operand. [I] Their order: dword 5, the counter, dwords 6 and 7, the destination, as drivers
 * lay out a removal before, and an insertion behind what is counted.
 */
#include <string.h>
#include <dvx/prm/flow.h>
#include <dvx/prm/hws.h>
#include "obj/aso.h"
#include "obj/counter.h"
#include "obj/flow.h"
#include "obj/rtc.h"
#include "rules.h"
#include "steer/aso_action.h"
#include "steer/modify.h"
#include "steer/move.h"
#include "steer/priv.h"
#include "steer/rewrite.h"

#define DWORD	      4u
#define STC_PARAM_AT  32u
#define REWRITE_DATA  4u /* of PRM set_action_in */
#define ASO_FIELDS_AT 6u /* in an operand */
#define INDEX_SHIFT   6u /* of an entry in hit_low */
#define ENTRY_DWORDS  (RULE_BYTES / DWORD)

/* Executes an action; `operand` is at its dword of the entry. False after steer_lost(). */
typedef bool rule_action_fn(struct steer_walk *, const struct stc *, const uint8_t *operand,
			    unsigned int *changed);

static bool rule_nop(struct steer_walk *w, const struct stc *stc, const uint8_t *operand,
		     unsigned int *changed)
{
	(void)w;
	(void)stc;
	(void)operand;
	(void)changed;
	return true;
}

/*
 * Finds what a template or its operand names: the template's uid has it, or all do. NULL after
 * steer_lost().
 */
static void *rule_object(struct steer_walk *w, const struct stc *stc, enum obj_type type,
			 uint32_t id)
{
	void *o = obj_find_shared(w->vhca, type, id, stc->uid);

	if (!o)
		steer_lost(w, "a rule names %s 0x%x, which its uid does not have",
			   obj_type_name(type), id);
	return o;
}

/*
 * [I] A rule's offset leads from the template's counter to another one of its uid and its PD, of the
 * same bulk or not.
 */
static bool rule_count(struct steer_walk *w, const struct stc *stc, const uint8_t *operand,
		       unsigned int *changed)
{
	const uint32_t base = prm_stc_get_flow_counter_id(stc->prm);
	const uint32_t id = base + prm_load32(operand, 0);
	const struct counter *first = counter_find(w->vhca, base), *c = counter_find(w->vhca, id);

	(void)changed;
	if (!first || !c || c->pd != first->pd || (stc->uid && c->uid != stc->uid))
		return steer_lost(w, "a rule names counter 0x%x, which is not of its uid and PD",
				  id);
	counter_hit(w->vhca, id, w->packet->len);
	return true;
}

static bool rule_tag(struct steer_walk *w, const struct stc *stc, const uint8_t *operand,
		     unsigned int *changed)
{
	(void)stc;
	(void)changed;
	w->packet->flow_tag = prm_load32(operand, 0);
	return true;
}

/* SET and ADD have their value in the rule. */
static bool rule_rewrite(struct steer_walk *w, const struct stc *stc, const uint8_t *operand,
			 unsigned int *changed)
{
	uint8_t action[PRM_SET_ACTION_IN_BYTES];

	memcpy(action, stc->prm + STC_PARAM_AT, sizeof(action));
	if (prm_stc_get_action_type(stc->prm) != PRM_STC_ACTION_COPY)
		memcpy(action + REWRITE_DATA, operand + DWORD, DWORD);
	modify_headers(w, action, 1);
	*changed |= REWRITE_HEADERS; /* parsed again already */
	return true;
}

static bool rule_remove_words(struct steer_walk *w, const struct stc *stc, const uint8_t *operand,
			      unsigned int *changed)
{
	const struct move_place from = {prm_stc_get_words_start_anchor(stc->prm),
					prm_stc_get_remove_offset(stc->prm)};

	(void)operand;
	return move_remove_words(w, from, prm_stc_get_remove_size(stc->prm), changed);
}

static bool rule_remove_header(struct steer_walk *w, const struct stc *stc, const uint8_t *operand,
			       unsigned int *changed)
{
	(void)operand;
	return move_remove_between(w, prm_stc_get_remove_start_anchor(stc->prm),
				   prm_stc_get_remove_end_anchor(stc->prm),
				   prm_stc_get_decap(stc->prm), changed);
}

/* Finds the object at an offset from the template's: of its uid and PD. NULL after steer_lost(). */
static struct pd_object *rule_object_in_range(struct steer_walk *w, const struct stc *stc,
					      enum obj_type type, uint32_t base, uint32_t offset)
{
	struct pd_object *first = rule_object(w, stc, type, base);
	struct pd_object *a = first && offset ? rule_object(w, stc, type, base + offset) : first;

	if (!a || a->pd == first->pd)
		return a;
	steer_lost(w, "a rule names %s 0x%x, which is not of its PD", obj_type_name(type), a->o.id);
	return NULL;
}

/* The result goes to any register [I], and the second dword is as in an entry of format 1. */
static bool rule_aso(struct steer_walk *w, const struct stc *stc, const uint8_t *operand,
		     unsigned int *changed)
{
	const uint32_t type = prm_stc_get_aso_type(stc->prm);
	struct pd_object *a =
		rule_object_in_range(w, stc, aso_object_type(type),
				     prm_stc_get_aso_object_id(stc->prm), prm_load32(operand, 0));

	return a && aso_execute(w, type, a, operand + ASO_FIELDS_AT,
				&w->packet->reg_c[prm_stc_get_return_reg_id(stc->prm)], changed);
}

/*
 * Copies the first n bytes of arguments, from the offset on; an argument has ASO_BYTES. False after
 * steer_lost().
 */
static bool rule_argument(struct steer_walk *w, const struct stc *stc, uint32_t base,
			  uint32_t offset, uint8_t *to, uint32_t n)
{
	for (uint32_t at = 0; at < n; at += ASO_BYTES, offset++) {
		const struct pd_object *a =
			rule_object_in_range(w, stc, OBJ_ARGUMENT, base, offset);

		if (!a)
			return false;
		memcpy(to + at, a->context, n - at < ASO_BYTES ? n - at : ASO_BYTES);
	}
	return true;
}

/* Inserts a header from arguments, which begin a tunnel if the template says so. */
static bool rule_insert_argument(struct steer_walk *w, const struct stc *stc,
				 struct move_place place, uint32_t offset, unsigned int *changed)
{
	const uint32_t n = 2 * prm_stc_get_insert_size(stc->prm);
	uint8_t header[VHCA_MAX_REFORMAT_BYTES];

	if (!rule_argument(w, stc, prm_stc_get_insert_argument(stc->prm), offset, header, n))
		return false;
	return move_insert_bytes(w, place, header, n, prm_stc_get_encap(stc->prm), changed);
}

static bool rule_insert(struct steer_walk *w, const struct stc *stc, const uint8_t *operand,
			unsigned int *changed)
{
	const struct move_place place = {prm_stc_get_insert_anchor(stc->prm),
					 prm_stc_get_insert_offset(stc->prm)};

	if (prm_stc_get_inline_data(stc->prm))
		return move_insert_dword(w, place, operand + DWORD, changed);
	return rule_insert_argument(w, stc, place, prm_load32(operand, DWORD), changed);
}

/*
 * Adds the pattern to arguments. [I] Only values of SET and ADD, and bytes to insert, come from
 * arguments: the pattern was checked when it was made.
 */
static void rule_merge(uint8_t *actions, const struct flow_modify *pattern)
{
	for (uint32_t i = 0; i < pattern->n; i++, actions += PRM_SET_ACTION_IN_BYTES) {
		const uint8_t *from = pattern->actions + PRM_SET_ACTION_IN_BYTES * i;
		uint32_t value = prm_load32(actions, REWRITE_DATA);

		memcpy(actions, from, PRM_SET_ACTION_IN_BYTES);
		if (prm_set_action_in_get_action_type(from) != PRM_ACTION_TYPE_COPY)
			prm_store32(actions, REWRITE_DATA, value | prm_load32(from, REWRITE_DATA));
	}
}

/* Executes one action of a list. Removals and insertions have the layout of templates. */
static bool rule_list_action(struct steer_walk *w, const uint8_t *action, unsigned int *changed)
{
	struct stc one;

	memcpy(one.prm + STC_PARAM_AT, action, PRM_SET_ACTION_IN_BYTES);
	switch (prm_set_action_in_get_action_type(action)) {
	case PRM_ACTION_TYPE_INSERT:
		return rule_insert(w, &one, action, changed);
	case PRM_ACTION_TYPE_REMOVE:
		return rule_remove_header(w, &one, action, changed);
	case PRM_ACTION_TYPE_REMOVE_WORDS:
		return rule_remove_words(w, &one, action, changed);
	case PRM_ACTION_TYPE_NOP:
		return true;
	default:
		modify_headers(w, action, 1);
		*changed |= REWRITE_HEADERS; /* parsed again already */
		return true;
	}
}

/* A list of changes is a pattern, whose values are arguments. */
static bool rule_rewrites(struct steer_walk *w, const struct stc *stc, const uint8_t *operand,
			  unsigned int *changed)
{
	const struct flow_modify *pattern =
		rule_object(w, stc, OBJ_PATTERN, prm_stc_get_header_modify_pattern_id(stc->prm));
	uint8_t actions[VHCA_MAX_PATTERN * PRM_SET_ACTION_IN_BYTES];
	uint32_t n = pattern ? pattern->n * PRM_SET_ACTION_IN_BYTES : 0;

	if (!pattern || !ste_charge(w, pattern->n) ||
	    !rule_argument(w, stc, prm_stc_get_header_modify_argument_id(stc->prm),
			   prm_load32(operand, DWORD), actions, n))
		return false;
	rule_merge(actions, pattern);
	for (uint32_t i = 0; i < n; i += PRM_SET_ACTION_IN_BYTES)
		if (!rule_list_action(w, actions + i, changed))
			return false;
	return true;
}

static const struct rule_action_row {
	rule_action_fn *run;
	uint8_t dwords; /* of its operand */
} rows[] = {
	[PRM_STC_ACTION_NOP] = {rule_nop, 1},
	[PRM_STC_ACTION_COPY] = {rule_rewrite, 2},
	[PRM_STC_ACTION_SET] = {rule_rewrite, 2},
	[PRM_STC_ACTION_ADD] = {rule_rewrite, 2},
	[PRM_STC_ACTION_REMOVE_WORDS] = {rule_remove_words, 1},
	[PRM_STC_ACTION_HEADER_REMOVE] = {rule_remove_header, 1},
	[PRM_STC_ACTION_HEADER_INSERT] = {rule_insert, 2},
	[PRM_STC_ACTION_ACC_MODIFY_LIST] = {rule_rewrites, 2},
	[PRM_STC_ACTION_TAG] = {rule_tag, 1},
	[PRM_STC_ACTION_ASO] = {rule_aso, 2},
	[PRM_STC_ACTION_COUNTER] = {rule_count, 1},
};
#define ROWS (sizeof(rows) / sizeof(rows[0]))

bool rules_action_exists(uint32_t type)
{
	return (type < ROWS && rows[type].run) ||
	       (type >= PRM_STC_ACTION_JUMP_TO_STE_TABLE && type <= PRM_STC_ACTION_JUMP_TO_UPLINK);
}

/* Executes the action of one template; a template that ends the walk does nothing here. */
static bool rule_run(struct steer_walk *w, const struct rtc_rule *rule, enum rule_stc which,
		     unsigned int *changed)
{
	const struct stc *stc = rule->stc[which];
	uint32_t type, at;

	if (!stc)
		return true;
	type = prm_stc_get_action_type(stc->prm);
	at = prm_stc_get_ste_action_offset(stc->prm);
	if (type >= ROWS || !rows[type].run || at + rows[type].dwords > ENTRY_DWORDS)
		return steer_lost(w, "a rule has action 0x%x at dword %u, where it cannot be", type,
				  at);
	return rows[type].run(w, stc, rule->entry + DWORD * at, changed);
}

/* --- destinations ----------------------------------------------------------------------------- */

static uint64_t rule_jump_to(struct steer_walk *w, const struct stc *stc, enum obj_type type,
			     enum icm_kind kind, uint32_t id)
{
	return rule_object(w, stc, type, id) ? icm_addr(kind, id) : 0;
}

static uint64_t rule_jump(struct steer_walk *w, const struct stc *stc)
{
	switch (prm_stc_get_action_type(stc->prm)) {
	case PRM_STC_ACTION_JUMP_TO_TIR:
		return rule_jump_to(w, stc, OBJ_TIR, ICM_TIR, prm_stc_get_tirn(stc->prm));
	case PRM_STC_ACTION_JUMP_TO_FT:
		return rule_jump_to(w, stc, OBJ_FLOW_TABLE, ICM_TABLE,
				    prm_stc_get_table_id(stc->prm));
	case PRM_STC_ACTION_DROP:
		return icm_addr(ICM_END, ICM_DROP);
	case PRM_STC_ACTION_ALLOW:
		return icm_addr(ICM_END, w->domain == STEER_NIC_RX ? ICM_MISS : ICM_ALLOW);
	case PRM_STC_ACTION_JUMP_TO_VPORT:
		return icm_vport((uint16_t)prm_stc_get_vport_number(stc->prm), w->tx);
	case PRM_STC_ACTION_JUMP_TO_UPLINK:
		return icm_vport(VPORT_UPLINK, w->tx);
	default:
		return steer_lost(w, "a rule's action 0x%x leads nowhere",
				  prm_stc_get_action_type(stc->prm));
	}
}

/* Returns the entry of a range that the rule goes on with; NULL after steer_lost(). */
static const struct rtc_rule *rule_next(struct steer_walk *w, const struct rtc_rule *rule)
{
	const struct stc *stc = rule->stc[RULE_HIT];
	const struct ste_range *r = rule_object(w, stc, OBJ_STE, prm_stc_get_ste_obj_id(stc->prm));
	uint64_t index = prm_wqe_gta_data_seg_ste_get_hit_low(rule->entry) >> INDEX_SHIFT;
	const struct rtc_rule *next = r ? ste_range_rule(r, index) : NULL;

	if (r && !next)
		steer_lost(w, "a rule goes on with entry %u of range 0x%x, which is empty",
			   (unsigned int)index, prm_stc_get_ste_obj_id(stc->prm));
	return next;
}

/* Charges changes to the walk; headers moved only if templates or the table parse again. */
static bool rule_charge(struct steer_walk *w, const struct rtc *t, const struct rtc_rule *rule,
			unsigned int changed)
{
	bool wanted = t->reparse == PRM_RTC_REPARSE_ALWAYS;

	for (unsigned int i = 0; i < RULE_STCS && t->reparse == PRM_RTC_REPARSE_BY_STC; i++)
		wanted |= rule->stc[i] &&
			  prm_stc_get_reparse_mode(rule->stc[i]->prm) == PRM_STC_REPARSE_ALWAYS;
	if (changed & STE_MOVED && !wanted)
		return steer_lost(w, "a rule of table 0x%x moves headers and does not parse again",
				  t->o.id);
	return !changed || ste_charge(w, 1);
}

uint64_t rule_act(struct steer_walk *w, const struct rtc *t, const struct rtc_rule *rule)
{
	static const uint8_t order[] = {RULE_DW5, RULE_CTRL, RULE_DW6, RULE_DW7};
	const struct stc *hit;

	do {
		unsigned int changed = 0;

		if (!w->steps)
			return steer_lost(w, "rules of table 0x%x lead in a circle", t->o.id);
		w->steps--;
		for (unsigned int i = 0; i < sizeof(order); i++)
			if (!rule_run(w, rule, (enum rule_stc)order[i], &changed))
				return 0;
		if (!rule_charge(w, t, rule, changed))
			return 0;
		hit = rule->stc[RULE_HIT];
		if (!hit)
			return steer_lost(w, "a rule of table 0x%x has no destination", t->o.id);
		if (prm_stc_get_action_type(hit->prm) != PRM_STC_ACTION_JUMP_TO_STE_TABLE)
			return rule_jump(w, hit);
		rule = rule_next(w, rule);
	} while (rule);
	return 0;
}
