/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves commands on QPs: good and bad inputs, every state change from every state, and that queues
 * end with their uid.
 */
#include "tests/test.h"
#include "fw_fixture.h"
#include "fw/cmd.h"
#include "obj/cq.h"
#include "obj/qp.h"

/* Allocations until one fails; the linker's --wrap puts the wrapper between the device and libc. */
static unsigned int calls_left;

void *__real_calloc(size_t, size_t);
void *__wrap_calloc(size_t, size_t);
void *__wrap_calloc(size_t n, size_t size)
{
	if (calls_left && !--calls_left)
		return NULL;
	return __real_calloc(n, size);
}

TEST(fx, qp_bad_input)
{
	static const struct fx_spoil bad[] = {
		{"qpc.st", 4, BAD, FW_SYN_UNSUPPORTED},
		{"qpc.st", 255, BAD, FW_SYN_UNSUPPORTED},
		{"qpc.rlky qpc.deth_sqpn", 1, BAD, FW_SYN_UNSUPPORTED},
		{"qpc.rq_type", 7, BAD, FW_SYN_UNSUPPORTED},
		{"qpc.wq_signature", 1, BAD, FW_SYN_CAP_CLEAR},
		{"qpc.cs_res", 3, BAD, FW_SYN_UNSUPPORTED},
		{"qpc.cs_req", 1, BAD, FW_SYN_UNSUPPORTED},
		{"qpc.cs_res", 2, BAD, FW_SYN_SIZE},
		{"qpc.cs_req", 0x22, BAD, FW_SYN_SIZE},
		{"input_qpn", 5, BAD, FW_SYN_RESERVED},
		{"qpc.pd qpc.cqn_snd qpc.cqn_rcv qpc.uar_page qpc.dbr_umem_id wq_umem_id", 99,
		 GONE},
		{"qpc.dbr_addr", 4, BAD, FW_SYN_ALIGNMENT},
		{"qpc.dbr_addr", 65536, BAD, FW_SYN_UMEM_BOUNDS},
		{"wq_umem_offset", 65536 - 64, BAD, FW_SYN_UMEM_BOUNDS},
		{"wq_umem_offset", 8, BAD, FW_SYN_ALIGNMENT},
		{"qpc.log_sq_size qpc.log_rq_size", 15, BAD, FW_SYN_UMEM_BOUNDS},
		{"qpc.log_rq_stride", 7, BAD, FW_SYN_SIZE},
		{"qpc_ext", 1, PRM_STATUS_BAD_INP_LEN, FW_SYN_IN_SHORT},
		{"wq_umem_valid", 0, PRM_STATUS_BAD_INP_LEN, FW_SYN_IN_SHORT},
		{"qpc.ts_format", 3, BAD, FW_SYN_RESERVED},
	};
	static const struct fx_spoil utc[] = {{"qpc.ts_format", 2, BAD, FW_SYN_CAP_CLEAR}};
	struct fx_queue q = fx_queue(f, f->v, FX_UID);
	uint8_t in[FX_IN];
	size_t len = fx_fill_qp(in, q.pd, q.cq, q.uar, q.umem);
	void *qpc = prm_create_qp_in_at_qpc(in);

	FX_SPOILS(f, PRM_OPCODE_CREATE_QP, in, len, bad);
	f->profile.qp_ts_format = TS_FORMATS_FREE_RUNNING;
	FX_SPOILS(f, PRM_OPCODE_CREATE_QP, in, len, utc);
	f->profile.qp_ts_format = TS_FORMATS_BOTH;
	/* an RQ of 16 bytes leaves the SQ in the middle of a block */
	prm_qpc_set_log_rq_size(qpc, 0);
	prm_qpc_set_log_rq_stride(qpc, 0);
	assert_int_equal(FX_EXEC(f, CREATE_QP, in, len), BAD);
	f->profile.log_max_qp_sz = 3;
	prm_qpc_set_log_rq_stride(qpc, 2);
	FX_REFUSES(f, CREATE_QP, in, len, BAD, FW_SYN_SIZE);
	/* a missing queue can neither enable others nor be enabled */
	prm_qpc_set_rq_type(qpc, 3);
	prm_qpc_set_cd_slave_receive(qpc, 1);
	FX_REFUSES(f, CREATE_QP, in, len, BAD, FW_SYN_UNSUPPORTED);
	prm_qpc_set_rq_type(qpc, 0);
	prm_qpc_set_no_sq(qpc, 1);
	for (unsigned int master = 0; master < 2; master++) {
		prm_qpc_set_cd_slave_receive(qpc, 0);
		prm_qpc_set_cd_master(qpc, master);
		prm_qpc_set_cd_slave_send(qpc, !master);
		FX_REFUSES(f, CREATE_QP, in, len, BAD, FW_SYN_UNSUPPORTED);
	}
	prm_qpc_set_cd_master(qpc, 0);
	/* neither ring */
	prm_qpc_set_rq_type(qpc, 3);
	FX_REFUSES(f, CREATE_QP, in, len, BAD, FW_SYN_RESERVED);
}

