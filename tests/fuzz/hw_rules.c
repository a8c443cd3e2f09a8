/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hardware steering: commands for definers, ranges, templates, tables, patterns, arguments and ASO
 * objects, nearly right, of two uids and two functions, with aliases between these; destroyed in any order; rules
 * with any operands; and packets that walk through what there is. Nothing crashes, and nothing is left in the end.
 */
#include "fuzz.h"
#include <dvx/prm/alias.h>
#include <dvx/prm/hws.h>
#include <dvx/prm/object.h>
#include <dvx/prm/wqe.h>
#include "tests/steer/flow_rig.h"
#include "steer/ste/definer.h"
#include "obj/flow.h"
#include "obj/rtc.h"

#define RX     PRM_FLOW_TABLE_TYPE_NIC_RX
#define LEVEL  63u
#define BYTES  144u
#define WORDS  4u    /* of an object's payload that are noise */
#define PACKED 0x18u /* dword of the parsed headers with ports */

static struct fx *f;
static unsigned int rules, generated, aliases;

static uint16_t any_uid(void)
{
	return (uint16_t)(FX_UID + !any(8));
}

/* Returns the number of an object, seldom of none. */
static uint32_t some_id(enum obj_type type)
{
	uint32_t id = any(8), skip = any(4);

	if (!any(16))
		return id;
	for (const struct obj *o = obj_next(f->v, type, 0); o; o = obj_next(f->v, type, id + 1)) {
		id = o->id;
		if (!skip--)
			break;
	}
	return id;
}

static void command(uint16_t opcode, uint8_t *in, size_t len)
{
	fx_exec(f, f->v, opcode, any_uid(), in, len, 16);
}

/* Executes a command with an object of this structure, some of whose words are noise now and then. */
static void object(uint16_t opcode, const char *in_struct, const struct fx_field *fields)
{
	uint8_t in[BYTES] = {0};

	fx_set(prm_find_struct(in_struct), in, fields);
	for (unsigned int i = 0; !any(4) && i < WORDS; i++)
		prm_store32(in, 16 + 4 * any((BYTES - 16) / 4), (uint32_t)any_value());
	command(opcode, in, any(16) ? sizeof(in) : any(sizeof(in)));
}

static void ranges(void)
{
	const uint16_t create = PRM_OPCODE_CREATE_GENERAL_OBJECT;
	const uint32_t log = any(8) ? any(8) : any(32);

	if (any(2))
		object(create, "create_stc_in",
		       FX_FIELDS({"hdr.obj_type", PRM_OBJ_TYPE_STC}, {"hdr.log_obj_range", log}));
	else
		object(create, "create_ste_in",
		       FX_FIELDS({"hdr.obj_type", PRM_OBJ_TYPE_STE}, {"hdr.log_obj_range", log}));
}

/* Selects ports mostly, so that rules match. */
static void definer(void)
{
	uint8_t in[BYTES] = {0};
	const struct fx_field fields[] = {
		{"general_obj_in_cmd_hdr.obj_type", PRM_OBJ_TYPE_MATCH_DEFINER},
		{"obj_context.format_id", any(8) ? 61 : any(64)},
		{"obj_context.format_select_dw0", any(4) ? PACKED : any(256)},
		{"obj_context.format_select_dw1", any(256)},
		{"obj_context.format_select_byte0", any(256)},
		{"obj_context.match_mask_format.match_dw_0",
		 any(4) ? 0xffff : any_value() & UINT32_MAX},
		{"obj_context.match_mask_format.match_dw_1", any(4) ? 0 : any_value() & UINT32_MAX},
		{"obj_context.match_mask_format.match_byte_0", any(4) ? 0 : any(256)},
		{0}};

	fx_set(prm_find_struct("create_match_definer_in"), in, fields);
	command(PRM_OPCODE_CREATE_GENERAL_OBJECT, in, sizeof(in));
}

