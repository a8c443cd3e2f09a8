/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves ACCESS_ASO: what a WQE reads, compares and changes, as the bytes that DPDK and Linux write,
 * and that each wrong field is refused and changes nothing.
 */
#include "tests/test.h"
#include <dvx/prm/object.h>
#include "queue_raw_rig.h"
#include "obj/aso.h"
#include "obj/counter.h"

#define CTRL		  16u
#define DATA		  64u
#define FIXTURE_aso(name) FIXTURE(name, struct aso_rig *a, setup, teardown)

struct aso_rig {
	struct raw *r;
	struct obj *pd;
	struct pd_object *ct, *meter, *hit;
};

static struct pd_object *object(struct aso_rig *a, enum obj_type type)
{
	struct pd_object *made = aso_new(a->pd, type, 0, 1);

	assert_non_null(made);
	for (unsigned int i = 0; i < ASO_BYTES; i++)
		made->context[i] = (uint8_t)(0x40 + i);
	return made;
}

static int setup(void **state)
{
	static struct aso_rig a;

	if (raw_setup((void **)&a.r))
		return -1;
	a.pd = obj_find(&a.r->rig.dev.vhca[BLUEFIELD2_HOST], OBJ_PD, RIG_PD);
	if (!a.pd)
		a.pd = obj_new_at(&a.r->rig.dev.vhca[BLUEFIELD2_HOST], OBJ_PD, 0, RIG_PD,
				  sizeof(*a.pd));
	a.ct = object(&a, OBJ_ASO_CT);
	a.meter = object(&a, OBJ_ASO_METER);
	a.hit = object(&a, OBJ_ASO_HIT);
	*state = &a;
	return 0;
}

static int teardown(void **state)
{
	struct aso_rig *a = *state;
	struct pd_object *all[] = {a->ct, a->meter, a->hit};

	for (unsigned int i = 0; i < 3; i++) {
		obj_put(all[i]->pd);
		obj_free(&all[i]->o);
	}
	obj_free(a->pd);
	return raw_teardown((void **)&a->r);
}

static struct rig_wqe begin(struct aso_rig *a, uint8_t opmod, const struct pd_object *object)
{
	struct rig_wqe w = rig_begin(&a->r->sq, PRM_WQE_OPCODE_ACCESS_ASO, SIGNALED, 0);

	prm_wqe_ctrl_seg_set_opmod(w.bytes, opmod);
	prm_wqe_ctrl_seg_set_general_id(w.bytes, object->o.id);
	w.ds = 4;
	return w;
}

/* Runs the WQE; returns its syndrome, 0 if it succeeds. */
static unsigned int run(struct aso_rig *a, struct rig_wqe *w)
{
	const uint8_t *cqe;

	rig_end(w);
	raw_go(a->r);
	cqe = rig_poll(&a->r->scq);
	assert_non_null(cqe);
	if (prm_cqe64_get_opcode(cqe) == PRM_CQE_OPCODE_REQ) {
		assert_int_equal(prm_cqe64_get_s_wqe_opcode(cqe), PRM_WQE_OPCODE_ACCESS_ASO);
		return 0;
	}
	raw_reset(&a->r->sq);
	return prm_err_cqe_get_syndrome(cqe);
}

static void set(struct rig_wqe *w, const char *field, uint64_t value)
{
	rig_set(w, CTRL, "wqe_aso_ctrl_seg", field, value);
}

static void read_to(struct aso_rig *a, struct rig_wqe *w, const void *at)
{
	set(w, "va_h", (uint64_t)(uintptr_t)at >> 32);
	set(w, "va_l", (uint32_t)(uintptr_t)at >> 1);
	set(w, "read_en", 1);
	set(w, "l_key", rig_key(a->r->mkey));
}

static void with_data(struct rig_wqe *w, uint8_t first)
{
	w->ds = 8;
	for (unsigned int i = 0; i < ASO_BYTES; i++)
		w->bytes[DATA + i] = (uint8_t)(first + i);
}

/* Linux's bytes for the second meter of an object: Linux en/tc/meter.c, lib/aso.c. */
TEST(aso, as_linux_writes_a_meter)
{
	static const uint8_t ctrl[48] = {
		[12] = 0x40, [13] = 0x11, [15] = 0x40, /* bytes, both true, or */
		[44] = 0x80, [45] = 0xff, [46] = 0xff, [47] = 0xff};
	struct rig_wqe w = begin(a, 2, a->meter);

	memcpy(w.bytes + CTRL, ctrl, sizeof(ctrl));
	with_data(&w, 0x80);
	assert_int_equal(run(a, &w), 0);
	for (unsigned int i = 0; i < ASO_BYTES; i++) {
		bool written = i == 32 || i >= 40;

		assert_int_equal(a->meter->context[i], (written ? 0x80 : 0x40) + i);
	}
}

