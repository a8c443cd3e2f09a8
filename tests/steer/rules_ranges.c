/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves rule tables whose rules GENERATE_WQE writes, with definers of their own and ranges; and tables that
 * are split by hash or linear, whose rules are written by index.
 */
#include <dvx/prm/cqe.h>
#include <dvx/prm/wqe.h>
#include "hws_rig.h"

#define MAX_AT(i)   (RULE_BYTES - 8 * ((i) + 1)) /* of the i-th range; the least value is behind it */
#define FAILED	    (1u << 31)
#define SPORT_SHIFT 16u

static const struct shape ranges = {.rows = 2,
				    .depth = 1,
				    .generated = 1,
				    .hashed = 1,
				    .entries = 2,
				    .second = PRM_RTC_STE_FORMAT_RANGE};

/* Makes a definer of ports by this selector (dw0 or bytes), of which a dword is masked. */
static uint32_t ranges_definer(const char *select, const char *mask_of, uint32_t mask)
{
	return object("create_match_definer_in",
		      FX_FIELDS({"general_obj_in_cmd_hdr.obj_type", PRM_OBJ_TYPE_MATCH_DEFINER},
				{"obj_context.format_id", 61}, {select, PORTS}, {mask_of, mask}));
}

static uint32_t destination_ports(void)
{
	return ranges_definer("obj_context.format_select_dw0",
			      "obj_context.match_mask_format.match_dw_0", 0xffff);
}

/* A rule to write: a destination port, and the least and the most source port if it has ranges. */
struct ranged {
	uint16_t port, least, most;
	unsigned int hit;
	uint32_t definer, range_definer;
	uint8_t op;
};

/* Sets the fields of a command that writes the rule to this table. */
static void ranges_fill(uint8_t *in, const struct rtc *t, const struct ranged *r)
{
	uint8_t *ctrl = prm_generate_wqe_in_at_wqe_ctrl(in);
	uint8_t *gta = prm_generate_wqe_in_at_wqe_gta_ctrl(in);
	uint8_t *first = prm_generate_wqe_in_at_wqe_gta_data_0(in);
	uint8_t *second = prm_generate_wqe_in_at_wqe_gta_data_1(in);

	prm_generate_wqe_in_set_pdn(in, h.pd);
	prm_wqe_ctrl_seg_set_opcode(ctrl, PRM_WQE_OPCODE_FLOW_TBL_ACCESS);
	prm_wqe_ctrl_seg_set_ds(ctrl, r->range_definer ? 12 : 8);
	prm_wqe_ctrl_seg_set_general_id(ctrl, t->o.id);
	prm_wqe_gta_ctrl_seg_set_op(gta, r->op);
	prm_wqe_gta_ctrl_seg_set_stcs(gta, 1);
	prm_wqe_gta_ctrl_seg_set_stc_ctrl(gta, COUNT);
	prm_wqe_gta_ctrl_seg_set_stc_hit(gta, r->hit);
	prm_wqe_gta_data_seg_ste_set_definer_id(first, r->definer ? r->definer : h.definer);
	prm_store32(first, TAG_AT, r->port);
	prm_wqe_gta_data_seg_ste_set_definer_id(second, r->range_definer);
	prm_store32(second, MAX_AT(0), (uint32_t)r->most << SPORT_SHIFT);
	prm_store32(second, MAX_AT(0) + 4, (uint32_t)r->least << SPORT_SHIFT);
}

static uint8_t ranges_exec(uint8_t *in)
{
	return fx_exec(h.f, h.f->v, PRM_OPCODE_GENERATE_WQE, FX_UID, in, PRM_GENERATE_WQE_IN_BYTES,
		       PRM_GENERATE_WQE_OUT_BYTES);
}