/* A send-only QP needs no receive CQ; MMO at creation by the context's extension. */
TEST(fx, qp_kinds)
{
	struct fx_queue q = fx_queue(f, f->v, FX_UID);
	uint8_t in[FX_IN];
	size_t len = fx_fill_qp(in, q.pd, q.cq, q.uar, q.umem);
	void *qpc = prm_create_qp_in_at_qpc(in);
	const struct qp *qp;

	prm_qpc_set_rq_type(qpc, 3);
	prm_qpc_set_cqn_rcv(qpc, 0);
	prm_create_qp_in_set_qpc_ext(in, 1);
	prm_qpc_ext_set_mmo(in + PRM_CREATE_QP_IN_BYTES, 1);
	len += PRM_QPC_EXT_BYTES;
	assert_int_equal(FX_EXEC(f, CREATE_QP, in, len), 0);
	qp = obj_find(f->v, OBJ_QP, prm_create_qp_out_get_qpn(f->out));
	assert_true(qp->mmo && !qp->q.rq);
	assert_int_equal(qp->sq.offset, 0);
	assert_int_equal(qp->q.ring.len, 1024);
	assert_false(qp->sq.master || qp->sq.managed || qp->rq.managed);
	prm_qpc_set_cd_master(qpc, 1);
	assert_int_equal(FX_EXEC(f, CREATE_QP, in, len), 0);
	qp = obj_find(f->v, OBJ_QP, prm_create_qp_out_get_qpn(f->out));
	assert_true(qp->sq.master && !qp->sq.managed);
	prm_qpc_set_cd_master(qpc, 0);
	prm_qpc_set_cd_slave_send(qpc, 1);
	assert_int_equal(FX_EXEC(f, CREATE_QP, in, len), 0);
	qp = obj_find(f->v, OBJ_QP, prm_create_qp_out_get_qpn(f->out));
	assert_true(!qp->sq.master && qp->sq.managed && !qp->rq.managed);
	prm_qpc_set_cd_slave_send(qpc, 0);
	prm_qpc_set_st(qpc, PRM_QP_ST_UC);
	FX_REFUSES(f, CREATE_QP, in, len, BAD, FW_SYN_UNSUPPORTED);
	prm_qpc_set_st(qpc, PRM_QP_ST_RC);
	f->profile.dma_mmo = false;
	FX_REFUSES(f, CREATE_QP, in, len, BAD, FW_SYN_CAP_CLEAR);
}

/* Each allocation for a queue fails once, and the refusal names memory as the reason. */
TEST(fx, scarce)
{
	static const uint16_t opcodes[] = {PRM_OPCODE_CREATE_CQ, PRM_OPCODE_CREATE_QP};
	struct fx_queue q = fx_queue(f, f->v, FX_UID);
	uint8_t in[FX_IN], status;

	for (unsigned int i = 0; i < 2; i++) {
		uint32_t uar = fx_uar(f, f->v, FX_UID);
		unsigned int failed = 0;

		do {
			size_t len = i ? fx_fill_qp(in, q.pd, q.cq, uar, q.umem)
				       : fx_fill_cq(in, q.eq, uar, q.umem);

			calls_left = 1 + failed;
			status = fx_exec(f, f->v, opcodes[i], FX_UID, in, len, 16);
			if (status) {
				assert_int_equal(status, PRM_STATUS_NO_RES);
				assert_int_equal(f->syndrome, FW_SYN_MEMORY);
				failed++;
			}
		} while (status);
		calls_left = 0;
		assert_in_range(failed, 2, 16);
	}
}

