/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hardware steering: ranges of action templates (STC) and of entries (STE), and rule tables (RTC)
 * on them. [I] All checks here: public sources show good commands only.
 */
#include <stdlib.h>
#include <string.h>
#include <dvx/prm/hws.h>
#include <dvx/prm/ste1.h>
#include "cmd.h"
#include "obj/device.h"
#include "obj/flow.h"
#include "obj/rtc.h"
#include "steer/aso_action.h"
#include "steer/packet.h"
#include "steer/rules/rules.h"
#include "steer/ste/definer.h"

#define FW_STC_MODIFY_ALL 1u /* stc.modify_field_select */
#define FW_STC_PARAM_AT	  32u
#define FW_DWORD_WORDS	  2u /* in an insertion */

static const uint8_t *fw_rtc_object(const struct fw_cmd *c)
{
	return (const uint8_t *)c->in + PRM_GENERAL_OBJ_IN_CMD_HDR_BYTES;
}

/* Checks that the mailbox of a CREATE has the whole object, before any of its fields is read. */
static int fw_rtc_check_whole(struct fw_cmd *c)
{
	if (!c->vhca->dev->profile->rules_by_wqe)
		return fw_refuse(c, FW_SYN_CAP_CLEAR, "cap.wqe_based_flow_table_update_cap is 0");
	if (c->in_len < PRM_CREATE_STC_IN_BYTES)
		return fw_refuse(c, FW_SYN_IN_SHORT,
				 "the mailbox has %zu bytes, the object needs %u", c->in_len,
				 PRM_CREATE_STC_IN_BYTES);
	return 0;
}

/* Checks the head of a CREATE, and table_type. */
static int fw_rtc_check(struct fw_cmd *c, uint32_t type, uint32_t log_most)
{
	const uint32_t log = prm_general_obj_in_cmd_hdr_get_log_obj_range(c->in);
	const bool fdb = type == PRM_FLOW_TABLE_TYPE_FDB_RX || type == PRM_FLOW_TABLE_TYPE_FDB_TX;

	if (log > log_most)
		return fw_refuse(c, FW_SYN_SIZE, "log_obj_range %u: at most %u", log, log_most);
	if (type > PRM_FLOW_TABLE_TYPE_NIC_TX && !(fdb && c->vhca == c->vhca->dev->manager))
		return fw_refuse(c, FW_SYN_TABLE_TYPE,
				 "table_type 0x%x is none of 0 (NIC RX), 1 (NIC TX) and, for the "
				 "e-switch's manager, 0xa (FDB RX) and 0xb (FDB TX)",
				 type);
	return fw_nothing_after(c, PRM_CREATE_STC_IN_BYTES);
}

/* --- action templates ------------------------------------------------------------------------ */

int fw_create_stc(struct fw_cmd *c)
{
	const uint32_t n = 1u << prm_general_obj_in_cmd_hdr_get_log_obj_range(c->in);
	struct stc_range *r;
	uint32_t type;

	if (fw_rtc_check_whole(c))
		return -1;
	type = prm_stc_get_table_type(fw_rtc_object(c));
	if (fw_rtc_check(c, type, VHCA_LOG_MAX_STC))
		return -1;
	r = fw_new(c, OBJ_STC, sizeof(*r) + n * sizeof(r->stc[0]));
	if (!r)
		return -1;
	r->table_type = (uint8_t)type;
	r->n = n;
	return fw_made(c, &r->o, 0);
}

/* [I] First hits are as in entries of format 1: public sources have the other two types. */
static int fw_stc_check_aso(struct fw_cmd *c, const uint8_t *stc)
{
	const uint32_t type = prm_stc_get_aso_type(stc), reg = prm_stc_get_return_reg_id(stc);

	if (type != PRM_STE_ASO_TYPE_CT && type != PRM_STE_ASO_TYPE_POLICERS &&
	    type != PRM_STE_ASO_TYPE_FIRST_HIT)
		return fw_refuse(c, FW_SYN_UNSUPPORTED,
				 "stc.aso_type %u is none of 1 (connection tracking), 2 (meter) "
				 "and 4 (first hit)",
				 type);
	if (reg >= PACKET_REGISTERS_C)
		return fw_refuse(c, FW_SYN_RANGE, "stc.return_reg_id %u: reg_c_%u is the last", reg,
				 PACKET_REGISTERS_C - 1);
	return fw_nothing_after(c, PRM_CREATE_STC_IN_BYTES);
}

