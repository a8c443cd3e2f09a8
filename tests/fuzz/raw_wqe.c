/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Requests on a send queue of raw packets, nearly right: packets, large sends, ACCESS_ASO, rules of
 * hardware steering. None crashes the device, and none writes where no key allows it.
 */
#include "fuzz.h"
#include <dvx/prm/hws.h>
#include "obj/aso.h"
#include "obj/rtc.h"
#include "tests/queue/queue_raw_rig.h"

#define OBJECTS 4u
static const enum obj_type kinds[OBJECTS] = {OBJ_ASO_CT, OBJ_ASO_METER, OBJ_ASO_HIT, OBJ_ARGUMENT};

/* A table of rules with templates, of which one was not written. */
#define TEMPLATES 4u
static struct rtc *t;

static void rules_open(struct vhca *v, struct obj *pd)
{
	struct stc_range *stcs =
		obj_new(v, OBJ_STC, 0, sizeof(*stcs) + TEMPLATES * sizeof(stcs->stc[0]));
	struct ste_range *entries = obj_new(v, OBJ_STE, 0, sizeof(*entries));

	t = obj_new(v, OBJ_RTC, 0, sizeof(*t));
	for (stcs->n = TEMPLATES - 1; stcs->n; stcs->n--) {
		stcs->stc[stcs->n] = calloc(1, sizeof(struct stc));
		stcs->stc[stcs->n]->refs = 1;
	}
	stcs->n = TEMPLATES;
	t->log_depth = 1;
	t->log_rows = 1;
	t->by_offset = any(2);
	t->wide = any(2);
	t->pd = pd;
	t->stcs = stcs;
	t->entries = entries;
	entries->n = rtc_entries(t);
	entries->rules = calloc(entries->n, sizeof(entries->rules[0]));
}

static void rules_close(void)
{
	ste_range_free(&t->entries->o);
	stc_range_free(&t->stcs->o);
	obj_free(&t->o);
}

/* Begins the segments of a rule, or of an argument. */
static void noisy_rule(struct rig_wqe *w)
{
	uint8_t *ctrl = w->bytes + 16;

	w->ds = any(16) ? 8 : any(12);
	prm_wqe_ctrl_seg_set_opmod(w->bytes, any(8) ? 0 : any(4));
	prm_wqe_ctrl_seg_set_general_id(w->bytes, any(16) ? t->o.id : any(4));
	prm_wqe_gta_ctrl_seg_set_op(ctrl, any(8) ? any(2) : any(16));
	prm_wqe_gta_ctrl_seg_set_direct_index(ctrl,
					      any(8) ? any(5) : (uint32_t)any_value() & 0xfffffff);
	prm_wqe_gta_ctrl_seg_set_stcs(ctrl, any(6));
	prm_wqe_gta_ctrl_seg_set_stc_ctrl(ctrl, 1 + any(TEMPLATES - 1));
	prm_wqe_gta_ctrl_seg_set_stc_hit(ctrl, 1 + any(TEMPLATES - 1));
	prm_wqe_gta_ctrl_seg_set_stc_dw5(ctrl, any(8) ? 1 : (uint32_t)any_value());
	prm_wqe_gta_ctrl_seg_set_stc_dw6(ctrl, any(TEMPLATES + 1));
	prm_wqe_gta_ctrl_seg_set_stc_dw7(ctrl, any(8) ? 1 : (uint32_t)any_value());
	if (any(2)) /* a tag that comes again */
		memset(w->bytes + 16 * 4 + RULE_LONG_TAG_AT, (int)any(4), RULE_LONG_TAG_BYTES);
}

static void noisy_request(struct raw *r)
{
	static const uint8_t ops[] = {PRM_WQE_OPCODE_ACCESS_ASO,     PRM_WQE_OPCODE_ACCESS_ASO,
				      PRM_WQE_OPCODE_SEND,	     PRM_WQE_OPCODE_TSO,
				      PRM_WQE_OPCODE_ENHANCED_MPSW,  PRM_WQE_OPCODE_FLOW_TBL_ACCESS,
				      PRM_WQE_OPCODE_FLOW_TBL_ACCESS};
	const uint8_t opcode = ops[any(7)];
	struct rig_wqe w = rig_begin(&r->sq, opcode, SIGNALED, any(4));
	uint8_t *aso = w.bytes + 16;

	w.ds = any(4) ? 4 + 4 * any(2) : 1 + any(12);
	any_bytes(w.bytes + 16, 16 * 7);
	prm_wqe_ctrl_seg_set_opmod(w.bytes, any(8));
	if (any(2)) {
		prm_wqe_aso_ctrl_seg_set_va_h(aso, (uint32_t)((uintptr_t)r->dst >> 32));
		prm_wqe_aso_ctrl_seg_set_va_l(aso, (uint32_t)(uintptr_t)r->dst >> 1);
		prm_wqe_aso_ctrl_seg_set_l_key(aso, rig_key(r->mkey));
	}
	if (any(2))
		prm_wqe_aso_ctrl_seg_set_data_offset(aso, any(8));
	if (opcode == PRM_WQE_OPCODE_FLOW_TBL_ACCESS)
		noisy_rule(&w);
	rig_end(&w);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	struct raw *r;
	struct obj *pd;
	struct pd_object *aso[OBJECTS];

	fuzz_begin(bytes, len);
	raw_setup((void **)&r);
	r->mkey->start = (uintptr_t)r->dst;
	r->mkey->len = RIG_BUF;
	mkey_place(r->mkey);
	pd = obj_new_at(&r->rig.dev.vhca[BLUEFIELD2_HOST], OBJ_PD, 0, RIG_PD, sizeof(*pd));
	for (unsigned int i = 0; i < OBJECTS; i++)
		aso[i] = aso_new(pd, kinds[i], 0, 1);
	rules_open(pd->vhca, pd);
	while (fuzz_more()) {
		noisy_request(r);
		raw_go(r);
		if (r->sq.queue->state != QP_RTS)
			raw_reset(&r->sq);
		r->scq.cq->overrun_ignore = true;
	}
	for (unsigned int i = 0; i < OBJECTS; i++) {
		obj_put(pd);
		obj_free(&aso[i]->o);
	}
	rules_close();
	obj_free(pd);
	raw_teardown((void **)&r);
	return 0;
}

const struct fuzz_target fuzz_target = {.inputs = 300, .longest = 400};