static void pattern_or_argument(void)
{
	uint8_t in[16 + 32 + 8 * 4] = {0};
	const uint32_t n = any(6);

	if (any(2)) {
		prm_general_obj_in_cmd_hdr_set_obj_type(in, PRM_OBJ_TYPE_HEADER_MODIFY_ARGUMENT);
		prm_general_obj_in_cmd_hdr_set_log_obj_range(in, any(8) ? any(4) : any(32));
		prm_modify_header_arg_set_access_pd(in + 16, some_id(OBJ_PD));
		command(PRM_OPCODE_CREATE_GENERAL_OBJECT, in, 36);
		return;
	}
	prm_general_obj_in_cmd_hdr_set_obj_type(in, PRM_OBJ_TYPE_MODIFY_HDR_PATTERN);
	prm_header_modify_pattern_in_set_pattern_length(in + 16, n);
	for (uint32_t i = 0; i < 4; i++) {
		prm_store64(in, 48 + 8 * i, any_value() >> 4 | (uint64_t)any(8) << 60);
		if (any(2)) /* a removal or an insertion by anchors that exist */
			prm_store32(in, 48 + 8 * i,
				    (4 + any(4)) << 28 | any(4) << 26 | any(20) << 16 | any(128));
	}
	command(PRM_OPCODE_CREATE_GENERAL_OBJECT, in, 48 + 8 * (any(8) ? n < 4 ? n : 4 : any(5)));
}

static void aso(void)
{
	static const uint16_t types[] = {PRM_OBJ_TYPE_FLOW_METER_ASO, PRM_OBJ_TYPE_ASO_CT};
	uint8_t in[16 + 128] = {0};

	prm_general_obj_in_cmd_hdr_set_obj_type(in, types[any(2)]);
	prm_general_obj_in_cmd_hdr_set_log_obj_range(in, any(8));
	prm_flow_meter_aso_obj_set_meter_aso_access_pd(in + 16, some_id(OBJ_PD));
	command(PRM_OPCODE_CREATE_GENERAL_OBJECT, in, sizeof(in));
}

/* Returns an object that an action of this type names. */
static uint32_t named(uint32_t type)
{
	switch (type) {
	case PRM_STC_ACTION_JUMP_TO_TIR:
		return some_id(OBJ_TIR);
	case PRM_STC_ACTION_JUMP_TO_FT:
		return some_id(OBJ_FLOW_TABLE);
	case PRM_STC_ACTION_JUMP_TO_STE_TABLE:
		return some_id(OBJ_STE);
	case PRM_STC_ACTION_ACC_MODIFY_LIST:
		return some_id(OBJ_PATTERN);
	case PRM_STC_ACTION_ASO:
		return some_id(any(2) ? OBJ_ASO_METER : OBJ_ASO_CT);
	case PRM_STC_ACTION_COUNTER:
		return any(256);
	case PRM_STC_ACTION_SET:
	case PRM_STC_ACTION_ADD:
		return (type - 5) << 28 | (uint32_t)PRM_MODIFY_FIELD_OUT_UDP_DPORT << 16 | 16;
	default:
		return (4 + any(4)) << 28 | any(4) << 26 | any(20) << 16 | any(128);
	}
}

static void template_write(void)
{
	static const uint8_t at[] = {0, 3, 3, 5, 6, 6, 7};
	const uint32_t type = any(8) ? any(2) ? any(0x1c) : 0x80 + any(7) : any(256);
	uint8_t in[BYTES] = {0};
	const struct fx_field fields[] = {{"hdr.obj_type", PRM_OBJ_TYPE_STC},
					  {"hdr.obj_id", some_id(OBJ_STC)},
					  {"hdr.obj_offset", any(8)},
					  {"stc.modify_field_select", 1},
					  {"stc.action_type", type},
					  {"stc.reparse_mode", any(4)},
					  {"stc.ste_action_offset", any(8) ? at[any(7)] : any(256)},
					  {0}};

	fx_set(prm_find_struct("create_stc_in"), in, fields);
	prm_store32(in, 48, named(type));
	prm_store32(in, 52,
		    type == PRM_STC_ACTION_ASO ? (any(8) << 28 | (1 + any(2)) << 24)
					       : some_id(OBJ_ARGUMENT));
	command(PRM_OPCODE_MODIFY_GENERAL_OBJECT, in, sizeof(in));
}

