/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves hardware steering: rules of rule tables, their places, actions and ends, and what is refused. */
#include "hws_rig.h"
#include "obj/counter.h"
#include "steer/aso/aso.h"

/* --- matching -------------------------------------------------------------------------------- */

TEST(of_hws, rule_matches_its_tag_only)
{
	struct rtc *t = rtc((struct shape){.rows = 4, .depth = 2});
	struct rtc_rule r = rule_for(53, TO_TIR, TAG, NOP);
	struct rig_end end;

	begin(t);
	prm_store32(r.entry, 20, 0xabc);
	assert_true(write_rule(t, 0, r));
	end = rig_send(h.f, RX, 53);
	assert_int_equal(end.tirs, 1);
	assert_int_equal(end.tirn, h.tir);
	assert_int_equal(end.tag, 0xabc);
	assert_int_equal(counted(), 1);
	end = rig_send(h.f, RX, 54);
	assert_int_equal(end.stats.ends[STEER_MISS], 1);
	assert_int_equal(counted(), 0);
}

/* Bits outside the mask of a field do not count. */
TEST(of_hws, mask_of_a_part)
{
	struct rtc *t = rtc((struct shape){.rows = 4, .definer = definer(PORTS, 0xff00)});

	begin(t);
	assert_true(write_rule(t, 0, rule_for(0x1200, DROP, NOP, NOP)));
	assert_int_equal(rig_send(h.f, RX, 0x1234).stats.ends[STEER_DROP], 1);
	assert_int_equal(rig_send(h.f, RX, 0x1334).stats.ends[STEER_MISS], 1);
}

/* Octets are parts of fields, and lie behind the dwords, the last one first. */
TEST(of_hws, octets)
{
	uint32_t low_octets =
		object("create_match_definer_in",
		       FX_FIELDS({"general_obj_in_cmd_hdr.obj_type", PRM_OBJ_TYPE_MATCH_DEFINER},
				 {"obj_context.format_id", 61},
				 {"obj_context.format_select_byte0", 4 * PORTS + 3},
				 {"obj_context.format_select_byte1", 4 * PORTS + 1},
				 {"obj_context.match_mask_format.match_byte_0", 0xff},
				 {"obj_context.match_mask_format.match_byte_1", 0xff}));
	struct rtc *t = rtc((struct shape){.rows = 4, .definer = low_octets});
	struct rtc_rule r = rule_for(0, DROP, NOP, NOP);

	begin(t);
	prm_store32(r.entry, RULE_BYTES - 4, 0x3935); /* 12345 = 0x3039 */
	assert_true(write_rule(t, 0, r));
	assert_int_equal(rig_send(h.f, RX, 0x1235).stats.ends[STEER_DROP], 1);
	assert_int_equal(rig_send(h.f, RX, 0x1236).stats.ends[STEER_MISS], 1);
}

/* A second rule of a tag replaces the first, and a removed rule is gone once. */
TEST(of_hws, replace_and_remove)
{
	struct rtc *t = rtc((struct shape){.rows = 4, .depth = 2});
	struct rtc_rule r = rule_for(53, TO_TIR, NOP, NOP), drops = rule_for(53, DROP, NOP, NOP);

	begin(t);
	assert_true(write_rule(t, 0, r));
	assert_true(write_rule(t, 0, drops));
	assert_int_equal(rig_send(h.f, RX, 53).stats.ends[STEER_DROP], 1);
	assert_true(rtc_remove(t, 0, r.entry));
	assert_false(rtc_remove(t, 0, r.entry));
	assert_int_equal(rig_send(h.f, RX, 53).stats.ends[STEER_MISS], 1);
}

