/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves SQs, RQs, RQ tables and TIRs as commands: good and bad inputs, states, references. */
#include "tests/test.h"
#include "fw_raw_rig.h"
#include "fw/cmd.h"
#include "obj/icm.h"
#include "obj/raw_queue.h"

TEST(fx, sq_bad_input)
{
	static const struct fx_spoil bad[] = {
		{"ctx.rlky ctx.fre ctx.reg_umr "
		 "ctx.allow_swp ctx.hairpin ctx.non_wire ctx.ts_cqe_to_dest_cqn "
		 "ctx.wq.wq_signature",
		 1, BAD, FW_SYN_CAP_CLEAR},
		{"ctx.ts_format", 3, BAD, FW_SYN_RESERVED},
		{"ctx.state", 1, BAD, FW_SYN_RESERVED},
		{"ctx.min_wqe_inline_mode", 4, BAD, FW_SYN_RESERVED},
		{"ctx.wq.wq_type", 0, BAD, FW_SYN_UNSUPPORTED},
		{"ctx.tis_lst_sz", 2, BAD, FW_SYN_UNSUPPORTED},
		{"ctx.tis_num_0 ctx.cqn ctx.wq.pd ctx.wq.uar_page ctx.wq.wq_umem_id "
		 "ctx.wq.dbr_umem_id ctx.packet_pacing_rate_limit_index ctx.qos_queue_group_id",
		 99, GONE},
		{"ctx.wq.log_wq_stride", 5, BAD, FW_SYN_SIZE},
		{"ctx.wq.log_wq_sz", 16, BAD, FW_SYN_SIZE},
		{"ctx.wq.log_wq_sz", 15, BAD, FW_SYN_UMEM_BOUNDS},
		{"ctx.wq.wq_umem_offset", 32, BAD, FW_SYN_ALIGNMENT},
		{"ctx.wq.wq_umem_offset", UINT64_MAX - 63, BAD, FW_SYN_UMEM_BOUNDS},
		{"ctx.wq.wq_umem_valid", 0, PRM_STATUS_BAD_INP_LEN, FW_SYN_IN_SHORT},
		{"ctx.wq.dbr_addr", 4, BAD, FW_SYN_ALIGNMENT},
		{"ctx.wq.dbr_addr", 65536, BAD, FW_SYN_UMEM_BOUNDS},
	};
	static const struct fx_spoil packets[] = {
		{"ctx.allow_multi_pkt_send_wqe", 1, BAD, FW_SYN_CAP_CLEAR}};
	struct parts p = parts(f);
	uint8_t in[FX_IN];
	size_t len = fx_fill_sq(in, &p.q, p.tis);

	FX_SPOILS(f, PRM_OPCODE_CREATE_SQ, in, len, bad);
	f->profile.wqe_inline_l2 = true;
	FX_SPOILS(f, PRM_OPCODE_CREATE_SQ, in, len, packets);
}

/* A queue has the rights of its context and no others. */
TEST(fx, sq_rights)
{
	static const char *const field[] = {"ctx.cd_master", "ctx.wq.cd_slave"};
	struct parts p = parts(f);

	for (unsigned int i = 0; i < 2; i++) {
		uint8_t in[FX_IN];
		size_t len = fx_fill_sq(in, &p.q, p.tis);
		const struct raw_sq *sq;

		FX_SET(in, CREATE_SQ, {field[i], 1});
		assert_int_equal(FX_EXEC(f, CREATE_SQ, in, len), 0);
		sq = obj_find(f->v, OBJ_SQ, prm_create_sq_out_get_sqn(f->out));
		assert_int_equal(sq->sq.master, i == 0);
		assert_int_equal(sq->sq.managed, i == 1);
	}
}

/* DPDK's send queues for ACCESS_ASO have no TIS. */
TEST(fx, sq_without_tis)
{
	struct parts p = parts(f);
	uint8_t in[FX_IN];
	size_t len = fx_fill_sq(in, &p.q, 0);

	FX_SET(in, CREATE_SQ, {"ctx.tis_lst_sz", 0});
	assert_int_equal(FX_EXEC(f, CREATE_SQ, in, len), 0);
}

/*
 * Linux's driver creates these as uid 0: a receive queue without a PD, a send queue without a TIS,
 * padded packet ends though cap.end_pad is 0, XOR8 and the SPI in a hash.
 */
