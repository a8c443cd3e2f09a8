/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves the flow table commands: refusals, owners, references, and what is left at the end. */
#include "tests/test.h"
#include <sys/resource.h>
#include <dvx/prm/object.h>
#include "tests/steer/flow_rig.h"
#include "fw/cmd.h"
#include "obj/counter.h"
#include "obj/flow.h"
#include "obj/icm.h"

#define RX PRM_FLOW_TABLE_TYPE_NIC_RX
#define TX PRM_FLOW_TABLE_TYPE_NIC_TX

TEST(fx, tables_refuse)
{
	uint8_t in[FX_IN];
	uint32_t low = rig_table(f, (struct rig_table){RX, 3, 0, 0});
	const struct fx_spoil spoils[] = {
		{"table_type", 4, BAD, FW_SYN_CAP_CLEAR},
		{"table_type", 5, BAD, FW_SYN_CAP_CLEAR},
		{"other_vport", 1, BAD, FW_SYN_FUNCTION},
		{"vport_number", 2, BAD, FW_SYN_FUNCTION},
		{"flow_table_context.rtc_valid", 1, BAD, FW_SYN_CAP_CLEAR},
		{"flow_table_context.level", 64, BAD, FW_SYN_FLOW_LEVEL},
		{"flow_table_context.level", 3, BAD, FW_SYN_FLOW_LEVEL},
		{"flow_table_context.log_size", 23, BAD, FW_SYN_SIZE},
		{"flow_table_context.table_miss_action", 2, BAD, FW_SYN_UNSUPPORTED},
		{"flow_table_context.table_miss_id", 77, BAD_RES, FW_SYN_NO_OBJECT},
		{"table_type", TX, BAD, FW_SYN_TABLE_TYPE},
		/* an address of software must be one of the uid's entries */
		{"flow_table_context.sw_owner", 1, BAD, FW_SYN_ICM_ADDRESS},
	};
	size_t len = FX_FILL(in, CREATE_FLOW_TABLE,
			     {"flow_table_context.table_miss_action", PRM_FLOW_MISS_ACTION_FWD},
			     {"flow_table_context.table_miss_id", low});

	FX_SPOILS(f, PRM_OPCODE_CREATE_FLOW_TABLE, in, len, spoils);
	assert_int_equal(
		FX(f, CREATE_FLOW_TABLE, {"table_type", TX}, {"flow_table_context.decap_en", 1}),
		BAD);
	assert_true(test_logged(f->log, "decap_en"));
	assert_int_equal(FX(f, CREATE_FLOW_TABLE, {"table_type", TX},
			    {"flow_table_context.termination_table", 1}),
			 BAD);
	assert_true(test_logged(f->log, "termination_table"));
	f->profile.rules_by_wqe = true;
	assert_int_equal(FX(f, CREATE_FLOW_TABLE, {"flow_table_context.rtc_valid", 1},
			    {"flow_table_context.rtc_id_1", 7}),
			 BAD);
	assert_true(test_logged(f->log, "rtc_id_1"));
}

/* Either direction needs its own capability. */
TEST(fx, owners_refuse)
{
	f->profile.sw_owner_tx = false;
	rig_table(f, (struct rig_table){RX, 63, 0, icm_addr(ICM_STE, 5)});
	assert_int_equal(FX(f, CREATE_FLOW_TABLE, {"table_type", TX},
			    {"flow_table_context.level", 63}, {"flow_table_context.sw_owner", 1},
			    {"flow_table_context.sw_owner_icm_root_0", icm_addr(ICM_STE, 5)}),
			 BAD);
	assert_int_equal(f->syndrome, FW_SYN_CAP_CLEAR);
}

