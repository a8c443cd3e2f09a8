/* SPDX-License-Identifier: BSD-2-Clause */
#include "uverbs.h"

#include <endian.h>
#include <dvx/prm/cmd.h>
#include <dvx/prm/eth.h>
#include <dvx/prm/flow.h>
#include <dvx/prm/match.h>

#define DESCS_AT 0x70000u

static void fill_param(uint8_t param[64], uint32_t port)
{
	memset(param, 0, 64);
	prm_fte_match_set_lyr_2_4_set_udp_dport(param, port);
}

void make_matcher(void)
{
	uint8_t param[64];
	struct request r;

	fill_param(param, any(3) ? 0xffff : 3);
	rq_init(&r, MLX5_IB_OBJECT_FLOW_MATCHER, MLX5_IB_METHOD_FLOW_MATCHER_CREATE);
	rq_handle(&r, MLX5_IB_ATTR_FLOW_MATCHER_CREATE_HANDLE, 0);
	rq_in(&r, MLX5_IB_ATTR_FLOW_MATCHER_MATCH_MASK, param, sizeof(param));
	rq_value(&r, MLX5_IB_ATTR_FLOW_MATCHER_FLOW_TYPE, any(4), 2);
	rq_value(&r, MLX5_IB_ATTR_FLOW_MATCHER_MATCH_CRITERIA, 1, 1);
	rq_value(&r, MLX5_IB_ATTR_FLOW_MATCHER_FT_TYPE, !any(4), 8);
	run_request(&r);
}

void make_flow(void)
{
	uint32_t counter = handle(&devx_obj_class), action = handle(&flow_action_class);
	uint8_t param[64];
	struct request r;

	fill_param(param, any(4));
	rq_init(&r, UVERBS_OBJECT_FLOW, MLX5_IB_METHOD_CREATE_FLOW);
	rq_handle(&r, MLX5_IB_ATTR_CREATE_FLOW_HANDLE, 0);
	rq_in(&r, MLX5_IB_ATTR_CREATE_FLOW_MATCH_VALUE, param, sizeof(param));
	rq_handle(&r, MLX5_IB_ATTR_CREATE_FLOW_MATCHER, handle(&matcher_class));
	switch (any(4)) {
	case 0:
		rq_handle(&r, MLX5_IB_ATTR_CREATE_FLOW_DEST_DEVX, handle(&devx_obj_class));
		break;
	case 1:
		rq_value(&r, MLX5_IB_ATTR_CREATE_FLOW_FLAGS, 1 + any(2), 4);
		break;
	default:
		rq_handle(&r, MLX5_IB_ATTR_CREATE_FLOW_DEST_QP, handle(&qp_class));
	}
	if (!any(3))
		rq_in(&r, MLX5_IB_ATTR_CREATE_FLOW_ARR_COUNTERS_DEVX, &counter, 4);
	if (!any(4))
		rq_in(&r, MLX5_IB_ATTR_CREATE_FLOW_ARR_FLOW_ACTIONS, &action, 4);
	if (any(2))
		rq_value(&r, MLX5_IB_ATTR_CREATE_FLOW_TAG, any(3), 4);
	run_request(&r);
}

struct verbs_flow {
	struct ib_uverbs_create_flow head;
	struct ib_uverbs_flow_spec_eth eth;
	struct ib_uverbs_flow_spec_tcp_udp udp;
	struct ib_uverbs_flow_spec_action_count count;
};

void make_verbs_flow(void)
{
	struct verbs_flow v = {.head = {.qp_handle = handle(&qp_class)}};
	struct {
		struct mlx5_ib_create_flow head;
		struct mlx5_ib_flow_counters_data data;
	} uhw = {.head.ncounters_data = any(2),
		 .data = {.counters_data = (uintptr_t)f->mem + DESCS_AT, .ncounters = 2}};
	bool normal = any(4), counted = any(2);
	struct request r;

	v.head.flow_attr.port = 1;
	v.head.flow_attr.type = normal ? 0 : (uint32_t)(1 + any(2));
	v.head.flow_attr.priority = (uint16_t)any(4);
	v.head.flow_attr.flags = any(2) << 1 | (any(4) ? 0 : 4);
	v.head.flow_attr.num_of_specs = (uint8_t)(normal ? 2 + counted : 0);
	v.head.flow_attr.size =
		(uint16_t)(normal ? sizeof(v) - sizeof(v.head) - (counted ? 0 : sizeof(v.count))
				  : 0);
	v.eth.type = 0x20;
	v.eth.size = sizeof(v.eth);
	v.eth.val.dst_mac[0] = v.eth.mask.dst_mac[0] = (uint8_t)!any(4);
	v.udp.type = 0x41;
	v.udp.size = sizeof(v.udp);
	v.udp.val.dst_port = htobe16((uint16_t)any(4));
	v.udp.mask.dst_port = 0xffff;
	v.count.type = 0x1003;
	v.count.size = sizeof(v.count);
	v.count.handle = handle(&counters_class);
	rq_init(&r, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_INVOKE_WRITE);
	rq_in(&r, UVERBS_ATTR_CORE_IN, &v, sizeof(v.head) + v.head.flow_attr.size);
	rq_out(&r, UVERBS_ATTR_CORE_OUT, sizeof(struct ib_uverbs_create_flow_resp));
	rq_value(&r, UVERBS_ATTR_WRITE_CMD,
		 IB_USER_VERBS_EX_CMD_CREATE_FLOW | IB_USER_VERBS_CMD_FLAG_EXTENDED, 8);
	rq_in(&r, UVERBS_ATTR_UHW_IN, &uhw,
	      sizeof(uhw.head) + uhw.head.ncounters_data * sizeof(uhw.data));
	run_request(&r);
}

