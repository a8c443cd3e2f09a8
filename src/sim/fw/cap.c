/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * QUERY_HCA_CAP. A page reports what dvx-sim implements; all other fields are 0, and commands that
 * need them are refused. Maximum and current values are equal, as nothing is configurable.
 */
#include <string.h>
#include "cmd.h"
#include "obj/cq.h"
#include "obj/device.h"
#include "obj/icm.h"
#include "obj/memic.h"
#include "obj/mkey.h"

#define PAGE_BYTES 4096
#define LOG_MEMIC_UNIT 6 /* log2 of MEMIC_UNIT */

/* Values of wqe_inline_mode; 1 is the vport's. */
#define INLINE_L2	    0
#define INLINE_NOT_REQUIRED 2

static void fill_sizes(const struct profile *p, void *cap)
{
	prm_cmd_hca_cap_set_log_max_qp(cap, p->log_max_qp);
	prm_cmd_hca_cap_set_log_max_qp_sz(cap, p->log_max_qp_sz);
	prm_cmd_hca_cap_set_log_max_wq_sz(cap, p->log_max_qp_sz);
	prm_cmd_hca_cap_set_log_max_cq(cap, p->log_max_cq);
	prm_cmd_hca_cap_set_log_max_cq_sz(cap, p->log_max_cq_sz);
	prm_cmd_hca_cap_set_log_max_mkey(cap, p->log_max_mkey);
	prm_cmd_hca_cap_set_log_max_pd(cap, p->log_max_pd);
	prm_cmd_hca_cap_set_log_max_msg(cap, p->log_max_msg);
	prm_cmd_hca_cap_set_log_max_eq(cap, VHCA_LOG_MAX_EQ);
	prm_cmd_hca_cap_set_log_max_eq_sz(cap, VHCA_LOG_MAX_EQ_SZ);
	prm_cmd_hca_cap_set_log_max_umem(cap, VHCA_LOG_MAX_UMEM);
	prm_cmd_hca_cap_set_log_max_transport_domain(cap, VHCA_LOG_MAX_TD);
	prm_cmd_hca_cap_set_log_max_tis(cap, VHCA_LOG_MAX_TIS);
	prm_cmd_hca_cap_set_log_max_sq(cap, VHCA_LOG_MAX_SQ);
	prm_cmd_hca_cap_set_log_max_rq(cap, VHCA_LOG_MAX_RQ);
	prm_cmd_hca_cap_set_log_max_rqt(cap, VHCA_LOG_MAX_RQT);
	prm_cmd_hca_cap_set_log_max_rqt_size(cap, VHCA_LOG_MAX_RQT_SZ);
	prm_cmd_hca_cap_set_log_max_tir(cap, VHCA_LOG_MAX_TIR);
	prm_cmd_hca_cap_set_log_max_srq(cap, VHCA_LOG_MAX_SRQ);
	prm_cmd_hca_cap_set_log_max_srq_sz(cap, VHCA_LOG_MAX_SRQ_SZ);
	prm_cmd_hca_cap_set_log_max_rmp(cap, VHCA_LOG_MAX_SRQ);
	prm_cmd_hca_cap_set_log_max_ra_req_qp(cap, VHCA_LOG_MAX_RA);
	prm_cmd_hca_cap_set_log_max_ra_res_qp(cap, VHCA_LOG_MAX_RA);
	prm_cmd_hca_cap_set_log_max_mcg(cap, VHCA_LOG_MAX_MCG);
	prm_cmd_hca_cap_set_max_qp_mcg(cap, VHCA_MAX_QP_MCG);
	prm_cmd_hca_cap_set_log_max_mrw_sz(cap, 64);
	prm_cmd_hca_cap_set_max_wqe_sz_sq(cap, VHCA_MAX_WQE);
	prm_cmd_hca_cap_set_max_wqe_sz_rq(cap, VHCA_MAX_WQE);
	prm_cmd_hca_cap_set_log_pg_sz(cap, 12);
	prm_cmd_hca_cap_set_log_max_uctx(cap, 16);
}