TEST(fx, groups_refuse)
{
	uint32_t t = rig_table(f, (struct rig_table){RX, 1, 0, 0});
	uint8_t in[FX_IN];
	size_t len = FX_FILL(in, CREATE_FLOW_GROUP, {"table_id", t}, {"start_flow_index", 500},
			     {"end_flow_index", 600}, {"match_criteria_enable", 1});
	const struct fx_spoil spoils[] = {
		{"table_type", TX, BAD, FW_SYN_TABLE_TYPE},
		{"table_id", 0x99, BAD_RES, FW_SYN_NO_OBJECT},
		{"group_type", 1, BAD, FW_SYN_UNSUPPORTED},
		{"source_eswitch_owner_vhca_id_valid", 1, BAD, FW_SYN_CAP_CLEAR},
		{"start_flow_index", 601, BAD, FW_SYN_INDEX},
		{"end_flow_index", 1024, BAD, FW_SYN_INDEX},
		{"start_flow_index", 100, BAD, FW_SYN_INDEX}, /* the other group's */
		{"match_criteria_enable", 0x20, BAD, FW_SYN_CAP_CLEAR},
		{"match_criteria.outer_headers.l4_type match_criteria.outer_headers.ipv4_ihl", 1,
		 BAD, FW_SYN_MATCH_FIELD},
	};

	rig_group(f, RX, t, 0, 200, 0xffff);
	FX_SPOILS(f, PRM_OPCODE_CREATE_FLOW_GROUP, in, len, spoils);
	assert_true(test_logged(f->log, "ipv4_ihl"));
	/* a part that is not enabled may have any value */
	FX_SET(in, CREATE_FLOW_GROUP, {"match_criteria_enable", 0},
	       {"match_criteria.outer_headers.ipv4_ihl", 5});
	assert_int_equal(FX_EXEC(f, CREATE_FLOW_GROUP, in, len), 0);
}

TEST(fx, entries_refuse)
{
	uint32_t t = rig_table(f, (struct rig_table){RX, 1, 0, 0});
	uint32_t same = rig_table(f, (struct rig_table){RX, 1, 0, 0});
	uint32_t other = rig_table(f, (struct rig_table){TX, 2, 0, 0});
	uint32_t tir = rig_tir(f), g = rig_group(f, RX, t, 10, 19, 0xffff);
	const struct rig_entry good = {.type = RX,
				       .table = t,
				       .group = g,
				       .index = 12,
				       .action = PRM_FLOW_ACTION_FWD_DEST,
				       .tir = tir};
	uint8_t in[RIG_FTE];
	size_t len = rig_fill_entry(&good, in);
	const struct fx_spoil spoils[] = {
		{"table_id", same, BAD, FW_SYN_NO_OBJECT},
		{"table_type", TX, BAD, FW_SYN_TABLE_TYPE},
		{"flow_index", 9, BAD, FW_SYN_INDEX},
		{"flow_index", 20, BAD, FW_SYN_INDEX},
		{"op_mod", 1, BAD, FW_SYN_INDEX}, /* nothing to modify */
		{"op_mod", 2, BAD, FW_SYN_OP_MOD},
		{"flow_context.group_id", 0x77, BAD_RES, FW_SYN_NO_OBJECT},
		{"flow_context.action flow_context.destination_list_size", 0, BAD,
		 FW_SYN_FLOW_ACTION},
		{"flow_context.action", 1, BAD, FW_SYN_FLOW_ACTION}, /* ALLOW in RX */
		{"flow_context.action", 2, BAD, FW_SYN_FLOW_ACTION}, /* DROP with a destination */
		{"flow_context.action", 6, BAD, FW_SYN_FLOW_ACTION},
		/* COUNT without a counter */
		{"flow_context.action", 8 | 4, BAD, FW_SYN_FLOW_ACTION},
		{"flow_context.action", 0x84, BAD, FW_SYN_CAP_CLEAR},
		{"flow_context.action", 0x44, BAD_RES, FW_SYN_NO_OBJECT},
		{"flow_context.destination_list_size", 33, BAD, FW_SYN_FLOW_ACTION},
		{"flow_context.destination_list_size", 2, PRM_STATUS_BAD_INP_LEN, FW_SYN_IN_SHORT},
		{"flow_context.extended_destination flow_context.execute_aso[1].valid", 1, BAD,
		 FW_SYN_CAP_CLEAR},
	};
	struct rig_entry e = good;

	FX_SPOILS(f, PRM_OPCODE_SET_FLOW_TABLE_ENTRY, in, len, spoils);
	/* destinations: levels must rise, directions and numbers must match */
	e.tir = 0;
	e.to_table = same;
	len = rig_fill_entry(&e, in);
	FX_REFUSES(f, SET_FLOW_TABLE_ENTRY, in, len, BAD, FW_SYN_FLOW_LEVEL);
	e.to_table = other;
	len = rig_fill_entry(&e, in);
	FX_REFUSES(f, SET_FLOW_TABLE_ENTRY, in, len, BAD, FW_SYN_TABLE_TYPE);
	e.to_table = 0;
	e.tir = tir + 1;
	len = rig_fill_entry(&e, in);
	assert_int_equal(FX_EXEC(f, SET_FLOW_TABLE_ENTRY, in, len), BAD_RES);
	/* another kind of destination */
	len = rig_fill_entry(&good, in);
	prm_dest_format_struct_set_destination_type(in + PRM_SET_FTE_IN_BYTES, 3);
	FX_REFUSES(f, SET_FLOW_TABLE_ENTRY, in, len, BAD, FW_SYN_UNSUPPORTED);
	/* a good one, and then its index is in use */
	rig_entry(f, good);
	len = rig_fill_entry(&good, in);
	FX_REFUSES(f, SET_FLOW_TABLE_ENTRY, in, len, BAD, FW_SYN_INDEX);
	fw_uid_reap(f->v, FX_UID);
}

