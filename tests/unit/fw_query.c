/* SPDX-License-Identifier: BSD-2-Clause */
/* What the device says of itself: capability pages, identities, GIDs, the other function. */
#include "tests/test.h"
#include "fw_fixture.h"
#include <dvx/prm/vport.h>
#include "obj/icm.h"
#include "fw/cmd.h"

#define TEST_FIXTURE {fx_setup, fx_teardown}

static uint8_t query_cap(struct fx *f, struct vhca *v, uint32_t type, uint32_t current)
{
	uint8_t in[PRM_QUERY_HCA_CAP_IN_BYTES] = {0};

	prm_query_hca_cap_in_set_op_mod(in, type << 1 | current);
	return fx_exec(f, v, PRM_OPCODE_QUERY_HCA_CAP, FX_UID, in, sizeof(in),
		       PRM_QUERY_HCA_CAP_OUT_BYTES);
}

/* Every page that libmlx5 asks for at open exists; others are refused. Both modes agree. */
TEST_F(pages)
{
	static const uint16_t known[] = {0, 1, 2, 3, 4, 7, 8, 9, 0xc, 0xf, 0x1a, 0x20};
	struct fx *f = *state;
	static uint8_t max[sizeof(f->out)];
	unsigned int refused = 0;

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		assert_int_equal(query_cap(f, f->v, known[i], 0), 0);
		memcpy(max, f->out, sizeof(max));
		assert_int_equal(query_cap(f, f->v, known[i], 1), 0);
		assert_memory_equal(max, f->out, sizeof(max));
	}
	for (uint32_t type = 0; type < 0x8000; type += type < 0x100 ? 1 : 0x1001)
		if (query_cap(f, f->v, type, 1)) {
			assert_int_equal(f->syndrome, FW_SYN_CAP_PAGE);
			refused++;
		}
	assert_true(refused > 240);
}

/* Capabilities report what is implemented, and follow the profile. */
TEST_F(truthful)
{
	struct fx *f = *state;
	const void *cap = prm_query_hca_cap_out_cat_capability(f->out);

	assert_int_equal(query_cap(f, f->v, 0, 1), 0);
	assert_int_equal(prm_cmd_hca_cap_get_vhca_id(cap), f->v->id);
	assert_int_equal(prm_cmd_hca_cap_get_rc(cap), 1);
	assert_int_equal(prm_cmd_hca_cap_get_uc(cap), 1);
	assert_int_equal(prm_cmd_hca_cap_get_ud(cap) + prm_cmd_hca_cap_get_xrc(cap) +
				 prm_cmd_hca_cap_get_dct(cap),
			 0);
	assert_int_equal(prm_cmd_hca_cap_get_log_max_srq(cap), 0);
	assert_int_equal(prm_cmd_hca_cap_get_cq_moderation(cap), 0);
	assert_int_equal(prm_cmd_hca_cap_get_cqe_version(cap), 1);
	assert_int_equal(prm_cmd_hca_cap_get_dma_mmo_qp(cap), 1);
	assert_int_equal(prm_cmd_hca_cap_get_log_dma_mmo_max_size(cap), 21);
	assert_int_equal(prm_cmd_hca_cap_get_eswitch_manager(cap), 0);
	assert_int_equal(query_cap(f, f->dpu, 0, 1), 0);
	assert_int_equal(prm_cmd_hca_cap_get_vhca_id(cap), f->dpu->id);
	assert_int_equal(prm_cmd_hca_cap_get_eswitch_manager(cap), 1);
	assert_int_equal(query_cap(f, f->v, 0x20, 1), 0);
	assert_int_equal(prm_cmd_hca_cap_2_get_cross_vhca_object_to_object_supported(cap), 0x100);
	assert_int_equal(prm_cmd_hca_cap_2_get_allowed_object_for_other_vhca_access(cap), 4);
	f->profile.dma_mmo = f->profile.allow_mkey = f->profile.cross_vhca = false;
	assert_int_equal(query_cap(f, f->v, 0x20, 1), 0);
	assert_int_equal(prm_cmd_hca_cap_2_get_cross_vhca_object_to_object_supported(cap), 0);
	assert_int_equal(prm_cmd_hca_cap_2_get_allowed_object_for_other_vhca_access(cap), 0);
	assert_int_equal(query_cap(f, f->v, 0, 1), 0);
	assert_int_equal(prm_cmd_hca_cap_get_dma_mmo_qp(cap), 0);
	f->profile.fl_rc_qp = f->profile.sw_owner_tx = false;
	assert_int_equal(query_cap(f, f->v, 0, 1), 0);
	assert_int_equal(prm_cmd_hca_cap_get_fl_rc_qp_when_roce_disabled(cap), 0);
	assert_int_equal(query_cap(f, f->v, 4, 1), 0);
	assert_int_equal(prm_roce_cap_get_fl_rc_qp_when_roce_enabled(cap), 0);
	assert_int_equal(query_cap(f, f->v, 7, 1), 0);
	assert_int_equal(
		prm_flow_table_prop_layout_get_sw_owner_v2(
			prm_flow_table_nic_cap_cat_flow_table_properties_nic_transmit(cap)),
		0);
	assert_int_equal(
		prm_flow_table_prop_layout_get_sw_owner_v2(
			prm_flow_table_nic_cap_cat_flow_table_properties_nic_receive(cap)),
		1);
}