static void fill_counters(const struct vhca *v, void *cap)
{
	uint32_t max = 1u << v->dev->profile->log_max_flow_counter;

	prm_cmd_hca_cap_set_max_flow_counter_31_16(cap, max >> 16);
	prm_cmd_hca_cap_set_max_flow_counter_15_0(cap, max & 0xffff);
	prm_cmd_hca_cap_set_flow_counter_bulk_alloc(cap, FW_COUNTER_BULKS);
}

static void fill_q_counters(void *cap)
{
	prm_cmd_hca_cap_set_max_qp_cnt(cap, (1u << VHCA_LOG_MAX_Q_COUNTER) - 1);
	prm_cmd_hca_cap_set_rnr_nak_q_counters(cap, 1);
	prm_cmd_hca_cap_set_out_of_seq_cnt(cap, 1);
	prm_cmd_hca_cap_set_retransmission_q_counters(cap, 1);
	prm_cmd_hca_cap_set_enhanced_error_q_counters(cap, 1);
	prm_cmd_hca_cap_set_modify_rq_counter_set_id(cap, 1);
	prm_cmd_hca_cap_set_rts2rts_qp_counters_set_id(cap, 1);
}

static void fill_doorbells(void *cap)
{
	prm_cmd_hca_cap_set_uar_4k(cap, 1);
	prm_cmd_hca_cap_set_bf(cap, 1);
	prm_cmd_hca_cap_set_log_bf_reg_size(cap, 9);
	prm_cmd_hca_cap_set_num_of_uars_per_page(cap, 1);
}

/*
 * [I] Size of the address lists of a vport. Linux's driver sends them; dvx-sim takes all packets
 * anyway.
 */
#define LOG_VPORT_ADDRESSES 7u

static void fill_port(const struct vhca *v, void *cap)
{
	prm_cmd_hca_cap_set_vhca_id(cap, v->id);
	prm_cmd_hca_cap_set_num_ports(cap, 1);
	prm_cmd_hca_cap_set_num_vhca_ports(cap, 1);
	prm_cmd_hca_cap_set_native_port_num(cap, 1);
	prm_cmd_hca_cap_set_port_type(cap, PRM_PORT_TYPE_ETH);
	prm_cmd_hca_cap_set_gid_table_size(cap,
					   /*
					    * 8 entries; the RoCE page has the number of valid ones
					    */
					   0);
	prm_cmd_hca_cap_set_pkey_table_size(cap, 0);
	prm_cmd_hca_cap_set_eth_net_offloads(cap, 1);
	prm_cmd_hca_cap_set_block_lb_mc(cap, 1);
	prm_cmd_hca_cap_set_roce(cap, 1);
	prm_cmd_hca_cap_set_log_max_current_uc_list(cap, LOG_VPORT_ADDRESSES);
	prm_cmd_hca_cap_set_log_max_current_mc_list(cap, LOG_VPORT_ADDRESSES);
	prm_cmd_hca_cap_set_eswitch_manager(cap, v->kind == FUNCTION_ECPF);
}

static void fill_completions(const struct profile *p, void *cap)
{
	prm_cmd_hca_cap_set_cq_oi(cap, 1);
	prm_cmd_hca_cap_set_cq_resize(cap, 1);
	prm_cmd_hca_cap_set_cq_moderation(cap, 1);
	prm_cmd_hca_cap_set_cq_period_mode_modify(cap, 1);
	prm_cmd_hca_cap_set_cq_period_start_from_cqe(cap, 1);
	prm_cmd_hca_cap_set_scqe_break_moderation(cap, 1);
	prm_cmd_hca_cap_set_cqe_128_always(cap, 1);
	prm_cmd_hca_cap_set_cqe_compression(cap, 1);
	prm_cmd_hca_cap_set_cqe_compression_128(cap, 1);
	prm_cmd_hca_cap_set_cqe_compression_max_num(cap, CQ_MAX_MINI_CQES);
	prm_cmd_hca_cap_set_mini_cqe_resp_stride_index(cap, 1);
	prm_cmd_hca_cap_set_sctr_data_cqe(cap, 1);
	prm_cmd_hca_cap_set_sq_ts_format(cap, p->sq_ts_format);
	prm_cmd_hca_cap_set_rq_ts_format(cap, p->rq_ts_format);
}