static uint8_t destroy(struct fx *f, uint16_t opcode, uint32_t table, uint32_t group)
{
	uint8_t in[PRM_DESTROY_FLOW_GROUP_IN_BYTES] = {0};

	prm_destroy_flow_group_in_set_table_id(in, table);
	prm_destroy_flow_group_in_set_group_id(in, group);
	return fx_exec(f, f->v, opcode, FX_UID, in, sizeof(in), 16);
}

/* An object that others refer to can't be destroyed. */
TEST(fx, busy)
{
	uint32_t next = rig_table(f, (struct rig_table){RX, 2, 0, 0});
	uint32_t t = rig_table(f, (struct rig_table){RX, 1, next, 0});
	uint32_t g = rig_group(f, RX, t, 0, 9, 0xffff), tir = rig_tir(f);
	uint32_t counter = rig_counter(f, 0);
	const struct obj *to = obj_find(f->v, OBJ_TIR, tir);
	const struct {
		uint16_t opcode;
		uint32_t table, group;
		uint8_t before, after; /* the entry is deleted */
	} ends[] = {
		{PRM_OPCODE_DESTROY_FLOW_GROUP, next, g, BAD, BAD},
		{PRM_OPCODE_DESTROY_FLOW_GROUP, t, g, BUSY, 0},
		{PRM_OPCODE_DESTROY_FLOW_TABLE, t, 0, BUSY, 0},
		{PRM_OPCODE_DESTROY_FLOW_TABLE, next, 0, BUSY, 0},
	};

	RIG_ENTRY(f, RX, t, g, 0, 0, 0xc, .tir = tir, .to_table = next, .counter = counter);
	assert_int_equal(to->refs, 1);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(destroy(f, ends[i].opcode, ends[i].table, ends[i].group),
				 ends[i].before);
	assert_int_equal(FX(f, DEALLOC_FLOW_COUNTER, {"flow_counter_id", counter}), BUSY);
	rig_delete(f, RX, t, 0);
	assert_int_equal(to->refs, 0);
	assert_int_equal(FX(f, DEALLOC_FLOW_COUNTER, {"flow_counter_id", counter}), 0);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(destroy(f, ends[i].opcode, ends[i].table, ends[i].group),
				 ends[i].after);
	rig_tir_free(f, tir);
	assert_int_equal(fx_objects(f->v), 0);
}

static uint8_t query(struct fx *f, uint32_t id, uint32_t n, uint16_t uid, size_t out_len)
{
	uint8_t in[PRM_QUERY_FLOW_COUNTER_IN_BYTES] = {0};

	prm_query_flow_counter_in_set_flow_counter_id(in, id);
	prm_query_flow_counter_in_set_num_of_counters(in, n);
	return fx_exec(f, f->v, PRM_OPCODE_QUERY_FLOW_COUNTER, uid, in, sizeof(in), out_len);
}

