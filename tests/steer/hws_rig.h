/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_STEER_HWS_RIG_H
#define TESTS_STEER_HWS_RIG_H

/* Rule tables of a function's NIC RX, for tests of hardware steering: objects, templates, and a way to them. */
#include "tests/test.h"
#include <dvx/prm/hws.h>
#include <dvx/prm/object.h>
#include <dvx/prm/ste1.h>
#include "flow_rig.h"
#include "fw/cmd.h"
#include "obj/aso.h"
#include "obj/flow.h"
#include "obj/rtc.h"

#define RX		     PRM_FLOW_TABLE_TYPE_NIC_RX
#define LEVEL		     63u
#define PORTS		     0x18u /* dword of the parsed headers */
#define TAG_AT		     52u   /* of selected dword 0, in an entry */
#define FIXTURE_of_hws(name) FIXTURE(name, void *no_state, hws_setup, hws_teardown)

/* Templates that every test has, by their offset. */
enum { NOP, COUNT, TAG, DROP, TO_TIR, TO_NEXT, SET_DPORT, PUSH_VLAN, POP_VLAN, ON, TEMPLATES };

static struct {
	struct fx *f;
	uint32_t pd, stcs, definer, tir, counter, end, ste;
} h;

/* --- objects -------------------------------------------------------------------------------- */

#define OBJECT_BYTES 144u

static inline uint8_t object_cmd(uint16_t opcode, const char *in_struct,
				 const struct fx_field *fields)
{
	uint8_t in[OBJECT_BYTES] = {0};

	fx_set(prm_find_struct(in_struct), in, fields);
	return fx_exec(h.f, h.f->v, opcode, FX_UID, in, sizeof(in), 16);
}

static inline uint32_t object(const char *in_struct, const struct fx_field *fields)
{
	assert_int_equal(object_cmd(PRM_OPCODE_CREATE_GENERAL_OBJECT, in_struct, fields), 0);
	return prm_general_obj_out_cmd_hdr_get_obj_id(h.f->out);
}

struct template
{
	uint8_t type, at, reparse;
	uint64_t high, low; /* stc_param */
};

static inline uint8_t template_set(uint32_t offset, struct template t)
{
	uint8_t in[OBJECT_BYTES] = {0};

	fx_set(prm_find_struct("create_stc_in"), in,
	       FX_FIELDS({"hdr.obj_type", PRM_OBJ_TYPE_STC}, {"hdr.obj_id", h.stcs},
			 {"hdr.obj_offset", offset}, {"stc.modify_field_select", 1},
			 {"stc.action_type", t.type}, {"stc.ste_action_offset", t.at},
			 {"stc.reparse_mode", t.reparse}));
	prm_store64(in, 48, t.high);
	prm_store64(in, 56, t.low);
	return fx_exec(h.f, h.f->v, PRM_OPCODE_MODIFY_GENERAL_OBJECT, FX_UID, in, sizeof(in), 16);
}

/* Makes a definer of these selected dwords, of which dword 0 is masked. */
static inline uint32_t definer(uint8_t dword, uint32_t mask)
{
	return object("create_match_definer_in",
		      FX_FIELDS({"general_obj_in_cmd_hdr.obj_type", PRM_OBJ_TYPE_MATCH_DEFINER},
				{"obj_context.format_id", 61},
				{"obj_context.format_select_dw0", dword},
				{"obj_context.match_mask_format.match_dw_0", mask}));
}

static inline uint32_t table(uint32_t miss)
{
	uint8_t in[FX_IN];
	size_t len =
		FX_FILL(in, CREATE_FLOW_TABLE, {"table_type", RX},
			{"flow_table_context.level", LEVEL}, {"flow_table_context.rtc_valid", 1},
			{"flow_table_context.table_miss_action", miss ? 1 : 0},
			{"flow_table_context.table_miss_id", miss});

	assert_int_equal(FX_EXEC(h.f, CREATE_FLOW_TABLE, in, len), 0);
	return prm_create_flow_table_out_get_table_id(h.f->out);
}

struct shape {
	uint8_t rows, depth, format, by_offset, generated, hashed, entries, second;
	uint32_t miss, definer, at, reparse, access;
};

static inline uint8_t rtc_create(struct shape s)
{
	return object_cmd(
		PRM_OPCODE_CREATE_GENERAL_OBJECT, "create_rtc_in",
		FX_FIELDS({"hdr.obj_type", PRM_OBJ_TYPE_RTC}, {"rtc.table_type", RX},
			  {"rtc.update_index_mode", s.by_offset}, {"rtc.reparse_mode", s.reparse},
			  {"rtc.access_index_mode", s.access}, {"rtc.pd", h.pd},
			  {"rtc.update_method", s.generated}, {"rtc.num_hash_definer", s.hashed},
			  {"rtc.num_match_ste", s.entries}, {"rtc.ste_format_1", s.second},
			  {"rtc.log_depth", s.depth}, {"rtc.log_hash_size", s.rows},
			  {"rtc.ste_format_0", s.format}, {"rtc.match_definer_0", s.definer},
			  {"rtc.stc_id", h.stcs}, {"rtc.ste_table_base_id", h.ste},
			  {"rtc.ste_table_offset", s.at}, {"rtc.miss_flow_table_id", s.miss}));
}

