/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves SQs, RQs, RQ tables and TIRs as commands: good and bad inputs, states, what holds what. */
#include "tests/test.h"
#include "fw_raw_rig.h"
#include "fw/cmd.h"
#include "obj/icm.h"

#define TEST_FIXTURE {fx_setup, fx_teardown}

#define BAD  PRM_STATUS_BAD_PARAM
#define GONE PRM_STATUS_BAD_RES, FW_SYN_NO_OBJECT
#define BUSY PRM_STATUS_RES_BUSY

TEST_F(sq_bad_input)
{
	static const struct fx_spoil bad[] = {
		{"ctx.rlky", 1, BAD, FW_SYN_CAP_CLEAR},
		{"ctx.cd_master", 1, BAD, FW_SYN_CAP_CLEAR},
		{"ctx.fre", 1, BAD, FW_SYN_CAP_CLEAR},
		{"ctx.allow_multi_pkt_send_wqe", 1, BAD, FW_SYN_CAP_CLEAR},
		{"ctx.reg_umr", 1, BAD, FW_SYN_CAP_CLEAR},
		{"ctx.allow_swp", 1, BAD, FW_SYN_CAP_CLEAR},
		{"ctx.hairpin", 1, BAD, FW_SYN_CAP_CLEAR},
		{"ctx.non_wire", 1, BAD, FW_SYN_CAP_CLEAR},
		{"ctx.packet_pacing_rate_limit_index", 1, BAD, FW_SYN_CAP_CLEAR},
		{"ctx.qos_queue_group_id", 1, BAD, FW_SYN_CAP_CLEAR},
		{"ctx.ts_format", 2, BAD, FW_SYN_CAP_CLEAR},
		{"ctx.state", 1, BAD, FW_SYN_RESERVED},
		{"ctx.min_wqe_inline_mode", 4, BAD, FW_SYN_RESERVED},
		{"ctx.tis_lst_sz", 0, BAD, FW_SYN_UNSUPPORTED},
		{"ctx.tis_num_0", 99, GONE},
		{"ctx.cqn", 99, GONE},
		{"ctx.wq.pd", 99, GONE},
		{"ctx.wq.uar_page", 99, GONE},
		{"ctx.wq.wq_type", 0, BAD, FW_SYN_UNSUPPORTED},
		{"ctx.wq.wq_signature", 1, BAD, FW_SYN_CAP_CLEAR},
		{"ctx.wq.log_wq_stride", 5, BAD, FW_SYN_SIZE},
		{"ctx.wq.log_wq_sz", 16, BAD, FW_SYN_SIZE},
		{"ctx.wq.log_wq_sz", 15, BAD, FW_SYN_UMEM_BOUNDS},
		{"ctx.wq.wq_umem_id", 99, GONE},
		{"ctx.wq.wq_umem_offset", 32, BAD, FW_SYN_ALIGNMENT},
		{"ctx.wq.wq_umem_offset", UINT64_MAX - 63, BAD, FW_SYN_UMEM_BOUNDS},
		{"ctx.wq.wq_umem_valid", 0, PRM_STATUS_BAD_INP_LEN, FW_SYN_IN_SHORT},
		{"ctx.wq.dbr_umem_id", 99, GONE},
		{"ctx.wq.dbr_addr", 4, BAD, FW_SYN_ALIGNMENT},
		{"ctx.wq.dbr_addr", 65536, BAD, FW_SYN_UMEM_BOUNDS},
	};
	struct fx *f = *state;
	struct parts p = parts(f);
	uint8_t in[FX_IN];
	size_t len = fx_fill_sq(in, &p.q, p.tis);

	FX_SPOILS(f, PRM_OPCODE_CREATE_SQ, in, len, bad);
}