/* A reply with less room gets as much of the page as fits (rdma-core's tests: 2 KiB). */
TEST_F(cut_page)
{
	struct fx *f = *state;
	uint8_t in[PRM_QUERY_HCA_CAP_IN_BYTES] = {0}, whole[2064];

	assert_int_equal(query_cap(f, f->v, 0, 0), 0);
	memcpy(whole, f->out, sizeof(whole));
	for (size_t room = 16; room <= sizeof(whole); room += 64) {
		assert_int_equal(
			fx_exec(f, f->v, PRM_OPCODE_QUERY_HCA_CAP, FX_UID, in, sizeof(in), room),
			0);
		assert_memory_equal(f->out, whole, room);
	}
	assert_int_equal(fx_exec(f, f->v, PRM_OPCODE_QUERY_HCA_CAP, FX_UID, in, sizeof(in), 12),
			 PRM_STATUS_BAD_OUTP_LEN);
}

TEST_F(other_function)
{
	struct fx *f = *state;
	uint8_t in[PRM_QUERY_HCA_CAP_IN_BYTES] = {0};

	prm_query_hca_cap_in_set_other_function(in, 1);
	assert_int_equal(fx_exec(f, f->v, PRM_OPCODE_QUERY_HCA_CAP, FX_UID, in, sizeof(in),
				 PRM_QUERY_HCA_CAP_OUT_BYTES),
			 PRM_STATUS_BAD_PARAM);
	assert_int_equal(f->syndrome, FW_SYN_FUNCTION);
}

/* The board says that it is an emulator. */
TEST_F(adapter)
{
	struct fx *f = *state;

	assert_int_equal(fx_number(f, f->v, PRM_OPCODE_QUERY_ADAPTER, FX_UID, 0,
				   PRM_QUERY_ADAPTER_OUT_BYTES),
			 0);
	const void *p = prm_query_adapter_out_cat_query_adapter_struct(f->out);

	assert_memory_equal(prm_query_adapter_param_block_cat_vsd_contd_psid(p), "dvx-sim", 8);
}

TEST_F(vport)
{
	struct fx *f = *state;
	uint8_t in[16] = {0};

	assert_int_equal(fx_exec(f, f->v, PRM_OPCODE_QUERY_NIC_VPORT_CONTEXT, FX_UID, in, 16,
				 PRM_QUERY_NIC_VPORT_CONTEXT_OUT_BYTES),
			 0);
	const void *ctx = prm_query_nic_vport_context_out_cat_nic_vport_context(f->out);
	const void *mac = prm_nic_vport_context_cat_permanent_address(ctx);

	assert_int_equal(prm_mac_address_layout_get_mac_addr_47_32(mac), prm_load16(f->v->mac, 0));
	assert_int_equal(prm_mac_address_layout_get_mac_addr_31_0(mac), prm_load32(f->v->mac, 2));
	assert_true(prm_nic_vport_context_get_node_guid(ctx) == f->v->guid);
	prm_query_nic_vport_context_in_set_other_vport(in, 1);
	assert_int_equal(fx_exec(f, f->v, PRM_OPCODE_QUERY_NIC_VPORT_CONTEXT, FX_UID, in, 16,
				 PRM_QUERY_NIC_VPORT_CONTEXT_OUT_BYTES),
			 PRM_STATUS_BAD_PARAM);
	assert_int_equal(f->syndrome, FW_SYN_FUNCTION);
	memset(in, 0, sizeof(in));
	assert_int_equal(fx_exec(f, f->v, PRM_OPCODE_QUERY_HCA_VPORT_CONTEXT, FX_UID, in, 16,
				 PRM_QUERY_HCA_VPORT_CONTEXT_OUT_BYTES),
			 0);
	assert_int_equal(prm_hca_vport_context_get_vport_state(
				 prm_query_hca_vport_context_out_cat_hca_vport_context(f->out)),
			 4);
}

TEST_F(roce_addresses)
{
	struct fx *f = *state;
	const void *a = prm_query_roce_address_out_cat_roce_address(f->out);
	uint8_t in[16] = {0};

	for (unsigned int i = 0; i < VHCA_GIDS; i++) {
		prm_query_roce_address_in_set_roce_address_index(in, i);
		assert_int_equal(fx_exec(f, f->v, PRM_OPCODE_QUERY_ROCE_ADDRESS, FX_UID, in, 16,
					 PRM_QUERY_ROCE_ADDRESS_OUT_BYTES),
				 0);
		assert_memory_equal(prm_roce_addr_layout_cat_source_l3_address(a),
				    f->v->gids[i].gid, 16);
		assert_int_equal(prm_roce_addr_layout_get_roce_version(a), i % 2 ? 2 : 0);
		/* IPv4 only in the v2 entry of ::ffff:a.b.c.d */
		assert_int_equal(prm_roce_addr_layout_get_roce_l3_type(a), i == 1);
	}
	prm_query_roce_address_in_set_roce_address_index(in, VHCA_GIDS);
	assert_int_equal(fx_exec(f, f->v, PRM_OPCODE_QUERY_ROCE_ADDRESS, FX_UID, in, 16,
				 PRM_QUERY_ROCE_ADDRESS_OUT_BYTES),
			 PRM_STATUS_BAD_PARAM);
}