TEST(fx, counters)
{
	uint32_t one = rig_counter(f, 0), two = rig_counter(f, 0), bulk = rig_counter(f, 2), many;

	assert_int_not_equal(one, 0);
	assert_int_not_equal(one, two);
	assert_int_equal(bulk % 256, 0);
	counter_hit(f->v, bulk + 255, 100);
	counter_hit(f->v, bulk + 256, 100); /* a counter without users */
	counter_hit(f->v, 0, 100);
	assert_int_equal(query(f, bulk, 256, FX_UID, 16 + 256 * 16), 0);
	assert_int_equal(prm_load64(f->out, 16 + 255 * 16), 1);
	assert_int_equal(prm_load64(f->out, 16 + 255 * 16 + 8), 100);
	assert_int_equal(query(f, bulk, 257, FX_UID, 16 + 257 * 16), BAD_RES);
	assert_int_equal(query(f, bulk + 2, 2, FX_UID, 48), BAD);
	assert_int_equal(f->syndrome, FW_SYN_ALIGNMENT);
	assert_int_equal(query(f, bulk, 256, FX_UID, 16 + 255 * 16), PRM_STATUS_BAD_OUTP_LEN);
	assert_int_equal(query(f, one, 0, FX_UID + 1, 32), BAD_RES);
	assert_int_equal(query(f, 0, 0, FX_UID, 32), BAD_RES);
	/* clear also reads once */
	assert_int_equal(rig_counter_read(f, bulk + 255, true, NULL), 1);
	assert_int_equal(rig_counter_read(f, bulk + 255, false, NULL), 0);
	/* part of a bulk can't be freed, and a freed number is not reused at once */
	assert_int_equal(FX(f, DEALLOC_FLOW_COUNTER, {"flow_counter_id", bulk + 1}), BAD_RES);
	assert_int_equal(FX(f, DEALLOC_FLOW_COUNTER, {"flow_counter_id", one}), 0);
	assert_int_not_equal(rig_counter(f, 0), one);
	many = rig_counter(f, 5); /* Linux asks with several bits: their sum */
	assert_int_equal(rig_counter_read(f, many + 5 * 128 - 1, false, NULL), 0);
	assert_null(counter_find(f->v, many + 5 * 128));
	assert_int_equal(FX(f, ALLOC_FLOW_COUNTER, {"flow_counter_bulk_log_size", 3}), BAD);
	fw_uid_reap(f->v, FX_UID);
	assert_null(counter_find(f->v, two));
	assert_null(counter_find(f->v, bulk));
}

static void no_counter(struct fx *f, uint32_t bulk)
{
	assert_int_equal(FX(f, ALLOC_FLOW_COUNTER, {"flow_counter_bulk", bulk}), PRM_STATUS_LIM);
	assert_int_equal(f->syndrome, FW_SYN_LIMIT);
}

/*
 * Allocates all of 2^10 numbers: seven bulks of 128 and 127 single ones, as 0 is reserved. Further
 * ones fail, and work again after a free.
 */
TEST(fx, counters_exhausted)
{
	const struct profile *whole = f->dev.profile;
	struct profile few = *whole;

	few.log_max_flow_counter = 10;
	f->dev.profile = &few;
	for (unsigned int i = 0; i < 7; i++)
		assert_int_not_equal(rig_counter(f, 1), 0);
	no_counter(f, 1);
	for (unsigned int i = 1; i < 128; i++)
		assert_int_not_equal(rig_counter(f, 0), 0);
	no_counter(f, 0);
	fw_uid_reap(f->v, FX_UID);
	assert_int_not_equal(rig_counter(f, 1), 0);
	f->dev.profile = whole;
}

static uint8_t query_entry(struct fx *f, const struct rig_entry *e, size_t room)
{
	uint8_t in[FX_IN];
	size_t len = FX_FILL(in, QUERY_FLOW_TABLE_ENTRY, {"table_id", e->table},
			     {"flow_index", e->index});

	return fx_exec(f, f->v, PRM_OPCODE_QUERY_FLOW_TABLE_ENTRY, FX_UID, in, len,
		       PRM_QUERY_FTE_OUT_BYTES + room);
}

/* Asserts an entry's action, destination and counter. */
static void assert_entry(struct fx *f, const struct rig_entry *e)
{
	assert_int_equal(query_entry(f, e, 16), 0);
	FX_ASSERT_REPLY(f, QUERY_FLOW_TABLE_ENTRY, {"flow_context.action", e->action},
			{"flow_context.flow_tag", e->tag});
	assert_int_equal(prm_load32(f->out, PRM_QUERY_FTE_OUT_BYTES),
			 e->to_table ? 1u << 24 | e->to_table : 2u << 24 | e->tir);
	assert_int_equal(prm_load32(f->out, PRM_QUERY_FTE_OUT_BYTES + 8), e->counter);
}

