/* SPDX-License-Identifier: BSD-2-Clause */
/* SQs, RQs, RQ tables and TIRs as commands: good and bad inputs, states, what holds what; and one
 * packet's whole way through them, from a send WQE by the port and a root table into a receive
 * queue. */
#include <endian.h>
#include <errno.h>
#include <dvx/prm/cqe.h>
#include <dvx/prm/eth.h>
#include <dvx/prm/flow.h>
#include <dvx/prm/rq.h>
#include <dvx/prm/wqe.h>
#include "fw_fixture.h"
#include "datapath.h"
#include "dp/dp.h"
#include "fw/cmd.h"
#include "host/uar.h"
#include "obj/icm.h"
#include "steer/steer.h"

#define BAD  PRM_STATUS_BAD_PARAM
#define GONE PRM_STATUS_BAD_RES, FW_SYN_NO_OBJECT
#define BUSY PRM_STATUS_RES_BUSY
#define DATA 131072u /* offset of packets in the client's memory */

struct parts {
	struct fx_queue q;
	uint32_t td, tis, sq, rq;
};

static uint32_t number(const struct fx *f)
{
	return prm_load32(f->out, 8) & 0xffffff;
}

/* As fx_fill_tir(), or through a table and by hash. */
static size_t fill_tir(void *in, const struct parts *p, uint32_t rqt)
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

static uint32_t make(struct fx *f, uint16_t opcode, void *in, size_t len)
{
	assert_int_equal(fx_exec(f, f->v, opcode, FX_UID, in, len, 16), 0);
	return number(f);
}

static struct parts parts(struct fx *f)
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

static uint8_t modify_sq(struct fx *f, uint32_t sqn, unsigned int from, unsigned int to)
{
	uint8_t in[PRM_MODIFY_SQ_IN_BYTES] = {0};

	prm_modify_sq_in_set_sqn(in, sqn);
	prm_modify_sq_in_set_sq_state(in, from);
	prm_sqc_set_state(prm_modify_sq_in_at_ctx(in), to);
	return fx_exec(f, f->v, PRM_OPCODE_MODIFY_SQ, FX_UID, in, sizeof(in), 16);
}

static uint8_t modify_rq(struct fx *f, uint32_t rqn, unsigned int from, unsigned int to,
			 uint64_t mask)
{
	uint8_t in[PRM_MODIFY_RQ_IN_BYTES] = {0};

	prm_modify_rq_in_set_rqn(in, rqn);
	prm_modify_rq_in_set_rq_state(in, from);
	prm_modify_rq_in_set_modify_bitmask(in, mask);
	prm_rqc_set_state(prm_modify_rq_in_at_ctx(in), to);
	return fx_exec(f, f->v, PRM_OPCODE_MODIFY_RQ, FX_UID, in, sizeof(in), 16);
}

/* --- bad input -------------------------------------------------------------------------------- */

static void sq_bad_input(void **state)
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

static void rq_bad_input(void **state)
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

static void rqt_bad_input(void **state)
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

static void tir_bad_input(void **state)
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
static void other_uid(void **state)
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

/* --- life ------------------------------------------------------------------------------------- */

static void states(void **state)
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
static void references(void **state)
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
static void rqt_modify(void **state)
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

static void tir_modify(void **state)
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
static void tir_other_table(void **state)
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

/* --- the whole way ---------------------------------------------------------------------------- */

/* Root table, one group without a mask, one entry to the TIR: all packets, with a tag. */
static uint32_t root(struct fx *f, uint32_t tir, uint32_t tag)
{
	uint8_t in[2048] = {0};
	uint32_t table, group;
	void *ctx;

	prm_flow_table_context_set_log_size(prm_create_flow_table_in_at_flow_table_context(in), 4);
	assert_int_equal(fx_exec(f, f->v, PRM_OPCODE_CREATE_FLOW_TABLE, 0, in,
				 PRM_CREATE_FLOW_TABLE_IN_BYTES, 16),
			 0);
	table = number(f);
	memset(in, 0, sizeof(in));
	prm_create_flow_group_in_set_table_id(in, table);
	prm_create_flow_group_in_set_end_flow_index(in, 1);
	assert_int_equal(fx_exec(f, f->v, PRM_OPCODE_CREATE_FLOW_GROUP, 0, in,
				 PRM_CREATE_FLOW_GROUP_IN_BYTES, 16),
			 0);
	group = number(f);
	memset(in, 0, sizeof(in));
	prm_set_fte_in_set_table_id(in, table);
	ctx = prm_set_fte_in_at_flow_context(in);
	prm_flow_context_set_group_id(ctx, group);
	prm_flow_context_set_action(ctx, PRM_FLOW_ACTION_FWD_DEST);
	prm_flow_context_set_flow_tag(ctx, tag);
	prm_flow_context_set_destination_list_size(ctx, 1);
	prm_dest_format_struct_set_destination_type(in + PRM_SET_FTE_IN_BYTES,
						    PRM_FLOW_DEST_TYPE_TIR);
	prm_dest_format_struct_set_destination_id(in + PRM_SET_FTE_IN_BYTES, tir);
	assert_int_equal(fx_exec(f, f->v, PRM_OPCODE_SET_FLOW_TABLE_ENTRY, 0, in,
				 PRM_SET_FTE_IN_BYTES + 8, 16),
			 0);
	memset(in, 0, sizeof(in));
	prm_set_flow_table_root_in_set_table_id(in, table);
	assert_int_equal(fx_exec(f, f->v, PRM_OPCODE_SET_FLOW_TABLE_ROOT, 0, in,
				 PRM_SET_FLOW_TABLE_ROOT_IN_BYTES, 16),
			 0);
	return table;
}