/* [I] The rewrite is of the template's type: that decides whether the second dword is the rule's value. */
static int fw_stc_check_rewrite(struct fw_cmd *c, const uint8_t *stc)
{
	static const uint8_t types[] = {[PRM_STC_ACTION_COPY] = PRM_ACTION_TYPE_COPY,
					[PRM_STC_ACTION_SET] = PRM_ACTION_TYPE_SET,
					[PRM_STC_ACTION_ADD] = PRM_ACTION_TYPE_ADD};
	const uint32_t type = prm_stc_get_action_type(stc);
	const uint8_t *rewrite = stc + FW_STC_PARAM_AT;

	if (prm_set_action_in_get_action_type(rewrite) != types[type])
		return fw_refuse(c, FW_SYN_UNSUPPORTED,
				 "stc.rewrite has action_type %u, stc.action_type 0x%x needs %u",
				 prm_set_action_in_get_action_type(rewrite), type, types[type]);
	return fw_flow_modify_check_action(c, 0, rewrite);
}

/* [I] A rule has a dword to insert inline; arguments have no longer header than reformat contexts. */
static int fw_stc_check_insert(struct fw_cmd *c, const uint8_t *stc)
{
	const uint32_t words = prm_stc_get_insert_size(stc);

	if (prm_stc_get_inline_data(stc) ? words != FW_DWORD_WORDS
					 : 2 * words > VHCA_MAX_REFORMAT_BYTES)
		return fw_refuse(c, FW_SYN_SIZE,
				 "stc.insert_size %u: inline are %u words, arguments have at most "
				 "%u bytes (cap.max_encap_header_size)",
				 words, FW_DWORD_WORDS, VHCA_MAX_REFORMAT_BYTES);
	return fw_nothing_after(c, PRM_CREATE_STC_IN_BYTES);
}

static int fw_stc_check(struct fw_cmd *c, const uint8_t *stc)
{
	uint32_t type;

	if (fw_rtc_check_whole(c))
		return -1;
	type = prm_stc_get_action_type(stc);
	if (prm_stc_get_modify_field_select(stc) != FW_STC_MODIFY_ALL)
		return fw_refuse(c, FW_SYN_UNSUPPORTED,
				 "stc.modify_field_select is not 1 (the whole template)");
	if (!rules_action_exists(type))
		return fw_refuse(c, FW_SYN_UNSUPPORTED,
				 "stc.action_type 0x%x: its bit in stc_action_type is 0", type);
	if (type == PRM_STC_ACTION_ASO)
		return fw_stc_check_aso(c, stc);
	if (type == PRM_STC_ACTION_SET || type == PRM_STC_ACTION_ADD || type == PRM_STC_ACTION_COPY)
		return fw_stc_check_rewrite(c, stc);
	if (type == PRM_STC_ACTION_HEADER_INSERT)
		return fw_stc_check_insert(c, stc);
	return fw_nothing_after(c, PRM_CREATE_STC_IN_BYTES);
}

/* Finds what the template leads to or uses: it must be of the command's uid. */
static int fw_stc_check_objects(struct fw_cmd *c, const uint8_t *stc)
{
	switch (prm_stc_get_action_type(stc)) {
	case PRM_STC_ACTION_JUMP_TO_TIR:
		return fw_find_or_alias(c, OBJ_TIR, prm_stc_get_tirn(stc), "stc.tirn") ? 0 : -1;
	case PRM_STC_ACTION_JUMP_TO_FT:
		/* [I] Or to a steering anchor, which the kernel makes for this. */
		return obj_find_shared(c->vhca, OBJ_FLOW_TABLE, prm_stc_get_table_id(stc),
				       c->uid) ||
				       fw_find_or_alias(c, OBJ_FLOW_TABLE,
							prm_stc_get_table_id(stc), "stc.table_id")
			       ? 0
			       : -1;
	case PRM_STC_ACTION_JUMP_TO_STE_TABLE:
		return fw_find(c, OBJ_STE, prm_stc_get_ste_obj_id(stc), "stc.ste_obj_id") ? 0 : -1;
	case PRM_STC_ACTION_ACC_MODIFY_LIST:
		return fw_find(c, OBJ_PATTERN, prm_stc_get_header_modify_pattern_id(stc),
			       "stc.header_modify_pattern_id") &&
				       fw_find(c, OBJ_ARGUMENT,
					       prm_stc_get_header_modify_argument_id(stc),
					       "stc.header_modify_argument_id")
			       ? 0
			       : -1;
	case PRM_STC_ACTION_HEADER_INSERT:
		return prm_stc_get_inline_data(stc) ||
				       fw_find(c, OBJ_ARGUMENT, prm_stc_get_insert_argument(stc),
					       "stc.insert_argument")
			       ? 0
			       : -1;
	case PRM_STC_ACTION_ASO:
		return fw_find(c, aso_object_type(prm_stc_get_aso_type(stc)),
			       prm_stc_get_aso_object_id(stc), "stc.aso_object_id")
			       ? 0
			       : -1;
	case PRM_STC_ACTION_COUNTER:
		return fw_flow_counter(c, prm_stc_get_flow_counter_id(stc)) ? 0 : -1;
	default:
		return 0;
	}
}

