/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves meters, first hits and connection tracking by unmodified libmlx5 and packets, received and
 * sent: its actions name object, line, register and parameters as the device reads them. Contexts
 * are written and read by its raw WQEs. Table 1 has the action; table 2 counts packets by the byte
 * in the register.
 */
#include "tests/test.h"
#include "dr_packets.h"
#include "tests/verbs/raw_end.h"
#include "tests/verbs/verbs_qp.h"
#include "tests/patience.h"

#include <infiniband/mlx5dv.h>
#include <dvx/prm/cmd.h>
#include <dvx/prm/flow.h>
#include <dvx/prm/object.h>
#include <dvx/prm/wqe.h>

#define MISC2	    3u
#define PARAM_BYTES 256u
#define OBJECT_AT   16u
#define CT_LOG	    6u /* of the smallest range */
#define COMMAND	    144u

/* Bytes that a test may find in the register. */
static const uint8_t results[] = {0x00, 0x01, 0x02, 0x03, 0x40, 0x80};
#define RESULTS (sizeof(results) / sizeof(results[0]))

struct params {
	struct mlx5dv_flow_match_parameters head;
	uint8_t bytes[PARAM_BYTES];
};

struct count {
	struct mlx5dv_devx_obj *obj;
	struct mlx5dv_dr_action *action;
	struct mlx5dv_dr_rule *rule;
	uint32_t id;
	uint64_t seen;
};

struct aso_end {
	struct end end;
	struct ibv_qp *writer; /* for ACCESS_ASO */
	struct mlx5dv_dr_domain *domain;
	struct mlx5dv_dr_table *table[3];
	struct mlx5dv_dr_matcher *matcher[3];
	struct mlx5dv_dr_rule *rule;
	struct mlx5dv_dr_action *to[3], *drop;
	struct count count[RESULTS];
	unsigned int reg; /* number of the register C in matcher[2] */
};
#define FIXTURE_aso(name) FIXTURE(name, struct aso_end *a, aso_setup, aso_teardown)

/* --- counters ---------------------------------------------------------------------------------- */

static void count_open(struct aso_end *a, struct count *c)
{
	uint8_t in[PRM_ALLOC_FLOW_COUNTER_IN_BYTES] = {0}, out[PRM_ALLOC_FLOW_COUNTER_OUT_BYTES];

	prm_alloc_flow_counter_in_set_opcode(in, PRM_OPCODE_ALLOC_FLOW_COUNTER);
	c->obj = mlx5dv_devx_obj_create(a->end.ctx, in, sizeof(in), out, sizeof(out));
	assert_non_null(c->obj);
	c->id = prm_alloc_flow_counter_out_get_flow_counter_id(out);
	c->action = mlx5dv_dr_action_create_flow_counter(c->obj, 0);
	assert_non_null(c->action);
}

static void count_close(struct count *c)
{
	assert_int_equal(mlx5dv_dr_action_destroy(c->action), 0);
	assert_int_equal(mlx5dv_devx_obj_destroy(c->obj), 0);
}

/* Returns whether the counter has moved since the last call. */
static bool count_moved(struct count *c)
{
	uint8_t in[PRM_QUERY_FLOW_COUNTER_IN_BYTES] = {0};
	uint8_t out[PRM_QUERY_FLOW_COUNTER_OUT_BYTES + PRM_TRAFFIC_COUNTER_BYTES];
	uint64_t before = c->seen;

	prm_query_flow_counter_in_set_opcode(in, PRM_OPCODE_QUERY_FLOW_COUNTER);
	prm_query_flow_counter_in_set_flow_counter_id(in, c->id);
	assert_int_equal(mlx5dv_devx_obj_query(c->obj, in, sizeof(in), out, sizeof(out)), 0);
	c->seen = prm_traffic_counter_get_packets(out + PRM_QUERY_FLOW_COUNTER_OUT_BYTES);
	return c->seen != before;
}

/* --- tables ------------------------------------------------------------------------------------ */

/* Match parameters with this byte in the low bits of register C of that number. */
static struct params register_is(unsigned int number, uint8_t value)
{
	struct params p = {.head = {.match_sz = PARAM_BYTES}};

