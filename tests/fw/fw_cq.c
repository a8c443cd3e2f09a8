/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves commands on CQs: good and bad inputs, references, moderation, a ring in another umem. */
#include "tests/test.h"
#include "fw_fixture.h"
#include "fw/cmd.h"
#include "obj/cq.h"

enum { PERIOD = 1, COUNT = 2, PERIOD_MODE = 16 };
enum { SIZE = 1 };

TEST(fx, cq_bad_input)
{
	static const struct fx_spoil bad[] = {
		{"cq_context.log_cq_size", 23, BAD, FW_SYN_SIZE},
		{"cq_context.log_cq_size", 10, BAD, FW_SYN_UMEM_BOUNDS},
		{"cq_context.cqe_sz", 3, BAD, FW_SYN_UNSUPPORTED},
		{"cq_context.apu_cq", 1, BAD, FW_SYN_UNSUPPORTED},
		{"cq_context.cq_period_mode", 2, BAD, FW_SYN_UNSUPPORTED},
		{"cq_context.uar_page cq_context.c_eqn_or_apu_element cq_context.dbr_umem_id "
		 "cq_umem_id",
		 99, GONE},
		{"cq_context.c_eqn_or_apu_element", UINT32_MAX, GONE},
		{"cq_context.dbr_addr", 4, BAD, FW_SYN_ALIGNMENT},
		{"cq_context.dbr_addr", 65536 - 4, BAD, FW_SYN_ALIGNMENT},
		{"cq_context.dbr_addr", 65536, BAD, FW_SYN_UMEM_BOUNDS},
		{"cq_context.dbr_addr", UINT64_MAX - 7, BAD, FW_SYN_UMEM_BOUNDS},
		{"cq_umem_offset", 65536 - 64, BAD, FW_SYN_UMEM_BOUNDS},
		{"cq_umem_offset", 32, BAD, FW_SYN_ALIGNMENT},
		{"cq_umem_offset", UINT64_MAX - 63, BAD, FW_SYN_UMEM_BOUNDS},
		{"cq_umem_valid", 0, PRM_STATUS_BAD_INP_LEN, FW_SYN_IN_SHORT},
	};
	static const struct fx_spoil compressed[] = {
		{"cq_context.mini_cqe_res_format", 2, BAD, FW_SYN_UNSUPPORTED},
		{"cq_context.cqe_compression_layout", 1, BAD, FW_SYN_CAP_CLEAR},
		{"cq_context.cc", 1, BAD, FW_SYN_UNSUPPORTED},
	};
	struct fx_queue q = fx_queue(f, f->v, FX_UID);
	uint32_t ro = fx_umem(f, f->v, FX_UID, f->mem, 65536, false);
	uint8_t in[FX_IN];
	size_t len = fx_fill_cq(in, q.eq, q.uar, q.umem);

	FX_SPOILS(f, PRM_OPCODE_CREATE_CQ, in, len, bad);
	FX_SET(in, CREATE_CQ, {"cq_context.cqe_comp_en", 1});
	FX_SPOILS(f, PRM_OPCODE_CREATE_CQ, in, len, compressed);
	prm_create_cq_in_set_cq_umem_id(in, ro);
	FX_REFUSES(f, CREATE_CQ, in, len, BAD, FW_SYN_UMEM_READ_ONLY);
}