TEST_F(rq_bad_input)
{
	static const struct fx_spoil bad[] = {
		{"ctx.rlky", 1, BAD, FW_SYN_CAP_CLEAR},
		{"ctx.delay_drop_en", 1, BAD, FW_SYN_CAP_CLEAR},
		{"ctx.scatter_fcs", 1, BAD, FW_SYN_CAP_CLEAR},
		{"ctx.mem_rq_type", 1, BAD, FW_SYN_CAP_CLEAR},
		{"ctx.hairpin", 1, BAD, FW_SYN_CAP_CLEAR},
		{"ctx.counter_set_id", 1, BAD, FW_SYN_CAP_CLEAR},
		{"ctx.ts_format", 2, BAD, FW_SYN_CAP_CLEAR},
		{"ctx.state", 3, BAD, FW_SYN_RESERVED},
		{"ctx.cqn", 99, GONE},
		{"ctx.wq.pd", 99, GONE},
		{"ctx.wq.wq_type", 3, BAD, FW_SYN_UNSUPPORTED},
		{"ctx.wq.end_padding_mode", 1, BAD, FW_SYN_CAP_CLEAR},
		{"ctx.wq.lwm", 1, BAD, FW_SYN_CAP_CLEAR},
		{"ctx.wq.log_wq_stride", 3, BAD, FW_SYN_SIZE},
		{"ctx.wq.log_wq_stride", 11, BAD, FW_SYN_SIZE},
		{"ctx.wq.log_wq_sz", 16, BAD, FW_SYN_SIZE},
		{"ctx.wq.wq_umem_id", 99, GONE},
		{"ctx.wq.dbr_umem_id", 99, GONE},
	};
	struct fx *f = *state;
	struct parts p = parts(f);
	uint8_t in[FX_IN];
	size_t len = fx_fill_rq(in, &p.q);

	FX_SPOILS(f, PRM_OPCODE_CREATE_RQ, in, len, bad);
}

TEST_F(rqt_bad_input)
{
	static const struct fx_spoil bad[] = {
		{"rqt_context.rqt_max_size", 513, BAD, FW_SYN_SIZE},
		{"rqt_context.rqt_max_size", 2, BAD, FW_SYN_SIZE},
		{"rqt_context.rqt_actual_size", 0, BAD, FW_SYN_SIZE},
		{"rqt_context.rqt_actual_size", 3, BAD, FW_SYN_SIZE},
		{"rqt_context.rqt_actual_size", 8, PRM_STATUS_BAD_INP_LEN, FW_SYN_IN_SHORT},
		{"rqt_context.list_q_type", 1, BAD, FW_SYN_CAP_CLEAR},
		{"rqt_context.rq_vhca_id_format", 1, BAD, FW_SYN_CAP_CLEAR},
	};
	struct fx *f = *state;
	struct parts p = parts(f);
	uint8_t in[FX_IN];
	size_t len = fx_fill_rqt(in, 8, 4, p.rq);

	FX_SPOILS(f, PRM_OPCODE_CREATE_RQT, in, len, bad);
	prm_store32(in, PRM_CREATE_RQT_IN_BYTES + 12, p.sq); /* no RQ */
	assert_int_equal(fx_exec(f, f->v, PRM_OPCODE_CREATE_RQT, FX_UID, in, len, 16),
			 PRM_STATUS_BAD_RES);
	assert_int_equal(obj_count(f->v, OBJ_RQT), 0);
	/* nothing is held by what was refused */
	assert_int_equal(fx_number(f, f->v, PRM_OPCODE_DESTROY_RQ, FX_UID, p.rq, 16), 0);
}

TEST_F(tir_bad_input)
{
	static const struct fx_spoil bad[] = {
		{"ctx.disp_type", 2, BAD, FW_SYN_RESERVED},
		{"ctx.tls_en", 1, BAD, FW_SYN_CAP_CLEAR},
		{"ctx.packet_merge_mask", 1, BAD, FW_SYN_CAP_CLEAR},
		{"ctx.tunneled_offload_en", 1, BAD, FW_SYN_CAP_CLEAR},
		{"ctx.rx_hash_fn", 1, BAD, FW_SYN_UNSUPPORTED},
		{"ctx.rx_hash_field_selector_outer.selected_fields", 16, BAD, FW_SYN_UNSUPPORTED},
		{"ctx.rx_hash_field_selector_inner.selected_fields", 1, BAD, FW_SYN_CAP_CLEAR},
		{"ctx.transport_domain", 99, GONE},
		{"ctx.inline_rqn", 99, GONE},
		{"ctx.disp_type", 1, GONE},
	};
	struct fx *f = *state;
	struct parts p = parts(f);
	uint8_t in[FX_IN];
	size_t len = fill_tir(in, &p, 0);

	FX_SPOILS(f, PRM_OPCODE_CREATE_TIR, in, len, bad);
}