static void fill_dc(void *cap)
{
	prm_cmd_hca_cap_set_dct(cap, 1);
	prm_cmd_hca_cap_set_dc_req_scat_data_cqe(cap, 1);
	prm_cmd_hca_cap_set_log_max_ra_req_dc(cap, VHCA_LOG_MAX_RA);
	prm_cmd_hca_cap_set_log_max_ra_res_dc(cap, VHCA_LOG_MAX_RA);
	prm_cmd_hca_cap_set_log_max_dci_stream_channels(cap, VHCA_LOG_MAX_DCI_CHANNELS);
	prm_cmd_hca_cap_set_log_max_dci_errored_streams(cap, VHCA_LOG_MAX_DCI_CHANNELS);
}

/* Bits of flex_parser_protocols: tunnels that are parsed without a flex parser. */
enum { FLEX_GENEVE = 1 << 3, FLEX_VXLAN_GPE = 1 << 7 };

#define GENERAL_OBJECTS                                                    \
	(1ull << PRM_OBJ_TYPE_SW_ICM | 1ull << PRM_OBJ_TYPE_RESERVED_QPN | \
	 1ull << PRM_OBJ_TYPE_SCHEDULING_ELEMENT | 1ull << PRM_OBJ_TYPE_AV_QP_MAPPING)

static void fill_signatures(void *cap)
{
	prm_cmd_hca_cap_set_sho(cap, 1);
	prm_cmd_hca_cap_set_sigerr_cqe(cap, 1);
	prm_cmd_hca_cap_set_sigerr_domain_and_sig_type(cap, 1);
	prm_cmd_hca_cap_set_drain_sigerr(cap, 1);
	prm_cmd_hca_cap_set_sig_crc32c(cap, 1);
	prm_cmd_hca_cap_set_sig_crc64_xp10(cap, 1);
	prm_cmd_hca_cap_set_sig_block_4048(cap, 1);
	prm_cmd_hca_cap_set_log_max_bsf_list_size(cap, 3); /* octowords: two descriptions */
}

static void fill_encryption(const struct profile *p, void *cap)
{
	if (!p->crypto)
		return;
	prm_cmd_hca_cap_set_crypto(cap, 1);
	prm_cmd_hca_cap_set_aes_xts_multi_block_be_tweak(cap, 1);
	prm_cmd_hca_cap_set_log_max_dek(cap, VHCA_LOG_MAX_DEK);
}

/* Lists CRYPTO_LOGIN only for a chip that takes wrapped keys. [I] */
static uint64_t general_objects(const struct profile *p)
{
	return GENERAL_OBJECTS | (p->crypto ? 1ull << PRM_OBJ_TYPE_ENCRYPTION_KEY : 0) |
	       (p->crypto && p->crypto_wrapped ? 1ull << PRM_OBJ_TYPE_CRYPTO_LOGIN : 0);
}