TEST(fx, as_linux_asks)
{
	struct parts p = parts(f);
	struct fx_queue kernel = fx_queue(f, f->v, 0);
	uint8_t in[FX_IN];
	size_t len = fx_fill_rq(in, &kernel);

	FX_SET(in, CREATE_RQ, {"ctx.wq.pd", 0}, {"ctx.wq.end_padding_mode", 1});
	assert_int_equal(fx_exec(f, f->v, PRM_OPCODE_CREATE_RQ, 0, in, len, 16), 0);
	assert_int_equal(fx_number(f, f->v, PRM_OPCODE_DESTROY_RQ, 0, fx_made(f), 16), 0);
	len = fx_fill_sq(in, &kernel, 0);
	FX_SET(in, CREATE_SQ, {"ctx.tis_lst_sz", 0});
	assert_int_equal(fx_exec(f, f->v, PRM_OPCODE_CREATE_SQ, 0, in, len, 16), 0);
	FX_SET(in, CREATE_SQ, {"ctx.tis_lst_sz", 2});
	assert_int_equal(fx_exec(f, f->v, PRM_OPCODE_CREATE_SQ, 0, in, len, 16), BAD);
	len = fill_tir(in, &p, 0);
	for (unsigned int fn = 0; fn < 3; fn++) {
		FX_SET(in, CREATE_TIR, {"ctx.rx_hash_fn", fn},
		       {"ctx.rx_hash_field_selector_outer.selected_fields", 0x13});
		assert_int_equal(FX_EXEC(f, CREATE_TIR, in, len), 0);
	}
}

TEST(fx, rq_bad_input)
{
	static const struct fx_spoil bad[] = {
		{"ctx.rlky ctx.delay_drop_en ctx.scatter_fcs ctx.mem_rq_type ctx.hairpin "
		 "ctx.wq.lwm",
		 1, BAD, FW_SYN_CAP_CLEAR},
		{"ctx.wq.end_padding_mode", 2, BAD, FW_SYN_CAP_CLEAR},
		{"ctx.wq.pd", 0, GONE},
		{"ctx.ts_format", 3, BAD, FW_SYN_RESERVED},
		{"ctx.state", 3, BAD, FW_SYN_RESERVED},
		{"ctx.cqn ctx.counter_set_id ctx.wq.pd ctx.wq.wq_umem_id ctx.wq.dbr_umem_id", 99,
		 GONE},
		{"ctx.wq.wq_type", 2, BAD, FW_SYN_UNSUPPORTED},
		{"ctx.wq.two_byte_shift_en", 1, BAD, FW_SYN_CAP_CLEAR},
		{"ctx.wq.log_wq_stride", 3, BAD, FW_SYN_SIZE},
		{"ctx.wq.log_wq_stride", 11, BAD, FW_SYN_SIZE},
		{"ctx.wq.log_wq_sz", 16, BAD, FW_SYN_SIZE},
	};
	struct parts p = parts(f);
	uint8_t in[FX_IN];
	size_t len = fx_fill_rq(in, &p.q);

	FX_SPOILS(f, PRM_OPCODE_CREATE_RQ, in, len, bad);
}

/* A queue takes the clocks of its kind; DEFAULT is one of them. */
TEST(fx, clocks)
{
	static const struct fx_spoil utc[] = {{"ctx.ts_format", 2, BAD, FW_SYN_CAP_CLEAR}};
	static const struct fx_spoil ticks[] = {{"ctx.ts_format", 0, BAD, FW_SYN_CAP_CLEAR}};
	struct parts p = parts(f);
	uint8_t sq[FX_IN], rq[FX_IN];
	size_t sq_len = fx_fill_sq(sq, &p.q, p.tis), rq_len = fx_fill_rq(rq, &p.q);
	const struct raw_rq *made;

	FX_SET(sq, CREATE_SQ, {"ctx.ts_format", 1});
	FX_SET(rq, CREATE_RQ, {"ctx.ts_format", 1});
	f->profile.sq_ts_format = f->profile.rq_ts_format = TS_FORMATS_FREE_RUNNING;
	FX_SPOILS(f, PRM_OPCODE_CREATE_SQ, sq, sq_len, utc);
	FX_SPOILS(f, PRM_OPCODE_CREATE_RQ, rq, rq_len, utc);
	f->profile.sq_ts_format = f->profile.rq_ts_format = TS_FORMATS_REAL_TIME;
	FX_SPOILS(f, PRM_OPCODE_CREATE_SQ, sq, sq_len, ticks);
	FX_SPOILS(f, PRM_OPCODE_CREATE_RQ, rq, rq_len, ticks);
	assert_int_equal(FX_EXEC(f, CREATE_RQ, rq, rq_len), 0);
	made = obj_find(f->v, OBJ_RQ, prm_create_rq_out_get_rqn(f->out));
	assert_true(made->q.utc);
}