static const uint16_t changes[] = {
	PRM_OPCODE_RST2INIT_QP, PRM_OPCODE_INIT2INIT_QP, PRM_OPCODE_INIT2RTR_QP,
	PRM_OPCODE_RTR2RTS_QP,	PRM_OPCODE_RTS2RTS_QP,	 PRM_OPCODE_SQERR2RTS_QP,
	PRM_OPCODE_2ERR_QP,	PRM_OPCODE_2RST_QP,
};

/* Columns are changes[], rows are states; a value is the state after, or '-' for prohibited. */
static const struct {
	uint8_t from;
	const char *to;
} legal[] = {
	/* RST2INIT INIT2INIT INIT2RTR RTR2RTS RTS2RTS SQERR2RTS 2ERR 2RST */
	{QP_RST, "1-----60"},  {QP_INIT, "-12---60"}, {QP_RTR, "---3--60"}, {QP_RTS, "----3-60"},
	{QP_SQER, "-----360"}, {QP_SQD, "------60"},  {QP_ERR, "------60"},
};

static size_t fill_change(void *in, uint32_t qpn)
{
#define ADS "qpc.primary_address_path."
	size_t len = FX_FILL(
		in, RST2INIT_QP, {"qpn", qpn}, {"qpc.mtu", PRM_QPC_MTU_1K}, {"qpc.log_msg_max", 30},
		{"qpc.remote_qpn", 0x1234}, {"qpc.next_rcv_psn", 0x222222},
		{"qpc.next_send_psn", 0x333333}, {"qpc.log_rra_max", 4}, {"qpc.log_sra_max", 3},
		{"qpc.retry_count", 7}, {"qpc.rnr_retry", 6}, {"qpc.min_rnr_nak", 12},
		{"qpc.rwe", 1}, {ADS "vhca_port_num", 1}, {ADS "src_addr_index", 1},
		{ADS "ack_timeout", 14}, {ADS "rmac_47_32", 0x0102}, {ADS "rmac_31_0", 0x03040506});

	memset(prm_ads_at_rgid_rip(prm_qpc_at_primary_address_path(prm_rst2init_qp_in_at_qpc(in))),
	       0xfe, 16);
	return len;
}

TEST(fx, every_change_from_every_state)
{
	struct fx_queue q = fx_queue(f, f->v, FX_UID);
	struct qp *qp = obj_find(f->v, OBJ_QP, q.qp);
	uint8_t in[FX_IN];

	for (size_t i = 0; i < sizeof(legal) / sizeof(legal[0]); i++) {
		for (size_t j = 0; j < sizeof(changes) / sizeof(changes[0]); j++) {
			char want = legal[i].to[j];
			size_t len = fill_change(in, q.qp);
			uint8_t status;

			if (changes[j] == PRM_OPCODE_2ERR_QP || changes[j] == PRM_OPCODE_2RST_QP)
				len = 16, memset(in + 16, 0, FX_IN - 16);
			qp->q.state = legal[i].from;
			status = fx_exec(f, f->v, changes[j], FX_UID, in, len, 16);
			assert_int_equal(status, want == '-' ? PRM_STATUS_BAD_QP_STATE : 0);
			assert_int_equal(qp->q.state, want == '-' ? legal[i].from : want - '0');
		}
	}
	assert_int_equal(fx_number(f, f->v, PRM_OPCODE_2RST_QP, FX_UID + 1, q.qp, 16), BAD_RES);
}

static void connect(struct fx *f, uint32_t qpn)
{
	static const uint16_t way[] = {PRM_OPCODE_RST2INIT_QP, PRM_OPCODE_INIT2RTR_QP,
				       PRM_OPCODE_RTR2RTS_QP, PRM_OPCODE_RTS2RTS_QP};
	uint8_t in[FX_IN];
	size_t len = fill_change(in, qpn);

	for (unsigned int i = 0; i < 4; i++)
		assert_int_equal(fx_exec(f, f->v, way[i], FX_UID, in, len, 16), 0);
}

