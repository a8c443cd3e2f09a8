/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves FLOW_TBL_ACCESS: WQEs write, replace and remove rules, a rule without room completes so and
 * the queue goes on, and each wrong field is refused and changes nothing.
 */
#include "tests/test.h"
#include <dvx/prm/hws.h>
#include "queue_raw_rig.h"
#include "obj/aso.h"
#include "obj/rtc.h"

#define CTRL	    16u
#define ENTRY	    64u
#define TAG_WORD_AT (ENTRY + RULE_TAG_AT)
#define RULE_FAILED 0x80000000u
#define TEMPLATES   4u
#define ENTRIES	    2u /* of the table's only row */

struct rules_rig {
	struct raw *r;
	struct obj *pd, *other_pd;
	struct stc_range *stcs;
	struct ste_range *entries;
	struct rtc *t;
};
#define FIXTURE_rules(name) FIXTURE(name, struct rules_rig *f, setup, teardown)

static int setup(void **state)
{
	static struct rules_rig f;
	struct vhca *v;

	if (raw_setup((void **)&f.r))
		return -1;
	v = &f.r->rig.dev.vhca[BLUEFIELD2_HOST];
	f.pd = obj_find(v, OBJ_PD, RIG_PD) ?: obj_new_at(v, OBJ_PD, 0, RIG_PD, sizeof(*f.pd));
	f.other_pd = obj_new(v, OBJ_PD, 0, sizeof(*f.other_pd));
	f.stcs = obj_new(v, OBJ_STC, 0, sizeof(*f.stcs) + TEMPLATES * sizeof(f.stcs->stc[0]));
	f.entries = obj_new(v, OBJ_STE, 0, sizeof(*f.entries));
	f.t = obj_new(v, OBJ_RTC, 0, sizeof(*f.t));
	f.entries->rules = calloc(ENTRIES, sizeof(f.entries->rules[0]));
	f.entries->n = ENTRIES;
	f.stcs->n = TEMPLATES;
	for (unsigned int i = 0; i + 1 < TEMPLATES; i++) {
		f.stcs->stc[i] = calloc(1, sizeof(struct stc));
		f.stcs->stc[i]->refs = 1;
	}
	f.t->log_depth = 1;
	f.t->pd = f.pd;
	f.t->stcs = f.stcs;
	f.t->entries = f.entries;
	*state = &f;
	return 0;
}

static int teardown(void **state)
{
	struct rules_rig *f = *state;

	obj_free(&f->t->o);
	ste_range_free(&f->entries->o);
	stc_range_free(&f->stcs->o);
	obj_free(f->other_pd);
	obj_free(f->pd);
	return raw_teardown((void **)&f->r);
}

static void set(struct rig_wqe *w, const char *field, uint64_t value)
{
	rig_set(w, CTRL, "wqe_gta_ctrl_seg", field, value);
}

/* Begins a WQE that writes a rule of this tag, with a counter's and a destination's template. */
static struct rig_wqe begin(struct rules_rig *f, uint32_t tag, uint8_t flags)
{
	struct rig_wqe w = rig_begin(&f->r->sq, PRM_WQE_OPCODE_FLOW_TBL_ACCESS, flags, 0);

	prm_wqe_ctrl_seg_set_general_id(w.bytes, f->t->o.id);
	w.ds = 8;
	set(&w, "stcs", 1);
	set(&w, "stc_ctrl", 0);
	set(&w, "stc_hit", 1);
	prm_store32(w.bytes, TAG_WORD_AT, tag);
	return w;
}

/* Runs the WQE; returns its CQE, or NULL. */
static const uint8_t *run(struct rules_rig *f, struct rig_wqe *w)
{
	rig_end(w);
	raw_go(f->r);
	return rig_poll(&f->r->scq);
}

static unsigned int byte_count(const uint8_t *cqe)
{
	assert_non_null(cqe);
	assert_int_equal(prm_cqe64_get_opcode(cqe), PRM_CQE_OPCODE_REQ);
	return prm_cqe64_get_byte_cnt(cqe);
}

static const struct rtc_rule *find(const struct rules_rig *f, uint32_t tag)
{
	uint8_t bytes[RULE_TAG_BYTES] = {0};

	prm_store32(bytes, 0, tag);
	return rtc_find(f->t, bytes);
}