/* DPDK's bytes for a read of first hits that clears them: the old bits arrive. */
TEST(aso, as_dpdk_reads_first_hits)
{
	uint8_t before[ASO_BYTES], zero[ASO_BYTES] = {0};
	struct rig_wqe w = begin(a, 4, a->hit);

	memcpy(before, a->hit->context, ASO_BYTES);
	read_to(a, &w, a->r->dst);
	set(&w, "condition_operand", 1);
	set(&w, "condition_0_operand", 1);
	set(&w, "condition_1_operand", 1);
	set(&w, "data_mask_mode", 1);
	set(&w, "data_mask", UINT64_MAX);
	w.ds = 8;
	assert_int_equal(run(a, &w), 0);
	assert_memory_equal(a->r->dst, before, ASO_BYTES);
	assert_memory_equal(a->hit->context, zero, ASO_BYTES);
}

/* Conditions that are false leave the context: a query (Linux, lib/macsec). */
TEST(aso, query)
{
	struct rig_wqe w = begin(a, 1, a->ct);

	read_to(a, &w, a->r->dst);
	assert_int_equal(run(a, &w), 0);
	assert_memory_equal(a->r->dst, a->ct->context, ASO_BYTES);
}

TEST(aso, bits)
{
	struct rig_wqe w = begin(a, 1, a->ct);
	uint8_t expected[ASO_BYTES];

	memcpy(expected, a->ct->context, ASO_BYTES);
	expected[25] = 0xab; /* 0x59, all bits */
	expected[31] = 0x5c; /* 0x5f with its two lowest bits cleared */
	set(&w, "condition_0_operand", 1);
	set(&w, "condition_1_operand", 1);
	set(&w, "data_offset", 3);
	set(&w, "bitwise_data", 0xabull << 48 | 0xf0);
	set(&w, "data_mask", 0xffull << 48 | 3);
	assert_int_equal(run(a, &w), 0);
	assert_memory_equal(a->ct->context, expected, ASO_BYTES);
}

/* Each comparison with a value below, equal and above the context's word 2, 0x48494a4b. */
TEST(aso, comparisons)
{
	static const uint8_t passes[][3] = {
		[0] = {0, 0, 0}, [1] = {1, 1, 1}, [2] = {0, 1, 0}, [3] = {1, 0, 1},
		[4] = {1, 1, 0}, [5] = {0, 1, 1}, [6] = {0, 0, 1}, [7] = {1, 0, 0},
		[8] = {1, 0, 0}, [9] = {0, 0, 1}};
	static const uint32_t with[] = {0x48494a4a, 0x48494a4b, 0x48494a4c};

	for (unsigned int i = 0; i < 2 * 10 * 3; i++) {
		const bool second = i % 2;
		const unsigned int operand = i / 2 / 3, value = i / 2 % 3;
		struct rig_wqe w = begin(a, 1, a->ct);

		a->ct->context[63] = 0;
		set(&w, "condition_operand", 1);
		set(&w, second ? "condition_1_operand" : "condition_0_operand", operand);
		set(&w, second ? "condition_1_offset" : "condition_0_offset", 2);
		set(&w, second ? "condition_1_data" : "condition_0_data", with[value]);
		set(&w, second ? "condition_1_mask" : "condition_0_mask", UINT32_MAX);
		set(&w, "data_offset", 7);
		set(&w, "bitwise_data", 1);
		set(&w, "data_mask", 1);
		assert_int_equal(run(a, &w), 0);
		assert_int_equal(a->ct->context[63], passes[operand][value]);
	}
}

/* Both comparisons must pass if they are joined by AND; masked bits do not count. */
TEST(aso, comparisons_join)
{
	for (unsigned int i = 0; i < 2; i++) {
		struct rig_wqe w = begin(a, 1, a->ct);

		a->ct->context[0] = 0x40;
		set(&w, "condition_operand", i);
		set(&w, "condition_0_operand", 2);
		set(&w, "condition_0_data", 0x99000043);
		set(&w, "condition_0_mask", 0xff);
		set(&w, "bitwise_data", 1ull << 56);
		set(&w, "data_mask", 1ull << 56);
		assert_int_equal(run(a, &w), 0);
		assert_int_equal(a->ct->context[0], 0x40 + i);
	}
}