/* Values of state changes arrive in the object and in QUERY_QP; reset clears them. */
TEST(fx, context)
{
	struct fx_queue q = fx_queue(f, f->v, FX_UID);
	const struct qp *qp = obj_find(f->v, OBJ_QP, q.qp);
	static const uint8_t rmac[6] = {1, 2, 3, 4, 5, 6};

	connect(f, q.qp);
	assert_int_equal(qp->mtu, 3);
	assert_int_equal(qp->ack_timeout, 14);
	assert_memory_equal(qp->rmac, rmac, 6);
	assert_true(qp->rwe && !qp->rre);
	assert_int_equal(FX_QUERY(f, QUERY_QP, q.qp), 0);
	FX_ASSERT_REPLY(f, QUERY_QP, {"qpc.state", QP_RTS}, {"qpc.remote_qpn", 0x1234},
			{"qpc.next_rcv_psn", 0x222222}, {"qpc.log_sra_max", 3},
			{"qpc.log_rra_max", 4}, {ADS "rmac_31_0", 0x03040506},
			{"qpc.cqn_snd", q.cq});
	assert_int_equal(FX_NUMBER(f, 2RST_QP, q.qp), 0);
	assert_int_equal(qp->remote_qpn, 0);
	assert_int_equal(FX_QUERY(f, QUERY_QP, q.qp), 0);
	FX_ASSERT_REPLY(f, QUERY_QP, {"qpc.state", QP_RST}, {"qpc.remote_qpn", 0});
}

/*
 * opt_param_mask: allowed bits take effect, others are refused, a field without its bit is ignored.
 */
TEST(fx, optional_fields)
{
	struct fx_queue q = fx_queue(f, f->v, FX_UID);
	const struct qp *qp = obj_find(f->v, OBJ_QP, q.qp);
	uint8_t in[FX_IN];
	size_t len;

	connect(f, q.qp);
	len = fill_change(in, q.qp);
	prm_qpc_set_rre(prm_rts2rts_qp_in_at_qpc(in), 1);
	prm_qpc_set_min_rnr_nak(prm_rts2rts_qp_in_at_qpc(in), 3);
	assert_int_equal(FX_EXEC(f, RTS2RTS_QP, in, len), 0);
	assert_true(!qp->rre && qp->min_rnr_nak == 12);
	prm_rts2rts_qp_in_set_opt_param_mask(in, PRM_QP_OPTPAR_RRE | PRM_QP_OPTPAR_RNR_TIMEOUT);
	assert_int_equal(FX_EXEC(f, RTS2RTS_QP, in, len), 0);
	assert_true(qp->rre && qp->min_rnr_nak == 3);
	prm_rts2rts_qp_in_set_opt_param_mask(in, PRM_QP_OPTPAR_RRE | 1u << 31);
	prm_qpc_set_rre(prm_rts2rts_qp_in_at_qpc(in), 0);
	FX_REFUSES(f, RTS2RTS_QP, in, len, BAD, FW_SYN_OPT_PARAM);
	assert_true(qp->rre);
}

/* RTS2RTS changes only the RoCEv2 source port, by its bit of the wider mask. */
TEST(fx, source_port)
{
	struct fx_queue q = fx_queue(f, f->v, FX_UID);
	struct qp *qp = obj_find(f->v, OBJ_QP, q.qp);
	uint8_t in[FX_IN];
	size_t len;

	connect(f, q.qp);
	len = fill_change(in, q.qp);
	prm_rts2rts_qp_in_set_opt_param_mask_95_32(in, PRM_QP_OPTPAR_95_32_UDP_SPORT);
	prm_ads_set_udp_sport(prm_qpc_at_primary_address_path(prm_rts2rts_qp_in_at_qpc(in)), 55555);
	assert_int_equal(FX_EXEC(f, RTS2RTS_QP, in, len), 0);
	assert_int_equal(qp->udp_sport, 55555);
	FX_QUERY(f, QUERY_QP, q.qp);
	FX_ASSERT_REPLY(f, QUERY_QP, {"qpc.primary_address_path.udp_sport", 55555},
			{"qpc.state", QP_RTS});
	prm_ads_set_udp_sport(prm_qpc_at_primary_address_path(prm_rts2rts_qp_in_at_qpc(in)),
			      0xbfff);
	FX_REFUSES(f, RTS2RTS_QP, in, len, BAD, FW_SYN_RESERVED);
	assert_int_equal(qp->udp_sport, 55555);
	prm_rts2rts_qp_in_set_opt_param_mask_95_32(in, PRM_QP_OPTPAR_95_32_MMO);
	FX_REFUSES(f, RTS2RTS_QP, in, len, BAD, FW_SYN_OPT_PARAM);
}