/* A full row takes no further rule, and keeps what it has; the next table takes it. */
TEST(of_hws, full_row_spills)
{
	uint32_t behind = table(0), first;
	struct rtc *spill = rtc((struct shape){.depth = 2, .at = 16});
	struct rtc *t = rtc((struct shape){.depth = 1, .miss = behind});

	link_rtc(behind, spill->o.id);
	first = begin(t);
	(void)first;
	for (uint16_t port = 1; port <= 2; port++)
		assert_true(write_rule(t, 0, rule_for(port, TO_TIR, NOP, NOP)));
	assert_false(write_rule(t, 0, rule_for(3, TO_TIR, NOP, NOP)));
	assert_true(write_rule(spill, 0, rule_for(3, DROP, NOP, NOP)));
	for (uint16_t port = 1; port <= 2; port++)
		assert_int_equal(rig_send(h.f, RX, port).tirs, 1);
	assert_int_equal(rig_send(h.f, RX, 3).stats.ends[STEER_DROP], 1);
	assert_int_equal(rig_send(h.f, RX, 4).stats.ends[STEER_MISS], 1);
}

/* Each matcher is a rule table, and there may be many in a row; a circle of them ends, too. */
TEST(of_hws, tables_in_a_row)
{
	uint32_t behind = h.end;
	struct rtc *t = NULL;

	for (unsigned int i = 0; i < 300; i++) {
		t = rtc((struct shape){.miss = behind});
		behind = table(0);
		link_rtc(behind, t->o.id);
	}
	begin(t);
	assert_int_equal(rig_send(h.f, RX, 53).stats.ends[STEER_MISS], 1);
	assert_int_equal(template_set(TO_NEXT, (struct template){.type = PRM_STC_ACTION_JUMP_TO_FT,
								 .high = (uint64_t)behind << 32}),
			 0);
	assert_true(write_rule(t, 0, rule_for(53, TO_NEXT, NOP, NOP)));
	assert_int_equal(rig_send(h.f, RX, 53).stats.ends[STEER_LOST], 1);
}

/* A chip without format_select_dw_8_6_ext takes the last three dwords of a tag from the first 64 only. */
TEST(of_hws, near_selectors)
{
	const char *const last[] = {"obj_context.format_select_dw6",
				    "obj_context.format_select_dw7",
				    "obj_context.format_select_dw8"};

	for (unsigned int far = 0; far < 2; far++)
		for (unsigned int i = 0; i < 3; i++) {
			h.f->profile.far_selectors = far;
			assert_int_equal(object_cmd(PRM_OPCODE_CREATE_GENERAL_OBJECT,
						    "create_match_definer_in",
						    FX_FIELDS({"general_obj_in_cmd_hdr.obj_type",
							       PRM_OBJ_TYPE_MATCH_DEFINER},
							      {"obj_context.format_id", 61},
							      {last[i], 64})) == 0,
					 far);
		}
}

/* A long tag has all 44 bytes; the place of each selected dword is the same. */
TEST(of_hws, long_tags)
{
	struct rtc *t = rtc((struct shape){.rows = 4, .format = PRM_RTC_STE_FORMAT_11DW});
	struct rtc_rule r = rule_for(53, DROP, NOP, NOP);

	begin(t);
	r.stc[RULE_DW5] = r.stc[RULE_DW6] = NULL;
	assert_true(write_rule(t, 0, r));
	assert_int_equal(rig_send(h.f, RX, 53).stats.ends[STEER_DROP], 1);
	assert_int_equal(rig_send(h.f, RX, 54).stats.ends[STEER_MISS], 1);
}

/* --- actions --------------------------------------------------------------------------------- */

/* Makes a counter of this uid and PD (0: none); returns its number. */
static uint32_t counter_of(uint16_t uid, uint32_t pd)
{
	assert_int_equal(
		fx_cmd(h.f, h.f->v, PRM_OPCODE_ALLOC_FLOW_COUNTER, uid, FX_FIELDS({"pd", pd})), 0);
	return prm_alloc_flow_counter_out_get_flow_counter_id(h.f->out);
}