static void table(void)
{
	FX(f, CREATE_FLOW_TABLE, {"table_type", RX}, {"flow_table_context.level", LEVEL},
	   {"flow_table_context.rtc_valid", 1});
}

static void rule_table(void)
{
	const uint32_t trivial = !any(4), by_command = !any(4), ranges = by_command && any(2);

	object(PRM_OPCODE_CREATE_GENERAL_OBJECT, "create_rtc_in",
	       FX_FIELDS({"hdr.obj_type", PRM_OBJ_TYPE_RTC}, {"rtc.table_type", RX},
			 {"rtc.update_index_mode", trivial}, {"rtc.reparse_mode", any(3)},
			 {"rtc.update_method", by_command}, {"rtc.num_hash_definer", by_command},
			 {"rtc.num_match_ste", ranges ? 2 : 0},
			 {"rtc.ste_format_1", ranges ? PRM_RTC_STE_FORMAT_RANGE : 0},
			 {"rtc.pd", some_id(OBJ_PD)}, {"rtc.log_depth", any(3)},
			 {"rtc.log_hash_size", any(3)}, {"rtc.ste_format_0", 4 + !any(4)},
			 {"rtc.match_definer_0", trivial ? 15 : some_id(OBJ_MATCH_DEFINER)},
			 {"rtc.stc_id", some_id(OBJ_STC)},
			 {"rtc.ste_table_base_id", some_id(OBJ_STE)},
			 {"rtc.ste_table_offset", any(3)},
			 {"rtc.miss_flow_table_id", some_id(OBJ_FLOW_TABLE)}));
}

/* Leads from the root, or from a table, to a table and its rules. */
static void link_table(void)
{
	const uint32_t from = some_id(OBJ_FLOW_TABLE), to = some_id(OBJ_FLOW_TABLE);
	const struct flow_table *root = f->v->flow_root[RX];

	FX(f, MODIFY_FLOW_TABLE, {"table_type", RX}, {"table_id", from}, {"modify_field_select", 2},
	   {"flow_table_context.rtc_id_0", any(8) ? some_id(OBJ_RTC) : 0});
	if (!root)
		return;
	FX(f, MODIFY_FLOW_TABLE, {"table_type", RX}, {"table_id", root->o.id},
	   {"modify_field_select", 1}, {"flow_table_context.table_miss_action", 1},
	   {"flow_table_context.table_miss_id", to});
}

/* Writes a rule for a small port, or removes it: what a WQE of the table's PD may do. */
static void rule(void)
{
	struct rtc *t = obj_find(f->v, OBJ_RTC, some_id(OBJ_RTC));
	struct rtc_rule r = {0};

	if (!t || t->o.alias)
		return;
	for (unsigned int i = 0; i < RULE_STCS; i++)
		r.stc[i] = any(8) ? t->stcs->stc[any(t->stcs->n)] : NULL;
	for (unsigned int i = 0; i < RULE_TAG_AT / 4; i++)
		prm_store32(r.entry, 4 * i,
			    any(8) ? any(8) << (any(2) ? 6 : 0) : (uint32_t)any_value());
	prm_store32(r.entry, 52, any(4));
	if (any(4))
		rules += rtc_write(t, any(8), &r);
	else
		rtc_remove(t, any(8), r.entry);
}

/* Returns a table whose rules are written by commands, seldom another one; NULL: none. */
static struct rtc *table_by_command(void)
{
	struct rtc *t = NULL;

