/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves DC targets and initiators as commands: good and bad inputs, states, references. */
#include "tests/test.h"
#include <dvx/prm/dct.h>
#include <dvx/prm/eqe.h>
#include "fw_fixture.h"
#include "fw/cmd.h"
#include "obj/dct.h"
#include "obj/qp.h"

#define STATE PRM_STATUS_BAD_RES_STATE
#define KEY   0x1122334455667788ull

static size_t fill_dct(void *in, const struct fx_queue *q, uint32_t rmp)
{
	return FX_FILL(in, CREATE_DCT, {"dct_context_entry.pd", q->pd},
		       {"dct_context_entry.cqn", q->cq}, {"dct_context_entry.srqn_xrqn", rmp},
		       {"dct_context_entry.dc_access_key", KEY}, {"dct_context_entry.mtu", 3},
		       {"dct_context_entry.rwe", 1}, {"dct_context_entry.port", 1},
		       {"dct_context_entry.my_addr_index", 1});
}

TEST(fx, dct_bad_input)
{
	static const struct fx_spoil bad[] = {
		{"dct_context_entry.state", 1, BAD, FW_SYN_CAP_CLEAR},
		{"dct_context_entry.rlky dct_context_entry.atomic_like_write_en", 1, BAD,
		 FW_SYN_CAP_CLEAR},
		{"dct_context_entry.mtu", 0, BAD, FW_SYN_SIZE},
		{"dct_context_entry.mtu", 6, BAD, FW_SYN_SIZE},
		{"dct_context_entry.cs_res", 1, BAD, FW_SYN_UNSUPPORTED},
		{"dct_context_entry.cs_res", 2, BAD, FW_SYN_SIZE},
		{"dct_context_entry.port", 2, BAD, FW_SYN_INDEX},
		{"dct_context_entry.pkey_index", 1, BAD, FW_SYN_INDEX},
		{"dct_context_entry.my_addr_index", 200, BAD, FW_SYN_INDEX},
		{"dct_context_entry.pd dct_context_entry.cqn dct_context_entry.srqn_xrqn", 99,
		 GONE},
	};
	struct fx_queue q = fx_queue(f, f->v, FX_UID);
	uint8_t in[FX_IN];
	size_t len = fill_dct(in, &q, fx_rmp(f, &q));

	FX_SPOILS(f, PRM_OPCODE_CREATE_DCT, in, len, bad);
	assert_int_equal(obj_count(f->v, OBJ_DCT), 0);
}

TEST(fx, dct_life)
{
	struct fx_queue q = fx_queue(f, f->v, FX_UID);
	uint32_t rmp = fx_rmp(f, &q), dct;
	uint8_t in[FX_IN];
	size_t len = fill_dct(in, &q, rmp);
	const struct fx_field none[] = {{NULL, 0}};
	const void *dctc;
	uint32_t set;

	assert_int_equal(fx_cmd(f, f->v, PRM_OPCODE_ALLOC_Q_COUNTER, FX_UID, none), 0);
	set = prm_alloc_q_counter_out_get_counter_set_id(f->out);
	FX_SET(in, CREATE_DCT, {"dct_context_entry.counter_set_id", set + 1});
	FX_REFUSES(f, CREATE_DCT, in, len, BAD_RES, FW_SYN_NO_OBJECT);
	FX_SET(in, CREATE_DCT, {"dct_context_entry.counter_set_id", set});
	assert_int_equal(FX_EXEC(f, CREATE_DCT, in, len), 0);
	dct = prm_create_dct_out_get_dctn(f->out);
	assert_int_equal(FX_NUMBER(f, DESTROY_RMP, rmp), BUSY);
	assert_int_equal(FX_NUMBER(f, DESTROY_CQ, q.cq), BUSY);
	assert_int_equal(FX(f, DEALLOC_Q_COUNTER, {"counter_set_id", set}), BUSY);
	assert_int_equal(FX_NUMBER(f, ARM_DCT_FOR_KEY_VIOLATION, dct), 0);
	assert_true(((struct dct *)obj_find(f->v, OBJ_DCT, dct))->armed);
	assert_int_equal(FX_NUMBER(f, DESTROY_DCT, dct), STATE);
	assert_int_equal(FX_NUMBER(f, DRAIN_DCT, dct), 0);
	assert_int_equal(FX_NUMBER(f, DRAIN_DCT, dct), STATE);
	assert_int_equal(
		fx_number(f, f->v, PRM_OPCODE_QUERY_DCT, FX_UID, dct, PRM_QUERY_DCT_OUT_BYTES), 0);
	dctc = prm_query_dct_out_cat_dct_context_entry(f->out);
	assert_int_equal(prm_dctc_get_state(dctc), PRM_DCTC_STATE_DRAINED);
	assert_true(prm_dctc_get_dc_access_key(dctc) == KEY);
	assert_int_equal(prm_dctc_get_srqn_xrqn(dctc), rmp);
	assert_int_equal(FX_NUMBER(f, DESTROY_DCT, dct), 0);
	assert_int_equal(FX_NUMBER(f, DESTROY_DCT, dct), BAD_RES);
	assert_int_equal(FX(f, DEALLOC_Q_COUNTER, {"counter_set_id", set}), 0);
	assert_int_equal(FX_NUMBER(f, DESTROY_RMP, rmp), 0);
}