/* A queue pair that works gets another set of Q counters; 0 is none. */
TEST(fx, counter_set)
{
	struct fx_queue q = fx_queue(f, f->v, FX_UID);
	const struct qp *qp = obj_find(f->v, OBJ_QP, q.qp);
	uint8_t in[FX_IN];
	uint32_t set;
	size_t len;

	connect(f, q.qp);
	assert_int_equal(FX(f, ALLOC_Q_COUNTER, {"uid", FX_UID}), 0);
	set = prm_alloc_q_counter_out_get_counter_set_id(f->out);
	len = fill_change(in, q.qp);
	prm_qpc_set_counter_set_id(prm_rts2rts_qp_in_at_qpc(in), set);
	assert_int_equal(FX_EXEC(f, RTS2RTS_QP, in, len), 0);
	assert_null(qp->q.counter); /* without its bit, the field does not count */
	prm_rts2rts_qp_in_set_opt_param_mask(in, PRM_QP_OPTPAR_COUNTER_SET_ID);
	assert_int_equal(FX_EXEC(f, RTS2RTS_QP, in, len), 0);
	assert_ptr_equal(qp->q.counter, obj_find(f->v, OBJ_Q_COUNTER, set));
	FX_QUERY(f, QUERY_QP, q.qp);
	FX_ASSERT_REPLY(f, QUERY_QP, {"qpc.counter_set_id", set}, {"qpc.state", QP_RTS});
	prm_qpc_set_counter_set_id(prm_rts2rts_qp_in_at_qpc(in), set + 1);
	FX_REFUSES(f, RTS2RTS_QP, in, len, BAD_RES, FW_SYN_NO_OBJECT);
	assert_ptr_equal(qp->q.counter, obj_find(f->v, OBJ_Q_COUNTER, set));
	prm_qpc_set_counter_set_id(prm_rts2rts_qp_in_at_qpc(in), 0);
	assert_int_equal(FX_EXEC(f, RTS2RTS_QP, in, len), 0);
	assert_null(qp->q.counter);
}

/* Sets the bits of a structure's fields, of every alternative of a union. */
static void cover(const struct prm_struct *s, uint8_t *map, size_t bit)
{
	for (size_t i = 0; i < s->field_count; i++)
		for (size_t n = 0; n < s->fields[i].count; n++) {
			const struct prm_field *f = &s->fields[i];
			const size_t at = bit + f->offset + n * f->width;

			if (f->type)
				cover(f->type, map, at);
			for (size_t b = 0; !f->type && b < f->width; b++)
				map[at + b] = 1;
		}
}

/*
 * Each bit that belongs to no field, in each command, is refused before anything else is checked.
 */
TEST(fx, reserved_bits)
{
	static uint8_t map[FX_IN * 8];
	uint8_t in[FX_IN];
	unsigned int tried = 0;

	for (size_t i = 0; i < prm_command_count; i++) {
		const struct prm_struct *s = prm_commands[i].in;
		const uint16_t opcode = (uint16_t)prm_commands[i].opcode;

		memset(map, 0, sizeof(map));
		memset(map + 16, 1, 16); /* the uid */
		memset(in, 0, sizeof(in));
		if (s->bytes > sizeof(in) ||
		    fx_exec(f, f->v, opcode, 0, in, s->bytes, sizeof(f->out)) == PRM_STATUS_BAD_OP)
			continue;
		cover(s, map, 0);
		for (size_t bit = 0; bit < (size_t)s->bytes * 8; bit += 1 + bit % 3) {
			if (map[bit])
				continue;
			in[bit / 8] = (uint8_t)(0x80u >> bit % 8);
			if (fx_exec(f, f->v, opcode, 0, in, s->bytes, sizeof(f->out)) != BAD ||
			    f->syndrome != FW_SYN_RESERVED)
				fail_msg("%s: bit 0x%zx", s->name, bit);
			in[bit / 8] = 0;
			tried++;
		}
	}
	assert_true(tried > 5000);
}

