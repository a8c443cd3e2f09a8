/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves queries: capability pages, identities, GIDs, the other function. */
#include "tests/test.h"
#include "fw_fixture.h"
#include <dvx/prm/vport.h>
#include "obj/icm.h"
#include "obj/memic.h"
#include "fw/cmd.h"

/* Queries the current or the maximum values. */
static uint8_t query_cap(struct fx *f, struct vhca *v, uint32_t type, uint32_t current)
{
	return fx_cmd(f, v, PRM_OPCODE_QUERY_HCA_CAP, FX_UID,
		      FX_FIELDS({"op_mod", type << 1 | current}));
}

/* Asserts values in the function's page of this type. */
#define CAP(f, v, type, ...)                                                                  \
	do {                                                                                  \
		assert_int_equal(query_cap(f, v, type, 1), 0);                                \
		fx_holds(prm_capability(type), prm_query_hca_cap_out_at_capability((f)->out), \
			 FX_FIELDS(__VA_ARGS__));                                             \
	} while (0)

#define RX "flow_table_properties_nic_receive."
#define TX "flow_table_properties_nic_transmit."

/* Every page that libmlx5 queries at open exists; others are refused. Both modes agree. */
TEST(fx, pages)
{
	static const uint16_t known[] = {0, 1, 2, 3, 4, 7, 8, 9, 0xc, 0xf, 0x1a, 0x20};
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
TEST(fx, truthful)
{
	CAP(f, f->v, 0, {"vhca_id", f->v->id}, {"rc", 1}, {"uc", 1}, {"ud", 1}, {"xrc", 1},
	    {"dct", 1}, {"log_max_srq", 18}, {"log_max_rmp", 18}, {"cq_moderation", 1},
	    {"cqe_version", 1}, {"dma_mmo_qp", 1}, {"log_dma_mmo_max_size", 21},
	    {"eswitch_manager", 0}, {"gid_table_size", 0}, {"log_max_current_uc_list", 7},
	    {"log_max_current_mc_list", 7});
	/* Linux's MLX5_ROCE_L3_TYPE_IPV4_CAP and _IPV6_CAP: without one of them a port has no RoCE */
	CAP(f, f->v, 4, {"l3_type", 1 << 1 | 1 << 2}, {"roce_version", 5});
	CAP(f, f->dpu, 0, {"vhca_id", f->dpu->id}, {"eswitch_manager", 1});
	CAP(f, f->v, 0x20, {"cross_vhca_object_to_object_supported", 0x100},
	    {"allowed_object_for_other_vhca_access", 4});
	f->profile.dma_mmo = f->profile.allow_mkey = f->profile.cross_vhca = false;
	CAP(f, f->v, 0x20, {"cross_vhca_object_to_object_supported", 0},
	    {"allowed_object_for_other_vhca_access", 0});
	CAP(f, f->v, 0, {"dma_mmo_qp", 0});
	f->profile.fl_rc_qp = f->profile.sw_owner_tx = false;
	CAP(f, f->v, 0, {"fl_rc_qp_when_roce_disabled", 0});
	CAP(f, f->v, 4, {"fl_rc_qp_when_roce_enabled", 0});
	CAP(f, f->v, 7, {TX "sw_owner_v2", 0}, {RX "sw_owner_v2", 1});
	CAP(f, f->v, 1, {"enhanced_multi_pkt_send_wqe", 1}, {"wqe_inline_mode", 2});
	f->profile.wqe_inline_l2 = true;
	CAP(f, f->v, 1, {"enhanced_multi_pkt_send_wqe", 0}, {"wqe_inline_mode", 0});
}

/* With one port there is no bond, which QUERY_LAG reports with success (UCX queries it at open). */
TEST(fx, lag)
{
	assert_int_equal(FX(f, QUERY_LAG), 0);
	FX_ASSERT_REPLY(f, QUERY_LAG, {"ctx.lag_state", 0});
	CAP(f, f->v, 0, {"num_lag_ports", 0}, {"lag_master", 0}, {"lag_tx_port_affinity", 0});
}

/* A reply with less room gets as much of the page as fits (rdma-core's tests: 2 KiB). */
TEST(fx, cut_page)
{
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

/* Only the e-switch's manager may ask for another function, by its vport. */
TEST(fx, other_function)
{
	const uint16_t op = PRM_OPCODE_QUERY_HCA_CAP;

	assert_int_equal(FX(f, QUERY_HCA_CAP, {"other_function", 1}), BAD);
	assert_int_equal(f->syndrome, FW_SYN_FUNCTION);
	assert_int_equal(fx_cmd(f, f->dpu, op, FX_UID, FX_FIELDS({"other_function", 1})), 0);
	fx_holds(prm_capability(0), prm_query_hca_cap_out_at_capability(f->out),
		 FX_FIELDS({"vhca_id", f->v->id}, {"eswitch_manager", 0}));
	assert_int_equal(fx_cmd(f, f->dpu, op, FX_UID,
				FX_FIELDS({"other_function", 1}, {"function_id", VPORT_ECPF})),
			 0);
	fx_holds(prm_capability(0), prm_query_hca_cap_out_at_capability(f->out),
		 FX_FIELDS({"vhca_id", f->dpu->id}, {"eswitch_manager", 1}));
	assert_int_equal(
		fx_cmd(f, f->dpu, op, FX_UID, FX_FIELDS({"other_function", 1}, {"function_id", 1})),
		0);
	fx_holds(prm_capability(0), prm_query_hca_cap_out_at_capability(f->out),
		 FX_FIELDS({"vhca_id", f->vf->id}, {"eswitch_manager", 0},
			   {"vport_group_manager", 0}));
	assert_int_equal(fx_cmd(f, f->dpu, op, FX_UID, FX_FIELDS({"function_id", 1})), BAD);
	assert_int_equal(
		fx_cmd(f, f->dpu, op, FX_UID, FX_FIELDS({"other_function", 1}, {"function_id", 2})),
		BAD);
	assert_true(test_logged(f->log, "vport_number 0x2: no function has this vport"));
	assert_int_equal(
		fx_cmd(f, f->vf, op, FX_UID, FX_FIELDS({"other_function", 1}, {"function_id", 1})),
		BAD);
	assert_true(test_logged(f->log, "this function manages only itself"));
}

/* The board's name shows that it is emulated. */
TEST(fx, adapter)
{
	const void *p = prm_query_adapter_out_cat_query_adapter_struct(f->out);

	assert_int_equal(FX(f, QUERY_ADAPTER), 0);
	assert_memory_equal(prm_query_adapter_param_block_cat_vsd_contd_psid(p), "dvx-sim", 8);
}

TEST(fx, vport)
{
	assert_int_equal(FX(f, QUERY_NIC_VPORT_CONTEXT), 0);
	FX_ASSERT_REPLY(
		f, QUERY_NIC_VPORT_CONTEXT,
		{"nic_vport_context.permanent_address.mac_addr_47_32", prm_load16(f->v->mac, 0)},
		{"nic_vport_context.permanent_address.mac_addr_31_0", prm_load32(f->v->mac, 2)},
		{"nic_vport_context.node_guid", f->v->guid});
	assert_int_equal(FX(f, QUERY_NIC_VPORT_CONTEXT, {"other_vport", 1}), BAD);
	assert_int_equal(f->syndrome, FW_SYN_FUNCTION);
	assert_int_equal(FX(f, QUERY_HCA_VPORT_CONTEXT), 0);
	FX_ASSERT_REPLY(f, QUERY_HCA_VPORT_CONTEXT, {"hca_vport_context.vport_state", 4});
	assert_int_equal(fx_cmd(f, f->dpu, PRM_OPCODE_QUERY_NIC_VPORT_CONTEXT, FX_UID,
				FX_FIELDS({"other_vport", 1})),
			 0);
	FX_ASSERT_REPLY(f, QUERY_NIC_VPORT_CONTEXT, {"nic_vport_context.node_guid", f->v->guid});
	assert_int_equal(fx_cmd(f, f->dpu, PRM_OPCODE_QUERY_NIC_VPORT_CONTEXT, FX_UID,
				FX_FIELDS({"other_vport", 1}, {"vport_number", 1})),
			 0);
	FX_ASSERT_REPLY(f, QUERY_NIC_VPORT_CONTEXT, {"nic_vport_context.node_guid", f->vf->guid});
}

TEST(fx, roce_addresses)
{
	const void *a = prm_query_roce_address_out_cat_roce_address(f->out);

	for (unsigned int i = 0; i < VHCA_OWN_GIDS; i++) {
		assert_int_equal(FX(f, QUERY_ROCE_ADDRESS, {"roce_address_index", i}), 0);
		assert_memory_equal(prm_roce_addr_layout_cat_source_l3_address(a),
				    f->v->gids[i].gid, 16);
		/* IPv4 only in the v2 entry of ::ffff:a.b.c.d */
		FX_ASSERT_REPLY(f, QUERY_ROCE_ADDRESS, {"roce_address.roce_version", i % 2 ? 2 : 0},
				{"roce_address.roce_l3_type", i == 1});
	}
	assert_int_equal(FX(f, QUERY_ROCE_ADDRESS, {"roce_address_index", VHCA_GIDS}), BAD);
}

/*
 * The DPU gets the host's vhca_id, to check a ticket against it. libmlx5 44's reply has room for 120
 * bytes.
 */
TEST(fx, esw_functions)
{
	const uint16_t op = PRM_OPCODE_QUERY_ESW_FUNCTIONS;
	uint8_t in[PRM_QUERY_ESW_FUNCTIONS_IN_BYTES] = {0};

	assert_int_equal(fx_cmd(f, f->v, op, FX_UID, FX_FIELDS({0})), PRM_STATUS_BAD_OP);
	assert_int_equal(fx_cmd(f, f->dpu, op, FX_UID, FX_FIELDS({0})), 0);
	FX_ASSERT_REPLY(f, QUERY_ESW_FUNCTIONS, {"host_params_context.host_pf_vhca_id_valid", 1},
			{"host_params_context.host_pf_vhca_id", f->v->id},
			{"host_params_context.host_num_of_vfs", 1});
	assert_int_equal(fx_exec(f, f->dpu, op, FX_UID, in, sizeof(in), 120), 0);
	FX_ASSERT_REPLY(f, QUERY_ESW_FUNCTIONS, {"host_params_context.host_pf_vhca_id", f->v->id});
	assert_int_equal(fx_exec(f, f->dpu, op, FX_UID, in, sizeof(in), 72),
			 PRM_STATUS_BAD_OUTP_LEN);
}

static void assert_vport(struct fx *f, uint16_t vport, uint64_t other, uint64_t number)
{
#define CTX "esw_vport_context.sw_steering_vport_icm_address_"
	assert_int_equal(fx_cmd(f, f->dpu, PRM_OPCODE_QUERY_ESW_VPORT_CONTEXT, FX_UID,
				FX_FIELDS({"other_vport", other}, {"vport_number", number})),
			 0);
	FX_ASSERT_REPLY(f, QUERY_ESW_VPORT_CONTEXT, {CTX "rx", icm_vport(vport, false)},
			{CTX "tx", icm_vport(vport, true)});
}

/* The manager's capabilities have the number of SFs and their first vport, its list a bit of each. */
TEST(none, sub_functions)
{
	const uint8_t list[16] = {[7] = 0xff, [6] = 0x03};
	uint8_t in[PRM_QUERY_ESW_FUNCTIONS_IN_BYTES] = {0};
	void *state = NULL;
	struct fx *f;

	fx_setup_sfs(&state, 10);
	f = state;
	CAP(f, f->dpu, 0, {"sf", 1}, {"max_num_sf", 10}, {"sf_base_id", VPORT_SF});
	CAP(f, f->v, 0, {"sf", 0}, {"max_num_sf", 0}, {"sf_base_id", 0});
	CAP(f, f->dpu, PRM_HCA_CAP_TYPE_ESWITCH, {"log_max_esw_sf", 4},
	    {"esw_sf_base_id", VPORT_SF});
	assert_int_equal(fx_exec(f, f->dpu, PRM_OPCODE_QUERY_ESW_FUNCTIONS, FX_UID, in, sizeof(in),
				 128 + 15 * 8),
			 0);
	assert_memory_equal((uint8_t *)f->out + 128, list, sizeof(list));
	assert_int_equal(
		fx_exec(f, f->dpu, PRM_OPCODE_QUERY_ESW_FUNCTIONS, FX_UID, in, sizeof(in), 128 + 7),
		0);
	assert_vport(f, VPORT_SF + 9, 1, VPORT_SF + 9);
	fx_teardown(&state);
}

/* libmlx5 queries the manager's vport context before any domain, and the others' for its rules. */
TEST(fx, esw_vport)
{
	const uint16_t op = PRM_OPCODE_QUERY_ESW_VPORT_CONTEXT;

	assert_int_equal(fx_cmd(f, f->v, op, FX_UID, FX_FIELDS({0})), PRM_STATUS_BAD_OP);
	assert_vport(f, VPORT_ECPF, 0, 0);
	assert_vport(f, VPORT_ECPF, 1, VPORT_ECPF);
	assert_vport(f, VPORT_PF, 1, VPORT_PF);
	assert_vport(f, VPORT_PF + 1, 1, VPORT_PF + 1);
	assert_int_equal(
		fx_cmd(f, f->dpu, op, FX_UID, FX_FIELDS({"other_vport", 1}, {"vport_number", 2})),
		BAD);
	assert_int_equal(f->syndrome, FW_SYN_FUNCTION);
	assert_int_not_equal(icm_vport(VPORT_PF, true), icm_vport(VPORT_PF, false));
}

#define FDB "flow_table_properties_nic_esw_fdb."

/* The manager's pages of the e-switch have its vport and what its tables can; others' are empty. */
TEST(fx, esw_pages)
{
	const uint8_t zeros[512] = {0};

	CAP(f, f->dpu, 0, {"vport_group_manager", 1}, {"sf", 0});
	CAP(f, f->dpu, PRM_HCA_CAP_TYPE_ESWITCH, {"esw_manager_vport_number_valid", 1},
	    {"esw_manager_vport_number", VPORT_ECPF}, {"ecpf_vport_exists", 1},
	    {"merged_eswitch", 0}, {"vxlan_encap_decap", 1}, {"max_encap_header_size", 126});
	CAP(f, f->dpu, PRM_HCA_CAP_TYPE_ESWITCH_FLOW_TABLE, {FDB "ft_support", 1},
	    {FDB "sw_owner_v2", 1}, {FDB "max_ft_level", 64}, {FDB "decap", 1},
	    {FDB "reformat_l2_to_l3_tunnel", 1}, {FDB "push_vlan_2", 1}, {"multi_fdb_encap", 1},
	    {FDB "ft_field_support.outer_udp_dport", 1}, {"fdb_uplink_hairpin", 0},
	    {"sw_steering_uplink_icm_address_rx", icm_vport(VPORT_UPLINK, false)},
	    {"sw_steering_uplink_icm_address_tx", icm_vport(VPORT_UPLINK, true)},
	    {"sw_steering_fdb_action_drop_icm_address_rx", icm_addr(ICM_END, ICM_DROP)},
	    {"sw_steering_fdb_action_drop_icm_address_tx", icm_addr(ICM_END, ICM_DROP)});
	f->profile.steering_format_version = 0;
	CAP(f, f->dpu, PRM_HCA_CAP_TYPE_ESWITCH_FLOW_TABLE, {FDB "sw_owner", 1},
	    {FDB "sw_owner_v2", 0});
	f->profile.steering_format_version = 1;
	f->profile.sw_owner_tx = false;
	CAP(f, f->dpu, PRM_HCA_CAP_TYPE_ESWITCH_FLOW_TABLE, {FDB "sw_owner_v2", 0});
	for (uint32_t type = PRM_HCA_CAP_TYPE_ESWITCH_FLOW_TABLE; type <= PRM_HCA_CAP_TYPE_ESWITCH;
	     type++) {
		assert_int_equal(query_cap(f, f->v, type, 1), 0);
		assert_memory_equal(prm_query_hca_cap_out_at_capability(f->out), zeros,
				    sizeof(zeros));
	}
}

/* Domains of format 1 have what libmlx5 needs: sizes, regions that do not overlap, end points. */
TEST(fx, steering)
{
	const void *cap = prm_query_hca_cap_out_cat_capability(f->out);

	CAP(f, f->v, 0, {"steering_format_version", 1}, {"match_definer_format_supported", 0});
	assert_true(prm_cmd_hca_cap_get_general_obj_types(cap) >> PRM_OBJ_TYPE_SW_ICM & 1);
	f->profile.log_ste_icm = 28;
	CAP(f, f->v, PRM_HCA_CAP_TYPE_DEV_MEM, {"log_steering_sw_icm_size", 28},
	    {"steering_sw_icm_start_address", icm_addr(ICM_STE, 0)},
	    {"header_modify_sw_icm_start_address", icm_addr(ICM_MODIFY, 0)},
	    {"header_modify_pattern_sw_icm_start_address", icm_addr(ICM_PATTERN, 0)},
	    {"log_indirect_encap_sw_icm_size", 0}, {"memic", 1},
	    {"memic_operations", MEMIC_OPERATIONS});
	CAP(f, f->v, PRM_HCA_CAP_TYPE_FLOW_TABLE, {RX "sw_owner_v2", 1}, {TX "sw_owner_v2", 1});
	assert_int_equal(
		icm_kind(
			prm_flow_table_nic_cap_get_sw_steering_nic_rx_action_drop_icm_address(cap)),
		ICM_END);
}
