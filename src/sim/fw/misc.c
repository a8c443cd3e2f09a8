/* SPDX-License-Identifier: BSD-2-Clause */
/* Identity of the adapter and its functions. */
#include <string.h>
#include "cmd.h"
#include "obj/device.h"
#include "obj/icm.h"
#include "obj/mkey.h"

#define MELLANOX_OUI	0x0002c9
#define PSID_BYTES	16
#define PORT_MTU	1500
#define ROCE_VERSION_1	0
#define ROCE_VERSION_2	2
#define L3_TYPE_GRH	0
#define L3_TYPE_IPV4	0
#define L3_TYPE_IPV6	1
#define PORT_STATE_DOWN 1
#define PORT_STATE_UP	4
#define PHYS_STATE_OFF	3 /* [I] disabled, as mlx5_ib shows a port without carrier */
#define PHYS_STATE_UP	5

int fw_query_adapter(struct fw_cmd *c)
{
	void *p = prm_query_adapter_out_at_query_adapter_struct(c->out);
	const char *board = c->vhca->dev->profile->board_id;

	prm_query_adapter_param_block_set_ieee_vendor_id(p, MELLANOX_OUI);
	memcpy(prm_query_adapter_param_block_at_vsd_contd_psid(p), board,
	       strnlen(board, PSID_BYTES));
	return 0;
}

int fw_query_issi(struct fw_cmd *c)
{
	prm_query_issi_out_set_current_issi(c->out, 1);
	prm_query_issi_out_set_supported_issi_dw0(c->out, 1 << 1 | 1 << 0);
	return 0;
}

/*
 * A chip of one port has nothing to bond: lag_state is 0, and the other fields then mean nothing.
 * Functions with num_lag_ports 2 answer the same while no bond is made.
 */
int fw_query_lag(struct fw_cmd *c)
{
	(void)c;
	return 0;
}

int fw_query_special_contexts(struct fw_cmd *c)
{
	prm_query_special_contexts_out_set_resd_lkey(c->out, MKEY_RESERVED);
	prm_query_special_contexts_out_set_dump_fill_mkey(c->out, MKEY_NULL);
	prm_query_special_contexts_out_set_null_mkey(c->out, MKEY_NULL);
	return 0;
}

/* One function a port: other_vport and vport numbers name no other function. */
static int check_vport(struct fw_cmd *c, uint32_t other, uint32_t number)
{
	if (!other && !number)
		return 0;
	return fw_refuse(c, PRM_STATUS_BAD_PARAM, FW_SYN_FUNCTION,
			 "other_vport %u, vport_number %u: this function manages only itself",
			 other, number);
}

int fw_query_nic_vport_context(struct fw_cmd *c)
{
	const struct vhca *v = c->vhca;
	void *ctx = prm_query_nic_vport_context_out_at_nic_vport_context(c->out);
	void *mac = prm_nic_vport_context_at_permanent_address(ctx);

	if (check_vport(c, prm_query_nic_vport_context_in_get_other_vport(c->in),
			prm_query_nic_vport_context_in_get_vport_number(c->in)))
		return -1;
	prm_nic_vport_context_set_roce_en(ctx, 1);
	prm_nic_vport_context_set_mtu(ctx, PORT_MTU);
	prm_nic_vport_context_set_system_image_guid(ctx, v->dev->vhca[0].guid);
	prm_nic_vport_context_set_port_guid(ctx, v->guid);
	prm_nic_vport_context_set_node_guid(ctx, v->guid);
	prm_nic_vport_context_set_qkey_violation_counter(ctx, v->qkey_violations & 0xffff);
	prm_mac_address_layout_set_mac_addr_47_32(mac, prm_load16(v->mac, 0));
	prm_mac_address_layout_set_mac_addr_31_0(mac, prm_load32(v->mac, 2));
	return 0;
}

