# SPDX-License-Identifier: BSD-2-Clause
# How the witnesses of witness.pl call what the tables have.
package WitnessNames;
use strict;
use warnings;
use Exporter 'import';

our @EXPORT = qw(%py_class %dv_name %enum_prefix @masks);

# Our structure -> class in mlx5_prm_structs.py.
our %py_class = (
	alloc_pd_in => "AllocPdIn", alloc_pd_out => "AllocPdOut", cqc => "SwCqc",
	create_cq_in => "CreateCqIn", create_cq_out => "CreateCqOut", ads => "SwAds", qpc => "SwQpc",
	create_qp_in => "CreateQpIn", create_qp_out => "CreateQpOut", rst2init_qp_in => "ModifyQpIn",
	init2rtr_qp_in => "ModifyQpIn", rtr2rts_qp_in => "ModifyQpIn", rts2rts_qp_in => "ModifyQpIn",
	rst2init_qp_out => "ModifyQpOut", query_qp_in => "QueryQpIn", query_qp_out => "QueryQpOut",
	eqc => "SwEqc", create_eq_in => "CreateEqIn", create_eq_out => "CreateEqOut",
	query_hca_vport_context_in => "QueryHcaVportContextIn",
	query_hca_vport_context_out => "QueryHcaVportContextOut",
	hca_vport_context => "HcaVportContext", query_hca_cap_in => "QueryHcaCapIn",
	cmd_hca_cap => "CmdHcaCap", mkc => "SwMkc", create_mkey_in => "CreateMkeyIn",
	create_mkey_out => "CreateMkeyOut", mad_ifc_in => "MadIfcIn", mad_ifc_out => "MadIfcOut",
	query_hca_vport_gid_in => "QueryHcaVportGidIn", query_hca_vport_gid_out => "QueryHcaVportGidOut",
	fte_match_set_misc => "FlowTableEntryMatchSetMisc",
	fte_match_set_misc2 => "FlowTableEntryMatchSetMisc2",
	fte_match_set_misc3 => "FlowTableEntryMatchSetMisc3",
	fte_match_set_misc4 => "FlowTableEntryMatchSetMisc4",
	fte_match_set_misc5 => "FlowTableEntryMatchSetMisc5",
	fte_match_set_lyr_2_4 => "FlowTableEntryMatchSetLyr24",
	set_action_in => "SetActionIn",
	alloc_flow_counter_in => "AllocFlowCounterIn", alloc_flow_counter_out => "AllocFlowCounterOut",
	dealloc_flow_counter_in => "DeallocFlowCounterIn",
	dealloc_flow_counter_out => "DeallocFlowCounterOut",
	query_flow_counter_in => "QueryFlowCounterIn", query_flow_counter_out => "QueryFlowCounterOut",
	traffic_counter => "TrafficCounter", rx_hash_field_select => "RxHashFieldSelect",
	tirc => "Tirc", create_tir_in => "CreateTirIn", create_tir_out => "CreateTirOut",
);

# Our structure -> mlx5dv.h's, where it is no mlx5_NAME.
our %dv_name = (av => "mlx5_wqe_av", klm => "mlx5_wqe_umr_klm_seg", mkey_seg => "mlx5_wqe_mkey_context_seg",
	stride_block_ctrl_seg => "mlx5_wqe_umr_repeat_block_seg",
	stride_block_entry => "mlx5_wqe_umr_repeat_ent_seg");

