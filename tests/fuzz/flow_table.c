/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves that no sequence of flow commands, good ones and such with a field spoiled, crashes the
 * device, leaks, or leaves a packet on its way: tables are made, led into each other, changed and
 * torn down in any order while packets pass.
 */
#include "fuzz.h"
#include "tests/steer/flow_rig.h"
#include "fw/cmd.h"
#include "obj/flow.h"
#include "obj/icm.h"
#include "prm/reflect.h"

#define TIRS 4u

static uint32_t tirs[TIRS];
static unsigned int commands, good, ends[STEER_ENDS];

/* The number of some object of this type, or of none. */
static uint32_t some(const struct fx *f, enum obj_type type)
{
	uint32_t n = obj_count(f->v, type), skip = n ? any(n) : 0;
	const struct obj *o = obj_next(f->v, type, 0);

	while (o && skip--)
		o = obj_next(f->v, type, o->id + 1);
	return o && any(16) ? o->id : any(64);
}

/* The kind that a table is of, so that most commands name it rightly. */
static uint8_t type_of(const struct fx *f, uint32_t table)
{
	const struct flow_table *t = obj_find(f->v, OBJ_FLOW_TABLE, table);

	return t && any(32) ? t->type : (uint8_t)any(2);
}

/* A field anywhere in the mailbox gets a value that it should not have. */
static void spoil(uint16_t opcode, uint8_t *in, size_t len)
{
	const struct prm_struct *s = prm_command_in(opcode);
	const struct prm_field *fld = &s->fields[any((uint32_t)s->field_count)];
	uint64_t bit = fld->offset;

	while (fld->type) {
		fld = &fld->type->fields[any((uint32_t)fld->type->field_count)];
		bit += fld->offset;
	}
	if (fld->width <= 64 && (bit + fld->width + 7) / 8 <= len)
		prm_bits_set(in, bit, fld->width, any(2) ? any(70) : UINT64_MAX);
}

static void run(struct fx *f, uint16_t opcode, uint8_t *in, size_t len)
{
	commands++;
	if (!any(4))
		spoil(opcode, in, len);
	good += !fx_exec(f, f->v, opcode, any(32) ? FX_UID : FX_UID + 1, in, len, 2048);
}

static void make_table(struct fx *f)
{
	uint8_t in[PRM_CREATE_FLOW_TABLE_IN_BYTES] = {0};
	void *ctx = prm_create_flow_table_in_at_flow_table_context(in);
	uint32_t miss = any(2) ? some(f, OBJ_FLOW_TABLE) : 0;

	prm_create_flow_table_in_set_table_type(in, any(2));
	prm_flow_table_context_set_level(ctx, any(64));
	prm_flow_table_context_set_log_size(ctx, 4);
	prm_flow_table_context_set_table_miss_action(ctx, !!miss);
	prm_flow_table_context_set_table_miss_id(ctx, miss);
	if (!any(6)) {
		prm_flow_table_context_set_sw_owner(ctx, 1);
		prm_flow_table_context_set_sw_owner_icm_root_0(ctx,
							       icm_addr(ICM_STE, any(1 << 12)));
	}
	run(f, PRM_OPCODE_CREATE_FLOW_TABLE, in, sizeof(in));
}

static void make_group(struct fx *f)
{
	uint8_t in[PRM_CREATE_FLOW_GROUP_IN_BYTES] = {0};
	void *outer = prm_fte_match_param_at_outer_headers(
		prm_create_flow_group_in_at_match_criteria(in));
	uint32_t start = any(16), table = some(f, OBJ_FLOW_TABLE);

	prm_create_flow_group_in_set_table_type(in, type_of(f, table));
	prm_create_flow_group_in_set_table_id(in, table);
	prm_create_flow_group_in_set_start_flow_index(in, start);
	prm_create_flow_group_in_set_end_flow_index(in, start + any(4));
	prm_create_flow_group_in_set_match_criteria_enable(in, any(2));
	prm_fte_match_set_lyr_2_4_set_udp_dport(outer, any(4));
	run(f, PRM_OPCODE_CREATE_FLOW_GROUP, in, sizeof(in));
}

static void make_entry(struct fx *f)
{
	const struct flow_group *g = obj_find(f->v, OBJ_FLOW_GROUP, some(f, OBJ_FLOW_GROUP));
	uint32_t table = g && any(16) ? g->table->o.id : some(f, OBJ_FLOW_TABLE);
	uint8_t in[RIG_FTE];
	struct rig_entry e = {
		.type = type_of(f, table),
		.table = table,
		.group = g ? g->o.id : any(64),
		.index = g && any(16) ? g->start + any(4) : any(16),
		.port = (uint16_t)any(4),
		.tag = any(3),
		.tir = any(3) ? 0 : tirs[any(TIRS)],
		.to_table = any(3) ? 0 : some(f, OBJ_FLOW_TABLE),
		.to_table2 = any(3) ? 0 : some(f, OBJ_FLOW_TABLE),
		.counter = any(3) ? 0 : 1 + any(40),
	};
	size_t len;

	e.action = e.tir || e.to_table || e.to_table2 ? 4 : (uint16_t)(1 + any(2));
	e.action |= e.counter ? 8 : 0;
	len = rig_fill_entry(&e, in);
	prm_set_fte_in_set_ignore_flow_level(in, !any(3));
	prm_set_fte_in_set_op_mod(in, !any(3));
	prm_set_fte_in_set_modify_enable_mask(in, 0xf);
	run(f, PRM_OPCODE_SET_FLOW_TABLE_ENTRY, in, len);
}