/* Fields of a context without their capability, and a reserved one by its name, at RTR and RTS. */
TEST(fx, context_without_capability)
{
	static const char *const field[] = {"dp_ordering_0",
					    "dp_ordering_1",
					    "dp_ordering_force",
					    "isolate_vl_tc",
					    "wq_signature",
					    "end_padding_mode",
					    "offload_type",
					    "req_e2e_credit_mode",
					    "ulp_stateless_offload_mode",
					    "primary_address_path.plane_index"};
	struct fx_queue q = fx_queue(f, f->v, FX_UID);
	uint8_t in[FX_IN];
	char path[64];

	for (size_t i = 0; i < sizeof(field) / sizeof(field[0]); i++) {
		const struct fx_spoil create = {path, 1, BAD, FW_SYN_CAP_CLEAR};
		size_t len = fx_fill_qp(in, q.pd, q.cq, q.uar, q.umem);

		snprintf(path, sizeof(path), "qpc.%s", field[i]);
		fx_spoils(f, PRM_OPCODE_CREATE_QP, in, len, &create, 1);
		assert_int_equal(FX(f, RST2INIT_QP, {"qpn", q.qp}, {path, 1}), BAD);
		assert_int_equal(f->syndrome, FW_SYN_CAP_CLEAR);
		assert_true(test_logged(f->log, path));
	}
	memset(in, 0, sizeof(in));
	FX_SET(in, RST2INIT_QP, {"qpn", q.qp});
	*(uint8_t *)prm_qpc_at_primary_address_path(prm_rst2init_qp_in_at_qpc(in)) = 0x20;
	FX_REFUSES(f, RST2INIT_QP, in, PRM_RST2INIT_QP_IN_BYTES, BAD, FW_SYN_RESERVED);
	assert_true(
		test_logged(f->log, "bit 0x2 of qpc.primary_address_path is set: it is reserved"));
}

TEST(fx, rtr_bad_input)
{
	static const struct fx_spoil bad[] = {
		{"qpc.mtu", 0, BAD, FW_SYN_SIZE},
		{"qpc.mtu", 6, BAD, FW_SYN_SIZE},
		{"qpc.log_msg_max", 31, BAD, FW_SYN_SIZE},
		{"qpc.log_rra_max", 5, BAD, FW_SYN_SIZE},
		{ADS "src_addr_index", 4, BAD, FW_SYN_INDEX},
		{ADS "src_addr_index", 255, BAD, FW_SYN_INDEX},
		{ADS "vhca_port_num", 2, BAD, FW_SYN_INDEX},
		{"opt_param_mask", 1u << 31, BAD, FW_SYN_OPT_PARAM},
	};
	static const struct fx_spoil init[] = {
		{ADS "vhca_port_num", 0, BAD, FW_SYN_INDEX},
		{ADS "pkey_index", 1, BAD, FW_SYN_INDEX},
	};
	struct fx_queue q = fx_queue(f, f->v, FX_UID);
	struct qp *qp = obj_find(f->v, OBJ_QP, q.qp);
	uint8_t in[FX_IN];
	size_t len = fill_change(in, q.qp);

	FX_SPOILS(f, PRM_OPCODE_RST2INIT_QP, in, len, init);
	qp->q.state = QP_INIT;
	FX_SPOILS(f, PRM_OPCODE_INIT2RTR_QP, in, len, bad);
	assert_int_equal(qp->q.state, QP_INIT);
	assert_int_equal(qp->remote_qpn, 0);
}

/* INIT2INIT with the context's extension turns MMO on, if the mask says so and the device can. */
TEST(fx, mmo)
{
	struct fx_queue q = fx_queue(f, f->v, FX_UID);
	struct qp *qp = obj_find(f->v, OBJ_QP, q.qp);
	size_t len = PRM_INIT2INIT_QP_IN_BYTES + PRM_QPC_EXT_BYTES;
	uint8_t in[FX_IN] = {0};
	const uint16_t op = PRM_OPCODE_INIT2INIT_QP;

	qp->q.state = QP_INIT;
	prm_init2init_qp_in_set_qpn(in, q.qp);
	prm_init2init_qp_in_set_qpc_ext(in, 1);
	prm_qpc_ext_set_mmo(prm_init2init_qp_in_at_qpc_data_ext(in, 0), 1);
	assert_int_equal(fx_exec(f, f->v, op, FX_UID, in, len, 16), 0);
	assert_false(qp->mmo);
	prm_init2init_qp_in_set_opt_param_mask_95_32(in, 8);
	assert_int_equal(fx_exec(f, f->v, op, FX_UID, in, PRM_INIT2INIT_QP_IN_BYTES, 16),
			 PRM_STATUS_BAD_INP_LEN);
	assert_int_equal(fx_exec(f, f->v, op, FX_UID, in, len - 4, 16), PRM_STATUS_BAD_INP_LEN);
	assert_int_equal(fx_exec(f, f->v, op, FX_UID, in, len, 16), 0);
	assert_true(qp->mmo);
	prm_init2init_qp_in_set_opt_param_mask_95_32(in, 16);
	assert_int_equal(fx_exec(f, f->v, op, FX_UID, in, len, 16), BAD);
	prm_init2init_qp_in_set_opt_param_mask_95_32(in, 8);
	f->profile.dma_mmo = false;
	assert_int_equal(fx_exec(f, f->v, op, FX_UID, in, len, 16), BAD);
	assert_int_equal(f->syndrome, FW_SYN_CAP_CLEAR);
}