/* Writes a rule, or removes it; returns whether the completion says that it succeeded. */
static bool ranges_write(const struct rtc *t, struct ranged r)
{
	uint8_t in[PRM_GENERATE_WQE_IN_BYTES] = {0};
	const uint8_t *cqe;

	ranges_fill(in, t, &r);
	assert_int_equal(ranges_exec(in), 0);
	cqe = prm_generate_wqe_out_cat_cqe_data(h.f->out);
	assert_int_equal(prm_cqe64_get_opcode(cqe), PRM_CQE_OPCODE_REQ);
	assert_int_equal(prm_cqe64_get_byte_cnt(cqe) & ~FAILED, 0);
	return !prm_cqe64_get_byte_cnt(cqe);
}

/* Source ports of the rig's packets. */
#define RIG_SPORT 12345u

/* A range has both its ends, and is of the rule whose tag matches: source ports by rules of two destination ports. */
TEST(of_hws, ends_of_ranges)
{
	struct rtc *t = rtc(ranges);
	const uint32_t definer_of =
		ranges_definer("obj_context.format_select_dw1",
			       "obj_context.match_mask_format.match_dw_1", 0xffff0000);
	static const struct {
		uint16_t least, most;
		bool hit;
	} rows[] = {{RIG_SPORT, RIG_SPORT, true},   {0, RIG_SPORT, true},
		    {RIG_SPORT, 0xffff, true},	    {0, RIG_SPORT - 1, false},
		    {RIG_SPORT + 1, 0xffff, false}, {RIG_SPORT + 1, RIG_SPORT - 1, false}};

	begin(t);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct ranged r = {.port = 53,
				   .least = rows[i].least,
				   .most = rows[i].most,
				   .hit = DROP,
				   .range_definer = definer_of};
		struct rig_end end;

		assert_true(ranges_write(t, r));
		end = rig_send(h.f, RX, 53);
		assert_int_equal(end.stats.ends[rows[i].hit ? STEER_DROP : STEER_MISS], 1);
		assert_int_equal(rig_send(h.f, RX, 54).stats.ends[STEER_MISS], 1);
		assert_int_equal(counted(), rows[i].hit);
		r.op = PRM_GTA_OP_DEACTIVATE;
		assert_true(ranges_write(t, r));
		assert_false(ranges_write(t, r));
	}
	assert_int_equal(rig_send(h.f, RX, 53).stats.ends[STEER_MISS], 1);
}

/* Rules of one tag differ by their ranges: each is written, replaced and removed alone, till the row is full. */
TEST(of_hws, ranges_of_one_tag)
{
	struct rtc *t = rtc(ranges);
	const uint32_t id = ranges_definer("obj_context.format_select_dw1",
					   "obj_context.match_mask_format.match_dw_1", 0xffff0000);
	struct ranged low = {.port = 53, .most = RIG_SPORT - 1, .hit = DROP, .range_definer = id};
	struct ranged high = {
		.port = 53, .least = RIG_SPORT, .most = 20000, .hit = DROP, .range_definer = id};
	struct ranged third = {.port = 53, .most = 30000, .hit = DROP, .range_definer = id};

	begin(t);
	assert_true(ranges_write(t, low));
	assert_true(ranges_write(t, high));
	assert_false(ranges_write(t, third));
	assert_int_equal(rig_send(h.f, RX, 53).stats.ends[STEER_DROP], 1);
	high.hit = TO_TIR;
	assert_true(ranges_write(t, high));
	assert_int_equal(rig_send(h.f, RX, 53).tirs, 1);
	high.op = PRM_GTA_OP_DEACTIVATE;
	assert_true(ranges_write(t, high));
	assert_int_equal(rig_send(h.f, RX, 53).stats.ends[STEER_MISS], 1);
	assert_true(ranges_write(t, third));
	assert_int_equal(rig_send(h.f, RX, 53).stats.ends[STEER_DROP], 1);
}