static void fill_general(const struct vhca *v, void *cap)
{
	const struct profile *p = v->dev->profile;

	fill_sizes(p, cap);
	fill_doorbells(cap);
	fill_counters(v, cap);
	fill_q_counters(cap);
	fill_port(v, cap);
	prm_cmd_hca_cap_set_nic_flow_table(cap, 1);
	prm_cmd_hca_cap_set_qos(cap, 1);
	prm_cmd_hca_cap_set_shared_object_to_user_object_allowed(cap, 1);
	prm_cmd_hca_cap_set_hca_cap_2(cap, 1);
	prm_cmd_hca_cap_set_device_memory(cap, 1);
	prm_cmd_hca_cap_set_cqe_version(cap, 1);
	prm_cmd_hca_cap_set_basic_cyclic_rcv_wqe(cap, 1);
	prm_cmd_hca_cap_set_striding_rq(cap, 1);
	prm_cmd_hca_cap_set_ext_stride_num_range(cap, 1);
	fill_completions(v->dev->profile, cap);
	prm_cmd_hca_cap_set_cd(cap, 1);
	prm_cmd_hca_cap_set_rc(cap, 1);
	prm_cmd_hca_cap_set_rts2rts_qp_udp_sport(cap, 1);
	prm_cmd_hca_cap_set_ece_support(cap, 1);
	prm_cmd_hca_cap_set_atomic(cap, 1);
	prm_cmd_hca_cap_set_uc(cap, 1);
	prm_cmd_hca_cap_set_xrc(cap, 1);
	prm_cmd_hca_cap_set_log_max_xrcd(cap, VHCA_LOG_MAX_XRCD);
	prm_cmd_hca_cap_set_ud(cap, 1);
	fill_dc(cap);
	prm_cmd_hca_cap_set_pg(cap, 1);
	prm_cmd_hca_cap_set_imaicl(cap, 1);
	prm_cmd_hca_cap_set_log_max_klm_list_size(cap, KLM_LOG_MOST);
	prm_cmd_hca_cap_set_max_indirection(cap, MKEY_DEPTH);
	fill_signatures(cap);
	fill_encryption(p, cap);
	prm_cmd_hca_cap_set_fixed_buffer_size(cap, 1);
	prm_cmd_hca_cap_set_umr_extended_translation_offset(cap, 1);
	prm_cmd_hca_cap_set_dump_fill_mkey(cap, 1);
	prm_cmd_hca_cap_set_null_mkey(cap, 1);
	prm_cmd_hca_cap_set_relaxed_ordering_write(cap, 1);
	prm_cmd_hca_cap_set_relaxed_ordering_read(cap, 1);
	prm_cmd_hca_cap_set_qpc_extension(cap, 1);
	prm_cmd_hca_cap_set_fl_rc_qp_when_roce_disabled(cap, p->fl_rc_qp);
	prm_cmd_hca_cap_set_local_ca_ack_delay(cap, 16);
	prm_cmd_hca_cap_set_device_frequency_khz(cap, 1000000); /* timestamps count nanoseconds */
	prm_cmd_hca_cap_set_device_frequency_mhz(cap, 1000);
	prm_cmd_hca_cap_set_steering_format_version(cap, p->steering_format_version);
	prm_cmd_hca_cap_set_flex_parser_protocols(cap, FLEX_GENEVE | FLEX_VXLAN_GPE);
	prm_cmd_hca_cap_set_general_obj_types(cap, general_objects(p));
	prm_cmd_hca_cap_set_dma_mmo_sq(cap, 0);
	prm_cmd_hca_cap_set_dma_mmo_qp(cap, p->dma_mmo);
	prm_cmd_hca_cap_set_log_dma_mmo_max_size(cap, p->dma_mmo ? p->log_dma_mmo_max_size : 0);
}

static void fill_general_2(const struct vhca *v, void *cap)
{
	const struct profile *p = v->dev->profile;

	if (p->cross_vhca)
		prm_cmd_hca_cap_2_set_cross_vhca_object_to_object_supported(
			cap, PRM_CROSS_VHCA_OBJECT_LOCAL_MKEY_TO_REMOTE_MKEY);
	if (p->allow_mkey)
		prm_cmd_hca_cap_2_set_allowed_object_for_other_vhca_access(cap,
									   PRM_ALLOWED_OBJECT_MKEY);
	prm_cmd_hca_cap_2_set_log_reserved_qpn_granularity(cap, VHCA_LOG_RESERVED_QPNS);
	prm_cmd_hca_cap_2_set_log_min_mkey_entity_size(cap, p->min_mkey_log_entity_size);
}

/*
 * Leaves out LRO, tunnels, parser hints and FCS. [I] A WQE of several packets by pointer has no
 * room for inline headers.
 */