/* Somebody else's objects are nobody's. */
TEST_F(other_uid)
{
	struct fx *f = *state;
	struct parts p = parts(f);
	uint8_t in[FX_IN];
	size_t len = fill_tir(in, &p, 0);

	assert_int_equal(fx_exec(f, f->v, PRM_OPCODE_CREATE_TIR, 8, in, len, 16),
			 PRM_STATUS_BAD_RES);
	assert_int_equal(fx_number(f, f->v, PRM_OPCODE_DESTROY_SQ, 8, p.sq, 16),
			 PRM_STATUS_BAD_RES);
	assert_int_equal(fx_number(f, f->v, PRM_OPCODE_QUERY_RQ, 8, p.rq, 512), PRM_STATUS_BAD_RES);
}

TEST_F(states)
{
	enum { RST, RDY, NONE, ERR };
	static const bool ok[4][4] = {
		[RST] = {[RST] = true, [RDY] = true, [ERR] = true},
		[RDY] = {[RST] = true, [RDY] = true, [ERR] = true},
		[ERR] = {[RST] = true, [ERR] = true},
	};
	struct fx *f = *state;
	struct parts p = parts(f);

	for (unsigned int from = RST; from <= ERR; from++) {
		for (unsigned int to = RST; from != NONE && to < 16; to++) {
			bool fine = to <= ERR && ok[from][to];

			assert_int_equal(modify_sq(f, p.sq, RST, from), 0);
			assert_int_equal(modify_rq(f, p.rq, RST, from, 0), 0);
			assert_int_equal(!modify_sq(f, p.sq, from, to), fine);
			assert_int_equal(!modify_rq(f, p.rq, from, to, 0), fine);
			/* what the command believes must be so */
			assert_int_not_equal(modify_sq(f, p.sq, fine ? (to + 1) % 4 : NONE, to), 0);
			assert_int_equal(modify_sq(f, p.sq, fine ? to : from, RST), 0);
			assert_int_equal(modify_rq(f, p.rq, fine ? to : from, RST, 0), 0);
		}
	}
	assert_int_equal(modify_rq(f, p.rq, RST, RDY, 1u << 2), BAD); /* scatter_fcs */
	assert_int_equal(modify_rq(f, p.rq, RST, RDY, 1u << 1), 0);
	assert_int_equal(fx_number(f, f->v, PRM_OPCODE_QUERY_RQ, FX_UID, p.rq, 512), 0);
	assert_int_equal(prm_rqc_get_state(prm_query_rq_out_cat_rq_context(f->out)), RDY);
	assert_int_equal(prm_rqc_get_vsd(prm_query_rq_out_cat_rq_context(f->out)), 0);
	assert_int_equal(prm_rqc_get_user_index(prm_query_rq_out_cat_rq_context(f->out)), 0x52);
	assert_int_equal(fx_number(f, f->v, PRM_OPCODE_QUERY_SQ, FX_UID, p.sq, 512), 0);
	assert_int_equal(prm_sqc_get_tis_num_0(prm_query_sq_out_cat_sq_context(f->out)), p.tis);
}

