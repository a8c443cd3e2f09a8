/* SPDX-License-Identifier: BSD-2-Clause */
/* Capability page 7: the NIC's flow tables. */
#include "cmd.h"
#include "obj/device.h"
#include "obj/icm.h"
#include "prm/reflect.h"

/* Reports what software-managed steering needs: table ownership and the addresses of end points. */
static void fill_software(const struct profile *p, void *cap)
{
	void *rx = prm_flow_table_nic_cap_at_flow_table_properties_nic_receive(cap);
	void *tx = prm_flow_table_nic_cap_at_flow_table_properties_nic_transmit(cap);

	prm_flow_table_prop_layout_set_sw_owner_v2(rx, p->sw_owner_rx);
	prm_flow_table_prop_layout_set_sw_owner_v2(tx, p->sw_owner_tx);
	prm_flow_table_nic_cap_set_sw_steering_nic_rx_action_drop_icm_address(
		cap, icm_addr(ICM_END, ICM_DROP));
	prm_flow_table_nic_cap_set_sw_steering_nic_tx_action_drop_icm_address(
		cap, icm_addr(ICM_END, ICM_DROP));
	prm_flow_table_nic_cap_set_sw_steering_nic_tx_action_allow_icm_address(
		cap, icm_addr(ICM_END, ICM_ALLOW));
}

/* Sets each field that params.c knows: it can be matched under any mask. */
static void fill_fields(void *fields)
{
	static const char *const names[] = {
		"outer_dmac",
		"outer_smac",
		"outer_ether_type",
		"outer_ip_version",
		"outer_first_prio",
		"outer_first_cfi",
		"outer_first_vid",
		"outer_ipv4_ttl",
		"outer_second_prio",
		"outer_second_cfi",
		"outer_second_vid",
		"outer_ipv6_flow_label",
		"outer_sip",
		"outer_dip",
		"outer_frag",
		"outer_ip_protocol",
		"outer_ip_ecn",
		"outer_ip_dscp",
		"outer_udp_sport",
		"outer_udp_dport",
		"outer_tcp_sport",
		"outer_tcp_dport",
		"outer_tcp_flags",
		"outer_gre_protocol",
		"outer_gre_key",
		"outer_vxlan_vni",
		"outer_geneve_vni",
		"outer_geneve_oam",
		"outer_geneve_protocol_type",
		"outer_geneve_opt_len",
		"source_eswitch_port",
		"inner_dmac",
		"inner_smac",
		"inner_ether_type",
		"inner_ip_version",
		"inner_first_prio",
		"inner_first_cfi",
		"inner_first_vid",
		"inner_ipv4_ttl",
		"inner_second_prio",
		"inner_second_cfi",
		"inner_second_vid",
		"inner_ipv6_flow_label",
		"inner_sip",
		"inner_dip",
		"inner_frag",
		"inner_ip_protocol",
		"inner_ip_ecn",
		"inner_ip_dscp",
		"inner_udp_sport",
		"inner_udp_dport",
		"inner_tcp_sport",
		"inner_tcp_dport",
		"inner_tcp_flags",
		"metadata_reg_a",
		"inner_first_mpls",
		"outer_first_mpls",
		"inner_ipv6_hop_limit",
		"outer_ipv6_hop_limit",
		"inner_first_svlan",
		"inner_second_svlan",
		"outer_first_svlan",
		"outer_second_svlan",
		"source_sqn",
		"metadata_reg_c_7",
		"metadata_reg_c_6",
		"metadata_reg_c_5",
		"metadata_reg_c_4",
		"metadata_reg_c_3",
		"metadata_reg_c_2",
		"metadata_reg_c_1",
		"metadata_reg_c_0",
	};
	const struct prm_struct *s = prm_find_struct("flow_table_fields_supported");
	uint64_t bit = 0;

	for (size_t i = 0; s && i < sizeof(names) / sizeof(names[0]); i++) {
		const struct prm_field *f = prm_find_field(s, names[i], &bit);

		prm_bits_set(fields, bit, f->width, (1u << f->width) - 1);
	}
}

static void fill_tables(void *props)
{
	prm_flow_table_prop_layout_set_ft_support(props, 1);
	prm_flow_table_prop_layout_set_flow_counter(props, 1);
	prm_flow_table_prop_layout_set_flow_modify_en(props, 1);
	prm_flow_table_prop_layout_set_modify_root(props, 1);
	prm_flow_table_prop_layout_set_identified_miss_table_mode(props, 1);
	prm_flow_table_prop_layout_set_flow_table_modify(props, 1);
	prm_flow_table_prop_layout_set_reset_root_to_default(props, 1);
	prm_flow_table_prop_layout_set_ignore_flow_level(props, 1);
	prm_flow_table_prop_layout_set_log_max_ft_size(props, VHCA_LOG_MAX_FT_SIZE);
	prm_flow_table_prop_layout_set_max_ft_level(props, VHCA_MAX_FT_LEVEL);
	prm_flow_table_prop_layout_set_log_max_ft_num(props, VHCA_LOG_MAX_FLOW_TABLE);
	prm_flow_table_prop_layout_set_log_max_flow_counter(props, VHCA_LOG_MAX_ENTRY_COUNTERS);
	prm_flow_table_prop_layout_set_log_max_destination(props, VHCA_LOG_MAX_FLOW_DESTS);
	prm_flow_table_prop_layout_set_log_max_flow(props, VHCA_LOG_MAX_FT_SIZE);
	prm_flow_table_prop_layout_set_log_max_modify_header_context(props,
								     VHCA_LOG_MAX_MODIFY_HEADER);
	prm_flow_table_prop_layout_set_max_modify_header_actions(props, VHCA_MAX_MODIFY_ACTIONS);
	fill_fields(prm_flow_table_prop_layout_at_ft_field_support(props));
	fill_fields(prm_flow_table_prop_layout_at_ft_field_bitmask_support(props));
}

void fw_fill_flow_table(const struct vhca *v, void *cap)
{
	void *rx = prm_flow_table_nic_cap_at_flow_table_properties_nic_receive(cap);

	fill_tables(rx);
	prm_flow_table_prop_layout_set_flow_tag(rx, 1);
	fill_tables(prm_flow_table_nic_cap_at_flow_table_properties_nic_transmit(cap));
	prm_flow_table_nic_cap_set_nic_rx_multi_path_tirs(cap, 1);
	prm_flow_table_nic_cap_set_nic_rx_multi_path_tirs_fts(cap, 1);
	fill_software(v->dev->profile, cap);
}