/* A rule's offset leads to another counter of the template's uid and PD, and to no other. */
TEST(of_hws, counter_offsets)
{
	struct rtc *t = rtc((struct shape){.rows = 4});
	struct rtc_rule r = rule_for(53, DROP, NOP, NOP);
	const uint32_t other = counter_of(FX_UID, 0);
	const uint32_t forbidden[] = {counter_of(FX_UID + 1, 0), counter_of(FX_UID, h.pd),
				      other + 9};

	begin(t);
	prm_store32(r.entry, 0, other - h.counter);
	assert_true(write_rule(t, 0, r));
	assert_int_equal(rig_send(h.f, RX, 53).stats.ends[STEER_DROP], 1);
	assert_int_equal(rig_counter_read(h.f, other, true, NULL), 1);
	for (unsigned int i = 0; i < 3; i++) {
		prm_store32(r.entry, 0, forbidden[i] - h.counter);
		assert_true(write_rule(t, 0, r));
		assert_int_equal(rig_send(h.f, RX, 53).stats.ends[STEER_LOST], 1);
		assert_int_equal(rig_send(h.f, RX, 54).stats.ends[STEER_MISS], 1);
	}
	assert_int_equal(counted(), 0);
	fw_uid_reap(h.f->v, FX_UID + 1);
}

/* A number that another uid has got since names nothing for a rule. */
TEST(of_hws, destination_of_another_uid)
{
	struct rtc *t = rtc((struct shape){.rows = 4});
	struct obj *tir = obj_find(h.f->v, OBJ_TIR, h.tir);

	begin(t);
	assert_true(write_rule(t, 0, rule_for(53, TO_TIR, NOP, NOP)));
	assert_int_equal(rig_send(h.f, RX, 53).tirs, 1);
	tir->uid = FX_UID + 1;
	assert_int_equal(rig_send(h.f, RX, 53).stats.ends[STEER_LOST], 1);
	tir->uid = FX_UID;
}

/* A rule goes on with an entry at a known place, whose actions come behind its own. */
TEST(of_hws, further_entries)
{
	struct rtc *t = rtc((struct shape){.rows = 4, .reparse = 1});
	struct rtc *more = rtc((struct shape){.rows = 4, .by_offset = 1, .definer = 15, .at = 64});
	struct rtc_rule r = rule_for(53, ON, TAG, NOP), next = rule_for(0, TO_TIR, NOP, SET_DPORT);
	struct rig_end end;

	begin(t);
	prm_store32(r.entry, 16, (64 + 5) << 6);
	prm_store32(next.entry, 28, 4791);
	assert_true(write_rule(more, 5, next));
	assert_true(write_rule(t, 0, r));
	end = rig_send(h.f, RX, 53);
	assert_int_equal(end.tirs, 1);
	assert_int_equal(prm_load32(end.bytes, RIG_DPORT_AT - 2) & 0xffff, 4791);
	/* each entry has counted */
	assert_int_equal(counted(), 2);
	/* an entry that leads to itself ends as a counted loss */
	next.stc[RULE_HIT] = stcs()->stc[ON];
	next.stc[RULE_DW6] = stcs()->stc[NOP];
	prm_store32(next.entry, 16, (64 + 5) << 6);
	assert_true(write_rule(more, 5, next));
	assert_int_equal(rig_send(h.f, RX, 53).stats.ends[STEER_LOST], 1);
	/* an empty entry, too */
	assert_true(rtc_remove(more, 5, next.entry));
	assert_int_equal(rig_send(h.f, RX, 53).stats.ends[STEER_LOST], 1);
	assert_false(write_rule(more, 16, next));
}