/* Page lists in the mailbox, and records at bad places in memory. */
TEST(fx, cq_pages)
{
	struct fx_queue q = fx_queue(f, f->v, FX_UID);
	uint32_t odd = fx_umem(f, f->v, FX_UID, f->mem + 4, 8192, true);
	uint8_t in[FX_IN];
	size_t len = fx_fill_cq(in, q.eq, q.uar, q.umem);
	void *cqc = prm_create_cq_in_at_cq_context(in);

	/* 64 * 64 bytes from the middle of a page on: two pages, one of them misaligned */
	prm_create_cq_in_set_cq_umem_valid(in, 0);
	prm_cqc_set_page_offset(cqc, 32);
	prm_store64(in, len, mm_bus(f->mm, (uintptr_t)f->mem));
	prm_store64(in, len + 8, mm_bus(f->mm, (uintptr_t)f->mem) + 8);
	FX_REFUSES(f, CREATE_CQ, in, len + 16, BAD, FW_SYN_PAGE_ADDRESS);
	prm_store64(in, len + 8, mm_bus(f->mm, (uintptr_t)f->mem + 8192));
	assert_int_equal(FX_EXEC(f, CREATE_CQ, in, len + 16), 0);
	len = fx_fill_cq(in, q.eq, q.uar, q.umem);
	prm_cqc_set_dbr_umem_id(cqc, odd);
	FX_REFUSES(f, CREATE_CQ, in, len, BAD, FW_SYN_ALIGNMENT);
	/* a record in no client's memory */
	prm_cqc_set_dbr_umem_valid(cqc, 0);
	prm_cqc_set_dbr_addr(cqc, UINT64_MAX - 7);
	FX_REFUSES(f, CREATE_CQ, in, len, BAD, FW_SYN_DMA);
}

/* Executes MODIFY_CQ with overrun_ignore and a mask of fields. */
static uint8_t modify_cq(struct fx *f, uint32_t cqn, unsigned int op_mod, uint32_t mask)
{
	return FX(f, MODIFY_CQ, {"op_mod", op_mod}, {"cqn", cqn},
		  {"modify_field_select.modify_field_select", mask}, {"cq_context.oi", 1});
}

TEST(fx, cq_life)
{
	struct fx_queue q = fx_queue(f, f->v, FX_UID);
	const uint32_t oi = 4;

	assert_int_equal(FX_QUERY(f, QUERY_CQ, q.cq), 0);
	FX_ASSERT_REPLY(f, QUERY_CQ, {"cq_context.log_cq_size", 6},
			{"cq_context.st", PRM_CQC_ST_FIRED});
	assert_int_equal(
		fx_number(f, f->v, PRM_OPCODE_QUERY_CQ, FX_UID + 1, q.cq, PRM_QUERY_CQ_OUT_BYTES),
		BAD_RES);
	assert_int_equal(modify_cq(f, q.cq, 0, oi), 0);
	assert_true(((struct cq *)obj_find(f->v, OBJ_CQ, q.cq))->overrun_ignore);
	assert_int_equal(modify_cq(f, q.cq, 0, 8), BAD);
	assert_int_equal(modify_cq(f, q.cq, 2, 1), BAD);
	/* references */
	assert_int_equal(FX_NUMBER(f, DESTROY_CQ, q.cq), BUSY);
	assert_int_equal(FX_NUMBER(f, DEALLOC_UAR, q.uar), BUSY);
	assert_int_equal(FX_NUMBER(f, DESTROY_UMEM, q.umem), BUSY);
	assert_int_equal(FX_NUMBER(f, DEALLOC_PD, q.pd), BUSY);
	assert_int_equal(FX_NUMBER(f, DESTROY_QP, q.qp), 0);
	assert_int_equal(FX_NUMBER(f, DESTROY_QP, q.qp), BAD_RES);
	assert_int_equal(FX_NUMBER(f, DESTROY_CQ, q.cq), 0);
	assert_int_equal(FX_NUMBER(f, DESTROY_UMEM, q.umem), 0);
	assert_int_equal(FX_NUMBER(f, DEALLOC_UAR, q.uar), 0);
	assert_int_equal(FX_NUMBER(f, DEALLOC_PD, q.pd), 0);
}