static uint32_t ud_qp(struct fx *f, const struct fx_queue *q)
{
	uint8_t in[FX_IN];
	size_t len = fx_fill_qp(in, q->pd, q->cq, q->uar, q->umem);

	prm_qpc_set_st(prm_create_qp_in_at_qpc(in), PRM_QP_ST_UD);
	assert_int_equal(FX_EXEC(f, CREATE_QP, in, len), 0);
	return prm_create_qp_out_get_qpn(f->out);
}

/* The Q_Key comes with INIT and may be changed later; QUERY_QP returns it. */
TEST(fx, ud_context)
{
	struct fx_queue q = fx_queue(f, f->v, FX_UID);
	uint32_t qpn = ud_qp(f, &q);
	const struct qp *qp = obj_find(f->v, OBJ_QP, qpn);
	uint8_t in[FX_IN];
	size_t len = fill_change(in, qpn);
	void *qpc = prm_rst2init_qp_in_at_qpc(in);

	prm_qpc_set_q_key(qpc, 0x1ee7a330);
	assert_int_equal(FX_EXEC(f, RST2INIT_QP, in, len), 0);
	prm_qpc_set_q_key(qpc, 5);
	assert_int_equal(FX_EXEC(f, INIT2RTR_QP, in, len), 0);
	assert_int_equal(qp->qkey, 0x1ee7a330);
	prm_rst2init_qp_in_set_opt_param_mask(in, PRM_QP_OPTPAR_Q_KEY);
	assert_int_equal(FX_EXEC(f, RTR2RTS_QP, in, len), 0);
	assert_int_equal(FX_QUERY(f, QUERY_QP, qpn), 0);
	assert_int_equal(prm_qpc_get_q_key(prm_query_qp_out_cat_qpc(f->out)), 5);
	assert_int_equal(FX_NUMBER(f, 2RST_QP, qpn), 0);
	assert_int_equal(qp->qkey, 0);
}

static uint8_t join(struct fx *f, uint16_t opcode, uint16_t uid, uint32_t qpn, uint8_t last)
{
	uint8_t in[PRM_ATTACH_TO_MCG_IN_BYTES] = {0};

	prm_attach_to_mcg_in_set_qpn(in, qpn);
	memset(prm_attach_to_mcg_in_at_multicast_gid(in), 0xff, 15);
	((uint8_t *)prm_attach_to_mcg_in_at_multicast_gid(in))[15] = last;
	return fx_exec(f, f->v, opcode, uid, in, sizeof(in), 16);
}