static void make_counter(struct fx *f)
{
	uint8_t in[16] = {0};

	prm_alloc_flow_counter_in_set_flow_counter_bulk(in, any(4) ? 0 : 1u << any(3));
	run(f, PRM_OPCODE_ALLOC_FLOW_COUNTER, in, sizeof(in));
}

/* They all begin alike. */
static void on_table(struct fx *f)
{
	static const uint16_t ops[] = {
		PRM_OPCODE_MODIFY_FLOW_TABLE,	    PRM_OPCODE_SET_FLOW_TABLE_ROOT,
		PRM_OPCODE_DESTROY_FLOW_TABLE,	    PRM_OPCODE_DESTROY_FLOW_GROUP,
		PRM_OPCODE_DELETE_FLOW_TABLE_ENTRY, PRM_OPCODE_QUERY_FLOW_TABLE,
		PRM_OPCODE_QUERY_FLOW_GROUP,	    PRM_OPCODE_QUERY_FLOW_TABLE_ENTRY,
		PRM_OPCODE_DELETE_FLOW_TABLE_ENTRY, PRM_OPCODE_SET_FLOW_TABLE_ROOT,
	};
	uint16_t op = ops[any(sizeof(ops) / sizeof(ops[0]))];
	uint32_t table = some(f, OBJ_FLOW_TABLE);
	uint8_t in[64] = {0};

	prm_destroy_flow_table_in_set_table_type(in, type_of(f, table));
	prm_destroy_flow_table_in_set_table_id(in, table);
	if (op == PRM_OPCODE_MODIFY_FLOW_TABLE) {
		void *ctx = prm_modify_flow_table_in_at_flow_table_context(in);

		prm_modify_flow_table_in_set_modify_field_select(in, 1);
		prm_flow_table_context_set_table_miss_action(ctx, any(2));
		prm_flow_table_context_set_table_miss_id(ctx, some(f, OBJ_FLOW_TABLE));
	} else if (op == PRM_OPCODE_DESTROY_FLOW_GROUP || op == PRM_OPCODE_QUERY_FLOW_GROUP) {
		prm_destroy_flow_group_in_set_group_id(in, some(f, OBJ_FLOW_GROUP));
	} else if (op != PRM_OPCODE_SET_FLOW_TABLE_ROOT && op != PRM_OPCODE_DESTROY_FLOW_TABLE) {
		prm_delete_fte_in_set_flow_index(in, any(16));
	}
	run(f, op, in, sizeof(in));
}

static void on_counter(struct fx *f)
{
	uint8_t in[32] = {0};
	uint32_t id = any(300);

	if (any(2)) {
		prm_dealloc_flow_counter_in_set_flow_counter_id(in, id);
		run(f, PRM_OPCODE_DEALLOC_FLOW_COUNTER, in, 16);
		return;
	}
	prm_query_flow_counter_in_set_flow_counter_id(in, id);
	prm_query_flow_counter_in_set_num_of_counters(in, any(5));
	prm_query_flow_counter_in_set_clear(in, any(2));
	run(f, PRM_OPCODE_QUERY_FLOW_COUNTER, in, sizeof(in));
}

static void move(struct fx *f)
{
	static void (*const moves[])(struct fx *) = {
		make_table, make_group, make_group,   make_entry, make_entry,
		make_entry, make_entry, make_counter, on_table,	  on_counter,
	};

	moves[any(sizeof(moves) / sizeof(moves[0]))](f);
	if (!any(4)) {
		struct rig_end e = rig_send(f, (uint8_t)any(2), (uint16_t)any(4));

		for (unsigned int k = 0; k < STEER_ENDS; k++)
			ends[k] += e.stats.ends[k] != 0;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	void *state;
	struct fx *f;

	fuzz_begin(bytes, len);
	fx_setup(&state);
	f = state;
	for (unsigned int t = 0; t < TIRS; t++)
		tirs[t] = rig_tir(f);
	while (fuzz_more())
		move(f);
	fx_teardown(&state);
	return 0;
}

/* Commands succeeded, and packets met all ends but the e-switch's: these packets do not pass it. */
static void judge(unsigned int inputs)
{
	(void)inputs;
	assert_true(good > commands / 6);
	for (unsigned int k = 0; k < STEER_ENDS; k++)
		assert_true(ends[k] > 10 || (k >= STEER_VPORT && k <= STEER_EGRESS_DROP));
}

const struct fuzz_target fuzz_target = {.inputs = 100, .longest = 1 << 14, .judge = judge};