	/* C0 is the last of the eight. */
	p.bytes[MISC2 * 64 + 0x160 / 8 - 4 * number + 3] = value;
	return p;
}

/* Counts by the result in this register from now on. */
static void watch(struct aso_end *a, unsigned int reg)
{
	struct params p = register_is(reg, 0xff);

	a->reg = reg;
	a->matcher[2] = mlx5dv_dr_matcher_create(a->table[2], 0, 1 << MISC2, &p.head);
	assert_non_null(a->matcher[2]);
	for (unsigned int i = 0; i < RESULTS; i++) {
		struct mlx5dv_dr_action *actions[] = {a->count[i].action, a->drop};

		p = register_is(reg, results[i]);
		a->count[i].rule = mlx5dv_dr_rule_create(a->matcher[2], &p.head, 2, actions);
		assert_non_null(a->count[i].rule);
	}
}

static void unwatch(struct aso_end *a)
{
	for (unsigned int i = 0; i < RESULTS; i++)
		assert_int_equal(mlx5dv_dr_rule_destroy(a->count[i].rule), 0);
	assert_int_equal(mlx5dv_dr_matcher_destroy(a->matcher[2]), 0);
}

/* Makes the rule of table 1: this action, then table 2. */
static struct mlx5dv_dr_rule *rule_with(struct aso_end *a, struct mlx5dv_dr_action *aso)
{
	struct params all = {.head = {.match_sz = 64}};
	struct mlx5dv_dr_action *actions[] = {aso, a->to[2]};
	struct mlx5dv_dr_rule *r = mlx5dv_dr_rule_create(a->matcher[1], &all.head, 2, actions);

	assert_non_null(r);
	assert_int_equal(mlx5dv_dr_domain_sync(a->domain, 3), 0);
	return r;
}

/* Sends one packet; returns the byte that it has in the register. */
static uint8_t result_of(struct aso_end *a, const char *hex)
{
	time_t end = patience_from_now();

	for (send_hex(&a->end, hex);;) {
		for (unsigned int i = 0; i < RESULTS; i++)
			if (count_moved(&a->count[i]))
				return results[i];
		assert_false(patience_over(end));
	}
}

static void aso_open(struct aso_end *a, enum mlx5dv_dr_domain_type type)
{
	struct params all = {.head = {.match_sz = 64}};

	a->domain = mlx5dv_dr_domain_create(a->end.ctx, type);
	assert_non_null(a->domain);
	a->drop = mlx5dv_dr_action_create_drop();
	for (unsigned int i = 0; i < 3; i++) {
		a->table[i] = mlx5dv_dr_table_create(a->domain, i);
		assert_non_null(a->table[i]);
		a->to[i] = i ? mlx5dv_dr_action_create_dest_table(a->table[i]) : NULL;
		if (i == 2)
			continue;
		a->matcher[i] = mlx5dv_dr_matcher_create(a->table[i], 0, 0, &all.head);
		assert_non_null(a->matcher[i]);
	}
	a->rule = mlx5dv_dr_rule_create(a->matcher[0], &all.head, 1, &a->to[1]);
	assert_non_null(a->rule);
}

static void aso_close(struct aso_end *a)
{
	assert_int_equal(mlx5dv_dr_rule_destroy(a->rule), 0);
	for (unsigned int i = 3; i-- > 0;) {
		if (i < 2)
			assert_int_equal(mlx5dv_dr_matcher_destroy(a->matcher[i]), 0);
		if (a->to[i])
			assert_int_equal(mlx5dv_dr_action_destroy(a->to[i]), 0);
		assert_int_equal(mlx5dv_dr_table_destroy(a->table[i]), 0);
	}
	assert_int_equal(mlx5dv_dr_action_destroy(a->drop), 0);
	assert_int_equal(mlx5dv_dr_domain_destroy(a->domain), 0);
}