int fw_modify_stc(struct fw_cmd *c)
{
	const uint32_t offset = prm_general_obj_in_cmd_hdr_get_obj_offset(c->in);
	struct stc_range *r = c->obj;
	struct stc *stc;

	if (fw_stc_check(c, fw_rtc_object(c)) || fw_stc_check_objects(c, fw_rtc_object(c)))
		return -1;
	if (offset >= r->n)
		return fw_refuse(c, FW_SYN_INDEX, "obj_offset %u: stc 0x%x has %u templates",
				 offset, r->o.id, r->n);
	stc = malloc(sizeof(*stc));
	if (!stc)
		return fw_refuse(c, FW_SYN_MEMORY, "no memory for the template");
	stc->refs = 1;
	stc->uid = c->uid;
	memcpy(stc->prm, fw_rtc_object(c), STC_BYTES);
	stc_put(r->stc[offset]);
	r->stc[offset] = stc;
	return 0;
}

/* --- patterns --------------------------------------------------------------------------------- */

#define FW_PATTERN_AT	 32u /* header_modify_pattern_in.pattern_data */
#define FW_REWRITE_BYTES 8u

/*
 * Checks an action of a pattern: a rewrite, or a change as a template has it. [I] An insertion is of
 * a dword, as its argument has room for no more.
 */
static int fw_pattern_check_action(struct fw_cmd *c, uint32_t i, const uint8_t *action)
{
	uint8_t stc[STC_BYTES] = {0};

	memcpy(stc + FW_STC_PARAM_AT, action, FW_REWRITE_BYTES);
	switch (prm_set_action_in_get_action_type(action)) {
	case PRM_ACTION_TYPE_INSERT:
		if (prm_stc_get_inline_data(stc) && prm_stc_get_insert_size(stc) == FW_DWORD_WORDS)
			return 0;
		return fw_refuse(c, FW_SYN_UNSUPPORTED,
				 "pattern_data[%u]: an insertion that is not inline, or of %u "
				 "words: a pattern inserts 2 words of its argument",
				 i, prm_stc_get_insert_size(stc));
	case PRM_ACTION_TYPE_REMOVE:
	case PRM_ACTION_TYPE_REMOVE_WORDS:
	case PRM_ACTION_TYPE_NOP:
		return 0;
	default:
		return fw_flow_modify_check_action(c, i, action);
	}
}

static int fw_pattern_check(struct fw_cmd *c, const uint8_t *pattern, uint32_t n)
{
	const size_t end =
		PRM_GENERAL_OBJ_IN_CMD_HDR_BYTES + FW_PATTERN_AT + (size_t)n * FW_REWRITE_BYTES;

	if (!c->vhca->dev->profile->rules_by_wqe)
		return fw_refuse(c, FW_SYN_CAP_CLEAR, "cap.wqe_based_flow_table_update_cap is 0");
	if (!n || n > VHCA_MAX_PATTERN)
		return fw_refuse(c, FW_SYN_SIZE, "pattern_length %u: 1 to %u rewrites", n,
				 VHCA_MAX_PATTERN);
	if (c->in_len < end)
		return fw_refuse(c, FW_SYN_IN_SHORT,
				 "the mailbox has %zu bytes, the pattern needs %zu", c->in_len,
				 end);
	for (uint32_t i = 0; i < n; i++)
		if (fw_pattern_check_action(c, i,
					    pattern + FW_PATTERN_AT + (size_t)i * FW_REWRITE_BYTES))
			return -1;
	return fw_nothing_after(c, end);
}

