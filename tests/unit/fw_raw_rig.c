/* SPDX-License-Identifier: BSD-2-Clause */
#include "fw_raw_rig.h"

uint32_t number(const struct fx *f)
{
	return prm_load32(f->out, 8) & 0xffffff;
}

size_t fill_tir(void *in, const struct parts *p, uint32_t rqt)
{
	size_t len = fx_fill_tir(in, p->td, p->rq);
	void *tirc = prm_create_tir_in_at_ctx(in);

	if (!rqt)
		return len;
	prm_tirc_set_disp_type(tirc, PRM_TIRC_DISP_TYPE_INDIRECT);
	prm_tirc_set_indirect_table(tirc, rqt);
	prm_tirc_set_rx_hash_fn(tirc, PRM_RX_HASH_FN_TOEPLITZ);
	prm_rx_hash_field_select_set_selected_fields(prm_tirc_at_rx_hash_field_selector_outer(tirc),
						     3);
	return len;
}

uint32_t make(struct fx *f, uint16_t opcode, void *in, size_t len)
{
	assert_int_equal(fx_exec(f, f->v, opcode, FX_UID, in, len, 16), 0);
	return number(f);
}

struct parts parts(struct fx *f)
{
	struct parts p = {.q = fx_queue(f, f->v, FX_UID)};
	uint8_t in[FX_IN] = {0};

	p.td = make(f, PRM_OPCODE_ALLOC_TRANSPORT_DOMAIN, in, 16);
	prm_tisc_set_transport_domain(prm_create_tis_in_at_ctx(in), p.td);
	p.tis = make(f, PRM_OPCODE_CREATE_TIS, in, PRM_CREATE_TIS_IN_BYTES);
	p.sq = make(f, PRM_OPCODE_CREATE_SQ, in, fx_fill_sq(in, &p.q, p.tis));
	p.rq = make(f, PRM_OPCODE_CREATE_RQ, in, fx_fill_rq(in, &p.q));
	return p;
}

uint8_t modify_sq(struct fx *f, uint32_t sqn, unsigned int from, unsigned int to)
{
	uint8_t in[PRM_MODIFY_SQ_IN_BYTES] = {0};

	prm_modify_sq_in_set_sqn(in, sqn);
	prm_modify_sq_in_set_sq_state(in, from);
	prm_sqc_set_state(prm_modify_sq_in_at_ctx(in), to);
	return FX_EXEC(f, MODIFY_SQ, in, sizeof(in));
}

uint8_t modify_rq(struct fx *f, uint32_t rqn, unsigned int from, unsigned int to, uint64_t mask)
{
	uint8_t in[PRM_MODIFY_RQ_IN_BYTES] = {0};

	prm_modify_rq_in_set_rqn(in, rqn);
	prm_modify_rq_in_set_rq_state(in, from);
	prm_modify_rq_in_set_modify_bitmask(in, mask);
	prm_rqc_set_state(prm_modify_rq_in_at_ctx(in), to);
	return FX_EXEC(f, MODIFY_RQ, in, sizeof(in));
}