/* Opens an RC queue pair that takes WQEs as they are. */
static struct ibv_qp *writer_open(struct aso_end *a)
{
	struct ibv_qp_init_attr_ex attr = {
		.send_cq = a->end.scq,
		.recv_cq = a->end.scq,
		.cap = {.max_send_wr = 8, .max_recv_wr = 1, .max_send_sge = 1, .max_recv_sge = 1},
		.qp_type = IBV_QPT_RC,
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.pd = a->end.pd,
		.send_ops_flags = IBV_QP_EX_WITH_SEND,
	};
	struct mlx5dv_qp_init_attr dv = {
		.comp_mask = MLX5DV_QP_INIT_ATTR_MASK_SEND_OPS_FLAGS,
		.send_ops_flags = MLX5DV_QP_EX_WITH_RAW_WQE,
	};
	struct ibv_qp *qp = mlx5dv_create_qp(a->end.ctx, &attr, &dv);

	assert_non_null(qp);
	assert_int_equal(verbs_qp_connect_self(qp, 1), 0);
	return qp;
}

static int aso_setup(void **state)
{
	static struct aso_end a;

	memset(&a, 0, sizeof(a));
	end_open(&a.end, 0);
	a.writer = writer_open(&a);
	for (unsigned int i = 0; i < RESULTS; i++)
		count_open(&a, &a.count[i]);
	*state = &a;
	return 0;
}

static int aso_teardown(void **state)
{
	struct aso_end *a = *state;

	for (unsigned int i = 0; i < RESULTS; i++)
		count_close(&a->count[i]);
	assert_int_equal(ibv_destroy_qp(a->writer), 0);
	end_close(&a->end);
	return 0;
}

/* --- objects ----------------------------------------------------------------------------------- */

struct aso_object {
	struct mlx5dv_devx_obj *obj;
	uint32_t id;
	uint8_t opmod;
};

/* Makes 2^log objects of a kind. */
static struct aso_object object(struct aso_end *a, uint32_t type, uint32_t log, uint8_t opmod)
{
	uint8_t in[COMMAND] = {0}, out[PRM_GENERAL_OBJ_OUT_CMD_HDR_BYTES];
	struct mlx5dv_pd pd;
	struct mlx5dv_obj obj = {.pd = {.in = a->end.pd, .out = &pd}};
	struct aso_object made = {.opmod = opmod};

	assert_int_equal(mlx5dv_init_obj(&obj, MLX5DV_OBJ_PD), 0);
	prm_general_obj_in_cmd_hdr_set_opcode(in, PRM_OPCODE_CREATE_GENERAL_OBJECT);
	prm_general_obj_in_cmd_hdr_set_obj_type(in, type);
	prm_general_obj_in_cmd_hdr_set_log_obj_range(in, log);
	prm_flow_hit_aso_set_access_pd(in + OBJECT_AT, pd.pdn);
	made.obj = mlx5dv_devx_obj_create(a->end.ctx, in, sizeof(in), out, sizeof(out));
	assert_non_null(made.obj);
	made.id = prm_general_obj_out_cmd_hdr_get_obj_id(out);
	return made;
}