static size_t fill_dci(void *in, const struct fx_queue *q)
{
	size_t len = fx_fill_qp(in, q->pd, q->cq, q->uar, q->umem);

	FX_SET(in, CREATE_QP, {"qpc.st", PRM_QP_ST_DCI},
	       {"qpc.rq_type", PRM_QPC_RQ_TYPE_ZERO_SIZE});
	return len;
}

TEST(fx, dci_bad_input)
{
	static const struct fx_spoil bad[] = {
		{"qpc.log_num_dci_stream_channels qpc.log_num_dci_errored_streams", 6, BAD,
		 FW_SYN_SIZE},
		{"qpc.cs_res", 1, BAD, FW_SYN_UNSUPPORTED},
		{"qpc.no_sq", 1, BAD, FW_SYN_RESERVED},
	};
	struct fx_queue q = fx_queue(f, f->v, FX_UID);
	uint8_t in[FX_IN];
	size_t len = fill_dci(in, &q);

	FX_SPOILS(f, PRM_OPCODE_CREATE_QP, in, len, bad);
	FX_SET(in, CREATE_QP, {"qpc.st", PRM_QP_ST_RC}, {"qpc.log_num_dci_stream_channels", 1});
	assert_int_equal(FX_EXEC(f, CREATE_QP, in, len), BAD);
}

static void dci_change(struct fx *f, uint16_t opcode, uint32_t qpn)
{
	uint8_t in[FX_IN];
	size_t len = fx_fill(opcode, in,
			     FX_FIELDS({"qpn", qpn}, {"qpc.mtu", 3}, {"qpc.log_msg_max", 30},
				       {"qpc.primary_address_path.vhca_port_num", 1}));

	assert_int_equal(fx_exec(f, f->v, opcode, FX_UID, in, len, 16), 0);
}

/* A DCI needs neither path nor peer; only a channel that has failed can be reset. */
TEST(fx, dci_states)
{
	struct fx_queue q = fx_queue(f, f->v, FX_UID);
	uint8_t in[FX_IN] = {0};
	size_t len = fill_dci(in, &q);
	uint32_t qpn;

	FX_SET(in, CREATE_QP, {"qpc.log_num_dci_stream_channels", 2});
	assert_int_equal(FX_EXEC(f, CREATE_QP, in, len), 0);
	qpn = prm_create_qp_out_get_qpn(f->out);
	dci_change(f, PRM_OPCODE_RST2INIT_QP, qpn);
	dci_change(f, PRM_OPCODE_INIT2RTR_QP, qpn);
	dci_change(f, PRM_OPCODE_RTR2RTS_QP, qpn);
	assert_int_equal(((struct qp *)obj_find(f->v, OBJ_QP, qpn))->q.state, QP_RTS);
	memset(in, 0, sizeof(in));
	len = FX_FILL(in, RTS2RTS_QP, {"qpn", qpn}, {"opt_param_mask_95_32", 1});
	assert_int_equal(FX_EXEC(f, RTS2RTS_QP, in, len), BAD);
	/* a refusal changes no other field */
	FX_SET(in, RTS2RTS_QP, {"qpc_ext", 1}, {"opt_param_mask", PRM_QP_OPTPAR_COUNTER_SET_ID},
	       {"qpc.counter_set_id", FX_MAKE(f, ALLOC_Q_COUNTER)});
	assert_int_equal(FX_EXEC(f, RTS2RTS_QP, in, len + PRM_QPC_EXT_BYTES), BAD);
	assert_null(((struct qp *)obj_find(f->v, OBJ_QP, qpn))->q.counter);
}