static void fill_ethernet(const struct vhca *v, void *cap)
{
	bool l2 = v->dev->profile->wqe_inline_l2;

	prm_per_protocol_networking_offload_caps_set_csum_cap(cap, 1);
	prm_per_protocol_networking_offload_caps_set_vlan_cap(cap, 1);
	prm_per_protocol_networking_offload_caps_set_wqe_vlan_insert(cap, 1);
	prm_per_protocol_networking_offload_caps_set_max_lso_cap(cap, VHCA_LOG_MAX_LSO);
	prm_per_protocol_networking_offload_caps_set_wqe_inline_mode(cap, l2 ? INLINE_L2
									     : INLINE_NOT_REQUIRED);
	prm_per_protocol_networking_offload_caps_set_enhanced_multi_pkt_send_wqe(cap, !l2);
	prm_per_protocol_networking_offload_caps_set_rss_ind_tbl_cap(cap, VHCA_LOG_MAX_RQT_SZ);
	prm_per_protocol_networking_offload_caps_set_self_lb_en_modifiable(cap, 1);
}

static void fill_roce(const struct vhca *v, void *cap)
{
	bool fl = v->dev->profile->fl_rc_qp;

	prm_roce_cap_set_fl_rc_qp_when_roce_disabled(cap, fl);
	prm_roce_cap_set_fl_rc_qp_when_roce_enabled(cap, fl);
	prm_roce_cap_set_qp_ts_format(cap, v->dev->profile->qp_ts_format);
	prm_roce_cap_set_roce_version(cap, 1 << 0 | 1 << 2); /* v1 and v2 */
	prm_roce_cap_set_l3_type(cap, 1 << 1 | 1 << 2);	     /* IPv4 and IPv6 */
	prm_roce_cap_set_r_roce_dest_udp_port(cap, 4791);
	prm_roce_cap_set_r_roce_min_src_udp_port(cap, VHCA_MIN_SPORT);
	prm_roce_cap_set_r_roce_max_src_udp_port(cap, 0xffff);
	prm_roce_cap_set_roce_address_table_size(cap, VHCA_GIDS);
}

/*
 * Sets the size of the pattern memory, but no address: libmlx5 reads the size if the format is 1 or
 * later, and uses the memory only with modify-header arguments, which this device lacks.
 */
static void fill_dev_mem(const struct vhca *v, void *cap)
{
	prm_device_mem_cap_set_memic(cap, 1);
	prm_device_mem_cap_set_log_min_memic_alloc_size(cap, LOG_MEMIC_UNIT);
	prm_device_mem_cap_set_log_max_memic_addr_alignment(cap, MEMIC_LOG_PAGE - LOG_MEMIC_UNIT);
	prm_device_mem_cap_set_memic_bar_start_addr(cap, MEMIC_BAR_START);
	prm_device_mem_cap_set_memic_bar_size(cap, MEMIC_BYTES);
	prm_device_mem_cap_set_max_memic_size(cap, MEMIC_BYTES);
	prm_device_mem_cap_set_memic_operations(cap, MEMIC_OPERATIONS);
	prm_device_mem_cap_set_increment_size_sup(cap, MEMIC_OPERATIONS ? MEMIC_OP_SIZES : 0);
	prm_device_mem_cap_set_test_and_set_size_sup(cap, MEMIC_OPERATIONS ? MEMIC_OP_SIZES : 0);
	prm_device_mem_cap_set_log_sw_icm_alloc_granularity(cap, ICM_LOG_BLOCK);
	prm_device_mem_cap_set_log_steering_sw_icm_size(cap, icm_log_size(v, ICM_STE));
	prm_device_mem_cap_set_steering_sw_icm_start_address(cap, icm_addr(ICM_STE, 0));
	prm_device_mem_cap_set_log_header_modify_sw_icm_size(cap, icm_log_size(v, ICM_MODIFY));
	prm_device_mem_cap_set_header_modify_sw_icm_start_address(cap, icm_addr(ICM_MODIFY, 0));
	prm_device_mem_cap_set_log_header_modify_pattern_sw_icm_size(cap, VHCA_LOG_PATTERN_ICM);
}

