/* SPDX-License-Identifier: BSD-2-Clause */
/* Capability page 7: the NIC's flow tables. */
#include "cmd.h"
#include "obj/device.h"
#include "obj/icm.h"
#include "prm/reflect.h"
#include "steer/params.h"

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

/* Sets the bits of each field that params.def has: it can be matched under any mask. */
static void fill_fields(void *fields)
{
	const char *path;

	for (size_t i = 0; (path = params_path(i)) != NULL; i++) {
		const struct prm_field *f = prm_match_cap(path);

		if (f)
			prm_bits_set(fields, f->offset, f->width, UINT64_MAX);
	}
	/* ttl_hoplimit is one match parameter, and has two bits. */
	prm_flow_table_fields_supported_set_outer_ipv6_hop_limit(fields, 1);
	prm_flow_table_fields_supported_set_inner_ipv6_hop_limit(fields, 1);
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
