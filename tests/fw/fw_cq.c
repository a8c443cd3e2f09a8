/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves MODIFY_CQ: moderation, and a new ring in another umem; good and bad inputs. */
#include "tests/test.h"
#include "fw_fixture.h"
#include "fw/cmd.h"
#include "obj/cq.h"

#define BAD PRM_STATUS_BAD_PARAM
enum { PERIOD = 1, COUNT = 2, PERIOD_MODE = 16 };
enum { SIZE = 1 };

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
		{"cq_umem_id", 99, PRM_STATUS_BAD_RES, FW_SYN_NO_OBJECT},
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
	assert_int_equal(FX_NUMBER(f, DESTROY_UMEM, umem), PRM_STATUS_RES_BUSY);
	cq->collapsed = true;
	FX_REFUSES(f, MODIFY_CQ, in, len, BAD, FW_SYN_UNSUPPORTED);
	cq->collapsed = false;
	cq->status = CQ_OVERFLOW;
	FX_REFUSES(f, MODIFY_CQ, in, len, PRM_STATUS_BAD_RES_STATE, FW_SYN_CQ_STATE);
	len = fx_fill_cq(in, q.eq, q.uar, read_only);
	FX_REFUSES(f, CREATE_CQ, in, len, BAD, FW_SYN_UMEM_READ_ONLY);
}