/* A rule of which a table of the same entries removed one matches nothing, and harms nobody. */
TEST(of_hws, half_a_rule)
{
	struct rtc *t = rtc(ranges);
	struct rtc *beside = rtc((struct shape){.rows = 4, .by_offset = 1, .definer = 15});
	const struct ranged r = {.port = 53,
				 .most = 0xffff,
				 .hit = DROP,
				 .range_definer = ranges_definer(
					 "obj_context.format_select_dw1",
					 "obj_context.match_mask_format.match_dw_1", 0xffff0000)};
	unsigned int removed = 0;

	begin(t);
	assert_true(ranges_write(t, r));
	for (uint32_t i = 1; i < 16; i += 2)
		removed += rtc_remove(beside, i, (uint8_t[RULE_BYTES]){0});
	assert_int_equal(removed, 1);
	assert_int_equal(rig_send(h.f, RX, 53).stats.ends[STEER_MISS], 1);
	assert_true(ranges_write(t, r));
	assert_int_equal(rig_send(h.f, RX, 53).stats.ends[STEER_DROP], 1);
}

/* Rules of a table compare what their own definers select; what they have in common is hashed. */
TEST(of_hws, definers_of_rules)
{
	const uint32_t both =
		ranges_definer("obj_context.format_select_dw0",
			       "obj_context.match_mask_format.match_dw_0", 0xffffffff);
	struct rtc *t = rtc((struct shape){.rows = 2, .depth = 2, .generated = 1, .hashed = 1});
	struct ranged one = {.port = 53, .hit = DROP, .definer = destination_ports()};
	struct ranged two = {.port = 53, .hit = TO_TIR, .definer = both};

	begin(t);
	assert_true(ranges_write(t, two)); /* source port 0 */
	assert_int_equal(rig_send(h.f, RX, 53).stats.ends[STEER_MISS], 1);
	assert_true(ranges_write(t, one));
	assert_int_equal(rig_send(h.f, RX, 53).stats.ends[STEER_DROP], 1);
	one.op = PRM_GTA_OP_DEACTIVATE;
	assert_true(ranges_write(t, one));
	assert_int_equal(rig_send(h.f, RX, 53).stats.ends[STEER_MISS], 1);
	/* a definer that is gone compares nothing */
	one.op = PRM_GTA_OP_ACTIVATE;
	assert_true(ranges_write(t, one));
	assert_int_equal(FX(h.f, DESTROY_GENERAL_OBJECT, {"obj_type", PRM_OBJ_TYPE_MATCH_DEFINER},
			    {"obj_id", one.definer}),
			 0);
	assert_int_equal(rig_send(h.f, RX, 53).stats.ends[STEER_MISS], 1);
}

/* Queues do not write to such tables: their rules fail. */
TEST(of_hws, generated_only)
{
	struct rtc *t = rtc(ranges);
	struct rtc_rule r = rule_for(53, DROP, NOP, NOP);

	assert_false(write_rule(t, 0, r));
	assert_false(rtc_remove(t, 0, r.entry));
}

/* A table that is split by hash sends each packet to the rule of its row. */
TEST(of_hws, split_by_hash)
{
	struct rtc *t = rtc((struct shape){.rows = 1, .by_offset = 1, .hashed = 1});
	unsigned int dropped = 0, to_tir = 0;

	begin(t);
	assert_true(write_rule(t, 0, rule_for(0, DROP, NOP, NOP)));
	assert_true(write_rule(t, 1, rule_for(0, TO_TIR, NOP, NOP)));
	assert_false(write_rule(t, 2, rule_for(0, TO_TIR, NOP, NOP)));
	for (uint16_t port = 0; port < 64; port++) {
		struct rig_end end = rig_send(h.f, RX, port);

		dropped += (unsigned int)end.stats.ends[STEER_DROP];
		to_tir += end.tirs;
		assert_int_equal(rig_send(h.f, RX, port).tirs, end.tirs);
	}
	assert_int_equal(dropped + to_tir, 64);
	assert_true(dropped > 8 && to_tir > 8);
	/* an empty row misses */
	assert_true(rtc_remove(t, 0, (uint8_t[RULE_BYTES]){0}));
	assert_true(rtc_remove(t, 1, (uint8_t[RULE_BYTES]){0}));
	assert_int_equal(rig_send(h.f, RX, 53).stats.ends[STEER_MISS], 1);
}