TEST(aso, refusals)
{
	static const struct {
		const char *field;
		uint64_t value;
	} bad[] = {{"data_mask_mode", 2},	{"data_mask_mode", 1},
		   {"data_offset", 8},		{"condition_0_operand", 10},
		   {"condition_1_operand", 15}, {"condition_operand", 2}};
	uint8_t before[ASO_BYTES];
	struct rig_wqe w;

	memcpy(before, a->ct->context, ASO_BYTES);
	for (unsigned int i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		w = begin(a, 1, a->ct);
		set(&w, "condition_0_operand", 1);
		set(&w, "condition_1_operand", 1);
		set(&w, "data_mask", UINT64_MAX);
		set(&w, bad[i].field, bad[i].value);
		assert_int_equal(run(a, &w), PRM_SYNDROME_LOCAL_QP_OP_ERR);
	}
	for (unsigned int opmod = 0; opmod < 8; opmod++) {
		w = begin(a, (uint8_t)opmod, a->ct);
		prm_wqe_ctrl_seg_set_general_id(w.bytes, 12345);
		assert_int_equal(run(a, &w), PRM_SYNDROME_LOCAL_QP_OP_ERR);
	}
	w = begin(a, 1, a->ct);
	w.ds = 5;
	assert_int_equal(run(a, &w), PRM_SYNDROME_LOCAL_QP_OP_ERR);
	a->r->sq.queue->pdn = RIG_PD + 1;
	w = begin(a, 1, a->ct);
	assert_int_equal(run(a, &w), PRM_SYNDROME_LOCAL_QP_OP_ERR);
	a->r->sq.queue->pdn = RIG_PD;
	w = begin(a, 1, a->ct);
	read_to(a, &w, a->r->dst);
	set(&w, "l_key", 0x7777);
	set(&w, "condition_0_operand", 1);
	set(&w, "condition_1_operand", 1);
	set(&w, "data_mask", UINT64_MAX);
	assert_int_equal(run(a, &w), PRM_SYNDROME_LOCAL_PROT_ERR);
	assert_memory_equal(a->ct->context, before, ASO_BYTES);
}

/* A program's queue without a TIS takes ACCESS_ASO, and sends no packets. */
TEST(aso, without_tis)
{
	struct rig_wqe w = begin(a, 1, a->ct);

	a->r->sq.queue->o.uid = 5;
	assert_int_equal(run(a, &w), 0);
	raw_post(a->r, a->r->src, 64, 0);
	raw_go(a->r);
	assert_int_equal(prm_err_cqe_get_syndrome(rig_poll(&a->r->scq)),
			 PRM_SYNDROME_LOCAL_QP_OP_ERR);
	assert_int_equal(a->r->nsent, 0);
	a->r->sq.queue->o.uid = 0;
}

static struct rig_wqe read_counters(struct aso_rig *a, uint32_t first)
{
	struct rig_wqe w = rig_begin(&a->r->sq, PRM_WQE_OPCODE_ACCESS_ASO, SIGNALED, 0);

	prm_wqe_ctrl_seg_set_opmod(w.bytes, VHCA_COUNTERS_OPMOD);
	prm_wqe_ctrl_seg_set_general_id(w.bytes, first / 4);
	w.ds = 4;
	read_to(a, &w, a->r->dst);
	return w;
}

/* Four flow counters are read where a chip has hardware steering, by queues of their PD. */
TEST(aso, reads_four_counters)
{
	struct device *dev = &a->r->rig.dev;
	struct profile with_rules = *dev->profile;
	struct vhca *v = &dev->vhca[BLUEFIELD2_HOST];
	uint32_t first = counter_new(v, 0, RIG_PD, COUNTER_BULK_MIN);
	struct rig_wqe w;

	with_rules.rules_by_wqe = true;
	dev->profile = &with_rules;
	counter_hit(v, first + 5, 100);
	counter_hit(v, first + 5, 28);
	w = read_counters(a, first + 4);
	assert_int_equal(run(a, &w), 0);
	assert_int_equal(prm_load64(a->r->dst, 0), 0);
	assert_int_equal(prm_load64(a->r->dst, 16), 2);
	assert_int_equal(prm_load64(a->r->dst, 24), 128);
	counter_find(v, first + 5)->pd = RIG_PD + 1;
	w = read_counters(a, first + 4);
	assert_int_equal(run(a, &w), PRM_SYNDROME_LOCAL_QP_OP_ERR);
	counter_free(v, first);
	w = read_counters(a, first + 4);
	assert_int_equal(run(a, &w), PRM_SYNDROME_LOCAL_QP_OP_ERR);
	with_rules.rules_by_wqe = false;
	w = read_counters(a, first + 4);
	assert_int_equal(run(a, &w), PRM_SYNDROME_LOCAL_QP_OP_ERR);
}