/* Posts an ACCESS_ASO of the object with this index: writes the context, or reads it if NULL. */
static const uint8_t *access_context(struct aso_end *a, const struct aso_object *o, uint32_t index,
				     const uint8_t *context)
{
	struct ibv_qp_ex *qp = ibv_qp_to_qp_ex(a->writer);
	uint8_t wqe[128] = {0}, *ctrl = wqe + 16;
	struct ibv_wc wc;

	prm_wqe_ctrl_seg_set_opcode(wqe, PRM_WQE_OPCODE_ACCESS_ASO);
	prm_wqe_ctrl_seg_set_opmod(wqe, o->opmod);
	prm_wqe_ctrl_seg_set_qpn(wqe, a->writer->qp_num);
	prm_wqe_ctrl_seg_set_ds(wqe, 8);
	prm_wqe_ctrl_seg_set_ce(wqe, PRM_WQE_CE_ALWAYS);
	prm_wqe_ctrl_seg_set_general_id(wqe, o->id + index);
	prm_wqe_aso_ctrl_seg_set_data_mask_mode(ctrl, PRM_ASO_MASK_MODE_BYTEWISE_64BYTE);
	prm_wqe_aso_ctrl_seg_set_condition_0_operand(ctrl, context != NULL);
	prm_wqe_aso_ctrl_seg_set_condition_1_operand(ctrl, context != NULL);
	prm_wqe_aso_ctrl_seg_set_data_mask(ctrl, UINT64_MAX);
	prm_wqe_aso_ctrl_seg_set_va_h(ctrl, (uint32_t)((uintptr_t)slot_in(&a->end, 0) >> 32));
	prm_wqe_aso_ctrl_seg_set_va_l(ctrl, (uint32_t)(uintptr_t)slot_in(&a->end, 0) >> 1);
	prm_wqe_aso_ctrl_seg_set_read_en(ctrl, !context);
	prm_wqe_aso_ctrl_seg_set_l_key(ctrl, a->end.mr->lkey);
	if (context)
		memcpy(wqe + 64, context, 64);
	ibv_wr_start(qp);
	qp->wr_id = 77;
	qp->wr_flags = IBV_SEND_SIGNALED;
	mlx5dv_wr_raw_wqe(mlx5dv_qp_ex_from_ibv_qp_ex(qp), wqe);
	assert_int_equal(ibv_wr_complete(qp), 0);
	poll_ok(a->end.scq, 77, &wc);
	return slot_in(&a->end, 0);
}

static struct mlx5dv_dr_action *action_of(struct aso_end *a, const struct aso_object *o,
					  uint32_t offset, uint32_t flags)
{
	struct mlx5dv_dr_action *x =
		mlx5dv_dr_action_create_aso(a->domain, o->obj, offset, flags, (uint8_t)a->reg);

	assert_non_null(x);
	return x;
}

static void drop_action(struct mlx5dv_dr_rule *r, struct mlx5dv_dr_action *x)
{
	assert_int_equal(mlx5dv_dr_rule_destroy(r), 0);
	assert_int_equal(mlx5dv_dr_action_destroy(x), 0);
}

/* --- what they do ------------------------------------------------------------------------------ */

/* The first packet finds 0 and sets the bit, later ones find 1; reading alone does not set it. */
static void first_hits(struct aso_end *a)
{
	struct aso_object hits = object(a, PRM_OBJ_TYPE_ASO_FIRST_HIT, 1, 4);
	/* flow 88 of the second object: bit 0 of byte 52 */
	struct mlx5dv_dr_action *x = action_of(a, &hits, 600, 0);
	struct mlx5dv_dr_rule *r = rule_with(a, x);

	assert_int_equal(result_of(a, packets[UDP4]), 0);
	assert_int_equal(result_of(a, packets[UDP4]), 0);
	assert_int_equal(access_context(a, &hits, 1, NULL)[52], 0);
	assert_int_equal(mlx5dv_dr_rule_destroy(r), 0);
	assert_int_equal(mlx5dv_dr_action_modify_aso(
				 x, 600, MLX5DV_DR_ACTION_FLAGS_ASO_FIRST_HIT_SET, (uint8_t)a->reg),
			 0);
	r = rule_with(a, x);
	assert_int_equal(result_of(a, packets[UDP4]), 0);
	assert_int_equal(result_of(a, packets[UDP4]), 1);
	assert_int_equal(access_context(a, &hits, 1, NULL)[52], 1);
	assert_int_equal(access_context(a, &hits, 0, NULL)[52], 0);
	drop_action(r, x);
	assert_int_equal(mlx5dv_devx_obj_destroy(hits.obj), 0);
}

/*
 * Bursts of 50 bytes, and nearly no rate: two packets of 48 bytes pass, as the second leaves a debt.
 * Yellow ones take from the other bucket.
 */
