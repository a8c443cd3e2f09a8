/* SPDX-License-Identifier: BSD-2-Clause */
/* Capability page 7: the NIC's flow tables. */
#include "cmd.h"
#include "obj/icm.h"

/* What software-managed steering asks for: who owns tables, how deep they go, where packets end. */
static void fill_software(void *cap)
{
	void *rx = prm_flow_table_nic_cap_at_flow_table_properties_nic_receive(cap);
	void *tx = prm_flow_table_nic_cap_at_flow_table_properties_nic_transmit(cap);

	prm_flow_table_prop_layout_set_sw_owner_v2(rx, 1);
	prm_flow_table_prop_layout_set_sw_owner_v2(tx, 1);
	prm_flow_table_prop_layout_set_max_ft_level(rx, VHCA_MAX_FT_LEVEL);
	prm_flow_table_prop_layout_set_max_ft_level(tx, VHCA_MAX_FT_LEVEL);
	prm_flow_table_nic_cap_set_sw_steering_nic_rx_action_drop_icm_address(
		cap, icm_addr(ICM_END, ICM_DROP));
	prm_flow_table_nic_cap_set_sw_steering_nic_tx_action_drop_icm_address(
		cap, icm_addr(ICM_END, ICM_DROP));
	prm_flow_table_nic_cap_set_sw_steering_nic_tx_action_allow_icm_address(
		cap, icm_addr(ICM_END, ICM_ALLOW));
}

void fw_fill_flow_table(const struct vhca *v, void *cap)
{
	(void)v;
	fill_software(cap);
}