/* Strides: an entry has a piece of memory behind its first 16 bytes, of 2^3 to 2^16 strides. */
TEST(fx, rq_strides)
{
	static const struct fx_spoil bad[] = {
		{"ctx.wq.log_wq_stride", 4, BAD, FW_SYN_SIZE},
		{"ctx.wq.log_wqe_num_of_strides", 8, BAD, FW_SYN_SIZE},
		{"ctx.wq.log_wqe_num_of_strides", 9, BAD, FW_SYN_SIZE},
	};
	static const struct {
		uint8_t code, log;
	} good[] = {{10, 3}, {15, 8}, {0, 9}, {7, 16}};
	struct parts p = parts(f);
	uint8_t in[FX_IN];
	size_t len = fx_fill_rq(in, &p.q);
	const struct raw_rq *rq;

	FX_SET(in, CREATE_RQ, {"ctx.wq.wq_type", PRM_WQ_TYPE_CYCLIC_STRIDING_RQ},
	       {"ctx.wq.log_wq_stride", 5}, {"ctx.wq.log_wqe_stride_size", 2},
	       {"ctx.wq.two_byte_shift_en", 1});
	FX_SPOILS(f, PRM_OPCODE_CREATE_RQ, in, len, bad);
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		FX_SET(in, CREATE_RQ, {"ctx.wq.log_wqe_num_of_strides", good[i].code});
		assert_int_equal(FX_EXEC(f, CREATE_RQ, in, len), 0);
		rq = obj_find(f->v, OBJ_RQ, prm_create_rq_out_get_rqn(f->out));
		assert_int_equal(rq->rq.log_strides, good[i].log);
		assert_int_equal(rq->rq.log_stride_bytes, 8);
		assert_int_equal(rq->rq.shift, 2);
	}
}

TEST(fx, rqt_bad_input)
{
	static const struct fx_spoil bad[] = {
		{"rqt_context.rqt_max_size", 513, BAD, FW_SYN_SIZE},
		{"rqt_context.rqt_max_size", 2, BAD, FW_SYN_SIZE},
		{"rqt_context.rqt_actual_size", 0, BAD, FW_SYN_SIZE},
		{"rqt_context.rqt_actual_size", 3, BAD, FW_SYN_SIZE},
		{"rqt_context.rqt_actual_size", 8, PRM_STATUS_BAD_INP_LEN, FW_SYN_IN_SHORT},
		{"rqt_context.list_q_type rqt_context.rq_vhca_id_format", 1, BAD, FW_SYN_CAP_CLEAR},
	};
	struct parts p = parts(f);
	uint8_t in[FX_IN];
	size_t len = fx_fill_rqt(in, 8, 4, p.rq);

	FX_SPOILS(f, PRM_OPCODE_CREATE_RQT, in, len, bad);
	FX_SET(in, CREATE_RQT, {"rqt_context.rqt_actual_size", 2}); /* of a list of 4 */
	FX_REFUSES(f, CREATE_RQT, in, len, PRM_STATUS_BAD_INP_LEN, FW_SYN_IN_LONG);
	FX_SET(in, CREATE_RQT, {"rqt_context.rqt_actual_size", 4});
	prm_store32(in, PRM_CREATE_RQT_IN_BYTES + 12, p.sq); /* not an RQ */
	assert_int_equal(FX_EXEC(f, CREATE_RQT, in, len), BAD_RES);
	assert_int_equal(obj_count(f->v, OBJ_RQT), 0);
	/* a refused command leaves no reference */
	assert_int_equal(FX_NUMBER(f, DESTROY_RQ, p.rq), 0);
}