int fw_create_pattern(struct fw_cmd *c)
{
	const uint8_t *pattern = fw_rtc_object(c);
	const uint32_t n = c->in_len < PRM_GENERAL_OBJ_IN_CMD_HDR_BYTES + FW_PATTERN_AT
				   ? 0
				   : prm_header_modify_pattern_in_get_pattern_length(pattern);
	struct flow_modify *m;

	if (fw_pattern_check(c, pattern, n))
		return -1;
	m = fw_new(c, OBJ_PATTERN, sizeof(*m) + (size_t)n * FW_REWRITE_BYTES);
	if (!m)
		return -1;
	m->n = (uint8_t)n;
	memcpy(m->actions, pattern + FW_PATTERN_AT, (size_t)n * FW_REWRITE_BYTES);
	return fw_made(c, &m->o, 0);
}

/* --- entries --------------------------------------------------------------------------------- */

int fw_create_ste(struct fw_cmd *c)
{
	const uint32_t n = 1u << prm_general_obj_in_cmd_hdr_get_log_obj_range(c->in);
	struct ste_range *r;
	uint32_t type;

	if (fw_rtc_check_whole(c))
		return -1;
	type = prm_ste_get_table_type(fw_rtc_object(c));
	if (fw_rtc_check(c, type, VHCA_LOG_MAX_RULE_STE))
		return -1;
	r = fw_new(c, OBJ_STE, sizeof(*r));
	if (!r)
		return -1;
	r->table_type = (uint8_t)type;
	r->rules = calloc(n, sizeof(r->rules[0]));
	r->n = r->rules ? n : 0;
	if (!r->rules)
		fw_refuse(c, FW_SYN_MEMORY, "no memory for %u entries", n);
	return fw_made(c, &r->o, !r->rules);
}

/* --- rule tables ----------------------------------------------------------------------------- */

/*
 * [I] Rules of GENERATE_WQE have definers of their own, and their place is by the hash of the table's. A second entry
 * of a rule has ranges. num_hash_definer counts the definers that are hashed only.
 */
static int fw_rtc_check_generated(struct fw_cmd *c, const uint8_t *rtc)
{
	const bool by_hash =
		!prm_rtc_get_update_index_mode(rtc) && !prm_rtc_get_access_index_mode(rtc);
	const uint32_t hashed = prm_rtc_get_num_hash_definer(rtc);
	const uint32_t second = prm_rtc_get_ste_format_1(rtc),
		       entries = prm_rtc_get_num_match_ste(rtc);

	if (hashed > 1 || (hashed && by_hash && !prm_rtc_get_update_method(rtc)))
		return fw_refuse(c, FW_SYN_UNSUPPORTED,
				 "rtc.num_hash_definer %u: 1 with GENERATE_WQE (update_method), or "
				 "for a table whose rules are written by offset; else 0",
				 hashed);
	if (second &&
	    (second != PRM_RTC_STE_FORMAT_RANGE || entries != 2 || !prm_rtc_get_update_method(rtc)))
		return fw_refuse(c, FW_SYN_UNSUPPORTED,
				 "rtc.ste_format_1 %u: ranges (7) have num_match_ste 2 and "
				 "update_method 1",
				 second);
	if (entries > 1 && !second)
		return fw_refuse(c, FW_SYN_UNSUPPORTED,
				 "rtc.num_match_ste %u: the second entry has no format", entries);
	if (prm_rtc_get_update_method(rtc) &&
	    (!by_hash || !hashed || prm_rtc_get_ste_format_0(rtc) != PRM_RTC_STE_FORMAT_8DW ||
	     prm_rtc_get_match_definer_0(rtc) == DEFINER_TRIVIAL))
		return fw_refuse(c, FW_SYN_UNSUPPORTED,
				 "rtc.update_method 1: such a table has num_hash_definer 1, "
				 "ste_format_0 4 (8DW), modes by hash and a definer with fields");
	return 0;
}

static int fw_rtc_check_features(struct fw_cmd *c, const uint8_t *rtc)
{
	const uint32_t format = prm_rtc_get_ste_format_0(rtc);
	const struct fw_absent features[] = {
		FW_ABSENT(rtc, match_definer_1, "rules name the definers of their ranges"),
	};

	if (FW_CHECK_ABSENT(c, features) || fw_rtc_check_generated(c, rtc))
		return -1;
	if (format != PRM_RTC_STE_FORMAT_8DW && format != PRM_RTC_STE_FORMAT_11DW)
		return fw_refuse(c, FW_SYN_UNSUPPORTED,
				 "rtc.ste_format_0 %u is neither 4 (8DW) nor 5 (11DW)", format);
	if (prm_rtc_get_update_index_mode(rtc) > PRM_RTC_MODE_BY_OFFSET ||
	    prm_rtc_get_reparse_mode(rtc) > PRM_RTC_REPARSE_BY_STC)
		return fw_refuse(c, FW_SYN_RESERVED,
				 "rtc.update_index_mode %u or reparse_mode %u is reserved",
				 prm_rtc_get_update_index_mode(rtc), prm_rtc_get_reparse_mode(rtc));
	return 0;
}