/* A template's rewrite is of its own type: a rule would write its value over what COPY leads to. */
TEST(of_hws, rewrites_of_templates)
{
	static const uint8_t types[] = {PRM_STC_ACTION_SET, PRM_STC_ACTION_ADD,
					PRM_STC_ACTION_COPY};
	const uint64_t fields = (PRM_MODIFY_FIELD_OUT_UDP_DPORT << 16 | 16ull) << 32 |
				PRM_MODIFY_FIELD_METADATA_REG_C_1 << 16;

	for (uint32_t i = 0; i < 3; i++)
		for (uint64_t rewrite = PRM_ACTION_TYPE_SET; rewrite <= 3; rewrite++) {
			struct template t = {types[i], 6, .high = rewrite << 60 | fields};

			assert_int_equal(template_set(SET_DPORT, t), rewrite == i + 1 ? 0 : BAD);
		}
}

static uint8_t pattern_cmd(const uint64_t *actions, unsigned int n)
{
	uint8_t in[16 + 32 + 8 * 65] = {0};

	assert_true(n <= 65);
	fx_set(prm_find_struct("create_header_modify_pattern_in"), in,
	       FX_FIELDS({"hdr.obj_type", PRM_OBJ_TYPE_MODIFY_HDR_PATTERN},
			 {"pattern.pattern_length", n}));
	for (unsigned int i = 0; i < n; i++)
		prm_store64(in, 48 + 8 * i, actions[i]);
	return fx_exec(h.f, h.f->v, PRM_OPCODE_CREATE_GENERAL_OBJECT, FX_UID, in, 48 + 8ul * n, 16);
}

static uint32_t made(void)
{
	return prm_general_obj_out_cmd_hdr_get_obj_id(h.f->out);
}

static uint8_t argument_cmd(uint32_t log)
{
	uint8_t in[36] = {0};

	prm_general_obj_in_cmd_hdr_set_obj_type(in, PRM_OBJ_TYPE_HEADER_MODIFY_ARGUMENT);
	prm_general_obj_in_cmd_hdr_set_log_obj_range(in, log);
	prm_modify_header_arg_set_access_pd(in + 16, h.pd);
	return fx_exec(h.f, h.f->v, PRM_OPCODE_CREATE_GENERAL_OBJECT, FX_UID, in, sizeof(in), 16);
}

