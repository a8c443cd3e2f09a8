/* SPDX-License-Identifier: BSD-2-Clause */
#include "fw_raw_rig.h"

size_t fill_tir(void *in, const struct parts *p, uint32_t rqt)
{
	size_t len = fx_fill_tir(in, p->td, p->rq);

	if (rqt)
		FX_SET(in, CREATE_TIR, {"ctx.disp_type", PRM_TIRC_DISP_TYPE_INDIRECT},
		       {"ctx.indirect_table", rqt}, {"ctx.rx_hash_fn", PRM_RX_HASH_FN_TOEPLITZ},
		       {"ctx.rx_hash_field_selector_outer.selected_fields", 3});
	return len;
}

uint32_t make(struct fx *f, uint16_t opcode, void *in, size_t len)
{
	assert_int_equal(fx_exec(f, f->v, opcode, FX_UID, in, len, 16), 0);
	return fx_made(f);
}

struct parts parts(struct fx *f)
{
	struct parts p = {.q = fx_queue(f, f->v, FX_UID)};
	uint8_t in[FX_IN];

	p.td = FX_MAKE(f, ALLOC_TRANSPORT_DOMAIN);
	p.tis = FX_MAKE(f, CREATE_TIS, {"ctx.transport_domain", p.td});
	p.sq = make(f, PRM_OPCODE_CREATE_SQ, in, fx_fill_sq(in, &p.q, p.tis));
	p.rq = make(f, PRM_OPCODE_CREATE_RQ, in, fx_fill_rq(in, &p.q));
	return p;
}

uint8_t modify_sq(struct fx *f, uint32_t sqn, unsigned int from, unsigned int to)
{
	return FX(f, MODIFY_SQ, {"sqn", sqn}, {"sq_state", from}, {"ctx.state", to});
}

uint8_t modify_rq(struct fx *f, uint32_t rqn, unsigned int from, unsigned int to, uint64_t mask)
{
	return FX(f, MODIFY_RQ, {"rqn", rqn}, {"rq_state", from}, {"modify_bitmask", mask},
		  {"ctx.state", to});
}