static void run(struct fx *f)
{
	for (unsigned int i = 0; datapath_run(&f->si); i++)
		assert_true(i < 10000);
}

static uint32_t lkey(struct fx *f, const struct parts *p)
{
	uint32_t umem = fx_umem(f, f->v, FX_UID, f->mem + DATA, 65536, true);

	return fx_mkey(f, f->v, FX_UID, p->q.pd, umem, f->mem + DATA, 65536) << 8 | 0x42;
}

static void post_recv(struct fx *f, uint16_t index, uint32_t key)
{
	uint8_t *e = f->mem + FX_RQ_AT + 64u * (index % 16);
	uint32_t be = htobe32(index + 1u);

	prm_wqe_data_seg_pack(e, .byte_count = 4096, .lkey = key,
			      .addr = (uintptr_t)f->mem + DATA + 32768);
	prm_wqe_data_seg_pack(e + 16, .byte_count = 0, .lkey = 0x100, .addr = 0);
	memcpy(f->mem + FX_RQ_DBR, &be, sizeof(be));
}

static void post_send(struct fx *f, const struct parts *p, uint16_t index, uint32_t key,
		      uint32_t len)
{
	uint8_t *w = f->mem + FX_SQ_AT + 64u * (index % 16), db[8] = {0};
	uint32_t be = htobe32(index + 1u);
	uint64_t value;

	memset(w, 0, 64);
	prm_wqe_ctrl_seg_pack(w, .opcode = PRM_WQE_OPCODE_SEND, .wqe_index = index, .ds = 3,
			      .qpn = p->sq, .fm_ce_se = PRM_WQE_CTRL_FLAG_CQ_UPDATE);
	prm_wqe_data_seg_pack(w + 32, .byte_count = len, .lkey = key,
			      .addr = (uintptr_t)f->mem + DATA);
	memcpy(f->mem + FX_SQ_DBR + 4, &be, sizeof(be));
	prm_wqe_ctrl_seg_set_qpn(db, p->sq);
	memcpy(&value, db, sizeof(value));
	dp_doorbell(&f->si, p->q.uar, UAR_BF, value);
}

static const uint8_t *cqe(struct fx *f, unsigned int i)
{
	return f->mem + 4096 + 64u * (i % 64);
}

static void make_packet(struct fx *f, uint32_t len)
{
	for (uint32_t i = 0; i < len; i++)
		f->mem[DATA + i] = (uint8_t)(i * 11 + 1);
	f->mem[DATA] = 0x02;
}

static void whole_way(void **state)
{
	struct fx *f = *state;
	struct parts p = parts(f);
	uint32_t key = lkey(f, &p);
	uint8_t in[FX_IN];
	uint32_t tir = make(f, PRM_OPCODE_CREATE_TIR, in, fill_tir(in, &p, 0));

	root(f, tir, 0x777);
	assert_int_equal(modify_sq(f, p.sq, 0, 1), 0);
	assert_int_equal(modify_rq(f, p.rq, 0, 1, 0), 0);
	make_packet(f, 500);
	post_recv(f, 0, key);
	post_send(f, &p, 0, key, 500);
	run(f);
	/* the send's CQE, then the receive's: one CQ serves both */
	assert_int_equal(prm_cqe64_get_opcode(cqe(f, 0)), PRM_CQE_OPCODE_REQ);
	assert_int_equal(prm_cqe64_get_user_index(cqe(f, 0)), 0x51);
	assert_int_equal(prm_cqe64_get_opcode(cqe(f, 1)), PRM_CQE_OPCODE_RESP_SEND);
	assert_int_equal(prm_cqe64_get_user_index(cqe(f, 1)), 0x52);
	assert_int_equal(prm_cqe64_get_flow_tag(cqe(f, 1)), 0x777);
	assert_int_equal(prm_cqe64_get_byte_cnt(cqe(f, 1)), 500);
	assert_memory_equal(f->mem + DATA + 32768, f->mem + DATA, 500);
	assert_int_equal(steer_stats(f->v)->ends[STEER_TIR], 1);
	assert_int_equal(f->v->raw.received, 1);
	/* the same from outside, and with nothing posted */
	assert_int_equal(datapath_inject(&f->si, f->mem + DATA, 500), 0);
	run(f);
	assert_int_equal(f->v->raw.out_of_buffer, 1);
	post_recv(f, 1, key);
	assert_int_equal(datapath_inject(&f->si, f->mem + DATA, 300), 0);
	run(f);
	assert_int_equal(prm_cqe64_get_byte_cnt(cqe(f, 2)), 300);
}