/* Shapes that no table has. */
TEST(of_hws, refused_shapes)
{
	const struct shape good = {.rows = 2,
				   .depth = 1,
				   .generated = 1,
				   .hashed = 1,
				   .entries = 2,
				   .second = PRM_RTC_STE_FORMAT_RANGE,
				   .format = PRM_RTC_STE_FORMAT_8DW,
				   .definer = h.definer,
				   .miss = h.end};
	struct shape bad[] = {good, good, good, good, good, good, good, good, good, good};

	bad[0].hashed = 0;
	bad[1].hashed = 2;
	bad[2].entries = 1;
	bad[3].second = PRM_RTC_STE_FORMAT_8DW;
	bad[4].generated = 0;
	bad[5].by_offset = 1;
	bad[6].format = PRM_RTC_STE_FORMAT_11DW;
	bad[7].second = 0;
	bad[9].definer = 15;   /* each packet matches it: there is nothing to hash */
	bad[8].at = 1024 - 15; /* of the range's 1024 entries, each rule takes two */
	assert_int_equal(rtc_create(good), 0);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(rtc_create(bad[i]), BAD);
	bad[0] = good;
	bad[0].at = 1024 - 16;
	assert_int_equal(rtc_create(bad[0]), 0);
	/* split by hash: rows of one entry */
	bad[0] = (struct shape){.rows = 1,
				.by_offset = 1,
				.hashed = 1,
				.definer = h.definer,
				.format = PRM_RTC_STE_FORMAT_8DW,
				.miss = h.end};
	assert_int_equal(rtc_create(bad[0]), 0);
	bad[0].depth = 1;
	assert_int_equal(rtc_create(bad[0]), BAD);
}

/* Commands that no rule comes of; the table stays as it was. */
TEST(of_hws, refused_generate)
{
	const uint32_t id = ranges_definer("obj_context.format_select_dw1",
					   "obj_context.match_mask_format.match_dw_1", 0xffff0000);
	const uint32_t far = ranges_definer("obj_context.format_select_dw2",
					    "obj_context.match_mask_format.match_dw_2", 0xffff0000);
	struct rtc *t = rtc(ranges), *other = rtc((struct shape){.rows = 2, .at = 64});
	const struct ranged good = {.port = 53, .most = 0xffff, .hit = DROP, .range_definer = id};
	const struct {
		struct ranged r;
		uint8_t status;
	} rows[] = {{{.hit = DROP}, BAD}, /* no ranges */
		    {{.hit = DROP, .definer = id, .range_definer = id}, BAD},
		    {{.hit = DROP, .range_definer = far}, BAD},
		    {{.hit = DROP, .range_definer = 0xff}, BAD_RES},
		    {{.hit = DROP, .definer = 0xff, .range_definer = id}, BAD_RES},
		    {{.hit = 63, .range_definer = id}, BAD},
		    {{.hit = DROP, .range_definer = id, .op = 2}, BAD}};
	uint8_t in[PRM_GENERATE_WQE_IN_BYTES] = {0};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		memset(in, 0, sizeof(in));
		ranges_fill(in, t, &rows[i].r);
		assert_int_equal(ranges_exec(in), rows[i].status);
	}
	memset(in, 0, sizeof(in));
	ranges_fill(in, other, &good);
	assert_int_equal(ranges_exec(in), BAD);
	memset(in, 0, sizeof(in));
	ranges_fill(in, t, &good);
	prm_generate_wqe_in_set_pdn(in, h.pd + 1);
	assert_int_equal(ranges_exec(in), BAD);
	prm_generate_wqe_in_set_pdn(in, h.pd);
	prm_wqe_ctrl_seg_set_opmod(prm_generate_wqe_in_at_wqe_ctrl(in), 1);
	assert_int_equal(ranges_exec(in), BAD);
	prm_wqe_ctrl_seg_set_opmod(prm_generate_wqe_in_at_wqe_ctrl(in), 0);
	h.f->profile.rules_by_wqe = false;
	assert_int_equal(ranges_exec(in), BAD);
	h.f->profile.rules_by_wqe = true;
	begin(t);
	assert_int_equal(rig_send(h.f, RX, 53).stats.ends[STEER_MISS], 1);
	assert_int_equal(ranges_exec(in), 0);
	assert_int_equal(rig_send(h.f, RX, 53).stats.ends[STEER_DROP], 1);
}