	for (unsigned int i = 0; i < 8 && (!t || t->o.alias || !t->generated); i++)
		t = obj_find(f->v, OBJ_RTC, some_id(OBJ_RTC));
	return t && !t->o.alias ? t : NULL;
}

/* Returns the offset of a template that was written, seldom of another one. */
static uint32_t written(const struct stc_range *stcs)
{
	uint32_t at = any(8);

	for (unsigned int i = 0; i < 8 && (at >= stcs->n || !stcs->stc[at]); i++)
		at = any(8);
	return at;
}

/* Writes a rule by a command, or removes it, for a small port and with small ranges. */
static void generate(void)
{
	uint8_t in[PRM_GENERATE_WQE_IN_BYTES] = {0};
	uint8_t *ctrl = prm_generate_wqe_in_at_wqe_ctrl(in);
	uint8_t *gta = prm_generate_wqe_in_at_wqe_gta_ctrl(in);
	uint8_t *part[] = {prm_generate_wqe_in_at_wqe_gta_data_0(in),
			   prm_generate_wqe_in_at_wqe_gta_data_1(in)};
	const struct rtc *t = table_by_command();

	if (!t)
		return;
	prm_generate_wqe_in_set_pdn(in, any(16) ? t->pd->id : some_id(OBJ_PD));
	prm_wqe_ctrl_seg_set_opcode(ctrl, any(16) ? PRM_WQE_OPCODE_FLOW_TBL_ACCESS : any(256));
	prm_wqe_ctrl_seg_set_ds(ctrl, any(16) ? 8u + 4u * t->log_parts : any(64));
	prm_wqe_ctrl_seg_set_general_id(ctrl, any(16) ? t->o.id : some_id(OBJ_RTC));
	prm_wqe_gta_ctrl_seg_set_op(gta, any(16) ? !any(4) : any(16));
	for (unsigned int i = 0; i < 5; i++)
		prm_store32(gta, 4 + 4 * i, written(t->stcs) | (i ? 0 : any(any(8) ? 5 : 8) << 29));
	for (unsigned int i = 0; i < 2; i++) {
		prm_wqe_gta_data_seg_ste_set_definer_id(
			part[i],
			any(8) && !i && t->definer ? t->definer->o.id : some_id(OBJ_MATCH_DEFINER));
		prm_store32(part[i], 4 * any(16), any_value() & UINT32_MAX);
		prm_store32(part[i], 48, i ? UINT32_MAX : any(4));
	}
	generated += !fx_exec(f, f->v, PRM_OPCODE_GENERATE_WQE, any_uid(), in, sizeof(in),
			      PRM_GENERATE_WQE_OUT_BYTES);
}

/* The other function goes on. */
static void other_function(void)
{
	struct vhca *v = f->v;

	f->v = f->dpu;
	f->dpu = v;
}

/* Grants access to an object, mostly, and makes the other function's alias of it. */
static void alias(void)
{
	static const struct {
		uint16_t prm;
		enum obj_type type;
	} kinds[] = {{PRM_OBJ_TYPE_RTC, OBJ_RTC},
		     {PRM_OBJ_TYPE_FT_ALIAS, OBJ_FLOW_TABLE},
		     {PRM_OBJ_TYPE_TIR_ALIAS, OBJ_TIR}};
	const unsigned int k = any(3);
	const uint32_t id = some_id(kinds[k].type);
	uint8_t in[PRM_CREATE_ALIAS_OBJ_IN_BYTES] = {0};

	if (any(8))
		FX(f, ALLOW_OTHER_VHCA_ACCESS, {"object_type_to_be_accessed", kinds[k].prm},
		   {"object_id_to_be_accessed", id});
	fx_set(prm_find_struct("create_alias_obj_in"), in,
	       FX_FIELDS({"hdr.obj_type", kinds[k].prm}, {"hdr.alias_object", 1},
			 {"alias_ctx.vhca_id_to_be_accessed", any(16) ? f->v->id : any(8)},
			 {"alias_ctx.object_id_to_be_accessed", any(16) ? id : any(256)}));
	aliases += !fx_exec(f, f->dpu, PRM_OPCODE_CREATE_GENERAL_OBJECT, any_uid(), in, sizeof(in),
			    16);
}