/* Who is referred to stays. */
TEST_F(references)
{
	struct fx *f = *state;
	struct parts p = parts(f);
	uint8_t in[FX_IN];
	uint32_t rqt = make(f, PRM_OPCODE_CREATE_RQT, in, fx_fill_rqt(in, 4, 2, p.rq));
	uint32_t tir = make(f, PRM_OPCODE_CREATE_TIR, in, fill_tir(in, &p, rqt));
	const struct {
		uint16_t opcode;
		uint32_t number;
	} held[] = {
		{PRM_OPCODE_DEALLOC_TRANSPORT_DOMAIN, p.td},
		{PRM_OPCODE_DESTROY_TIS, p.tis},
		{PRM_OPCODE_DESTROY_CQ, p.q.cq},
		{PRM_OPCODE_DEALLOC_PD, p.q.pd},
		{PRM_OPCODE_DEALLOC_UAR, p.q.uar},
		{PRM_OPCODE_DESTROY_RQT, rqt},
		{PRM_OPCODE_DESTROY_RQ, p.rq},
		{PRM_OPCODE_DESTROY_UMEM, p.q.umem},
	};

	for (size_t i = 0; i < sizeof(held) / sizeof(held[0]); i++)
		assert_int_equal(fx_number(f, f->v, held[i].opcode, FX_UID, held[i].number, 16),
				 BUSY);
	assert_int_equal(fx_number(f, f->v, PRM_OPCODE_DESTROY_TIR, FX_UID, tir, 16), 0);
	assert_int_equal(fx_number(f, f->v, PRM_OPCODE_DESTROY_RQ, FX_UID, p.rq, 16), BUSY);
	assert_int_equal(fx_number(f, f->v, PRM_OPCODE_DESTROY_RQT, FX_UID, rqt, 16), 0);
	assert_int_equal(fx_number(f, f->v, PRM_OPCODE_DESTROY_RQ, FX_UID, p.rq, 16), 0);
	assert_int_equal(fx_number(f, f->v, PRM_OPCODE_DESTROY_SQ, FX_UID, p.sq, 16), 0);
	assert_int_equal(fx_number(f, f->v, PRM_OPCODE_DESTROY_TIS, FX_UID, p.tis, 16), 0);
}

/* A list is exchanged as a whole or not at all. */
TEST_F(rqt_modify)
{
	struct fx *f = *state;
	struct parts p = parts(f);
	uint8_t in[FX_IN];
	uint32_t rqt = make(f, PRM_OPCODE_CREATE_RQT, in, fx_fill_rqt(in, 4, 2, p.rq));
	uint32_t second;
	size_t len;

	second = make(f, PRM_OPCODE_CREATE_RQ, in, fx_fill_rq(in, &p.q));
	len = fx_fill_rqt(in, 0, 4, second);
	prm_modify_rqt_in_set_rqtn(in, rqt);
	prm_rqt_bitmask_set_rqn_list(prm_modify_rqt_in_at_bitmask(in), 1);
	prm_store32(in, PRM_CREATE_RQT_IN_BYTES + 12, 99);
	assert_int_equal(fx_exec(f, f->v, PRM_OPCODE_MODIFY_RQT, FX_UID, in, len, 16),
			 PRM_STATUS_BAD_RES);
	assert_int_equal(fx_number(f, f->v, PRM_OPCODE_QUERY_RQT, FX_UID, rqt, 512), 0);
	assert_int_equal(prm_load32(f->out, PRM_QUERY_RQT_OUT_BYTES + 4), p.rq);
	assert_int_equal(
		fx_number(f, f->v, PRM_OPCODE_QUERY_RQT, FX_UID, rqt, PRM_QUERY_RQT_OUT_BYTES),
		PRM_STATUS_BAD_OUTP_LEN);
	prm_store32(in, PRM_CREATE_RQT_IN_BYTES + 12, p.rq);
	assert_int_equal(fx_exec(f, f->v, PRM_OPCODE_MODIFY_RQT, FX_UID, in, len, 16), 0);
	assert_int_equal(fx_number(f, f->v, PRM_OPCODE_QUERY_RQT, FX_UID, rqt, 512), 0);
	assert_int_equal(prm_rqtc_get_rqt_actual_size(prm_query_rqt_out_cat_rqt_context(f->out)),
			 4);
	assert_int_equal(prm_load32(f->out, PRM_QUERY_RQT_OUT_BYTES), second);
	assert_int_equal(prm_load32(f->out, PRM_QUERY_RQT_OUT_BYTES + 12), p.rq);
}