/* [I] A linear table has its own definer, rows of one entry, and rules that are written by offset. */
static int fw_rtc_check_linear(struct fw_cmd *c, const uint8_t *rtc)
{
	const uint32_t mode = prm_rtc_get_access_index_mode(rtc);
	const bool linear = mode == PRM_RTC_MODE_BY_OFFSET;

	if (mode > PRM_RTC_MODE_BY_OFFSET)
		return fw_refuse(c, FW_SYN_RESERVED, "rtc.access_index_mode %u is reserved", mode);
	if (linear != (prm_rtc_get_match_definer_0(rtc) == DEFINER_LINEAR))
		return fw_refuse(c, FW_SYN_UNSUPPORTED,
				 "rtc.match_definer_0 %u and access_index_mode %u: a linear table "
				 "(1) has linear_match_definer_reg_c3, %u",
				 prm_rtc_get_match_definer_0(rtc), mode, DEFINER_LINEAR);
	if (linear && prm_rtc_get_update_index_mode(rtc) != PRM_RTC_MODE_BY_OFFSET)
		return fw_refuse(c, FW_SYN_UNSUPPORTED,
				 "rtc.update_index_mode 0: rules of a linear table are written by "
				 "offset (1)");
	if (linear &&
	    (prm_rtc_get_log_depth(rtc) || prm_rtc_get_log_hash_size(rtc) > VHCA_LOG_MAX_LINEAR))
		return fw_refuse(c, FW_SYN_SIZE,
				 "rtc.log_hash_size %u and log_depth %u: a linear table has at "
				 "most 2^%u rows of one entry",
				 prm_rtc_get_log_hash_size(rtc), prm_rtc_get_log_depth(rtc),
				 VHCA_LOG_MAX_LINEAR);
	return 0;
}

static int fw_rtc_check_size(struct fw_cmd *c, const uint8_t *rtc)
{
	const uint32_t depth = prm_rtc_get_log_depth(rtc), rows = prm_rtc_get_log_hash_size(rtc);
	const uint32_t parts = prm_rtc_get_ste_format_1(rtc) != 0;

	if (depth > VHCA_LOG_MAX_RTC_DEPTH)
		return fw_refuse(c, FW_SYN_SIZE, "rtc.log_depth %u: rtc_log_depth_max is %u", depth,
				 VHCA_LOG_MAX_RTC_DEPTH);
	if (depth + rows + parts > VHCA_LOG_MAX_RULE_STE)
		return fw_refuse(c, FW_SYN_SIZE,
				 "rtc.log_hash_size %u and log_depth %u: ste_alloc_log_max is %u",
				 rows, depth, VHCA_LOG_MAX_RULE_STE);
	if (depth && prm_rtc_get_num_hash_definer(rtc) && prm_rtc_get_update_index_mode(rtc))
		return fw_refuse(c, FW_SYN_SIZE,
				 "rtc.log_depth %u: rows of a table that is split by hash have one "
				 "entry (0)",
				 depth);
	return 0;
}

static int fw_rtc_check_types(struct fw_cmd *c, const struct rtc *t)
{
	static const uint8_t type_of[] = {[PRM_FLOW_TABLE_TYPE_NIC_RX] = PRM_FLOW_TABLE_TYPE_NIC_RX,
					  [PRM_FLOW_TABLE_TYPE_NIC_TX] = PRM_FLOW_TABLE_TYPE_NIC_TX,
					  [PRM_FLOW_TABLE_TYPE_FDB_RX] = PRM_FLOW_TABLE_TYPE_FDB,
					  [PRM_FLOW_TABLE_TYPE_FDB_TX] = PRM_FLOW_TABLE_TYPE_FDB};

	if (t->stcs->table_type != t->table_type || t->entries->table_type != t->table_type)
		return fw_refuse(c, FW_SYN_TABLE_TYPE,
				 "rtc.table_type %u: stc 0x%x has %u, ste 0x%x has %u",
				 t->table_type, t->stcs->o.id, t->stcs->table_type,
				 t->entries->o.id, t->entries->table_type);
	if (t->miss && t->miss->type != type_of[t->table_type])
		return fw_refuse(c, FW_SYN_TABLE_TYPE, "rtc.table_type %u: flow table 0x%x has %u",
				 t->table_type, t->miss->o.id, t->miss->type);
	if ((uint64_t)t->at + rtc_entries(t) > t->entries->n)
		return fw_refuse(c, FW_SYN_INDEX,
				 "rtc.ste_table_offset %u and %u entries: ste 0x%x has %u", t->at,
				 rtc_entries(t), t->entries->o.id, t->entries->n);
	return 0;
}