static void destroy(void)
{
	static const struct {
		uint16_t prm;
		enum obj_type type;
	} kinds[] = {{PRM_OBJ_TYPE_STC, OBJ_STC},
		     {PRM_OBJ_TYPE_STE, OBJ_STE},
		     {PRM_OBJ_TYPE_RTC, OBJ_RTC},
		     {PRM_OBJ_TYPE_MATCH_DEFINER, OBJ_MATCH_DEFINER},
		     {PRM_OBJ_TYPE_MODIFY_HDR_PATTERN, OBJ_PATTERN},
		     {PRM_OBJ_TYPE_HEADER_MODIFY_ARGUMENT, OBJ_ARGUMENT},
		     {PRM_OBJ_TYPE_FLOW_METER_ASO, OBJ_ASO_METER},
		     {PRM_OBJ_TYPE_ASO_CT, OBJ_ASO_CT},
		     {PRM_OBJ_TYPE_FT_ALIAS, OBJ_FLOW_TABLE},
		     {PRM_OBJ_TYPE_TIR_ALIAS, OBJ_TIR}};
	const unsigned int k = any(sizeof(kinds) / sizeof(kinds[0]) + 1);

	if (k == sizeof(kinds) / sizeof(kinds[0]))
		FX(f, DESTROY_FLOW_TABLE, {"table_type", RX},
		   {"table_id", some_id(OBJ_FLOW_TABLE)});
	else
		FX(f, DESTROY_GENERAL_OBJECT, {"obj_type", kinds[k].prm},
		   {"obj_id", some_id(kinds[k].type)});
}

static void packet(void)
{
	(void)rig_send(f, RX, (uint16_t)any(4));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	static void (*const steps[])(void) = {ranges,	  definer,	  pattern_or_argument,
					      aso,	  template_write, template_write,
					      table,	  rule_table,	  rule_table,
					      link_table, rule,		  rule,
					      rule,	  generate,	  generate,
					      packet,	  packet,	  destroy,
					      alias,	  other_function};
	/* so that most inputs come to rules */
	static void (*const first[])(void) = {
		ranges,		ranges,		ranges,		ranges,	    definer,
		table,		table,		rule_table,	rule_table, rule_table,
		template_write, template_write, template_write, link_table};
	void *state;

	fuzz_begin(bytes, len);
	fx_setup(&state);
	f = state;
	f->profile.rules_by_wqe = true;
	for (unsigned int i = 0; i < 2; i++, other_function()) {
		fx_pd(f, f->v, FX_UID);
		rig_counter(f, 1);
		rig_tir(f);
		rig_root(f, RX, rig_table(f, (struct rig_table){.type = RX}));
	}
	for (unsigned int i = 0; i < sizeof(first) / sizeof(first[0]); i++)
		first[i]();
	while (fuzz_more())
		steps[any(sizeof(steps) / sizeof(steps[0]))]();
	for (unsigned int i = 0; i < 2; i++, other_function()) {
		fw_uid_reap(f->v, FX_UID);
		fw_uid_reap(f->v, FX_UID + 1);
	}
	fx_teardown(&state);
	return 0;
}

/* Rules are written, of tables that were made. */
static void hw_rules_judge(unsigned int inputs)
{
	assert_true(rules > inputs / 4);
	assert_true(generated > 0);
	assert_true(aliases > inputs / 4);
}

const struct fuzz_target fuzz_target = {.inputs = 300, .longest = 1200, .judge = hw_rules_judge};