static void meters(struct aso_end *a)
{
	uint8_t context[64] = {0}, *m = context + 32;
	struct aso_object meter = object(a, PRM_OBJ_TYPE_FLOW_METER_ASO, 2, 2);
	struct mlx5dv_dr_action *x;
	struct mlx5dv_dr_rule *r;

	prm_flow_meter_parameters_set_valid(m, 1);
	prm_flow_meter_parameters_set_start_color(m, PRM_METER_COLOR_UNDEFINED);
	prm_flow_meter_parameters_set_cbs_mantissa(m, 50);
	prm_flow_meter_parameters_set_ebs_mantissa(m, 50);
	prm_flow_meter_parameters_set_cir_mantissa(m, 1);
	prm_flow_meter_parameters_set_cir_exponent(m, 31);
	prm_flow_meter_parameters_set_eir_mantissa(m, 1);
	prm_flow_meter_parameters_set_eir_exponent(m, 31);
	access_context(a, &meter, 2, context);
	/* meter 1 of the third object */
	x = action_of(a, &meter, 5, MLX5DV_DR_ACTION_FLAGS_ASO_FLOW_METER_YELLOW);
	r = rule_with(a, x);
	assert_int_equal(result_of(a, packets[UDP4]), PRM_METER_COLOR_YELLOW);
	assert_int_equal(result_of(a, packets[UDP4]), PRM_METER_COLOR_YELLOW);
	assert_int_equal(result_of(a, packets[UDP4]), PRM_METER_COLOR_RED);
	assert_int_equal(mlx5dv_dr_rule_destroy(r), 0);
	assert_int_equal(mlx5dv_dr_action_modify_aso(x, 5,
						     MLX5DV_DR_ACTION_FLAGS_ASO_FLOW_METER_GREEN,
						     (uint8_t)a->reg),
			 0);
	r = rule_with(a, x);
	assert_int_equal(result_of(a, packets[UDP4]), PRM_METER_COLOR_GREEN);
	assert_int_equal(result_of(a, packets[UDP4]), PRM_METER_COLOR_GREEN);
	assert_int_equal(result_of(a, packets[UDP4]), PRM_METER_COLOR_RED);
	drop_action(r, x);
	assert_int_equal(mlx5dv_devx_obj_destroy(meter.obj), 0);
}

/*
 * An object of type 0x0a, to which a rule leads: it has the burst and the rate of the meters above,
 * colors into the register and leads on to the table. If it is not active, packets are green.
 */
static void meter_objects(struct aso_end *a)
{
	uint8_t m[PRM_FLOW_METER_PARAMETERS_BYTES] = {0};
	struct mlx5dv_dr_flow_meter_attr attr = {.next_table = a->table[2],
						 .active = 1,
						 .reg_c_index = (uint8_t)a->reg,
						 .flow_meter_parameter_sz = sizeof(m),
						 .flow_meter_parameter = m};
	struct params all = {.head = {.match_sz = 64}};
	struct mlx5dv_dr_action *x;
	struct mlx5dv_dr_rule *r;

	prm_flow_meter_parameters_set_valid(m, 1);
	prm_flow_meter_parameters_set_start_color(m, PRM_METER_COLOR_GREEN);
	prm_flow_meter_parameters_set_cbs_mantissa(m, 50);
	prm_flow_meter_parameters_set_cir_mantissa(m, 1);
	prm_flow_meter_parameters_set_cir_exponent(m, 31);
	x = mlx5dv_dr_action_create_flow_meter(&attr);
	assert_non_null(x);
	r = mlx5dv_dr_rule_create(a->matcher[1], &all.head, 1, &x);
	assert_non_null(r);
	assert_int_equal(mlx5dv_dr_domain_sync(a->domain, 3), 0);
	assert_int_equal(result_of(a, packets[UDP4]), PRM_METER_COLOR_GREEN);
	assert_int_equal(result_of(a, packets[UDP4]), PRM_METER_COLOR_GREEN);
	assert_int_equal(result_of(a, packets[UDP4]), PRM_METER_COLOR_YELLOW);
	assert_int_equal(result_of(a, packets[UDP4]), PRM_METER_COLOR_RED);
	attr.active = 0;
	assert_int_equal(mlx5dv_dr_action_modify_flow_meter(x, &attr, htobe64(1)), 0);
	assert_int_equal(result_of(a, packets[UDP4]), PRM_METER_COLOR_GREEN);
	drop_action(r, x);
}

