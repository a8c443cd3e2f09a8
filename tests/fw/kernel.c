/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves that the queues and mkeys that Linux's mlx5_ib creates for itself are created as it
 * requests them, and that a program can create none of them.
 */
#include "tests/test.h"
#include "fw_fixture.h"
#include "fw/cmd.h"
#include "obj/qp.h"

/*
 * Fills create_kernel_qp() of Linux 6.1: pages of its own memory, no umem; with placeholders for
 * XRC.
 */
static size_t fill_kernel_qp(struct fx *f, uint8_t *in, const struct fx_queue *q, unsigned int st)
{
	const bool umr = st == PRM_QP_ST_REG_UMR;
	size_t len = FX_FILL(in, CREATE_QP, {"qpc.st", st}, {"qpc.pm_state", 3}, {"qpc.fre", 1},
			     {"qpc.rlky", 1}, {"qpc.latency_sensitive", umr},
			     {"qpc.pd", umr ? 0 : q->pd}, {"qpc.rq_type", umr ? 3 : 0},
			     {"qpc.log_rq_size", umr ? 0 : 4}, {"qpc.log_rq_stride", umr ? 0 : 2},
			     {"qpc.log_sq_size", 5}, {"qpc.uar_page", q->uar},
			     {"qpc.cqn_snd", q->cq}, {"qpc.cqn_rcv", q->cq}, {"qpc.xrcd", 1},
			     {"qpc.srqn_rmpn_xrqn", 1}, {"qpc.user_index", 0xffffff},
			     {"qpc.dbr_addr", mm_bus(f->mm, (uintptr_t)f->mem + 8192)});

	prm_store64(in, len, mm_bus(f->mm, (uintptr_t)f->mem + 12288));
	return len + 8;
}

/*
 * Changes a state like __mlx5_ib_modify_qp(). [I] Fields that a queue does not need are set, too.
 */
static uint8_t modify(struct fx *f, uint16_t opcode, uint32_t qpn, unsigned int st, uint32_t pd)
{
	const bool umr = st == PRM_QP_ST_REG_UMR;

	return fx_cmd(f, f->v, opcode, 0,
		      FX_FIELDS({"qpn", qpn}, {"qpc.st", st}, {"qpc.pm_state", 3},
				{"qpc.mtu", umr ? PRM_QPC_MTU_4K : PRM_QPC_MTU_256},
				{"qpc.log_msg_max", umr ? 12 : 8}, {"qpc.pd", pd},
				{"qpc.primary_address_path.vhca_port_num", 1},
				{"qpc.q_key", umr ? 0 : 0x80010000}, {"qpc.log_ack_req_freq", 8},
				{"qpc.rlky", opcode == PRM_OPCODE_RST2INIT_QP}));
}

static void to_rts(struct fx *f, uint32_t qpn, unsigned int st, uint32_t pd)
{
	assert_int_equal(modify(f, PRM_OPCODE_RST2INIT_QP, qpn, st, pd), 0);
	assert_int_equal(modify(f, PRM_OPCODE_INIT2RTR_QP, qpn, st, pd), 0);
	assert_int_equal(modify(f, PRM_OPCODE_RTR2RTS_QP, qpn, st, pd), 0);
	assert_int_equal(((struct qp *)obj_find(f->v, OBJ_QP, qpn))->q.state, QP_RTS);
}

static uint8_t kernel_number(struct fx *f, uint16_t opcode, uint32_t number)
{
	return fx_number(f, f->v, opcode, 0, number, prm_command_out(opcode)->bytes);
}

/* A UMR queue gets its PD by RST2INIT, also after an error; a program can't create such a queue. */
TEST(fx, reg_umr_queue)
{
	struct fx_queue q = fx_queue(f, f->v, 0);
	const uint32_t pd = fx_pd(f, f->v, 0);
	uint8_t in[FX_IN];
	size_t len = fill_kernel_qp(f, in, &q, PRM_QP_ST_REG_UMR);
	uint32_t qpn;

	FX_REFUSES(f, CREATE_QP, in, len, BAD, FW_SYN_UNSUPPORTED);
	assert_true(test_logged(f->log, "qpc.st 12 (REG_UMR) is the kernel's to use"));
	assert_int_equal(fx_exec(f, f->v, PRM_OPCODE_CREATE_QP, 0, in, len, 16), 0);
	qpn = prm_create_qp_out_get_qpn(f->out);
	assert_int_equal(modify(f, PRM_OPCODE_RST2INIT_QP, qpn, PRM_QP_ST_REG_UMR, 0x99), BAD_RES);
	assert_int_equal(((struct qp *)obj_find(f->v, OBJ_QP, qpn))->q.state, QP_RST);
	for (unsigned int i = 0; i < 2; i++) {
		to_rts(f, qpn, PRM_QP_ST_REG_UMR, pd);
		assert_int_equal(kernel_number(f, PRM_OPCODE_DEALLOC_PD, pd), BUSY);
		assert_int_equal(kernel_number(f, PRM_OPCODE_QUERY_QP, qpn), 0);
		FX_ASSERT_REPLY(f, QUERY_QP, {"qpc.pd", pd}, {"qpc.st", PRM_QP_ST_REG_UMR});
		assert_int_equal(kernel_number(f, PRM_OPCODE_2ERR_QP, qpn), 0);
		assert_int_equal(kernel_number(f, PRM_OPCODE_2RST_QP, qpn), 0);
	}
	assert_int_equal(kernel_number(f, PRM_OPCODE_DESTROY_QP, qpn), 0);
	assert_int_equal(kernel_number(f, PRM_OPCODE_DEALLOC_PD, pd), 0);
}