#define SET_FIELD(field, bits) \
	(1ull << 60 | (uint64_t)PRM_MODIFY_FIELD_##field << 48 | (uint64_t)((bits)&31) << 32)

/* Rewrites have their fields from a pattern, and their values from the rule's arguments. */
TEST(of_hws, patterns_and_arguments)
{
	const uint64_t actions[] = {SET_FIELD(OUT_UDP_DPORT, 16), SET_FIELD(OUT_DIPV4, 32),
				    1ull << 60 | 0xfffull << 48};
	struct rtc *t = rtc((struct shape){.rows = 4, .reparse = 1});
	struct rtc_rule r;
	uint32_t pattern, argument;
	struct rig_end end;

	begin(t);
	assert_int_equal(pattern_cmd(actions, 2), 0);
	pattern = made();
	assert_int_equal(argument_cmd(2), 0);
	argument = made();
	assert_int_equal(
		template_set(SET_DPORT,
			     (struct template){.type = PRM_STC_ACTION_ACC_MODIFY_LIST,
					       .at = 6,
					       .high = (uint64_t)pattern << 32 | argument}),
		0);
	r = rule_for(53, TO_TIR, NOP, SET_DPORT);
	prm_store32(r.entry, 28, 3); /* the fourth argument */
	/* values, and bits where the pattern has the field, which do not count */
	struct pd_object *a = obj_find(h.f->v, OBJ_ARGUMENT, argument + 3);
	prm_store64(a->context, 0, 0xffffffff000012b7);
	prm_store64(a->context, 8, 0x0a090807);
	assert_true(write_rule(t, 0, r));
	end = rig_send(h.f, RX, 53);
	assert_int_equal(end.tirs, 1);
	assert_int_equal(prm_load32(end.bytes, RIG_DPORT_AT - 2) & 0xffff, 4791);
	assert_int_equal(prm_load32(end.bytes, RIG_DPORT_AT - 6), 0x0a090807);
	/* an argument that does not exist, and patterns that no rule could execute */
	prm_store32(r.entry, 28, 4);
	assert_true(write_rule(t, 0, r));
	assert_int_equal(rig_send(h.f, RX, 53).stats.ends[STEER_LOST], 1);
	assert_int_equal(pattern_cmd(actions, 0), BAD);
	assert_int_equal(pattern_cmd(actions + 2, 1), BAD);
	assert_int_equal(argument_cmd(19), BAD);
}

/* A pattern has as many rewrites as the capability says, by which DPDK refuses longer ones. */
TEST(of_hws, longest_pattern)
{
	uint64_t actions[65];
	unsigned int most;

	FX(h.f, QUERY_HCA_CAP, {"op_mod", PRM_HCA_CAP_TYPE_WQE_BASED_FLOW_TABLE << 1 | 1});
	most = prm_wqe_based_flow_table_cap_get_max_header_modify_pattern_length(
		prm_query_hca_cap_out_at_capability(h.f->out));
	for (unsigned int i = 0; i < 65; i++)
		actions[i] = SET_FIELD(OUT_UDP_DPORT, 16);
	assert_int_equal(pattern_cmd(actions, most), 0);
	assert_int_equal(pattern_cmd(actions, most + 1), BAD);
}

/* Makes SET_DPORT the template of an insertion with these bits of its first dword. */
static uint8_t insertion(uint32_t bits, uint32_t argument)
{
	return template_set(SET_DPORT,
			    (struct template){.type = PRM_STC_ACTION_HEADER_INSERT,
					      .at = 6,
					      .high = (4ull << 28 | bits) << 32 | argument});
}

/* A header to insert comes from as many arguments as it needs. */
TEST(of_hws, headers_from_arguments)
{
	struct rtc *t = rtc((struct shape){.rows = 4, .reparse = 1});
	struct rtc_rule r;
	uint32_t argument;
	struct rig_end end;

	begin(t);
	assert_int_equal(argument_cmd(1), 0);
	argument = made();
	/* 80 bytes behind the Ethernet header: plain, anchor 7 (IP) */
	assert_int_equal(insertion(7u << 16 | 40, argument), 0);
	for (uint32_t i = 0; i < 2; i++) {
		struct pd_object *a = obj_find(h.f->v, OBJ_ARGUMENT, argument + i);

		memset(a->context, i ? 0x77 : 0x66, sizeof(a->context));
	}
	r = rule_for(53, TO_TIR, NOP, SET_DPORT);
	assert_true(write_rule(t, 0, r));
	end = rig_send(h.f, RX, 53);
	assert_int_equal(end.tirs, 1);
	assert_int_equal(end.bytes[13], 0);
	assert_int_equal(end.bytes[14], 0x66);
	assert_int_equal(end.bytes[63], 0x66);
	/* a tunnel's header of 2 bytes more than max_encap_header_size; inline, a dword is all */
	assert_int_equal(insertion(1u << 27 | 63, argument), 0);
	assert_int_equal(insertion(1u << 27 | 64, argument), BAD);
	assert_int_equal(insertion(1u << 26 | 3, 0), BAD);
}

/* A list may remove headers and insert others from arguments, as DPDK ends tunnels without Ethernet. */
TEST(of_hws, moves_of_patterns)
{
	const uint64_t insert = 4ull << 60 | 1ull << 58 | 2ull << 32, narrow = insert ^ 1ull << 32;
	const uint64_t actions[] = {5ull << 60 | 7ull << 40, insert,	insert, insert, insert,
				    7ull << 60 | 1ull << 32, 6ull << 60};
	/* 2 bytes that go again, then an Ethernet header */
	static const uint8_t header[16] = "\0\0\2\1\2\3\4\5\2\6\7\x8\x9\xa\x08";
	struct rtc *t = rtc((struct shape){.rows = 4, .reparse = 1});
	struct rtc_rule r;
	uint32_t pattern, argument;
	struct rig_end end;

	begin(t);
	assert_int_equal(pattern_cmd(actions, 7), 0);
	pattern = made();
	assert_int_equal(argument_cmd(0), 0);
	argument = made();
	assert_int_equal(
		template_set(SET_DPORT,
			     (struct template){.type = PRM_STC_ACTION_ACC_MODIFY_LIST,
					       .at = 6,
					       .high = (uint64_t)pattern << 32 | argument}),
		0);
	struct pd_object *a = obj_find(h.f->v, OBJ_ARGUMENT, argument);
	for (unsigned int i = 0; i < 4; i++) /* the last dword is inserted first */
		memcpy(a->context + 12 + 8 * i, header + 12 - 4 * i, 4);
	r = rule_for(53, TO_TIR, NOP, SET_DPORT);
	assert_true(write_rule(t, 0, r));
	end = rig_send(h.f, RX, 53);
	assert_int_equal(end.tirs, 1);
	assert_memory_equal(end.bytes, header + 2, 14);
	assert_int_equal(end.bytes[14], 0x45);
	assert_int_equal(end.bytes[RIG_DPORT_AT + 1], 53);
	/* a table that does not parse again loses it */
	t->reparse = PRM_RTC_REPARSE_NEVER;
	assert_int_equal(rig_send(h.f, RX, 53).stats.ends[STEER_LOST], 1);
	/* insertions of other sizes, or that are not inline */
	assert_int_equal(pattern_cmd(&narrow, 1), BAD);
	assert_int_equal(pattern_cmd((uint64_t[]){insert ^ 1ull << 58}, 1), BAD);
}

/* Makes a template of an ASO object; returns the command's status. */
static uint8_t aso_template(uint32_t type, uint32_t reg, uint32_t id)
{
	return template_set(SET_DPORT,
			    (struct template){.type = PRM_STC_ACTION_ASO,
					      .at = 6,
					      .high = (uint64_t)id << 32 | reg << 28 | type << 24});
}

/* Begins a table whose rule runs the template, and one behind it that counts this value of c_3. */
static struct rtc *begin_aso(uint32_t result)
{
	uint32_t behind = table(0);
	struct rtc *t = rtc((struct shape){.rows = 4});
	struct rtc *second =
		rtc((struct shape){.rows = 4, .at = 64, .definer = definer(0x93, 0xff)});

	link_rtc(behind, second->o.id);
	assert_int_equal(template_set(TO_NEXT, (struct template){.type = PRM_STC_ACTION_JUMP_TO_FT,
								 .high = (uint64_t)behind << 32}),
			 0);
	begin(t);
	assert_true(write_rule(second, 0, rule_for((uint16_t)result, DROP, NOP, NOP)));
	return t;
}

/* Writes the rule with this offset and these parameters; returns where a packet ends. */
static struct rig_end send_aso(struct rtc *t, uint32_t offset, uint32_t fields)
{
	struct rtc_rule r = rule_for(53, TO_NEXT, NOP, SET_DPORT);

	r.stc[RULE_CTRL] = NULL;
	prm_store32(r.entry, 24, offset);
	prm_store32(r.entry, 28, fields);
	assert_true(write_rule(t, 0, r));
	return rig_send(h.f, RX, 53);
}

/* A rule meters by one of the two meters of an object behind the template's, and a register has the color. */
TEST(of_hws, meters)
{
	struct rtc *t = begin_aso(PRM_METER_COLOR_YELLOW);
	struct pd_object *a = aso_new(obj_find(h.f->v, OBJ_PD, h.pd), OBJ_ASO_METER, FX_UID, 2),
			 *second;

	second = obj_find(h.f->v, OBJ_ASO_METER, a->o.id + 1);
	prm_flow_meter_parameters_set_valid(second->context + ASO_METER_BYTES, 1);
	prm_flow_meter_parameters_set_start_color(second->context + ASO_METER_BYTES,
						  PRM_METER_COLOR_UNDEFINED);
	assert_int_equal(aso_template(PRM_STE_ASO_TYPE_POLICERS, 3, a->o.id), 0);
	/* with a color of its own the packet does not become green */
	assert_int_equal(send_aso(t, 1, PRM_METER_COLOR_YELLOW << 1 | 1).stats.ends[STEER_DROP], 1);
	assert_int_equal(send_aso(t, 1, PRM_METER_COLOR_RED << 1 | 1).stats.ends[STEER_MISS], 1);
	assert_int_equal(send_aso(t, 1, PRM_METER_COLOR_YELLOW << 1).stats.ends[STEER_LOST], 1);
	assert_int_equal(send_aso(t, 2, PRM_METER_COLOR_YELLOW << 1 | 1).stats.ends[STEER_LOST], 1);
	second->o.uid = FX_UID + 1;
	assert_int_equal(send_aso(t, 1, PRM_METER_COLOR_YELLOW << 1 | 1).stats.ends[STEER_LOST], 1);
	second->o.uid = FX_UID;
}

/* A rule tracks a connection of an object behind the template's. */
TEST(of_hws, connection_tracking)
{
	struct rtc *t = begin_aso(ASO_CT_BAD); /* the packet is no TCP */
	struct pd_object *a = aso_new(obj_find(h.f->v, OBJ_PD, h.pd), OBJ_ASO_CT, FX_UID, 64),
			 *last;

	last = obj_find(h.f->v, OBJ_ASO_CT, a->o.id + 63);
	assert_int_equal(aso_template(PRM_STE_ASO_TYPE_CT, 3, a->o.id), 0);
	assert_int_equal(send_aso(t, 63, 1).stats.ends[STEER_MISS], 1); /* to software */
	prm_conn_track_aso_set_valid(last->context, 1);
	assert_int_equal(send_aso(t, 63, 1).stats.ends[STEER_DROP], 1);
	/* types and registers that are not there, and an object of another kind */
	assert_int_equal(aso_template(3, 3, a->o.id), BAD);
	assert_int_equal(aso_template(PRM_STE_ASO_TYPE_FIRST_HIT, 3, a->o.id), BAD_RES);
	assert_int_equal(aso_template(PRM_STE_ASO_TYPE_CT, 8, a->o.id), BAD);
	assert_int_equal(aso_template(PRM_STE_ASO_TYPE_POLICERS, 3, a->o.id), BAD_RES);
}

/* A tag is pushed, found by the next table, and removed again. */
TEST(of_hws, vlan_tags)
{
	uint32_t behind = table(0);
	struct rtc *t = rtc((struct shape){.rows = 4, .reparse = 2});
	struct rtc *second = rtc(
		(struct shape){.rows = 4, .at = 64, .reparse = 2, .definer = definer(2, 0xfff)});
	struct rtc_rule push = rule_for(53, TO_NEXT, NOP, PUSH_VLAN),
			pop = rule_for(7, TO_TIR, POP_VLAN, NOP);
	struct rig_end end;

	link_rtc(behind, second->o.id);
	assert_int_equal(template_set(TO_NEXT, (struct template){.type = PRM_STC_ACTION_JUMP_TO_FT,
								 .high = (uint64_t)behind << 32}),
			 0);
	push = rule_for(53, TO_NEXT, NOP, PUSH_VLAN);
	begin(t);
	prm_store32(push.entry, 28, 0x81000007);
	assert_true(write_rule(t, 0, push));
	assert_true(write_rule(second, 0, pop));
	end = rig_send(h.f, RX, 53);
	assert_int_equal(end.tirs, 1);
	assert_int_equal(prm_load32(end.bytes, 12) >> 16, 0x0800);
	/* without it, the tag stays; a template that was changed leaves rules as they were */
	pop.stc[RULE_DW5] = stcs()->stc[NOP];
	assert_true(write_rule(second, 0, pop));
	assert_int_equal(template_set(PUSH_VLAN, (struct template){.at = 6}), 0);
	end = rig_send(h.f, RX, 53);
	assert_int_equal(prm_load32(end.bytes, 12), 0x81000007);
}

/* --- refusals -------------------------------------------------------------------------------- */

static uint8_t table_at(uint8_t type, uint32_t level)
{
	return fx_cmd(h.f, h.f->dev.manager, PRM_OPCODE_CREATE_FLOW_TABLE, FX_UID,
		      FX_FIELDS({"table_type", type}, {"flow_table_context.level", level}));
}

TEST(of_hws, refused_commands)
{
	struct shape good = {
		.rows = 4, .format = PRM_RTC_STE_FORMAT_8DW, .miss = h.end, .definer = h.definer};
	struct shape bad = good;
	uint32_t counter;

	assert_int_equal(rtc_create(good), 0);
	bad.format = PRM_RTC_STE_FORMAT_RANGE;
	assert_int_equal(rtc_create(bad), BAD);
	bad = good;
	bad.depth = 7;
	assert_int_equal(rtc_create(bad), BAD);
	bad = good;
	bad.at = 1024 - 15;
	assert_int_equal(rtc_create(bad), BAD);
	bad = good;
	bad.reparse = 3;
	assert_int_equal(rtc_create(bad), BAD);
	bad = good;
	bad.miss = 0xfff;
	assert_int_equal(rtc_create(bad), BAD_RES);
	/* a table for entries at known places needs no miss, others do */
	bad = good;
	bad.miss = 0;
	assert_int_equal(rtc_create(bad), BAD_RES);
	bad.definer = 15;
	bad.by_offset = 1;
	assert_int_equal(rtc_create(bad), 0);
	begin(obj_find(h.f->v, OBJ_RTC, made()));
	assert_int_equal(rig_send(h.f, RX, 53).stats.ends[STEER_LOST], 1);
	/* one level more in the FDB, for the table behind all others */
	assert_int_equal(table_at(PRM_FLOW_TABLE_TYPE_FDB, LEVEL + 1), 0);
	assert_int_equal(table_at(PRM_FLOW_TABLE_TYPE_FDB, LEVEL + 2), BAD);
	assert_int_equal(table_at(RX, LEVEL + 1), BAD);
	/* counters in bulks of 2^2 to 2^19 */
	assert_int_equal(FX(h.f, ALLOC_FLOW_COUNTER, {"flow_counter_bulk_log_size", 7}), 0);
	assert_int_equal(FX(h.f, ALLOC_FLOW_COUNTER, {"flow_counter_bulk_log_size", 2}), 0);
	counter = prm_alloc_flow_counter_out_get_flow_counter_id(h.f->out);
	assert_non_null(counter_find(h.f->v, counter + 3));
	assert_null(counter_find(h.f->v, counter + 4));
	assert_int_equal(FX(h.f, ALLOC_FLOW_COUNTER, {"flow_counter_bulk_log_size", 1}), BAD);
	assert_int_equal(FX(h.f, ALLOC_FLOW_COUNTER, {"flow_counter_bulk_log_size", 20}), BAD);
	assert_int_equal(FX(h.f, ALLOC_FLOW_COUNTER, {"pd", 0xfff}), BAD_RES);
	assert_int_equal(template_set(64, (struct template){.type = PRM_STC_ACTION_DROP}), BAD);
	assert_int_equal(template_set(0, (struct template){.type = 0x11}), BAD);
	/* what another uid has, or nobody */
	assert_int_equal(template_set(TO_TIR, (struct template){.type = PRM_STC_ACTION_JUMP_TO_TIR,
								.high = 0xffffffull << 32}),
			 BAD_RES);
	/* without the capability there is none of it */
	h.f->profile.rules_by_wqe = false;
	assert_int_equal(rtc_create(good), BAD);
	h.f->profile.rules_by_wqe = true;
}