/* A root table without entries: the function listens, and misses all. */
static void bare_root(struct fx *f, struct vhca *v)
{
	uint8_t in[64] = {0};
	uint32_t table;

	assert_int_equal(fx_exec(f, v, PRM_OPCODE_CREATE_FLOW_TABLE, 0, in,
				 PRM_CREATE_FLOW_TABLE_IN_BYTES, 16),
			 0);
	table = number(f);
	memset(in, 0, sizeof(in));
	prm_set_flow_table_root_in_set_table_id(in, table);
	assert_int_equal(fx_exec(f, v, PRM_OPCODE_SET_FLOW_TABLE_ROOT, 0, in,
				 PRM_SET_FLOW_TABLE_ROOT_IN_BYTES, 16),
			 0);
}

/* A function's own address brings a packet to it alone; unknown ones and groups go to all that
 * listen. */
static void functions(void **state)
{
	static const uint8_t group[6] = {0x01, 0x00, 0x5e, 1, 2, 3},
			     unknown[6] = {0x02, 9, 9, 9, 9, 9};
	struct fx *f = *state;
	struct parts p = parts(f);
	uint8_t in[FX_IN];
	uint32_t tir = make(f, PRM_OPCODE_CREATE_TIR, in, fill_tir(in, &p, 0));
	const struct {
		const uint8_t *mac;
		unsigned int host, dpu;
	} cases[] = {{f->v->mac, 1, 0}, {f->dpu->mac, 0, 1}, {group, 1, 1}, {unknown, 1, 1}};

	root(f, tir, 1);
	bare_root(f, f->dpu);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t host = steer_stats(f->v)->ends[STEER_TIR];
		uint64_t dpu = steer_stats(f->dpu)->ends[STEER_MISS];

		make_packet(f, 100);
		memcpy(f->mem + DATA, cases[i].mac, 6);
		assert_int_equal(datapath_inject(&f->si, f->mem + DATA, 100), 0);
		run(f);
		assert_int_equal(steer_stats(f->v)->ends[STEER_TIR] - host, cases[i].host);
		assert_int_equal(steer_stats(f->dpu)->ends[STEER_MISS] - dpu, cases[i].dpu);
	}
	assert_int_equal(f->si.unclaimed, 0);
}

/* Their owner dies while packets are on the wire: nobody gets them, nothing is left. */
static void death_in_flight(void **state)
{
	struct fx *f = *state;
	struct parts p = parts(f);
	uint32_t key = lkey(f, &p), misses;
	uint8_t in[FX_IN];

	(void)make(f, PRM_OPCODE_CREATE_TIR, in, fill_tir(in, &p, 0));
	assert_int_equal(modify_sq(f, p.sq, 0, 1), 0);
	assert_int_equal(modify_rq(f, p.rq, 0, 1, 0), 0);
	make_packet(f, 64);
	for (uint16_t i = 0; i < 8; i++)
		post_send(f, &p, i, key, 64);
	for (unsigned int i = 0; i < 100; i++)
		assert_int_equal(datapath_inject(&f->si, f->mem + DATA, 64), 0);
	assert_true(dp_fetch(&f->si));
	fw_uid_reap(f->v, FX_UID);
	run(f);
	misses = (uint32_t)steer_stats(f->v)->ends[STEER_MISS] + (uint32_t)f->si.unclaimed;
	assert_int_equal(misses, 100 + f->v->raw.sent);
	assert_int_equal(obj_count(f->v, OBJ_SQ) + obj_count(f->v, OBJ_RQ), 0);
}

#define T(fn) cmocka_unit_test_setup_teardown(fn, fx_setup, fx_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(sq_bad_input), T(rq_bad_input), T(rqt_bad_input),   T(tir_bad_input),
		T(other_uid),	 T(states),	  T(references),      T(rqt_modify),
		T(tir_modify),	 T(whole_way),	  T(death_in_flight), T(functions),
		T(tir_other_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