/* Only UD QPs join groups, once; a member can't be destroyed, except at the end of its uid. */
TEST(fx, groups)
{
	struct fx_queue q = fx_queue(f, f->v, FX_UID);
	const uint16_t in = PRM_OPCODE_ATTACH_TO_MCG, out = PRM_OPCODE_DETACH_FROM_MCG;
	uint32_t qpn = ud_qp(f, &q), before = fx_objects(f->v);

	assert_int_equal(join(f, in, FX_UID, q.qp, 1), BAD);
	assert_int_equal(f->syndrome, FW_SYN_UNSUPPORTED);
	assert_int_equal(join(f, in, FX_UID + 1, qpn, 1), BAD_RES);
	assert_int_equal(join(f, in, FX_UID, qpn, 1), 0);
	assert_int_equal(join(f, in, FX_UID, qpn, 1), BAD);
	assert_int_equal(f->syndrome, FW_SYN_RESERVED);
	assert_int_equal(join(f, out, FX_UID, qpn, 2), BAD);
	assert_int_equal(f->syndrome, FW_SYN_NO_OBJECT);
	assert_int_equal(FX_NUMBER(f, DESTROY_QP, qpn), BUSY);
	assert_int_equal(join(f, out, FX_UID, qpn, 1), 0);
	assert_int_equal(FX_NUMBER(f, DESTROY_QP, qpn), 0);
	qpn = ud_qp(f, &q);
	for (unsigned int i = 0; i < 2; i++) {
		uint8_t b[PRM_ATTACH_TO_MCG_IN_BYTES] = {0};

		prm_attach_to_mcg_in_set_qpn(b, qpn);
		prm_store32(b, 24, i ? 0xffff : 0);
		prm_store32(b, 28, 0xc0a80101); /* no address of a group */
		assert_int_equal(fx_exec(f, f->v, in, FX_UID, b, sizeof(b), 16), BAD);
		assert_int_equal(f->syndrome, FW_SYN_RESERVED);
	}
	for (unsigned int i = 0; i < 1u << VHCA_LOG_MAX_MCG; i++) {
		uint8_t b[PRM_ATTACH_TO_MCG_IN_BYTES] = {0};

		prm_attach_to_mcg_in_set_qpn(b, qpn);
		prm_store32(b, 16, 0xff000000 | i);
		assert_int_equal(fx_exec(f, f->v, in, FX_UID, b, sizeof(b), 16), 0);
	}
	assert_int_equal(join(f, in, FX_UID, qpn, 1), PRM_STATUS_NO_RES);
	assert_int_equal(f->syndrome, FW_SYN_LIMIT);
	assert_int_equal(fx_objects(f->v), before);
	fw_uid_reap(f->v, FX_UID);
	assert_int_equal(obj_count(f->v, OBJ_QP), 0);
	assert_null(f->v->groups);
}

/* Queues of a dead uid are freed in an order that references allow; those of others stay. */
TEST(fx, reap)
{
	uint32_t others;

	fx_queue(f, f->v, FX_UID);
	fx_queue(f, f->v, FX_UID + 1);
	others = fx_objects(f->v);
	fw_uid_reap(f->v, FX_UID + 2);
	assert_int_equal(fx_objects(f->v), others);
	fw_uid_reap(f->v, FX_UID);
	assert_int_equal(obj_count(f->v, OBJ_QP), 1);
	assert_int_equal(obj_count(f->v, OBJ_CQ), 1);
	assert_int_equal(obj_count(f->v, OBJ_UMEM), 1);
	fw_uid_reap(f->v, FX_UID + 1);
	assert_int_equal(obj_count(f->v, OBJ_EQ), 2);
	assert_int_equal(fx_objects(f->v), 2);
}

/* Rings are read within their bounds, page by page. */
TEST(fx, ring_bounds)
{
	struct fx_queue q = fx_queue(f, f->v, FX_UID);
	const struct qp *qp = obj_find(f->v, OBJ_QP, q.qp);
	bus_t pages[3] = {mm_bus(f->mm, (uintptr_t)f->mem + 8192), mm_bus(f->mm, (uintptr_t)f->mem),
			  mm_bus(f->mm, (uintptr_t)f->mem)}; /* the third one is not the ring's */
	struct ring list = {.offset = 64, .len = 9000, .log_page = 12, .npages = 2, .pages = pages};
	uint8_t buf[64];

	memset(f->mem + 8192, 0x11, 64);
	assert_int_equal(ring_read(f->host, &qp->q.ring, 0, buf, 64), 0);
	assert_int_equal(buf[63], 0x11);
	assert_true(ring_read(f->host, &qp->q.ring, 2048 - 63, buf, 64) < 0);
	assert_true(ring_read(f->host, &qp->q.ring, UINT64_MAX, buf, 64) < 0);
	/* across two pages that are not adjacent */
	f->mem[8192 + 4096 - 1] = 0x77;
	f->mem[0] = 0x78;
	assert_int_equal(ring_read(f->host, &list, 4096 - 64 - 32, buf, 64), 0);
	assert_int_equal(buf[31], 0x77);
	assert_int_equal(buf[32], 0x78);
	assert_int_equal(ring_read(f->host, &list, 8192 - 64 - 64, buf, 64), 0);
	assert_true(ring_read(f->host, &list, 8192 - 64 - 32, buf, 64) < 0);
}