TEST(fx, tir_bad_input)
{
	static const struct fx_spoil bad[] = {
		{"ctx.disp_type", 2, BAD, FW_SYN_RESERVED},
		{"ctx.tls_en ctx.packet_merge_mask ctx.tunneled_offload_en "
		 "ctx.rx_hash_field_selector_inner.selected_fields",
		 1, BAD, FW_SYN_CAP_CLEAR},
		{"ctx.rx_hash_fn", 3, BAD, FW_SYN_UNSUPPORTED},
		{"ctx.rx_hash_field_selector_outer.selected_fields", 32, BAD, FW_SYN_UNSUPPORTED},
		{"ctx.transport_domain ctx.inline_rqn", 99, GONE},
		{"ctx.disp_type", 1, GONE},
	};
	struct parts p = parts(f);
	uint8_t in[FX_IN];
	size_t len = fill_tir(in, &p, 0);

	FX_SPOILS(f, PRM_OPCODE_CREATE_TIR, in, len, bad);
}

/* Objects of another uid are refused like missing ones. */
TEST(fx, other_uid)
{
	struct parts p = parts(f);
	uint8_t in[FX_IN];
	size_t len = fill_tir(in, &p, 0);

	assert_int_equal(fx_exec(f, f->v, PRM_OPCODE_CREATE_TIR, 8, in, len, 16), BAD_RES);
	assert_int_equal(fx_number(f, f->v, PRM_OPCODE_DESTROY_SQ, 8, p.sq, 16), BAD_RES);
	assert_int_equal(fx_number(f, f->v, PRM_OPCODE_QUERY_RQ, 8, p.rq, 512), BAD_RES);
}

TEST(fx, states)
{
	enum { RST, RDY, NONE, ERR };
	static const bool ok[4][4] = {
		[RST] = {[RST] = true, [RDY] = true, [ERR] = true},
		[RDY] = {[RST] = true, [RDY] = true, [ERR] = true},
		[ERR] = {[RST] = true, [ERR] = true},
	};
	struct parts p = parts(f);

	for (unsigned int from = RST; from <= ERR; from++) {
		for (unsigned int to = RST; from != NONE && to < 16; to++) {
			bool fine = to <= ERR && ok[from][to];

			assert_int_equal(modify_sq(f, p.sq, RST, from), 0);
			assert_int_equal(modify_rq(f, p.rq, RST, from, 0), 0);
			assert_int_equal(!modify_sq(f, p.sq, from, to), fine);
			assert_int_equal(!modify_rq(f, p.rq, from, to, 0), fine);
			/* the command's present state must be the real one */
			assert_int_not_equal(modify_sq(f, p.sq, fine ? (to + 1) % 4 : NONE, to), 0);
			assert_int_equal(modify_sq(f, p.sq, fine ? to : from, RST), 0);
			assert_int_equal(modify_rq(f, p.rq, fine ? to : from, RST, 0), 0);
		}
	}
	assert_int_equal(modify_rq(f, p.rq, RST, RDY, 1u << 2), BAD); /* scatter_fcs */
	assert_int_equal(modify_rq(f, p.rq, RST, RDY, 1u << 1), 0);
	assert_int_equal(FX_QUERY(f, QUERY_RQ, p.rq), 0);
	FX_ASSERT_REPLY(f, QUERY_RQ, {"rq_context.state", RDY}, {"rq_context.vsd", 0},
			{"rq_context.user_index", 0x52});
	assert_int_equal(FX_QUERY(f, QUERY_SQ, p.sq), 0);
	FX_ASSERT_REPLY(f, QUERY_SQ, {"sq_context.tis_num_0", p.tis});
}

#define SET_RATE(f, uid, i, kbps)                            \
	fx_cmd(f, (f)->v, PRM_OPCODE_SET_PP_RATE_LIMIT, uid, \
	       FX_FIELDS({"rate_limit_index", i}, {"ctx.rate_limit", kbps}))

static uint8_t sq_rate(struct fx *f, uint32_t sqn, uint32_t index)
{
	return FX(f, MODIFY_SQ, {"sqn", sqn}, {"sq_state", 1}, {"ctx.state", 1},
		  {"modify_bitmask", 1}, {"ctx.packet_pacing_rate_limit_index", index});
}