TEST(fx, queries)
{
	uint32_t sw = rig_table(f, (struct rig_table){RX, 63, 0, icm_addr(ICM_STE, 5)});
	uint32_t t = rig_table(f, (struct rig_table){RX, 1, sw, 0});
	uint32_t g = rig_group(f, RX, t, 3, 9, 0xff00), counter = rig_counter(f, 0), hws;
	const struct rig_entry e = {.type = RX,
				    .table = t,
				    .group = g,
				    .index = 4,
				    .port = 0x1200,
				    .action = 0xc,
				    .tag = 0x123456,
				    .to_table = sw,
				    .counter = counter};
#define TABLE "flow_table_context."

	rig_entry(f, e);
	assert_int_equal(FX(f, QUERY_FLOW_TABLE, {"table_id", sw}), 0);
	FX_ASSERT_REPLY(f, QUERY_FLOW_TABLE, {TABLE "sw_owner_icm_root_0", icm_addr(ICM_STE, 5)});
	assert_int_equal(FX(f, QUERY_FLOW_TABLE, {"table_id", t}), 0);
	FX_ASSERT_REPLY(f, QUERY_FLOW_TABLE, {TABLE "sw_owner_icm_root_0", icm_addr(ICM_TABLE, t)},
			{TABLE "table_miss_id", sw});
	f->profile.rules_by_wqe = true;
	hws = FX_MAKE(f, CREATE_FLOW_TABLE, {TABLE "rtc_valid", 1});
	assert_int_equal(FX(f, QUERY_FLOW_TABLE, {"table_id", hws}), 0);
	FX_ASSERT_REPLY(f, QUERY_FLOW_TABLE, {TABLE "rtc_valid", 1},
			{TABLE "sw_owner_icm_root_0", icm_addr(ICM_TABLE, hws)});
	assert_int_equal(FX(f, QUERY_FLOW_GROUP, {"table_id", t}, {"group_id", g}), 0);
	FX_ASSERT_REPLY(f, QUERY_FLOW_GROUP, {"end_flow_index", 9}, {"match_criteria_enable", 1});
	assert_int_equal(query_entry(f, &e, 8), PRM_STATUS_BAD_OUTP_LEN);
	assert_entry(f, &e);
}

TEST(fx, rewrites_refuse)
{
	uint8_t in[PRM_ALLOC_MODIFY_HEADER_CONTEXT_IN_BYTES + 8] = {0};
	uint8_t *a = in + PRM_ALLOC_MODIFY_HEADER_CONTEXT_IN_BYTES;
	const struct fx_spoil spoils[] = {
		{"table_type", 4, BAD, FW_SYN_CAP_CLEAR},
		{"num_of_actions", 0, BAD, FW_SYN_SIZE},
		{"num_of_actions", 17, BAD, FW_SYN_SIZE},
		{"num_of_actions", 2, PRM_STATUS_BAD_INP_LEN, FW_SYN_IN_SHORT},
		{"actions[0].action_type", 4, BAD, FW_SYN_UNSUPPORTED},
		{"actions[0].field", 0x6e, BAD, FW_SYN_MATCH_FIELD},
		{"actions[0].offset", 3, BAD, FW_SYN_RANGE},
		{"actions[0].length", 0, BAD, FW_SYN_RANGE}, /* 32 */
	};

	prm_alloc_modify_header_context_in_set_num_of_actions(in, 1);
	prm_set_action_in_set_action_type(a, PRM_ACTION_TYPE_SET);
	prm_set_action_in_set_field(a, PRM_MODIFY_FIELD_OUT_IP_TTL);
	prm_set_action_in_set_length(a, 8);
	FX_SPOILS(f, PRM_OPCODE_ALLOC_MODIFY_HEADER_CONTEXT, in, sizeof(in), spoils);
}

static uint8_t modify_entry(struct fx *f, struct rig_entry e, uint32_t mask)
{
	uint8_t in[RIG_FTE];
	size_t len = rig_fill_entry(&e, in);

	prm_set_fte_in_set_op_mod(in, 1);
	prm_set_fte_in_set_modify_enable_mask(in, mask);
	return FX_EXEC(f, SET_FLOW_TABLE_ENTRY, in, len);
}

