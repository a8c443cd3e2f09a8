/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The device advertises exactly what it does: each field that QUERY_HCA_CAP sets has a row here,
 * which uses the feature.
 */
#include "tests/test.h"
#include <fnmatch.h>
#include <dvx/prm/cap.h>
#include <dvx/prm/cmd.h>
#include "prm/reflect.h"
#include "caps.h"

#define FIXTURE_open_rig(name) FIXTURE(name, struct rig *r, rig_open, rig_close)

const uint8_t *caps_page(struct rig *r, uint16_t type)
{
	const void *page;

	OK(dvx_dev_cap_page(r->dev, type, &page));
	return page;
}

void caps_object(struct rig *r, uint32_t opcode, uint8_t *in, size_t len)
{
	uint8_t out[64];
	struct dvx_obj *obj;

	prm_mbox_in_set_opcode(in, opcode);
	OK(dvx_obj_create(r->dev, in, len, out, sizeof(out), &obj));
	OK(dvx_obj_destroy(obj));
}

/* --- what needs no use --- */

/* Numbers that describe the function: there is nothing to use, dvx-info and verbs show them. */
static void is_identity(struct rig *r)
{
	struct dvx_port port;

	OK(dvx_dev_port(r->dev, 1, &port));
	assert_int_not_equal(dvx_dev_port(r->dev, 2, &port), 0);
	assert_int_equal(prm_cmd_hca_cap_get_vhca_id(caps_page(r, PRM_HCA_CAP_TYPE_GENERAL)),
			 dvx_dev_caps(r->dev)->vhca_id);
}

/* Bits for pages that exist: the page has something in it. */
static void pages_exist(struct rig *r)
{
	static const uint16_t types[] = {
		PRM_HCA_CAP_TYPE_GENERAL_2, PRM_HCA_CAP_TYPE_ETHERNET_OFFLOADS,
		PRM_HCA_CAP_TYPE_ROCE,	    PRM_HCA_CAP_TYPE_FLOW_TABLE,
		PRM_HCA_CAP_TYPE_DEV_MEM,   PRM_HCA_CAP_TYPE_ATOMIC,
		PRM_HCA_CAP_TYPE_QOS,
	};
	static const uint8_t zero[256];

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (!memcmp(caps_page(r, types[i]), zero, sizeof(zero)))
			fail_msg("page 0x%x is empty", types[i]);
}

/* A packet test, named in the row, uses the feature. */
#define BY(test) NULL