# Our enum -> how the kernel begins the names of the same constants.
our %enum_prefix = (
	opcode => qr/MLX5_CMD_OP(?:CODE)?_/, status => qr/MLX5_CMD_STAT_/, obj_type => qr/MLX5_(?:OBJ_TYPE|GENERAL_OBJECT_TYPES)_/,
	syndrome => qr/MLX5_CQE_SYNDROME_/, vendor_syndrome => qr/MLX5_CQE_VENDOR_SYNDROME_/,
	cqe_opcode => qr/MLX5_CQE_/, wqe_opcode => qr/MLX5_OPCODE_/, event => qr/MLX5_EVENT_TYPE_/,
	event_queue_type => qr/MLX5_EVENT_QUEUE_TYPE_/, qp_state => qr/MLX5_QP_STATE_/,
	qp_st => qr/MLX5_QP_ST_/, qp_optpar => qr/MLX5_QP_OPTPAR_/, qpc_mtu => qr/MLX5_QPC_MTU_/,
	qpc_pm_state => qr/MLX5_QPC_PM_STATE_/, qpc_atomic_mode => qr/MLX5_QPC_ATOMIC_MODE_/,
	qpc_cs_req => qr/MLX5_QPC_CS_REQ_/, qpc_cs_res => qr/MLX5_QPC_CS_RES_/,
	qpc_ts_format => qr/MLX5_TIMESTAMP_FORMAT_/, hca_cap_type => qr/MLX5_CAP_/,
	mkc_access_mode => qr/MLX5_MKC_ACCESS_MODE_/, cqc_status => qr/MLX5_CQC_STATUS_/,
	eqc_status => qr/MLX5_EQC_STATUS_/, eqc_st => qr/MLX5_EQC_ST_/, wqe_fm => qr/MLX5_FENCE_MODE_/,
	wqe_ctrl_flag => qr/MLX5_WQE_CTRL_/, umr_mkey_mask => qr/MLX5_MKEY_MASK_/,
	umr_flag => qr/MLX5_WQE_UMR_CTRL_FLAG_/, cqe_l4_hdr_type => qr/CQE_L4_HDR_TYPE_/,
	cqe_l3_hdr_type => qr/MLX5_CQE_L3_HDR_TYPE_/,
	cross_vhca_object => qr/MLX5_CROSS_VHCA_OBJ_TO_OBJ_SUPPORTED_/,
	rmpc_state => qr/MLX5_RMPC_STATE_/, srqc_state => qr/MLX5_SRQC_STATE_/,
	eth_cs_flag => qr/MLX5_ETH_WQE_/, eth_swp_flag => qr/MLX5_ETH_WQE_SWP_/,
	sqc_state => qr/MLX5_SQC_STATE_/, rqc_state => qr/MLX5_RQC_STATE_/,
	rqc_mem_rq_type => qr/MLX5_RQC_MEM_RQ_TYPE_/, inline_mode => qr/MLX5_INLINE_MODE_/,
	tirc_disp_type => qr/MLX5_TIRC_DISP_TYPE_/, rx_hash_fn => qr/MLX5_RX_HASH_FN_/,
	flow_table_type => qr/MLX5_FLOW_TABLE_TYPE_/, flow_dest_type => qr/MLX5_IFC_FLOW_DESTINATION_TYPE_/,
	flow_miss_action => qr/MLX5_FLOW_TABLE_MISS_ACTION_/,
	flow_source => qr/MLX5_FLOW_CONTEXT_FLOW_SOURCE_/, flow_action => qr/MLX5_FLOW_CONTEXT_ACTION_/,
	flow_encrypt_type => qr/MLX5_FLOW_CONTEXT_ENCRYPT_DECRYPT_TYPE_/,
	virtio_net_q_state => qr/MLX5_VIRTIO_NET_Q_OBJECT_STATE_/, virtq_modify_mask => qr/MLX5_VIRTQ_MODIFY_MASK_/,
	virtio_event_mode => qr/MLX5_VIRTIO_Q_EVENT_MODE_/, virtio_queue_type => qr/MLX5_VIRTIO_EMULATION_VIRTIO_QUEUE_TYPE_/,
	meter_color => qr/MLX5_FLOW_METER_COLOR_/, meter_mode => qr/MLX5_FLOW_METER_MODE_/,
	reformat_type => qr/MLX5_REFORMAT_TYPE_/, action_type => qr/MLX5_ACTION_TYPE_/,
	modify_field => qr/MLX5_ACTION_IN_FIELD_/, dctc_state => qr/MLX5_DCTC_STATE_/,
	key_size => qr/MLX5_GENERAL_OBJECT_TYPE_ENCRYPTION_KEY_KEY_SIZE_/,
	key_purpose => qr/MLX5_GENERAL_OBJECT_TYPE_ENCRYPTION_KEY_PURPOSE_/,
	sched_element_type => qr/SCHEDULING_CONTEXT_ELEMENT_TYPE_/,
	tsar_type => qr/TSAR_ELEMENT_TSAR_TYPE_/, vport_admin_state => qr/MLX5_VPORT_ADMIN_STATE_/,
	reg_id => qr/MLX5_REG_/, ppcnt_grp => qr/MLX5_/,
	allowed_object => qr/MLX5_ALLOWED_OBJ_FOR_OTHER_VHCA_ACCESS_/,
);

sub bit { return 1 << $_[0] }