/* Returns the work of a packet that passes a table of rules with definers of their own. */
static uint64_t work_of_row(uint8_t depth)
{
	struct rtc *t = rtc((struct shape){.depth = depth, .generated = 1, .hashed = 1});
	uint64_t before;

	begin(t);
	before = h.f->dev.steer_work;
	assert_int_equal(rig_send(h.f, RX, 53).stats.ends[STEER_MISS], 1);
	return h.f->dev.steer_work - before;
}

/* A packet is compared with each rule of a row, and the walk is charged for it: tables may lead in a circle. */
TEST(of_hws, rows_are_charged)
{
	assert_in_range(work_of_row(3) - work_of_row(0), 7, 14);
}

/* --- linear tables ---------------------------------------------------------------------------- */

/* reg_c_3, which a rule before sets, is the index of a packet's rule; what has none misses. */
TEST(of_hws, linear)
{
	const uint64_t to_c3 = 1ull << 28 | PRM_MODIFY_FIELD_METADATA_REG_C_3 << 16;
	struct rtc *t = rtc((struct shape){.rows = 4, .reparse = 1});
	struct rtc *by_index = rtc(
		(struct shape){.rows = 4, .by_offset = 1, .access = 1, .definer = 14, .at = 64});
	uint32_t indexed = table(0);
	struct template set = {.type = PRM_STC_ACTION_SET, .at = 6, .high = to_c3 << 32};
	struct template go = {
		.type = PRM_STC_ACTION_JUMP_TO_FT, .at = 3, .high = (uint64_t)indexed << 32};

	link_rtc(indexed, by_index->o.id);
	assert_int_equal(template_set(SET_DPORT, set), 0);
	assert_int_equal(template_set(TO_NEXT, go), 0);
	for (uint16_t i = 0; i < 4; i++) {
		struct rtc_rule r = rule_for((uint16_t)(50 + i), TO_NEXT, NOP, SET_DPORT);

		prm_store32(r.entry, 28, i < 3 ? i : 16);
		assert_true(write_rule(t, 0, r));
	}
	assert_true(write_rule(by_index, 1, rule_for(0, TO_TIR, NOP, NOP)));
	assert_true(write_rule(by_index, 2, rule_for(0, DROP, NOP, NOP)));
	begin(t);
	assert_int_equal(rig_send(h.f, RX, 50).stats.ends[STEER_MISS], 1);
	assert_int_equal(rig_send(h.f, RX, 51).tirs, 1);
	assert_int_equal(rig_send(h.f, RX, 52).stats.ends[STEER_DROP], 1);
	assert_int_equal(rig_send(h.f, RX, 53).stats.ends[STEER_MISS], 1);
}

/* A linear table has its definer, its size, and rules by offset. */
TEST(of_hws, refused_linear)
{
	const struct shape good = {.rows = 4,
				   .format = PRM_RTC_STE_FORMAT_8DW,
				   .by_offset = 1,
				   .access = 1,
				   .definer = 14,
				   .miss = h.end};
	struct shape bad = good;

	assert_int_equal(rtc_create(good), 0);
	bad.definer = h.definer;
	assert_int_equal(rtc_create(bad), BAD);
	bad = good;
	bad.access = 0;
	assert_int_equal(rtc_create(bad), BAD);
	bad.access = 2;
	assert_int_equal(rtc_create(bad), BAD);
	bad = good;
	bad.by_offset = 0;
	assert_int_equal(rtc_create(bad), BAD);
	bad = good;
	bad.depth = 1;
	assert_int_equal(rtc_create(bad), BAD);
	bad = good;
	bad.rows = 17;
	assert_int_equal(rtc_create(bad), BAD);
}