static const struct row {
	uint16_t page;
	const char *field; /* a pattern */
	void (*use)(struct rig *);
} rows[] = {
#define G PRM_HCA_CAP_TYPE_GENERAL
	{G, "shared_object_to_user_object_allowed", shared_objects_work},
	{G, "vhca_id", is_identity},
	{G, "num*_ports", is_identity},
	{G, "native_port_num", is_identity},
	{G, "port_type", is_identity},
	{G, "hca_cap_2", pages_exist},
	{G, "eth_net_offloads", pages_exist},
	{G, "roce", pages_exist},
	{G, "nic_flow_table", pages_exist},
	{G, "qos", pages_exist},
	{G, "max_qp_cnt", q_counters_work},
	{G, "striding_rq", striding_works},
	{G, "ext_stride_num_range", striding_works},
	{G, "*_q_counters", BY("tests/queue/queue_errors")},
	{G, "log_max_current_*_list", BY("tests/fw/query")},
	{G, "out_of_seq_cnt", BY("tests/port/loss")},
	{G, "modify_rq_counter_set_id", BY("tests/fw/q_counter")},
	{G, "rts2rts_qp_counters_set_id", BY("tests/fw/fw_queues")},
	{G, "device_memory", pages_exist},
	{G, "eswitch_manager", BY("tests/fw/query")},
	{G, "sf", BY("tests/fw/query")},
	{G, "max_num_sf", BY("tests/fw/query")},
	{G, "sf_base_id", BY("tests/fw/query")},
	{G, "qpc_extension", dma_works},
	{G, "*dma_mmo*", dma_works},
	{G, "block_lb_mc", BY("tests/queue/queue_ud")},
	{G, "ud", BY("tests/interop/pingpong.sh")},
	{G, "*_mcg", BY("tests/fw/fw_queues")},
	{G, "local_ca_ack_delay", BY("tests/port/loss")},
	{G, "log_max_qp*", rc_works},
	{G, "log_max_ra_*_qp", rc_works},
	{G, "max_wqe_sz_?q", rc_works},
	{G, "log_max_msg", rc_works},
	{G, "rc", rc_works},
	{G, "ece_support", ece_works},
	{G, "rts2rts_qp_udp_sport", BY("tests/fw/fw_queues")},
	{G, "atomic", pages_exist},
	{G, "imaicl", windows_work},
	{G, "pg", odp_works},
	{G, "log_max_klm_list_size", lists_work},
	{G, "fixed_buffer_size", lists_work},
	{G, "max_indirection", BY("tests/queue/queue_umr")},
	{G, "umr_extended_translation_offset", BY("tests/queue/queue_umr")},
	{G, "sho", BY("tests/interop/signatures.sh")},
	{G, "sigerr_*", BY("tests/interop/signatures.sh")},
	{G, "sig_*", BY("tests/interop/signatures.sh")},
	{G, "log_max_bsf_list_size", BY("tests/interop/signatures.sh")},
	{G, "drain_sigerr", BY("tests/queue/queue_sig")},
	{G, "crypto", BY("tests/interop/signatures.sh")},
	{G, "aes_xts_*", BY("tests/interop/signatures.sh")},
	{G, "log_max_dek", BY("tests/fw/fw_objects")},
	{PRM_HCA_CAP_TYPE_CRYPTO, "log_max_num_deks", BY("tests/fw/fw_objects")},
	{G, "*_mkey", null_works},
	{G, "uc", BY("tests/lib/lib_queues")},
	{G, "cqe_version", rc_works},
	{G, "log_max_cq*", rc_works},
	{G, "uar_4k", rc_works},
	{G, "bf", rc_works},
	{G, "log_bf_reg_size", rc_works},
	{G, "num_of_uars_per_page", rc_works},
	{G, "fl_rc_qp_when_roce_disabled", loopback_works},
	{G, "cq_oi", overrun_ignored},
	{G, "cq_resize", cq_resized},
	{G, "cq_moderation", cq_moderated},
	{G, "cq_period_*", BY("tests/queue/cq_event")},
	{G, "scqe_break_moderation", BY("tests/queue/cq_event")},
	{G, "cqe_128_always", cq_padded},
	{G, "cqe_compression_max_num", BY("tests/queue/raw_rx")},
	{G, "cqe_compression*", cq_compressed},
	{G, "mini_cqe_resp_stride_index", cq_compressed},
	{G, "cd", BY("tests/queue/queue_cross")},
	{G, "xrc", BY("tests/queue/queue_xrc")},
	{G, "log_max_xrcd", BY("tests/fw/fw_xrc")},
	{G, "log_max_wq_sz", BY("tests/kernel/kernel_raw")},
	{G, "dct", BY("tests/queue/queue_dc")},
	{G, "dc_req_scat_data_cqe", BY("tests/fw/dct")},
	{G, "log_max_ra_*_dc", BY("tests/interop/perftest.sh")},
	{G, "log_max_dci_*", BY("tests/interop/rdma_core.sh")},
	{G, "sctr_data_cqe", BY("tests/queue/inline")},
	{G, "?q_ts_format", BY("tests/interop/rdma_core.sh")},
	{G, "log_max_transport_domain", domains_work},
	{G, "log_max_pd", memory_works},
	{G, "log_max_mkey", memory_works},
	{G, "log_max_mrw_sz", memory_works},
	{G, "log_max_umem", memory_works},
	{G, "log_max_uctx", memory_works},
	{G, "log_pg_sz", memory_works},
	{G, "relaxed_ordering_*", memory_works},
	{G, "log_max_eq*", event_queues_work},
	{G, "log_max_[rs]q", raw_queues_work},
	{G, "log_max_ti[rs]", raw_queues_work},
	{G, "log_max_rqt*", raw_queues_work},
	{G, "log_max_srq*", srq_works},
	{G, "log_max_rmp", BY("tests/fw/rmp")},
	{G, "basic_cyclic_rcv_wqe", BY("tests/queue/queue_srq")},
	{G, "*flow_counter*", counters_work},
	{G, "steering_format_version", steering_works},
	{G, "flex_parser_protocols", steering_works},
	{G, "flex_parser_id_*", BY("tests/steer/dr_fields")},
	{G, "max_geneve_tlv_option*", BY("tests/fw/fw_geneve")},
	{PRM_HCA_CAP_TYPE_PARSE_GRAPH_NODE, "*", BY("tests/interop/dpdk_ecpri.sh")},
	{PRM_HCA_CAP_TYPE_ETHERNET_OFFLOADS, "max_vxlan_udp_ports", BY("tests/fw/fw_parse_node")},
	{G, "general_obj_types", steering_works},
	{G, "wqe_based_flow_table_update_cap", BY("tests/interop/dpdk.sh")},
	{PRM_HCA_CAP_TYPE_GENERAL_2, "flow_counter_bulk_log_*", BY("tests/steer/rules")},
	{G, "log_*header_modify_argument*", BY("tests/steer/rules")},
	{G, "match_definer_format_supported", BY("tests/steer/rules")},
	{G, "device_frequency_khz", clock_ticks},
	{G, "device_frequency_mhz", clock_page_works},
#undef G
	{PRM_HCA_CAP_TYPE_GENERAL_2, "cross_vhca_object_to_object_supported", aliases_work},
	{PRM_HCA_CAP_TYPE_GENERAL_2, "allowed_object_for_other_vhca_access", aliases_work},
	{PRM_HCA_CAP_TYPE_FLOW_TABLE, "nic_*.cross_vhca_object", BY("tests/steer/rules_alias")},
	{PRM_HCA_CAP_TYPE_GENERAL_2, "format_select_dw_8_6_ext", BY("tests/steer/rules")},
	{PRM_HCA_CAP_TYPE_GENERAL_2, "generate_wqe_type", BY("tests/steer/rules_ranges")},
	{PRM_HCA_CAP_TYPE_GENERAL_2, "format_select_dw_gtpu_*", BY("tests/lib/lib_hws")},
	{PRM_HCA_CAP_TYPE_WQE_BASED_FLOW_TABLE, "*", BY("tests/steer/rules")},
	{PRM_HCA_CAP_TYPE_FLOW_TABLE, "header_modify_*_reg_c", BY("tests/steer/tables")},
	{PRM_HCA_CAP_TYPE_ESWITCH_FLOW_TABLE, "header_modify_*_reg_c",
	 BY("tests/steer/fdb_actions")},
	{PRM_HCA_CAP_TYPE_QOS, "log_*meter_aso*", meters_work},
	{PRM_HCA_CAP_TYPE_QOS, "flow_meter_old", BY("tests/steer/dr_aso")},
	{PRM_HCA_CAP_TYPE_QOS, "log_max_flow_meter", BY("tests/interop/dpdk_reps.sh")},
	{PRM_HCA_CAP_TYPE_QOS, "flow_meter_reg_id", BY("tests/steer/dr_aso")},
	{PRM_HCA_CAP_TYPE_QOS, "packet_pacing*", rates_work},
	{PRM_HCA_CAP_TYPE_QOS, "nic_?p_scheduling", BY("tests/interop/rdma_core.sh")},
	{PRM_HCA_CAP_TYPE_QOS, "nic_bw_share", BY("tests/queue/shape")},
	{PRM_HCA_CAP_TYPE_QOS, "nic_rate_limit", BY("tests/queue/shape")},
	{PRM_HCA_CAP_TYPE_QOS, "*", scheduling_works},
	{PRM_HCA_CAP_TYPE_GENERAL_2, "log_reserved_qpn_granularity", reserved_qpns_work},
	{PRM_HCA_CAP_TYPE_ETHERNET_OFFLOADS, "rss_ind_tbl_cap", raw_queues_work},
	{PRM_HCA_CAP_TYPE_ETHERNET_OFFLOADS, "vlan_cap", BY("tests/lib/lib_raw")},
	{PRM_HCA_CAP_TYPE_ETHERNET_OFFLOADS, "csum_cap", BY("tests/lib/lib_raw")},
	{PRM_HCA_CAP_TYPE_ETHERNET_OFFLOADS, "enhanced_multi_pkt_send_wqe",
	 BY("tests/lib/lib_raw")},
	{PRM_HCA_CAP_TYPE_ETHERNET_OFFLOADS, "max_lso_cap", BY("tests/verbs/raw_verbs")},
	{PRM_HCA_CAP_TYPE_ETHERNET_OFFLOADS, "wqe_vlan_insert", BY("tests/verbs/raw_verbs")},
	{PRM_HCA_CAP_TYPE_ETHERNET_OFFLOADS, "wqe_inline_mode", BY("tests/golden/verbs_l2.sh")},
	{PRM_HCA_CAP_TYPE_ETHERNET_OFFLOADS, "self_lb_en_modifiable", BY("tests/fw/fw_raw")},
	{PRM_HCA_CAP_TYPE_ROCE, "fl_rc_qp_when_roce_*", loopback_works},
	{PRM_HCA_CAP_TYPE_ROCE, "l3_type", gids_fit},
	{PRM_HCA_CAP_TYPE_ROCE, "qp_ts_format", BY("tests/verbs/verbs_cq")},
	{PRM_HCA_CAP_TYPE_ROCE, "roce_version", gids_fit},
	{PRM_HCA_CAP_TYPE_ROCE, "roce_address_table_size", gids_fit},
	{PRM_HCA_CAP_TYPE_ROCE, "r_roce_*_udp_port", BY("tests/interop/capture.sh")},
	{PRM_HCA_CAP_TYPE_FLOW_TABLE, "nic_rx_multi_path_tirs*", BY("tests/verbs/verbs_flow.sh")},
	{PRM_HCA_CAP_TYPE_FLOW_TABLE, "*_icm_address", steering_works},
	{PRM_HCA_CAP_TYPE_FLOW_TABLE, "*.ft_field_*", BY("tests/steer/dr_fields")},
	{PRM_HCA_CAP_TYPE_GENERAL_2, "max_reformat_*", BY("tests/steer/reformat")},
	{PRM_HCA_CAP_TYPE_FLOW_TABLE, "*reformat*", BY("tests/steer/reformat")},
	{PRM_HCA_CAP_TYPE_FLOW_TABLE, "*decap", BY("tests/steer/reformat")},
	{PRM_HCA_CAP_TYPE_FLOW_TABLE, "*encap_*", BY("tests/steer/reformat")},
	{PRM_HCA_CAP_TYPE_FLOW_TABLE, "*execute_aso", BY("tests/steer/fdb_meters")},
	{PRM_HCA_CAP_TYPE_GENERAL_2, "return_reg_id", BY("tests/steer/fdb_meters")},
	{PRM_HCA_CAP_TYPE_FLOW_TABLE, "*sampler_num", BY("tests/interop/rdma_core.sh")},
	{PRM_HCA_CAP_TYPE_FLOW_TABLE, "*termination_table", BY("tests/interop/rdma_core.sh")},
	{PRM_HCA_CAP_TYPE_FLOW_TABLE, "flow_table_properties_nic_*", steering_works},
	{PRM_HCA_CAP_TYPE_DEV_MEM, "memic_operations", BY("tests/verbs/dm_op")},
	{PRM_HCA_CAP_TYPE_DEV_MEM, "*_size_sup", BY("tests/verbs/dm_op")},
	{PRM_HCA_CAP_TYPE_DEV_MEM, "*memic*", dm_works},
	{PRM_HCA_CAP_TYPE_DEV_MEM, "*", steering_works},
	{PRM_HCA_CAP_TYPE_ODP, "transport_page_fault_scheme_cap.*", odp_works},
	{PRM_HCA_CAP_TYPE_ATOMIC, "atomic_operations", BY("tests/interop/perftest.sh")},
	{PRM_HCA_CAP_TYPE_ATOMIC, "atomic_size_qp", BY("tests/queue/queue_atomic")},
	{PRM_HCA_CAP_TYPE_ATOMIC, "atomic_size_dc", BY("tests/queue/queue_dc")},
	{PRM_HCA_CAP_TYPE_ATOMIC, "*endianness_mode*", BY("tests/queue/queue_atomic")},
};