/* Makes a rule table; a miss goes to h.end, the definer is that of ports, the format 8DW. */
static inline struct rtc *rtc(struct shape s)
{
	s.miss = s.miss ? s.miss : h.end;
	s.definer = s.definer ? s.definer : h.definer;
	s.format = s.format ? s.format : PRM_RTC_STE_FORMAT_8DW;
	assert_int_equal(rtc_create(s), 0);
	return obj_find(h.f->v, OBJ_RTC, prm_general_obj_out_cmd_hdr_get_obj_id(h.f->out));
}

static inline void link_rtc(uint32_t t, uint32_t rtc_id)
{
	assert_int_equal(FX(h.f, MODIFY_FLOW_TABLE, {"table_type", RX}, {"table_id", t},
			    {"modify_field_select", 2}, {"flow_table_context.rtc_id_0", rtc_id}),
			 0);
}

/* --- rules ---------------------------------------------------------------------------------- */

static inline struct stc_range *stcs(void)
{
	return obj_find(h.f->v, OBJ_STC, h.stcs);
}

/* A rule for packets to this port: template of the destination, and of dwords 5 and 6. */
static inline struct rtc_rule rule_for(uint16_t port, unsigned int hit, unsigned int dw5,
				       unsigned int dw6)
{
	struct rtc_rule r = {.stc = {[RULE_CTRL] = stcs()->stc[COUNT],
				     [RULE_HIT] = stcs()->stc[hit],
				     [RULE_DW5] = stcs()->stc[dw5],
				     [RULE_DW6] = stcs()->stc[dw6]}};

	prm_store32(r.entry, TAG_AT, port);
	return r;
}

static inline bool write_rule(struct rtc *t, uint32_t index, struct rtc_rule r)
{
	return rtc_write(t, index, &r);
}

static inline unsigned int counted(void)
{
	return (unsigned int)rig_counter_read(h.f, h.counter, true, NULL);
}

static inline int hws_setup(void **state)
{
	uint32_t root;

	if (fx_setup(state))
		return -1;
	memset(&h, 0, sizeof(h));
	h.f = *state;
	h.f->profile.rules_by_wqe = true;
	h.f->profile.far_selectors = true;
	h.pd = fx_pd(h.f, h.f->v, FX_UID);
	h.tir = rig_tir(h.f);
	h.counter = rig_counter(h.f, 0);
	h.end = table(0);
	h.stcs = object("create_stc_in",
			FX_FIELDS({"hdr.obj_type", PRM_OBJ_TYPE_STC}, {"hdr.log_obj_range", 6}));
	h.ste = object("create_ste_in",
		       FX_FIELDS({"hdr.obj_type", PRM_OBJ_TYPE_STE}, {"hdr.log_obj_range", 10}));
	const struct template templates[TEMPLATES] = {
		[NOP] = {PRM_STC_ACTION_NOP, 5},
		[COUNT] = {PRM_STC_ACTION_COUNTER, 0, 0, (uint64_t)h.counter << 32},
		[TAG] = {PRM_STC_ACTION_TAG, 5},
		[DROP] = {PRM_STC_ACTION_DROP, 3},
		[TO_TIR] = {PRM_STC_ACTION_JUMP_TO_TIR, 3, 0, (uint64_t)h.tir << 32},
		[TO_NEXT] = {PRM_STC_ACTION_JUMP_TO_FT, 3, 0, (uint64_t)h.end << 32},
		[SET_DPORT] = {PRM_STC_ACTION_SET, 6, 0,
			       (1ull << 28 | PRM_MODIFY_FIELD_OUT_UDP_DPORT << 16 | 16) << 32},
		[PUSH_VLAN] = {PRM_STC_ACTION_HEADER_INSERT, 6, 2, 0x4400060200000000},
		[POP_VLAN] = {PRM_STC_ACTION_REMOVE_WORDS, 5, 2, 0x7002000200000000},
		[ON] = {PRM_STC_ACTION_JUMP_TO_STE_TABLE, 3, 0, (uint64_t)h.ste << 32 | 15},
	};
	for (unsigned int i = 0; i < TEMPLATES; i++)
		assert_int_equal(template_set(i, templates[i]), 0);
	h.definer = definer(PORTS, 0xffff);
	root = rig_table(h.f, (struct rig_table){.type = RX});
	rig_root(h.f, RX, root);
	*state = &h;
	return 0;
}

/* Makes a table of rules the root's only way. */
static inline uint32_t begin(struct rtc *t)
{
	uint32_t first = table(0);

	link_rtc(first, t->o.id);
	assert_int_equal(FX(h.f, MODIFY_FLOW_TABLE, {"table_type", RX},
			    {"table_id", h.f->v->flow_root[RX]->o.id}, {"modify_field_select", 1},
			    {"flow_table_context.table_miss_action", 1},
			    {"flow_table_context.table_miss_id", first}),
			 0);
	return first;
}

static inline int hws_teardown(void **state)
{
	void *f = h.f;

	fw_uid_reap(h.f->v, FX_UID);
	fw_uid_reap(h.f->dev.manager, FX_UID);
	*state = f;
	return fx_teardown(state);
}

#endif