TEST(rules, write_replace_remove)
{
	struct rig_wqe w = begin(f, 7, SIGNALED);

	assert_int_equal(byte_count(run(f, &w)), 0);
	assert_ptr_equal(find(f, 7)->stc[RULE_HIT], f->stcs->stc[1]);
	assert_ptr_equal(find(f, 7)->stc[RULE_CTRL], f->stcs->stc[0]);
	assert_null(find(f, 7)->stc[RULE_DW5]);
	w = begin(f, 7, SIGNALED);
	set(&w, "stc_hit", 2);
	assert_int_equal(byte_count(run(f, &w)), 0);
	assert_ptr_equal(find(f, 7)->stc[RULE_HIT], f->stcs->stc[2]);
	assert_int_equal(f->stcs->stc[1]->refs, 1);
	w = begin(f, 7, SIGNALED);
	set(&w, "op", PRM_GTA_OP_DEACTIVATE);
	assert_int_equal(byte_count(run(f, &w)), 0);
	assert_null(find(f, 7));
	w = begin(f, 7, SIGNALED);
	set(&w, "op", PRM_GTA_OP_DEACTIVATE);
	assert_int_equal(byte_count(run(f, &w)), RULE_FAILED);
}

/* Without room a rule completes so, also unsignaled; those that fit say nothing, and the queue goes on. */
TEST(rules, row_is_full)
{
	struct rig_wqe w;

	for (uint32_t tag = 1; tag <= ENTRIES; tag++) {
		w = begin(f, tag, 0);
		assert_null(run(f, &w));
	}
	w = begin(f, 3, 0);
	assert_int_equal(byte_count(run(f, &w)), RULE_FAILED);
	assert_null(find(f, 3));
	assert_non_null(find(f, 1));
	w = begin(f, 2, SIGNALED);
	assert_int_equal(byte_count(run(f, &w)), 0);
}

/* Written by offset, a rule lies at its index, whatever its tag. */
TEST(rules, by_offset)
{
	struct rig_wqe w = begin(f, 0, SIGNALED);

	f->t->by_offset = true;
	set(&w, "direct_index", 1);
	assert_int_equal(byte_count(run(f, &w)), 0);
	assert_null(f->entries->rules[0]);
	assert_non_null(f->entries->rules[1]);
	w = begin(f, 0, SIGNALED);
	set(&w, "direct_index", ENTRIES);
	assert_int_equal(byte_count(run(f, &w)), RULE_FAILED);
}

/* Opmod 1 writes an argument, of queues of its PD. */
TEST(rules, arguments)
{
	struct pd_object *a = aso_new(f->pd, OBJ_ARGUMENT, 0, 2);
	struct rig_wqe w = begin(f, 0x12345678, SIGNALED);

	assert_non_null(a);
	prm_wqe_ctrl_seg_set_opmod(w.bytes, PRM_GTA_OPMOD_ARGUMENT);
	prm_wqe_ctrl_seg_set_general_id(w.bytes, a->o.id);
	assert_int_equal(byte_count(run(f, &w)), 0);
	assert_int_equal(prm_load32(a->context, RULE_TAG_AT), 0x12345678);
	a->pd = f->other_pd;
	w = begin(f, 7, SIGNALED);
	prm_wqe_ctrl_seg_set_opmod(w.bytes, PRM_GTA_OPMOD_ARGUMENT);
	prm_wqe_ctrl_seg_set_general_id(w.bytes, a->o.id);
	assert_int_equal(prm_cqe64_get_opcode(run(f, &w)), PRM_CQE_OPCODE_REQ_ERR);
	assert_int_equal(prm_load32(a->context, RULE_TAG_AT), 0x12345678);
	raw_reset(&f->r->sq);
	for (unsigned int i = 0; i < 2; i++) {
		struct obj *o = obj_find(a->o.vhca, OBJ_ARGUMENT, a->o.id + 1 - i);

		obj_put(f->pd);
		obj_free(o);
	}
}

static void refused(struct rules_rig *f, struct rig_wqe *w)
{
	const uint8_t *cqe = run(f, w);

	assert_non_null(cqe);
	assert_int_equal(prm_cqe64_get_opcode(cqe), PRM_CQE_OPCODE_REQ_ERR);
	assert_int_equal(prm_err_cqe_get_syndrome(cqe), PRM_SYNDROME_LOCAL_QP_OP_ERR);
	assert_null(find(f, 7));
	raw_reset(&f->r->sq);
}

TEST(rules, wrong_fields)
{
	static const struct {
		const char *field;
		uint32_t value;
	} bad[] = {{"op", 2},
		   {"stcs", 5},
		   {"stc_hit", TEMPLATES},
		   {"stc_hit", TEMPLATES - 1},
		   {"stc_ctrl", 0x1fffffff}};
	struct rig_wqe w;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		w = begin(f, 7, SIGNALED);
		set(&w, bad[i].field, bad[i].value);
		refused(f, &w);
	}
	w = begin(f, 7, SIGNALED);
	prm_wqe_ctrl_seg_set_opmod(w.bytes, 2);
	refused(f, &w);
	w = begin(f, 7, SIGNALED);
	prm_wqe_ctrl_seg_set_general_id(w.bytes, f->t->o.id + 1);
	refused(f, &w);
	w = begin(f, 7, SIGNALED);
	w.ds = 9;
	refused(f, &w);
	f->t->pd = f->other_pd;
	w = begin(f, 7, SIGNALED);
	refused(f, &w);
}