static const struct row *row_for(uint16_t page, const char *field)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].page == page && !fnmatch(rows[i].field, field, 0))
			return &rows[i];
	return NULL;
}

static bool wanted[sizeof(rows) / sizeof(rows[0])];

/* Marks the rows of all fields that are set. Returns false if a field has no row. */
static bool walk_fields(uint16_t page, const struct prm_struct *s, const uint8_t *p, const char *in)
{
	bool all = true;

	for (size_t i = 0; i < s->field_count; i++) {
		const struct prm_field *f = &s->fields[i];
		const struct row *row;
		uint64_t value = 0;
		char path[160];

		snprintf(path, sizeof(path), "%s%s%s", in, *in ? "." : "", f->name);
		if (f->type) {
			all &= walk_fields(page, f->type, p + f->offset / 8, path);
			continue;
		}
		for (uint32_t n = 0; n < f->count && !f->bytes; n++)
			value |= prm_bits_get(p, f->offset + n * f->width,
					      f->width < 64 ? f->width : 64);
		if (!value || !strncmp(f->name, "reserved", 8))
			continue;
		row = row_for(page, path);
		if (row) {
			wanted[row - rows] = true;
			continue;
		}
		print_error("page 0x%x, %s is 0x%llx, and no row uses it\n", page, path,
			    (unsigned long long)value);
		all = false;
	}
	return all;
}