TEST(fx, moderation)
{
	struct fx_queue q = fx_queue(f, f->v, FX_UID);

	assert_int_equal(FX(f, MODIFY_CQ, {"cqn", q.cq},
			    {"modify_field_select.modify_field_select", PERIOD | PERIOD_MODE},
			    {"cq_context.cq_period", 50}, {"cq_context.cq_max_count", 7},
			    {"cq_context.cq_period_mode", PRM_CQC_PERIOD_MODE_CQE}),
			 0);
	FX_QUERY(f, QUERY_CQ, q.cq);
	FX_ASSERT_REPLY(f, QUERY_CQ, {"cq_context.cq_period", 50}, {"cq_context.cq_max_count", 0},
			{"cq_context.cq_period_mode", PRM_CQC_PERIOD_MODE_CQE});
	assert_int_equal(FX(f, MODIFY_CQ, {"cqn", q.cq},
			    {"modify_field_select.modify_field_select", COUNT},
			    {"cq_context.cq_max_count", 7}),
			 0);
	FX_QUERY(f, QUERY_CQ, q.cq);
	FX_ASSERT_REPLY(f, QUERY_CQ, {"cq_context.cq_period", 50}, {"cq_context.cq_max_count", 7});
}

/* After a resize the new ring's umem is busy, and the old one's is not. */
TEST(fx, resize)
{
	struct fx_queue q = fx_queue(f, f->v, FX_UID);
	uint32_t umem = fx_umem(f, f->v, FX_UID, f->mem + 131072, 65536, true);
	uint32_t read_only = fx_umem(f, f->v, FX_UID, f->mem + 131072, 65536, false);
	struct cq *cq = obj_find(f->v, OBJ_CQ, q.cq);
	uint8_t in[FX_IN];
	size_t len = FX_FILL(in, MODIFY_CQ, {"op_mod", 1}, {"cqn", q.cq},
			     {"resize_field_select.resize_field_select", SIZE},
			     {"cq_context.log_cq_size", 8}, {"cq_umem_valid", 1},
			     {"cq_umem_id", umem}, {"cq_umem_offset", 4096});
	const struct fx_spoil bad[] = {
		{"resize_field_select.resize_field_select", 0x11, BAD, FW_SYN_UNSUPPORTED},
		{"cq_context.log_cq_size", 23, BAD, FW_SYN_SIZE},
		{"cq_context.log_cq_size", 10, BAD, FW_SYN_UMEM_BOUNDS},
		{"cq_context.cqe_sz", 1, BAD, FW_SYN_UNSUPPORTED},
		{"cq_umem_offset", 32, BAD, FW_SYN_ALIGNMENT},
		{"cq_umem_id", 99, BAD_RES, FW_SYN_NO_OBJECT},
		{"cq_umem_id", read_only, BAD, FW_SYN_UMEM_READ_ONLY},
		{"cq_umem_valid", 0, PRM_STATUS_BAD_INP_LEN, FW_SYN_IN_SHORT},
	};

	FX_SPOILS(f, PRM_OPCODE_MODIFY_CQ, in, len, bad);
	assert_int_equal(FX_EXEC(f, MODIFY_CQ, in, len), 0);
	assert_int_equal(cq->log_size, 8);
	assert_int_equal(cq->pi, 1);
	FX_QUERY(f, QUERY_CQ, q.cq);
	FX_ASSERT_REPLY(f, QUERY_CQ, {"cq_context.log_cq_size", 8},
			{"cq_context.producer_counter", 1});
	assert_int_equal(FX_NUMBER(f, DESTROY_UMEM, umem), BUSY);
	cq->collapsed = true;
	FX_REFUSES(f, MODIFY_CQ, in, len, BAD, FW_SYN_UNSUPPORTED);
	cq->collapsed = false;
	cq->status = CQ_OVERFLOW;
	FX_REFUSES(f, MODIFY_CQ, in, len, PRM_STATUS_BAD_RES_STATE, FW_SYN_CQ_STATE);
	len = fx_fill_cq(in, q.eq, q.uar, read_only);
	FX_REFUSES(f, CREATE_CQ, in, len, BAD, FW_SYN_UMEM_READ_ONLY);
}