/* Rows of the rate table have an owner, limits, and can be cleared. */
TEST(fx, rates)
{
	struct parts p = parts(f);

	assert_int_equal(SET_RATE(f, FX_UID, 0, 5), BAD);
	assert_int_equal(SET_RATE(f, FX_UID, VHCA_PP_RATES, 5), BAD);
	assert_int_equal(SET_RATE(f, FX_UID, 1, VHCA_PP_MAX_KBPS + 1), BAD);
	assert_int_equal(SET_RATE(f, FX_UID, 1, 5), 0);
	assert_int_equal(SET_RATE(f, FX_UID + 1, 1, 7), BAD_RES);
	assert_int_equal(SET_RATE(f, FX_UID + 1, 2, 7), 0);
	assert_int_equal(SET_RATE(f, FW_UID_SHARED, 3, 9), 0);
	assert_int_equal(modify_sq(f, p.sq, 0, 1), 0);
	assert_int_equal(sq_rate(f, p.sq, 2), BAD_RES);
	assert_int_equal(sq_rate(f, p.sq, 4), BAD_RES);
	assert_int_equal(sq_rate(f, p.sq, 0xffff), BAD_RES);
	assert_int_equal(sq_rate(f, p.sq, 3), 0);
	assert_int_equal(sq_rate(f, p.sq, 1), 0);
	assert_int_equal(FX_QUERY(f, QUERY_SQ, p.sq), 0);
	FX_ASSERT_REPLY(f, QUERY_SQ, {"sq_context.packet_pacing_rate_limit_index", 1});
	assert_int_equal(SET_RATE(f, FX_UID, 1, 0), 0);
	assert_int_equal(SET_RATE(f, FX_UID + 1, 1, 6), 0); /* free for any uid */
	assert_int_equal(SET_RATE(f, FX_UID, 1, 6), BAD_RES);
	fw_uid_reap(f->v, FX_UID);
	for (unsigned int i = 0; i < VHCA_PP_RATES; i++)
		assert_int_equal(f->v->pp_rates[i].users, 0);
	assert_int_equal(f->v->pp_rates[1].rate.bps, 6000);
	assert_int_equal(f->v->pp_rates[2].rate.bps, 7000);
}

/* A referenced object can't be destroyed. */
TEST(fx, references)
{
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
	assert_int_equal(FX_NUMBER(f, DESTROY_TIR, tir), 0);
	assert_int_equal(FX_NUMBER(f, DESTROY_RQ, p.rq), BUSY);
	assert_int_equal(FX_NUMBER(f, DESTROY_RQT, rqt), 0);
	assert_int_equal(FX_NUMBER(f, DESTROY_RQ, p.rq), 0);
	assert_int_equal(FX_NUMBER(f, DESTROY_SQ, p.sq), 0);
	assert_int_equal(FX_NUMBER(f, DESTROY_TIS, p.tis), 0);
}

/* A list is replaced as a whole or not at all. */
TEST(fx, rqt_modify)
{
	struct parts p = parts(f);
	uint8_t in[FX_IN];
	uint32_t rqt = make(f, PRM_OPCODE_CREATE_RQT, in, fx_fill_rqt(in, 4, 2, p.rq));
	uint32_t second;
	size_t len;

	second = make(f, PRM_OPCODE_CREATE_RQ, in, fx_fill_rq(in, &p.q));
	len = fx_fill_rqt(in, 0, 4, second);
	FX_SET(in, MODIFY_RQT, {"rqtn", rqt}, {"bitmask.rqn_list", 1});
	prm_store32(in, PRM_CREATE_RQT_IN_BYTES + 12, 99);
	assert_int_equal(FX_EXEC(f, MODIFY_RQT, in, len), BAD_RES);
	assert_int_equal(fx_number(f, f->v, PRM_OPCODE_QUERY_RQT, FX_UID, rqt, 512), 0);
	assert_int_equal(prm_load32(f->out, PRM_QUERY_RQT_OUT_BYTES + 4), p.rq);
	assert_int_equal(FX_QUERY(f, QUERY_RQT, rqt), PRM_STATUS_BAD_OUTP_LEN);
	prm_store32(in, PRM_CREATE_RQT_IN_BYTES + 12, p.rq);
	assert_int_equal(FX_EXEC(f, MODIFY_RQT, in, len), 0);
	assert_int_equal(fx_number(f, f->v, PRM_OPCODE_QUERY_RQT, FX_UID, rqt, 512), 0);
	FX_ASSERT_REPLY(f, QUERY_RQT, {"rqt_context.rqt_actual_size", 4});
	assert_int_equal(prm_load32(f->out, PRM_QUERY_RQT_OUT_BYTES), second);
	assert_int_equal(prm_load32(f->out, PRM_QUERY_RQT_OUT_BYTES + 12), p.rq);
}