/* Each capability that is set has a row, and the row's use works. */
TEST(open_rig, advertised)
{
	static const uint16_t pages[] = {
		PRM_HCA_CAP_TYPE_GENERAL,
		PRM_HCA_CAP_TYPE_ETHERNET_OFFLOADS,
		PRM_HCA_CAP_TYPE_ODP,
		PRM_HCA_CAP_TYPE_ATOMIC,
		PRM_HCA_CAP_TYPE_ROCE,
		PRM_HCA_CAP_TYPE_FLOW_TABLE,
		PRM_HCA_CAP_TYPE_ESWITCH,
		PRM_HCA_CAP_TYPE_ESWITCH_FLOW_TABLE,
		PRM_HCA_CAP_TYPE_QOS,
		PRM_HCA_CAP_TYPE_DEV_MEM,
		PRM_HCA_CAP_TYPE_DEV_EVENT,
		PRM_HCA_CAP_TYPE_CRYPTO,
		PRM_HCA_CAP_TYPE_GENERAL_2,
		PRM_HCA_CAP_TYPE_WQE_BASED_FLOW_TABLE,
		PRM_HCA_CAP_TYPE_PARSE_GRAPH_NODE,
	};
	bool all = true;

	for (size_t i = 0; i < sizeof(pages) / sizeof(pages[0]); i++)
		all &= walk_fields(pages[i], prm_capability(pages[i]), caps_page(r, pages[i]), "");
	assert_true(all);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		bool again = false;

		for (size_t j = 0; j < i; j++)
			again |= wanted[j] && rows[j].use == rows[i].use;
		if (wanted[i] && rows[i].use && !again)
			rows[i].use(r);
	}
}