/*
 * Takes the objects that a table stands on. A table of entries at known places needs none for a miss
 * (DPDK 22.11 has 0 there).
 */
static int fw_rtc_take(struct fw_cmd *c, const uint8_t *rtc, struct rtc *t)
{
	const uint32_t definer = prm_rtc_get_match_definer_0(rtc);
	const uint32_t miss = prm_rtc_get_miss_flow_table_id(rtc);
	const bool fixed = definer == DEFINER_TRIVIAL || definer == DEFINER_LINEAR;

	t->pd = fw_take(c, OBJ_PD, prm_rtc_get_pd(rtc), "rtc.pd");
	if (!t->pd)
		return -1;
	t->stcs = fw_take(c, OBJ_STC, prm_rtc_get_stc_id(rtc), "rtc.stc_id");
	if (!t->stcs)
		return -1;
	t->entries =
		fw_take(c, OBJ_STE, prm_rtc_get_ste_table_base_id(rtc), "rtc.ste_table_base_id");
	if (!t->entries)
		return -1;
	if (!fixed || miss)
		t->miss = fw_take(c, OBJ_FLOW_TABLE, miss, "rtc.miss_flow_table_id");
	if (!t->miss && (!fixed || miss))
		return -1;
	if (!fixed)
		t->definer = fw_take(c, OBJ_MATCH_DEFINER, definer, "rtc.match_definer_0");
	if (!fixed && !t->definer)
		return -1;
	if (t->definer && !t->definer->select)
		return fw_refuse(c, FW_SYN_UNSUPPORTED,
				 "rtc.match_definer_0 0x%x has format %u, not 61 (selected)",
				 definer, t->definer->format);
	return fw_rtc_check_types(c, t);
}

int fw_create_rtc(struct fw_cmd *c)
{
	const uint8_t *rtc = fw_rtc_object(c);
	uint32_t type;
	struct rtc *t;

	if (prm_general_obj_in_cmd_hdr_get_alias_object(c->in))
		return fw_create_alias(c);
	if (fw_rtc_check_whole(c))
		return -1;
	type = prm_rtc_get_table_type(rtc);
	if (fw_rtc_check(c, type, 0) || fw_rtc_check_features(c, rtc) ||
	    fw_rtc_check_linear(c, rtc) || fw_rtc_check_size(c, rtc))
		return -1;
	t = fw_new(c, OBJ_RTC, sizeof(*t));
	if (!t)
		return -1;
	t->table_type = (uint8_t)type;
	t->by_offset = prm_rtc_get_update_index_mode(rtc) == PRM_RTC_MODE_BY_OFFSET;
	t->linear = prm_rtc_get_access_index_mode(rtc) == PRM_RTC_MODE_BY_OFFSET;
	t->wide = prm_rtc_get_ste_format_0(rtc) == PRM_RTC_STE_FORMAT_11DW;
	t->generated = prm_rtc_get_update_method(rtc);
	t->always_hit = t->by_offset && prm_rtc_get_num_hash_definer(rtc);
	t->log_parts = prm_rtc_get_ste_format_1(rtc) != 0;
	t->reparse = (uint8_t)prm_rtc_get_reparse_mode(rtc);
	t->log_depth = (uint8_t)prm_rtc_get_log_depth(rtc);
	t->log_rows = (uint8_t)prm_rtc_get_log_hash_size(rtc);
	t->at = prm_rtc_get_ste_table_offset(rtc);
	return fw_made(c, &t->o, fw_rtc_take(c, rtc, t));
}

int fw_destroy_rtc(struct fw_cmd *c)
{
	struct obj *o = fw_find_or_alias(c, OBJ_RTC, prm_general_obj_in_cmd_hdr_get_obj_id(c->in),
					 "obj_id");

	return o ? fw_destroy(c, o) : -1;
}

void fw_rtc_free(struct obj *o)
{
	struct rtc *t = (struct rtc *)o;

	obj_put(t->pd);
	obj_put(t->stcs);
	obj_put(t->entries);
	obj_put(t->miss);
	obj_put(t->definer);
	obj_free(o);
}
