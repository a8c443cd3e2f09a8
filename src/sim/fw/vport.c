/* SPDX-License-Identifier: BSD-2-Clause */
/* A function's vport, and queries of the e-switch's manager. */
#include "cmd.h"
#include "obj/device.h"
#include "obj/icm.h"

#define PORT_MTU	1500
#define PORT_STATE_DOWN 1
#define PORT_STATE_UP	4
#define PHYS_STATE_OFF	3 /* [I] disabled, as mlx5_ib shows a port without carrier */
#define PHYS_STATE_UP	5

int fw_vport_own(struct fw_cmd *c, uint32_t other, uint32_t number)
{
	if (!other && !number)
		return 0;
	return fw_refuse(c, FW_SYN_FUNCTION,
			 "other_vport %u, vport_number %u: this function manages only itself",
			 other, number);
}

static int fw_vport_manager(struct fw_cmd *c)
{
	if (c->vhca->kind == FUNCTION_ECPF)
		return 0;
	return fw_refuse_as(c, PRM_STATUS_BAD_OP, FW_SYN_CAP_CLEAR,
			    "vhca %u manages no eswitch (cap.eswitch_manager is 0)", c->vhca->id);
}

int fw_query_nic_vport_context(struct fw_cmd *c)
{
	const struct vhca *v = c->vhca;
	void *ctx = prm_query_nic_vport_context_out_at_nic_vport_context(c->out);
	void *mac = prm_nic_vport_context_at_permanent_address(ctx);

	if (fw_vport_own(c, prm_query_nic_vport_context_in_get_other_vport(c->in),
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

	if (fw_vport_own(c, prm_query_hca_vport_context_in_get_other_vport(c->in),
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

/* Returns the host's function. [I] Only the Arm side, which manages it, may ask. */
int fw_query_esw_functions(struct fw_cmd *c)
{
	void *host = prm_query_esw_functions_out_at_host_params_context(c->out);
	const struct vhca *pf;

	if (fw_vport_manager(c))
		return -1;
	pf = device_first(c->vhca->dev, FUNCTION_PF);
	if (pf) {
		prm_host_params_context_set_host_pf_vhca_id_valid(host, 1);
		prm_host_params_context_set_host_pf_vhca_id(host, pf->id);
	}
	return 0;
}

/*
 * Returns the addresses of the e-switch's end points for steering entries. There is no e-switch
 * yet.
 */
int fw_query_esw_vport_context(struct fw_cmd *c)
{
	void *ctx = prm_query_esw_vport_context_out_at_esw_vport_context(c->out);
	uint32_t other = prm_query_esw_vport_context_in_get_other_vport(c->in);
	uint32_t number = prm_query_esw_vport_context_in_get_vport_number(c->in);

	if (fw_vport_manager(c) || fw_vport_own(c, other, number))
		return -1;
	prm_esw_vport_context_set_sw_steering_vport_icm_address_rx(ctx, icm_addr(ICM_VPORT, 0));
	prm_esw_vport_context_set_sw_steering_vport_icm_address_tx(ctx, icm_addr(ICM_VPORT, 0));
	return 0;
}