/* The DPU learns the host's vhca_id here, and can check a ticket against it. */
TEST_F(esw_functions)
{
	struct fx *f = *state;
	const void *h = prm_query_esw_functions_out_cat_host_params_context(f->out);

	assert_int_equal(fx_number(f, f->v, PRM_OPCODE_QUERY_ESW_FUNCTIONS, FX_UID, 0,
				   PRM_QUERY_ESW_FUNCTIONS_OUT_BYTES),
			 PRM_STATUS_BAD_OP);
	assert_int_equal(fx_number(f, f->dpu, PRM_OPCODE_QUERY_ESW_FUNCTIONS, FX_UID, 0,
				   PRM_QUERY_ESW_FUNCTIONS_OUT_BYTES),
			 0);
	assert_int_equal(prm_host_params_context_get_host_pf_vhca_id_valid(h), 1);
	assert_int_equal(prm_host_params_context_get_host_pf_vhca_id(h), f->v->id);
}

/* libmlx5 asks for it on the manager before any domain; other vports do not exist. */
TEST_F(esw_vport)
{
	struct fx *f = *state;
	const size_t len = PRM_QUERY_ESW_VPORT_CONTEXT_OUT_BYTES;
	const void *ctx = prm_query_esw_vport_context_out_cat_esw_vport_context(f->out);
	uint8_t in[PRM_QUERY_ESW_VPORT_CONTEXT_IN_BYTES] = {0};

	assert_int_equal(fx_exec(f, f->v, PRM_OPCODE_QUERY_ESW_VPORT_CONTEXT, FX_UID, in,
				 sizeof(in), len),
			 PRM_STATUS_BAD_OP);
	assert_int_equal(fx_exec(f, f->dpu, PRM_OPCODE_QUERY_ESW_VPORT_CONTEXT, FX_UID, in,
				 sizeof(in), len),
			 0);
	assert_int_equal(icm_kind(prm_esw_vport_context_get_sw_steering_vport_icm_address_rx(ctx)),
			 ICM_VPORT);
	prm_query_esw_vport_context_in_set_other_vport(in, 1);
	assert_int_equal(fx_exec(f, f->dpu, PRM_OPCODE_QUERY_ESW_VPORT_CONTEXT, FX_UID, in,
				 sizeof(in), len),
			 PRM_STATUS_BAD_PARAM);
}

/* What libmlx5 needs for domains of format 1: sizes, regions that do not meet, places to end. */
TEST_F(steering)
{
	struct fx *f = *state;
	const void *cap = prm_query_hca_cap_out_cat_capability(f->out);
	const void *rx, *tx;

	assert_int_equal(query_cap(f, f->v, 0, 1), 0);
	assert_int_equal(prm_cmd_hca_cap_get_steering_format_version(cap), 1);
	assert_int_equal(prm_cmd_hca_cap_get_match_definer_format_supported(cap), 0);
	assert_true(prm_cmd_hca_cap_get_general_obj_types(cap) >> PRM_OBJ_TYPE_SW_ICM & 1);
	f->profile.log_ste_icm = 28;
	assert_int_equal(query_cap(f, f->v, PRM_HCA_CAP_TYPE_DEV_MEM, 1), 0);
	assert_int_equal(prm_device_mem_cap_get_log_steering_sw_icm_size(cap), 28);
	assert_int_equal(prm_device_mem_cap_get_steering_sw_icm_start_address(cap),
			 icm_addr(ICM_STE, 0));
	assert_int_equal(prm_device_mem_cap_get_header_modify_sw_icm_start_address(cap),
			 icm_addr(ICM_MODIFY, 0));
	assert_int_equal(prm_device_mem_cap_get_header_modify_pattern_sw_icm_start_address(cap), 0);
	assert_int_equal(prm_device_mem_cap_get_log_indirect_encap_sw_icm_size(cap), 0);
	assert_int_equal(prm_device_mem_cap_get_memic(cap), 0);
	assert_int_equal(query_cap(f, f->v, PRM_HCA_CAP_TYPE_FLOW_TABLE, 1), 0);
	rx = prm_flow_table_nic_cap_cat_flow_table_properties_nic_receive(cap);
	tx = prm_flow_table_nic_cap_cat_flow_table_properties_nic_transmit(cap);
	assert_int_equal(prm_flow_table_prop_layout_get_sw_owner_v2(rx), 1);
	assert_int_equal(prm_flow_table_prop_layout_get_sw_owner_v2(tx), 1);
	assert_int_equal(icm_kind(
				 prm_flow_table_nic_cap_get_sw_steering_nic_rx_action_drop_icm_address(
					 cap)),
			 ICM_END);
}