/* A modification changes the parts in its mask; the rest stays, whatever the command has there. */
TEST(fx, modify_parts)
{
	uint32_t t = rig_table(f, (struct rig_table){RX, 1, 0, 0});
	struct rig_entry e = {.type = RX,
			      .table = t,
			      .group = rig_group(f, RX, t, 0, 9, 0xffff),
			      .index = 3,
			      .action = PRM_FLOW_ACTION_FWD_DEST | PRM_FLOW_ACTION_COUNT,
			      .tag = 5,
			      .tir = rig_tir(f),
			      .counter = rig_counter(f, 0)};
	struct rig_entry m = e, drop = e;

	rig_entry(f, e);
	m.action = PRM_FLOW_ACTION_FWD_DEST;
	m.tir = rig_tir(f);
	m.counter = m.tag = 0;
	assert_int_equal(modify_entry(f, m, 4), 0); /* the destinations */
	rig_tir_free(f, e.tir);
	e.tir = m.tir;
	assert_entry(f, &e);
	m = e;
	m.tir = rig_tir(f);
	m.counter = rig_counter(f, 0);
	assert_int_equal(modify_entry(f, m, 8), 0); /* the counters */
	rig_tir_free(f, m.tir);
	e.counter = m.counter;
	assert_entry(f, &e);
	/* an action that contradicts the parts that stay */
	drop.action = PRM_FLOW_ACTION_DROP;
	drop.tir = drop.counter = 0;
	assert_int_equal(modify_entry(f, drop, 1), BAD);
	assert_int_equal(f->syndrome, FW_SYN_FLOW_ACTION);
	assert_entry(f, &e);
	assert_int_equal(modify_entry(f, drop, 0xf), 0);
	rig_tir_free(f, e.tir);
}

/* A command for another vport is refused, and does not affect this function's vport. */
TEST(fx, other_vports)
{
	uint32_t t = rig_table(f, (struct rig_table){RX, 1, 0, 0});
	uint32_t g = rig_group(f, RX, t, 0, 9, 0xffff);
	const struct fx_spoil spoils[] = {
		{"other_vport", 1, BAD, FW_SYN_FUNCTION},
		{"vport_number", 2, BAD, FW_SYN_FUNCTION},
	};
	uint8_t in[FX_IN];
	size_t len = FX_FILL(in, DELETE_FLOW_TABLE_ENTRY, {"table_id", t}, {"flow_index", 3});

	RIG_ENTRY(f, RX, t, g, 3, 0, PRM_FLOW_ACTION_DROP);
	FX_SPOILS(f, PRM_OPCODE_DELETE_FLOW_TABLE_ENTRY, in, len, spoils);
	rig_delete(f, RX, t, 3);
	len = FX_FILL(in, DESTROY_FLOW_GROUP, {"table_id", t}, {"group_id", g});
	FX_SPOILS(f, PRM_OPCODE_DESTROY_FLOW_GROUP, in, len, spoils);
	assert_int_equal(FX_EXEC(f, DESTROY_FLOW_GROUP, in, len), 0);
	len = FX_FILL(in, DESTROY_FLOW_TABLE, {"table_id", t});
	FX_SPOILS(f, PRM_OPCODE_DESTROY_FLOW_TABLE, in, len, spoils);
}

/*
 * A program with many entries of one value dies, the last of which it created first:
 * tests/perf/crowd.sh measures what their removal costs other programs.
 */
TEST(fx, many_alike)
{
	static const uint8_t value[FLOW_PARAM_BYTES];
	const uint32_t n = 5000;
	uint32_t t = rig_table(f, (struct rig_table){RX, 1, 0, 0});
	struct flow_group *g = obj_find(f->v, OBJ_FLOW_GROUP, rig_group(f, RX, t, 0, 9, 0xffff));

	for (uint32_t i = n; i--;)
		assert_non_null(flow_entry_new(g, i, value));
	fw_uid_reap(f->v, FX_UID);
	assert_int_equal(fx_objects(f->v), 0);
}

static uint64_t page_faults(void)
{
	struct rusage now;

	assert_int_equal(getrusage(RUSAGE_SELF, &now), 0);
	return (uint64_t)now.ru_minflt;
}

/* Freeing the largest range of entries does not read each of its pages, where no rule ever was. */
TEST(fx, empty_range)
{
	const uint64_t pages = (sizeof(void *) << VHCA_LOG_MAX_RULE_STE) / 4096;
	uint64_t before;

	f->profile.rules_by_wqe = true;
	assert_int_equal(fx_general(f, f->v, PRM_OPCODE_CREATE_GENERAL_OBJECT, "create_ste_in", 144,
				    FX_FIELDS({"hdr.obj_type", PRM_OBJ_TYPE_STE},
					      {"hdr.log_obj_range", VHCA_LOG_MAX_RULE_STE})),
			 0);
	before = page_faults();
	fw_uid_reap(f->v, FX_UID);
	assert_true(page_faults() - before < pages / 2);
}