/* A function has one QP1, and a program can't create it. */
TEST(fx, qp1)
{
	struct fx_queue q = fx_queue(f, f->v, 0);
	uint8_t in[FX_IN];
	size_t len = fill_kernel_qp(f, in, &q, PRM_QP_ST_QP1);
	uint32_t qpn;

	FX_REFUSES(f, CREATE_QP, in, len, BAD, FW_SYN_UNSUPPORTED);
	assert_true(test_logged(f->log, "qpc.st 8 (QP1) is the kernel's to use"));
	for (unsigned int i = 0; i < 2; i++) {
		assert_int_equal(fx_exec(f, f->v, PRM_OPCODE_CREATE_QP, 0, in, len, 16), 0);
		qpn = prm_create_qp_out_get_qpn(f->out);
		assert_ptr_equal(f->v->qp1, obj_find(f->v, OBJ_QP, qpn));
		assert_int_equal(fx_exec(f, f->v, PRM_OPCODE_CREATE_QP, 0, in, len, 16), BUSY);
		assert_int_equal(f->syndrome, FW_SYN_BUSY);
		to_rts(f, qpn, PRM_QP_ST_QP1, q.pd);
		assert_int_equal(kernel_number(f, PRM_OPCODE_DESTROY_QP, qpn), 0);
		assert_null(f->v->qp1);
	}
}

/* --- mkeys whose pages come later ------------------------------------------------------------- */

#define MKC "memory_key_mkey_entry."

/*
 * Creates an mkey like create_cache_mkey() and reg_create() without pages: free, with room rounded
 * up to 64 bytes.
 */
static void unfilled_mkey(struct fx *f, uint64_t start, uint64_t len, uint32_t octwords)
{
	const uint32_t pd = fx_pd(f, f->v, 0);
	uint8_t in[FX_IN];
	const size_t bytes = FX_FILL(
		in, CREATE_MKEY, {"pg_access", len != 0}, {MKC "free", 1}, {MKC "umr_en", 1},
		{MKC "lr", 1}, {MKC "access_mode_1_0", PRM_MKC_ACCESS_MODE_MTT},
		{MKC "qpn", 0xffffff}, {MKC "pd", pd}, {MKC "start_addr", start}, {MKC "len", len},
		{MKC "translations_octword_size", octwords}, {MKC "log_page_size", 12});
	const struct mkey *m;

	assert_int_equal(fx_exec(f, f->v, PRM_OPCODE_CREATE_MKEY, 0, in, bytes, 16), 0);
	m = obj_find(f->v, OBJ_MKEY, prm_create_mkey_out_get_mkey_index(f->out));
	assert_int_equal(m->nentries, (octwords + 3) / 4 * 8);
	assert_false(m->on_demand);
	assert_int_equal(kernel_number(f, PRM_OPCODE_QUERY_MKEY, m->o.id), 0);
	FX_ASSERT_REPLY(f, QUERY_MKEY, {MKC "free", 1}, {MKC "pd", pd}, {MKC "start_addr", start},
			{MKC "len", len}, {MKC "log_page_size", 12});
	prm_mkc_set_pd(prm_create_mkey_in_at_memory_key_mkey_entry(in), fx_pd(f, f->v, FX_UID));
	if (len)
		FX_REFUSES(f, CREATE_MKEY, in, bytes, BAD, FW_SYN_SIZE);
	prm_mkc_set_translations_octword_size(prm_create_mkey_in_at_memory_key_mkey_entry(in),
					      0xffffffff);
	assert_int_equal(fx_exec(f, f->v, PRM_OPCODE_CREATE_MKEY, 0, in, bytes, 16),
			 PRM_STATUS_NO_RES);
}

TEST(fx, mkey_of_the_cache)
{
	unfilled_mkey(f, 0, 0, 2);
}

TEST(fx, mkey_of_a_region)
{
	unfilled_mkey(f, 0x10000123, 100000, 13);
}