/* Operations, a bit for each: compare and swap, fetch and add, and both of them masked. */
#define ATOMIC_ALL 0xfu

/*
 * Reports host-endian results as supported and in effect: the kernel selects them where it can, and
 * programs see the result.
 */
static void fill_atomic(const struct vhca *v, void *cap)
{
	(void)v;
	prm_atomic_caps_set_atomic_req_8B_endianness_mode(cap, 1);
	prm_atomic_caps_set_supported_atomic_req_8B_endianness_mode_1(cap, 1);
	prm_atomic_caps_set_atomic_operations(cap, ATOMIC_ALL);
	prm_atomic_caps_set_atomic_size_qp(cap, 4 | 8);
	prm_atomic_caps_set_atomic_size_dc(cap, 4 | 8);
}

static void fill_odp_connected(void *cap)
{
	prm_odp_per_transport_service_cap_set_send(cap, 1);
	prm_odp_per_transport_service_cap_set_receive(cap, 1);
	prm_odp_per_transport_service_cap_set_write(cap, 1);
	prm_odp_per_transport_service_cap_set_read(cap, 1);
	prm_odp_per_transport_service_cap_set_atomic(cap, 1);
	prm_odp_per_transport_service_cap_set_srq_receive(cap, 1);
}

/*
 * Reports on-demand paging: memory is accessed through the program's page tables, so a page appears
 * when it is first touched.
 */
static void fill_odp(const struct vhca *v, void *cap)
{
	void *scheme = prm_odp_cap_at_transport_page_fault_scheme_cap(cap);
	void *rc = prm_odp_scheme_cap_at_rc_odp_caps(scheme);
	void *ud = prm_odp_scheme_cap_at_ud_odp_caps(scheme);

	(void)v;
	fill_odp_connected(rc);
	fill_odp_connected(prm_odp_scheme_cap_at_dc_odp_caps(scheme));
	fill_odp_connected(prm_odp_scheme_cap_at_xrc_odp_caps(scheme));
	prm_odp_per_transport_service_cap_set_send(ud, 1);
	prm_odp_per_transport_service_cap_set_srq_receive(ud, 1);
}

/* Reports rates of raw packet queues, and shares and limits of queue pairs. */
static void fill_qos(const struct vhca *v, void *cap)
{
	(void)v;
	prm_qos_cap_set_packet_pacing(cap, 1);
	prm_qos_cap_set_packet_pacing_burst_bound(cap, 1);
	prm_qos_cap_set_packet_pacing_typical_size(cap, 1);
	prm_qos_cap_set_packet_pacing_uid(cap, 1);
	prm_qos_cap_set_packet_pacing_min_rate(cap, 1);
	prm_qos_cap_set_packet_pacing_max_rate(cap, VHCA_PP_MAX_KBPS);
	prm_qos_cap_set_nic_sq_scheduling(cap, 1);
	prm_qos_cap_set_nic_qp_scheduling(cap, 1);
	prm_qos_cap_set_nic_bw_share(cap, 1);
	prm_qos_cap_set_nic_rate_limit(cap, 1);
	prm_qos_cap_set_max_tsar_bw_share(cap, VHCA_MAX_BW_SHARE);
	prm_qos_cap_set_log_max_qos_nic_queue_group(cap, VHCA_LOG_MAX_SCHED_ELEM);
	prm_qos_cap_set_nic_element_type(cap, 1 << PRM_SCHED_ELEMENT_TYPE_TSAR |
						      1 << PRM_SCHED_ELEMENT_TYPE_QUEUE_GROUP);
	prm_qos_cap_set_nic_tsar_type(cap, 1 << PRM_TSAR_TYPE_DWRR);
	prm_qos_cap_set_packet_pacing_rate_table_size(cap, VHCA_PP_RATES);
}