TEST_F(tir_modify)
{
	struct fx *f = *state;
	struct parts p = parts(f);
	uint8_t in[FX_IN];
	uint32_t tir = make(f, PRM_OPCODE_CREATE_TIR, in, fill_tir(in, &p, 0));
	void *tirc = prm_modify_tir_in_at_ctx(in);
	uint64_t icm = icm_addr(ICM_TIR, tir);

	assert_int_equal(prm_create_tir_out_get_icm_address_31_0(f->out), (uint32_t)icm);
	assert_int_equal(prm_create_tir_out_get_icm_address_39_32(f->out), icm >> 32);
	memset(in, 0, sizeof(in));
	prm_modify_tir_in_set_tirn(in, tir);
	prm_modify_tir_bitmask_set_hash(prm_modify_tir_in_at_bitmask(in), 1);
	prm_tirc_set_rx_hash_fn(tirc, PRM_RX_HASH_FN_TOEPLITZ);
	prm_tirc_set_rx_hash_toeplitz_key(tirc, 9, 0x12345678);
	assert_int_equal(
		fx_exec(f, f->v, PRM_OPCODE_MODIFY_TIR, FX_UID, in, PRM_MODIFY_TIR_IN_BYTES, 16),
		0);
	assert_int_equal(fx_number(f, f->v, PRM_OPCODE_QUERY_TIR, FX_UID, tir, 512), 0);
	tirc = prm_query_tir_out_at_tir_context(f->out);
	assert_int_equal(prm_tirc_get_rx_hash_fn(tirc), PRM_RX_HASH_FN_TOEPLITZ);
	assert_int_equal(prm_tirc_get_rx_hash_toeplitz_key(tirc, 9), 0x12345678);
	assert_int_equal(prm_tirc_get_inline_rqn(tirc), p.rq);
	tirc = prm_modify_tir_in_at_ctx(in);
	prm_tirc_set_rx_hash_fn(tirc, PRM_RX_HASH_FN_INVERTED_XOR8);
	assert_int_equal(
		fx_exec(f, f->v, PRM_OPCODE_MODIFY_TIR, FX_UID, in, PRM_MODIFY_TIR_IN_BYTES, 16),
		BAD);
}

static uint8_t modify_table(struct fx *f, uint32_t tir, uint64_t bits, uint32_t rqt)
{
	uint8_t in[PRM_MODIFY_TIR_IN_BYTES] = {0};

	prm_modify_tir_in_set_tirn(in, tir);
	prm_store64(prm_modify_tir_in_at_bitmask(in), 0, bits);
	prm_tirc_set_indirect_table(prm_modify_tir_in_at_ctx(in), rqt);
	return fx_exec(f, f->v, PRM_OPCODE_MODIFY_TIR, FX_UID, in, sizeof(in), 16);
}

static uint32_t table_of(struct fx *f, uint32_t tir)
{
	assert_int_equal(fx_number(f, f->v, PRM_OPCODE_QUERY_TIR, FX_UID, tir, 512), 0);
	return prm_tirc_get_indirect_table(prm_query_tir_out_at_tir_context(f->out));
}

/* A TIR moves to another table, as DPDK does it, or stays where it is; what can't be changed is
 * refused, never passed over. */
TEST_F(tir_other_table)
{
	struct fx *f = *state;
	struct parts p = parts(f);
	uint8_t in[FX_IN];
	uint32_t one = make(f, PRM_OPCODE_CREATE_RQT, in, fx_fill_rqt(in, 4, 2, p.rq));
	uint32_t two = make(f, PRM_OPCODE_CREATE_RQT, in, fx_fill_rqt(in, 4, 2, p.rq));
	uint32_t tir = make(f, PRM_OPCODE_CREATE_TIR, in, fill_tir(in, &p, one));
	uint32_t direct = make(f, PRM_OPCODE_CREATE_TIR, in, fill_tir(in, &p, 0));

	assert_int_equal(modify_table(f, tir, 2, 0x3ff), PRM_STATUS_BAD_RES);
	assert_int_equal(modify_table(f, tir, 2 | 8, two), BAD); /* tunneled_offload_en */
	assert_int_equal(modify_table(f, direct, 2, two), BAD);
	assert_int_equal(table_of(f, tir), one);
	assert_int_equal(modify_table(f, tir, 2, two), 0);
	assert_int_equal(table_of(f, tir), two);
	assert_int_equal(fx_number(f, f->v, PRM_OPCODE_DESTROY_RQT, FX_UID, two, 16), BUSY);
	assert_int_equal(fx_number(f, f->v, PRM_OPCODE_DESTROY_RQT, FX_UID, one, 16), 0);
	memset(in, 0, sizeof(in));
	prm_modify_rqt_in_set_rqtn(in, two);
	prm_store64(prm_modify_rqt_in_at_bitmask(in), 0, 2);
	assert_int_equal(
		fx_exec(f, f->v, PRM_OPCODE_MODIFY_RQT, FX_UID, in, PRM_MODIFY_RQT_IN_BYTES, 16),
		BAD);
}