void make_counters(void)
{
	struct request r;

	rq_init(&r, UVERBS_OBJECT_COUNTERS, UVERBS_METHOD_COUNTERS_CREATE);
	rq_handle(&r, UVERBS_ATTR_CREATE_COUNTERS_HANDLE, 0);
	run_request(&r);
}

void make_action(void)
{
	uint8_t ttl[8] = {0};
	struct request r;

	prm_set_action_in_set_action_type(ttl, PRM_ACTION_TYPE_SET);
	prm_set_action_in_set_field(ttl, PRM_MODIFY_FIELD_OUT_UDP_DPORT);
	prm_set_action_in_set_data(ttl, any(4));
	prm_set_action_in_set_length(ttl, 16);
	rq_init(&r, UVERBS_OBJECT_FLOW_ACTION, MLX5_IB_METHOD_FLOW_ACTION_CREATE_MODIFY_HEADER);
	rq_handle(&r, MLX5_IB_ATTR_CREATE_MODIFY_HEADER_HANDLE, 0);
	rq_in(&r, MLX5_IB_ATTR_CREATE_MODIFY_HEADER_ACTIONS_PRM, ttl, sizeof(ttl));
	rq_value(&r, MLX5_IB_ATTR_CREATE_MODIFY_HEADER_FT_TYPE, any(2), 8);
	run_request(&r);
}

void make_anchor(void)
{
	struct request r;

	rq_init(&r, MLX5_IB_OBJECT_STEERING_ANCHOR, MLX5_IB_METHOD_STEERING_ANCHOR_CREATE);
	rq_handle(&r, MLX5_IB_ATTR_STEERING_ANCHOR_CREATE_HANDLE, 0);
	rq_value(&r, MLX5_IB_ATTR_STEERING_ANCHOR_FT_TYPE, any(2), 8);
	rq_value(&r, MLX5_IB_ATTR_STEERING_ANCHOR_PRIORITY, any(3), 2);
	rq_out(&r, MLX5_IB_ATTR_STEERING_ANCHOR_FT_ID, 4);
	run_request(&r);
}

static void devx_create(const void *in, size_t len)
{
	struct request r;

	rq_init(&r, MLX5_IB_OBJECT_DEVX_OBJ, MLX5_IB_METHOD_DEVX_OBJ_CREATE);
	rq_handle(&r, MLX5_IB_ATTR_DEVX_OBJ_CREATE_HANDLE, 0);
	rq_in(&r, MLX5_IB_ATTR_DEVX_OBJ_CREATE_CMD_IN, in, len);
	rq_out(&r, MLX5_IB_ATTR_DEVX_OBJ_CREATE_CMD_OUT, 16);
	run_request(&r);
}

void make_devx_counter(void)
{
	uint8_t in[PRM_ALLOC_FLOW_COUNTER_IN_BYTES] = {0};

	prm_alloc_flow_counter_in_set_opcode(in, PRM_OPCODE_ALLOC_FLOW_COUNTER);
	prm_alloc_flow_counter_in_set_flow_counter_bulk(in, any(2));
	devx_create(in, sizeof(in));
}

void make_devx_tir(void)
{
	uint8_t in[PRM_CREATE_TIR_IN_BYTES] = {0};
	void *tirc = prm_create_tir_in_at_ctx(in);
	const struct uverbs_wq *wq = (struct uverbs_wq *)pick(&wq_class);
	const struct uverbs_wq_table *t = (struct uverbs_wq_table *)pick(&wq_table_class);

	prm_create_tir_in_set_opcode(in, PRM_OPCODE_CREATE_TIR);
	if (wq && any(2)) {
		prm_tirc_set_inline_rqn(tirc, wq->q.u.number);
	} else if (t) {
		prm_tirc_set_disp_type(tirc, PRM_TIRC_DISP_TYPE_INDIRECT);
		prm_tirc_set_indirect_table(tirc, t->u.number);
	}
	devx_create(in, sizeof(in));
}

void make_devx_flow_table(void)
{
	uint8_t in[PRM_CREATE_FLOW_TABLE_IN_BYTES] = {0};

	prm_create_flow_table_in_set_opcode(in, PRM_OPCODE_CREATE_FLOW_TABLE);
	prm_create_flow_table_in_set_table_type(in, any(2));
	prm_flow_table_context_set_level(prm_create_flow_table_in_at_flow_table_context(in),
					 60 + any(4));
	devx_create(in, sizeof(in));
}