TEST(fx, tir_modify)
{
	struct parts p = parts(f);
	uint8_t in[FX_IN];
	uint32_t tir = make(f, PRM_OPCODE_CREATE_TIR, in, fill_tir(in, &p, 0));
	uint64_t icm = icm_addr(ICM_TIR, tir);

	FX_ASSERT_REPLY(f, CREATE_TIR, {"icm_address_31_0", (uint32_t)icm},
			{"icm_address_39_32", icm >> 32});
	assert_int_equal(FX(f, MODIFY_TIR, {"tirn", tir}, {"bitmask.hash", 1},
			    {"ctx.rx_hash_fn", PRM_RX_HASH_FN_TOEPLITZ},
			    {"ctx.rx_hash_toeplitz_key[9]", 0x12345678}),
			 0);
	assert_int_equal(FX_QUERY(f, QUERY_TIR, tir), 0);
	FX_ASSERT_REPLY(f, QUERY_TIR, {"tir_context.rx_hash_fn", PRM_RX_HASH_FN_TOEPLITZ},
			{"tir_context.rx_hash_toeplitz_key[9]", 0x12345678},
			{"tir_context.inline_rqn", p.rq});
	assert_int_equal(FX(f, MODIFY_TIR, {"tirn", tir}, {"bitmask.hash", 1},
			    {"ctx.rx_hash_fn", PRM_RX_HASH_FN_TOEPLITZ + 1}),
			 BAD);
}

/* Executes MODIFY_TIR with the whole mask: bits without a field are tried, too. */
static uint8_t modify_table(struct fx *f, uint32_t tir, uint64_t bits, uint32_t rqt)
{
	uint8_t in[FX_IN];
	size_t len = FX_FILL(in, MODIFY_TIR, {"tirn", tir}, {"ctx.indirect_table", rqt});

	prm_store64(prm_modify_tir_in_at_bitmask(in), 0, bits);
	return FX_EXEC(f, MODIFY_TIR, in, len);
}

static uint32_t table_of(struct fx *f, uint32_t tir)
{
	assert_int_equal(FX_QUERY(f, QUERY_TIR, tir), 0);
	return prm_tirc_get_indirect_table(prm_query_tir_out_at_tir_context(f->out));
}

/*
 * A TIR gets another table, as in DPDK, or keeps its own; a change of other fields is refused,
 * never ignored.
 */
TEST(fx, tir_other_table)
{
	struct parts p = parts(f);
	uint8_t in[FX_IN];
	uint32_t one = make(f, PRM_OPCODE_CREATE_RQT, in, fx_fill_rqt(in, 4, 2, p.rq));
	uint32_t two = make(f, PRM_OPCODE_CREATE_RQT, in, fx_fill_rqt(in, 4, 2, p.rq));
	uint32_t tir = make(f, PRM_OPCODE_CREATE_TIR, in, fill_tir(in, &p, one));
	uint32_t direct = make(f, PRM_OPCODE_CREATE_TIR, in, fill_tir(in, &p, 0));

	assert_int_equal(modify_table(f, tir, 2, 0x3ff), BAD_RES);
	assert_int_equal(modify_table(f, tir, 2 | 8, two), BAD); /* tunneled_offload_en */
	assert_int_equal(modify_table(f, direct, 2, two), BAD);
	assert_int_equal(table_of(f, tir), one);
	assert_int_equal(modify_table(f, tir, 2, two), 0);
	assert_int_equal(table_of(f, tir), two);
	assert_int_equal(FX_NUMBER(f, DESTROY_RQT, two), BUSY);
	assert_int_equal(FX_NUMBER(f, DESTROY_RQT, one), 0);
	FX_FILL(in, MODIFY_RQT, {"rqtn", two});
	prm_store64(prm_modify_rqt_in_at_bitmask(in), 0, 2);
	assert_int_equal(FX_EXEC(f, MODIFY_RQT, in, PRM_MODIFY_RQT_IN_BYTES), BAD);
}