/* TCP4 with checksums, flags and numbers of its connection's sides. */
#define TCP_PACKET(sum, ports, seq, ack, flags, tcp_sum)                                          \
	ETH "0800"                                                                                \
	    "45000028000100004006" sum "0a0000010b000002" ports seq ack "50" flags "2000" tcp_sum \
	    "0000"                                                                                \
	    "000000000000"

/*
 * A connection without a context is software's, and UDP is no packet of one. The initiator's ACK
 * establishes, its repetition is valid, and as the responder's it is outside.
 */
static void connections(struct aso_end *a)
{
	uint8_t c[64] = {0};
	struct aso_object ct = object(a, PRM_OBJ_TYPE_ASO_CT, CT_LOG, 1);
	struct mlx5dv_dr_action *x =
		action_of(a, &ct, 1, MLX5DV_DR_ACTION_FLAGS_ASO_CT_DIRECTION_RESPONDER);
	struct mlx5dv_dr_rule *r = rule_with(a, x);
	static const char ack[] =
		TCP_PACKET("65cd", "12340050", "000003e9", "00001389", "10", "50dc");

	prm_conn_track_aso_set_valid(c, 1);
	prm_conn_track_aso_set_last_index(c, PRM_CT_INDEX_SYNACK);
	prm_tcp_window_params_set_sent_end(prm_conn_track_aso_at_original_dir(c), 1001);
	prm_tcp_window_params_set_reply_end(prm_conn_track_aso_at_original_dir(c), 11001);
	prm_tcp_window_params_set_max_win(prm_conn_track_aso_at_original_dir(c), 10000);
	prm_tcp_window_params_set_sent_end(prm_conn_track_aso_at_reply_dir(c), 5001);
	prm_tcp_window_params_set_reply_end(prm_conn_track_aso_at_reply_dir(c), 5001);
	prm_tcp_window_params_set_max_win(prm_conn_track_aso_at_reply_dir(c), 10000);
	assert_int_equal(result_of(a, packets[UDP4]), 0x80);
	access_context(a, &ct, 1, c);
	assert_int_equal(result_of(a, packets[UDP4]), 0x01);
	assert_int_equal(result_of(a, ack), 0x40);
	assert_int_equal(mlx5dv_dr_rule_destroy(r), 0);
	assert_int_equal(
		mlx5dv_dr_action_modify_aso(x, 1, MLX5DV_DR_ACTION_FLAGS_ASO_CT_DIRECTION_INITIATOR,
					    (uint8_t)a->reg),
		0);
	r = rule_with(a, x);
	assert_int_equal(result_of(a, ack), 0x02);
	assert_int_equal(result_of(a, ack), 0x00);
	drop_action(r, x);
	assert_int_equal(mlx5dv_devx_obj_destroy(ct.obj), 0);
}

static void all_kinds(struct aso_end *a, enum mlx5dv_dr_domain_type type)
{
	aso_open(a, type);
	for (unsigned int reg = 1; reg < 6; reg += 2) {
		watch(a, reg);
		first_hits(a);
		meters(a);
		connections(a);
		unwatch(a);
	}
	aso_close(a);
}

static void all_meter_objects(struct aso_end *a, enum mlx5dv_dr_domain_type type)
{
	aso_open(a, type);
	for (unsigned int reg = 2; reg < 6; reg++) {
		watch(a, reg);
		meter_objects(a);
		unwatch(a);
	}
	aso_close(a);
}

TEST(aso, received_meter_objects)
{
	all_meter_objects(a, MLX5DV_DR_DOMAIN_TYPE_NIC_RX);
}

TEST(aso, sent_meter_objects)
{
	all_meter_objects(a, MLX5DV_DR_DOMAIN_TYPE_NIC_TX);
}

TEST(aso, received)
{
	all_kinds(a, MLX5DV_DR_DOMAIN_TYPE_NIC_RX);
}

TEST(aso, sent)
{
	all_kinds(a, MLX5DV_DR_DOMAIN_TYPE_NIC_TX);
}