/* Bits of crypto_caps as rdma-core defines them; other generations have other fields there. */
#define IMPORT_AES_XTS 4u

static void fill_crypto(const struct vhca *v, void *cap)
{
	const struct profile *p = v->dev->profile;

	if (!p->crypto)
		return;
	prm_crypto_caps_set_log_max_num_deks(cap, VHCA_LOG_MAX_DEK);
	if (!p->crypto_wrapped)
		return;
	prm_crypto_caps_set_wrapped_crypto_operational(cap, 1);
	prm_crypto_caps_set_wrapped_import_method(cap, IMPORT_AES_XTS);
	prm_crypto_caps_set_num_nv_import_keks(cap, 1);
	prm_crypto_caps_set_num_nv_credentials(cap, 1);
}

static void fill_nothing(const struct vhca *v, void *cap)
{
	(void)v;
	(void)cap;
}

/*
 * Capability pages of a ConnectX-6 Dx. dvx-sim implements nothing of the pages with fill_nothing.
 */
static const struct {
	uint16_t type;
	void (*fill)(const struct vhca *, void *cap);
	const char *prm_struct; /* for the trace */
} pages[] = {
	{PRM_HCA_CAP_TYPE_GENERAL, fill_general, "cmd_hca_cap"},
	{PRM_HCA_CAP_TYPE_ETHERNET_OFFLOADS, fill_ethernet, "per_protocol_networking_offload_caps"},
	{PRM_HCA_CAP_TYPE_ODP, fill_odp, "odp_cap"},
	{PRM_HCA_CAP_TYPE_ATOMIC, fill_atomic, "atomic_caps"},
	{PRM_HCA_CAP_TYPE_ROCE, fill_roce, "roce_cap"},
	{PRM_HCA_CAP_TYPE_FLOW_TABLE, fw_fill_flow_table, "flow_table_nic_cap"},
	{PRM_HCA_CAP_TYPE_ESWITCH_FLOW_TABLE, fill_nothing, NULL},
	{PRM_HCA_CAP_TYPE_ESWITCH, fill_nothing, NULL},
	{PRM_HCA_CAP_TYPE_QOS, fill_qos, "qos_cap"},
	{PRM_HCA_CAP_TYPE_DEV_MEM, fill_dev_mem, "device_mem_cap"},
	{PRM_HCA_CAP_TYPE_DEV_EVENT, fill_nothing, NULL},
	{PRM_HCA_CAP_TYPE_CRYPTO, fill_crypto, "crypto_caps"},
	{PRM_HCA_CAP_TYPE_GENERAL_2, fill_general_2, "cmd_hca_cap_2"},
};

int fw_query_hca_cap(struct fw_cmd *c)
{
	uint8_t page[PAGE_BYTES] = {0};
	uint32_t type = c->op_mod >> 1;
	size_t room = c->out_len - FW_CAP_AT;

	if (prm_query_hca_cap_in_get_other_function(c->in) ||
	    prm_query_hca_cap_in_get_function_id(c->in))
		return fw_refuse(
			c, PRM_STATUS_BAD_PARAM, FW_SYN_FUNCTION,
			"other_function or function_id is set: a function asks for itself");
	for (size_t i = 0; i < sizeof(pages) / sizeof(pages[0]); i++) {
		if (pages[i].type == type) {
			pages[i].fill(c->vhca, page);
			memcpy((uint8_t *)c->out + FW_CAP_AT, page,
			       room < sizeof(page) ? room : sizeof(page));
			return 0;
		}
	}
	return fw_refuse(c, PRM_STATUS_BAD_PARAM, FW_SYN_CAP_PAGE,
			 "op_mod 0x%x: capability page 0x%x does not exist", c->op_mod, type);
}

const char *fw_cap_struct(uint16_t op_mod)
{
	for (size_t i = 0; i < sizeof(pages) / sizeof(pages[0]); i++)
		if (pages[i].type == op_mod >> 1)
			return pages[i].prm_struct;
	return NULL;
}
