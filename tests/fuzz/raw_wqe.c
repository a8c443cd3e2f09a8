/* SPDX-License-Identifier: BSD-2-Clause */
/* Requests on a send queue of raw packets, nearly right: packets, large sends, ACCESS_ASO. None
 * crashes the device, and none writes where no key allows it. */
#include "fuzz.h"
#include "obj/aso.h"
#include "tests/queue/queue_raw_rig.h"

static const enum obj_type kinds[] = {OBJ_ASO_CT, OBJ_ASO_METER, OBJ_ASO_HIT};

static void noisy_request(struct raw *r)
{
	static const uint8_t ops[] = {PRM_WQE_OPCODE_ACCESS_ASO, PRM_WQE_OPCODE_ACCESS_ASO,
				      PRM_WQE_OPCODE_SEND, PRM_WQE_OPCODE_TSO,
				      PRM_WQE_OPCODE_ENHANCED_MPSW};
	struct rig_wqe w = rig_begin(&r->sq, ops[any(5)], SIGNALED, any(4));
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
	rig_end(&w);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	struct raw *r;
	struct obj *pd;
	struct aso *aso[3];

	fuzz_begin(bytes, len);
	raw_setup((void **)&r);
	r->mkey->start = (uintptr_t)r->dst;
	r->mkey->len = RIG_BUF;
	mkey_place(r->mkey);
	pd = obj_new_at(&r->rig.dev.vhca[BLUEFIELD2_HOST], OBJ_PD, 0, RIG_PD, sizeof(*pd));
	for (unsigned int i = 0; i < 3; i++)
		aso[i] = aso_new(pd, kinds[i], 0, 1);
	while (fuzz_more()) {
		noisy_request(r);
		raw_go(r);
		if (r->sq.queue->state != QP_RTS)
			raw_reset(&r->sq);
		r->scq.cq->overrun_ignore = true;
	}
	for (unsigned int i = 0; i < 3; i++) {
		obj_put(pd);
		obj_free(&aso[i]->o);
	}
	obj_free(pd);
	raw_teardown((void **)&r);
	return 0;
}

const struct fuzz_target fuzz_target = {.inputs = 300, .longest = 400};