int fw_query_hca_vport_context(struct fw_cmd *c)
{
	const struct vhca *v = c->vhca;
	const bool down = v->dev->link_down;
	void *ctx = prm_query_hca_vport_context_out_at_hca_vport_context(c->out);

	if (check_vport(c, prm_query_hca_vport_context_in_get_other_vport(c->in),
			prm_query_hca_vport_context_in_get_vport_number(c->in)))
		return -1;
	prm_hca_vport_context_set_grh_required(ctx, 1);
	prm_hca_vport_context_set_port_physical_state(ctx, down ? PHYS_STATE_OFF : PHYS_STATE_UP);
	prm_hca_vport_context_set_port_state(ctx, down ? PORT_STATE_DOWN : PORT_STATE_UP);
	prm_hca_vport_context_set_vport_state(ctx, down ? PORT_STATE_DOWN : PORT_STATE_UP);
	prm_hca_vport_context_set_system_image_guid(ctx, v->dev->vhca[0].guid);
	prm_hca_vport_context_set_port_guid(ctx, v->guid);
	prm_hca_vport_context_set_node_guid(ctx, v->guid);
	return 0;
}

int fw_query_roce_address(struct fw_cmd *c)
{
	void *a = prm_query_roce_address_out_at_roce_address(c->out);
	uint32_t index = prm_query_roce_address_in_get_roce_address_index(c->in);
	const struct gid_entry *g;
	bool mapped;

	if (index >= VHCA_GIDS)
		return fw_refuse(c, PRM_STATUS_BAD_PARAM, FW_SYN_INDEX,
				 "roce_address_index %u: the table has %u entries", index,
				 VHCA_GIDS);
	g = &c->vhca->gids[index];
	/* ::ffff:a.b.c.d */
	mapped = !prm_load64(g->gid, 0) && prm_load32(g->gid, 8) == 0xffff;
	memcpy(prm_roce_addr_layout_at_source_l3_address(a), g->gid, sizeof(g->gid));
	prm_roce_addr_layout_set_vlan_valid(a, g->vlan != 0);
	prm_roce_addr_layout_set_vlan_id(a, g->vlan);
	prm_roce_addr_layout_set_source_mac_47_32(a, prm_load16(g->mac, 0));
	prm_roce_addr_layout_set_source_mac_31_0(a, prm_load32(g->mac, 2));
	if (g->type == ROCE_VERSION_2) {
		prm_roce_addr_layout_set_roce_version(a, ROCE_VERSION_2);
		prm_roce_addr_layout_set_roce_l3_type(a, mapped ? L3_TYPE_IPV4 : L3_TYPE_IPV6);
	} else {
		prm_roce_addr_layout_set_roce_version(a, ROCE_VERSION_1);
		prm_roce_addr_layout_set_roce_l3_type(a, L3_TYPE_GRH);
	}
	return 0;
}

/* [I] On the Arm side only: it manages the host's function. */
int fw_query_esw_functions(struct fw_cmd *c)
{
	void *host = prm_query_esw_functions_out_at_host_params_context(c->out);
	const struct vhca *pf;

	if (c->vhca->kind != FUNCTION_ECPF)
		return fw_refuse(c, PRM_STATUS_BAD_OP, FW_SYN_CAP_CLEAR,
				 "vhca %u manages no eswitch (cap.eswitch_manager is 0)",
				 c->vhca->id);
	pf = device_first(c->vhca->dev, FUNCTION_PF);
	if (pf) {
		prm_host_params_context_set_host_pf_vhca_id_valid(host, 1);
		prm_host_params_context_set_host_pf_vhca_id(host, pf->id);
	}
	return 0;
}

/* Where steering entries would send packets for the manager itself. There is no e-switch yet. */
int fw_query_esw_vport_context(struct fw_cmd *c)
{
	void *ctx = prm_query_esw_vport_context_out_at_esw_vport_context(c->out);
	uint32_t other = prm_query_esw_vport_context_in_get_other_vport(c->in);
	uint32_t number = prm_query_esw_vport_context_in_get_vport_number(c->in);

	if (c->vhca->kind != FUNCTION_ECPF)
		return fw_refuse(c, PRM_STATUS_BAD_OP, FW_SYN_CAP_CLEAR,
				 "vhca %u manages no eswitch (cap.eswitch_manager is 0)",
				 c->vhca->id);
	if (check_vport(c, other, number))
		return -1;
	prm_esw_vport_context_set_sw_steering_vport_icm_address_rx(ctx, icm_addr(ICM_VPORT, 0));
	prm_esw_vport_context_set_sw_steering_vport_icm_address_tx(ctx, icm_addr(ICM_VPORT, 0));
	return 0;
}