# Where the kernel folds several fields into one word, its masks say where each lies.
our @masks = (
	["wqe_ctrl_seg", "ds", "qp.h", qr/define MLX5_WQE_CTRL_DS_MASK (\w+)/],
	["wqe_ctrl_seg", "qpn", "qp.h", qr/define MLX5_WQE_CTRL_QPN_MASK (\w+)/],
	["wqe_ctrl_seg", "opcode", "qp.h", qr/define MLX5_WQE_CTRL_OPCODE_MASK (\w+)/],
	["wqe_ctrl_seg", "wqe_index", "qp.h", qr/define MLX5_WQE_CTRL_WQE_INDEX_MASK (\w+)/],
	["cqe64", "owner", "cq.h", qr/MLX5_CQE_OWNER_MASK\s*=\s*(\w+)/],
	["cqe64", "opcode", "device.h", qr/cqe->op_own >> (4);/, sub { 0xff << $_[0] & 0xff }],
	["cqe64", "cqe_format", "device.h", qr/cqe->op_own >> (2)\) & 0x3/, sub { 3 << $_[0] }],
	["cqe64", "l4_hdr_type", "device.h", qr/l4_l3_hdr_type >> (4)\) & 0x7/, sub { 7 << $_[0] }],
	["cqe64", "vlan", "device.h", qr/l4_l3_hdr_type & (0x1)/],
	["cqe64", "l2_ok", "device.h", qr/CQE_L2_OK\s*=\s*1 << (\d)/, \&bit],
	["cqe64", "l3_ok", "device.h", qr/CQE_L3_OK\s*=\s*1 << (\d)/, \&bit],
	["cqe64", "l4_ok", "device.h", qr/CQE_L4_OK\s*=\s*1 << (\d)/, \&bit],
	["wqe_ctrl_seg", "ce", "qp.h", qr/MLX5_WQE_CTRL_CQ_UPDATE\s*=\s*2 << (\d)/, sub { 3 << $_[0] }],
	["wqe_ctrl_seg", "se", "qp.h", qr/MLX5_WQE_CTRL_SOLICITED\s*=\s*1 << (\d)/, \&bit],
	["wqe_ctrl_seg", "fm", "qp.h", qr/MLX5_FENCE_MODE_STRONG_ORDERING\s*=\s*3 << (\d)/, sub { 7 << $_[0] }],
	["wqe_inline_seg", "is_inline", "device.h", qr/MLX5_INLINE_SEG\s*=\s*(\w+)/],
	["wqe_inline_seg", "byte_count", "qp.h", qr/MLX5_WQE_INLINE_SEG_BYTE_COUNT_MASK (\w+)/],
	["base_av", "ext", "device.h", qr/MLX5_EXTENDED_UD_AV\s*=\s*(\w+)/],
	["av", "ext", "device.h", qr/MLX5_EXTENDED_UD_AV\s*=\s*(\w+)/],
	["bsf_inl", "valid", "qp.h", qr/MLX5_BSF_INL_VALID\s*\(1 << (\d+)\)/, \&bit],
	["bsf_inl", "refresh", "qp.h", qr/MLX5_BSF_REFRESH_DIF\s*\(1 << (\d+)\)/, \&bit],
	["bsf_inl", "repeat_block", "qp.h", qr/MLX5_BSF_REPEAT_BLOCK\s*\(1 << (\d+)\)/, \&bit],
	["bsf_inl", "inc_reftag", "qp.h", qr/MLX5_BSF_INC_REFTAG\s*\(1 << (\d+)\)/, \&bit],
	["bsf_inl", "apptag_escape", "qp.h", qr/MLX5_BSF_APPTAG_ESCAPE\s*(\w+)/],
	["bsf_inl", "appref_escape", "qp.h", qr/MLX5_BSF_APPREF_ESCAPE\s*(\w+)/],
	["mkey_seg", "remote_inval", "device.h", qr/MLX5_MKEY_REMOTE_INVAL\s*=\s*1 << (\d+)/, \&bit],
	["mkey_seg", "sync_umr", "device.h", qr/MLX5_MKEY_FLAG_SYNC_UMR\s*=\s*1 << (\d+)/, \&bit],
	["mkey_seg", "bsf_en", "device.h", qr/MLX5_MKEY_BSF_EN\s*=\s*1 << (\d+)/, \&bit],
	["mkey_seg", "free", "mlx5dv.h", qr/MLX5_WQE_MKEY_CONTEXT_FREE\s*=\s*1 << (\d+)/, \&bit],
);

1;
